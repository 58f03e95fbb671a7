"""Limits of joints at an event: which of them hold from now on, and which let go.

Limits at rest at one instant are one linear complementarity problem, as contacts are (`contact_rest`): what a limit bears
pushes other joints into theirs, or off them. Joints that strike are brought to rest by `impact`. What that throws off a limit
slowly, while forces press it there, would strike again and again, each time sooner (Zeno's paradox) and at last too soon to be
seen: it returns (`Phase.RETURNING`), and is held with what strikes.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import numpy as np

from modiapy.acausal.segment import SignalReader
from modiapy.model.errors import ModelError, SimulationError

from ..scene.joints import LimitedJoint
from ..topology.structure import Structure
from .impact import Stage
from .impulse import solve_impulses
from .joints import LockableJoint, LockableJoints, constraint_name
from .kinds.constraint import Present, rows_of
from .kinds.joint_limit import JointLimit
from .kinds.unilateral import Phase, phase_of
from .responses import responses
from .tables.limit_table import LOWER, REST, UPPER


@dataclass
class LimitPhases:
    """Joints at their limits at one moment, by name: the side. For the names see `Phase`."""

    holding: dict[str, int] = field(default_factory=dict)
    released: dict[str, int] = field(default_factory=dict)
    struck: dict[str, int] = field(default_factory=dict)
    returning: dict[str, int] = field(default_factory=dict)
    resting: dict[str, int] = field(default_factory=dict)
    touching: dict[str, int] = field(default_factory=dict)

    @property
    def at_rest(self) -> dict[str, int]:
        """Limits that neither strike nor move away."""
        return self.holding | self.released | self.resting | self.touching

    @property
    def all(self) -> dict[str, int]:
        """All but those that move away."""
        return self.at_rest | self.struck | self.returning


def find_limits(
    joints: LockableJoints, present: Present, a: np.ndarray, table: np.ndarray, read: SignalReader, time: float
) -> LimitPhases:
    """Find the phases of the limits at one moment.

    Args:
        joints: of the graph.
        present: forest, coordinates and speeds.
        a: accelerations, shape (nv,).
        table: of the joints in the segment, see `LockableJoints.table`.
        read: reads variables of the equations.
        time: [s].

    Raises:
        SimulationError: a joint with ``at_limit="error"`` reaches a limit.
    """
    found, forest = LimitPhases(), present.forest
    rows = dict(zip((joint.name for joint in joints.all), table, strict=True))
    for joint in joints.present(forest):
        at = forest.structure.side_of(joint.name)
        _, i, k = forest.indices[joint.name]
        side = at or joint.side_at(present.q[i])
        if side == 0:
            continue
        (row,) = JointLimit(joint.name, side).rows(present)
        push = JointLimit.push(side, read(constraint_name(joint.edge))) if row.active else 0.0
        beyond = not rows[joint.name][LOWER] < present.q[i] < rows[joint.name][UPPER]
        phase = phase_of(row, present.v, a, push, beyond=beyond)
        if phase is Phase.RETURNING and joint.name in joints.imposed:
            phase = Phase.LEAVING
        if phase is not Phase.LEAVING:
            getattr(found, phase.value)[joint.name] = side
        if phase in (Phase.STRUCK, Phase.RETURNING, Phase.RESTING):
            _check_allowed(joint, side, float(present.v[k]), time)
    return found


def _check_allowed(lockable: LockableJoint, side: int, speed: float, time: float) -> None:
    joint = lockable.edge.joint
    assert isinstance(joint, LimitedJoint)
    if joint.at_limit == "error":
        raise SimulationError(
            f"the joint reaches {lockable.text(side)}",
            time=time,
            path=lockable.name,
            found=f"{joint.state_names()[1][0]} = {speed:.6g}",
            remedy='Keep it away by its drive, or let an end stop hold it: at_limit="stop".',
        )


def settle_limits(stage: Stage, found: LimitPhases) -> dict[str, int]:
    """Return the limits that hold from now on, of those at rest: the solution of their complementarity problem.

    With the rows G of all of them, ``A = G M^-1 G^T`` and their accelerations b where none holds, forces f obey ``b + A f >= 0,
    f >= 0, f (b + A f) = 0``. One alone is its own solution, as are several of which none changes. Where the accelerations are
    not affine in forces each of them is decided on its own, and where only a share of a push would have to pull that others, on
    which it depends, can bear alone.
    """
    alone = found.holding | found.resting
    if len(found.at_rest) < 2:
        return alone
    constraints = [JointLimit(name, side) for name, side in found.at_rest.items()]
    rows, memory = rows_of(constraints, stage.present), stage.memory
    try:
        with stage.without_limits():
            to_speeds, _ = responses(stage.present, rows.G, memory.tau, memory.a, stage.rates)
            b = rows.G @ memory.a + rows.gamma
        A = rows.G @ to_speeds
        f = solve_impulses(A, b, rows.unilateral)
    except ModelError:
        return alone
    finally:
        stage.rates()
    left = b + A @ f
    holds = set()
    for row, push, a in zip(rows, f, left, strict=True):
        stays = row.owner in found.holding and a <= REST
        if push > REST or a < -REST or stays:  # an acceleration into a limit is left where nothing can push
            holds.add(row.owner)
    settled = {name: side for name, side in found.at_rest.items() if name in holds}
    return alone if settled == found.holding | found.released else settled


def structure_after(structure: Structure, sides: Mapping[str, int], closed: Set[str]) -> Structure:
    """Return the structure after an impact.

    Args:
        structure: wanted, but for the joints at limits.
        sides: joints whose limits took part. closed: those of them that limits hold afterwards.
    """
    locked = {joint.name for joint in structure.locked if joint.side == 0} | {joint.name for joint in structure.welded}
    wanted = {joint.name: joint.side for joint in structure.locked if joint.side != 0 and joint.name not in sides}
    wanted |= {name: side for name, side in sides.items() if name in closed and name not in locked}
    return structure.with_limits(wanted)
