"""Sensors: motion, distances, forces in cuts and energies as variables of the equations."""

from .base import Quantity, Sensor

__all__ = ["Quantity", "Sensor"]
