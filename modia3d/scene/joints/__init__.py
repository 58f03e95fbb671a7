"""Joints between two frames, one file each.

A joint with a flange has its coordinate in the equations (*invariant*), one without belongs to the engine (*passive*).
"""

from .base import ElementaryMotion, Joint, JointState, RelativeMotion
from .cylindrical import CylindricalJoint
from .fixed import FixedJoint
from .free_motion import FreeMotionJoint
from .limited import LimitedJoint
from .planar import PlanarJoint
from .prismatic import PrismaticJoint
from .revolute import RevoluteJoint
from .screw import ScrewJoint
from .spherical import SphericalJoint
from .universal import UniversalJoint

__all__ = [
    "CylindricalJoint",
    "ElementaryMotion",
    "FixedJoint",
    "FreeMotionJoint",
    "Joint",
    "JointState",
    "LimitedJoint",
    "PlanarJoint",
    "PrismaticJoint",
    "RelativeMotion",
    "RevoluteJoint",
    "ScrewJoint",
    "SphericalJoint",
    "UniversalJoint",
]
