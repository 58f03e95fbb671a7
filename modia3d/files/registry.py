"""The names that a scenario may use: every constructor, library model and action has its Python name."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from modiapy.model.array import Array
from modiapy.model.attributes import PAR_ATTRIBUTES, VAR_ATTRIBUTES
from modiapy.model.control import For, If
from modiapy.model.fields import field_hints
from modiapy.model.model import Bus, Model, Par, Var, indexed, redeclare
from modiapy.model.scoping import enclosing
from modiapy.model.tables import Table1D, Table2D
from modiapy.model.when import Assert, Clock, When

from .confine import CONFINED

_OWN = ("modia3d.scene", "modia3d.forces", "modia3d.assemblies")
LIBRARIES = ("blocks", "rotational", "translational", "electric", "heat_transfer", "drives")


@dataclass(frozen=True)
class Entry:
    """What a name stands for.

    Attributes:
        name: as written in a scenario.
        make: called with the arguments of the scenario; None if the name is a model that is merged with modifications.
        model: the model, if it is one.
        fields: names of the arguments in their order; None if any name is allowed.
        mappings: those whose value is a mapping, and no call.
    """

    name: str
    make: Callable[..., Any] | None = None
    model: Any = None
    fields: tuple[str, ...] | None = None
    mappings: tuple[str, ...] = ()


def from_callable(name: str, make: Callable[..., Any]) -> Entry:
    """The entry of a function or class, with the fields of its signature (``**keywords`` admit any name)."""
    parameters = inspect.signature(make).parameters.values()
    free = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    fields = tuple(p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL))
    cls = getattr(make, "dataclass", None)
    hints = field_hints(cls) if cls is not None else getattr(make, "hints", {})
    mappings = tuple(key for key, hint in hints.items() if _is_mapping(hint))
    return Entry(name, make, fields=None if free else fields, mappings=mappings)


def _is_mapping(hint: Any) -> bool:
    """Whether an annotation is that of a mapping, or None."""
    return any(typing.get_origin(each) is Mapping for each in (hint, *typing.get_args(hint)))


def constructors() -> dict[str, Entry]:
    """`known_constructors`, and those of force elements that were added since."""
    from modia3d.forces.registry import ADDED

    return known_constructors() | {name: from_callable(name, make) for name, make in ADDED.items()}


@functools.cache
def known_constructors() -> dict[str, Entry]:
    """All constructors and library models; a model also as ``library.Name``, only so if another library or a
    constructor of this package shares the name."""
    from modia3d.assemblies import constructors as assemblies
    from modia3d.forces import constructors as forces
    from modia3d.scene import constructors as scene
    from modia3d.scene.sensors import constructors as sensors

    made = (vars(scene) | vars(sensors) | forces.constructors() | vars(assemblies)).items()
    own = {name: make for name, make in made if getattr(make, "__module__", "").startswith(_OWN)}
    entries = {name: from_callable(name, make) for name, make in own.items() if callable(make) and name[0].isupper()}
    # Where files may be is not for a scenario to say.
    entries["Mesh"] = Entry("Mesh", scene.Mesh, fields=("file", "scale", "convex_parts"))
    entries["Scene"] = replace(entries["Scene"], fields=tuple(f for f in entries["Scene"].fields or () if f != "folders"))
    entries["Model"] = Entry("Model", Model)
    entries["Bus"] = Entry("Bus", lambda **signals: Bus | Model(signals))
    entries["Var"] = Entry("Var", Var, fields=VAR_ATTRIBUTES)
    entries["Par"] = Entry("Par", Par, fields=PAR_ATTRIBUTES)
    written: dict[str, Callable[..., Any]] = {"When": When, "Assert": Assert, "If": If, "For": For, "Clock": Clock}
    written |= {"Array": Array, "Table1D": Table1D, "Table2D": Table2D, "redeclare": redeclare, "enclosing": enclosing}
    entries |= {name: from_callable(name, make) for name, make in written.items()}
    owners: dict[str, list[Entry]] = {}
    for library in LIBRARIES:
        module = importlib.import_module(f"modiapy.library.{library}")
        for name, value in vars(module).items():
            if isinstance(value, Model) and not name.startswith("_"):
                entries[f"{library}.{name}"] = entry = Entry(name, model=value)
                if all(value is not other.model for other in owners.setdefault(name, [])):
                    owners[name].append(entry)
    entries |= {name: found[0] for name, found in owners.items() if len(found) == 1 and name not in own}
    return entries


@functools.cache
def actions() -> dict[str, Entry]:
    """All actions and steps of programs by name."""
    from modia3d.actions.blocks import STEPS
    from modia3d.actions.values import ACTIONS

    made: dict[str, Callable[..., Any]] = {**ACTIONS, **STEPS}
    return {name: from_callable(name, make) for name, make in made.items()}


def entry_of(base: Any, key: str) -> Any:
    """The entry of a model or value that a modification names: of an array any element stands for all or for ``key[0]``."""
    entry = base.get(key) if key in base else base.get(indexed(key)[0])
    return entry["element"] if isinstance(entry, Array) else None if key not in base else entry


def with_rot(fields: Sequence[str]) -> tuple[str, ...]:
    """Names of arguments; what has a ``rotation`` may have it as ``rot``."""
    return (*fields, "rot") if "rotation" in fields and "rot" not in fields else tuple(fields)


def modifiable(base: Any) -> tuple[str, ...]:
    """Names of the entries of a model or the fields of a constructor's value that a modification may name."""
    if base.get("_constructor") in CONFINED:
        return tuple(key for key in field_hints(base["_constructor"]) if key != "folders")
    names = [key for key in base if not key.startswith("_")]
    constructor = base.get("_constructor")
    if isinstance(base, Par | Model) and constructor is not None:
        names += [f.name for f in dataclasses.fields(constructor) if f.name not in names]
        return with_rot(names)
    elif isinstance(base, Var):
        names += [name for name in VAR_ATTRIBUTES if name not in names]
    elif isinstance(base, Par):
        names += [name for name in PAR_ATTRIBUTES if name not in names]
    return tuple(names)
