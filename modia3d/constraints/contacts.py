"""What happens at the limits of joints at an event: which of them hold from now on, and which let go."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import numpy as np

from modiapy.acausal.protocol import Read
from modiapy.model.errors import SimulationError

from ..scene.joints import LimitedJoint
from ..topology.forest import Forest
from ..topology.structure import Structure
from .joints import HoldableJoint, HoldableJoints, constraint_name
from .tables.limit_table import REST


@dataclass
class Contacts:
    """Joints at their limits at one moment, by name: the side.

    Attributes:
        holding: held, and pressed against the limit.
        released: held, but pulled away from the limit.
        struck: they reach the limit with a speed.
        resting: free and at rest there, pressed against it.
        touching: free and at rest there, not pressed against it.
    """

    holding: dict[str, int] = field(default_factory=dict)
    released: dict[str, int] = field(default_factory=dict)
    struck: dict[str, int] = field(default_factory=dict)
    resting: dict[str, int] = field(default_factory=dict)
    touching: dict[str, int] = field(default_factory=dict)


def find_contacts(
    joints: HoldableJoints, forest: Forest, q: np.ndarray, v: np.ndarray, a: np.ndarray, read: Read, time: float
) -> Contacts:
    """What happens at the limits, from coordinates (nq,), speeds and accelerations (nv,).

    Raises:
        SimulationError: a joint with ``at_limit="error"`` reaches a limit.
    """
    found = Contacts()
    for joint in joints.present(forest):
        held = forest.structure.side_of(joint.name)
        _, i, k = forest.place[joint.name]
        side = held or joint.side_at(q[i])
        if side == 0:
            continue
        inwards = side * v[k]
        if held is not None:
            pressed = -side * read(constraint_name(joint.edge)) > -REST
            (found.holding if pressed else found.released)[joint.name] = side
        elif inwards > REST:
            found.struck[joint.name] = side
            _check_allowed(joint, side, float(v[k]), time)
        elif inwards >= -REST:
            pressed = side * a[k] > REST
            (found.resting if pressed else found.touching)[joint.name] = side
            if pressed:
                _check_allowed(joint, side, float(v[k]), time)
    return found


def _check_allowed(holdable: HoldableJoint, side: int, speed: float, time: float) -> None:
    joint = holdable.edge.joint
    assert isinstance(joint, LimitedJoint)
    if joint.at_limit == "error":
        raise SimulationError(
            f"the joint reaches {holdable.text(side)}",
            time=time,
            path=holdable.name,
            found=f"{joint.state_names()[1][0]} = {speed:.6g}",
            remedy='Keep it away by its drive, or let an end stop hold it: at_limit="stop".',
        )


def structure_after(structure: Structure, sides: Mapping[str, int], closed: Set[str]) -> Structure:
    """The structure after an impact.

    Args:
        structure: wanted, but for the joints at limits.
        sides: joints whose limits took part. closed: those of them that limits hold afterwards.
    """
    locked = {joint.name for joint in structure.held if joint.side == 0} | {joint.name for joint in structure.locked}
    wanted = {joint.name: joint.side for joint in structure.held if joint.side != 0 and joint.name not in sides}
    wanted |= {name: side for name, side in sides.items() if name in closed and name not in locked}
    return structure.holding(wanted)
