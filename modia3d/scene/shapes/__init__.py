"""Shapes, one dataclass each, with volume, centroid, inertia and bounding box in their frame; marks are only seen.

Inertia of the homogeneous bodies: any handbook, e.g. Dubbel, table "Massenträgheitsmomente".
"""

from __future__ import annotations

from .base import Extent, SolidShape
from .boxes import BeamShape, BoxShape
from .marks import CoordinateSystemShape, GearWheelShape, GridShape, SpringShape
from .mesh import MeshShape
from .rounded import CapsuleShape, ConeShape, CylinderShape, EllipsoidShape, SphereShape

Shape = BoxShape | CylinderShape | SphereShape | EllipsoidShape | ConeShape | CapsuleShape | BeamShape | MeshShape
SHAPES = (BoxShape, CylinderShape, SphereShape, EllipsoidShape, ConeShape, CapsuleShape, BeamShape, MeshShape)

Mark = SpringShape | GearWheelShape | CoordinateSystemShape | GridShape
MARKS = (SpringShape, GearWheelShape, CoordinateSystemShape, GridShape)

__all__ = [
    "MARKS", "SHAPES", "BeamShape", "BoxShape", "CapsuleShape", "ConeShape", "CoordinateSystemShape", "CylinderShape",
    "EllipsoidShape", "Extent", "GearWheelShape", "GridShape", "Mark", "MeshShape", "Shape", "SolidShape", "SphereShape",
    "SpringShape",
]  # fmt: skip
