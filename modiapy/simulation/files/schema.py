"""Checks of plain data of a file. An error names the place of the first wrong entry."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Check = Callable[[Any, str], None]
"""Looks at a value and the place where it stands. Raises Damaged."""

LARGEST = 2**53
"""Larger whole numbers are mistakes: a double does not hold them all."""


class Damaged(Exception):
    """Data of a file are wrong; the text says what was expected."""


def refuse(place: str, expected: str, value: Any) -> Damaged:
    """Return the error for a value of the wrong kind."""
    shown = repr(value) if isinstance(value, bool | int | float | str | None) else type(value).__name__
    return Damaged(f"{place}: expected {expected}, found {shown if len(shown) < 80 else shown[:77] + '...'}")


def whole(value: Any, place: str) -> None:
    """Check that a value is a whole number that is not negative."""
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise refuse(place, "a whole number, not negative", value)


def real(value: Any, place: str) -> None:
    """Check that a value is a number; it may be infinite or NaN."""
    if type(value) is not float and (type(value) is not int or abs(value) > LARGEST):
        raise refuse(place, "a number", value)


def finite(value: Any, place: str) -> None:
    """Check that a value is a finite number."""
    real(value, place)
    if not math.isfinite(value):
        raise refuse(place, "a finite number", value)


def flag(value: Any, place: str) -> None:
    """Check that a value is true or false."""
    if type(value) is not bool:
        raise refuse(place, "true or false", value)


def text(value: Any, place: str) -> None:
    """Check that a value is a text."""
    if type(value) is not str:
        raise refuse(place, "a text", value)


def scalar(value: Any, place: str) -> None:
    """Check that a value is a number, a text, true, false or nothing."""
    if value is not None and type(value) not in (bool, int, float, str):
        raise refuse(place, "a number or a text", value)


def anything(value: Any, place: str) -> None:
    """Accept any value: its reader checks it."""


def one_of(*values: Any) -> Check:
    """Return a check for one of these values."""

    def check(value: Any, place: str) -> None:
        if type(value) not in map(type, values) or value not in values:
            raise refuse(place, f"one of {', '.join(map(repr, values))}", value)

    return check


def vector(size: int) -> Check:
    """Return a check for an array of so many floats."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, np.ndarray) or value.dtype != np.float64 or value.shape != (size,):
            raise refuse(place, f"{size} numbers", value)

    return check


def states(value: Any, place: str) -> None:
    """Check that a value is an array of finite numbers in a row."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64 or value.ndim != 1:
        raise refuse(place, "a row of numbers", value)


def each(check: Check, size: int | None = None) -> Check:
    """Return a check for a list of such values, with ``size`` entries if it is given."""

    def check_all(value: Any, place: str) -> None:
        if not isinstance(value, list) or (size is not None and len(value) != size):
            raise refuse(place, "a list" if size is None else f"a list of {size}", value)
        for k, item in enumerate(value):
            check(item, f"{place}[{k}]")

    return check_all


def parts(*checks: Check) -> Check:
    """Return a check for a list of which each entry has a check of its own."""

    def check_all(value: Any, place: str) -> None:
        each(anything, len(checks))(value, place)
        for k, (check, item) in enumerate(zip(checks, value, strict=True)):
            check(item, f"{place}[{k}]")

    return check_all


def table(check: Check) -> Check:
    """Return a check for a mapping from texts to such values."""

    def check_all(value: Any, place: str) -> None:
        if not isinstance(value, Mapping):
            raise refuse(place, "a mapping", value)
        for name, item in value.items():
            text(name, place)
            check(item, f"{place}.{name}")

    return check_all


def entries(**checks: Check) -> Check:
    """Return a check for a mapping in which these entries, if they exist, have their checks; others may be anything."""

    def check_all(value: Any, place: str) -> None:
        table(anything)(value, place)
        for name in value.keys() & checks.keys():
            checks[name](value[name], f"{place}.{name}")

    return check_all


def record(**checks: Check) -> Check:
    """Return a check for a mapping with these entries and no others."""

    def check_all(value: Any, place: str) -> None:
        if not isinstance(value, Mapping):
            raise refuse(place, "a mapping", value)
        if value.keys() != checks.keys():
            differs = sorted(map(str, value.keys() ^ checks.keys()))
            raise Damaged(f"{place}: expected the entries {', '.join(checks)}, differs in {', '.join(differs[:5])}")
        for name, check in checks.items():
            check(value[name], f"{place}.{name}")

    return check_all
