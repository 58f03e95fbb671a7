"""Energy and power as variables of the equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..basics import checks
from .base import Quantity, Sensor, chosen
from .kinds import ENERGIES, POWER, POWERS, SIGNAL_VELOCITY


@dataclass(frozen=True)
class EnergySensor(Sensor):
    """Energy of the whole system.

    Variables: ``kinetic`` and ``potential`` [J]. They cannot be differentiated by the equations.

    Attributes:
        quantities: "kinetic", "potential".
    """

    quantities: str | Sequence[str] = ("kinetic", "potential")

    def __post_init__(self) -> None:
        object.__setattr__(self, "quantities", chosen("EnergySensor", self.quantities, tuple(kind.name for kind in ENERGIES)))

    def measured(self) -> tuple[Quantity, ...]:
        return tuple(Quantity(kind.name, kind) for kind in ENERGIES if kind.name in self.quantities)


@dataclass(frozen=True)
class PowerSensor(Sensor):
    """Power that a force from the equations, or everything together, feeds into the mechanics: variable ``power`` [W].

    Of the whole system, ``power = drive + force - dissipated`` is the derivative of kinetic plus potential energy (see
    `EnergySensor`) at all times but those of impacts and other changes of structure. ``drive`` [W] comes from the flanges of
    joints, ``force`` from forces and torques from outside or from the equations, and a user's gravity without potential;
    ``dissipated`` is what dampers take, and what the angles of a `Bushing` without ``work_conjugate`` take (negative: give).

    Attributes:
        force: name of a `Force`, `Torque`, `ForceAndTorque`, or a `WorldForce` or `WorldTorque` from the equations; without it
            the power of the whole system.
    """

    force: str | None = None

    def __post_init__(self) -> None:
        if self.force is not None:
            checks.text("PowerSensor", "force", self.force)

    def measured(self) -> tuple[Quantity, ...]:
        if self.force is not None:
            return (Quantity("power", SIGNAL_VELOCITY, subject=self.force),)
        return tuple(Quantity(kind.name, kind) for kind in (POWER, *POWERS))
