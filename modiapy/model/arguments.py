"""Arguments: unknown ones are refused with what the user probably means, expressions of sympy become texts.

sympy is not imported here: what it made is known by it, where somebody has imported it.
"""

from __future__ import annotations

import functools
import inspect
import sys
import typing
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

from .errors import ModelError, nearest
from .literal_fields import check_arguments

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
    """Decorator: a keyword that a function does not have is a `ModelError`, as of a constructor, with a remedy.

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
    """``value`` with a text in place of each expression, equation and matrix of sympy in it, and a number for each number.

    Raises:
        ModelError: something that the language does not have.
    """
    if type(value) in (list, tuple):
        changed = [as_written(item) for item in value]
        same = all(a is b for a, b in zip(changed, value, strict=True))
        return value if same else type(value)(changed)
    sympy = sys.modules.get("sympy")
    if sympy is None or not isinstance(value, (getattr(sympy, "Basic", ()), getattr(sympy, "MatrixBase", ()))):
        return value
    from .sympy_bridge import text_or_number

    return text_or_number(value)


def condition_as_written(value: Any) -> Any:
    """As `as_written` where a truth value is wanted: an `Eq` of sympy is a comparison there."""
    written = as_written(value)
    if written is value or not isinstance(written, str):
        return written
    from .sympy_bridge import expression_of

    return str(expression_of(value))
