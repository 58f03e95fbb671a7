"""Prismatic joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..basics.directions import PLACE, TURN, Direction
from ..basics.rotations import frame_with_z
from .base import ElementaryMotion, JointState, RelativeMotion
from .limited import LimitedJoint


@dataclass(frozen=True)
class PrismaticJoint(LimitedJoint):
    """Translation of ``obj2`` relative to ``obj1`` along an axis.

    Attributes:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector, the same in both frames; stored normalised.
        s: initial distance [m] (without flange).
        v: initial velocity [m/s] (without flange).
        with_flange: the distance is a variable of the equations; ``s`` and ``v`` here are not used.
        lockable: a joint with a flange may be locked while a simulation runs (one without may always).
        limits: smallest and largest distance [m]; either may be infinite. None: there are none.
        at_limit: "stop": a hard end stop takes the speed away (a plastic impact), and holds the joint until it is pulled off;
            "error": the simulation ends with an error.
        cut, fixed: what is cut in a loop, and what keeps its initial values where loops are closed.
        can_collide: the two bodies that it joins directly may touch; None: where it slides on something fixed in the world.
    """

    axis: str | Sequence[float] = "z"
    s: float = 0.0
    v: float = 0.0

    kind: ClassVar[str] = "prismatic"
    directions: ClassVar[tuple[Direction, ...]] = (*PLACE[:2], *TURN)
    parallel: ClassVar[tuple[int, ...]] = (0, 1, 2)
    motions: ClassVar[tuple[ElementaryMotion, ...]] = (ElementaryMotion(True, 2, "s", "v"),)
    shape: ClassVar[Mapping[str, object]] = {"axis": "z"}

    def check(self, owner: str) -> None:
        self.set_axis(owner)
        self.set_states(owner)
        self.set_limits(owner)

    def axes(self) -> np.ndarray:
        return frame_with_z(self.axis)  # type: ignore[arg-type]

    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        axis = np.array(self.axis, dtype=float)
        return RelativeMotion(np.eye(3), q[0] * axis, v[0] * axis, np.zeros(3))

    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        axis = np.array(self.axis, dtype=float)
        return (float(motion.p_12_1 @ axis),), (float(motion.v_12_1 @ axis),)
