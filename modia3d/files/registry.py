"""The names that a scenario may use: every constructor, library model and action has its Python name."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from modiapy.model.model import Model

LIBRARIES = ("blocks", "rotational", "translational", "electric", "drives")
SCENE = (
    "Object3D",
    "Scene",
    "UniformGravity",
    "NoGravity",
    "MatingTolerance",
    "Solid",
    "Visual",
    "VisualMaterial",
    "Box",
    "Cylinder",
    "Sphere",
    "MassProperties",
    "MassPropertiesFromShape",
    "MassPropertiesFromShapeAndMass",
    "Revolute",
    "Prismatic",
    "RevoluteWithFlange",
    "PrismaticWithFlange",
)


@dataclass(frozen=True)
class Entry:
    """What a name stands for.

    Attributes:
        name: as written in a scenario.
        make: called with the arguments of the scenario; None if the name is a model that is merged with modifications.
        model: the model, if it is one.
        fields: names of the arguments in their order; None if any name is allowed.
    """

    name: str
    make: Callable[..., Any] | None = None
    model: Any = None
    fields: tuple[str, ...] | None = None


def from_callable(name: str, make: Callable[..., Any]) -> Entry:
    """The entry of a function or class, with the fields of its signature (``**keywords`` admit any name)."""
    parameters = inspect.signature(make).parameters.values()
    free = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    fields = tuple(p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL))
    return Entry(name, make, fields=None if free else fields)


@functools.cache
def constructors() -> dict[str, Entry]:
    """All constructors and library models by name."""
    import modia3d
    import modiapy

    entries = {name: from_callable(name, getattr(modia3d, name)) for name in SCENE}
    entries |= {name: Entry(name, getattr(modiapy, name)) for name in ("Model", "Map")}
    entries |= {name: from_callable(name, getattr(modiapy, name)) for name in ("Var", "Par")}
    for library in LIBRARIES:
        module = importlib.import_module(f"modiapy.library.{library}")
        for name, value in vars(module).items():
            if isinstance(value, Model) and not name.startswith("_"):
                entries.setdefault(name, Entry(name, model=value))
    return entries


@functools.cache
def actions() -> dict[str, Entry]:
    """All actions by name."""
    from modia3d.actions.values import ACTIONS

    return {name: from_callable(name, value) for name, value in ACTIONS.items()}
