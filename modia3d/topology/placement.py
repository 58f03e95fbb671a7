"""Placement of an assembly that appears."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

from ..scene.basics import checks
from ..scene.basics.rotations import rotation_matrix
from .motion import WORLD_AT_REST, FrameMotion

ZERO = (0.0, 0.0, 0.0)
_MOTION = ("translation", "rotation", "velocity", "angular_velocity")


@dataclass(frozen=True)
class Placement:
    """Motion of a frame F that appears, relative to a frame P, or mated with a lockable frame.

    Attributes:
        relative_to: name of P; "" for the world.
        translation, rotation, velocity, angular_velocity: as those of an `Object3D` relative to its parent P.
        attach_to: name of a lockable frame; F appears mated with it, and the two are locked. Excludes all others but ``turn``.
        turn: angle about the z axis of that frame [rad].

    Raises:
        ModelError: a field has the wrong type, or contradicts another one.
    """

    relative_to: str = ""
    translation: Sequence[float] = ZERO
    rotation: Sequence[float] | Sequence[Sequence[float]] = ZERO
    velocity: Sequence[float] = ZERO
    angular_velocity: Sequence[float] = ZERO
    attach_to: str = ""
    turn: float = 0.0

    def __post_init__(self) -> None:
        owner = "ActionAdd"
        for field in ("relative_to", "attach_to"):
            checks.text(owner, field, getattr(self, field))
        for field in ("translation", "velocity", "angular_velocity"):
            object.__setattr__(self, field, checks.vector3(owner, field, getattr(self, field)))
        object.__setattr__(self, "rotation", checks.rotation(owner, "rotation", self.rotation))
        object.__setattr__(self, "turn", checks.number(owner, "turn", self.turn))
        placed = [f for f in _MOTION if getattr(self, f) != ZERO] + (["relative_to"] if self.relative_to else [])
        if self.attach_to and placed:
            raise ModelError(
                f"{owner} has both attach_to and a placement",
                found=f"attach_to, and {', '.join(placed)}",
                expected="one of both",
            )
        if self.turn and not self.attach_to:
            raise ModelError(f"{owner} has turn without attach_to", found="no attach_to", remedy="Use rotation.")

    def motion(self, motion_of: Callable[[str], FrameMotion]) -> FrameMotion:
        """Return the motion of F in the world; ``motion_of`` gives that of the frame it is placed at, by the name written
        here.
        """
        base = self.attach_to or self.relative_to
        here = motion_of(base) if base else WORLD_AT_REST
        if self.attach_to:
            mated = rotation_matrix((0.0, 0.0, self.turn)) @ rotation_matrix((math.pi, 0.0, 0.0))
            return here.moved(mated, np.zeros(3), np.zeros(3), np.zeros(3))
        translation, velocity, angular_velocity = map(np.array, (self.translation, self.velocity, self.angular_velocity))
        return here.moved(rotation_matrix(self.rotation), translation, velocity, angular_velocity)
