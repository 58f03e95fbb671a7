"""Checks shared by the dataclasses of a scene: each returns the value in its stored form or raises `ModelError`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from modiapy.model.errors import FieldError, nearest
from modiapy.model.fields import constructor_name

from .rotations import SEQUENCES

LARGEST = 1e50
"""Larger numbers are mistakes; fifth powers of lengths, products of masses and so on overflow."""

Vector3 = tuple[float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]

_AXES: dict[str, Vector3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def number(owner: str, field: str, value: object) -> float:
    """Return ``value`` as a finite float."""
    try:
        if isinstance(value, bool):
            raise TypeError
        result = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise FieldError(owner, field, found=repr(value)[:50], expected="a number") from None
    if not math.isfinite(result):
        raise FieldError(owner, field, found=repr(value), expected="a finite number")
    if abs(result) > LARGEST:
        raise FieldError(owner, field, found=repr(value), expected=f"a magnitude of at most {LARGEST:g}")
    return result


def positive(owner: str, field: str, value: object) -> float:
    """Return ``value`` as a float greater than zero."""
    result = number(owner, field, value)
    if result <= 0.0:
        raise FieldError(owner, field, found=repr(result), expected="a number greater than 0")
    return result


def not_negative(owner: str, field: str, value: object) -> float:
    """Return ``value`` as a float of at least zero."""
    result = number(owner, field, value)
    if result < 0.0:
        raise FieldError(owner, field, found=repr(result), expected="a number of at least 0")
    return result


def truth(owner: str, field: str, value: object) -> bool:
    """Return ``value`` as a bool; only True, False, 1 and 0 are accepted."""
    for known in (True, False):
        if not hasattr(value, "__len__") and value == known:
            return known
    raise FieldError(owner, field, found=repr(value), expected="True or False")


def text(owner: str, field: str, value: object) -> str:
    """Return ``value``, which must be a string."""
    if not isinstance(value, str):
        raise FieldError(owner, field, found=repr(value), expected="a name")
    return value


def choice(owner: str, field: str, value: object, known: Sequence[str]) -> str:
    """Return ``value``, which must be one of some words."""
    if not isinstance(value, str) or value not in known:
        raise FieldError(
            owner,
            field,
            found=repr(value),
            expected=" or ".join(map(repr, known)),
            remedy=nearest(str(value), [word for word in known if word]),
        )
    return value


def folders(owner: str, value: object) -> tuple[str, ...]:
    """Return ``value``, a list of folders, as text."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise FieldError(owner, "folders", found=repr(value), expected="a list of folders")
    return tuple(map(str, value))


def vector3(owner: str, field: str, value: object) -> Vector3:
    """Return ``value`` as a tuple of three finite floats."""
    try:
        if isinstance(value, str):
            raise TypeError
        items: tuple[object, ...] = tuple(value)  # type: ignore[arg-type]
        if len(items) != 3:
            raise TypeError
    except TypeError:
        raise FieldError(owner, field, found=repr(value), expected="three numbers") from None
    x, y, z = (number(owner, field, item) for item in items)
    return x, y, z


def unit_vector(owner: str, field: str, value: object) -> Vector3:
    """Return the direction given as "x", "y", "z", "-x", "-y", "-z" or as a vector of any length, normalised.

    Raises:
        ModelError: the vector is zero, or it is not a direction at all.
    """
    if isinstance(value, str):
        letter = value.removeprefix("-")
        if letter not in _AXES:
            raise FieldError(
                owner,
                field,
                found=repr(value),
                expected="'x', 'y', 'z', '-x', '-y', '-z' or three numbers",
                remedy=nearest(value, _AXES),
            )
        x, y, z = _AXES[letter]
        return (0.0 - x, 0.0 - y, 0.0 - z) if value.startswith("-") else (x, y, z)
    refuse_axis_number(owner, field, value)
    x, y, z = vector3(owner, field, value)
    length = math.hypot(x, y, z)
    if length == 0.0:
        raise FieldError(owner, field, found="the zero vector", expected="a direction")
    return x / length, y / length, z / length


def refuse_axis_number(owner: str, field: str, value: object) -> None:
    """Refuse an axis that is given by its number, which other languages count from 1."""
    if isinstance(value, int) and not isinstance(value, bool):
        raise FieldError(
            owner,
            field,
            found=repr(value),
            expected="'x', 'y' or 'z'",
            remedy=f"In Modia3D the axes 1, 2, 3 are x, y, z: write '{'xyz'[value - 1]}'." if value in (1, 2, 3) else "",
        )


def rotation(owner: str, field: str, value: object) -> Vector3 | Matrix3:
    """Return three Cardan angles [rad], or a 3x3 rotation matrix as a tuple of rows.

    Raises:
        ModelError: neither, or the matrix is not orthogonal to 1e-6 or has the determinant -1.
    """
    try:
        rows: Sequence[object] = tuple(value)  # type: ignore[arg-type]
        if len(rows) != 3 or isinstance(value, str):
            raise TypeError
    except TypeError:
        raise FieldError(
            owner,
            field,
            found=repr(value),
            expected="three angles [rad] about x, y, z, or a 3x3 matrix",
        ) from None
    if not hasattr(rows[0], "__len__") or isinstance(rows[0], str):
        return vector3(owner, field, value)
    a, b, c = (vector3(owner, field, row) for row in rows)
    for u, v, expected in ((a, a, 1.0), (b, b, 1.0), (c, c, 1.0), (a, b, 0.0), (b, c, 0.0), (a, c, 0.0)):
        if abs(u[0] * v[0] + u[1] * v[1] + u[2] * v[2] - expected) > 1e-6:
            raise FieldError(
                owner,
                field,
                found=f"the matrix {(a, b, c)}",
                expected="orthogonal rows of length 1",
            )
    determinant = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    if determinant < 0.0:
        raise FieldError(
            owner,
            field,
            found="a reflection (determinant -1)",
            expected="a rotation (determinant 1)",
        )
    return a, b, c


def instance(owner: str, field: str, value: object, *types: type) -> None:
    """Refuse a ``value`` that is an instance of none of ``types``."""
    if not isinstance(value, types):
        names = ", ".join(map(constructor_name, types))
        raise FieldError(owner, field, found=f"{type(value).__name__} {value!r}", expected=f"one of {names}")


def orientation(owner: str, value: object) -> None:
    """Refuse a ``value`` that does not say how an orientation is described."""
    known = ("quaternion", "auto", *SEQUENCES)
    if not isinstance(value, str) or value not in known:
        raise FieldError(
            owner,
            "orientation",
            found=repr(value),
            expected=", ".join(known),
            remedy=nearest(str(value), known),
        )


def frame_name(owner: str, field: str, value: object) -> str:
    """Return ``value``, which must be the name of an Object3D."""
    name = text(owner, field, value)
    if not name:
        raise FieldError(owner, field, found="an empty name", expected="the name of an Object3D")
    return name
