"""Two shapes with poses, what the kernel finds about them, and a proof of it that uses the shapes' own support functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from modia3d.collision.kernels.distance import signed_distance
from modia3d.collision.shapes import shape_rows
from modia3d.collision.tables import (
    DISTANCE,
    FOUND_COLUMNS,
    NORMAL,
    P_BS,
    POINT_1,
    POINT_2,
    R_BS,
    REACH,
    SHAPE_COLUMNS,
)
from modia3d.scene.shapes import PlaneShape


@dataclass(frozen=True)
class Placed:
    """A shape, its rotation and its position in world."""

    shape: Any
    R: np.ndarray
    p: np.ndarray
    smoothing: float = 0.0

    def moved(self, R: np.ndarray, p: np.ndarray) -> Placed:
        """After a rigid motion of the world."""
        return replace(self, R=R @ self.R, p=R @ self.p + p)

    def support(self, n: np.ndarray) -> np.ndarray:
        """Height of the shape along directions (..., 3), in world."""
        local = np.asarray(n) @ self.R
        return np.einsum("...i,...i->...", self.shape.support(local), local) + np.asarray(n) @ self.p


@dataclass(frozen=True)
class Distance:
    """What the kernel found."""

    status: int
    d: float
    normal: np.ndarray
    first: np.ndarray
    second: np.ndarray


def placed(shape: Any, seed: int, p: Any = (0.0, 0.0, 0.0), smoothing: float = 0.0) -> Placed:
    """A shape with a random orientation."""
    return Placed(shape, Rotation.random(random_state=seed).as_matrix(), np.array(p, dtype=float), smoothing)


def at(shape: Any, p: Any = (0.0, 0.0, 0.0), smoothing: float = 0.0) -> Placed:
    """A shape whose frame is parallel to the world."""
    return Placed(shape, np.eye(3), np.array(p, dtype=float), smoothing)


def between(one: Placed, two: Placed) -> Distance:
    """The signed distance of two shapes of one row each."""
    rows = [shape_rows(each.shape, smoothing_radius=each.smoothing) for each in (one, two)]
    table = np.concatenate([row.table for row in rows])
    assert table.shape == (2, SHAPE_COLUMNS)
    R = np.array([(each.R @ row[R_BS : R_BS + 9].reshape(3, 3)).ravel() for each, row in zip((one, two), table, strict=True)])
    p = np.array([each.p + each.R @ row[P_BS : P_BS + 3] for each, row in zip((one, two), table, strict=True)])
    found = np.full((1, FOUND_COLUMNS), np.nan)
    status = signed_distance(table, R, p, 0, 1, 0, found)
    row = found[0]
    n, a, b = row[NORMAL : NORMAL + 3], row[POINT_1 : POINT_1 + 3], row[POINT_2 : POINT_2 + 3]
    return Distance(status, float(row[DISTANCE]), n, a, b)


def size(one: Placed, two: Placed) -> float:
    """Of both shapes and of what is between them."""
    reach = [float(shape_rows(each.shape).table[0, REACH]) for each in (one, two)]
    return sum(r for r in reach if np.isfinite(r)) + float(np.linalg.norm(one.p - two.p))


def directions(count: int, seed: int = 1) -> np.ndarray:
    """Unit vectors, shape (count, 3)."""
    vectors = np.random.default_rng(seed).normal(size=(count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def assert_proven(one: Placed, two: Placed, found: Distance, tolerance: float = 1e-12) -> None:
    """A distance is right if no shape reaches beyond its plane, both planes are that far apart, and the points belong to the
    shapes: nothing nearer exists, and nothing farther is needed. A depth is right if in no direction less would do.
    """
    eps, n = tolerance * size(one, two), found.normal
    assert found.status == 0
    assert np.isfinite([found.d, *n, *found.first, *found.second]).all()
    assert abs(n @ n - 1.0) < 1e-14
    assert np.abs(found.first + found.d * n - found.second).max() <= eps
    around = n + np.concatenate([1e-2 * directions(100, 2), 1e-1 * directions(100, 3)])
    others = np.concatenate([directions(1500), around / np.linalg.norm(around, axis=1, keepdims=True)])
    for each, point, outwards in ((one, found.first, n), (two, found.second, -n)):
        if isinstance(each.shape, PlaneShape):
            normal = each.R[:, "xyz".index(each.shape.axis)]
            assert abs(normal @ (point - each.p)) <= eps
            assert np.abs(outwards - normal).max() < 1e-14
        else:
            assert abs(outwards @ point - each.support(outwards)) <= eps
            assert np.all(others @ point <= each.support(others) + 100.0 * eps)
    if found.d < 0.0 and not any(isinstance(each.shape, PlaneShape) for each in (one, two)):
        assert np.all(one.support(others) + two.support(-others) >= -found.d - eps)
