"""Which of the engine's states depend on which: trees that no force couples are independent of each other.

All work is linear in the entries, and done by numpy: a large scene is asked for it at every change of its structure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modiapy.acausal.protocol import Sparsity

from ..dynamics import layout
from ..forces.layout import BODY_1, BODY_2
from ..forces.table import ForceTable
from ..topology.forest import Forest
from .exchange import Exchange

# inputs: coordinates, speeds, states of massless points
_SETTERS = ("set_states", "set_states_with_forces", "set_states_with_points")
_WITHOUT_STATES = (
    *_SETTERS, "finish", "finish_with_signals", "switches", "prepare_signals", "prepare_cuts", "sense",
    "references", "reference_rates", "reference_accelerations",
)  # fmt: skip
"""Functions whose outputs depend on no state of the engine: tokens, switches, functions of time."""

_PASSIVE = (
    *_WITHOUT_STATES, "generalized_forces", "signal_forces", "limits", "energies",
    "sensed_value", "sensed_acceleration", "distance_acceleration", "cut",
)  # fmt: skip
"""Functions of which no input moves a state of the engine, but for those that are listed as moving them."""


def forest_sparsity(forest: Forest, forces: ForceTable, exchange: Exchange) -> Sparsity:
    """Sparsity of ``x_var = (q_h, v_h)``: each group of coupled trees is a dense block, with its joints with a flange.

    A free body that carries no other one and on which nothing acts but uniform gravity is less than a block: its position
    enters nothing, its angular velocity (in the body) changes by itself alone. Force signals couple the trees of their three
    frames. What sensors measure depends on the trees of their frames, those of all sensors together where they are read by the
    same function.

    Args:
        forest: of the segment.
        forces: its table of forces. exchange: force signals and sensors.
    """
    bodies = forest.frame_body
    signals = [[int(bodies[frame]) for frame in signal.frames] for signal in exchange.forces]
    blocks = _Blocks(forest, _groups(forest, forces, signals), _lone(forest, forces, signals))
    n_e = forest.n_equation
    equation = np.flatnonzero(forest.ints[:, layout.ROLE] == layout.EQUATION)
    driven = blocks.pairs(forest.ints[equation, layout.V_INDEX], equation)
    own = driven[:, ::-1]
    loaded = [(k, body) for k, on in enumerate(signals) for body in on if body >= 0]
    pushed = blocks.pairs(np.array([k for k, _ in loaded], dtype=np.int64), np.array([b for _, b in loaded], dtype=np.int64))
    nothing = np.zeros((0, 2), dtype=np.int64)
    point = np.repeat(forces.damped_rows[:, 3].astype(np.int64), 3)
    there = np.flatnonzero(point >= 0)
    displaced = blocks.pairs(there, forest.n + point[there])
    return Sparsity(
        *blocks.rows(),
        inputs={
            **dict.fromkeys(_PASSIVE, nothing),
            **dict.fromkeys(_SETTERS, np.concatenate([driven, driven + [0, n_e], displaced + [0, 2 * n_e]])),
            "finish": driven + [0, 1],
            "finish_with_signals": np.concatenate([driven + [0, 1], pushed + [0, 1 + n_e]]),
        },
        outputs={
            **dict.fromkeys(_WITHOUT_STATES, nothing),
            "generalized_forces": own,
            "signal_forces": own,
            "point_velocities": displaced[:, ::-1],
            **{name: blocks.seen(n, bodies[frames]) for name, (n, frames) in exchange.observed().items()},
        },
    )


class _Blocks:
    """States by the group of their body; ``lone`` are the bodies that `_lone` finds."""

    def __init__(self, forest: Forest, group: np.ndarray, lone: np.ndarray) -> None:
        self._group, self._forest, self._lone = group, forest, lone
        self._of_state = group[forest.x_body]
        self._order = np.argsort(self._of_state.astype(np.uint16) if group.size < 65536 else self._of_state, kind="stable")
        self._count = np.bincount(self._of_state, minlength=group.size)
        self._first = np.cumsum(self._count) - self._count

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Compressed rows: the states of a group depend on each other, those of a lone body as `_PATTERNS` say."""
        ints, n_e = self._forest.ints, self._forest.n_equation
        is_lone = np.zeros(self._group.size, dtype=bool)
        is_lone[self._lone] = True
        count = np.where(is_lone[self._of_state], 0, self._count[self._of_state])
        found = []
        for pattern in _PATTERNS:
            angles = ints[self._lone, layout.ORIENTATION] > 0
            bodies = self._lone[angles == (pattern.n_q < layout.Q_SIZE[layout.FREE])]
            if bodies.size:
                q, v = ints[bodies, layout.Q_INDEX] - n_e, ints[bodies, layout.V_INDEX] + self._forest.nq - 2 * n_e
                states = np.concatenate([q[:, None] + np.arange(pattern.n_q), v[:, None] + np.arange(6)], axis=1)
                count[states] = pattern.count
                found.append((pattern, states))
        starts = np.concatenate([[0], np.cumsum(count)])
        if not found:
            return starts, self._states(self._of_state)
        columns = np.empty(starts[-1], dtype=np.int64)
        dense = np.flatnonzero(~is_lone[self._of_state])
        size = count[dense]
        begin = np.cumsum(size) - size
        columns[np.repeat(starts[dense] - begin, size) + np.arange(size.sum())] = self._states(self._of_state[dense])
        for pattern, states in found:
            columns[starts[states[:, pattern.rows]] + pattern.places] = states[:, pattern.columns]
        return starts, columns

    def _states(self, groups: np.ndarray) -> np.ndarray:
        """States of each of the groups, one group behind the other."""
        first, count = self._first[groups], self._count[groups]
        behind = np.cumsum(count) - count
        return np.asarray(self._order[np.repeat(first - behind, count) + np.arange(count.sum())])

    def pairs(self, numbers: np.ndarray, bodies: np.ndarray) -> np.ndarray:
        """For each number the states that belong to the group of its body: rows (state, number)."""
        groups = self._group[bodies]
        return np.column_stack([self._states(groups), np.repeat(numbers, self._count[groups])])

    def seen(self, n_outputs: int, bodies: np.ndarray) -> np.ndarray:
        """Rows (output, state) of outputs that all depend on the groups of some bodies."""
        states = self._states(np.unique(self._group[bodies[bodies >= 0]]))
        return np.column_stack([np.repeat(np.arange(n_outputs), states.size), np.tile(states, n_outputs)])


