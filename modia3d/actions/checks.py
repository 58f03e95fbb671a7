"""Checks of the arguments of actions and steps: each function returns the value in its stored form or raises `ModelError`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real

import numpy as np

from modiapy.model.errors import ModelError

Rows = tuple[tuple[float, ...], ...]


def time_value(name: str, value: object) -> float:
    """Check a time that must not be negative, and return it [s]."""
    if not _is_number(value) or value < 0.0:  # type: ignore[operator]
        raise ModelError(f"{name} must be a time [s]", found=repr(value), expected="a number, not negative")
    return float(value)  # type: ignore[arg-type]


def positive_value(name: str, value: object) -> float:
    """Check a number that must be above zero, and return it."""
    if not _is_number(value) or value <= 0.0:  # type: ignore[operator]
        raise ModelError(f"{name} is wrong", found=repr(value), expected="a positive number")
    return float(value)  # type: ignore[arg-type]


def count_value(name: str, value: object) -> int:
    """Check a whole number that must be above zero, and return it."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ModelError(f"{name} is wrong", found=repr(value), expected="a whole number, at least 1")
    return int(value)


def number_row(name: str, values: Iterable[float]) -> tuple[float, ...]:
    """Check a row of finite numbers, and return it as floats."""
    try:
        row = tuple(float(v) for v in values)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{name} must be numbers", found=repr(values), expected="one number for each joint") from None
    if not all(map(math.isfinite, row)):
        raise ModelError(f"{name} must be finite", found=repr(values), expected="one finite number for each joint")
    return row


def three_numbers(name: str, values: Iterable[float]) -> tuple[float, ...]:
    """Check the three finite coordinates of a vector, and return them."""
    row = number_row(name, values)
    if len(row) != 3:
        raise ModelError(f"{name} is wrong", found=f"{len(row)} numbers", expected="three: x, y, z")
    return row


def rotation_value(name: str, value: object) -> tuple[float, ...] | Rows:
    """Check three angles, or the rows of a rotation matrix, and return them."""
    expected = 'three angles [rad], a 3x3 rotation matrix, or "free"'
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or len(value) != 3:
        raise ModelError(f"{name} is wrong", found=repr(value), expected=expected)
    if all(np.ndim(entry) == 0 for entry in value):
        return number_row(name, value)
    rows = tuple(three_numbers(name, row) for row in value)
    matrix = np.array(rows)
    if np.abs(matrix @ matrix.T - np.eye(3)).max() > 1e-6 or np.linalg.det(matrix) < 0.0:
        raise ModelError(
            f"{name} is wrong", found=repr(value), expected=expected, remedy="Its rows must be orthogonal unit vectors."
        )
    return rows


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
