"""What all shapes with a volume share."""

from __future__ import annotations

from abc import ABC, abstractmethod

from modiapy.model.errors import ModelError, nearest

from ..checks import Vector3

Extent = tuple[Vector3, Vector3]
"""Lower and upper corner of an axis-aligned box in the frame of the shape [m]."""

AXES = ("x", "y", "z")


class SolidShape(ABC):
    """Base of the shapes that have a volume. Without a word to the contrary the centroid is the origin of the frame."""

    @property
    @abstractmethod
    def volume(self) -> float:
        """Volume [m3]."""

    @property
    def centroid(self) -> Vector3:
        """Centroid in the frame of the shape [m]."""
        return 0.0, 0.0, 0.0

    @property
    @abstractmethod
    def inertia_per_mass(self) -> Vector3:
        """Ixx, Iyy, Izz about the centroid divided by the mass [m2]."""

    @property
    def products_per_mass(self) -> Vector3:
        """Ixy, Ixz, Iyz (elements of the inertia matrix) about the centroid divided by the mass [m2]."""
        return 0.0, 0.0, 0.0

    @property
    @abstractmethod
    def bounding_box(self) -> Extent:
        """See `Extent`."""


def check_axis(owner: str, axis: object) -> None:
    """Refuse what is not the name of an axis."""
    if axis not in AXES:
        raise ModelError(f"axis of {owner}", found=repr(axis), expected="'x', 'y' or 'z'", remedy=nearest(str(axis), AXES))


def from_axis(axis: str, along: float, second: float, third: float) -> Vector3:
    """x, y, z of what belongs to the axis and to the two that follow it in the cycle x, y, z."""
    if axis == "x":
        return along, second, third
    return (third, along, second) if axis == "y" else (second, third, along)


def centered(x: float, y: float, z: float) -> Extent:
    """The box with these edges about the origin."""
    return (-0.5 * x, -0.5 * y, -0.5 * z), (0.5 * x, 0.5 * y, 0.5 * z)
