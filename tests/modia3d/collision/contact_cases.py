"""Two shapes that penetrate each other, by hand and by slow references, and what is said of their contact points."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike

from modia3d.collision.hull import Hull, convex_hull
from modia3d.collision.kernels.manifold import contact_points
from modia3d.collision.tables import (
    DEPTH,
    DISTANCE,
    FACES,
    FOUND_COLUMNS,
    KIND,
    MOST_POINTS,
    N_POINTS,
    NEIGHBOURS,
    NORMAL,
    POINT_1,
    POINT_2,
    POINT_COLUMNS,
    POINTS,
    POSITION,
    WEIGHT,
    Kind,
)

from .shape_rows import shape_row, surface

Contact = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Shapes, R, p and what is found about the two."""


def turned(axis: ArrayLike, angle: float) -> np.ndarray:
    """Rotation about an axis (Rodrigues)."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * skew + (1.0 - np.cos(angle)) * skew @ skew


def found_row(distance: float, normal: np.ndarray, point_1: np.ndarray) -> np.ndarray:
    found = np.zeros((1, FOUND_COLUMNS))
    found[0, DISTANCE], found[0, NORMAL : NORMAL + 3] = distance, normal
    found[0, POINT_1 : POINT_1 + 3], found[0, POINT_2 : POINT_2 + 3] = point_1, point_1 + distance * normal
    return found


def lowest_point(row: np.ndarray, R: np.ndarray) -> np.ndarray:
    if row[KIND] == Kind.HULL:
        points = HULLS[row[POINTS]].points @ R.T
        return points[np.argmin(points[:, 2])]
    return R @ surface(row, (R.T @ [0.0, 0.0, -1.0])[None])[0]


def on_plane(row: np.ndarray, R: np.ndarray, depth: float, first: bool = True) -> Contact:
    """A shape whose lowest point is below the plane z = 0 by a depth; the plane is the first shape, or the second one."""
    low = lowest_point(row, R)
    p = np.array([0.1, -0.2, -low[2] - depth])
    plane, up = shape_row(Kind.PLANE, body=-1), np.array([0.0, 0.0, 1.0])
    if first:
        witness = (low + p) * [1.0, 1.0, 0.0]
        return (np.array([plane, row]), np.array([np.eye(3).ravel(), R.ravel()]), np.array([np.zeros(3), p]),
                found_row(-depth, up, witness))  # fmt: skip
    return (np.array([row, plane]), np.array([R.ravel(), np.eye(3).ravel()]), np.array([p, np.zeros(3)]),
            found_row(-depth, -up, low + p))  # fmt: skip


def boxes(half: ArrayLike, R: ArrayLike, p: ArrayLike) -> Contact | None:
    """Two boxes with the least depth of the directions that can separate them; None if they are apart."""
    half, R, p = np.asarray(half, dtype=float), np.asarray(R, dtype=float).reshape(2, 3, 3), np.asarray(p, dtype=float)
    directions = [*R[0].T, *R[1].T, *(np.cross(a, b) for a in R[0].T for b in R[1].T)]
    least, normal = np.inf, np.zeros(3)
    for d in directions:
        if np.linalg.norm(d) < 1e-9:
            continue
        d = d / np.linalg.norm(d) * (1.0 if d @ (p[1] - p[0]) >= 0.0 else -1.0)
        depth = sum(np.abs(R[k].T @ d) @ half[k] for k in (0, 1)) - d @ (p[1] - p[0])
        if depth < least - 1e-12:
            least, normal = depth, d
    if least <= 0.0:
        return None
    corner = p[0] + R[0] @ (half[0] * np.sign(R[0].T @ normal))
    rows = np.array([shape_row(Kind.BOX, tuple(half[k])) for k in (0, 1)])
    return rows, R.reshape(2, 9), p, found_row(-least, normal, corner)


def points_of(contact: Contact, swapped: bool = False) -> np.ndarray:
    rows, R, p, found = contact
    points = np.full((MOST_POINTS, POINT_COLUMNS), np.nan)
    if swapped:
        distance, normal = found[0, DISTANCE], found[0, NORMAL : NORMAL + 3]
        n = contact_points(rows, R, p, 1, 0, found_row(distance, -normal, found[0, POINT_2 : POINT_2 + 3]), 0, points)
    else:
        n = contact_points(rows, R, p, 0, 1, found, 0, points)
    return points[:n]


def resultant(points: np.ndarray) -> np.ndarray:
    """Weighted depth of all points together, and its first moment about the world's origin."""
    force = points[:, WEIGHT] * points[:, DEPTH]
    return np.concatenate([[force.sum()], force @ points[:, POSITION : POSITION + 3]])


