"""`rot`: rotations about axes as a value for ``rotation=``; angles may be expressions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from modiapy.model.constructors import Number
from modiapy.model.errors import ModelError, nearest
from modiapy.model.model import is_number

from .basics import checks

AXES = ("x", "y", "z")
NAMES = (*AXES, "axis", "angle", "quaternion")
"""Arguments of `rot`."""

Entry = float | str
_Matrix = list[list[Entry]]


def rot(
    *, axis: str | Sequence[float] | None = None, angle: Number | None = None, quaternion: Sequence[float] | None = None,
    **angles: Number,
) -> list[Any]:  # fmt: skip
    """Return a rotation for the argument ``rotation`` of an `Object3D` and the like.

    ``rot(y=pi/2)`` turns about y, ``rot(z="alpha", x=0.1)`` first about z, then about the new x: one after the other as they
    are written, each about an axis of the frame that is turned. In a scenario ``rot: {y: 90 deg}`` stands for ``rotation``.

    Args:
        axis: "x", ..., "-z" or a vector of any length: one turn about it by ``angle``.
        angle: of that turn [rad].
        quaternion: w, x, y, z in the place of angles, of any length; w is the cosine of half the angle.
        angles: ``x``, ``y``, ``z``: angles [rad], numbers or texts of expressions.

    Returns:
        Three Cardan angles where the axes come in the order x, y, z, else the matrix ``R_PF``.

    Raises:
        ModelError: another argument, none or several of the three forms, no angle.
    """
    given = [bool(angles), axis is not None or angle is not None, quaternion is not None]
    for name in angles:
        if name not in AXES:
            raise ModelError(f"rot has no '{name}'", expected=f"some of {', '.join(NAMES)}", remedy=nearest(name, NAMES))
    if sum(given) != 1:
        raise ModelError(
            "rot takes one rotation", found="nothing" if not any(given) else "several ways to say it",
            expected="rot(x=..., y=..., z=...), rot(axis=..., angle=...) or rot(quaternion=...)",
        )  # fmt: skip
    if quaternion is not None:
        return _of_quaternion(quaternion)
    if angles:
        for name, value in angles.items():
            _check_angle(name, value)
        if sorted(angles) == list(angles):
            return [angles.get(name, 0.0) for name in AXES]
        turns = [(tuple(float(k == name) for k in AXES), value) for name, value in angles.items()]
    else:
        if axis is None or angle is None:
            raise ModelError("rot about an axis needs two arguments", expected="axis and angle")
        _check_angle("angle", angle)
        turns = [(checks.unit_vector("rot", "axis", axis), angle)]
    matrix = _turned(*turns[0])
    for turn in turns[1:]:
        matrix = _product(matrix, _turned(*turn))
    return matrix


def _check_angle(name: str, value: Any) -> None:
    if isinstance(value, str) or (is_number(value) and not isinstance(value, bool) and math.isfinite(value)):
        return
    raise ModelError(
        f"{name} of rot is not an angle", found=repr(value), expected="a number [rad], or the text of an expression"
    )


def _of_quaternion(quaternion: Sequence[float]) -> list[Any]:
    from .basics.rotations import matrix_of

    values = list(quaternion) if isinstance(quaternion, Sequence) and not isinstance(quaternion, str) else []
    if len(values) != 4 or not all(is_number(q) and math.isfinite(q) for q in values) or not any(values):
        raise ModelError("this is not a quaternion", found=repr(quaternion), expected="four numbers w, x, y, z, not all zero")
    rows: list[Any] = matrix_of("quaternion", values).tolist()
    return rows


def _turned(axis: Sequence[float], angle: Any) -> _Matrix:
    """Return the matrix of a turn about a unit vector, by Rodrigues' formula."""
    x, y, z = axis
    if not isinstance(angle, str):
        from .basics.rotations import axis_rotation

        matrix: _Matrix = axis_rotation(axis, float(angle)).tolist()
        return matrix
    K = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    rows: _Matrix = []
    for i in range(3):
        row: list[Entry] = []
        for j in range(3):
            square = sum(K[i][k] * K[k][j] for k in range(3))
            one = float(i == j)
            parts = [repr(one)] * bool(one) + [f"{K[i][j]!r}*sin({angle})"] * bool(K[i][j])
            parts += [f"{square!r}*(1 - cos({angle}))"] * bool(square)
            row.append(" + ".join(parts) if len(parts) > bool(one) else one)
        rows.append(row)
    return rows


def _product(A: _Matrix, B: _Matrix) -> _Matrix:
    return [[_sum([_times(A[i][k], B[k][j]) for k in range(3)]) for j in range(3)] for i in range(3)]


def _times(a: Entry, b: Entry) -> Entry:
    if isinstance(a, float) and isinstance(b, float):
        return a * b
    if 0.0 in (a, b):
        return 0.0
    return b if a == 1.0 else a if b == 1.0 else f"({a})*({b})"


def _sum(terms: list[Entry]) -> Entry:
    number = sum(term for term in terms if isinstance(term, float))
    texts = [term for term in terms if isinstance(term, str)]
    return " + ".join([*texts, *([repr(number)] if number else [])]) if texts else float(number)
