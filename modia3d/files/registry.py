"""The names that a scenario may use: every constructor, library model and action has its Python name."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import SourceFileLoader
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

LIBRARIES = ("blocks", "rotational", "translational", "electric", "heat_transfer", "drives")


@dataclass(frozen=True)
class Entry:
    """Entry of a name that scenarios may use.

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
    """Return the entry of a function or class, with the fields of its signature (``**keywords`` admit any name)."""
    parameters = inspect.signature(make).parameters.values()
    free = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    fields = tuple(p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL))
    cls = getattr(make, "dataclass", None)
    hints = field_hints(cls) if cls is not None else getattr(make, "hints", {})
    mappings = tuple(key for key, hint in hints.items() if _is_mapping(hint))
    return Entry(name, make, fields=None if free else fields, mappings=mappings)


def _is_mapping(hint: Any) -> bool:
    """Return whether an annotation is that of a mapping, or None."""
    return any(typing.get_origin(each) is Mapping for each in (hint, *typing.get_args(hint)))


class Constructors(Mapping[str, Entry]):
    """All constructors and library models by name; libraries are imported when a name is asked for that they may have.

    A model also has the name ``library.Name``, only that if another library or a constructor of this package shares the name.
    """

    def __init__(self, more: Mapping[str, Entry]) -> None:
        self._more = more

    def __getitem__(self, name: str) -> Entry:
        for known in (self._more, _own()):
            if name in known:
                return known[name]
        library, _, plain = name.rpartition(".")
        may_have_it = tuple(each for each in LIBRARIES if library in ("", each) and plain in _names_in(each))
        return _models_of(may_have_it)[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**_models_of(LIBRARIES), **_own(), **self._more})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __or__(self, more: Mapping[str, Entry]) -> Constructors:
        return Constructors({**self._more, **more})


def constructors() -> Constructors:
    """Return all of this package and of its libraries, and those of force elements that were added."""
    from modia3d.forces.registry import ADDED

    return Constructors({name: from_callable(name, make) for name, make in ADDED.items()})


_FREE = {
    "Model": Entry("Model", Model),
    "Bus": Entry("Bus", lambda **signals: Bus | Model(signals)),
    "Var": Entry("Var", Var, fields=VAR_ATTRIBUTES),
    "Par": Entry("Par", Par, fields=PAR_ATTRIBUTES),
}
"""What does not have the fields of its signature."""
_WRITTEN: dict[str, Callable[..., Any]] = {
    make.__name__: make for make in (When, Assert, If, For, Clock, Array, Table1D, Table2D, redeclare, enclosing)
}


class _Own(Mapping[str, Entry]):
    """The constructors of this package and those of models; each is imported when it is asked for."""

    def __init__(self) -> None:
        homes: Mapping[str, str] = importlib.import_module("modia3d").HOMES
        self._homes = {name: home for name, home in homes.items() if home.endswith(".constructors") and name[0].isupper()}
        self._homes["Pose"] = homes["Pose"]
        self._names = (*self._homes, *_FREE, *_WRITTEN)
        self._made: dict[str, Entry] = {}

    def __getitem__(self, name: str) -> Entry:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Entry:
        if name in _FREE:
            return _FREE[name]
        make = _WRITTEN[name] if name in _WRITTEN else getattr(importlib.import_module(self._homes[name]), name)
        entry = from_callable(name, make)
        hidden = _NOT_IN_FILES.get(name, ())
        return replace(entry, fields=tuple(field for field in entry.fields or () if field not in hidden)) if hidden else entry

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


_NOT_IN_FILES = {"Mesh": ("folders", "watertight"), "Scene": ("folders",)}
"""Where files may be is not for a scenario to say."""


@functools.cache
def _own() -> _Own:
    return _Own()


@functools.cache
def _models_of(libraries: tuple[str, ...]) -> dict[str, Entry]:
    """Return the models of libraries, by ``library.Name``, and by the name alone where no two share it."""
    entries = {}
    owners: dict[str, list[Entry]] = {}
    for library in libraries:
        module = importlib.import_module(f"modiapy.library.{library}")
        for name, value in vars(module).items():
            if isinstance(value, Model) and not name.startswith("_"):
                entries[f"{library}.{name}"] = entry = Entry(name, model=value)
                if all(value is not other.model for other in owners.setdefault(name, [])):
                    owners[name].append(entry)
    return entries | {name: found[0] for name, found in owners.items() if len(found) == 1}


@functools.cache
def _names_in(library: str) -> frozenset[str]:
    """Return all names that the module of a library has, and others; it is not carried out."""
    spec = importlib.util.find_spec(f"modiapy.library.{library}")
    assert spec is not None
    assert spec.origin is not None
    code = SourceFileLoader(spec.name, spec.origin).get_code(spec.name)  # pytest has a loader of its own, without code
    assert code is not None
    return frozenset(code.co_names)


@functools.cache
def actions() -> dict[str, Entry]:
    """Return all actions and steps of programs by name."""
    from modia3d.actions.blocks import STEPS
    from modia3d.actions.values import ACTIONS

    made: dict[str, Callable[..., Any]] = {**ACTIONS, **STEPS}
    return {name: from_callable(name, make) for name, make in made.items()}


def is_taken(name: str) -> bool:
    """Return whether a constructor, a library model or an action has this name."""
    return name in constructors() or name in actions()


def entry_of(base: Any, key: str) -> Any:
    """Return the entry of a model or value that a modification names: of an array any element stands for all or for
    ``key[0]``.
    """
    entry = base.get(key) if key in base else base.get(indexed(key)[0])
    return entry["element"] if isinstance(entry, Array) else None if key not in base else entry


def with_rot(fields: Sequence[str]) -> tuple[str, ...]:
    """Return the names of arguments; what has a ``rotation`` may have it as ``rot``."""
    return (*fields, "rot") if "rotation" in fields and "rot" not in fields else tuple(fields)


def modifiable(base: Any) -> tuple[str, ...]:
    """Return the names of the entries of a model or the fields of a constructor's value that a modification may name."""
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
