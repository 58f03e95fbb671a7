"""Sparsity of the engine's states: trees that no force couples are independent of each other.

All work is linear in the entries, and done by numpy: a large scene is asked for it at every change of its structure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from modiapy.acausal.segment import Sparsity

from ..dynamics.basics import layout
from ..forces.basics.layout import BODY_1, BODY_2
from ..forces.table import ForceTable
from ..topology.forest import Forest
from .exchange.exchange import Exchange

# inputs: coordinates, speeds, states of massless points
_SETTERS = ("set_states", "set_states_with_forces", "set_states_with_points")
_WITHOUT_STATES = (
    *_SETTERS, "close_loops", "finish", "switches", "prepare_signals", "prepare_cuts",
    "sense", "references", "reference_rates", "reference_accelerations",
)  # fmt: skip
"""Functions whose outputs depend on no state of the engine: tokens, switches, functions of time."""

_PASSIVE = (
    *_WITHOUT_STATES, "generalized_forces", "signal_forces", "limits", "energies",
    "sensed_value", "sensed_contact", "sensed_acceleration", "distance_acceleration", "cut",
)  # fmt: skip
"""Functions of which no input moves a state of the engine, but for those that are listed as moving them."""


USUAL_ENTRIES = 8
"""So many entries a row has room for at first: four of a body that moves alone, all states of what is coupled."""

NO_PAIRS = np.zeros((0, 2), dtype=np.int64)
"""Of functions that have nothing to do with the engine's states."""


_ALONE = dict.fromkeys((*_PASSIVE, *_SETTERS), NO_PAIRS)
_UNSEEN = dict.fromkeys((*_WITHOUT_STATES, "generalized_forces", "signal_forces", "point_velocities"), NO_PAIRS)
"""Inputs and outputs where the equations neither move nor know anything."""


def forest_sparsity(
    forest: Forest, forces: ForceTable, exchange: Exchange, touching: np.ndarray = NO_PAIRS, held: np.ndarray = NO_PAIRS
) -> Sparsity:
    """Return the sparsity of ``x_var = (q_h, v_h)``: each group of coupled trees is a dense block, with its joints with a
    flange.

    A free body that carries no other one and on which nothing acts but uniform gravity is less than a block: its position
    enters nothing, its angular velocity (in the body) changes by itself alone. Force signals couple the trees of their three
    frames, cut joints those of both. Trees that touch depend on each other, not on what touches the other one. What sensors
    measure depends on the trees of their frames, those of all sensors together where they are read by the same function.

    Args:
        forest: of the segment.
        forces: its table of forces. exchange: force signals and sensors.
        touching: pairs of bodies that touch, held: those that contacts hold together, shape (m, 2).
    """
    bodies = forest.frame_body
    signals = [[int(bodies[frame]) for frame in signal.frames] for signal in exchange.forces]
    blocks = _Blocks(forest, forces, [*signals, *cut_bodies(forest), *held.tolist()], touching)
    n_e = forest.n_equation
    observed = {name: blocks.seen(n, bodies[frames]) for name, (n, frames) in exchange.observed().items()}
    if not (n_e or signals or len(forces.damped)):
        return Sparsity(*blocks.rows, inputs=_ALONE, outputs={**_UNSEEN, **observed} if observed else _UNSEEN)
    equation = np.flatnonzero(forest.ints[:, layout.ROLE] == layout.PRESCRIBED)
    driven = blocks.pairs(forest.ints[equation, layout.V_INDEX], equation)
    own = driven[:, ::-1]
    loaded = [(k, body) for k, on in enumerate(signals) for body in on if body >= 0]
    pushed = blocks.pairs(np.array([k for k, _ in loaded], dtype=np.int64), np.array([b for _, b in loaded], dtype=np.int64))
    point = np.repeat(forces.damped_rows[:, 3].astype(np.int64), 3)
    there = np.flatnonzero(point >= 0)
    displaced = blocks.pairs(there, forest.n + point[there])
    return Sparsity(
        *blocks.rows,
        inputs={
            **dict.fromkeys(_PASSIVE, NO_PAIRS),
            **dict.fromkeys(_SETTERS, np.concatenate([driven, driven + [0, n_e], displaced + [0, 2 * n_e]])),
            "finish": np.concatenate([driven + [0, 1], pushed + [0, 1 + n_e]]),
        },
        outputs={
            **dict.fromkeys(_WITHOUT_STATES, NO_PAIRS),
            "generalized_forces": own,
            "signal_forces": own,
            "point_velocities": displaced[:, ::-1],
            **observed,
        },
    )


