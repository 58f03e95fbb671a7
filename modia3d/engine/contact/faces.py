"""Points where two solids with flat faces touch: corners on faces, and edges that cross.

A pair touches with a face, edge or corner of each of its solids; where both overlap, seen along the normal, is a polygon, a
line or a point, whose ends are *features*: a corner of the one solid on a face of the other one, or an edge of the one that
crosses an edge of the other one. Each is a row in closed form that stays exact while the solids move, slide and turn, as long
as the corner is above its face and the edges cross between their ends. So features are numbers, which a pair remembers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...collision.tables import BODY, FACES, KIND, N_POINTS, P_BS, POINTS, R_BS, ROUND, SIZE, Kind
from ...constraints.tables import cut_table
from ...constraints.tables.cut_directions import KINDS
from ...scene.basics.rotations import frame_with_z

FLAT = 1e-6
"""Points that are not farther from the other solid than this part of the smaller one's size touch, too; what is not farther
beyond the end of a face or edge is on it."""
BEYOND = 4.0 * FLAT
"""What is on a face or edge stays there until it is farther beyond its end than this part of that size; a corner that is found
nearer to an end than half of it is where others may come to be, until it is farther within."""
MOST_POINTS = 48
"""Points of a pair that may be held: they are bits of a number."""
MOST_FEATURES = 2**17 - 1
_BOX_FACES: tuple[tuple[int, ...], ...] = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
Pose = tuple[np.ndarray, np.ndarray]
"""Of the second solid's body in that of the first one: R (3, 3), p (3,) [m]."""


@dataclass(frozen=True, eq=False)
class Polyhedron:
    """The core of a solid with flat faces, in the frame of its body.

    Attributes:
        body: number in the forest; negative: the world. rounding: radius by which the core is rounded [m].
        corners: shape (n, 3) [m].
        faces: corners of each, counter-clockwise from outside. normals: out of them, shape (m, 3).
    """

    body: int
    rounding: float
    corners: np.ndarray
    faces: tuple[tuple[int, ...], ...]
    normals: np.ndarray

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Corners of each."""
        found = {(min(a, b), max(a, b)) for face in self.faces for a, b in zip(face, (*face[1:], face[0]), strict=True)}
        return tuple(sorted(found))

    @cached_property
    def _edge_numbers(self) -> dict[tuple[int, int], int]:
        return {edge: k for k, edge in enumerate(self.edges)}

    def facing(self, normal: np.ndarray, tolerance: float) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """Return the part that is farthest in a direction.

        Number of the face, -1 if it is none; the corners; and the numbers of their edges.
        """
        heights = self.corners @ normal
        top, face = heights.max() - tolerance, int(np.argmax(self.normals @ normal))
        around = self.faces[face]
        if heights[list(around)].min() >= top:
            edges = ((min(a, b), max(a, b)) for a, b in zip(around, (*around[1:], around[0]), strict=True))
            return face, around, tuple(self._edge_numbers[edge] for edge in edges)
        lower = [min(heights[a], heights[b]) for a, b in self.edges]
        edge = int(np.argmax(lower))
        if lower[edge] >= top:
            return -1, self.edges[edge], (edge,)
        return -1, (int(np.argmax(heights)),), ()

    def inward(self, face: int) -> tuple[np.ndarray, np.ndarray]:
        """Return of each edge of a face its first corner, and the direction in the face away from it, inwards; shapes (n,
        3).
        """
        around = self.corners[list(self.faces[face])]
        along = np.roll(around, -1, axis=0) - around
        across = np.cross(self.normals[face], along)
        return around, across / np.linalg.norm(across, axis=1, keepdims=True)

    def edge(self, number: int) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the middle, direction and half of the length of an edge."""
        a, b = self.corners[list(self.edges[number])]
        length = float(np.linalg.norm(b - a))
        return 0.5 * (a + b), (b - a) / length, 0.5 * length


def polyhedron(shape: np.ndarray) -> Polyhedron:
    """Return the polyhedron of a row of the table of shapes, see `is_flat`."""
    if int(shape[KIND]) == Kind.BOX:
        signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
        corners, faces = signs * shape[SIZE : SIZE + 3], _BOX_FACES
    else:
        n = int(shape[N_POINTS])
        corners = np.array((ctypes.c_double * (3 * n)).from_address(int(shape[POINTS]))).reshape(n, 3)
        faces = _hull_faces(int(shape[FACES]))
    R = shape[R_BS : R_BS + 9].reshape(3, 3)
    corners = shape[P_BS : P_BS + 3] + corners @ R.T
    return Polyhedron(int(shape[BODY]), float(shape[ROUND]), corners, faces, _normals(corners, faces))