def assert_sound(points: np.ndarray, depth: float) -> None:
    assert np.isfinite(points).all()
    assert points[:, WEIGHT].sum() == pytest.approx(1.0, abs=1e-12)
    assert points[:, WEIGHT].min() > 0.0
    assert points[:, DEPTH].min() >= 0.0
    assert points[:, DEPTH].max() == pytest.approx(depth, rel=1e-6)


def assert_continuous(motion: Callable[[float], Contact | None], begin: float, end: float, steps: int = 700) -> None:
    """Where the resultant changes most, bisection finds what remains of the change in a step of 1e-6: a jump would."""

    def at(s: float) -> np.ndarray:
        contact = motion(s)
        assert contact is not None
        return resultant(points_of(contact))

    times = np.linspace(begin, end, steps + 1)
    values = np.array([at(s) for s in times])
    changes = np.abs(np.diff(values, axis=0)).max(axis=1)
    for k in np.argsort(changes)[-12:]:
        low, high, f_low, f_high = times[k], times[k + 1], values[k], values[k + 1]
        for _ in range(16):
            middle = 0.5 * (low + high)
            f_middle = at(middle)
            if np.abs(f_middle - f_low).max() > np.abs(f_high - f_middle).max():
                high, f_high = middle, f_middle
            else:
                low, f_low = middle, f_middle
        assert np.abs(f_high - f_low).max() < 0.02 * changes.max(), f"jump at {low}"


BOX = shape_row(Kind.BOX, (0.5, 0.3, 0.2))
CYLINDER = shape_row(Kind.CYLINDER, (0.3, 0.4))
CONE = shape_row(Kind.CONE, (0.4, 0.1, 0.5))
BEAM = shape_row(Kind.BEAM, (0.4, 0.2, 0.1))
CAPSULE = shape_row(Kind.LINE, (0.4,), 0.15)
ROUNDED = shape_row(Kind.BOX, (0.5, 0.3, 0.2), 0.05)
CUBE = np.array([[x, y, z] for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.3, 0.3)])
HULLS: dict[float, Hull] = {}
"""By the address of their points, which must live as long as rows refer to them."""


def hull_row(points: np.ndarray = CUBE) -> np.ndarray:
    hull = convex_hull(points, "test")
    row = shape_row(Kind.HULL, (0.3, 0.3, 0.3))
    row[N_POINTS], row[POINTS] = len(hull.points), hull.points.ctypes.data
    row[NEIGHBOURS], row[FACES] = hull.neighbours.ctypes.data, hull.faces.ctypes.data
    HULLS[row[POINTS]] = hull
    return row


ALL = {"box": BOX, "rounded": ROUNDED, "cylinder": CYLINDER, "cone": CONE, "beam": BEAM, "capsule": CAPSULE, "hull": hull_row()}


LARGE, SMALL = (1.0, 1.0, 0.1), (0.2, 0.3, 0.1)


def stacked(
    x: float, y: float, angle: float, tilt: float = 0.0, halves: ArrayLike = (LARGE, SMALL), depth: float = 0.01
) -> Contact:
    """A box on another one, pressed into it by a depth."""
    half = np.asarray(halves, dtype=float)
    R = turned([1, 0, 0], tilt) @ turned([0, 0, 1], angle)
    height = half[0, 2] + np.abs(R[2]) @ half[1] - depth
    found = boxes(half, [np.eye(3), R], [[0.0, 0.0, 0.0], [x, y, height]])
    assert found is not None
    return found
