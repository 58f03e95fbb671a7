"""Speeds that jump: an impact between one structure and the next, at limits and at actions that bring things to rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from modiapy.model.errors import ModelError

from ..topology.structure import Structure
from .constraint_rows import limit_rows
from .guards import Guards
from .impact import impact
from .memory.slots import REST
from .motion.configuration import Configuration
from .segment import SegmentMemory

_PUSH = 1e6
"""A generalized force [N.m or N] to which everything answers that can be moved at all."""

_NOTHING = 1e-12
"""An answer below this part of an acceleration is rounding."""


@dataclass(frozen=True, eq=False)
class Stage:
    """Where an impact takes place: the present, or what that is when a change has given up what it gives up.

    Attributes:
        present: forest, coordinates and speeds.
        memory: with which they are evaluated.
        rates: evaluates the model there; derivatives of the states of the equations, shape (n_inv,).
    """

    present: Configuration
    memory: SegmentMemory
    rates: Callable[[], np.ndarray]


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


def jump(stage: Stage, structure: Structure, rows: np.ndarray, sides: Mapping[str, int]) -> Jump:
    """Bring ``rows`` of speeds to zero, while limits may push.

    Args:
        stage: before.
        structure: wanted afterwards, but for the joints at limits.
        rows: constraints on the speeds of the present forest, shape (m, nv).
        sides: joints that are at a limit and are held there, strike it or touch it (-1 lower, 1 upper).

    Raises:
        ModelError: see `impact`.
    """
    present, memory = stage.present, stage.memory
    forest = present.forest
    all_rows = np.vstack([rows, limit_rows(forest, sides)])
    one_sided = np.arange(len(all_rows)) >= len(rows)
    with Guards.let_go(forest, memory.guards):
        outcome = impact(all_rows, one_sided, present.v, memory.tau, memory.a, stage.rates, forest.joint_of_speed)
    v, held = outcome.v.copy(), {}
    for name, row in zip(sides, all_rows[len(rows) :], strict=True):
        if row @ v < -REST:
            raise _unstoppable(name)
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


def check_stoppable(stage: Stage, structure: Structure, prescribed: frozenset[str]) -> None:
    """Refuse to hold a joint with a flange that accelerates alike whatever force acts.

    A joint that is parked and known to be ``prescribed`` (`Guards.prescribed`) is not held.

    Where derivatives are not explicit that is not known, and nothing is refused.

    Raises:
        ModelError: names the joint.
    """
    forest, a = stage.present.forest, stage.memory.a
    before = forest.structure
    if structure.held == before.held:
        return
    parked = (assembly.equation_joints for assembly in forest.graph.assemblies if assembly.name in structure.deleted)
    following = prescribed.intersection(chain.from_iterable(parked))
    added = {joint.name for joint in structure.held if before.side_of(joint.name) is None} - following
    joints = [edge for edge in forest.graph.equation_joints if edge.name in added and edge.name in forest.place]
    places = [(edge.name, edge.equation) for edge in joints]
    if not places:
        return
    try:
        stage.rates()
        free = a.copy()
        answers = [_answer(stage, k) - free[k] for _, k in places]
        stage.rates()
    except ModelError:
        return
    for (name, k), answer in zip(places, answers, strict=True):
        if abs(answer) <= _NOTHING * (1.0 + abs(free[k])):
            raise _unstoppable(name)


def _answer(stage: Stage, k: int) -> float:
    """Acceleration of a speed on which a large force acts."""
    stage.memory.tau[k] = _PUSH
    try:
        stage.rates()
    finally:
        stage.memory.tau[k] = 0.0
    return float(stage.memory.a[k])


def _unstoppable(joint: str) -> ModelError:
    return ModelError(
        "the joint cannot be stopped, because its motion is prescribed",
        path=joint,
        found="the same acceleration whatever force acts",
        expected="a drive with a torque, e.g. a spring and damper between the reference and the joint",
        remedy="Or keep it away from its limits, and let what prescribes its motion bring it to rest.",
    )
