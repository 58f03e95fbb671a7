"""Sensors: motion, distances, forces in cuts and energies as variables of the equations."""

from .base import Quantity, Sensor
from .cut import CutSensor
from .distance import DistanceSensor
from .energy import EnergySensor, PowerSensor
from .gravity import GravitySensor
from .motion import AbsoluteSensor, RelativeSensor

__all__ = [
    "AbsoluteSensor",
    "CutSensor",
    "DistanceSensor",
    "EnergySensor",
    "GravitySensor",
    "PowerSensor",
    "Quantity",
    "RelativeSensor",
    "Sensor",
]
