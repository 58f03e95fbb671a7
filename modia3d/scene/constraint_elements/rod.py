"""A rigid rod without mass between two points."""

from __future__ import annotations

from dataclasses import dataclass

from ..basics import checks
from .base import ConstraintElement, RowGroup


@dataclass(frozen=True)
class RodConstraint(ConstraintElement):
    """The distance of the origins of two frames is constant.

    Attributes:
        obj1, obj2: names of the two frames.
        length: the distance [m].

    Raises:
        ModelError: a field has the wrong type or value.
    """

    length: float = 1.0

    def check(self, owner: str) -> None:
        object.__setattr__(self, "length", checks.positive(owner, "length", self.length))

    def groups(self) -> tuple[RowGroup, ...]:
        return (RowGroup("rod", parameter=self.length),)
