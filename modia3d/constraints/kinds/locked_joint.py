"""A joint that is locked: all its speeds are zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .constraint import Constraint, Present, speed_rows
from .row import Row


@dataclass(frozen=True)
class LockedJoint(Constraint):
    """A brake that is closed, or a joint that rests at a limit from now on.

    Attributes:
        name: of the joint.
    """

    name: str

    def rows(self, present: Present) -> Iterator[Row]:
        return (Row(self.name, direction, G) for direction, G in speed_rows(present, self.name))
