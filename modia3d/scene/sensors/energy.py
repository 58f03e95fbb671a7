"""Energy and power as variables of the equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .base import Quantity, Sensor, chosen, frame_field
from .kinds import KINETIC_ENERGY, POTENTIAL_ENERGY, SIGNAL_VELOCITY


@dataclass(frozen=True)
class EnergySensor(Sensor):
    """Energy of the whole system.

    Variables: ``kinetic`` and ``potential`` [J], see `modia3d.engine.signals`. They cannot be differentiated by the equations.

    Attributes:
        quantities: "kinetic", "potential".
    """

    quantities: str | Sequence[str] = ("kinetic", "potential")

    def __post_init__(self) -> None:
        object.__setattr__(self, "quantities", chosen("EnergySensor", self.quantities, ("kinetic", "potential")))

    def measured(self) -> tuple[Quantity, ...]:
        known = (("kinetic", KINETIC_ENERGY), ("potential", POTENTIAL_ENERGY))
        return tuple(Quantity(name, kind, unit="J") for name, kind in known if name in self.quantities)


@dataclass(frozen=True)
class PowerSensor(Sensor):
    """Power that a force from the equations feeds into the mechanics: variable ``power`` [W].

    Attributes:
        force: name of a `Force`, `Torque`, `ForceAndTorque`, or a `WorldForce` or `WorldTorque` from the equations.
    """

    force: str

    def __post_init__(self) -> None:
        frame_field("PowerSensor", "force", self.force)

    def measured(self) -> tuple[Quantity, ...]:
        return (Quantity("power", SIGNAL_VELOCITY, subject=self.force, unit="W"),)