class _Pattern:
    """What the derivatives of a lone free body's states ``r, orientation, v, w`` depend on.

    ``der(r)`` is v (in world); that of the orientation depends on itself and w (in the body). Unless the origin is the centre
    of mass, v changes with the orientation and w. The diagonal is always there.

    Attributes:
        n_q: number of coordinates.
        rows, columns, places: of the entries, among the states of the body, row by row; place of each in its row.
        count: number of entries in each row.
    """

    def __init__(self, n_q: int) -> None:
        self.n_q = n_q
        r, orientation = np.arange(3), np.arange(3, n_q)
        v, w = n_q + np.arange(3), n_q + 3 + np.arange(3)
        known = np.eye(n_q + 6, dtype=bool)
        known[r, v] = True
        for turned in (orientation, v):
            known[np.ix_(turned, np.concatenate([orientation, w]))] = True
        known[np.ix_(w, w)] = True
        self.rows, self.columns = np.nonzero(known)
        self.count = known.sum(axis=1)
        self.places = np.arange(self.rows.size) - (np.cumsum(self.count) - self.count)[self.rows]


_PATTERNS = tuple(_Pattern(layout.Q_SIZE[layout.FREE] - angles) for angles in (0, 1))
"""With a quaternion, with Cardan angles."""


def _lone(forest: Forest, forces: ForceTable, signals: Sequence[list[int]]) -> np.ndarray:
    """Free bodies that carry no other one, on which no force element and no force signal acts."""
    alone = forest.ints[:, layout.KIND] == layout.FREE
    parents = forest.ints[:, layout.PARENT]
    alone[parents[parents >= 0]] = False
    touched = np.array([body for on in signals for body in on], dtype=np.int64)
    touched = np.concatenate([touched, *forces.rows[:, [BODY_1, BODY_2]].astype(np.int64).T])
    alone[touched[(touched >= 0) & (touched < forest.n)]] = False
    return np.flatnonzero(alone)


def _groups(forest: Forest, forces: ForceTable, signals: Sequence[list[int]]) -> np.ndarray:
    """For each body, and massless point behind them, a number that is the same for all of coupled trees."""
    parents = forest.ints[:, layout.PARENT]
    root, above = np.arange(forest.n), np.where(parents < 0, np.arange(forest.n), parents)
    while not np.array_equal(root, above):  # twice as far up each time
        root, above = above, above[above]
    found = np.concatenate([root, forest.n + np.arange(len(forces.points))])
    if not len(forces.rows) and not any(signals):
        return found
    group = found.tolist()
    leader = list(range(len(group)))

    def first_of(k: int) -> int:
        while leader[k] != k:
            leader[k] = leader[leader[k]]
            k = leader[k]
        return k

    for coupled in (*forces.rows[:, [BODY_1, BODY_2]].astype(np.int64).tolist(), *signals):
        present = [first_of(group[body]) for body in coupled if body >= 0]
        for other in present:
            leader[other] = min(present)
    return np.array([first_of(g) for g in group], dtype=np.int64)
