"""Gravity fields of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import checks
from .checks import Vector3


@dataclass(frozen=True)
class NoGravity:
    """No gravity."""

    @property
    def acceleration(self) -> Vector3:
        """Gravity acceleration in world, zero [m/s2]."""
        return 0.0, 0.0, 0.0


@dataclass(frozen=True)
class UniformGravity:
    """A field that is the same everywhere.

    Attributes:
        g: gravity acceleration [m/s2].
        n: its direction in world: "x", ..., "-z" or a vector of any length but zero.
    """

    g: float = 9.81
    n: str | Sequence[float] = (0.0, -1.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "g", checks.number("UniformGravity", "g", self.g))
        object.__setattr__(self, "n", checks.unit_vector("UniformGravity", "n", self.n))

    @property
    def acceleration(self) -> Vector3:
        """Gravity acceleration in world [m/s2]."""
        x, y, z = checks.unit_vector("UniformGravity", "n", self.n)
        return self.g * x, self.g * y, self.g * z


@dataclass(frozen=True)
class PointGravity:
    """The field of a point mass that does not move, e.g. of a planet; it acts at the centre of mass of every solid.

    Attributes:
        mu: gravitational constant times the mass [m3/s2].
        position: of the point mass, in world [m].
    """

    mu: float
    position: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", checks.positive("PointGravity", "mu", self.mu))
        object.__setattr__(self, "position", checks.vector3("PointGravity", "position", self.position))

    @property
    def acceleration(self) -> Vector3:
        """The part of the field that is the same everywhere, zero [m/s2]."""
        return 0.0, 0.0, 0.0


Gravity = UniformGravity | NoGravity | PointGravity
