"""Joints between two frames, one file each; `modia3d.scene.joint_names` lists them all.

A joint with a flange has its coordinate in the equations (*invariant*), one without belongs to the engine (*passive*). Here are
what all have in common, and those that are asked for by name.
"""

from .base import ElementaryMotion, Joint, JointState, RelativeMotion
from .fixed import FixedJoint
from .free_motion import FreeMotionJoint
from .limited import LimitedJoint
from .prismatic import PrismaticJoint
from .revolute import RevoluteJoint

__all__ = [
    "ElementaryMotion",
    "FixedJoint",
    "FreeMotionJoint",
    "Joint",
    "JointState",
    "LimitedJoint",
    "PrismaticJoint",
    "RelativeMotion",
    "RevoluteJoint",
]
