"""Constant torque on a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..scene import checks
from .base import ForceElement, frame_name
from .layout import WORLD_TORQUE


@dataclass(frozen=True)
class ConstantTorque(ForceElement):
    """A torque from outside that acts on a frame; nothing feels its reaction.

    Attributes:
        obj: name of the frame it acts on.
        torque: its components [N.m].
        resolved_in: name of the frame that these refer to; "" is the world.
    """

    obj: str
    torque: Sequence[float]
    resolved_in: str = ""

    def __post_init__(self) -> None:
        frame_name("WorldTorque", "obj", self.obj)
        checks.text("WorldTorque", "resolved_in", self.resolved_in)
        object.__setattr__(self, "torque", checks.vector3("WorldTorque", "torque", self.torque))

    @property
    def kind(self) -> int:
        return WORLD_TORQUE

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj, self.resolved_in

    @property
    def parameters(self) -> tuple[float, ...]:
        return tuple(self.torque)
