"""Arguments: unknown ones are refused with what the user probably means, expressions of sympy become texts.

sympy is not imported here: what it made is known by it, where somebody has imported it.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

from .errors import ModelError, nearest

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


def arguments_checked(remedies: Mapping[str, str] = NO_REMEDIES) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: a keyword that a function does not have is a `ModelError`, as of a constructor, with a remedy."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        known = tuple(name for name in inspect.signature(function).parameters if name != "self")

        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            refuse_unknown(kwargs, known, "argument", function.__name__, remedies=remedies)
            return function(*args, **kwargs)

        return checked

    return decorate


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
