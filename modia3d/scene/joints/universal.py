"""Universal joint."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modiapy.model.errors import ModelError

from ...dynamics.basics.turning import rotate_about
from ..basics.directions import ANGLE, PLACE, Direction
from ..basics.rotations import angle_near, axis_rotation
from .base import Columns, ElementaryMotion, Joint, JointState, Kinematics, RelativeMotion, Rotation, Vector


def pose(q: Sequence[float], k: int, parameter: float, orientation: int) -> tuple[Rotation, Vector]:
    """Return the rotation about x, then about the new y, q = (phi_a, phi_b), v = (w_a, w_b)."""
    R = rotate_about((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), 0, q[k])
    return rotate_about(R, 1, q[k + 1]), (0.0, 0.0, 0.0)


def columns(R: Rotation, parameter: float) -> Columns:
    """Return the motion subspace in J; the second axis is the second column of ``R_JB`` and turns with the first angle."""
    return ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)), ((R[1], R[4], R[7]), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class UniversalJoint(Joint):
    """Rotation of ``obj2`` relative to ``obj1`` about an axis fixed in ``obj1``, then about a second one fixed in ``obj2``.

    Attributes:
        obj1, obj2: names of the two frames.
        axis_a: axis fixed in ``obj1``: "x", ..., "-z" or a vector; stored normalised.
        axis_b: axis fixed in ``obj2``, perpendicular to ``axis_a``.
        phi_a, phi_b: initial angles about the two axes [rad].
        w_a, w_b: initial angular velocities about the two axes [rad/s].
        cut, fixed: what is cut in a loop, and what keeps its initial values where loops are closed.
        can_collide: the two bodies that it joins directly may touch; None: where it slides on something fixed in the world.

    Raises:
        ModelError: a field has the wrong type or value; the axes are not perpendicular.
    """

    axis_a: str | Sequence[float] = "x"
    axis_b: str | Sequence[float] = "y"
    phi_a: float = 0.0
    phi_b: float = 0.0
    w_a: float = 0.0
    w_b: float = 0.0

    kind: ClassVar[str] = "universal"
    directions: ClassVar[tuple[Direction, ...]] = (*PLACE, (ANGLE, 0, 1))
    kinematics: ClassVar[Kinematics] = Kinematics(2, 2, pose, columns, turned_by=((1, 0),))
    motions: ClassVar[tuple[ElementaryMotion, ...]] = (
        ElementaryMotion(False, 0, "phi_a", "w_a"),
        ElementaryMotion(False, 1, "phi_b", "w_b"),
    )
    shape: ClassVar[Mapping[str, object]] = {"axis_a": "x", "axis_b": "y"}
    turns: ClassVar[bool] = True
    angles: ClassVar[tuple[int, ...]] = (0, 1)

    def check(self, owner: str) -> None:
        self.set_axis(owner, "axis_a")
        self.set_axis(owner, "axis_b")
        self.set_states(owner)
        a, b = np.array(self.axis_a, dtype=float), np.array(self.axis_b, dtype=float)
        if abs(a @ b) > 1e-6:
            raise ModelError(
                "the axes of a universal joint must be perpendicular",
                found=f"axis_a={self.axis_a}, axis_b={self.axis_b}",
                remedy="Two Revolute joints with an Object3D between them can have any axes.",
            )
        b -= (a @ b) * a
        object.__setattr__(self, "axis_b", tuple((b / np.linalg.norm(b)).tolist()))

    def axes(self) -> np.ndarray:
        a, b = np.array(self.axis_a, dtype=float), np.array(self.axis_b, dtype=float)
        return np.column_stack([a, b, np.cross(a, b)])

    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        a, b, none = np.array(self.axis_a, dtype=float), np.array(self.axis_b, dtype=float), np.zeros(3)
        first, second = axis_rotation(a.tolist(), q[0]), axis_rotation(b.tolist(), q[1])
        return RelativeMotion(first @ second, none, none, v[0] * a + v[1] * (first @ b))

    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        axes = self.axes()
        R, w = axes.T @ motion.R_12 @ axes, axes.T @ motion.w_12_1
        phi_a, phi_b = math.atan2(R[2, 1], R[1, 1]), math.atan2(R[0, 2], R[0, 0])
        w_b = math.cos(phi_a) * float(w[1]) + math.sin(phi_a) * float(w[2])
        return (angle_near(phi_a, near[0]), angle_near(phi_b, near[1])), (float(w[0]), w_b)
