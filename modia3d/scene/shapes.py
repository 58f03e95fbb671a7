"""Shapes: box, cylinder, sphere. The frame that carries a shape is at its centroid.

Inertia of the homogeneous bodies: any handbook, e.g. Dubbel, table "Massenträgheitsmomente".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from modiapy.model.errors import ModelError

from . import checks
from .checks import Vector3

Extent = tuple[Vector3, Vector3]
"""Lower and upper corner of an axis-aligned box in the frame of the shape [m]."""


def _centered(x: float, y: float, z: float) -> Extent:
    return (-0.5 * x, -0.5 * y, -0.5 * z), (0.5 * x, 0.5 * y, 0.5 * z)


@dataclass(frozen=True)
class BoxShape:
    """A cuboid with its edges along the axes of its frame; lengths of the edges [m]."""

    length_x: float = 1.0
    length_y: float = 1.0
    length_z: float = 1.0

    def __post_init__(self) -> None:
        for name in ("length_x", "length_y", "length_z"):
            object.__setattr__(self, name, checks.positive("Box", name, getattr(self, name)))

    @property
    def volume(self) -> float:
        """Volume [m3]."""
        return self.length_x * self.length_y * self.length_z

    @property
    def centroid(self) -> Vector3:
        """Centroid in the frame of the shape [m]."""
        return 0.0, 0.0, 0.0

    @property
    def inertia_per_mass(self) -> Vector3:
        """Ixx, Iyy, Izz about the centroid divided by the mass [m2]; the products are zero."""
        x2, y2, z2 = self.length_x**2, self.length_y**2, self.length_z**2
        return (y2 + z2) / 12.0, (x2 + z2) / 12.0, (x2 + y2) / 12.0

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        return _centered(self.length_x, self.length_y, self.length_z)


@dataclass(frozen=True)
class CylinderShape:
    """A circular cylinder.

    Attributes:
        diameter, length: [m].
        axis: "x", "y" or "z": the axis of its frame along which it stretches.
    """

    diameter: float = 1.0
    length: float = 1.0
    axis: str = "z"

    def __post_init__(self) -> None:
        for name in ("diameter", "length"):
            object.__setattr__(self, name, checks.positive("Cylinder", name, getattr(self, name)))
        if self.axis not in ("x", "y", "z"):
            raise ModelError("axis of Cylinder", found=repr(self.axis), expected="'x', 'y' or 'z'")

    @property
    def volume(self) -> float:
        """Volume [m3]."""
        return 0.25 * math.pi * self.diameter**2 * self.length

    @property
    def centroid(self) -> Vector3:
        """Centroid in the frame of the shape [m]."""
        return 0.0, 0.0, 0.0

    @property
    def inertia_per_mass(self) -> Vector3:
        """Ixx, Iyy, Izz about the centroid divided by the mass [m2]; the products are zero."""
        along = self.diameter**2 / 8.0
        across = self.diameter**2 / 16.0 + self.length**2 / 12.0
        return self._along_axis(along, across)

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        return _centered(*self._along_axis(self.length, self.diameter))

    def _along_axis(self, along: float, across: float) -> Vector3:
        x, y, z = (along if name == self.axis else across for name in "xyz")
        return x, y, z


@dataclass(frozen=True)
class SphereShape:
    """A sphere; its diameter [m]."""

    diameter: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "diameter", checks.positive("Sphere", "diameter", self.diameter))

    @property
    def volume(self) -> float:
        """Volume [m3]."""
        return math.pi / 6.0 * self.diameter**3

    @property
    def centroid(self) -> Vector3:
        """Centroid in the frame of the shape [m]."""
        return 0.0, 0.0, 0.0

    @property
    def inertia_per_mass(self) -> Vector3:
        """Ixx, Iyy, Izz about the centroid divided by the mass [m2]; the products are zero."""
        inertia = self.diameter**2 / 10.0
        return inertia, inertia, inertia

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        return _centered(self.diameter, self.diameter, self.diameter)


Shape = BoxShape | CylinderShape | SphereShape
SHAPES = (BoxShape, CylinderShape, SphereShape)
