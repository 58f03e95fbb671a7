"""Contacts at rest as rows of constraints: which pairs of shapes can have rows, and the rows of those that are held."""

from __future__ import annotations

import ctypes

import numpy as np

from ...collision.tables import BODY, KIND, N_POINTS, P_BS, POINTS, R_BS, ROUND, SIZE, Kind
from ...constraints.kinds.resting_contact import RestingContact
from ...constraints.tables import cut_table
from ...constraints.tables.cut_directions import KINDS
from ...dynamics.basics.layout import PARENT, PRESCRIBED, ROLE
from ...forces.contact.layout import (
    ACTIVE,
    BODY_1,
    BODY_2,
    DRIFT,
    HELD,
    HELD_POINTS,
    LIFT,
    MU_K,
    MU_S,
    PHASE,
    RESPONSE,
    RIGID,
    ROLLING,
    V_SMALL,
    Phase,
)
from ...topology.forest import Forest
from .contact_memory import ContactMemory

MOST_POINTS = 48
"""Corners of a shape that are held as points: they are bits of a number."""
CREEP = 1e-3
"""Part of the slow velocity of a pair below which its slip has no direction."""
_CORES = (Kind.POINT, Kind.LINE, Kind.BOX)


def can_rest(memory: ContactMemory, forest: Forest) -> np.ndarray:
    """Which near pairs may be held by rows (mask), see ``docs/impacts.md``: rigid ones of a plane with a shape that has corners
    or round ends, or of a sphere with a box, capsule or sphere; without rolling resistance, in trees that no joint with a
    flange moves."""
    rigid: np.ndarray = (memory.pairs[:, RESPONSE] == RIGID) & (memory.pairs[:, ROLLING] == 0.0)
    if not rigid.any():
        return rigid
    rows, kinds = memory.pairs, memory.shapes[memory.listed, KIND].reshape(-1, 2)
    corners = memory.shapes[memory.listed, N_POINTS].reshape(-1, 2)
    fits = [_sides(*map(int, pair), *n) is not None for pair, n in zip(kinds, corners, strict=True)]
    trees = connected(forest)
    driven = np.zeros(forest.n + 1, dtype=bool)
    driven[trees[:-1][forest.ints[:, ROLE] == PRESCRIBED]] = True
    driven[-1] = False
    moved: np.ndarray = driven[trees[rows[:, [BODY_1, BODY_2]].astype(np.int64)]].any(axis=1)
    return rigid & np.array(fits, dtype=bool) & ~moved


def connected(forest: Forest) -> np.ndarray:
    """For each body a number that is the same for all that joints and cuts connect; the last one is the world's."""
    tree = np.arange(forest.n + 1)
    for body, parent in enumerate(forest.ints[:, PARENT].tolist()):
        tree[body] = tree[parent] if parent >= 0 else body
    for cut in forest.cuts:
        one, other = (int(forest.frame_pose(frame)[0]) for frame in (cut.frame_1, cut.frame_2))
        if one >= 0 and other >= 0:
            tree[tree == tree[one]] = tree[other]
    return tree


