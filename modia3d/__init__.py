"""Multibody systems whose structure changes while they are simulated; part of a Modia model.

Everything a user needs is exported here and imported where it is first used.
"""

from __future__ import annotations

from typing import Any

from modiapy.model.lazy_exports import lazy_exports

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
    "planar": ("PlanarToMultiBody", "PlanarWorldIn3D"),
    "rods": ("SphericalSpherical", "UniversalSpherical"),
    "two_rods": ("JointRRP", "JointRRR", "JointSSP", "JointSSR", "JointUSP", "JointUSR"),
    "wheels": ("RollingWheel", "RollingWheelSet"),
}
HOMES = {
    "Model3D": "modia3d.engine.model3d",
    **dict.fromkeys(_SCENE, "modia3d.scene.constructors"),
    **dict.fromkeys(_SENSORS, "modia3d.scene.sensors.constructors"),
    **dict.fromkeys(_FORCES, "modia3d.forces.constructors"),
    **{name: f"modia3d.assemblies.{file}" for file, names in _ASSEMBLIES.items() for name in names},
    **{name: f"modia3d.actions.structural.{file}" for name, file in STRUCTURAL.items()},
    "Actions": "modia3d.actions.structural.recorder",
    **dict.fromkeys(("IfElse", "Join", "Parallel", "Repeat", "Retry", "Spawn", "Try"), "modia3d.actions.blocks"),
    **dict.fromkeys(("ActionRefused", "End", "Read", "Set", "StopPath", "WaitUntil"), "modia3d.actions.steps"),
    **dict.fromkeys(("in_contact", "not_in_contact"), "modia3d.actions.touching"),
    **dict.fromkeys(
        ("ActionWait", "EventAfterPeriod", "Together", "addReferencePath", "moveLinear", "ptpJointSpace"),
        "modia3d.actions.values",
    ),
    "ModelActions": "modia3d.actions.program",
    "Pose": "modia3d.actions.pose",
    "MechanismView": "modia3d.engine.view.mechanism_view",
    "MujocoOrder": "modia3d.engine.view.mujoco_order",
    "inverse_kinematics": "modia3d.actions.ik",
    "rot": "modia3d.scene.rot",
    "bond_graph": "modia3d.viewer.diagram.bond_graph",
    "diagram": "modia3d.viewer.diagram.diagram",
    **dict.fromkeys(("ContactPair", "contact_pair", "read_contact_pairs"), "modia3d.scene.contact_pairs"),
}
"""Module of each name. What type checkers see is ``__init__.pyi``, see ``tools/exports.py``."""


def _other(name: str) -> Any:
    """Return the value of a name that has another one by now, or say what a name of Modia3D.jl is called here."""
    from .scene.modia3d_jl_names import NAMES
    from .scene.old_names import RENAMED

    if name in RENAMED and RENAMED[name][0] in HOMES:
        from modiapy.model.deprecation import current_name

        return globals()["__getattr__"](current_name(name, *RENAMED[name], stacklevel=4))
    if name in NAMES:  # an AttributeError would lose its text in 'from modia3d import ...'
        raise ImportError(f"modia3d has no '{name}'. {NAMES[name]}", name="modia3d")
    raise AttributeError(f"module 'modia3d' has no attribute '{name}'")


__all__, __getattr__, __dir__ = lazy_exports(__name__, HOMES, _other)
