"""A rigid rod without mass between two points."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..basics import checks
from .base import ConstraintElement, RowGroup


@dataclass(frozen=True)
class RodConstraint(ConstraintElement):
    """The distance of the origins of two frames is constant.

    Attributes:
        obj1, obj2: names of the two frames.
        length: the distance [m].
        can_collide: the two bodies may touch each other; here they may by default, for they are apart.

    Raises:
        ModelError: a field has the wrong type or value.
    """

    length: float = 1.0
    can_collide: bool = field(default=True, kw_only=True)

    def check(self, owner: str) -> None:
        object.__setattr__(self, "length", checks.positive(owner, "length", self.length))

    def groups(self) -> tuple[RowGroup, ...]:
        return (RowGroup("rod", parameter=self.length),)
