"""Which of the engine's states depend on which: trees that no force element couples are independent of each other."""

from __future__ import annotations

import numpy as np

from modiapy.acausal.protocol import Sparsity

from ..dynamics import layout
from ..forces.layout import BODY_1, BODY_2
from ..forces.table import ForceTable
from ..topology.forest import Forest


def forest_sparsity(forest: Forest, forces: ForceTable) -> Sparsity:
    """Sparsity of ``x_var = (q_h, v_h)``: each group of coupled trees is a dense block, with its joints with a flange.

    Args:
        forest: of the segment.
        forces: its table of forces.
    """
    n_e, n_x, n_q = forest.n_equation, forest.n_x, forest.nq - forest.n_equation
    group = _groups(forest, forces)
    of_state = np.empty(n_x, dtype=np.int64)
    joints: dict[int, list[int]] = {}
    place = forest.ints[:, [layout.Q_INDEX, layout.V_INDEX]].tolist()
    for body, k in forest.hidden:
        (q, v), (at_q, at_v) = forest.graph.state_names[k], place[body]
        of_state[at_q - n_e : at_q - n_e + len(q)] = group[body]
        of_state[n_q + at_v - n_e : n_q + at_v - n_e + len(v)] = group[body]
    for body in np.flatnonzero(forest.ints[:, layout.ROLE] != layout.HIDDEN).tolist():
        joints.setdefault(group[body], []).append(place[body][1])

    order = np.argsort(of_state, kind="stable")
    blocks = np.split(order, np.flatnonzero(np.diff(of_state[order])) + 1)
    sizes = np.empty(n_x, dtype=np.int64)
    for block in blocks:
        sizes[block] = block.size
    starts = np.concatenate([[0], np.cumsum(sizes)])
    columns = np.empty(starts[-1], dtype=np.int64)
    own, driven = [np.zeros((0, 2), dtype=np.int64)], [np.zeros((0, 2), dtype=np.int64)]
    for block in blocks:
        if not block.size:
            continue
        columns[starts[block][:, None] + np.arange(block.size)] = block
        for joint in joints.get(int(of_state[block[0]]), ()):
            driven.append(np.column_stack([block, np.full(block.size, joint)]))
            own.append(driven[-1][:, ::-1])
    pairs, nothing = np.concatenate(driven), np.zeros((0, 2), dtype=np.int64)
    states = np.concatenate([pairs, pairs + [0, n_e]])  # inputs are coordinates, then speeds
    setters = ("set_states", "set_states_with_forces")
    others = ("references", "reference_rates", "reference_accelerations")
    return Sparsity(
        starts,
        columns,
        inputs={**dict.fromkeys(setters, states), "finish": pairs + [0, 1], "generalized_forces": nothing},
        outputs={**dict.fromkeys((*setters, *others, "finish"), nothing), "generalized_forces": np.concatenate(own)},
    )


def _groups(forest: Forest, forces: ForceTable) -> list[int]:
    """For each body, and massless point behind them, a number that is the same for all of coupled trees. Parents come first."""
    group: list[int] = []
    for body, parent in enumerate(forest.ints[:, layout.PARENT].tolist()):
        group.append(body if parent < 0 else group[parent])
    group += range(forest.n, forest.n + len(forces.points))
    for one, other in forces.rows[:, [BODY_1, BODY_2]].astype(np.int64).tolist():
        if one >= 0 and other >= 0 and group[one] != group[other]:
            old, new = group[other], group[one]
            group = [new if g == old else g for g in group]
    return group
