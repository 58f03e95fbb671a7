"""Acceleration of gravity as a variable of the equations."""

from __future__ import annotations

from dataclasses import dataclass

from .base import Quantity, Sensor
from .kinds import GRAVITY


@dataclass(frozen=True)
class GravitySensor(Sensor):
    """Acceleration of gravity in world, for masses that the equations describe: variables ``g.x, .y, .z`` [m/s2].

    Where gravity differs from place to place the sensor is refused.
    """

    def measured(self) -> tuple[Quantity, ...]:
        return (Quantity("g", GRAVITY, rates=("0", "0", "0")),)
