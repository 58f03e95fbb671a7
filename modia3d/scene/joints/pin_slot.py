"""Pin in a slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...dynamics.basics.turning import turn_about_z
from ..basics.directions import AXIS, PLACE, Direction
from ..basics.rotations import angle_about, axis_rotation
from .base import Columns, ElementaryMotion, Joint, JointState, Kinematics, RelativeMotion, Rotation, Vector
from .planar import axis_in_plane


def pose(q: Sequence[float], k: int, parameter: float, orientation: int) -> tuple[Rotation, Vector]:
    """Return the translation along x of J, then rotation about z, q = (s, phi), v = (v, w)."""
    return turn_about_z(q[k + 1]), (q[k], 0.0, 0.0)


def columns(R: Rotation, parameter: float) -> Columns:
    """Return the motion subspace in J."""
    return ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), ((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class PinSlotJoint(Joint):
    """A pin of ``obj2`` slides in a straight slot of ``obj1``, and turns there about an axis across the slot.

    Attributes:
        obj1, obj2: names of the two frames.
        axis: of the pin: "x", ..., "-z" or a vector, the same in both frames; stored normalised.
        axis_x: direction of the slot in ``obj1`` (its part across the pin); "" for the axis that follows that of the pin in the
            order x, y, z (for a vector: that follows its largest component).
        s, phi: initial distance along the slot [m] and angle about the pin [rad].
        v, w: initial velocity [m/s] and angular velocity [rad/s].
        cut, fixed: what is cut in a loop, and what keeps its initial values where loops are closed.
        can_collide: the two bodies that it joins directly may touch; None: where it slides on something fixed in the world.

    Raises:
        ModelError: a field has the wrong type or value; the slot is along the pin.
    """

    axis: str | Sequence[float] = "z"
    axis_x: str | Sequence[float] = ""
    s: float = 0.0
    phi: float = 0.0
    v: float = 0.0
    w: float = 0.0

    kind: ClassVar[str] = "pin-slot"
    directions: ClassVar[tuple[Direction, ...]] = (*PLACE[1:], *AXIS)
    parallel: ClassVar[tuple[int, ...]] = (2,)
    kinematics: ClassVar[Kinematics] = Kinematics(2, 2, pose, columns)
    motions: ClassVar[tuple[ElementaryMotion, ...]] = (
        ElementaryMotion(True, 0, "s", "v"),
        ElementaryMotion(False, 2, "phi", "w"),
    )
    shape: ClassVar[Mapping[str, object]] = {"axis": "z", "axis_x": ""}
    angles: ClassVar[tuple[int, ...]] = (1,)

    def check(self, owner: str) -> None:
        self.set_axis(owner)
        self.set_states(owner)
        object.__setattr__(self, "axis_x", axis_in_plane(owner, self.axis, self.axis_x))

    def axes(self) -> np.ndarray:
        x, z = np.array(self.axis_x, dtype=float), np.array(self.axis, dtype=float)
        return np.column_stack([x, np.cross(z, x), z])

    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        x, _, z = self.axes().T
        return RelativeMotion(axis_rotation(z.tolist(), q[1]), q[0] * x, v[0] * x, v[1] * z)

    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        axes = self.axes()
        x, _, z = axes.T
        s, v, w = float(motion.p_12_1 @ x), float(motion.v_12_1 @ x), float(motion.w_12_1 @ z)
        return (s, angle_about(axes, motion.R_12, near[1])), (v, w)
