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


Gravity = UniformGravity | NoGravity
