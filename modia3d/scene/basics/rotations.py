"""Rotation matrices and quaternions. ``R_AB`` takes coordinates in B to coordinates in A; its columns are B's axes in A."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np


def cardan_matrix(x: float, y: float, z: float) -> np.ndarray:
    """Return ``R_AB`` (3, 3) where B is A turned by x about its x axis, then by y about the new y, then by z about the new z
    [rad].
    """
    cx, sx, cy, sy, cz, sz = math.cos(x), math.sin(x), math.cos(y), math.sin(y), math.cos(z), math.sin(z)
    return np.array(
        [
            [cy * cz, -cy * sz, sy],
            [cx * sz + sx * sy * cz, cx * cz - sx * sy * sz, -sx * cy],
            [sx * sz - cx * sy * cz, sx * cz + cx * sy * sz, cx * cy],
        ]
    )


def rotation_matrix(rotation: Sequence[float] | Sequence[Sequence[float]]) -> np.ndarray:
    """Return ``R_PF`` (3, 3) of a frame's field ``rotation``: three Cardan angles [rad] or a matrix (orthonormalised)."""
    value = np.array(rotation, dtype=float)
    if value.ndim == 1:
        return cardan_matrix(*value)
    u, _, vt = np.linalg.svd(value)
    R = u @ vt
    return value if np.allclose(R, value, rtol=0.0, atol=1e-15) else R


def axis_rotation(axis: Sequence[float], angle: float) -> np.ndarray:
    """Return the rotation matrix (3, 3) by ``angle`` [rad] about a unit vector (Rodrigues' formula)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)


def quaternion_of(R: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    """Return the unit quaternion (w, x, y, z), w >= 0, of a rotation matrix.

    The largest component is found first and divides the others, so that none loses precision (Shepperd 1978).
    """
    (a, b, c), (d, e, f), (g, h, i) = R
    trace, largest = a + e + i, max(a, e, i)
    if trace >= largest:
        w, x, y, z = 1.0 + trace, h - f, c - g, d - b
    elif a == largest:
        w, x, y, z = h - f, 1.0 + a - e - i, b + d, c + g
    elif e == largest:
        w, x, y, z = c - g, b + d, 1.0 - a + e - i, f + h
    else:
        w, x, y, z = d - b, c + g, f + h, 1.0 - a - e + i
    scale = math.copysign(1.0, w) / math.sqrt(w * w + x * x + y * y + z * z)
    return w * scale, x * scale, y * scale, z * scale


def frame_with_z(axis: Sequence[float]) -> np.ndarray:
    """Return a rotation matrix (3, 3) whose third column is the unit vector ``axis``; a permutation with signs along x, y
    or z.
    """
    return _frame_with_z(tuple(axis)).copy()


@lru_cache(maxsize=4096)
def _frame_with_z(axis: tuple[float, ...]) -> np.ndarray:
    z = np.array(axis, dtype=float)
    k = int(np.argmax(np.abs(z)))
    x = np.roll(np.eye(3)[k], 1)
    x -= (x @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


SEQUENCES = ("xyz", "yzx", "zxy", "xzy", "yxz", "zyx")
"""Cardan sequences: three rotations about different body axes in turn."""


def matrix_of(sequence: str, coordinates: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return ``R_AB`` (3, 3) of a quaternion w x y z ("quaternion") or of Cardan angles [rad] (one of `SEQUENCES`)."""
    if sequence == "quaternion":
        Q = np.array(coordinates, dtype=float)
        w, x, y, z = Q / np.linalg.norm(Q)
        K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return np.eye(3) + 2.0 * (w * K + K @ K)
    first, second, third = (
        axis_rotation(np.eye(3)["xyz".index(letter)].tolist(), angle)
        for letter, angle in zip(sequence, coordinates, strict=True)
    )
    return first @ second @ third


def coordinates_of(sequence: str, R: np.ndarray) -> tuple[float, ...]:
    """Return the quaternion or the Cardan angles of a rotation matrix (3, 3); at a singularity one pair of angles of many.

    The third angle is found from what the first one leaves, so that rounding cannot contradict it near a singularity.
    """
    if sequence == "quaternion":
        return quaternion_of(R.tolist())
    i, j, k = ("xyz".index(letter) for letter in sequence)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    first = math.atan2(-sign * R[j, k], R[k, k])
    rest = axis_rotation(np.eye(3)[i].tolist(), -first) @ R
    return first, math.atan2(sign * rest[i, k], rest[k, k]), math.atan2(sign * rest[j, i], rest[j, j])


def angle_near(angle: float, near: float) -> float:
    """Return the angle [rad] that differs from ``angle`` by full turns and from ``near`` by at most half a turn."""
    return angle + 2.0 * math.pi * round((near - angle) / (2.0 * math.pi))


def angle_about(axes: np.ndarray, R: np.ndarray, near: float) -> float:
    """Return the angle [rad], nearest to ``near``, by which a rotation turns about the third of some axes, the columns of a
    matrix.

    Of a rotation about another axis it is the one that leaves least (Frobenius norm).
    """
    x, y = axes[:, 0], axes[:, 1]
    turned_x, turned_y = R @ x, R @ y
    return angle_near(math.atan2(y @ turned_x - x @ turned_y, x @ turned_x + y @ turned_y), near)


def coordinates_near(sequence: str, R: np.ndarray, near: Sequence[float]) -> tuple[float, ...]:
    """Return the angles as `coordinates_of` does; of those that mean the same rotation the ones nearest to ``near``."""
    q = coordinates_of(sequence, R)
    if sequence != "quaternion":
        return tuple(map(angle_near, q, near))
    return q if sum(a * b for a, b in zip(q, near, strict=True)) >= 0.0 else tuple(-a for a in q)


def sequence_sine(sequence: str, R: np.ndarray) -> float:
    """Return the magnitude of the sine of the second Cardan angle: one at the singularity."""
    return abs(float(R["xyz".index(sequence[0]), "xyz".index(sequence[2])]))


def best_sequence(R: np.ndarray, w_AB_B: Sequence[float]) -> str:
    """Return the Cardan sequence for ``R_AB`` (3, 3) and the angular velocity ``w_AB_B`` [rad/s].

    Its third axis is the body axis about which B turns fastest: a wheel's spin is then one angle that grows evenly, while the
    other two change slowly. Of the two such sequences it is the one farther from its singularity (sine at most 0.71).
    """
    axis = "xyz"[int(np.argmax(np.abs(w_AB_B)))]
    return min((s for s in SEQUENCES if s[2] == axis), key=lambda sequence: sequence_sine(sequence, R))


def rotation_about(vector: np.ndarray) -> np.ndarray:
    """Return the rotation matrix (3, 3) of a rotation vector, axis times angle [rad]."""
    angle = float(np.linalg.norm(vector))
    return axis_rotation((vector / angle).tolist(), angle) if angle > 0.0 else np.eye(3)


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """Return the axis times angle, at most pi [rad], of a rotation matrix, shape (3,)."""
    w, *axis = quaternion_of(R.tolist())
    length = math.hypot(*axis)
    return np.array(axis) * (2.0 * math.atan2(length, w) / length) if length > 0.0 else np.zeros(3)
