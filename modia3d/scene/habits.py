"""Names that users of Modia3D.jl write by habit, and how they are written here; light to import.

Names that differ by capitals and underscores only (``lengthX``, ``solidMaterial``) are found without these tables.
"""

from __future__ import annotations

from collections.abc import Mapping

_CONTACT = "There is no contact between solids yet; leave it out."
_SHOWN = "It belongs to the search for contacts of Modia3D, which is another one here; leave it out."
_SEEN = "The animation is made of the result: modia3d.viewer, or 'modia3d run --html FILE'; leave it out."
_ANGULAR = "angular_velocity is relative to obj1 and resolved in obj1; that of Modia3D is resolved in obj2: turn it by R_12."

ARGUMENTS: Mapping[str, Mapping[str, str]] = {
    "Scene": {
        "gravityField": "Write gravity=UniformGravity(g, n), NoGravity() or PointGravity(mu, position).",
        "visualizeFrames": "A frame is shown by an Object3D with feature=Visual(CoordinateSystem(length)) and this parent.",
        "useOptimizedStructure": "What is rigidly connected is always one body; leave it out.",
        **dict.fromkeys(
            (
                *("nominalLength", "defaultFrameLength", "defaultJointLength", "defaultJointWidth", "defaultForceLength"),
                *("defaultForceWidth", "defaultBodyDiameter", "defaultArrowDiameter", "defaultN_to_m", "defaultNm_to_m"),
            ),
            "Nothing needs a typical size; leave it out.",
        ),
        **dict.fromkeys(("animationFile", "provideAnimationHistory", "enableVisualization"), _SEEN),
        **dict.fromkeys(
            (*("gap", "mprTolerance", "visualizeBoundingBox", "visualizeContactPoints", "visualizeSupportPoints"),),
            _SHOWN,
        ),
    },
    "Object3D": {
        "rot": "Write rotation=rot(y=...).",
        "angularVelocityResolvedInParent": "angular_velocity is always resolved in the parent.",
        "rotation123": "Write orientation='xyz', 'xzy' or another sequence, 'auto', or 'quaternion'.",
        "visualizeFrame": "Add an Object3D with feature=Visual(CoordinateSystem(length)) and this parent.",
    },
    "Solid": {"collisionSmoothingRadius": "Write smoothing_radius=..."},
    "VisualMaterial": {
        "shininess": "Use metalness and roughness, 0 to 1.",
        "reflectslight": "Use roughness=1.0 for a surface that reflects no light.",
        **dict.fromkeys(("shadows", "shadowMask"), "All surfaces throw shadows; leave it out."),
    },
    "SpringShape": {"diameter": "coil_diameter is that of the middle of the wire: diameter - wire_diameter."},
    "GearWheel": {"angle": "The teeth are straight; leave it out."},
    "Grid": {
        "width": "A grid is a square of the given length.",
        "lineWidth": "Lines are one pixel wide; leave it out.",
    },
    "Text": {
        "font": "Write height=..., the height of the letters [m].",
        "offset": "Move the Object3D: translation=...",
        "axisAlignment": "Write axis='x', 'y' or 'z': the normal of the plate, to the reader.",
        "alignment": "The text is centered; move the Object3D: translation=...",
    },
    "Mesh": {
        "filename": "Write file=...",
        "convexPartition": _CONTACT,
        "useMaterialColor": "The color is that of the visual material; leave it out.",
        "smoothNormals": "Normals are those of the file; leave it out.",
    },
    "MassProperties": {
        "m": "Write mass=...",
        "rCM": "Write center_of_mass=...",
        "I": "Write Ixx=..., Iyy=..., Izz=..., Ixy=..., Ixz=..., Iyz=...",
    },
    "FreeMotion": {
        "r": "Write translation=...",
        "rot": "Write rotation=rot(y=...).",
        "v": "Write velocity=...",
        "w": _ANGULAR,
    },
}
"""Name of a constructor -> argument that it does not have -> what to write instead."""

_PATH = (
    "A program declares addReferencePath(actions, names, ...); its signals are '<program>.<name>.position' in the equations."
)
_SENSOR = "Use RelativeSensor(obj1, obj2, resolved_in, quantities), AbsoluteSensor or Distance."
_ROTATION = "rotation=rot(x=..., y=..., z=...) turns a frame; modia3d.scene.basics.rotations.rotation_matrix(angles) is R_PF."

NAMES: Mapping[str, str] = {
    "FileMesh": "Use Mesh(file, scale).",
    "TextShape": "Use Text(text, height, axis).",
    "Font": "Use Text(text, height, axis): height is that of the letters.",
    "ModelicaShape": "Use Box, Ellipsoid, Cylinder, Cone, Capsule, Beam, SpringShape, GearWheel, Grid or CoordinateSystem.",
    "UniformGravityField": "Use UniformGravity(g, n).",
    "NoGravityField": "Use NoGravity().",
    "PointGravityField": "Use PointGravity(mu, position).",
    "FreeMotion2": "Use FreeMotion(obj1, obj2, ...) or Object3D(parent=..., fixed_to_parent=False).",
    "SensorResult": _SENSOR,
    "ContactResult": _CONTACT,
    "buildModia3D": "Use Model3D(...) in the place of Model(...).",
    "executeActions": "Nothing has to be called: ModelActions(program) is an entry of the Model3D.",
    **dict.fromkeys(
        (
            *("ReferencePath", "RefPath", "PTP_path", "calculateRobotMovement", "scheduleReferenceMotion"),
            *("getRefPathPosition", "getRefPathInitPosition", "getPosition", "getReferencePath"),
        ),
        _PATH,
    ),
    **dict.fromkeys(("rot1", "rot2", "rot3", "rot123", "resolve1", "resolve2"), _ROTATION),
    **dict.fromkeys(("Model", "Map", "Var", "Par", "instantiate"), "It belongs to modiapy: from modiapy import ..."),
    **dict.fromkeys(("Damper", "Fixed", "Inertia"), "It belongs to modiapy.library.rotational (translational)."),
}
"""Name that this package does not have -> what to write instead."""

_TAKEN = {
    "celsius": ("blocks.SISO", "heat_transfer.HeatPort"),
    "drives": ("blocks.PI", *(f"rotational.{name}" for name in ("Flange", "IdealGear", "Inertia", "SpringDamper", "Torque"))),
    "insulated_rod": ("heat_transfer.HeatPort",),
}
"""Models that libraries took from others, and offered to scenarios under their own name."""

RENAMED: Mapping[str, tuple[str, str, str]] = {
    old: (new, "0.1.0", "0.2.0")
    for old, new in {
        "Spring": "SpringShape",
        **{f"{library}.{new.partition('.')[2]}": new for library, models in _TAKEN.items() for new in models},
    }.items()
}
"""Old name of this package or of scenarios -> the new one, the versions in which it was renamed and in which it goes away."""
