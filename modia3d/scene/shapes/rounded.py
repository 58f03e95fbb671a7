"""Shapes with circular or elliptic sections: sphere, ellipsoid, cylinder (also hollow), cone (also frustum), capsule."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

from ..basics import checks
from ..basics.checks import Vector3
from .base import Extent, SolidShape, centered, check_axis, from_axis, from_z, on_circle, onto_z, signs


@dataclass(frozen=True)
class SphereShape(SolidShape):
    """A sphere.

    Attributes:
        diameter: its diameter [m].
    """

    diameter: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "diameter", checks.positive("Sphere", "diameter", self.diameter))

    @property
    def volume(self) -> float:
        """Return the volume [m3]."""
        return math.pi / 6.0 * self.diameter**3

    @property
    def inertia_per_mass(self) -> Vector3:
        """See `SolidShape`."""
        inertia = self.diameter**2 / 10.0
        return inertia, inertia, inertia

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        return centered(self.diameter, self.diameter, self.diameter)

    def _farthest(self, d: np.ndarray) -> np.ndarray:
        return 0.5 * self.diameter * d


@dataclass(frozen=True)
class EllipsoidShape(SolidShape):
    """An ellipsoid with its principal axes along the axes of its frame.

    Attributes:
        length_x, length_y, length_z: full lengths of the principal axes [m].
    """

    length_x: float = 1.0
    length_y: float = 1.0
    length_z: float = 1.0

    def __post_init__(self) -> None:
        for name in ("length_x", "length_y", "length_z"):
            object.__setattr__(self, name, checks.positive("Ellipsoid", name, getattr(self, name)))

    @property
    def volume(self) -> float:
        """Return the volume [m3]."""
        return math.pi / 6.0 * self.length_x * self.length_y * self.length_z

    @property
    def inertia_per_mass(self) -> Vector3:
        """See `SolidShape`."""
        x2, y2, z2 = self.length_x**2, self.length_y**2, self.length_z**2
        return (y2 + z2) / 20.0, (x2 + z2) / 20.0, (x2 + y2) / 20.0

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        return centered(self.length_x, self.length_y, self.length_z)

    def _farthest(self, d: np.ndarray) -> np.ndarray:
        radii = 0.5 * np.array([self.length_x, self.length_y, self.length_z])
        stretched = radii * d
        return radii * stretched / np.linalg.norm(stretched, axis=-1, keepdims=True)


@dataclass(frozen=True)
class CylinderShape(SolidShape):
    """A circular cylinder, hollow if it has an inner diameter.

    Attributes:
        diameter, length: [m].
        axis: "x", "y" or "z": the axis of its frame along which it stretches.
        inner_diameter: of the hole along the axis [m]; 0: none.
    """

    diameter: float = 1.0
    length: float = 1.0
    axis: str = "z"
    inner_diameter: float = 0.0

    def __post_init__(self) -> None:
        for name in ("diameter", "length"):
            object.__setattr__(self, name, checks.positive("Cylinder", name, getattr(self, name)))
        check_axis("Cylinder", self.axis)
        object.__setattr__(self, "inner_diameter", inner_diameter("Cylinder", self.inner_diameter, self.diameter))

    @property
    def volume(self) -> float:
        """Return the volume [m3]."""
        return 0.25 * math.pi * (self.diameter**2 - self.inner_diameter**2) * self.length

    @property
    def inertia_per_mass(self) -> Vector3:
        """See `SolidShape`."""
        squares = self.diameter**2 + self.inner_diameter**2
        across = squares / 16.0 + self.length**2 / 12.0
        return from_axis(self.axis, squares / 8.0, across, across)

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        return centered(*from_axis(self.axis, self.length, self.diameter, self.diameter))

    def _farthest(self, d: np.ndarray) -> np.ndarray:
        local = onto_z(self.axis, d)
        return from_z(self.axis, 0.5 * self.diameter * on_circle(local[..., :2]), 0.5 * self.length * signs(local[..., 2]))


@dataclass(frozen=True)
class ConeShape(SolidShape):
    """A circular cone, or a frustum if it has a top diameter. The origin of its frame is the center of its base.

    Attributes:
        diameter: of the base [m].
        length: from the base to the top, in the positive direction of the axis [m].
        axis: "x", "y" or "z".
        top_diameter: [m]; 0: a cone with an apex.
    """

    diameter: float = 1.0
    length: float = 1.0
    axis: str = "z"
    top_diameter: float = 0.0

    def __post_init__(self) -> None:
        for name in ("diameter", "length"):
            object.__setattr__(self, name, checks.positive("Cone", name, getattr(self, name)))
        check_axis("Cone", self.axis)
        object.__setattr__(self, "top_diameter", checks.not_negative("Cone", "top_diameter", self.top_diameter))

    @property
    def volume(self) -> float:
        """Return the volume [m3]."""
        return math.pi / 12.0 * self.length * self._squares

    @property
    def centroid(self) -> Vector3:
        """See `SolidShape`."""
        return from_axis(self.axis, self._height, 0.0, 0.0)

    @property
    def inertia_per_mass(self) -> Vector3:
        """See `SolidShape`."""
        base, top = self.diameter, self.top_diameter
        fourths = base**4 + base**3 * top + base**2 * top**2 + base * top**3 + top**4
        along = 3.0 / 40.0 * fourths / self._squares
        about_base = self.length**2 / 10.0 * (base**2 + 3.0 * base * top + 6.0 * top**2) / self._squares
        across = 0.5 * along + about_base - self._height**2
        return from_axis(self.axis, along, across, across)

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        half = 0.5 * max(self.diameter, self.top_diameter)
        return from_axis(self.axis, 0.0, -half, -half), from_axis(self.axis, self.length, half, half)

    def _farthest(self, d: np.ndarray) -> np.ndarray:
        local = onto_z(self.axis, d)
        slope = 0.5 * (self.top_diameter - self.diameter) * np.linalg.norm(local[..., :2], axis=-1)
        top = slope + self.length * local[..., 2] > 0.0
        radius = 0.5 * np.where(top, self.top_diameter, self.diameter)
        return from_z(self.axis, radius[..., None] * on_circle(local[..., :2]), np.where(top, self.length, 0.0))

    @property
    def _squares(self) -> float:
        return self.diameter**2 + self.diameter * self.top_diameter + self.top_diameter**2

    @property
    def _height(self) -> float:
        """Return the height of the centroid above the base [m]."""
        base, top = self.diameter, self.top_diameter
        return 0.25 * self.length * (base**2 + 2.0 * base * top + 3.0 * top**2) / self._squares


@dataclass(frozen=True)
class CapsuleShape(SolidShape):
    """A cylinder that ends in half spheres.

    Attributes:
        diameter: of cylinder and half spheres [m].
        length: of the cylinder, without the half spheres [m].
        axis: "x", "y" or "z".
    """

    diameter: float = 1.0
    length: float = 1.0
    axis: str = "z"

    def __post_init__(self) -> None:
        for name in ("diameter", "length"):
            object.__setattr__(self, name, checks.positive("Capsule", name, getattr(self, name)))
        check_axis("Capsule", self.axis)

    @property
    def volume(self) -> float:
        """Return the volume [m3]."""
        return math.pi * self.diameter**2 * (0.25 * self.length + self.diameter / 6.0)

    @property
    def inertia_per_mass(self) -> Vector3:
        """See `SolidShape`."""
        radius, length = 0.5 * self.diameter, self.length
        middle = math.pi * radius**2 * length / self.volume
        ends = 1.0 - middle
        along = middle * radius**2 / 2.0 + ends * 0.4 * radius**2
        across = middle * (radius**2 / 4.0 + length**2 / 12.0)
        across += ends * (0.4 * radius**2 + length**2 / 4.0 + 0.375 * length * radius)
        return from_axis(self.axis, along, across, across)

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        return centered(*from_axis(self.axis, self.length + self.diameter, self.diameter, self.diameter))

    def _farthest(self, d: np.ndarray) -> np.ndarray:
        ball = 0.5 * self.diameter * onto_z(self.axis, d)
        return from_z(self.axis, ball[..., :2], ball[..., 2] + 0.5 * self.length * signs(ball[..., 2]))


def inner_diameter(owner: str, inner: object, outer: float) -> float:
    """Return an inner diameter as a float: at least 0 and less than the outer one."""
    result = checks.not_negative(owner, "inner_diameter", inner)
    if result >= outer:
        raise ModelError(
            f"inner_diameter of {owner} is too large", found=repr(result), expected=f"less than the diameter, {outer!r}"
        )
    return result
