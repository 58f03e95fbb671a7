"""The names that a scenario may use: every constructor, library model and action has its Python name."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import typing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from modiapy.library import WITHOUT_PREFIX, functions_in, library_names, models_in, words_in
from modiapy.model.array import Array
from modiapy.model.attributes import PAR_ATTRIBUTES, VAR_ATTRIBUTES
from modiapy.model.control import For, If
from modiapy.model.errors import nearest
from modiapy.model.fields import field_hints
from modiapy.model.model import Bus, Model, Par, Var, indexed, redeclare
from modiapy.model.scoping import enclosing
from modiapy.model.tables import Table1D, Table2D
from modiapy.model.when import Assert, Clock, When

from ..scene import modia3d_jl_names
from ..scene.old_names import RENAMED
from .confine import CONFINED


@dataclass(frozen=True)
class Entry:
    """Entry of a name that scenarios may use.

    Attributes:
        name: as written in a scenario.
        make: called with the arguments of the scenario; None if the name is a model that is merged with modifications.
        model: the model, if it is one.
        fields: names of the arguments in their order; None if any name is allowed.
        mappings: those whose value is a mapping, and no call.
        merged: whether arguments that are none of the ``fields`` are merged into the model that ``make`` returns.
    """

    name: str
    make: Callable[..., Any] | None = None
    model: Any = None
    fields: tuple[str, ...] | None = None
    mappings: tuple[str, ...] = ()
    merged: bool = False


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

    Models and functions of libraries have the name ``library.Name``. A model of one of the libraries `WITHOUT_PREFIX` is also
    known by ``Name`` alone, unless another one of them or a constructor of this package shares the name. Old names
    (`old_names.RENAMED`) are understood, and are none of those that there are.
    """

    def __init__(self, more: Mapping[str, Entry]) -> None:
        self._more = more

    def __getitem__(self, name: str) -> Entry:
        name = _current(name)
        for known in (self._more, _own()):
            if name in known:
                return known[name]
        library, _, plain = name.rpartition(".")
        if library:
            return (_members(library) if library in library_names() and plain in words_in(library) else {})[plain]
        return _without_prefix(tuple(each for each in WITHOUT_PREFIX if plain in words_in(each)))[plain]

    def __iter__(self) -> Iterator[str]:
        with_prefix = (f"{library}.{name}" for library in library_names() for name in _members(library))
        return iter(dict.fromkeys((*with_prefix, *_without_prefix(WITHOUT_PREFIX), *_own(), *self._more)))

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
        made = ("modia3d.scene.constructors", "modia3d.scene.sensors.", "modia3d.forces.", "modia3d.assemblies.")
        self._homes = {name: home for name, home in homes.items() if home.startswith(made) and name[0].isupper()}
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
def _current(name: str) -> str:
    """Return the name that a name has by now; whoever runs the scenario is told once of an old one."""
    if name not in RENAMED:
        return name
    from modiapy.model.deprecation import current_name

    return current_name(name, *RENAMED[name], FutureWarning)


@functools.cache
def _own() -> _Own:
    return _Own()


@functools.cache
def _members(library: str) -> dict[str, Entry]:
    """Return the models and functions of a library."""
    functions = {name: replace(from_callable(name, make), merged=True) for name, make in functions_in(library).items()}
    return {name: Entry(name, model=model) for name, model in models_in(library).items()} | functions


@functools.cache
def _without_prefix(libraries: tuple[str, ...]) -> dict[str, Entry]:
    """Return the models of libraries by their names alone, where no two share one."""
    found = [(name, model) for library in libraries for name, model in models_in(library).items()]
    count = Counter(name for name, _ in found)
    return {name: Entry(name, model=model) for name, model in found if count[name] == 1}


def proposed(name: str, known: Iterable[str]) -> str:
    """Return the remedy where a name is not known: what it may have been meant for, of the same library only."""
    library, _, plain = name.rpartition(".")
    written = [key for key in known if key.endswith(f".{name}")]
    if written:
        return f"Write {' or '.join(written)}."
    if library in library_names():
        close = nearest(plain, _members(library)).replace("'", f"'{library}.", 1)
        return close or f"'modia3d list {library}' lists the names of this library."
    return modia3d_jl_names.NAMES.get(name) or nearest(name, known)


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
