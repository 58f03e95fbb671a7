"""Contacts at rest as rows of constraints: which pairs of shapes can have rows, and the rows of those that are held."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from modiapy.model.errors import ModelError

from ...collision.tables import BODY, DISTANCE, KIND, N_POINTS, NORMAL, P_BS, POINTS, R_BS, ROUND, SIZE, Kind
from ...constraints.kinds.resting_contact import RestingContact
from ...constraints.tables import cut_table
from ...constraints.tables.cut_directions import KINDS
from ...dynamics.basics.layout import PARENT, PRESCRIBED, ROLE
from ...forces.contact.layout import (
    ACTIVE,
    BODY_1,
    BODY_2,
    CONTACT_COLUMNS,
    DRIFT,
    FEATURES,
    FOUND_AT,
    HELD,
    HELD_POINTS,
    LIFT,
    MU_K,
    PHASE,
    RESPONSE,
    RIGID,
    ROLLING,
    V_SMALL,
    Phase,
)
from ...scene.basics.rotations import matrix_of, quaternion_of
from ...topology.forest import Forest
from .contact_layout import DEEPER
from .contact_memory import ContactMemory
from .faces import FLAT, MOST_POINTS, FacePair, Pose, is_flat, polyhedron

DEEP_AT_REST = 1e-5
"""Part of the size of the smaller solid: what may rest but is deeper than that where a segment begins is pushed apart."""
CREEP = 1e-3
"""Part of the slow velocity of a pair below which its slip has no direction."""
_WIDTH = 2**17
_SECOND = slice(cut_table.FRAME_2 + 9, cut_table.FRAME_2 + 12)
_CORES = (Kind.POINT, Kind.LINE, Kind.BOX)


def can_rest(memory: ContactMemory, forest: Forest) -> np.ndarray:
    """Return which near pairs may be held by rows (mask), see ``docs/impacts.md``: rigid ones of a plane with a shape that
    has corners or round ends, of a sphere with a box, capsule or sphere, or of two with flat faces; without rolling
    resistance, in trees that no joint with a flange moves.
    """
    rigid: np.ndarray = (memory.pairs[:, RESPONSE] == RIGID) & (memory.pairs[:, ROLLING] == 0.0)
    if not rigid.any():
        return rigid
    rows, kinds = memory.pairs, memory.shapes[memory.listed, KIND].reshape(-1, 2)
    corners = memory.shapes[memory.listed, N_POINTS].reshape(-1, 2)
    fits = [
        _sides(*map(int, pair), *n) is not None or all(map(is_flat, map(int, pair), n))
        for pair, n in zip(kinds, corners, strict=True)
    ]
    trees = connected(forest)
    driven = np.zeros(forest.n + 1, dtype=bool)
    driven[trees[:-1][forest.ints[:, ROLE] == PRESCRIBED]] = True
    driven[-1] = False
    moved: np.ndarray = driven[trees[rows[:, [BODY_1, BODY_2]].astype(np.int64)]].any(axis=1)
    return rigid & np.array(fits, dtype=bool) & ~moved


def connected(forest: Forest) -> np.ndarray:
    """Return for each body a number that is the same for all that joints and cuts connect; the last one is the world's."""
    tree = np.arange(forest.n + 1)
    for body, parent in enumerate(forest.ints[:, PARENT].tolist()):
        tree[body] = tree[parent] if parent >= 0 else body
    for cut in forest.cuts:
        one, other = (int(forest.frame_pose(frame)[0]) for frame in (cut.frame_1, cut.frame_2))
        if one >= 0 and other >= 0:
            tree[tree == tree[one]] = tree[other]
    return tree


def _sides(one: int, other: int, n_one: float, n_other: float) -> tuple[int, int] | None:
    """Return which of two kinds (0, 1) is the core, and which has the points; None where there are no rows."""
    for (core, points, count), order in (((one, other, n_other), (0, 1)), ((other, one, n_one), (1, 0))):
        if core == Kind.PLANE:
            cornered = points in _CORES or (points == Kind.HULL and count <= MOST_POINTS)
            return order if cornered else None
    if other == Kind.POINT and one in _CORES:
        return 0, 1
    return (1, 0) if one == Kind.POINT and other in _CORES else None


