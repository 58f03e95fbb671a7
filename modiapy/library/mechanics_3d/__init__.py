"""Mechanics in space as wrapped bond graphs.

After chapter 7 of D. Zimmer: A Modelica library for multibond graphs and its application in 3D-mechanics (ETH Zurich, 2006),
and Mechanics3D of MultiBondLib 1.3. A frame has position ``x``, velocity ``v`` and force ``f`` in the world; its matrix ``R``
resolves vectors of the world in the frame, in which its angular velocity ``w`` and torque ``t`` are resolved.
"""

from .collisions import CollisionPool, CollisionSpherePlane, CollisionSphereSphere, EnergyInjection
from .cut_joints import CloseLoop, PlanarRevolute
from .forces import (
    BodyForce,
    BodyTorque,
    Damping,
    Force,
    SoftImpuls_SphereSphere,
    Spring,
    SpringDamper,
    Torque,
    WorldForce,
    WorldTorque,
)
from .free_motion import FreeBodyMovement, FreeTranslationalMovement, PotentialFBM
from .gravity import GravityPool, World3D
from .interfaces import Frame, FromBonds, ToBonds
from .joints import ActuatedPrismatic, ActuatedRevolute, Prismatic, Revolute, Spherical, Universal
from .parts import Body, BodyShape, Fixed, FixedRotation, FixedTranslation, SimpleBody
from .rolling import Marble, MarbleJoint, Wheel, WheelJoint
from .sensors import AbsoluteSensor, CutForce, CutTorque, Power, RelativeSensor

__all__ = [
    "AbsoluteSensor",
    "ActuatedPrismatic",
    "ActuatedRevolute",
    "Body",
    "BodyForce",
    "BodyShape",
    "BodyTorque",
    "CloseLoop",
    "CollisionPool",
    "CollisionSpherePlane",
    "CollisionSphereSphere",
    "CutForce",
    "CutTorque",
    "Damping",
    "EnergyInjection",
    "Fixed",
    "FixedRotation",
    "FixedTranslation",
    "Force",
    "Frame",
    "FreeBodyMovement",
    "FreeTranslationalMovement",
    "FromBonds",
    "GravityPool",
    "Marble",
    "MarbleJoint",
    "PlanarRevolute",
    "PotentialFBM",
    "Power",
    "Prismatic",
    "RelativeSensor",
    "Revolute",
    "SimpleBody",
    "SoftImpuls_SphereSphere",
    "Spherical",
    "Spring",
    "SpringDamper",
    "ToBonds",
    "Torque",
    "Universal",
    "Wheel",
    "WheelJoint",
    "World3D",
    "WorldForce",
    "WorldTorque",
]
