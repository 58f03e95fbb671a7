"""Revolute joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..basics.directions import AXIS, PLACE, Direction
from ..basics.rotations import angle_about, axis_rotation, frame_with_z
from .base import ElementaryMotion, JointState, RelativeMotion
from .limited import LimitedJoint


@dataclass(frozen=True)
class RevoluteJoint(LimitedJoint):
    """Rotation of ``obj2`` relative to ``obj1`` about an axis through both origins.

    Attributes:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector, the same in both frames; stored normalised.
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
    phi: float = 0.0
    w: float = 0.0

    kind: ClassVar[str] = "revolute"
    directions: ClassVar[tuple[Direction, ...]] = (*PLACE, *AXIS)
    parallel: ClassVar[tuple[int, ...]] = (2,)
    turns: ClassVar[bool] = True
    angles: ClassVar[tuple[int, ...]] = (0,)
    motions: ClassVar[tuple[ElementaryMotion, ...]] = (ElementaryMotion(False, 2, "phi", "w"),)
    shape: ClassVar[Mapping[str, object]] = {"axis": "z"}

    def check(self, owner: str) -> None:
        self.set_axis(owner)
        self.set_states(owner)
        self.set_limits(owner)

    def axes(self) -> np.ndarray:
        return frame_with_z(self.axis)  # type: ignore[arg-type]

    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        axis, none = np.array(self.axis, dtype=float), np.zeros(3)
        return RelativeMotion(axis_rotation(axis.tolist(), q[0]), none, none, v[0] * axis)

    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        phi = angle_about(self.axes(), motion.R_12, near[0])
        return (phi,), (float(motion.w_12_1 @ np.array(self.axis, dtype=float)),)
