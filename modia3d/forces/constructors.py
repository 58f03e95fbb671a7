"""Constructors for the forces of a `Model3D`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from modiapy.model.constructors import constructor

from . import registry
from .basics.law import FormulaLaw
from .drive_train import BevelGear, Mounting, RevoluteWithSupport, Rotor
from .elements.base import ForceElement
from .line_force import LineForce, LineForceWithMass, LineForceWithTwoMasses
from .signal_constructors import Force, ForceAndTorque, Torque, also_from_equations

__all__ = [
    "BevelGear",
    "Force",
    "ForceAndTorque",
    "Formula",
    "LineForce",
    "LineForceWithMass",
    "LineForceWithTwoMasses",
    "Mounting",
    "RevoluteWithSupport",
    "Rotor",
    "Torque",
]

Formula = constructor(FormulaLaw, name="Formula")


def _constructor(cls: type[ForceElement]) -> Callable[..., Any]:
    declared = cls.declared
    made = constructor(cls, name=declared.name, remedies=declared.remedies)
    return also_from_equations(made, declared.from_equations) if declared.from_equations else made


def add_element(cls: type[ForceElement]) -> Callable[..., Any]:
    """Return the constructor of a force element from outside of this package, which scenarios may use from now on, too.

    Args:
        cls: its dataclass, with a `modia3d.forces.Declaration`.

    Raises:
        ModelError: there is another element of this name.
    """
    made = _constructor(cls)
    registry.add(cls.declared.name, made)
    return made


def constructors() -> dict[str, Callable[..., Any]]:
    """Return all constructors of forces by name, those from outside included."""
    own = {name: globals()[name] for name in __all__}
    return own | {name: _loaded(name) for name in registry.ELEMENTS} | registry.ADDED


def _loaded(name: str) -> Callable[..., Any]:
    module = import_module(f"modia3d.forces.elements.{registry.ELEMENTS[name]}")
    (cls,) = (
        made
        for made in vars(module).values()
        if isinstance(made, type) and issubclass(made, ForceElement) and made is not ForceElement and made.declared.name == name
    )
    construct = globals()[name] = globals().get(name) or _constructor(cls)
    return construct


def __getattr__(name: str) -> Any:
    if name in registry.ELEMENTS:
        return _loaded(name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
