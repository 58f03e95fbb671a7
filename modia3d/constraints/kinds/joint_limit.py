"""A joint at a limit: it may go away from there, and what holds it can only push."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .constraint import Present, speed_rows
from .row import Row
from .unilateral import Unilateral


@dataclass(frozen=True)
class JointLimit(Unilateral):
    """The unilateral limit of a joint that is there.

    Attributes:
        name: of the joint.
        side: -1 at the lower limit, 1 at the upper one.
    """

    name: str
    side: int

    @staticmethod
    def gap(side: float, q: float, limit: float) -> float:
        """Return the distance of the coordinate from the limit [rad or m]."""
        return side * (limit - q)

    @staticmethod
    def push(side: float, force: float) -> float:
        """Return the push of the generalized force that holds the joint [N.m or N]."""
        return -side * force

    def rows(self, present: Present) -> Iterator[Row]:
        """Generate the speed away from the limit."""
        active = present.forest.structure.side_of(self.name) is not None
        for direction, G in speed_rows(present, self.name, -float(self.side)):
            yield Row(self.name, direction, G, unilateral=True, active=active)
