"""A wheel with a sharp edge that rolls on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from modiapy.model.errors import ModelError

from ..basics import checks
from ..basics.rotations import frame_with_z
from .base import ConstraintElement, RowGroup


@dataclass(frozen=True)
class RollingConstraint(ConstraintElement):
    """A wheel stands on a plane and rolls without slip; the plane may move.

    It is ``Modelica.Mechanics.MultiBody.Joints.RollingWheel``: one condition on positions, two on speeds alone. Where the wheel
    lies flat it has no lowest point.

    Attributes:
        obj1: name of the frame of the plane.
        obj2: name of the frame in the centre of the wheel.
        radius: of the wheel [m].
        axis: of the wheel in ``obj2``: "x", ..., "-z" or a vector; stored normalised.
        normal: of the plane through the origin of ``obj1``, there.
        upright: joints keep the wheel upright and on the plane, so that this restricts speeds alone.
        lateral: the wheel does not slip across its track, either. Of two upright wheels on one axle one is enough for that.
        can_collide: the two bodies may touch each other; else the wheel does not collide with what has the plane.

    Raises:
        ModelError: a field has the wrong type or value.
    """

    radius: float = 0.5
    axis: str | Sequence[float] = "y"
    normal: str | Sequence[float] = "z"
    upright: bool = field(default=False, kw_only=True)
    lateral: bool = field(default=True, kw_only=True)

    def check(self, owner: str) -> None:
        object.__setattr__(self, "radius", checks.positive(owner, "radius", self.radius))
        for name in ("axis", "normal"):
            object.__setattr__(self, name, checks.unit_vector(owner, name, getattr(self, name)))
        for name in ("upright", "lateral"):
            object.__setattr__(self, name, checks.truth(owner, name, getattr(self, name)))
        if not self.lateral and not self.upright:
            raise ModelError(f"lateral of {owner} is wrong", found="False", expected="True of a wheel that is not upright")

    def groups(self) -> tuple[RowGroup, ...]:
        kind = ("upright wheel" if self.lateral else "upright wheel that may slip aside") if self.upright else "wheel"
        plane, wheel = frame_with_z(self.normal), frame_with_z(self.axis)  # type: ignore[arg-type]
        return (RowGroup(kind, plane, wheel, self.radius),)
