"""Shapes, one dataclass each, with volume, centroid, inertia, bounding box and support function; marks are only seen.

Inertia of the homogeneous bodies: any handbook, e.g. Dubbel, table "Massenträgheitsmomente".
"""

from __future__ import annotations

from .base import Extent, SolidShape
from .boxes import BeamShape, BoxShape
from .marks import CoordinateSystemShape, GearWheelShape, GridShape, SpringShape, TextShape
from .mesh import MeshShape
from .plane import PlaneShape
from .rounded import CapsuleShape, ConeShape, CylinderShape, EllipsoidShape, SphereShape

Shape = BoxShape | CylinderShape | SphereShape | EllipsoidShape | ConeShape | CapsuleShape | BeamShape | MeshShape | PlaneShape
SHAPES = (BoxShape, CylinderShape, SphereShape, EllipsoidShape, ConeShape, CapsuleShape, BeamShape, MeshShape, PlaneShape)

Mark = SpringShape | GearWheelShape | CoordinateSystemShape | GridShape | TextShape
MARKS = (SpringShape, GearWheelShape, CoordinateSystemShape, GridShape, TextShape)

__all__ = [
    "MARKS", "SHAPES", "BeamShape", "BoxShape", "CapsuleShape", "ConeShape", "CoordinateSystemShape", "CylinderShape",
    "EllipsoidShape", "Extent", "GearWheelShape", "GridShape", "Mark", "MeshShape", "PlaneShape", "Shape", "SolidShape",
    "SphereShape", "SpringShape", "TextShape",
]  # fmt: skip
