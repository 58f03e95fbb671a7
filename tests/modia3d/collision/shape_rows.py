"""Rows of shapes written by hand, random poses, and points of shapes, as slow references need them."""

import numpy as np
from hypothesis import strategies as st

from modia3d.collision.tables import (
    BODY,
    HALF,
    INNER,
    KIND,
    MIDDLE,
    P_BS,
    R_BS,
    REACH,
    ROUND,
    SHAPE_COLUMNS,
    SIZE,
    Kind,
)


def shape_row(kind: Kind, size: tuple[float, ...] = (), radius: float = 0.0, body: int = 0) -> np.ndarray:
    """A shape whose frame is that of its body."""
    row = np.zeros(SHAPE_COLUMNS)
    row[KIND], row[BODY], row[ROUND] = kind, body, radius
    row[R_BS : R_BS + 9] = np.eye(3).ravel()
    row[SIZE : SIZE + len(size)] = size
    if kind == Kind.PLANE:
        row[REACH] = row[HALF : HALF + 3] = np.inf
        return row
    low, high = corners(kind, size)
    row[MIDDLE : MIDDLE + 3] = row[INNER : INNER + 3] = 0.5 * (low + high)
    row[HALF : HALF + 3] = 0.5 * (high - low) + radius
    row[REACH] = np.linalg.norm(row[HALF : HALF + 3])
    return row


def corners(kind: Kind, size: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of the box about a core."""
    if kind == Kind.CONE:
        r = max(size[:2])
        return np.array([-r, -r, 0.0]), np.array([r, r, size[2]])
    half = {
        Kind.POINT: lambda: (0.0, 0.0, 0.0),
        Kind.LINE: lambda: (0.0, 0.0, size[0]),
        Kind.CYLINDER: lambda: (size[0], size[0], size[1]),
        Kind.BEAM: lambda: (size[0] + size[1], size[1], size[2]),
    }.get(kind, lambda: size)()
    return -np.array(half), np.array(half)


def surface(row: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Points of a shape that are farthest along unit vectors (n, 3), all in its frame."""
    d, size, kind = directions, row[SIZE : SIZE + 6], Kind(int(row[KIND]))
    sign = np.where(d < 0.0, -1.0, 1.0)
    circle = d[:, :2] / np.maximum(np.linalg.norm(d[:, :2], axis=1, keepdims=True), 1e-300)
    core = np.zeros_like(d)
    if kind == Kind.LINE:
        core[:, 2] = size[0] * sign[:, 2]
    elif kind == Kind.BOX:
        core = sign * size[:3]
    elif kind == Kind.ELLIPSOID:
        core = d * size[:3] ** 2 / np.linalg.norm(d * size[:3], axis=1, keepdims=True)
    elif kind == Kind.CYLINDER:
        core = np.column_stack([size[0] * circle, size[1] * sign[:, 2]])
    elif kind == Kind.CONE:
        ends = [np.column_stack([r * circle, np.full(len(d), z)]) for r, z in ((size[0], 0.0), (size[1], size[2]))]
        core = np.where(np.sum(d * ends[0], axis=1, keepdims=True) > np.sum(d * ends[1], axis=1, keepdims=True), *ends)
    elif kind == Kind.BEAM:
        core = np.column_stack([size[1] * circle + np.outer(size[0] * sign[:, 0], [1.0, 0.0]), size[2] * sign[:, 2]])
    return core + row[ROUND] * d


def rotation(rng: np.random.Generator) -> np.ndarray:
    """A random rotation matrix."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


SIZES = {
    Kind.POINT: 0,
    Kind.LINE: 1,
    Kind.BOX: 3,
    Kind.ELLIPSOID: 3,
    Kind.CYLINDER: 2,
    Kind.CONE: 3,
    Kind.BEAM: 3,
}
"""How many numbers the size of each kind has."""


def random_scene(rng: np.random.Generator, count: int, spread: float, planes: int = 0) -> tuple[np.ndarray, ...]:
    """Shapes of all kinds with sizes over three decades, one per body but for some in the world, and their poses."""
    kinds = [*SIZES]
    rows, R, p = [], [], []
    for i in range(count):
        kind = kinds[rng.integers(len(kinds))] if i >= planes else Kind.PLANE
        size = tuple(10.0 ** rng.uniform(-2, 1) * rng.uniform(0.2, 1.0, SIZES.get(kind, 0)))
        rows.append(shape_row(kind, size, rng.uniform(0.01, 0.2) * (kind != Kind.PLANE), body=int(rng.integers(-1, count))))
        R.append(rotation(rng).ravel())
        p.append(rng.uniform(-spread, spread, 3))
    return np.array(rows), np.array(R), np.array(p)


seeds = st.integers(0, 2**32 - 1)
__all__ = ["P_BS", "SIZES", "corners", "random_scene", "rotation", "seeds", "shape_row", "surface"]
