"""Base of all shapes with a volume."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from modiapy.model.errors import ModelError, nearest

from ..basics.checks import Vector3, refuse_axis_number

Extent = tuple[Vector3, Vector3]
"""Lower and upper corner of an axis-aligned box in the frame of the shape [m]."""

AXES = ("x", "y", "z")


class SolidShape(ABC):
    """Base of the shapes that have a volume. Without a word to the contrary the centroid is the origin of the frame."""

    @property
    @abstractmethod
    def volume(self) -> float:
        """Return the volume [m3]."""

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

    def support(self, direction: ArrayLike) -> np.ndarray:
        """Return the point of the convex hull that lies farthest in a direction, in the frame of the shape [m].

        Args:
            direction: vectors of any length, shape (..., 3).

        Returns:
            Points, shape (..., 3). Where several points lie equally far, one of them.

        Raises:
            ModelError: a direction is zero, or not three finite numbers.
        """
        given = np.array(direction, dtype=float)
        length = np.linalg.norm(given, axis=-1, keepdims=True) if given.shape[-1:] == (3,) else np.zeros(1)
        if not np.all(np.isfinite(length) & (length > 0.0)):
            raise ModelError(
                "a direction of support is wrong", found=repr(direction), expected="vectors of three numbers, not zero"
            )
        return self._farthest(given / length)

    @abstractmethod
    def _farthest(self, d: np.ndarray) -> np.ndarray:
        """See `support`; ``d`` are unit vectors, shape (..., 3)."""


def check_axis(owner: str, axis: object) -> None:
    """Refuse a value that is not the name of an axis."""
    refuse_axis_number(owner, "axis", axis)
    if not isinstance(axis, str) or axis not in AXES:
        raise ModelError(
            f"axis of {owner} is wrong", found=repr(axis), expected="'x', 'y' or 'z'", remedy=nearest(str(axis), AXES)
        )


def from_axis(axis: str, along: float, second: float, third: float) -> Vector3:
    """Return x, y, z of what belongs to the axis and to the two that follow it in the cycle x, y, z."""
    if axis == "x":
        return along, second, third
    return (third, along, second) if axis == "y" else (second, third, along)


def centered(x: float, y: float, z: float) -> Extent:
    """Return the box with these edges about the origin."""
    return (-0.5 * x, -0.5 * y, -0.5 * z), (0.5 * x, 0.5 * y, 0.5 * z)


_SHIFT = {"z": 0, "x": 1, "y": 2}


def onto_z(axis: str, d: np.ndarray) -> np.ndarray:
    """Return the vectors (..., 3) of a shape along ``axis`` as those of the same shape along z; inverse of `from_z`."""
    return np.roll(d, -_SHIFT[axis], axis=-1)


def from_z(axis: str, across: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return the points (..., 3) of a shape along ``axis`` from the coordinates x, y (..., 2) and z (...) of the shape
    along z.
    """
    return np.roll(np.concatenate([across, along[..., None]], axis=-1), _SHIFT[axis], axis=-1)


def signs(d: np.ndarray) -> np.ndarray:
    """Return 1.0 where d >= 0, else -1.0."""
    return np.where(d < 0.0, -1.0, 1.0)


def on_circle(d: np.ndarray) -> np.ndarray:
    """Return the points of the unit circle (..., 2) in the directions (..., 2); its center where a direction is zero."""
    length = np.hypot(d[..., :1], d[..., 1:])  # squares of numbers below 1e-154 would be lost
    return d / np.where(length > 0.0, length, 1.0)
