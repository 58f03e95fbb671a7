"""Forces of contact as variables of the equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..basics import checks
from .base import Quantity, Sensor, chosen
from .kinds import CONTACT_COUNT, CONTACT_FORCE, CONTACT_NORMAL_FORCE

QUANTITIES = {"force": CONTACT_FORCE, "normal_force": CONTACT_NORMAL_FORCE, "contacts": CONTACT_COUNT}


@dataclass(frozen=True)
class ContactSensor(Sensor):
    """Sensor of a solid: the number of others that touch it, and how it is pressed.

    Variables: ``force.x, .y, .z`` [N], the sum of all contact forces on the solid; ``normal_force`` [N], the sum of how hard it
    is pressed at each contact, whatever the directions; ``contacts``, how many other solids it touches. Forces are continuous
    in time, the number changes at events. Where the solid was deleted, or what it shall touch, all are NaN. Forces of rigid
    contacts are reactions, known behind the accelerations only: there the sensor knows ``contacts``, no forces.

    Attributes:
        solid: name of the `Object3D` whose solid collides.
        other: name of another one: only what both do to each other counts. By default all that touches the solid.
        resolved_in: name of the frame that the force refers to, "" the world.
        quantities: "force", "normal_force", "contacts".
    """

    solid: str
    other: str | None = None
    resolved_in: str = ""
    quantities: str | Sequence[str] = tuple(QUANTITIES)

    def __post_init__(self) -> None:
        checks.frame_name("ContactSensor", "solid", self.solid)
        if self.other is not None:
            checks.frame_name("ContactSensor", "other", self.other)
        checks.text("ContactSensor", "resolved_in", self.resolved_in)
        object.__setattr__(self, "quantities", chosen("ContactSensor", self.quantities, tuple(QUANTITIES)))

    def measured(self) -> tuple[Quantity, ...]:
        frames = (self.solid, self.solid if self.other is None else self.other, self.resolved_in)
        return tuple(Quantity(name, kind, frames) for name, kind in QUANTITIES.items() if name in self.quantities)
