"""Free motion between two frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ...dynamics.basics.algebra import columns as columns_of
from ...dynamics.basics.turning import rotation as rotation_of
from ..basics import checks
from ..basics.directions import Direction
from ..basics.rotations import coordinates_near, coordinates_of, matrix_of, rotation_matrix
from .base import Columns, ElementaryMotion, Joint, JointState, Kinematics, RelativeMotion, Rotation, Vector
from .spherical import CARDAN_MOTIONS, CARDAN_NOTE, cardan_order, orientation_names


def pose(q: Sequence[float], k: int, parameter: float, orientation: int) -> tuple[Rotation, Vector]:
    """Return any motion: q = (``p_JB_J``, description of ``R_JB``), v = (der(``p_JB_J``), ``w_JB_B``)."""
    return rotation_of(orientation, q, k + 3), (q[k], q[k + 1], q[k + 2])


def columns(R: Rotation, parameter: float) -> Columns:
    """Return the motion subspace in J."""
    x, y, z = columns_of(R)
    none = (0.0, 0.0, 0.0)
    return (none, (1.0, 0.0, 0.0)), (none, (0.0, 1.0, 0.0)), (none, (0.0, 0.0, 1.0)), (x, none), (y, none), (z, none)


@dataclass(frozen=True)
class FreeMotionJoint(Joint):
    """No constraint at all: the coordinates are the motion of ``obj2`` relative to ``obj1``, which may itself move.

    Attributes:
        obj1, obj2: names of the two frames.
        translation: initial ``p_12_1`` [m].
        rotation: initial ``R_12``: Cardan angles about x, the new y and the new z [rad], or the matrix.
        velocity: initial ``v_12_1``, as seen from ``obj1`` and resolved in ``obj1`` [m/s].
        angular_velocity: initial ``w_12_1``, relative to ``obj1`` and resolved in ``obj1`` [rad/s].
        orientation: as `Spherical`.
        cut, fixed: what is cut in a loop, and what keeps its initial values where loops are closed.
        can_collide: the two bodies may touch each other; here they may by default, for nothing joins them.
    """

    translation: Sequence[float] = (0.0, 0.0, 0.0)
    rotation: Sequence[float] | Sequence[Sequence[float]] = (0.0, 0.0, 0.0)
    velocity: Sequence[float] = (0.0, 0.0, 0.0)
    angular_velocity: Sequence[float] = (0.0, 0.0, 0.0)
    orientation: str = "quaternion"  # type: ignore[assignment, mutable-override]
    can_collide: bool | None = field(default=True, kw_only=True)

    kind: ClassVar[str] = "six-dof"
    directions: ClassVar[tuple[Direction, ...]] = ()
    kinematics: ClassVar[Kinematics] = Kinematics(7, 6, pose, columns, orientation_at=3)
    motions: ClassVar[tuple[ElementaryMotion, ...]] = (
        *(ElementaryMotion(True, i, f"s_{axis}", f"v_{axis}") for i, axis in enumerate("xyz")),
        *CARDAN_MOTIONS,
    )
    shape: ClassVar[Mapping[str, object]] = {"orientation": "xyz"}
    note: ClassVar[str] = f"Distances are along the axes of ``obj1``. {CARDAN_NOTE}"

    def check(self, owner: str) -> None:
        object.__setattr__(self, "rotation", checks.rotation(owner, "rotation", self.rotation))
        for name in ("translation", "velocity", "angular_velocity"):
            object.__setattr__(self, name, checks.vector3(owner, name, getattr(self, name)))
        checks.orientation(owner, self.orientation)

    def state_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        position, velocity = (tuple(f"{name}[{i}]" for i in range(3)) for name in ("r", "v"))
        return position + orientation_names(self.orientation), velocity + tuple(f"w[{i}]" for i in range(3))

    def axes(self) -> np.ndarray:
        return np.eye(3)

    def start(self, sequence: str) -> JointState:
        R = rotation_matrix(self.rotation)
        w_12_2 = tuple((R.T @ self.angular_velocity).tolist())
        return (*self.translation, *coordinates_of(sequence, R)), (*self.velocity, *w_12_2)

    def order(self) -> tuple[ElementaryMotion, ...]:
        return *self.motions[:3], *cardan_order("FreeMotion", self.orientation, self.motions[3:])

    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        R = matrix_of(sequence, q[3:])
        return RelativeMotion(R, np.array(q[:3]), np.array(v[:3]), R @ np.array(v[3:]))

    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        w_12_2 = motion.R_12.T @ motion.w_12_1
        q = (*motion.p_12_1.tolist(), *coordinates_near(sequence, motion.R_12, near[3:]))
        return q, (*motion.v_12_1.tolist(), *w_12_2.tolist())
