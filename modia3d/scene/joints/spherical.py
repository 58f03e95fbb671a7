"""Spherical joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modiapy.model.errors import ModelError

from ...dynamics.basics.algebra import columns as columns_of
from ...dynamics.basics.turning import rotation as rotation_of
from ..basics import checks
from ..basics.directions import PLACE, Direction
from ..basics.rotations import SEQUENCES, coordinates_near, coordinates_of, matrix_of, rotation_matrix
from .base import Columns, ElementaryMotion, Joint, JointState, Kinematics, RelativeMotion, Rotation, Vector

CARDAN_MOTIONS = tuple(ElementaryMotion(False, i, f"phi_{axis}", f"w_{axis}") for i, axis in enumerate("xyz"))
CARDAN_NOTE = (
    "The angles are Cardan angles about three axes in turn, in the order that ``orientation`` says; ``w_x`` and so on are their"
    " derivatives. Where the second angle is an odd multiple of pi/2, the first and the third axis are the same, and near it"
    " both turn as fast as they like: choose an order in which that is out of reach."
)


def cardan_order(owner: str, orientation: str, motions: Sequence[ElementaryMotion]) -> tuple[ElementaryMotion, ...]:
    """Return the steps about x, y and z in the order of a Cardan sequence. Raises ModelError if that is none."""
    if orientation not in SEQUENCES:
        raise ModelError(
            f"orientation of {owner}WithFlanges is wrong",
            found=repr(orientation),
            expected=", ".join(SEQUENCES),
            remedy="Each of three angles has a flange.",
        )
    return tuple(motions["xyz".index(axis)] for axis in orientation)


def pose(q: Sequence[float], k: int, parameter: float, orientation: int) -> tuple[Rotation, Vector]:
    """Return any rotation: q describes ``R_JB``, v = ``w_JB_B``."""
    return rotation_of(orientation, q, k), (0.0, 0.0, 0.0)


def columns(R: Rotation, parameter: float) -> Columns:
    """Return the motion subspace in J: the axes of B."""
    x, y, z = columns_of(R)
    return (x, (0.0, 0.0, 0.0)), (y, (0.0, 0.0, 0.0)), (z, (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class SphericalJoint(Joint):
    """Any rotation of ``obj2`` relative to ``obj1``; the origins stay together.

    Attributes:
        obj1, obj2: names of the two frames.
        rotation: initial ``R_12``: Cardan angles about x, the new y and the new z [rad], or the matrix.
        angular_velocity: initial ``w_12_1``, relative to ``obj1`` and resolved in ``obj1`` [rad/s].
        orientation: coordinates of the rotation: "quaternion", Cardan angles about three axes in turn ("xyz", "yzx", "zxy",
            "xzy", "yxz", "zyx"), or "auto" for Cardan angles whose sequence changes near its singularity. Speeds are ``w_12_2``
            whatever the choice: it changes the integrator's steps, not the motion.
        cut, fixed: what is cut in a loop, and what keeps its initial values where loops are closed.
        can_collide: the two bodies that it joins directly may touch; None: where it slides on something fixed in the world.
    """

    rotation: Sequence[float] | Sequence[Sequence[float]] = (0.0, 0.0, 0.0)
    angular_velocity: Sequence[float] = (0.0, 0.0, 0.0)
    orientation: str = "quaternion"  # type: ignore[assignment, mutable-override]

    kind: ClassVar[str] = "spherical"
    directions: ClassVar[tuple[Direction, ...]] = PLACE
    kinematics: ClassVar[Kinematics] = Kinematics(4, 3, pose, columns, orientation_at=0)
    motions: ClassVar[tuple[ElementaryMotion, ...]] = CARDAN_MOTIONS
    shape: ClassVar[Mapping[str, object]] = {"orientation": "xyz"}
    note: ClassVar[str] = CARDAN_NOTE
    turns: ClassVar[bool] = True

    def check(self, owner: str) -> None:
        object.__setattr__(self, "rotation", checks.rotation(owner, "rotation", self.rotation))
        object.__setattr__(self, "angular_velocity", checks.vector3(owner, "angular_velocity", self.angular_velocity))
        checks.orientation(owner, self.orientation)

    def state_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return orientation_names(self.orientation), tuple(f"w[{i}]" for i in range(3))

    def axes(self) -> np.ndarray:
        return np.eye(3)

    def start(self, sequence: str) -> JointState:
        R = rotation_matrix(self.rotation)
        return coordinates_of(sequence, R), tuple((R.T @ self.angular_velocity).tolist())

    def order(self) -> tuple[ElementaryMotion, ...]:
        return cardan_order("Spherical", self.orientation, self.motions)

    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        R, none = matrix_of(sequence, q), np.zeros(3)
        return RelativeMotion(R, none, none, R @ v)

    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        w_12_2 = motion.R_12.T @ motion.w_12_1
        return coordinates_near(sequence, motion.R_12, near), tuple(w_12_2.tolist())


def orientation_names(orientation: str) -> tuple[str, ...]:
    """Return the names of the coordinates of an orientation."""
    return tuple(f"q[{i}]" for i in range(4)) if orientation == "quaternion" else tuple(f"phi[{i}]" for i in range(3))
