"""Plastic impacts between one structure and the next: speeds that constraints demand at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import numpy as np

from modiapy.acausal.segment import Rates
from modiapy.model.errors import ModelError

from ..topology.structure import Structure
from .impulse import holding_impulses, solve_impulses
from .joints import released_limits
from .kinds.constraint import Constraint, Present, rows_of
from .kinds.row import Row, Rows
from .responses import responses
from .tables.limit_table import REST

_PUSH = 1e6
"""A generalized force [N.m or N] to which everything answers that can be moved at all."""

_SHORT = 1e-3
"""Duration [s] over which an impulse is spread to see whether dry friction would give way under its force."""

_NOTHING = 1e-12
"""An answer below this part of an acceleration, or of the largest answer, is rounding."""


class Memory(Protocol):
    """Memory with which the present is evaluated.

    Attributes:
        tau, a: generalized forces applied besides all others, zero but in an impact, and the accelerations of the last
            evaluation, shape (nv,).
        lockable: the joints that may be locked, see `limit_table`.
        roles: of the joints, shape (n,), see `modia3d.dynamics.basics.layout`.
        locked_rows: see `joints.released_limits`.
    """

    tau: np.ndarray
    a: np.ndarray
    lockable: np.ndarray
    roles: np.ndarray

    @property
    def locked_rows(self) -> np.ndarray | None: ...


@dataclass(eq=False)
class Stage:
    """Present in which an impact takes place, or what that is when a change has given up what it gives up.

    Attributes:
        present: forest, coordinates and speeds.
        memory: with which they are evaluated.
        rates: evaluates the model there; derivatives of the states of the equations, shape (n_inv,).
    """

    present: Present
    memory: Memory
    rates: Rates

    def without_limits(self) -> AbstractContextManager[None]:
        """Return no limit holds a joint while this lasts."""
        return released_limits(self.memory.roles, self.memory.lockable, self.memory.locked_rows)


@dataclass(frozen=True, eq=False)
class Impact:
    """Outcome of an impact for the present.

    Attributes:
        v: speeds of the bodies afterwards, shape (nv,).
        states: what is added to the states of the equations, shape (n_inv,).
        rows: the rows of the constraints. impulses: of each of them [N.s or N.m.s], shape (m,).
        closed: owners of unilateral constraints that hold afterwards.
        energy_lost: kinetic energy that is lost [J], that of rotors included.
    """

    v: np.ndarray
    states: np.ndarray
    rows: Rows
    impulses: np.ndarray
    closed: frozenset[str]
    energy_lost: float


def impact(stage: Stage, constraints: Iterable[Constraint], returning: Collection[str] = ()) -> Impact:
    """Compute the impact that stops bilateral constraints, while unilateral ones may push.

    Args:
        stage: before.
        constraints: what is to hold; of limits those at which joints are and are locked there, strike them or touch them.
        returning: owners of unilateral constraints that open, but would close again at once: they do not open.

    Raises:
        ModelError: the accelerations are not affine in the forces, the impulses are not determined, or the speeds that would
            have to jump are imposed.
    """
    present, memory = stage.present, stage.memory
    forest, rows = present.forest, rows_of(constraints, present)
    with stage.without_limits():
        to_speeds, to_states = responses(present, rows.G, memory.tau, memory.a, stage.rates)
    A, w = rows.G @ to_speeds, rows.G @ present.v
    p = solve_impulses(A, w, rows.unilateral)
    if returning:
        kept = ~rows.unilateral | np.array([row.owner in returning for row in rows])
        p += holding_impulses(A, w + A @ p, kept, rows.unilateral)
    after = w + A @ p
    if np.abs(after[~rows.unilateral]).max(initial=0.0) > 1e-8 * (1.0 + np.abs(w).max()):
        raise _unmet(rows, after, to_speeds, forest.joint_of_speed)
    energy = -0.5 * float(p @ (w + after))
    v, closed = settled(rows, present.v + to_speeds @ p, p, returning)
    return Impact(v, to_states @ p, rows, p, closed, energy)


def settled(
    rows: Sequence[Row], v: np.ndarray, p: np.ndarray, returning: Collection[str] = ()
) -> tuple[np.ndarray, frozenset[str]]:
    """Return the speeds after an impact, exactly zero where they are to be in spite of rounding; owners of closed
    unilateral rows.
    """
    for row in rows:
        if row.unilateral and row.G @ v < -REST:
            raise unstoppable(row.owner)
    closed = set()
    for row, push in zip(rows, p, strict=True):
        held = row.active or row.owner in returning
        holds = not row.unilateral or push > 0.0 or (held and abs(row.G @ v) <= REST)
        if holds and np.count_nonzero(row.G) == 1:
            v[row.G != 0.0] = 0.0
        if holds and row.unilateral:
            closed.add(row.owner)
    return v, frozenset(closed)


def _unmet(rows: Rows, after: np.ndarray, to_speeds: np.ndarray, name_of: Callable[[int], str]) -> ModelError:
    """Return the error where the speeds ``after`` an impact (m,) are left."""
    size = np.abs(to_speeds).max(axis=1, initial=0.0)
    imposed = rows.G.any(axis=0) & (size <= _NOTHING * size.max(initial=0.0))
    names = dict.fromkeys(name_of(int(k)) for k in np.flatnonzero(imposed))
    left = [f"{speed:.3g} of {row}" for row, speed in zip(rows, after, strict=True) if not row.unilateral]
    return ModelError(
        "the bodies cannot be stopped by an impact",
        found=f"relative speeds left: {', '.join(left)}"
        + (f"; the motion of {', '.join(names)} is prescribed" if names else ""),
        expected="speeds that the masses and the equations leave free",
        remedy="A drive that prescribes the motion takes no impulse; bring both to the same speed before.",
    )


def check_stoppable(stage: Stage, structure: Structure, imposed: frozenset[str]) -> None:
    """Refuse to hold a joint with a flange that accelerates alike whatever force acts.

    One that dry friction holds can be held: friction gives way under the force. A joint that is parked and whose motion is
    known to be ``imposed`` (`LockableJoints.imposed`) is not locked.

    Where derivatives are not explicit that is not known, and nothing is refused.

    Raises:
        ModelError: names the joint.
    """
    forest, a = stage.present.forest, stage.memory.a
    before = forest.structure
    if structure.locked == before.locked:
        return
    parked = (assembly.prescribed_joints for assembly in forest.graph.assemblies if assembly.name in structure.deleted)
    following = imposed.intersection(chain.from_iterable(parked))
    added = {joint.name for joint in structure.locked if before.side_of(joint.name) is None} - following
    joints = [edge for edge in forest.graph.prescribed_joints if edge.name in added and edge.name in forest.indices]
    places = [(edge.name, edge.equation) for edge in joints]
    if not places:
        return
    try:
        stage.rates()
        free = a.copy()
        fixed = [name for name, k in places if not _answers(stage, k, float(free[k]))]
        stage.rates()
    except ModelError:
        return
    if fixed:
        raise unstoppable(fixed[0])


def _answers(stage: Stage, k: int, free: float) -> bool:
    """Return whether a large force changes the acceleration ``free`` of a speed, or a relation of the equations."""
    tau = stage.memory.tau
    tau[k] = _PUSH
    try:
        stage.rates()
        return abs(stage.memory.a[k] - free) > _NOTHING * (1.0 + abs(free)) or bool(stage.rates.giving_way())
    finally:
        tau[k] = 0.0


def rigid_friction(stage: Stage, impact: Impact) -> Sequence[str]:
    """Return the relations of the equations, as texts, that the forces of an impact would change.

    Dry friction is such a relation. An impact is computed with the relations as they are: what sticks takes part of the
    impulse without a bound.
    """
    memory = stage.memory
    memory.tau[:] = impact.rows.G.T @ impact.impulses / _SHORT
    try:
        with stage.without_limits():
            return stage.rates.giving_way()
    finally:
        memory.tau[:] = 0.0


def unstoppable(joint: str) -> ModelError:
    """Return the error where a joint's motion is imposed."""
    return ModelError(
        "the joint cannot be stopped, because its motion is prescribed",
        path=joint,
        found="the same acceleration whatever force acts",
        expected="a drive with a torque, e.g. a spring and damper between the reference and the joint",
        remedy="Or keep it away from its limits, and let what prescribes its motion bring it to rest.",
    )
