"""Joints between two frames.

The axis has the same coordinates in the frames ``obj1`` and ``obj2``; at the coordinate zero both frames coincide.
A joint with a flange has its coordinates in the equations (*invariant*), one without belongs to the engine (*hidden*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from modiapy.model.errors import ModelError

from . import checks


@dataclass(frozen=True)
class RevoluteJoint:
    """Rotation of ``obj2`` relative to ``obj1`` about an axis through both origins.

    Attributes:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector; stored normalised.
        phi: initial angle [rad] (without flange).
        w: initial angular velocity [rad/s] (without flange).
        with_flange: the angle is a variable of the equations; ``phi`` and ``w`` here are not used.
    """

    obj1: str
    obj2: str
    axis: str | Sequence[float] = "z"
    phi: float = 0.0
    w: float = 0.0
    with_flange: bool = field(default=False, kw_only=True)

    coordinates: ClassVar[tuple[str, str]] = ("phi", "w")

    def __post_init__(self) -> None:
        _check_joint("Revolute", self)

    @property
    def start(self) -> tuple[float, float]:
        """Initial coordinate and its derivative [rad, rad/s]."""
        return self.phi, self.w


@dataclass(frozen=True)
class PrismaticJoint:
    """Translation of ``obj2`` relative to ``obj1`` along an axis.

    Attributes:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector; stored normalised.
        s: initial distance [m] (without flange).
        v: initial velocity [m/s] (without flange).
        with_flange: the distance is a variable of the equations; ``s`` and ``v`` here are not used.
    """

    obj1: str
    obj2: str
    axis: str | Sequence[float] = "z"
    s: float = 0.0
    v: float = 0.0
    with_flange: bool = field(default=False, kw_only=True)

    coordinates: ClassVar[tuple[str, str]] = ("s", "v")

    def __post_init__(self) -> None:
        _check_joint("Prismatic", self)

    @property
    def start(self) -> tuple[float, float]:
        """Initial coordinate and its derivative [m, m/s]."""
        return self.s, self.v


Joint = RevoluteJoint | PrismaticJoint


def _check_joint(owner: str, joint: Joint) -> None:
    for name in ("obj1", "obj2"):
        if not checks.text(owner, name, getattr(joint, name)):
            raise ModelError(f"{name} of {owner}", found="an empty name", expected="the name of an Object3D")
    object.__setattr__(joint, "axis", checks.unit_vector(owner, "axis", joint.axis))
    for name in joint.coordinates:
        object.__setattr__(joint, name, checks.number(owner, name, getattr(joint, name)))
    object.__setattr__(joint, "with_flange", checks.truth(owner, "with_flange", joint.with_flange))