class Rests:
    """Points of near pairs that rows may hold.

    Args:
        memory: of the contacts of a segment.
        forest: with the bodies.
        names: of both solids of each near pair.

    Attributes:
        able: which pairs there are rows for, mask (m,); of solids with flat faces as they touch, see `look`.
    """

    def __init__(self, memory: ContactMemory, forest: Forest, names: list[tuple[str, str]]) -> None:
        self._memory, self._names = memory, names
        self.able = can_rest(memory, forest)
        self._points: dict[int, np.ndarray] = {}
        self._faces = {k: pair for k in np.flatnonzero(self.able).tolist() if (pair := self._face_pair(k)) is not None}
        self.able[[k for k, pair in self._faces.items() if not pair.fits]] = False
        self._features: dict[int, tuple[int, ...]] = {}
        self._poses: dict[int, Pose] = {}

    def _face_pair(self, k: int) -> FacePair | None:
        shapes = self._memory.shapes[self._memory.listed[k]]
        if not all(is_flat(int(shape[KIND]), shape[N_POINTS]) for shape in shapes):
            return None
        one, two = map(polyhedron, shapes)
        return FacePair(one, two, float(self._memory.size[k]))

    # -- faces ------------------------------------------------------------------------------------------------------------

    def look(self, R: np.ndarray, p: np.ndarray) -> None:
        """Find where solids with flat faces touch, with bodies at R (n, 9), p (n, 3), which the memory knows distances of.

        A pair keeps its features as long as these are between the ends of faces and edges, and nothing else has come down.
        """
        self._features, self._poses = {}, {}
        for k, pair in self._faces.items():
            row, distance = self._memory.pairs[k], float(self._memory.found[k, DISTANCE])
            held, size = row[ACTIVE] == HELD, float(self._memory.size[k])
            if not pair.fits or not (held or distance <= FLAT * size):
                self.able[k] = pair.fits
                continue
            poses = [(R[body].reshape(3, 3), p[body]) if body >= 0 else (np.eye(3), np.zeros(3)) for body in _bodies(row)]
            (R_1, p_1), (R_2, p_2) = poses
            pose = self._poses[k] = R_1.T @ R_2, R_1.T @ (p_2 - p_1)
            features = features_of(row) if held else ()
            lower = distance < -row[LIFT] - 0.75 * DEEPER * self._memory.margin[k]
            if not features or lower or not pair.holds(features, pose, found_at(row)):
                deep = distance < -DEEP_AT_REST * size
                features = () if deep else pair.find(pose, R_1.T @ self._memory.found[k, NORMAL : NORMAL + 3])
            self._features[k] = features
            self.able[k] = held or bool(features)

    def has_faces(self, k: int) -> bool:
        """Return whether faces of the pair touch now, as rows have it."""
        return bool(self._features.get(k))

    def remember(self, k: int, row: np.ndarray) -> None:
        """Write where a pair touches, and how it lies there, into what it is to remember, a row of CONTACT_COLUMNS."""
        if k in self._features:
            R, p = self._poses[k]
            row[FOUND_AT : FOUND_AT + 7] = *p, *quaternion_of(R.tolist())
            row[FEATURES:] = packed(self._features[k])
            row[LIFT] = max(0.0, -float(self._memory.found[k, DISTANCE]))

    def _told(self, k: int) -> tuple[tuple[int, ...], Pose]:
        """Return the stored features of a pair, and the pose in which they were found."""
        row = self._memory.pairs[k]
        found, pair = features_of(row), self._faces[k]
        if any(pair.feature(number) is None for number in found):
            raise ModelError(
                "the stored memory of contacts is damaged",
                path=", ".join(self._names[k]),
                found=f"points with the numbers {found}",
                expected="points where these solids can touch",
            )
        return found, found_at(row)

    # -- points -----------------------------------------------------------------------------------------------------------

    def points(self, k: int) -> np.ndarray:
        """Return all points of a pair, rows of `cut_table` of the kind "touching point"; frame 1 is that of the core.

        Of solids with flat faces those where they touch now, see `look`, and frame 1 is that of the first one.
        """
        if k in self._faces:
            return self._described(k, self._faces[k].rows(self._features.get(k, ())))
        found = self._points.get(k)
        if found is None:
            found = self._points[k] = self._described(k, self._make(k))
        return found

    def places(self, k: int) -> np.ndarray:
        """Return where these are in the body of the second frame, shape (n, 3) [m]."""
        if k in self._faces:
            return self._faces[k].places(self._features[k], self._poses[k])
        return self.points(k)[:, _SECOND]

    def _described(self, k: int, rows: np.ndarray) -> np.ndarray:
        pair = self._memory.pairs[k]
        rows[:, cut_table.FRICTION], rows[:, cut_table.SLOW] = pair[MU_K], CREEP * pair[V_SMALL]
        rows[:, cut_table.PAIR] = k
        return rows

    def _make(self, k: int) -> np.ndarray:
        core, other = self._memory.shapes[self._memory.listed[k]][list(self._sides_of(k))]
        places = _corners(other)
        rows = np.zeros((len(places), cut_table.COLUMNS))
        rows[:, cut_table.KIND] = KINDS.index("touching point")
        rows[:, cut_table.BODY_1], rows[:, cut_table.BODY_2] = core[BODY], other[BODY]
        rows[:, cut_table.FRAME_1 : cut_table.FRAME_1 + 9] = core[R_BS : R_BS + 9]
        rows[:, cut_table.FRAME_1 + 9 : cut_table.FRAME_1 + 12] = core[P_BS : P_BS + 3]
        rows[:, cut_table.FRAME_2 : cut_table.FRAME_2 + 9] = np.eye(3).ravel()
        R_BS_ = other[R_BS : R_BS + 9].reshape(3, 3)
        rows[:, cut_table.FRAME_2 + 9 : cut_table.FRAME_2 + 12] = other[P_BS : P_BS + 3] + places @ R_BS_.T
        rows[:, cut_table.EXTENT : cut_table.EXTENT + 3] = _extent(core)
        rows[:, cut_table.ROUNDING], rows[:, cut_table.RADIUS] = core[ROUND] + other[ROUND], other[ROUND]
        rows[:, cut_table.SPAN] = 1.0
        return rows

    def _frames(self, k: int) -> tuple[str, str]:
        """Return the frames of the core and of the points; of solids with flat faces of the first and the second one."""
        one, other = self._names[k]
        return (one, other) if k in self._faces or self._sides_of(k)[0] == 0 else (other, one)

    def _sides_of(self, k: int) -> tuple[int, int]:
        shapes = self._memory.shapes[self._memory.listed[k]]
        sides = _sides(*(int(shape[KIND]) for shape in shapes), *(shape[N_POINTS] for shape in shapes))
        assert sides is not None
        return sides

    def held_points(self, k: int) -> np.ndarray:
        """Return which of the points of a pair are held, mask."""
        if k not in self._faces:
            return _bits(self._memory.pairs[k], len(self.points(k)))
        told = features_of(self._memory.pairs[k])
        held = {number for number, bit in zip(told, _bits(self._memory.pairs[k], len(told)), strict=True) if bit}
        return np.array([number in held for number in self._features.get(k, ())], dtype=bool)

    def patch(self, k: int, held: np.ndarray) -> RestingContact:
        """Return the rows that keep the pair from slipping at these points (mask): at their middle."""
        if k not in self._faces:
            return self._sticking(k, self._patch_of_points(k, held), int(held.sum()))
        numbers = [number for number, bit in zip(self._features[k], held, strict=True) if bit]
        return self._sticking(k, self._faces[k].patch(numbers, self._poses[k]), len(numbers))

    def _patch_of_points(self, k: int, held: np.ndarray) -> np.ndarray:
        rows = self.points(k)[held]
        row, places = rows[0].copy(), rows[:, _SECOND]
        row[_SECOND] = middle = places.mean(axis=0)
        if len(rows) > 1:
            row[cut_table.SPAN] = np.linalg.norm(places - middle, axis=1).mean()
        return np.asarray(row)

    def _sticking(self, k: int, row: np.ndarray, count: int) -> RestingContact:
        kind = "sticking point" if count == 1 else "sticking face"
        self._described(k, row[None])[:, cut_table.KIND] = KINDS.index(kind)
        return RestingContact(", ".join(self._names[k]), kind, row, *self._frames(k))

    @property
    def held(self) -> list[RestingContact]:
        """The rows of all pairs that are held."""
        found = list[RestingContact]()
        for k in np.flatnonzero(self._memory.pairs[:, ACTIVE] == HELD).tolist():
            found += self._held_faces(k) if k in self._faces else self._held_by_points(k)
        return found

    def _held_by_points(self, k: int) -> list[RestingContact]:
        pair, mask = self._memory.pairs[k], self.held_points(k)
        rows = self.points(k)[mask].copy()
        found = self._bearing(k, rows, rows[:, _SECOND], np.flatnonzero(mask), len(mask))
        if pair[PHASE] == Phase.RESTING:
            found.append(self.patch(k, mask))
        return found

    def _held_faces(self, k: int) -> list[RestingContact]:
        pair, faces, (told, pose) = self._memory.pairs[k], self._faces[k], self._told(k)
        numbers = np.flatnonzero(_bits(pair, len(told)))
        held = [told[i] for i in numbers]
        if not held:
            return []
        rows = self._described(k, faces.rows(held))
        found = self._bearing(k, rows, faces.places(held, pose), numbers, len(told))
        if pair[PHASE] == Phase.RESTING:
            found.append(self._sticking(k, faces.patch(held, pose), len(held)))
        return found

    def _bearing(self, k: int, rows: np.ndarray, places: np.ndarray, numbers: np.ndarray, count: int) -> list[RestingContact]:
        """Return the rows of points that bear, at ``places``; they have numbers among ``count`` ones."""
        pair = self._memory.pairs[k]
        slides = pair[PHASE] != Phase.RESTING and pair[MU_K] > 0.0
        kind, name = "sliding contact" if slides else "contact", ", ".join(self._names[k])
        rows[:, cut_table.KIND] = KINDS.index(kind)
        if pair[PHASE] == Phase.STARTING:
            rows[:, cut_table.DRIFT : cut_table.DRIFT + 3] = drifts(rows, places, pair[DRIFT : DRIFT + 6])
            rows[:, cut_table.CARRIED] = float(len(rows) > 1)
        texts = [name if count == 1 else f"{name}, point {number + 1}" for number in numbers.tolist()]
        return [RestingContact(text, kind, row, *self._frames(k)) for text, row in zip(texts, rows, strict=True)]

    @property
    def idle(self) -> np.ndarray:
        """Points of pairs that are held, which are not; of solids with flat faces where features leave these."""
        found = [np.zeros((0, cut_table.COLUMNS))]
        for k in np.flatnonzero(self._memory.pairs[:, ACTIVE] == HELD).tolist():
            pair = self._memory.pairs[k]
            if k in self._faces:
                told, pose = self._told(k)
                held = [told[i] for i in np.flatnonzero(_bits(pair, len(told)))]
                found.append(self._described(k, self._faces[k].rims(held, pose)))
                continue
            rows = self.points(k)[~self.held_points(k)]
            rows[:, cut_table.ROUNDING] -= pair[LIFT]
            found.append(rows)
        return np.concatenate(found)


