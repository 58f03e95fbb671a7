"""Which of the engine's states depend on which: trees that no force couples are independent of each other.

All work is linear in the entries, and done by numpy: a large scene is asked for it at every change of its structure.
"""

from __future__ import annotations

from collections.abc import Iterable

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

    Force signals couple the trees of their three frames. What sensors measure depends on the trees of their frames, those of
    all sensors together where they are read by the same function.

    Args:
        forest: of the segment.
        forces: its table of forces. exchange: force signals and sensors.
    """
    bodies = forest.frame_body
    signals = [[int(bodies[frame]) for frame in signal.frames] for signal in exchange.forces]
    blocks = _Blocks(forest, _groups(forest, forces, signals))
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
    """States by the group of their body."""

    def __init__(self, forest: Forest, group: np.ndarray) -> None:
        self._group = group
        self._of_state = group[forest.x_body]
        self._order = np.argsort(self._of_state, kind="stable")
        self._count = np.bincount(self._of_state, minlength=group.size)
        self._first = np.cumsum(self._count) - self._count

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Compressed rows: the states of a group depend on each other."""
        count = self._count[self._of_state]
        return np.concatenate([[0], np.cumsum(count)]), self._states(self._of_state)

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


def _groups(forest: Forest, forces: ForceTable, signals: Iterable[list[int]]) -> np.ndarray:
    """For each body, and massless point behind them, a number that is the same for all of coupled trees."""
    group: list[int] = []
    for body, parent in enumerate(forest.ints[:, layout.PARENT].tolist()):  # parents come first
        group.append(body if parent < 0 else group[parent])
    group += range(forest.n, forest.n + len(forces.points))
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
