"""Arguments: unknown ones are refused with what the user probably means, expressions of sympy become texts.

sympy is not imported here: what it made is known by it, where somebody has imported it.
"""

from __future__ import annotations

import functools
import inspect
import numbers
import sys
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from .errors import FieldError, ModelError, ModiaError, nearest
from .fields import admits_str, alternatives, constructor_name, element_hint, field_hints, object_types, required_fields
from .scoping import EnclosingText

P = ParamSpec("P")
R = TypeVar("R")
NO_REMEDIES: Mapping[str, str] = MappingProxyType({})


def refuse_unknown(
    keys: Iterable[str], known: Iterable[str], what: str, of: str, path: str = "", remedies: Mapping[str, str] = NO_REMEDIES
) -> None:
    """Refuse the first of ``keys`` that is not known.

    Args:
        keys, known: what is given, what there is.
        what: "field", "argument", ...
        of: name of what has them.
        path: where it stands.
        remedies: names that users of other languages write -> what is written here.

    Raises:
        ModelError: with the remedy or the nearest name.
    """
    for key in keys:
        if key not in known:
            raise ModelError(
                f"{of} has no {what} '{key}'",
                path=path,
                expected=f"one of {', '.join(known)}",
                remedy=remedies.get(key) or nearest(key, known),
            )


def arguments_checked(
    remedies: Mapping[str, str] = NO_REMEDIES, *, typed: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return the decorator: a keyword that a function does not have is a `ModelError`, as of a constructor, with a remedy.

    Args:
        remedies: names that users of other languages write -> what is written here.
        typed: arguments that are nothing of what their annotations say are refused, too.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        known = tuple(name for name in inspect.signature(function).parameters if name != "self")

        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            refuse_unknown(kwargs, known, "argument", function.__name__, remedies=remedies)
            if typed:
                given = dict(zip(known, args, strict=False)) | kwargs
                written = {key: as_written(value) for key, value in given.items()}
                check_arguments(function.__name__, written, _hints(function))
            return function(*args, **kwargs)

        return checked

    return decorate


@functools.cache
def _hints(function: Callable[..., object]) -> Mapping[str, object]:
    return getattr(function, "hints", None) or typing.get_type_hints(function)


def as_written(value: Any) -> Any:
    """Return ``value`` with a text in place of each expression, equation and matrix of sympy in it, and a number for each
    number.

    What says by a method ``as_entry`` what it means in a model is that: a loaded Modelica model is a submodel.

    Raises:
        ModelError: something that the language does not have.
    """
    if type(value) in (list, tuple):
        changed = [as_written(item) for item in value]
        same = all(a is b for a, b in zip(changed, value, strict=True))
        return value if same else type(value)(changed)
    if hasattr(type(value), "as_entry"):
        return value.as_entry()
    sympy = sys.modules.get("sympy")
    if sympy is None or not isinstance(value, (getattr(sympy, "Basic", ()), getattr(sympy, "MatrixBase", ()))):
        return value
    from .sympy_bridge import text_or_number

    return text_or_number(value)


def condition_as_written(value: Any) -> Any:
    """Return a value as `as_written` does where a truth value is wanted: an `Eq` of sympy is a comparison there."""
    written = as_written(value)
    if written is value or not isinstance(written, str):
        return written
    from .sympy_bridge import expression_of

    return str(expression_of(value))


# -- what can be said of arguments before there is a model in which expressions have values ---

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
    """Return whether a value of a field means itself, and no expression, object or function of the model."""
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
    """Return whether a value of an annotation may be a list, array or mapping."""
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
            names = typing.get_args(hints[key]) if typing.get_origin(hints[key]) is typing.Literal else ()
            remedy = nearest(value, names) if isinstance(value, str) else ""
            raise FieldError(owner, key, found=repr(value)[:80], expected=expected, remedy=remedy)


def _unfit(value: Any, hint: Any) -> str:
    """Return the expected kind of value; "" if the annotation allows the value, or is unknown."""
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
        return (
            ""
            if isinstance(value, origin)
            else "a mapping"
            if origin is Mapping
            else f"{_article(origin.__name__)} {origin.__name__}"
        )
    if issubclass(origin, Sequence | Set | np.ndarray):
        if isinstance(value, str) or not isinstance(value, Sequence | Set | np.ndarray):
            return "" if expression else "a list"
        wanted = next((text for item in value if (text := _unfit(item, element_hint(hint)))), "")
        return f"a list of {' or '.join(_PLURAL.get(word, word) for word in wanted.split(' or '))}" if wanted else ""
    return "" if expression or isinstance(value, origin) else f"{_article(origin.__name__)} {origin.__name__}"


def _article(word: str) -> str:
    return "an" if word[0] in "AEIOUaeiou" else "a"


_NOTHING = "None"
_PLURAL = {"a number": "numbers", "a text": "texts", "a list": "lists", "a function": "functions"}


def _check_object(name: str, field: str, cls: type, hint: Any) -> None:
    types = object_types(hint)
    if types and not issubclass(cls, types):
        expected = f"one of {', '.join(map(constructor_name, types))}"
        raise FieldError(name, field, found=constructor_name(cls), expected=expected)


def _sample(hint: Any) -> Any:
    """Return some value of a required field."""
    return _SAMPLES.get(hint, (1.0, 0.0, 0.0) if typing.get_origin(hint) is not None else None)
