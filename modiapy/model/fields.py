"""Fields of a dataclass that a constructor makes: their names, which are required, and what their annotations allow."""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Mapping, Sequence, Set
from typing import Any

_constructors: dict[str, tuple[str, Mapping[str, str]]] = {}


def name_constructor(place: str, name: str, remedies: Mapping[str, str]) -> None:
    """Register the public name of a dataclass's constructor, and remedies for frequent wrong names of its fields.

    The ``place`` is `place_of` the dataclass, which need not be imported yet, or the module that has no other one.
    """
    _constructors[place] = name, remedies


def place_of(cls: type) -> str:
    """Return the module and name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"


def constructor_of(cls: type) -> tuple[str, Mapping[str, str]]:
    """Return the name of a dataclass's constructor as users know it, and remedies for fields that it does not have."""
    if not isinstance(cls, type):
        return str(getattr(cls, "__name__", cls)), {}
    return _constructors.get(place_of(cls)) or _constructors.get(cls.__module__) or (cls.__name__, {})


def constructor_name(cls: type) -> str:
    """Return the name of a dataclass's constructor as users know it."""
    return constructor_of(cls)[0]


@functools.cache
def field_hints(cls: type) -> Mapping[str, Any]:
    """Return the names of the fields that the dataclass ``cls`` is made from, in order, with their annotations (text if
    unresolved).
    """
    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"{cls!r} is not a dataclass")
    try:
        hints = typing.get_type_hints(cls)
    except NameError:  # names that are imported for the type checker only
        hints = {}
    return {f.name: hints.get(f.name, f.type) for f in dataclasses.fields(cls) if f.init}


@functools.cache
def required_fields(cls: type) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass that have no default."""
    missing = dataclasses.MISSING
    return tuple(f.name for f in dataclasses.fields(cls) if f.init and f.default is missing and f.default_factory is missing)


def admits_str(hint: Any) -> bool:
    """Return whether a value of this annotation may itself be a string (so that a string is not an expression)."""
    if isinstance(hint, str):
        return re.search(r"\b(str|Any|object|Literal)\b", hint) is not None
    return any(
        alternative in (str, Any, object) or (typing.get_origin(alternative) is typing.Literal)
        for alternative in alternatives(hint)
    )


@functools.cache
def object_types(hint: Any) -> tuple[type, ...]:
    """Return the dataclasses of which a value of this annotation may be an object."""
    if isinstance(hint, str):
        return ()
    return tuple(a for a in alternatives(hint) if isinstance(a, type) and dataclasses.is_dataclass(a))


def element_hint(hint: Any) -> Any:
    """Return the annotation of the elements of a list, tuple or dictionary with this annotation; `float` if there is none to be
    found.
    """
    if isinstance(hint, str) or hint is Any or hint is object:
        return hint
    found: list[Any] = []
    for alternative in alternatives(hint):
        origin, args = typing.get_origin(alternative), [a for a in typing.get_args(alternative) if a is not Ellipsis]
        if isinstance(origin, type) and args:
            if issubclass(origin, Mapping):
                found.append(args[-1])
            elif issubclass(origin, Sequence | Set):
                found += args
    return typing.Union[tuple(found)] if found else float  # noqa: UP007


def alternatives(hint: Any) -> list[Any]:
    """Return the annotations of which a value needs to fit one."""
    if isinstance(hint, typing.NewType):
        return alternatives(hint.__supertype__)
    if type(hint).__name__ == "TypeAliasType":  # Python 3.12
        return alternatives(hint.__value__)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return [a for member in typing.get_args(hint) for a in alternatives(member)]
    return [hint]