def _bodies(row: np.ndarray) -> tuple[int, int]:
    return int(row[BODY_1]), int(row[BODY_2])


def _bits(row: np.ndarray, count: int) -> np.ndarray:
    """Return which of so many points of a pair are held, mask."""
    bits = int(row[HELD_POINTS])
    return np.array([bits >> i & 1 for i in range(count)], dtype=bool)


def features_of(row: np.ndarray) -> tuple[int, ...]:
    """Return the numbers of the features that a row of the table of pairs remembers."""
    words = row[FEATURES:].astype(np.int64)
    numbers = np.stack([words % _WIDTH, words // _WIDTH % _WIDTH, words // _WIDTH**2], axis=1).ravel().tolist()
    return tuple(number for number in numbers if number)


def found_at(row: np.ndarray) -> Pose:
    """Return in which pose they were found."""
    return matrix_of("quaternion", row[FOUND_AT + 3 : FOUND_AT + 7]), row[FOUND_AT : FOUND_AT + 3]


def packed(numbers: Sequence[int]) -> np.ndarray:
    """Return the columns that remember numbers of features."""
    padded = np.zeros(3 * (CONTACT_COLUMNS - FEATURES), dtype=np.int64)
    padded[: len(numbers)] = numbers
    return np.asarray(padded.reshape(-1, 3) @ np.array([1, _WIDTH, _WIDTH**2]), dtype=float)


def drifts(rows: np.ndarray, places: np.ndarray, drift: np.ndarray) -> np.ndarray:
    """Return the directions (n, 3) in which points begin to slip, whose middle has the first part of ``drift`` (6,) as
    velocity, and which turn with the second one: of one point in its first frame, of several in their second ones, whose body
    has the places.
    """
    found: np.ndarray = drift[:3] + np.cross(drift[3:], places - places.mean(axis=0))
    if len(rows) == 1:
        return found
    R = rows[:, cut_table.FRAME_2 : cut_table.FRAME_2 + 9].reshape(-1, 3, 3)
    return np.einsum("nij,ni->nj", R, found)


def _extent(core: np.ndarray) -> tuple[float, float, float]:
    kind, size = int(core[KIND]), core[SIZE : SIZE + 3].tolist()
    if kind == Kind.PLANE:
        return np.inf, np.inf, 0.0
    if kind == Kind.BOX:
        return size[0], size[1], size[2]
    return 0.0, 0.0, size[0] if kind == Kind.LINE else 0.0


def _corners(shape: np.ndarray) -> np.ndarray:
    """Return the points of a shape in its frame, shape (n, 3)."""
    kind, size = int(shape[KIND]), shape[SIZE : SIZE + 3]
    if kind == Kind.POINT:
        return np.zeros((1, 3))
    if kind == Kind.LINE:
        return np.array([[0.0, 0.0, size[0]], [0.0, 0.0, -size[0]]])
    if kind == Kind.BOX:
        signs = np.array([[x, y, z] for x in (1.0, -1.0) for y in (1.0, -1.0) for z in (1.0, -1.0)])
        return signs * size
    n = int(shape[N_POINTS])
    return np.array((ctypes.c_double * (3 * n)).from_address(int(shape[POINTS]))).reshape(n, 3)
