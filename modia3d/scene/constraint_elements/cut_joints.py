"""Joints that are always cut, and some of whose directions may be released.

The constraints are those of ``Modelica.Mechanics.MultiBody.Joints.Constraints``. Directions x, y, z are those of ``obj1``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from modiapy.model.errors import ModelError

from ..basics import checks
from ..basics.rotations import frame_with_z
from .base import ConstraintElement, RowGroup
from .row_sets import place


@dataclass(frozen=True)
class ReleasedConstraint(ConstraintElement):
    """Constraint that holds the origins of two frames together along axes of the first one."""

    x_locked: bool = field(default=True, kw_only=True)
    y_locked: bool = field(default=True, kw_only=True)
    z_locked: bool = field(default=True, kw_only=True)

    def check(self, owner: str) -> None:
        self.set_locked(owner)

    def _with(self, turning: RowGroup) -> tuple[RowGroup, ...]:
        """Return the rows of what is locked, together with those of an axis."""
        axes = "".join(axis for axis in "xyz" if getattr(self, f"{axis}_locked"))
        if axes == "xyz":
            return (replace(turning, kind=f"place xyz, {turning.kind}"),)
        return (RowGroup(place(axes)), turning) if axes else (turning,)


@dataclass(frozen=True)
class SphericalConstraint(ReleasedConstraint):
    """A spherical cut joint: the origins are together, in all directions or in some.

    Attributes:
        obj1, obj2: names of the two frames.
        x_locked, y_locked, z_locked: whether the origins stay together along this axis of ``obj1``; no force acts along others.
        can_collide: the two bodies that it joins may touch each other.

    Raises:
        ModelError: a field has the wrong type or value; nothing is locked.
    """

    def check(self, owner: str) -> None:
        self.refuse_empty(owner, self.set_locked(owner))

    def groups(self) -> tuple[RowGroup, ...]:
        return (RowGroup(place("".join(axis for axis in "xyz" if getattr(self, f"{axis}_locked")))),)


@dataclass(frozen=True)
class PrismaticConstraint(ReleasedConstraint):
    """A cut joint without rotation: the frames stay parallel, their origins together in all directions or in some.

    Attributes:
        obj1, obj2: names of the two frames.
        x_locked, y_locked, z_locked: as `SphericalConstraint`.
        can_collide: the two bodies that it joins may touch each other.

    Raises:
        ModelError: a field has the wrong type or value.
    """

    def groups(self) -> tuple[RowGroup, ...]:
        return self._with(RowGroup("turn"))


@dataclass(frozen=True)
class RevoluteConstraint(ReleasedConstraint):
    """A revolute cut joint: an axis has the same direction in both frames, the origins are together in all directions or some.

    Attributes:
        obj1, obj2: names of the two frames.
        n: the axis in both frames: "x", ..., "-z" or a vector; stored normalised.
        x_locked, y_locked, z_locked: as `SphericalConstraint`.
        can_collide: the two bodies that it joins may touch each other.

    Raises:
        ModelError: a field has the wrong type or value.
    """

    n: str | Sequence[float] = "y"

    def check(self, owner: str) -> None:
        self.set_locked(owner)
        object.__setattr__(self, "n", checks.unit_vector(owner, "n", self.n))

    def groups(self) -> tuple[RowGroup, ...]:
        axes = frame_with_z(self.n)  # type: ignore[arg-type]
        return self._with(RowGroup("axis", axes, axes))


@dataclass(frozen=True)
class UniversalConstraint(ReleasedConstraint):
    """A universal cut joint: an axis of each frame stay perpendicular, the origins together in all directions or in some.

    Attributes:
        obj1, obj2: names of the two frames.
        n_a: axis fixed in ``obj1``: "x", ..., "-z" or a vector; stored normalised.
        n_b: axis fixed in ``obj2``, the same.
        x_locked, y_locked, z_locked: as `SphericalConstraint`.
        can_collide: the two bodies that it joins may touch each other.

    Raises:
        ModelError: a field has the wrong type or value; the axes have equal components, so that they would be perpendicular
            only after a quarter of a turn.
    """

    n_a: str | Sequence[float] = "x"
    n_b: str | Sequence[float] = "y"

    def check(self, owner: str) -> None:
        self.set_locked(owner)
        for name in ("n_a", "n_b"):
            object.__setattr__(self, name, checks.unit_vector(owner, name, getattr(self, name)))
        if abs(sum(a * b for a, b in zip(self.n_a, self.n_b, strict=True))) > 1e-6:  # type: ignore[operator]
            raise ModelError(
                "the axes of a universal joint must be perpendicular",
                found=f"n_a={self.n_a}, n_b={self.n_b}",
                remedy="Turn one of the frames: add an Object3D with this parent and a rotation.",
            )

    def groups(self) -> tuple[RowGroup, ...]:
        one, two = frame_with_z(self.n_a), frame_with_z(self.n_b)  # type: ignore[arg-type]
        return self._with(RowGroup("perpendicular", one, two))
