"""Planar joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modiapy.model.errors import ModelError

from ...dynamics.basics.turning import turn_about_z
from ..basics import checks
from ..basics.directions import AXIS, PLACE, Direction
from ..basics.rotations import angle_about, axis_rotation, frame_with_z
from .base import Columns, ElementaryMotion, Joint, JointState, Kinematics, RelativeMotion, Rotation, Vector


def pose(q: Sequence[float], k: int, parameter: float, orientation: int) -> tuple[Rotation, Vector]:
    """Return the translation along x and y of J, then rotation about z, q = (s_x, s_y, phi), v = (v_x, v_y, w)."""
    return turn_about_z(q[k + 2]), (q[k], q[k + 1], 0.0)


def columns(R: Rotation, parameter: float) -> Columns:
    """Return the motion subspace in J."""
    x, y = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), ((0.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    return x, y, ((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))


def axis_in_plane(owner: str, axis: str | Sequence[float], axis_x: str | Sequence[float]) -> tuple[float, ...]:
    """Return the part of ``axis_x`` across the unit vector ``axis``, normalised; of "" that of the axis that follows ``axis``.

    Raises:
        ModelError: it is no direction, or that of ``axis``.
    """
    z = np.array(axis, dtype=float)
    if isinstance(axis_x, str) and not axis_x:
        return tuple(frame_with_z(z.tolist())[:, 0].tolist())
    x = np.array(checks.unit_vector(owner, "axis_x", axis_x))
    x = x - (x @ z) * z
    if np.linalg.norm(x) < 1e-6:
        raise ModelError(
            f"axis_x of {owner} is along axis", found=f"{axis_x!r}, the direction of axis", expected="a direction across axis"
        )
    return tuple((x / np.linalg.norm(x)).tolist())


@dataclass(frozen=True)
class PlanarJoint(Joint):
    """Translation of ``obj2`` relative to ``obj1`` in a plane of ``obj1``, and rotation about its normal.

    Attributes:
        obj1, obj2: names of the two frames.
        axis: normal of the plane: "x", ..., "-z" or a vector, the same in both frames; stored normalised.
        axis_x: direction of ``s_x`` in ``obj1`` (its part in the plane); "" for the axis that follows the normal in the order
            x, y, z (for a vector: that follows its largest component). The direction of ``s_y`` completes a right-handed frame.
        s_x, s_y, phi: initial distances [m] and angle [rad].
        v_x, v_y, w: initial velocities [m/s] and angular velocity [rad/s].
        cut, fixed: what is cut in a loop, and what keeps its initial values where loops are closed.
        can_collide: the two bodies that it joins directly may touch; None: where it slides on something fixed in the world.

    Raises:
        ModelError: a field has the wrong type or value; ``axis_x`` is normal to the plane.
    """

    axis: str | Sequence[float] = "z"
    axis_x: str | Sequence[float] = ""
    s_x: float = 0.0
    s_y: float = 0.0
    phi: float = 0.0
    v_x: float = 0.0
    v_y: float = 0.0
    w: float = 0.0

    kind: ClassVar[str] = "planar"
    directions: ClassVar[tuple[Direction, ...]] = (PLACE[2], *AXIS)
    parallel: ClassVar[tuple[int, ...]] = (2,)
    kinematics: ClassVar[Kinematics] = Kinematics(3, 3, pose, columns)
    motions: ClassVar[tuple[ElementaryMotion, ...]] = (
        ElementaryMotion(True, 0, "s_x", "v_x"),
        ElementaryMotion(True, 1, "s_y", "v_y"),
        ElementaryMotion(False, 2, "phi", "w"),
    )
    shape: ClassVar[Mapping[str, object]] = {"axis": "z", "axis_x": ""}
    angles: ClassVar[tuple[int, ...]] = (2,)

    def check(self, owner: str) -> None:
        self.set_axis(owner)
        self.set_states(owner)
        object.__setattr__(self, "axis_x", axis_in_plane(owner, self.axis, self.axis_x))

    def axes(self) -> np.ndarray:
        x, z = np.array(self.axis_x, dtype=float), np.array(self.axis, dtype=float)
        return np.column_stack([x, np.cross(z, x), z])

    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        R = self.axes()
        turned = axis_rotation(R[:, 2].tolist(), q[2])
        return RelativeMotion(turned, R @ (q[0], q[1], 0.0), R @ (v[0], v[1], 0.0), v[2] * R[:, 2])

    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        R = self.axes()
        (s_x, s_y, _), (v_x, v_y, _) = ((R.T @ vector).tolist() for vector in (motion.p_12_1, motion.v_12_1))
        return (s_x, s_y, angle_about(R, motion.R_12, near[2])), (v_x, v_y, float(motion.w_12_1 @ R[:, 2]))
