"""Variables in the acausal part of the engine."""

from __future__ import annotations

from modiapy.model.model import Model, Var


def level(part: Model, path: str) -> Model:
    """Return the submodel ``path`` of an acausal part, made if it is missing."""
    here = part
    for key in path.split(".") if path else ():
        here = here.setdefault(key, Model())
    return here


def add_variable(part: Model, path: str, variable: Var) -> None:
    """Put a variable into an acausal part."""
    scope, _, name = path.rpartition(".")
    level(part, scope)[name] = variable
