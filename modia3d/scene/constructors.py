"""Constructors for a `Model3D`: one for each dataclass of a scene, and joints with flanges."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from modiapy.model.constructors import constructor
from modiapy.model.errors import ModelError
from modiapy.model.fields import name_constructor
from modiapy.model.model import Par

from .joint_names import JOINTS, WITH_FLANGES, joint_class
from .modia3d_jl_names import ARGUMENTS

MADE_OF = {
    "Object3D": "frame.Frame",
    "Scene": "scene_feature.SceneFeature",
    "Camera": "camera.Camera",
    "MatingTolerance": "scene_feature.MatingTolerance",
    "UniformGravity": "gravity.UniformGravity",
    "NoGravity": "gravity.NoGravity",
    "PointGravity": "gravity.PointGravity",
    "UserGravity": "gravity.UserGravity",
    "GravityPool": "gravity.GravityPool",
    "Solid": "solid.SolidFeature",
    "Visual": "visual.VisualFeature",
    "VisualMaterial": "visual.VisualMaterial",
    "SolidMaterial": "solid_materials.SolidMaterial",
    "Box": "shapes.boxes.BoxShape",
    "Cylinder": "shapes.rounded.CylinderShape",
    "Sphere": "shapes.rounded.SphereShape",
    "Ellipsoid": "shapes.rounded.EllipsoidShape",
    "Cone": "shapes.rounded.ConeShape",
    "Capsule": "shapes.rounded.CapsuleShape",
    "Beam": "shapes.boxes.BeamShape",
    "Plane": "shapes.plane.PlaneShape",
    "Mesh": "shapes.mesh.MeshShape",
    "SpringShape": "shapes.marks.SpringShape",
    "GearWheel": "shapes.marks.GearWheelShape",
    "CoordinateSystem": "shapes.marks.CoordinateSystemShape",
    "Grid": "shapes.marks.GridShape",
    "Text": "shapes.marks.TextShape",
    "MassProperties": "mass_properties.MassProperties",
    "MassPropertiesFromShape": "mass_properties.MassPropertiesFromShape",
    "MassPropertiesFromShapeAndMass": "mass_properties.MassPropertiesFromShapeAndMass",
    "InitialPose": "initial_pose.InitialPose",
    "PrismaticConstraint": "constraint_elements.cut_joints.PrismaticConstraint",
    "RevoluteConstraint": "constraint_elements.cut_joints.RevoluteConstraint",
    "SphericalConstraint": "constraint_elements.cut_joints.SphericalConstraint",
    "UniversalConstraint": "constraint_elements.cut_joints.UniversalConstraint",
    "RodConstraint": "constraint_elements.rod.RodConstraint",
    "RollingConstraint": "constraint_elements.rolling.RollingConstraint",
}
"""The dataclass of each constructor that is no joint, as it is named in this folder."""

LATER = {"Scene": ("contact_pairs",), "Mesh": ("file", "convex_parts")}
"""Fields that are looked at when the object is made, and not before."""

for _name, _place in {**MADE_OF, **{joint: f"joints.{file}" for joint, file in JOINTS.items()}}.items():
    name_constructor(f"{__package__}.{_place}", _name, ARGUMENTS.get(_name, {}))


def _made(name: str) -> Any:
    """Return the constructor of this name; it is made, and the file of its dataclass imported, when it is first asked for."""
    if name in MADE_OF or name in JOINTS:
        cls = joint_class(name) if name in JOINTS else _dataclass(*MADE_OF[name].rsplit(".", 1))
        return constructor(cls, name=name, remedies=ARGUMENTS.get(name, {}), later=LATER.get(name, ()))
    if name in WITH_FLANGES:
        from .flanges import joint_with_flanges

        return joint_with_flanges(name)
    if name == "Pool":
        from .pool import Pool

        return Pool
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def _dataclass(file: str, name: str) -> Any:
    return getattr(import_module(f".{file}", __package__), name)


def __getattr__(name: str) -> Any:
    made = globals()[name] = _made(name)
    return made


def read_palette(file: str | os.PathLike[str]) -> dict[str, Par]:
    """Return the materials of the user: a TOML ``file`` with tables ``[solid.Name]`` and ``[visual.Name]``, see
    `scene/materials`.

    Returns:
        A `SolidMaterial` or `VisualMaterial` for each name, to be given to a `Solid` or a `Visual`. Pairs of
        materials are read by `modia3d.read_contact_pairs`.

    Raises:
        ModelError: the file cannot be read or is wrong; two materials share a name.
    """
    made: dict[str, Par] = {}
    from .palette import read_tables

    makers = {"solid": _made("SolidMaterial"), "visual": _made("VisualMaterial")}
    tables = read_tables(file)
    for kind in makers:
        for name, fields in tables[kind].items():
            where = f"the palette '{os.fspath(file)}'"
            if name in made:
                raise ModelError(f"{where} is wrong", found=f"a solid and a visual material '{name}'", expected="two names")
            try:
                named = {**fields, "name": name} if kind == "solid" else fields
                makers[kind].dataclass(**named)
                made[name] = makers[kind](**named)
            except TypeError as error:
                raise ModelError(f"{where}: {kind}.{name} is wrong", found=str(error)) from None
            except ModelError as error:
                error.path, error.file = f"{kind}.{name}", error.file or os.fspath(file)
                raise
    return made
