"""Distance of two points as a variable of the equations."""

from __future__ import annotations

from dataclasses import dataclass

from .base import Quantity, Sensor, two_frames
from .kinds import DISTANCE, DISTANCE_ACCELERATION, DISTANCE_RATE


@dataclass(frozen=True)
class DistanceSensor(Sensor):
    """Distance of the origins of two frames.

    Variables: ``s`` [m], its derivative ``v`` [m/s] and second derivative ``a`` [m/s2]. Where the origins coincide,
    the distance has no derivative: ``v`` and ``a`` are 0 there. Where a frame was deleted, all are NaN.

    Attributes:
        obj1, obj2: names of the two frames.
    """

    obj1: str
    obj2: str

    def __post_init__(self) -> None:
        two_frames("Distance", self.obj1, self.obj2)

    def measured(self) -> tuple[Quantity, ...]:
        frames = (self.obj1, self.obj2, "")
        return (
            Quantity("s", DISTANCE, frames, ("v",)),
            Quantity("v", DISTANCE_RATE, frames, ("a",)),
            Quantity("a", DISTANCE_ACCELERATION, frames),
        )
