"""The half-space: a floor or a wall that things collide with."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

from ..basics.checks import Vector3
from .base import Extent, SolidShape, check_axis, from_axis

_REMEDY = "Give contact_material instead of solid_material, and no mass_properties; or take a Box."


@dataclass(frozen=True)
class PlaneShape(SolidShape):
    """Everything below the plane through the origin of its frame; it has no volume that could have a mass.

    Attributes:
        axis: "x", "y" or "z": normal of the plane, out of the half-space.
    """

    axis: str = "z"

    def __post_init__(self) -> None:
        check_axis("Plane", self.axis)

    @property
    def volume(self) -> float:
        """Raises ModelError: it is infinite."""
        raise _infinite("volume")

    @property
    def inertia_per_mass(self) -> Vector3:
        """Raises ModelError: it is infinite."""
        raise _infinite("inertia")

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`; infinite but for the one side."""
        return from_axis("x", -math.inf, -math.inf, -math.inf), from_axis(self.axis, 0.0, math.inf, math.inf)

    def _farthest(self, d: np.ndarray) -> np.ndarray:
        raise _infinite("farthest point")


def _infinite(what: str) -> ModelError:
    return ModelError(f"a Plane has no {what}", found="a half-space, which is infinite", remedy=_REMEDY)
