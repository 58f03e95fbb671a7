"""The constraints that a change of structure adds."""

from __future__ import annotations

from ..topology.structure import Structure
from .kinds.constraint import Constraint
from .kinds.locked_frames import LockedFrames
from .kinds.locked_joint import LockedJoint


def added_constraints(before: Structure, after: Structure, *, kept_states: bool = False) -> list[Constraint]:
    """Return the constraints that hold in ``after`` and not in ``before``; those of joints that rest at a limit from now
    on, too.

    Args:
        kept_states: only what leaves the forest as it is, so that the states go on: not locks of frames and of joints without a
            flange.
    """
    names = [joint.name for joint in after.locked if before.side_of(joint.name) is None]
    if kept_states:
        return [LockedJoint(name) for name in names]
    names += [joint.name for joint in after.welded if before.welded_state(joint.name) is None]
    locks = sorted(set(after.locks).difference(before.locks))
    return [*map(LockedJoint, dict.fromkeys(names)), *(LockedFrames(lock.frame_a, lock.frame_b) for lock in locks)]
