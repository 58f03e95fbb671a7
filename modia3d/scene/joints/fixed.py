"""Rigid connection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..basics import checks
from ..basics.directions import PLACE, TURN, Direction
from ..basics.rotations import rotation_matrix
from .base import Joint, JointState, RelativeMotion


@dataclass(frozen=True)
class FixedJoint(Joint):
    """Rigid connection of ``obj2`` to ``obj1``: their bodies become one.

    Attributes:
        obj1, obj2: names of the two frames.
        translation: ``p_12_1`` [m].
        rotation: ``R_12``: Cardan angles about x, the new y and the new z [rad], or the matrix.
        cut, fixed: what is cut in a loop, and what keeps its initial values where loops are closed.
        can_collide: the two bodies that it joins directly may touch; None: where it slides on something fixed in the world.
    """

    translation: Sequence[float] = (0.0, 0.0, 0.0)
    rotation: Sequence[float] | Sequence[Sequence[float]] = (0.0, 0.0, 0.0)

    kind: ClassVar[str] = "fixed"
    directions: ClassVar[tuple[Direction, ...]] = (*PLACE, *TURN)
    parallel: ClassVar[tuple[int, ...]] = (0, 1, 2)

    def check(self, owner: str) -> None:
        object.__setattr__(self, "translation", checks.vector3(owner, "translation", self.translation))
        object.__setattr__(self, "rotation", checks.rotation(owner, "rotation", self.rotation))

    def axes(self) -> np.ndarray:
        return np.eye(3)

    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        none = np.zeros(3)
        return RelativeMotion(rotation_matrix(self.rotation), np.array(self.translation), none, none)

    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        return (), ()
