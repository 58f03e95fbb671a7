"""Normals of triangles: smooth on smooth surfaces, discontinuous at sharp edges."""

from __future__ import annotations

import numpy as np

CREASE = np.cos(np.radians(35.0))
"""Cosine of the angle between two triangles from which on the edge between them is sharp."""

MANY = 200
"""Triangles at one point, from which on each keeps its own normal: their number squared would be compared."""


def shaded(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the points, normals and triangles, with a separate point for each normal at a corner.

    The normal of a triangle at a corner is the mean, weighted by areas, over those triangles there that are within `CREASE`.

    Args:
        vertices: shape (n, 3). faces: their indices, shape (m, 3).

    Returns:
        Points (k, 3) and unit normals (k, 3) as float32, triangles (m, 3) as uint32. Triangles without area are left out.
    """
    size = np.ptp(vertices, axis=0).max()
    _, place = np.unique(np.round(vertices / (size or 1.0), 7), axis=0, return_inverse=True)
    place = np.ravel(place)  # the same number for points at the same place
    faces = faces[with_area(vertices, faces)]
    area = _areas(vertices, faces)
    unit = area / np.linalg.norm(area, axis=1)[:, None]
    corner = place[faces].ravel()  # 3 m corners, those of triangle f from 3 f on
    summed = np.repeat(area, 3, axis=0)
    for mine, other in _pairs(corner):
        near = np.einsum("ij,ij->i", unit[mine // 3], unit[other // 3]) > CREASE
        np.add.at(summed, mine[near], area[other[near] // 3])
    normals = summed / np.linalg.norm(summed, axis=1)[:, None]
    rows = np.column_stack([corner, np.round(normals * 1000.0)]).astype(np.int64)
    _, first, index = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    points = vertices[faces.ravel()[first]]
    return points.astype(np.float32), normals[first].astype(np.float32), np.ravel(index).reshape(-1, 3).astype(np.uint32)


def with_area(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return which triangles have an area, bool (m,)."""
    return np.asarray(np.any(_areas(vertices, faces) != 0.0, axis=1))


def _areas(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return twice the area of each triangle along its normal, shape (m, 3)."""
    p, q, r = (vertices[faces[:, k]] for k in range(3))
    return np.cross(q - p, r - p)


def _pairs(corner: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return all pairs of corners at one place, as indices, unless there are too `MANY`."""
    order = np.argsort(corner, kind="stable")
    sizes = np.bincount(corner)
    starts = np.cumsum(sizes) - sizes
    found = []
    for size in np.unique(sizes):
        if 1 < size <= MANY:
            groups = order[starts[sizes == size][:, None] + np.arange(size)]
            a, b = np.nonzero(~np.eye(size, dtype=bool))
            found.append((groups[:, a].ravel(), groups[:, b].ravel()))
    return found
