"""Multibody systems whose structure changes while they are simulated; part of a Modia model.

Everything a user needs is exported here and imported where it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

from .forces.registry import ELEMENTS
from .scene.joint_names import JOINTS, WITH_FLANGES
from .topology.action_names import STRUCTURAL

_SCENE = (
    *JOINTS, *WITH_FLANGES, "Beam", "Box", "Camera", "Capsule", "Cone", "CoordinateSystem", "Cylinder", "Ellipsoid",
    "GearWheel", "GravityPool", "Grid", "InitialPose", "MassProperties", "MassPropertiesFromShape",
    "MassPropertiesFromShapeAndMass", "MatingTolerance", "Mesh", "NoGravity", "Object3D", "Plane", "PointGravity",
    "Pool", "PrismaticConstraint", "RevoluteConstraint", "RodConstraint", "RollingConstraint", "Scene", "Solid",
    "SolidMaterial", "Sphere", "SphericalConstraint", "SpringShape", "Text",
    "UniformGravity", "UniversalConstraint", "UserGravity", "Visual", "VisualMaterial", "read_palette",
)  # fmt: skip
_FORCES = (
    *ELEMENTS, "BevelGear", "Force", "ForceAndTorque", "Formula", "LineForce", "LineForceWithMass", "LineForceWithTwoMasses",
    "Mounting", "RevoluteWithSupport", "Rotor", "Torque",
)  # fmt: skip
_SENSORS = (
    "AbsoluteSensor", "ContactSensor", "CutForce", "CutForceAndTorque", "CutTorque", "Distance",
    "EnergySensor", "GravitySensor", "PowerSensor", "RelativeSensor",
)  # fmt: skip
_ASSEMBLIES = {
    "gear": ("GearConstraint",),
    "leg": ("JointUPS",),
    "rods": ("SphericalSpherical", "UniversalSpherical"),
    "two_rods": ("JointRRP", "JointRRR", "JointSSP", "JointSSR", "JointUSP", "JointUSR"),
    "wheels": ("RollingWheel", "RollingWheelSet"),
}
_ACTIONS = (
    "ActionWait", "EventAfterPeriod", "ModelActions", "addReferencePath", "moveLinear", "ptpJointSpace",
    "ActionRefused", "End", "IfElse", "Join", "Parallel", "Pose", "Read", "Repeat", "Retry", "Set", "Spawn", "StopPath",
    "Together", "Try", "WaitUntil", "in_contact", "not_in_contact",
)  # fmt: skip
HOMES = {
    "Model3D": "modia3d.engine.model3d",
    **dict.fromkeys(_SCENE, "modia3d.scene.constructors"),
    **dict.fromkeys(_SENSORS, "modia3d.scene.sensors.constructors"),
    **dict.fromkeys(_FORCES, "modia3d.forces.constructors"),
    **{name: f"modia3d.assemblies.{file}" for file, names in _ASSEMBLIES.items() for name in names},
    **dict.fromkeys(_ACTIONS, "modia3d.actions"),
    **{name: f"modia3d.actions.structural.{file}" for name, file in STRUCTURAL.items()},
    "inverse_kinematics": "modia3d.actions.ik",
    "rot": "modia3d.scene.rot",
    **dict.fromkeys(("ContactPair", "contact_pair", "read_contact_pairs"), "modia3d.scene.contact_pairs"),
}
"""Module of each name. What type checkers see is ``__init__.pyi``, see ``tools/exports.py``."""

__all__ = sorted(HOMES)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        from .scene.habits import NAMES, RENAMED

        if name in NAMES:  # an AttributeError would lose its text in 'from modia3d import ...'
            raise ImportError(f"modia3d has no '{name}'. {NAMES[name]}", name="modia3d")
        if name not in RENAMED:
            raise AttributeError(f"module 'modia3d' has no attribute '{name}'")
        from modiapy.model.deprecation import current_name

        globals()[name] = value = __getattr__(current_name(name, *RENAMED[name]))
        return value
    value = getattr(importlib.import_module(HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
