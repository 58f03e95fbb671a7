"""Loops that an action closes: the small motion that mating tolerates is removed as the segment begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from modiapy.acausal.segment import StateIndex
from modiapy.model.errors import ModelError

from ..constraints.kinds.cut_joint import cuts_of, openings
from ..constraints.projection import project
from ..dynamics.basics.layout import KIND, V_INDEX
from ..dynamics.joints.kinds import V_SIZE
from ..topology.appearance import Appearance
from ..topology.forest import Forest
from ..topology.states import transfer_state
from .change import Change
from .motion.configuration import Configuration

OPEN = 1e-6
"""Largest residual [m, rad] with which loops are closed; what is less is taken away when the segment begins."""
AT_REST = 1e-12
"""Speeds of loops that are none [m/s, rad/s]."""


def with_closed_loops(
    change: Change, forest: Forest, coordinates: Sequence[tuple[str, str]], state_index: StateIndex
) -> Change:
    """Return the change with a record of the speeds that closed loops take away, the least change in the metric of the mass
    matrix.

    Loops of what appears are closed by its own joints.

    Args:
        change: which connects something.
        forest: of the next segment.
        coordinates: names of coordinate and speed of the joints with a flange.
        state_index: see `modiapy.acausal.protocol.StateIndex`; a joint whose speed is no state cannot give way.

    Raises:
        ModelError: what closes a loop does not fit, or the joints cannot take the speeds.
    """
    before, n_e = change.after, forest.n_equation
    if not forest.cuts or before is None:
        return change
    if change.appearance is None:
        x = transfer_state(before.forest, before.x, before.motion_of, forest)
    else:
        x = transfer_state(before.forest, before.x, change.appearance.motion_of, forest, change.appearance.fresh)
    n_q = forest.nq - n_e
    q, v = np.concatenate((before.q[:n_e], x[:n_q])), np.concatenate((before.v[:n_e], x[n_q:]))
    present = Configuration(forest, q, v)
    change = change.beginning_with(forest, x)
    cuts, table = cuts_of(forest)
    residual, speed = openings(present, table)
    if not residual.size or (abs(residual).max() <= OPEN and abs(speed).max() <= AT_REST):
        return change
    fresh = _fresh(forest, change.appearance)
    try:
        closed = project(
            partial(Configuration, forest), cuts, q, v,
            tolerance=OPEN, free=(fresh, _free(forest, coordinates, state_index)),
        )  # fmt: skip
    except ModelError as error:
        error.remedy = "Bring what is to be connected together, and to the same speed, before."
        raise
    after = Configuration(forest, closed.q, closed.v)
    told = {"speeds_changed": _changed(before, after)} | ({"moved": _moved(forest, fresh, closed.moved)} if fresh.any() else {})
    return replace(change, begin=after.x if fresh.any() else x, info={**change.info, **told})


def _fresh(forest: Forest, appearance: Appearance | None) -> np.ndarray:
    """Return the speeds of passive joints that appear: their initial coordinates are guesses, but for fixed ones."""
    fresh = np.zeros(forest.nv, dtype=bool)
    if appearance is None:
        return fresh
    for edge in forest.graph.joints:
        if edge.equation < 0 and edge.name in forest.indices and not edge.joint.fixed and edge.name in appearance.fresh:
            body, _, k = forest.indices[edge.name]
            fresh[k : k + V_SIZE[forest.ints[body, KIND]]] = True
    return fresh


def _moved(forest: Forest, fresh: np.ndarray, moved: Mapping[str, tuple[float, ...]]) -> dict[str, list[float]]:
    return {name: list(part) for name, part in moved.items() if fresh[forest.indices[name][2]]}


def _changed(before: Configuration, after: Configuration) -> dict[str, list[float]]:
    """Return by how much the speeds of joints differ, by name, of those that are there before and after; cut ones, too."""
    graph, differences = after.forest.graph, dict[str, list[float]]()
    for name in before.forest.indices:
        if name in graph.joint_number and (name in after.forest.indices or any(cut.name == name for cut in after.forest.cuts)):
            speeds = zip(after.state_of(name)[1], before.state_of(name)[1], strict=True)
            differences[name] = [now - then for now, then in speeds]
    return {name: difference for name, difference in differences.items() if any(difference)}


def _free(forest: Forest, coordinates: Sequence[tuple[str, str]], state_index: StateIndex) -> np.ndarray:
    """Return the speeds that may change: of passive joints, and states of the equations; not of held joints."""
    free = np.ones(forest.nv, dtype=bool)
    for k, (_, speed) in enumerate(coordinates):
        free[k] = state_index(speed) is not None
    for body, name in enumerate(forest.body_names):
        if forest.structure.side_of(name) is not None:
            k = forest.ints[body, V_INDEX]
            free[k : k + V_SIZE[forest.ints[body, KIND]]] = False
    return free
