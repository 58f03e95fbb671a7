"""Arguments, fields and attributes that do not exist: refused with what the user probably means."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import ParamSpec, TypeVar

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
