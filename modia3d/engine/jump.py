"""Speeds that jump: an impact between one structure and the next, at limits and at actions that bring things to rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..topology.structure import Structure
from .configuration import Configuration
from .constraint_rows import limit_rows
from .guards import Guards
from .impact import impact
from .segment import SegmentMemory
from .slots import REST


@dataclass(frozen=True, eq=False)
class Jump:
    """What an impact makes of the present.

    Attributes:
        structure: with the joints that limits hold afterwards.
        present: forest, coordinates and speeds afterwards, the forest still that of before.
        states: what is added to the states of the equations, shape (n_inv,).
        energy_lost: [J].
    """

    structure: Structure
    present: Configuration
    states: np.ndarray
    energy_lost: float


def jump(
    present: Configuration,
    structure: Structure,
    rows: np.ndarray,
    sides: Mapping[str, int],
    memory: SegmentMemory,
    rates: Callable[[], np.ndarray],
) -> Jump:
    """Bring ``rows`` of speeds to zero, while limits may push.

    Args:
        present: before.
        structure: wanted afterwards, but for the joints at limits.
        rows: constraints on the speeds of the present forest, shape (m, nv).
        sides: joints that are at a limit and are held there, strike it or touch it (-1 lower, 1 upper).
        memory: of the segment that ends.
        rates: see `SegmentStart.rates`.

    Raises:
        ModelError: see `impact`.
    """
    forest = present.forest
    all_rows = np.vstack([rows, limit_rows(forest, sides)])
    one_sided = np.arange(len(all_rows)) >= len(rows)
    with Guards.let_go(forest, memory.guards):
        outcome = impact(all_rows, one_sided, present.v, memory.tau, memory.a, rates)
    v, held = outcome.v.copy(), {}
    for k, (name, side) in enumerate(sides.items(), len(rows)):
        _, _, i = forest.place[name]
        was_held = forest.structure.side_of(name) is not None
        if outcome.impulses[k] > 0.0 or (was_held and abs(v[i]) <= REST):
            v[i], held[name] = 0.0, side
    for row in rows:
        if np.count_nonzero(row) == 1:  # one speed: exactly zero, in spite of rounding
            v[row != 0.0] = 0.0
    after = Configuration(forest, present.q, v)
    locked = {joint.name for joint in structure.held if joint.side == 0} | {joint.name for joint in structure.locked}
    wanted = {joint.name: joint.side for joint in structure.held if joint.side != 0 and joint.name not in sides}
    wanted |= {name: side for name, side in held.items() if name not in locked}
    return Jump(structure.holding(wanted), after, outcome.jump, outcome.energy_lost)
