"""All contacts of a segment as one row of the table of forces, whose parameter is the address of their memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...forces.elements.base import ForceElement
from ...forces.elements.declaration import NOTHING, Declaration
from .contact_layout import ROW
from .kernels import add_contacts, energy_of_contacts, loss_of_contacts


@dataclass(frozen=True)
class ContactForces(ForceElement):
    """Forces between all solids that touch each other.

    Attributes:
        record: address of `contact_layout.CONTACTS` of the segment, 0 where nothing collides.
    """

    record: float = 0.0

    declared: ClassVar[Declaration] = Declaration(
        "contacts",
        row=ROW,
        wrench=add_contacts,
        energy=energy_of_contacts,
        loss=loss_of_contacts,
        outer_power=NOTHING,
    )

    @property
    def frames(self) -> tuple[str, str]:
        return "", ""
