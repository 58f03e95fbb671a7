"""What a user writes in a `Model3D`: one constructor for each dataclass of a scene, and the two joints with a flange."""

from __future__ import annotations

import os
from collections.abc import Sequence

from modiapy.library.rotational import Flange as RotationalFlange
from modiapy.library.translational import Flange as TranslationalFlange
from modiapy.model.errors import ModelError
from modiapy.model.model import Model, Par, Var, constructor

from . import (
    frame,
    gravity,
    joints,
    mass_properties,
    palette,
    scene_feature,
    shapes,
    solid,
    solid_materials,
    visual,
)

Object3D = constructor(frame.Frame, name="Object3D")
Scene = constructor(scene_feature.SceneFeature, name="Scene")
MatingTolerance = constructor(scene_feature.MatingTolerance, name="MatingTolerance")
UniformGravity = constructor(gravity.UniformGravity, name="UniformGravity")
NoGravity = constructor(gravity.NoGravity, name="NoGravity")
PointGravity = constructor(gravity.PointGravity, name="PointGravity")
Solid = constructor(solid.SolidFeature, name="Solid")
Visual = constructor(visual.VisualFeature, name="Visual")
VisualMaterial = constructor(visual.VisualMaterial, name="VisualMaterial")
SolidMaterial = constructor(solid_materials.SolidMaterial, name="SolidMaterial")
Box = constructor(shapes.BoxShape, name="Box")
Cylinder = constructor(shapes.CylinderShape, name="Cylinder")
Sphere = constructor(shapes.SphereShape, name="Sphere")
Ellipsoid = constructor(shapes.EllipsoidShape, name="Ellipsoid")
Cone = constructor(shapes.ConeShape, name="Cone")
Capsule = constructor(shapes.CapsuleShape, name="Capsule")
Beam = constructor(shapes.BeamShape, name="Beam")
Mesh = constructor(shapes.MeshShape, name="Mesh")
Spring = constructor(shapes.SpringShape, name="Spring")
GearWheel = constructor(shapes.GearWheelShape, name="GearWheel")
CoordinateSystem = constructor(shapes.CoordinateSystemShape, name="CoordinateSystem")
Grid = constructor(shapes.GridShape, name="Grid")
MassProperties = constructor(mass_properties.MassProperties, name="MassProperties")
MassPropertiesFromShape = constructor(mass_properties.MassPropertiesFromShape, name="MassPropertiesFromShape")
MassPropertiesFromShapeAndMass = constructor(
    mass_properties.MassPropertiesFromShapeAndMass, name="MassPropertiesFromShapeAndMass"
)
Revolute = constructor(joints.RevoluteJoint, name="Revolute")
Prismatic = constructor(joints.PrismaticJoint, name="Prismatic")
Fix = constructor(joints.FixedJoint, name="Fix")
Screw = constructor(joints.ScrewJoint, name="Screw")
Cylindrical = constructor(joints.CylindricalJoint, name="Cylindrical")
Universal = constructor(joints.UniversalJoint, name="Universal")
Planar = constructor(joints.PlanarJoint, name="Planar")
Spherical = constructor(joints.SphericalJoint, name="Spherical")
FreeMotion = constructor(joints.FreeMotionJoint, name="FreeMotion")


def read_palette(file: str | os.PathLike[str]) -> dict[str, Par]:
    """Materials of the user: a TOML file with tables ``[solid.Name]`` and ``[visual.Name]``, see `scene/materials`.

    Returns:
        A `SolidMaterial` or `VisualMaterial` for each name, to be given to a `Solid` or a `Visual`.

    Raises:
        ModelError: the file cannot be read or is wrong; two materials share a name.
    """
    made: dict[str, Par] = {}
    makers = {"solid": SolidMaterial, "visual": VisualMaterial}
    for kind, materials in palette.read_tables(file).items():
        for name, fields in materials.items():
            where = f"the palette '{os.fspath(file)}'"
            if name in made:
                raise ModelError(f"{where} is wrong", found=f"a solid and a visual material '{name}'", expected="two names")
            try:
                makers[kind].dataclass(**fields)  # type: ignore[attr-defined]
                made[name] = makers[kind](**fields)
            except TypeError as error:
                raise ModelError(f"{where}: {kind}.{name} is wrong", found=str(error)) from None
            except ModelError as error:
                error.path, error.file = f"{kind}.{name}", error.file or os.fspath(file)
                raise
    return made


def RevoluteWithFlange(
    obj1: str, obj2: str, axis: str | Sequence[float] = "z", phi: Var | None = None, w: Var | None = None
) -> Model:
    """Revolute joint whose angle is a variable of the equations.

    Args:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector.
        phi: attributes of the angle [rad]; default ``Var(init=0.0)``.
        w: attributes of the angular velocity [rad/s]; default ``Var(init=0.0)``.

    Returns:
        A model with the variables ``phi``, ``w`` and the connector ``flange`` (``phi``, ``tau``); ``flange.tau`` is
        the torque that drives ``obj2`` relative to ``obj1`` about the axis [N.m].
    """
    return Model(
        _constructor=joints.RevoluteJoint,
        with_flange=True,
        obj1=obj1,
        obj2=obj2,
        axis=axis,
        flange=RotationalFlange,
        phi=Var(init=0.0) if phi is None else phi,
        w=Var(init=0.0) if w is None else w,
        equations=["phi = flange.phi", "w = der(phi)"],
    )


def PrismaticWithFlange(
    obj1: str, obj2: str, axis: str | Sequence[float] = "z", s: Var | None = None, v: Var | None = None
) -> Model:
    """Prismatic joint whose distance is a variable of the equations.

    Args:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector.
        s: attributes of the distance [m]; default ``Var(init=0.0)``.
        v: attributes of the velocity [m/s]; default ``Var(init=0.0)``.

    Returns:
        A model with the variables ``s``, ``v`` and the connector ``flange`` (``s``, ``f``); ``flange.f`` is the
        force that drives ``obj2`` relative to ``obj1`` along the axis [N].
    """
    return Model(
        _constructor=joints.PrismaticJoint,
        with_flange=True,
        obj1=obj1,
        obj2=obj2,
        axis=axis,
        flange=TranslationalFlange,
        s=Var(init=0.0) if s is None else s,
        v=Var(init=0.0) if v is None else v,
        equations=["s = flange.s", "v = der(s)"],
    )