def cut_bodies(forest: Forest) -> list[list[int]]:
    """Return the two bodies of each cut joint."""
    return [forest.frame_body[[cut.frame_1, cut.frame_2]].tolist() for cut in forest.cuts]


@cache
def _rows() -> Callable[..., Any]:
    from .kernels.sparsity import rows

    return rows.call  # type: ignore[no-any-return]


class _Blocks:
    """States by the group of their body: what is coupled is a group. Groups that touch see each other.

    Attributes:
        rows: compressed rows: the states of a group depend on each other. Of a lone body, which is one of its own, ``der(r)``
            is v (in world), that of the orientation depends on itself and w (in the body), v changes with the orientation and w
            unless the origin is the centre of mass, w with itself. The diagonal is always there.
    """

    def __init__(self, forest: Forest, forces: ForceTable, coupled: Sequence[list[int]], touching: np.ndarray) -> None:
        n_groups, n_x = forest.n + len(forces.points), forest.n_x
        together = _together(forces, coupled) if coupled or len(forces) else NO_PAIRS
        given = forest.ints, forest.nq, forest.n_equation, n_x, n_groups, together, np.ascontiguousarray(touching)
        head, room = 3 * n_groups + 2 * n_x + 1, USUAL_ENTRIES * n_x
        memory = np.empty(head + room, np.int64)
        size: int = _rows()(*given, memory)
        if size > room:
            memory = np.empty(head + size, np.int64)
            _rows()(*given, memory)
        self._group, self._first, self._count = memory[: 3 * n_groups].reshape(3, n_groups)
        self._order, starts = memory[3 * n_groups : head - n_x - 1], memory[head - n_x - 1 : head]
        self.rows = starts, memory[head : head + size]
        if touching.size:
            self._see(touching)

    def _see(self, touching: np.ndarray) -> None:
        """Make the groups of bodies that touch depend on each other's states."""
        pairs = self._group[touching[(touching >= 0).all(axis=1)]]
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        own = np.arange(len(self._count))
        one, other = np.unique(np.concatenate([np.column_stack([own, own]), pairs, pairs[:, ::-1]]), axis=0).T
        of_group = np.repeat(own, self._count)  # of each state in `_order`
        states, count = self._states(other), np.bincount(one, self._count[other], len(own)).astype(np.int64)
        first = np.cumsum(count) - count
        starts, columns = self.rows
        at, length = starts[:-1] + states.size, np.diff(starts)
        sees = np.flatnonzero(np.isin(of_group, pairs))
        at[self._order[sees]], length[self._order[sees]] = first[of_group[sees]], count[of_group[sees]]
        self.rows = np.concatenate([[0], np.cumsum(length)]), _pieces(np.concatenate([states, columns]), at, length)
        self._order, self._first, self._count = states, first, count

    def _states(self, groups: np.ndarray) -> np.ndarray:
        """Return the states of each of the groups, one group behind the other."""
        if not groups.size:
            return self._order[:0]
        return _pieces(self._order, self._first[groups], self._count[groups])

    def pairs(self, numbers: np.ndarray, bodies: np.ndarray) -> np.ndarray:
        """Return for each number the states that belong to the group of its body: rows (state, number)."""
        if not numbers.size:
            return NO_PAIRS
        groups = self._group[bodies]
        return np.column_stack([self._states(groups), np.repeat(numbers, self._count[groups])])

    def seen(self, n_outputs: int, bodies: np.ndarray) -> np.ndarray:
        """Return the rows (output, state) of outputs that all depend on the groups of some bodies."""
        states = self._states(np.unique(self._group[bodies[bodies >= 0]]))
        return np.column_stack([np.repeat(np.arange(n_outputs), states.size), np.tile(states, n_outputs)])


def _pieces(numbers: np.ndarray, first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return the pieces of an array, of which the first places and the lengths are given, one behind the other."""
    behind = np.cumsum(count) - count
    return np.asarray(numbers[np.repeat(first - behind, count) + np.arange(count.sum())])


def _together(forces: ForceTable, coupled: Sequence[list[int]]) -> np.ndarray:
    """Return the bodies, and massless points behind them, that forces and other things couple, in rows of three, filled with
    -1.
    """
    pairs = forces.rows[:, [BODY_1, BODY_2]].astype(np.int64).tolist()
    return np.array([[*on, -1][:3] for on in (*pairs, *coupled)], dtype=np.int64).reshape(-1, 3)