def _sides(one: int, other: int, n_one: float, n_other: float) -> tuple[int, int] | None:
    """Which of two kinds (0, 1) is the core, and which has the points; None where there are no rows."""
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
        able: which pairs there are rows for, mask (m,).
    """

    def __init__(self, memory: ContactMemory, forest: Forest, names: list[tuple[str, str]]) -> None:
        self._memory, self._names = memory, names
        self.able = can_rest(memory, forest)
        self._points: dict[int, np.ndarray] = {}

    def points(self, k: int) -> np.ndarray:
        """All points of a pair, rows of `cut_table` of the kind "touching point"; frame 1 is that of the core."""
        found = self._points.get(k)
        if found is None:
            found = self._points[k] = self._make(k)
        return found

    def _make(self, k: int) -> np.ndarray:
        pair = self._memory.pairs[k]
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
        rows[:, cut_table.FRICTION], rows[:, cut_table.SLOW] = pair[MU_K], CREEP * pair[V_SMALL]
        rows[:, cut_table.PAIR], rows[:, cut_table.SPAN] = k, 1.0
        return rows

    def _frames(self, k: int) -> tuple[str, str]:
        """Frames of the core and of the points."""
        one, other = self._names[k]
        return (one, other) if self._sides_of(k)[0] == 0 else (other, one)

    def _sides_of(self, k: int) -> tuple[int, int]:
        shapes = self._memory.shapes[self._memory.listed[k]]
        sides = _sides(*(int(shape[KIND]) for shape in shapes), *(shape[N_POINTS] for shape in shapes))
        assert sides is not None
        return sides

    def held_points(self, k: int) -> np.ndarray:
        """Which points of a pair are held, mask."""
        bits = int(self._memory.pairs[k, HELD_POINTS])
        return np.array([bool(bits >> i & 1) for i in range(len(self.points(k)))])

    def patch(self, k: int, held: np.ndarray) -> RestingContact:
        """What keeps the pair from slipping, where these points (mask) are held: in their middle."""
        rows = self.points(k)[held]
        row, places = rows[0].copy(), rows[:, cut_table.FRAME_2 + 9 : cut_table.FRAME_2 + 12]
        middle = places.mean(axis=0)
        row[cut_table.FRAME_2 + 9 : cut_table.FRAME_2 + 12] = middle
        kind = "sticking point" if len(rows) == 1 else "sticking face"
        if len(rows) > 1:
            row[cut_table.SPAN] = np.linalg.norm(places - middle, axis=1).mean()
        row[cut_table.KIND] = KINDS.index(kind)
        return RestingContact(", ".join(self._names[k]), kind, row, *self._frames(k))

    @property
    def held(self) -> list[RestingContact]:
        """The rows of all pairs that are held."""
        found = list[RestingContact]()
        for k in np.flatnonzero(self._memory.pairs[:, ACTIVE] == HELD).tolist():
            pair, mask = self._memory.pairs[k], self.held_points(k)
            slides = pair[PHASE] != Phase.RESTING and pair[MU_K] > 0.0
            kind, name = "sliding contact" if slides else "contact", ", ".join(self._names[k])
            rows = self.points(k)[mask].copy()
            rows[:, cut_table.KIND] = KINDS.index(kind)
            if pair[PHASE] == Phase.STARTING:
                rows[:, cut_table.DRIFT : cut_table.DRIFT + 3] = drifts(rows, pair[DRIFT : DRIFT + 6])
                rows[:, cut_table.CARRIED] = float(len(rows) > 1)
            for row, number in zip(rows, np.flatnonzero(mask).tolist(), strict=True):
                text = name if len(mask) == 1 else f"{name}, point {number + 1}"
                found.append(RestingContact(text, kind, row, *self._frames(k)))
            if pair[PHASE] == Phase.RESTING and pair[MU_S] > 0.0:
                found.append(self.patch(k, mask))
        return found

    @property
    def idle(self) -> np.ndarray:
        """Points of pairs that are held, which are not."""
        held = np.flatnonzero(self._memory.pairs[:, ACTIVE] == HELD).tolist()
        rows = np.concatenate([np.zeros((0, cut_table.COLUMNS)), *(self.points(k)[~self.held_points(k)] for k in held)])
        rows[:, cut_table.ROUNDING] -= self._memory.pairs[rows[:, cut_table.PAIR].astype(np.int64), LIFT]
        return rows


def drifts(rows: np.ndarray, drift: np.ndarray) -> np.ndarray:
    """Directions (n, 3) in which points begin to slip, whose middle has the first part of ``drift`` (6,) as velocity, and which
    turn with the second one."""
    places = rows[:, cut_table.FRAME_2 + 9 : cut_table.FRAME_2 + 12]
    found: np.ndarray = drift[:3] + np.cross(drift[3:], places - places.mean(axis=0))
    return found


def _extent(core: np.ndarray) -> tuple[float, float, float]:
    kind, size = int(core[KIND]), core[SIZE : SIZE + 3].tolist()
    if kind == Kind.PLANE:
        return np.inf, np.inf, 0.0
    if kind == Kind.BOX:
        return size[0], size[1], size[2]
    return 0.0, 0.0, size[0] if kind == Kind.LINE else 0.0


def _corners(shape: np.ndarray) -> np.ndarray:
    """Points of a shape in its frame, shape (n, 3)."""
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
