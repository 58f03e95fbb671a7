"""Methods of components, checked by name: what is misspelt, belongs elsewhere or was not declared would never be called."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from typing import Any

from ..model.errors import ModelError
from .abilities import ABILITIES
from .protocol import AcausalComponent, ComponentRun

_ALIKE = 0.8
"""Names that are as alike as this are taken for a mistake in writing."""


def check_component(component: Any, path: str) -> AcausalComponent:
    """Return the component that a factory made, after checking it.

    Raises:
        ModelError: it is no component, or a method of it would never be called.
    """
    if not isinstance(component, AcausalComponent):
        raise ModelError(
            "the factory returns no acausal component",
            path=path,
            found=repr(component),
            expected="an instance of a class derived from modiapy.acausal.AcausalComponent",
        )
    _check(component, AcausalComponent, path)
    return component


def begun_run(component: AcausalComponent, path: str) -> ComponentRun:
    """Return a new run of a component.

    Raises:
        ModelError: `begin_run` returns something else, or a method of it would never be called.
    """
    try:
        run = component.begin_run()
    except TypeError as error:
        if (refusal := abstract_refusal(error, path)) is not None:
            raise refusal from None
        raise
    if not isinstance(run, ComponentRun):
        expected = "an instance of a class derived from modiapy.acausal.ComponentRun"
        raise ModelError(
            "begin_run of the component does not return a ComponentRun", path=path, found=repr(run), expected=expected
        )
    _check(run, ComponentRun, path)
    return run


def abstract_refusal(error: TypeError, path: str) -> ModelError | None:
    """Return the error for a class of a component that leaves out methods, from what Python says; None for other errors."""
    said = re.match(r"Can't instantiate abstract class (\w+) .*abstract methods? (.*)", str(error))
    if said is None:
        return None
    missing = said[2].replace("'", "")
    expected = "all methods of what it is derived from"
    return ModelError("the component is incomplete", path=path, found=f"{said[1]} without {missing}", expected=expected)


def _check(component: Any, base: type, path: str) -> None:
    kind: Any = type(component)
    for name, message, expected in _mistakes(kind, base):
        found = f"{type(component).__qualname__}.{name}"
        raise ModelError(message, path=path, found=found, expected=expected)


@cache
def _mistakes(kind: Any, base: Any) -> tuple[tuple[str, str, str], ...]:
    """Return the names of methods of a class that nobody calls, what is wrong with each, and what is expected."""
    other = next(b for b in ABILITIES if b is not base)
    known = {name for b in (base, *(a for a in ABILITIES[base] if issubclass(kind, a))) for name in _public(b)}
    abilities = {name: ability for ability in ABILITIES[base] for name in _public(ability)}
    elsewhere = {name: b for b in (other, *ABILITIES[other]) for name in _public(b)}
    found = []
    for name in sorted(_methods(kind) - known):
        if name in abilities:
            ability = f"a class derived from {abilities[name].__name__}, too"
            found.append((name, "the component does not declare what it is able to do", ability))
        elif name in elsewhere:
            place = f"it in a class derived from {elsewhere[name].__name__}"
            found.append((name, "nobody calls this method of the component here", place))
        elif close := get_close_matches(name, [*known, *abilities, *elsewhere], n=1, cutoff=_ALIKE):
            found.append((name, "nobody calls this method of the component", f"'{close[0]}', or a name that is less like it"))
    return tuple(found)


def _public(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def _methods(kind: type) -> set[str]:
    """Return the public methods and properties that a class and its bases define, those of the protocol left out."""
    protocol = {object, *(known for base, abilities in ABILITIES.items() for known in (base, *abilities))}
    own = (base for base in kind.__mro__ if base not in protocol)
    return {name for base in own for name, value in vars(base).items() if not name.startswith("_") and _is_method(value)}


def _is_method(value: object) -> bool:
    return callable(value) or isinstance(value, property | staticmethod | classmethod)