def is_flat(kind: int, n_corners: float) -> bool:
    """Return whether a kind of shape has flat faces alone, and not too many corners."""
    return kind == Kind.BOX or (kind == Kind.HULL and n_corners <= MOST_POINTS)


def _hull_faces(address: int) -> tuple[tuple[int, ...], ...]:
    count = ctypes.c_int64.from_address(address).value
    begins = list((ctypes.c_int64 * (count + 2)).from_address(address))[1:]
    words = list((ctypes.c_int64 * begins[-1]).from_address(address))
    return tuple(tuple(words[a:b]) for a, b in pairwise(begins))


def _normals(corners: np.ndarray, faces: Sequence[Sequence[int]]) -> np.ndarray:
    found = []
    for face in faces:
        x = corners[list(face)] - corners[face[0]]
        normal = np.cross(x, np.roll(x, -1, axis=0)).sum(axis=0)
        found.append(normal / np.linalg.norm(normal))
    return np.array(found)


@dataclass(frozen=True)
class Feature:
    """Feature at which two solids touch.

    Attributes:
        kind: `cut_table.POINT`: corner ``second`` of the second solid on face ``first`` of the first one; FACE: corner
            ``first`` on face ``second``; EDGES: both are edges.
        turned: of edges, whether the second one runs backwards: the product of both is out of the first solid.
    """

    kind: float
    first: int
    second: int
    turned: bool = False


