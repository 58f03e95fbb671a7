"""Planar mechanics.

Conventions of PlanarMechanics: positions, angles (counter-clockwise), cut forces and cut torques of a frame are those of the
planar world; a cut force is positive when it acts on the component; SI units, angles in rad. A model of these components has
an entry ``planar_world``, whose gravity acts on all bodies. Loops close by themselves.
"""

from .compliant import Damper, Spring, SpringDamper
from .gears import RigidNoLossExternal, RigidNoLossInternal
from .interfaces import Frame, TwoFrames, WithFrameResolve
from .joints import (
    DryFrictionBasedRolling,
    FreeMotion,
    IdealRolling,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
)
from .parts import Body, Fixed, FixedRotation, FixedTranslation, WithGravityInput
from .sensors import (
    AbsoluteAcceleration,
    AbsolutePosition,
    AbsoluteVelocity,
    CutForce,
    CutForceAndTorque,
    CutTorque,
    Distance,
    Power,
    RelativeAcceleration,
    RelativePosition,
    RelativeVelocity,
    TransformAbsoluteVector,
    TransformRelativeVector,
)
from .sources import QuadraticSpeedDependentForce, RelativeForce, WorldForce
from .vehicles import (
    AirResistanceLongitudinal,
    DifferentialGear,
    DryFrictionWheelJoint,
    IdealWheelJoint,
    SlipBasedWheelJoint,
)
from .world import PlanarWorld

__all__ = [
    "AbsoluteAcceleration",
    "AbsolutePosition",
    "AbsoluteVelocity",
    "AirResistanceLongitudinal",
    "Body",
    "CutForce",
    "CutForceAndTorque",
    "CutTorque",
    "Damper",
    "DifferentialGear",
    "Distance",
    "DryFrictionBasedRolling",
    "DryFrictionWheelJoint",
    "Fixed",
    "FixedRotation",
    "FixedTranslation",
    "Frame",
    "FreeMotion",
    "IdealRolling",
    "IdealWheelJoint",
    "PlanarWorld",
    "Power",
    "Prismatic",
    "PrismaticWithFlange",
    "QuadraticSpeedDependentForce",
    "RelativeAcceleration",
    "RelativeForce",
    "RelativePosition",
    "RelativeVelocity",
    "Revolute",
    "RevoluteWithFlange",
    "RigidNoLossExternal",
    "RigidNoLossInternal",
    "SlipBasedWheelJoint",
    "Spring",
    "SpringDamper",
    "TransformAbsoluteVector",
    "TransformRelativeVector",
    "TwoFrames",
    "WithFrameResolve",
    "WithGravityInput",
    "WorldForce",
]
