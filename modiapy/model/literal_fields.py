"""What a constructor can say of its arguments when it is called, before there is a model in which expressions have values."""

from __future__ import annotations

import numbers
import typing
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from typing import Any

import numpy as np

from .errors import FieldError, ModelError, ModiaError
from .fields import admits_str, alternatives, element_hint, field_hints, object_types, required_fields
from .scoping import EnclosingText

_SAMPLES: Mapping[Any, Any] = {str: "_", float: 1.0, int: 1, bool: False}


def check_fields(cls: type, name: str, given: Mapping[str, Any], later: Collection[str] = ()) -> None:
    """Refuse arguments that can never be right.

    Where all arguments are values the object is made, and what it refuses is refused. Where some are expressions or objects,
    or are missing, the others are checked alone: of what the object refuses then, only a `FieldError` counts.

    Args:
        cls: the dataclass.
        name: what users call its constructor.
        given: its arguments.
        later: fields that are not to be looked at now, such as names of files.

    Raises:
        ModelError: names the field.
    """
    hints = field_hints(cls)
    check_arguments(name, {key: value for key, value in given.items() if key in later}, hints)
    known = {key: value for key, value in given.items() if key not in later and is_literal(value, hints[key])}
    for key, value in given.items():
        if isinstance(value, Mapping) and "_constructor" in value:
            _check_object(name, key, value["_constructor"], hints[key])
    missing = [key for key in required_fields(cls) if key not in known]
    complete = len(known) == len(given) and not missing
    try:
        cls(**known, **{key: _sample(hints[key]) for key in missing})
    except FieldError as error:
        if complete or error.field in known:
            raise
    except ModiaError:
        if complete:
            raise
    except (ValueError, TypeError, ArithmeticError) as error:
        if complete:
            raise ModelError(f"{name}: {error}") from error


def is_literal(value: Any, hint: Any) -> bool:
    """Whether a value of a field means itself, and no expression, object or function of the model."""
    if isinstance(value, str):
        named = isinstance(value, EnclosingText) or (value.isidentifier() and bool(object_types(hint)))
        return admits_str(hint) and not named
    if type(value) in (list, tuple, dict):
        items = value.values() if type(value) is dict else value
        return not is_collection(hint) or all(is_literal(item, element_hint(hint)) for item in items)
    if isinstance(value, np.ndarray):
        return value.dtype != object
    return not isinstance(value, Mapping) and not callable(value)


def is_collection(hint: Any) -> bool:
    """Whether a value of an annotation may be a list, array or mapping."""
    if isinstance(hint, str):
        return True
    origins = [typing.get_origin(one) or one for one in alternatives(hint)]
    return any(
        one in (Any, object) or (isinstance(one, type) and one is not str and issubclass(one, _COLLECTIONS)) for one in origins
    )


_COLLECTIONS = (Mapping, Sequence, Set, np.ndarray)


def check_arguments(owner: str, given: Mapping[str, Any], hints: Mapping[str, Any]) -> None:
    """Refuse arguments that are nothing of what their annotations say; text is an expression where a value is wanted.

    Raises:
        FieldError: names the argument.
    """
    for key, value in given.items():
        if key in hints and (expected := _unfit(value, hints[key])):
            raise FieldError(f"{key} of {owner}", field=key, found=repr(value)[:80], expected=expected)


def _unfit(value: Any, hint: Any) -> str:
    """What was expected; "" if the value is something that the annotation allows, or nothing is known of it."""
    if isinstance(hint, str):
        return ""
    wanted = [_unlike(value, one) for one in alternatives(hint)]
    return "" if "" in wanted else " or ".join(dict.fromkeys(word for word in wanted if word != _NOTHING)) or _NOTHING


def _unlike(value: Any, hint: Any) -> str:
    origin = typing.get_origin(hint) or hint
    expression = isinstance(value, str) or (isinstance(value, Mapping) and type(value) is not dict)
    if origin is type(None):
        return "" if value is None else _NOTHING
    if origin is bool:
        return (
            ""
            if expression or isinstance(value, bool | np.bool_) or (type(value) is int and value in (0, 1))
            else "True or False"
        )
    if origin in (float, int):
        number = isinstance(value, numbers.Real | np.bool_) and value == value
        return "" if expression or number else "a number"
    if origin is str:
        return "" if isinstance(value, str) else "a text"
    if origin is typing.Literal:
        return "" if value in typing.get_args(hint) else f"one of {', '.join(map(str, typing.get_args(hint)))}"
    if not isinstance(origin, type) or origin in (Any, object):
        return "" if origin is not Callable or callable(value) else "a function"
    if issubclass(origin, Mapping):
        return "" if isinstance(value, origin) else "a mapping" if origin is Mapping else f"a {origin.__name__}"
    if issubclass(origin, Sequence | Set | np.ndarray):
        if isinstance(value, str) or not isinstance(value, Sequence | Set | np.ndarray):
            return "" if expression else "a list"
        wanted = next((text for item in value if (text := _unfit(item, element_hint(hint)))), "")
        return f"a list of {' or '.join(_PLURAL.get(word, word) for word in wanted.split(' or '))}" if wanted else ""
    return "" if expression or isinstance(value, origin) else f"a {origin.__name__}"


_NOTHING = "None"
_PLURAL = {"a number": "numbers", "a text": "texts", "a list": "lists", "a function": "functions"}


def _check_object(name: str, field: str, cls: type, hint: Any) -> None:
    types = object_types(hint)
    if types and not issubclass(cls, types):
        expected = f"one of {', '.join(map(_shown, types))}"
        raise FieldError(f"{field} of {name}", field=field, found=_shown(cls), expected=expected)


def _shown(cls: type) -> str:
    """The name of a class as users know it."""
    return cls.__name__.removesuffix("Shape").removesuffix("Feature")


def _sample(hint: Any) -> Any:
    """Some value of a required field."""
    return _SAMPLES.get(hint, (1.0, 0.0, 0.0) if typing.get_origin(hint) is not None else None)