class FacePair:
    """Two solids with flat faces.

    Args:
        one, two: both. size: of the smaller one [m].
    """

    def __init__(self, one: Polyhedron, two: Polyhedron, size: float) -> None:
        self.one, self.two, self._size = one, two, size
        self._counts = [
            len(one.faces) * len(two.corners),
            len(one.corners) * len(two.faces),
            2 * len(one.edges) * len(two.edges),
        ]

    @property
    def fits(self) -> bool:
        """True if each feature has a number."""
        return sum(self._counts) <= MOST_FEATURES

    # -- numbers ----------------------------------------------------------------------------------------------------------

    def number(self, feature: Feature) -> int:
        """Return the number of a feature, from 1 on."""
        kind, (on_first, on_second, _) = int(feature.kind), self._counts
        width = (len(self.two.corners), len(self.two.faces), len(self.two.edges))[kind]
        at = feature.first * width + feature.second
        return 1 + (at, on_first + at, on_first + on_second + 2 * at + int(feature.turned))[kind]

    def feature(self, number: int) -> Feature | None:
        """Return the feature with a number; None where there is none."""
        at = number - 1
        for kind, count in enumerate(self._counts):
            if 0 <= at < count:
                width = (len(self.two.corners), len(self.two.faces), len(self.two.edges))[kind]
                turned = kind == 2 and bool(at % 2)
                return Feature(float(kind), *divmod(at // 2 if kind == 2 else at, width), turned)
            at -= count
        return None

    # -- where they are ---------------------------------------------------------------------------------------------------

    def find(self, pose: Pose, normal: np.ndarray) -> tuple[int, ...]:
        """Return the numbers of the features where both touch; none where edges or corners meet that do not cross.

        Args:
            pose: see `Pose`. normal: out of the first solid, in its body, shape (3,).
        """
        R, p = pose
        near = FLAT * self._size
        face_1, corners_1, edges_1 = self.one.facing(normal, near)
        face_2, corners_2, edges_2 = self.two.facing(-R.T @ normal, near)
        found, places = list[Feature](), list[np.ndarray]()

        def take(feature: Feature, place: np.ndarray) -> None:
            flat = place - (place @ normal) * normal
            if not any(np.linalg.norm(flat - other) < 2.0 * near for other in places):
                found.append(feature)
                places.append(flat)

        if face_1 >= 0:
            for k in corners_2:
                place = p + R @ self.two.corners[k]
                if _rooms(place, *self.one.inward(face_1)).min() >= -near:
                    take(Feature(cut_table.POINT, face_1, k), place)
        if face_2 >= 0:
            for k in corners_1:
                if _rooms(R.T @ (self.one.corners[k] - p), *self.two.inward(face_2)).min() >= -near:
                    take(Feature(cut_table.FACE, k, face_2), self.one.corners[k])
        for i in edges_1:
            for j in edges_2:
                crossing = self._crossing(i, j, pose, normal)
                if crossing is not None:
                    take(*crossing)
        return tuple(self.number(feature) for feature in found[:MOST_POINTS])

    def _crossing(self, i: int, j: int, pose: Pose, normal: np.ndarray) -> tuple[Feature, np.ndarray] | None:
        """Return where edges cross between their ends, in the frame of the first body; None where they do not."""
        (middle_1, along_1, half_1), (middle_2, along_2, half_2) = self.one.edge(i), self.two.edge(j)
        turned = float(normal @ np.cross(along_1, pose[0] @ along_2))
        if abs(turned) * 2.0 * max(half_1, half_2) <= 2.0 * FLAT * self._size:
            return None
        s_1, s_2 = _nearest(middle_1, along_1, pose[1] + pose[0] @ middle_2, pose[0] @ along_2)
        if abs(s_1) >= half_1 or abs(s_2) >= half_2:
            return None
        return Feature(cut_table.EDGES, i, j, turned < 0.0), middle_1 + s_1 * along_1

    def holds(self, numbers: Sequence[int], pose: Pose, found: Pose) -> bool:
        """Return whether features are still between the ends of faces and edges, as they were in the pose where they were
        found.
        """
        most = BEYOND * self._size
        for feature in map(self.feature, numbers):
            if feature is None:
                return False
            room = self._rooms(feature, pose)
            if not room.min() >= -most:
                return False
            if feature.kind != cut_table.EDGES and (room > most)[self._rooms(feature, found) < 0.5 * most].any():
                return False
        return True

    def _rooms(self, feature: Feature, pose: Pose) -> np.ndarray:
        """Return how far a feature is within each edge of its face, or from the ends of its edges [m]."""
        R, p = pose
        if feature.kind == cut_table.POINT:
            return _rooms(p + R @ self.two.corners[feature.second], *self.one.inward(feature.first))
        if feature.kind == cut_table.FACE:
            return _rooms(R.T @ (self.one.corners[feature.first] - p), *self.two.inward(feature.second))
        (middle_1, along_1, half_1), (middle_2, along_2, half_2) = self.one.edge(feature.first), self.two.edge(feature.second)
        s_1, s_2 = _nearest(middle_1, along_1, p + R @ middle_2, R @ along_2)
        return np.array([half_1 - abs(s_1), half_2 - abs(s_2)])

    def places(self, numbers: Sequence[int], pose: Pose) -> np.ndarray:
        """Return where features are, on the second solid, in the frame of its body, shape (n, 3) [m]."""
        R, p = pose
        found = np.zeros((len(numbers), 3))
        for place, feature in zip(found, map(self.feature, numbers), strict=True):
            assert feature is not None
            if feature.kind == cut_table.POINT:
                place[:] = self.two.corners[feature.second]
            elif feature.kind == cut_table.FACE:
                corner, n = R.T @ (self.one.corners[feature.first] - p), self.two.normals[feature.second]
                place[:] = corner - ((corner - self.two.corners[self.two.faces[feature.second][0]]) @ n) * n
            else:
                (middle_1, along_1, _), (middle_2, along_2, _) = self.one.edge(feature.first), self.two.edge(feature.second)
                place[:] = middle_2 + _nearest(middle_1, along_1, p + R @ middle_2, R @ along_2)[1] * along_2
        return found

    # -- rows -------------------------------------------------------------------------------------------------------------

    def rows(self, numbers: Sequence[int]) -> np.ndarray:
        """Return the rows of the kind "touching point", see `cut_table`, shape (n, COLUMNS)."""
        found = np.zeros((len(numbers), cut_table.COLUMNS))
        for row, feature in zip(found, map(self.feature, numbers), strict=True):
            assert feature is not None
            self._write(row, feature)
        return found

    def _write(self, row: np.ndarray, feature: Feature) -> None:
        one, two = self.one, self.two
        row[cut_table.KIND], row[cut_table.FEATURE] = KINDS.index("touching point"), feature.kind
        row[cut_table.BODY_1], row[cut_table.BODY_2] = one.body, two.body
        row[cut_table.ROUNDING], row[cut_table.RADIUS] = one.rounding + two.rounding, two.rounding
        row[cut_table.SPAN] = 1.0
        if feature.kind == cut_table.POINT:
            _write_plane(row, cut_table.FRAME_1, one.corners[one.faces[feature.first][0]], one.normals[feature.first])
            _write_point(row, cut_table.FRAME_2, two.corners[feature.second])
        elif feature.kind == cut_table.FACE:
            _write_point(row, cut_table.FRAME_1, one.corners[feature.first])
            _write_plane(row, cut_table.FRAME_2, two.corners[two.faces[feature.second][0]], two.normals[feature.second])
        else:
            (middle_1, along_1, half_1), (middle_2, along_2, half_2) = one.edge(feature.first), two.edge(feature.second)
            _write_plane(row, cut_table.FRAME_1, middle_1, along_1)
            _write_plane(row, cut_table.FRAME_2, middle_2, -along_2 if feature.turned else along_2)
            row[cut_table.EXTENT : cut_table.EXTENT + 3] = half_1, half_2, 0.0
            return
        row[cut_table.EXTENT : cut_table.EXTENT + 3] = np.inf, np.inf, 0.0

    def rims(self, numbers: Sequence[int], found: Pose) -> np.ndarray:
        """Return the rows whose gaps vanish where one of these features, found in a pose, does not hold any more, see
        `holds`.
        """
        rows = list[np.ndarray]()
        for number, own in zip(numbers, self.rows(numbers), strict=True):
            feature = self.feature(number)
            assert feature is not None
            if feature.kind == cut_table.EDGES:
                own[cut_table.FEATURE] = cut_table.ROOM
                rows.append(own)
                continue
            solid, face, at = (
                (self.one, feature.first, cut_table.FRAME_1)
                if feature.kind == cut_table.POINT
                else (self.two, feature.second, cut_table.FRAME_2)
            )
            near = self._rooms(feature, found) < 0.5 * BEYOND * self._size
            for corner, inward, at_end in zip(*solid.inward(face), near.tolist(), strict=True):
                for direction in (inward, -inward) if at_end else (inward,):
                    row = own.copy()
                    _write_plane(row, at, corner, direction)
                    rows.append(row)
        table = np.array(rows).reshape(-1, cut_table.COLUMNS)
        table[:, cut_table.ROUNDING] = -BEYOND * self._size
        return table

    def patch(self, numbers: Sequence[int], pose: Pose) -> np.ndarray:
        """Return a row for what keeps the pair from slipping where it touches at these features: in their middle."""
        rows, places = self.rows(numbers), self.places(numbers, pose)
        if len(rows) == 1:
            return np.asarray(rows[0])
        R, p = pose
        row, middle = rows[0].copy(), places.mean(axis=0)
        normal, in_second = self._normal(rows[0], pose), self._turns_with_second(numbers)
        if in_second:
            _write_point(row, cut_table.FRAME_1, p + R @ middle)
            _write_plane(row, cut_table.FRAME_2, middle, -R.T @ normal)
        else:
            _write_plane(row, cut_table.FRAME_1, p + R @ middle, normal)
            _write_point(row, cut_table.FRAME_2, middle)
        row[cut_table.FEATURE] = cut_table.FACE if in_second else cut_table.POINT
        row[cut_table.EXTENT : cut_table.EXTENT + 3] = np.inf, np.inf, 0.0
        row[cut_table.SPAN] = np.linalg.norm(places - middle, axis=1).mean()
        return row

    def _normal(self, row: np.ndarray, pose: Pose) -> np.ndarray:
        """Return the normal out of the first solid, in its body."""
        z_1, z_2 = (row[at : at + 9].reshape(3, 3)[:, 2] for at in (cut_table.FRAME_1, cut_table.FRAME_2))
        if row[cut_table.FEATURE] == cut_table.POINT:
            return np.asarray(z_1)
        if row[cut_table.FEATURE] == cut_table.FACE:
            return np.asarray(-pose[0] @ z_2)
        n = np.cross(z_1, pose[0] @ z_2)
        return np.asarray(n / np.linalg.norm(n))

    def _turns_with_second(self, numbers: Sequence[int]) -> bool:
        """Return whether the plane in which these features lie turns with the second solid, not with the first one.

        A face bears all of them; where edges cross alone, it is that of the solid whose edges are several.
        """
        features = [feature for feature in map(self.feature, numbers) if feature is not None]
        kinds = {feature.kind for feature in features}
        if cut_table.POINT in kinds:
            return False
        return cut_table.FACE in kinds or len({feature.first for feature in features}) == 1


def _rooms(place: np.ndarray, corners: np.ndarray, inward: np.ndarray) -> np.ndarray:
    """Return how far a place is within each edge of a face."""
    return np.asarray(np.einsum("ei,ei->e", place - corners, inward))


def _nearest(middle_1: np.ndarray, along_1: np.ndarray, middle_2: np.ndarray, along_2: np.ndarray) -> tuple[float, float]:
    """Return where two lines are nearest to each other, from their middles."""
    r, c = middle_2 - middle_1, float(along_1 @ along_2)
    square = max(float(np.cross(along_1, along_2) @ np.cross(along_1, along_2)), 1e-24)
    x, y = float(along_1 @ r), float(along_2 @ r)
    return (x - c * y) / square, (c * x - y) / square


def _write_plane(row: np.ndarray, at: int, origin: np.ndarray, z: np.ndarray) -> None:
    row[at : at + 9], row[at + 9 : at + 12] = frame_with_z(z.tolist()).ravel(), origin


def _write_point(row: np.ndarray, at: int, place: np.ndarray) -> None:
    row[at : at + 9], row[at + 9 : at + 12] = np.eye(3).ravel(), place
