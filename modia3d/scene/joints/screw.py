"""Screw joint."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...dynamics.basics.turning import turn_about_z
from ..basics import checks
from ..basics.directions import AXIS, LEAD, PLACE, Direction
from ..basics.rotations import angle_about, axis_rotation, frame_with_z
from .base import Columns, ElementaryMotion, JointState, Kinematics, RelativeMotion, Rotation, Vector
from .limited import LimitedJoint


def pose(q: Sequence[float], k: int, parameter: float, orientation: int) -> tuple[Rotation, Vector]:
    """Return the rotation about z and advance along it, q = (phi), v = (w); the parameter is the distance per angle."""
    return turn_about_z(q[k]), (0.0, 0.0, parameter * q[k])


def columns(R: Rotation, parameter: float) -> Columns:
    """Return the motion subspace in J."""
    return (((0.0, 0.0, 1.0), (0.0, 0.0, parameter)),)


@dataclass(frozen=True)
class ScrewJoint(LimitedJoint):
    """Rotation of ``obj2`` relative to ``obj1`` about an axis, and translation along it in proportion to the angle.

    Attributes:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector, the same in both frames; stored normalised.
        pitch: advance for each revolution; positive for a right-hand thread [m].
        phi: initial angle [rad] (without flange).
        w: initial angular velocity [rad/s] (without flange).
        with_flange: the angle is a variable of the equations; ``phi`` and ``w`` here are not used.
        lockable: a joint with a flange may be locked while a simulation runs (one without may always).
        limits: smallest and largest angle [rad]; either may be infinite. None: there are none.
        at_limit: "stop": a hard end stop takes the speed away (a plastic impact), and holds the joint until it is pulled off;
            "error": the simulation ends with an error.
        cut, fixed: what is cut in a loop, and what keeps its initial values where loops are closed.
        can_collide: the two bodies that it joins directly may touch; None: where it slides on something fixed in the world.
    """

    axis: str | Sequence[float] = "z"
    pitch: float = 0.0
    phi: float = 0.0
    w: float = 0.0

    kind: ClassVar[str] = "screw"
    directions: ClassVar[tuple[Direction, ...]] = (*PLACE[:2], *AXIS, (LEAD, 0, 0))
    parallel: ClassVar[tuple[int, ...]] = (2,)
    kinematics: ClassVar[Kinematics] = Kinematics(1, 1, pose, columns)
    motions: ClassVar[tuple[ElementaryMotion, ...]] = (ElementaryMotion(False, 2, "phi", "w"),)
    shape: ClassVar[Mapping[str, object]] = {"axis": "z", "pitch": 0.0}
    note: ClassVar[str] = "An axial force F is the torque ``F*pitch/(2*pi)``."

    def check(self, owner: str) -> None:
        self.set_axis(owner)
        object.__setattr__(self, "pitch", checks.number(owner, "pitch", self.pitch))
        self.set_states(owner)
        self.set_limits(owner)

    @property
    def parameter(self) -> float:
        return self.pitch / (2.0 * math.pi)

    def axes(self) -> np.ndarray:
        return frame_with_z(self.axis)  # type: ignore[arg-type]

    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        axis, h = np.array(self.axis, dtype=float), self.parameter
        return RelativeMotion(axis_rotation(axis.tolist(), q[0]), h * q[0] * axis, h * v[0] * axis, v[0] * axis)

    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        axis, h = np.array(self.axis, dtype=float), self.parameter
        if h != 0.0:
            near = (float(motion.p_12_1 @ axis) / h,)
        return (angle_about(self.axes(), motion.R_12, near[0]),), (float(motion.w_12_1 @ axis),)
