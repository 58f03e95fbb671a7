"""Limits of joints at an event: which of them hold from now on, and which let go."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import numpy as np

from modiapy.acausal.protocol import Read
from modiapy.model.errors import SimulationError

from ..scene.joints import LimitedJoint
from ..topology.structure import Structure
from .joints import LockableJoint, LockableJoints, constraint_name
from .kinds.constraint import Present
from .kinds.joint_limit import JointLimit
from .kinds.unilateral import Phase, phase_of


@dataclass
class LimitPhases:
    """Joints at their limits at one moment, by name: the side. For the names see `Phase`."""

    holding: dict[str, int] = field(default_factory=dict)
    released: dict[str, int] = field(default_factory=dict)
    struck: dict[str, int] = field(default_factory=dict)
    resting: dict[str, int] = field(default_factory=dict)
    touching: dict[str, int] = field(default_factory=dict)


def find_limits(joints: LockableJoints, present: Present, a: np.ndarray, read: Read, time: float) -> LimitPhases:
    """Find the phases of the limits at one moment with the accelerations (nv,).

    Raises:
        SimulationError: a joint with ``at_limit="error"`` reaches a limit.
    """
    found, forest = LimitPhases(), present.forest
    for joint in joints.present(forest):
        at = forest.structure.side_of(joint.name)
        _, i, k = forest.indices[joint.name]
        side = at or joint.side_at(present.q[i])
        if side == 0:
            continue
        (row,) = JointLimit(joint.name, side).rows(present)
        push = JointLimit.push(side, read(constraint_name(joint.edge))) if row.active else 0.0
        phase = phase_of(row, present.v, a, push)
        if phase is not Phase.LEAVING:
            getattr(found, phase.value)[joint.name] = side
        if phase in (Phase.STRUCK, Phase.RESTING):
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
