"""Convex hulls of points, with the neighbours of corners that kernels need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

_FLAT = 1e-10
"""Distance in relation to the size within which triangles are one face."""


@dataclass(frozen=True)
class Hull:
    """Convex hull of the points of a mesh, for collision.

    Attributes:
        points: its corners, shape (n, 3) [m].
        neighbours: where the neighbours of each corner begin (n + 1 numbers), then the neighbours.
        faces: number of faces, where the corners of each begin (one more than faces), then the corners, counter-clockwise from
            outside; triangles in one plane are one face.
        centroid: middle of the volume [m].
    """

    points: np.ndarray
    neighbours: np.ndarray
    faces: np.ndarray
    centroid: np.ndarray


def convex_hull(points: np.ndarray, name: str) -> Hull:
    """Return the hull of points, shape (m, 3). Raises ModelError if they lie in one plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(points)
    except QhullError:
        raise ModelError(
            f"the mesh '{name}' cannot collide",
            found="all its points lie in one plane",
            expected="points that enclose a volume",
            remedy="Take a thin Box instead.",
        ) from None
    number = np.full(len(points), -1)
    number[found.vertices] = np.arange(len(found.vertices))
    corners = np.ascontiguousarray(points[found.vertices], dtype=float)
    triangles, middle = number[found.simplices], corners.mean(axis=0)
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    inwards = np.einsum("ij,ij->i", normals, a - middle) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    volumes = np.abs(np.einsum("ij,ij->i", normals, a - middle))
    centroid = middle + 0.25 * ((a - middle) + (b - middle) + (c - middle)).T @ volumes / volumes.sum()
    size = float(np.ptp(corners, axis=0).max())
    return Hull(corners, _neighbours(len(corners), triangles), _faces(corners, triangles, found, size), centroid)


def _packed(lists: list[list[int]], head: list[int]) -> np.ndarray:
    """Pack lists of numbers behind the positions where each begins; ``head`` comes first."""
    first = len(head) + len(lists) + 1
    starts = first + np.concatenate([[0], np.cumsum([len(one) for one in lists])])
    return np.array([*head, *starts.tolist(), *(k for one in lists for k in one)], dtype=np.int64)


def _neighbours(count: int, triangles: np.ndarray) -> np.ndarray:
    near: list[set[int]] = [set() for _ in range(count)]
    for a, b, c in triangles.tolist():
        near[a] |= {b, c}
        near[b] |= {a, c}
        near[c] |= {a, b}
    return _packed([sorted(one) for one in near], [])


def _faces(corners: np.ndarray, triangles: np.ndarray, found: object, size: float) -> np.ndarray:
    """Return the faces with triangles in one plane merged."""
    planes, near = found.equations, found.neighbors  # type: ignore[attr-defined]
    group = np.full(len(triangles), -1)
    faces: list[list[int]] = []
    for seed in range(len(triangles)):
        if group[seed] >= 0:
            continue
        group[seed], members, remaining = len(faces), [seed], [seed]
        while remaining:
            for other in near[remaining.pop()].tolist():
                heights = corners[triangles[other]] @ planes[seed, :3] + planes[seed, 3]
                if group[other] < 0 and np.all(np.abs(heights) <= _FLAT * size):
                    group[other] = len(faces)
                    members.append(other)
                    remaining.append(other)
        faces.append(_outline(triangles[members]))
    return _packed(faces, [len(faces)])


def _outline(triangles: np.ndarray) -> list[int]:
    """Return the corners around triangles that form one face."""
    edges = {(one[k], one[(k + 1) % 3]) for one in triangles.tolist() for k in range(3)}
    after = dict(edge for edge in edges if edge[::-1] not in edges)
    first = at = min(after)
    outline = [first]
    while (at := after[at]) != first:
        outline.append(at)
    return outline


def shrunk(points: np.ndarray, radius: float, name: str) -> np.ndarray:
    """Return the corners of a hull without the part that is nearer to a face than ``radius``.

    Raises ModelError if nothing remains.
    """
    from scipy.optimize import linprog
    from scipy.spatial import HalfspaceIntersection

    hull = convex_hull(points, name)
    from scipy.spatial import ConvexHull

    planes = ConvexHull(hull.points).equations
    ball = linprog([0, 0, 0, -1], A_ub=np.column_stack([planes[:, :3], np.ones(len(planes))]), b_ub=-planes[:, 3],
                   bounds=[(None, None)] * 3 + [(0, None)])  # fmt: skip
    largest = float(ball.x[3])
    if radius >= largest * (1.0 - 1e-9):
        raise ModelError(
            f"smoothing_radius of a Solid with the mesh '{name}' is too large",
            found=f"{radius!r} m",
            expected=f"less than {largest:.6g} m, the radius of the largest ball inside",
        )
    moved = planes.copy()
    moved[:, 3] += radius
    return HalfspaceIntersection(moved, ball.x[:3]).intersections
