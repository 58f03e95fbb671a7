"""What a user writes: `Model`, `Map`, `Var` and `Par`, nested dictionaries that are merged with ``|``, and `constructor`.

In a `Model` a number, bool or array is a parameter and a string an expression of parameters; ``Var(...)`` is a variable,
``Par(...)`` a parameter with attributes, a `Model` a submodel. Keys with a meaning of their own: ``equations``,
``connect``, ``description`` (documentation, ignored) and everything that begins with an underscore.

Merging ``a | b`` goes through the entries of b (operands never change, the result has the type of a):

- ``equations`` and ``connect`` are appended;
- ``None`` removes an entry (in a `Map` it waits until that is merged into a `Model`);
- a `Map` changes what is there, entry by entry; it cannot add a parameter, so that a misspelled name is found;
- a `Var` changes the given attributes of a variable, a plain `Par` those of a parameter;
- a number or a string replaces the value of a parameter; for a variable it is a binding equation;
- a `Model`, or a `Par` with a constructor, replaces what was there.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self, TypeVar

import numpy as np

from .errors import ModelError, nearest
from .fields import field_hints

VAR_ATTRIBUTES = ("value", "init", "start", "input", "output", "potential", "flow", "unit", "description")
PAR_ATTRIBUTES = ("value", "min", "max", "unit", "description")
APPENDED = ("equations", "connect")
RESERVED = frozenset((*APPENDED, "description"))


class Entries(dict[str, Any]):
    """Base of `Model`, `Map`, `Var` and `Par`: a dictionary with recursive merging and a readable form."""

    def __or__(self, other: object) -> Self:  # type: ignore[override]
        return merge(self, other) if isinstance(other, dict) else NotImplemented

    def __ior__(self, other: object) -> Self:  # type: ignore[override, misc]
        return self | other  # type: ignore[operator, no-any-return]

    def copy(self) -> Self:
        """A shallow copy of the same type."""
        return _like(self, self)

    def __repr__(self) -> str:
        return f"{_head(self)}({', '.join(f'{k}={v!r}' for k, v in _shown(self))})"

    def __str__(self) -> str:
        return _pretty(self, 0)


E = TypeVar("E", bound=Entries)


class Model(Entries):
    """Variables, parameters, submodels, ``equations`` (strings ``"lhs = rhs"``) and ``connect`` (tuples of paths)."""


class Map(Entries):
    """A modification, to be merged into a model: new values, attributes and submodels under the same names."""


class Var(Entries):
    """A variable.

    Args:
        value: first positional argument; number or expression of a binding equation ``name = value``.
        init: initial value that holds exactly (number or expression of parameters).
        start: guess value, used for a state without ``init``; value of an input that nothing is connected to.
        input, output: causality.
        potential, flow: role in a connector.
        unit, description: documentation.

    Raises:
        ModelError: an attribute that a variable does not have.
    """

    def __init__(self, value: Any = None, /, **attributes: Any) -> None:
        super().__init__(attributes if value is None else {"value": value, **attributes})
        _refuse_unknown(attributes, VAR_ATTRIBUTES, "attribute", "a variable")


class Par(Entries):
    """A parameter with attributes (``value, min, max, unit, description``), or the call of a constructor, see `constructor`.

    Raises:
        ModelError: an attribute that a parameter does not have.
    """

    def __init__(self, value: Any = None, /, **attributes: Any) -> None:
        super().__init__(attributes if value is None else {"value": value, **attributes})
        if "_constructor" not in attributes:
            _refuse_unknown(attributes, PAR_ATTRIBUTES, "attribute", "a parameter")


def constructor(cls: type, *, name: str = "") -> Callable[..., Par]:
    """A function that takes the fields of a dataclass, positional or by keyword, and returns a `Par` describing the call.

    Args:
        cls: the dataclass.
        name: what users call the function; by default the name of the dataclass.

    Returns:
        The function; its attribute ``dataclass`` is ``cls``.

    Raises:
        ModelError: (the returned function) a field that does not exist, with the nearest name; a field given twice; too many
            positional arguments. A missing field is found when the object is made, as it may be merged in before.
    """
    name = name or cls.__name__
    fields = list(field_hints(cls))

    def construct(*args: Any, **kwargs: Any) -> Par:
        if len(args) > len(fields):
            raise ModelError(f"{name}: too many arguments", found=str(len(args)), expected=f"at most {', '.join(fields)}")
        _refuse_unknown(kwargs, fields, "field", name)
        given = dict(zip(fields, args, strict=False))
        for key in kwargs:
            if key in given:
                raise ModelError(f"{name}: field '{key}' is given twice", found="by position and by keyword")
        return Par(_constructor=cls, **given, **kwargs)

    construct.__name__ = construct.__qualname__ = name
    construct.__doc__ = cls.__doc__
    construct.__module__ = cls.__module__
    construct.dataclass = cls  # type: ignore[attr-defined]
    construct.__signature__ = inspect.signature(cls)  # type: ignore[attr-defined]
    return construct


# -- merging ------------------------------------------------------------------------------------------------------------


def merge(a: E, b: Mapping[str, Any], path: str = "") -> E:
    """``a | b``; see the rules above. ``path`` is where that happens, for messages."""
    if not isinstance(a, Map) and isinstance(b, Var | Par) and type(a) is not type(b):
        raise ModelError(f"a {type(b).__name__} cannot be merged into a {type(a).__name__}", path=path, remedy="Use Map(...).")
    result = a.copy()
    for key, new in b.items():
        here = f"{path}.{key}" if path else key
        old = result.get(key)
        if old is None and key not in result:
            _check_addition(result, key, new, adds=type(b) is Model, path=here)
        if new is None and not isinstance(a, Map):
            result.pop(key, None)
        elif key in APPENDED and old is not None and new is not None:
            result[key] = [*old, *new]
        else:
            result[key] = new if old is None or new is None else _merge_entry(old, new, here)
    return result


def _merge_entry(old: Any, new: Any, path: str) -> Any:
    modifies = isinstance(new, dict) and not isinstance(new, Model | Var | Par)
    if modifies and isinstance(old, Entries):
        return merge(old, new, path)
    if modifies and not isinstance(old, dict):
        return merge(Par(value=old), new, path)
    if _is_plain(new) and isinstance(old, Map):
        return merge(old, new, path)
    if _is_plain(new) and _is_plain(old) and type(old) is type(new):
        return merge(old, new, path)
    if not isinstance(new, dict):
        if _is_plain(old):
            return merge(old, {"value": new}, path)
        if isinstance(old, Model):
            raise ModelError(
                "a submodel cannot be replaced by a value",
                path=path,
                found=repr(new),
                expected="a Map with entries of the submodel, or a Model",
            )
    return new


def _is_plain(value: Any) -> bool:
    return isinstance(value, Var) or (isinstance(value, Par) and "_constructor" not in value)


def _check_addition(target: Entries, key: str, new: Any, adds: bool, path: str) -> None:
    """Refuse an entry that ``target`` does not have and cannot get."""
    if isinstance(target, Map) or key in RESERVED or key.startswith("_"):
        return
    fields: Iterable[str] = ()
    if "_constructor" in target:
        fields = field_hints(target["_constructor"])
    if isinstance(target, Model):
        adding = adds or (isinstance(new, Model | Var | Par) or callable(new))
        if not adding and key not in fields:
            known = [k for k in target if k not in RESERVED and not k.startswith("_")]
            raise ModelError(
                f"there is no '{key}' to modify",
                path=path,
                expected=f"one of {', '.join(sorted({*known, *fields}))}" if known else "a model with entries",
                remedy=f"{nearest(key, [*known, *fields])} To add an entry, merge a Model instead of a Map.".strip(),
            )
    elif isinstance(target, Var):
        _refuse_unknown([key], VAR_ATTRIBUTES, "attribute", "a variable", path)
    elif "_constructor" in target:
        _refuse_unknown([key], list(fields), "field", target["_constructor"].__name__, path)
    else:
        _refuse_unknown([key], PAR_ATTRIBUTES, "attribute", "a parameter", path)


def _refuse_unknown(keys: Iterable[str], known: Iterable[str], what: str, of: str, path: str = "") -> None:
    for key in keys:
        if key not in known:
            raise ModelError(
                f"{of} has no {what} '{key}'", path=path, expected=f"one of {', '.join(known)}", remedy=nearest(key, known)
            )


def _like(kind: E, entries: Mapping[str, Any]) -> E:
    new = type(kind).__new__(type(kind))
    dict.update(new, entries)
    return new


# -- text ---------------------------------------------------------------------------------------------------------------


def _head(entries: Entries) -> str:
    if isinstance(entries, Par) and "_constructor" in entries:
        return str(getattr(entries["_constructor"], "__name__", entries["_constructor"]))
    return type(entries).__name__


def _shown(entries: Entries) -> Iterator[tuple[str, Any]]:
    hidden = ("_constructor",) if isinstance(entries, Par) else ()
    return ((key, value) for key, value in entries.items() if key not in hidden)


def _pretty(value: Any, level: int) -> str:
    inner, outer = "  " * (level + 1), "  " * level
    if isinstance(value, Model | Map) and value:
        lines = [f"{inner}{key} = {_pretty(entry, level + 1)},\n" for key, entry in _shown(value)]
        return f"{_head(value)}(\n{''.join(lines)}{outer})"
    if isinstance(value, list) and len(value) > 1 and not all(is_number(v) for v in value):
        return "[\n" + "".join(f"{inner}{_pretty(item, level + 1)},\n" for item in value) + f"{outer}]"
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return repr(value)


def is_number(value: Any) -> bool:
    """Whether a value is a scalar number of the language (bool included)."""
    return isinstance(value, numbers.Real | np.bool_)
