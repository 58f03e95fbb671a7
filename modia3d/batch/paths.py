"""Parameters by their paths: whether they exist, and other values for them as something to merge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from modiapy.model.attributes import PAR_ATTRIBUTES, VAR_ATTRIBUTES
from modiapy.model.errors import ModelError, nearest
from modiapy.model.model import Map, Model, Par, Var
from modiapy.symbolic.flat.flat_model import FlatModel

SETTINGS = ("simulation.stop_time", "simulation.tolerance", "simulation.interval")
"""Paths of what is no parameter of the model but an argument of ``simulate``."""


def check_path(model: Any, path: str) -> None:
    """Refuse a path that names nothing in a model.

    Raises:
        ModelError: says how far the path leads, and what is nearest to its next name.
    """
    if path in SETTINGS:
        return
    if isinstance(model, FlatModel):
        known = [*model.parameters, *model.arrays, *model.variables]
        if path not in known:
            raise ModelError("there is no such parameter", path=path, remedy=nearest(path, known))
        return
    inside: Any = model
    parts = path.split(".")
    for k, name in enumerate(parts):
        known = _names(inside)
        if name not in known:
            what = f"'{'.'.join(parts[:k])}' has no '{name}'" if k else f"the model has no '{name}'"
            raise ModelError(what, path=path, expected="the path of a parameter", remedy=nearest(name, known))
        inside = inside.get(name) if isinstance(inside, Mapping) else None


def _names(inside: Any) -> list[str]:
    """What may be given another value in an entry of a model."""
    if not isinstance(inside, Mapping):
        return []
    names = [str(key) for key in inside if not str(key).startswith("_")]
    constructor = inside.get("_constructor")
    if constructor is not None and isinstance(inside, Par | Model) and is_dataclass(constructor):
        names += [f.name for f in fields(constructor)]
    elif isinstance(inside, Var):
        names += VAR_ATTRIBUTES
    elif isinstance(inside, Par):
        names += PAR_ATTRIBUTES
    return names


def changes(values: Mapping[str, Any]) -> Map:
    """Values by path as a `Map` to merge, e.g. ``{"gear.ratio": 2.0}`` as ``Map(gear=Map(ratio=2.0))``."""
    merged = Map()
    for path, value in values.items():
        *parts, last = path.split(".")
        inside = merged
        for part in parts:
            inside = inside.setdefault(part, Map())
        inside[last] = value
    return merged
