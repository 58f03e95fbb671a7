"""Shapes of constant thickness: box and beam."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..basics import checks
from ..basics.checks import Vector3
from .base import Extent, SolidShape, centered, check_axis, from_axis, from_z, on_circle, onto_z, signs


@dataclass(frozen=True)
class BoxShape(SolidShape):
    """A cuboid with its edges along the axes of its frame.

    Attributes:
        length_x, length_y, length_z: lengths of the edges [m].
    """

    length_x: float = 1.0
    length_y: float = 1.0
    length_z: float = 1.0

    def __post_init__(self) -> None:
        for name in ("length_x", "length_y", "length_z"):
            object.__setattr__(self, name, checks.positive("Box", name, getattr(self, name)))

    @property
    def volume(self) -> float:
        """Return the volume [m3]."""
        return self.length_x * self.length_y * self.length_z

    @property
    def inertia_per_mass(self) -> Vector3:
        """See `SolidShape`."""
        x2, y2, z2 = self.length_x**2, self.length_y**2, self.length_z**2
        return (y2 + z2) / 12.0, (x2 + z2) / 12.0, (x2 + y2) / 12.0

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        return centered(self.length_x, self.length_y, self.length_z)

    def _farthest(self, d: np.ndarray) -> np.ndarray:
        return 0.5 * signs(d) * (self.length_x, self.length_y, self.length_z)


@dataclass(frozen=True)
class BeamShape(SolidShape):
    """A flat bar whose ends are half circles, like a link with a hole at both ends.

    Attributes:
        length: between the centers of the half circles, along the axis [m].
        width: diameter of the half circles, along the next axis in the cycle x, y, z [m].
        thickness: along the third axis [m].
        axis: "x", "y" or "z".
    """

    length: float = 1.0
    width: float = 0.1
    thickness: float = 0.1
    axis: str = "x"

    def __post_init__(self) -> None:
        for name in ("length", "width", "thickness"):
            object.__setattr__(self, name, checks.positive("Beam", name, getattr(self, name)))
        check_axis("Beam", self.axis)

    @property
    def volume(self) -> float:
        """Return the volume [m3]."""
        return (self.length * self.width + 0.25 * math.pi * self.width**2) * self.thickness

    @property
    def inertia_per_mass(self) -> Vector3:
        """See `SolidShape`."""
        length, radius = self.length, 0.5 * self.width
        middle = length * self.width * self.thickness / self.volume
        ends = 1.0 - middle
        along2 = middle * length**2 / 12.0 + ends * (
            radius**2 / 4.0 + length**2 / 4.0 + 4.0 * length * radius / (3.0 * math.pi)
        )
        across2 = middle * self.width**2 / 12.0 + ends * radius**2 / 4.0
        through2 = self.thickness**2 / 12.0
        return from_axis(self.axis, across2 + through2, along2 + through2, along2 + across2)

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        return centered(*from_axis(self.axis, self.length + self.width, self.width, self.thickness))

    def _farthest(self, d: np.ndarray) -> np.ndarray:
        width, thickness, along = np.moveaxis(onto_z(self.axis, d), -1, 0)
        end = 0.5 * self.width * on_circle(np.stack([along, width], axis=-1))
        across = np.stack([end[..., 1], 0.5 * self.thickness * signs(thickness)], axis=-1)
        return from_z(self.axis, across, end[..., 0] + 0.5 * self.length * signs(along))
