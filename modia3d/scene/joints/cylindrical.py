"""Cylindrical joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...dynamics.basics.turning import turn_about_z
from ..basics.directions import AXIS, PLACE, Direction
from ..basics.rotations import angle_about, axis_rotation, frame_with_z
from .base import Columns, ElementaryMotion, Joint, JointState, Kinematics, RelativeMotion, Rotation, Vector


def pose(q: Sequence[float], k: int, parameter: float, orientation: int) -> tuple[Rotation, Vector]:
    """Return the translation along z and rotation about it, q = (s, phi), v = (v, w)."""
    return turn_about_z(q[k + 1]), (0.0, 0.0, q[k])


def columns(R: Rotation, parameter: float) -> Columns:
    """Return the motion subspace in J."""
    return ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), ((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class CylindricalJoint(Joint):
    """Translation of ``obj2`` relative to ``obj1`` along an axis, and rotation about it.

    Attributes:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector, the same in both frames; stored normalised.
        s, phi: initial distance [m] and angle [rad].
        v, w: initial velocity [m/s] and angular velocity [rad/s].
        cut, fixed: what is cut in a loop, and what keeps its initial values where loops are closed.
        can_collide: the two bodies that it joins directly may touch; None: where it slides on something fixed in the world.
    """

    axis: str | Sequence[float] = "z"
    s: float = 0.0
    phi: float = 0.0
    v: float = 0.0
    w: float = 0.0

    kind: ClassVar[str] = "cylindrical"
    directions: ClassVar[tuple[Direction, ...]] = (*PLACE[:2], *AXIS)
    parallel: ClassVar[tuple[int, ...]] = (2,)
    kinematics: ClassVar[Kinematics] = Kinematics(2, 2, pose, columns)
    motions: ClassVar[tuple[ElementaryMotion, ...]] = (
        ElementaryMotion(True, 2, "s", "v"),
        ElementaryMotion(False, 2, "phi", "w"),
    )
    shape: ClassVar[Mapping[str, object]] = {"axis": "z"}
    angles: ClassVar[tuple[int, ...]] = (1,)

    def check(self, owner: str) -> None:
        self.set_axis(owner)
        self.set_states(owner)

    def axes(self) -> np.ndarray:
        return frame_with_z(self.axis)  # type: ignore[arg-type]

    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        axis = np.array(self.axis, dtype=float)
        return RelativeMotion(axis_rotation(axis.tolist(), q[1]), q[0] * axis, v[0] * axis, v[1] * axis)

    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        axis = np.array(self.axis, dtype=float)
        s, v, w = (float(vector @ axis) for vector in (motion.p_12_1, motion.v_12_1, motion.w_12_1))
        return (s, angle_about(self.axes(), motion.R_12, near[1])), (v, w)
