"""What a user writes in a `Model3D`: one constructor for each dataclass of a scene, and joints with flanges."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from modiapy.model.constructors import constructor
from modiapy.model.errors import ModelError
from modiapy.model.model import Par

from . import (
    camera,
    frame,
    gravity,
    initial_pose,
    mass_properties,
    palette,
    pool,
    scene_feature,
    shapes,
    solid,
    solid_materials,
    visual,
)
from .constraint_elements import cut_joints, rod, rolling
from .flanges import joint_with_flanges
from .habits import ARGUMENTS
from .joint_names import JOINTS, WITH_FLANGES, joint_class

Object3D = constructor(frame.Frame, name="Object3D", remedies=ARGUMENTS["Object3D"])
Pool = pool.Pool
Scene = constructor(scene_feature.SceneFeature, name="Scene", remedies=ARGUMENTS["Scene"], later=("contact_pairs",))
Camera = constructor(camera.Camera, name="Camera")
MatingTolerance = constructor(scene_feature.MatingTolerance, name="MatingTolerance")
UniformGravity = constructor(gravity.UniformGravity, name="UniformGravity")
NoGravity = constructor(gravity.NoGravity, name="NoGravity")
PointGravity = constructor(gravity.PointGravity, name="PointGravity")
UserGravity = constructor(gravity.UserGravity, name="UserGravity")
GravityPool = constructor(gravity.GravityPool, name="GravityPool")
Solid = constructor(solid.SolidFeature, name="Solid", remedies=ARGUMENTS["Solid"])
Visual = constructor(visual.VisualFeature, name="Visual")
VisualMaterial = constructor(visual.VisualMaterial, name="VisualMaterial", remedies=ARGUMENTS["VisualMaterial"])
SolidMaterial = constructor(solid_materials.SolidMaterial, name="SolidMaterial")
Box = constructor(shapes.BoxShape, name="Box")
Cylinder = constructor(shapes.CylinderShape, name="Cylinder")
Sphere = constructor(shapes.SphereShape, name="Sphere")
Ellipsoid = constructor(shapes.EllipsoidShape, name="Ellipsoid")
Cone = constructor(shapes.ConeShape, name="Cone")
Capsule = constructor(shapes.CapsuleShape, name="Capsule")
Beam = constructor(shapes.BeamShape, name="Beam")
Plane = constructor(shapes.PlaneShape, name="Plane")
Mesh = constructor(shapes.MeshShape, name="Mesh", remedies=ARGUMENTS["Mesh"], later=("file", "convex_parts"))
Spring = constructor(shapes.SpringShape, name="Spring", remedies=ARGUMENTS["Spring"])
GearWheel = constructor(shapes.GearWheelShape, name="GearWheel", remedies=ARGUMENTS["GearWheel"])
CoordinateSystem = constructor(shapes.CoordinateSystemShape, name="CoordinateSystem")
Grid = constructor(shapes.GridShape, name="Grid", remedies=ARGUMENTS["Grid"])
Text = constructor(shapes.TextShape, name="Text", remedies=ARGUMENTS["Text"])
MassProperties = constructor(mass_properties.MassProperties, name="MassProperties", remedies=ARGUMENTS["MassProperties"])
MassPropertiesFromShape = constructor(mass_properties.MassPropertiesFromShape, name="MassPropertiesFromShape")
MassPropertiesFromShapeAndMass = constructor(
    mass_properties.MassPropertiesFromShapeAndMass, name="MassPropertiesFromShapeAndMass"
)
InitialPose = constructor(initial_pose.InitialPose, name="InitialPose")
PrismaticConstraint = constructor(cut_joints.PrismaticConstraint, name="PrismaticConstraint")
RevoluteConstraint = constructor(cut_joints.RevoluteConstraint, name="RevoluteConstraint")
SphericalConstraint = constructor(cut_joints.SphericalConstraint, name="SphericalConstraint")
UniversalConstraint = constructor(cut_joints.UniversalConstraint, name="UniversalConstraint")
RodConstraint = constructor(rod.RodConstraint, name="RodConstraint")
RollingConstraint = constructor(rolling.RollingConstraint, name="RollingConstraint")

globals().update({name: constructor(joint_class(name), name=name, remedies=ARGUMENTS.get(name, {})) for name in JOINTS})
globals().update({name: joint_with_flanges(name) for name in WITH_FLANGES})

if TYPE_CHECKING:  # a type checker does not see the names of both here, but in `modia3d`

    def __getattr__(name: str) -> Any: ...


def read_palette(file: str | os.PathLike[str]) -> dict[str, Par]:
    """Materials of the user: a TOML ``file`` with tables ``[solid.Name]`` and ``[visual.Name]``, see `scene/materials`.

    Returns:
        A `SolidMaterial` or `VisualMaterial` for each name, to be given to a `Solid` or a `Visual`. Pairs of
        materials are read by `modia3d.read_contact_pairs`.

    Raises:
        ModelError: the file cannot be read or is wrong; two materials share a name.
    """
    made: dict[str, Par] = {}
    makers = {"solid": SolidMaterial, "visual": VisualMaterial}
    tables = palette.read_tables(file)
    for kind in makers:
        for name, fields in tables[kind].items():
            where = f"the palette '{os.fspath(file)}'"
            if name in made:
                raise ModelError(f"{where} is wrong", found=f"a solid and a visual material '{name}'", expected="two names")
            try:
                named = {**fields, "name": name} if kind == "solid" else fields
                makers[kind].dataclass(**named)  # type: ignore[attr-defined]
                made[name] = makers[kind](**named)
            except TypeError as error:
                raise ModelError(f"{where}: {kind}.{name} is wrong", found=str(error)) from None
            except ModelError as error:
                error.path, error.file = f"{kind}.{name}", error.file or os.fspath(file)
                raise
    return made
