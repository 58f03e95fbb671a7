"""What a user writes in a `Model3D`: one constructor for each dataclass of a scene, and the two joints with a flange."""

from __future__ import annotations

import os

from modiapy.library.rotational import Flange as RotationalFlange
from modiapy.library.translational import Flange as TranslationalFlange
from modiapy.model.arguments import arguments_checked
from modiapy.model.errors import ModelError
from modiapy.model.field_values import Vector
from modiapy.model.model import DefaultInit, Model, Par, Var, constructor
from modiapy.model.scoping import moved_in

from . import (
    frame,
    gravity,
    initial_pose,
    joints,
    mass_properties,
    palette,
    pool,
    scene_feature,
    shapes,
    solid,
    solid_materials,
    visual,
)
from .habits import ARGUMENTS

Object3D = constructor(frame.Frame, name="Object3D", remedies=ARGUMENTS["Object3D"])
Pool = pool.Pool
Scene = constructor(scene_feature.SceneFeature, name="Scene", remedies=ARGUMENTS["Scene"])
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
Mesh = constructor(shapes.MeshShape, name="Mesh", remedies=ARGUMENTS["Mesh"])
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
Revolute = constructor(joints.RevoluteJoint, name="Revolute", remedies=ARGUMENTS["Revolute"])
Prismatic = constructor(joints.PrismaticJoint, name="Prismatic", remedies=ARGUMENTS["Prismatic"])
Fix = constructor(joints.FixedJoint, name="Fix")
Screw = constructor(joints.ScrewJoint, name="Screw")
Cylindrical = constructor(joints.CylindricalJoint, name="Cylindrical")
Universal = constructor(joints.UniversalJoint, name="Universal")
Planar = constructor(joints.PlanarJoint, name="Planar")
Spherical = constructor(joints.SphericalJoint, name="Spherical")
FreeMotion = constructor(joints.FreeMotionJoint, name="FreeMotion", remedies=ARGUMENTS["FreeMotion"])


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
                makers[kind].dataclass(**fields)  # type: ignore[attr-defined]
                made[name] = makers[kind](**fields)
            except TypeError as error:
                raise ModelError(f"{where}: {kind}.{name} is wrong", found=str(error)) from None
            except ModelError as error:
                error.path, error.file = f"{kind}.{name}", error.file or os.fspath(file)
                raise
    return made


@arguments_checked(ARGUMENTS["RevoluteWithFlange"])
def RevoluteWithFlange(
    obj1: str,
    obj2: str,
    axis: str | Vector = "z",
    phi: Var | float | str | None = None,
    w: Var | float | str | None = None,
    *,
    limits: Vector | None = None,
    at_limit: str = "stop",
    lockable: bool = False,
) -> Model:
    """Revolute joint whose angle is a variable of the equations.

    Args:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector.
        phi: attributes of the angle [rad], or its initial value; default ``Var(init=0.0)``.
        w: attributes of the angular velocity [rad/s], or its initial value; default ``Var(init=0.0)``.
        limits: smallest and largest angle [rad].
        at_limit: "stop" or "error", as `Revolute`.
        lockable: the joint may be locked while a simulation runs, also by a program that does not name it when it is loaded.

    Returns:
        A model with the variables ``phi``, ``w`` and the connector ``flange`` (``phi``, ``tau``); ``flange.tau`` is
        the torque that drives ``obj2`` relative to ``obj1`` about the axis [N.m]. With limits, or if it may be locked, also
        ``constraint_torque``: what holds ``obj2`` relative to ``obj1``, 0 while it moves [N.m].
    """
    return Model(
        _constructor=joints.RevoluteJoint,
        with_flange=True,
        lockable=lockable,
        at_limit=at_limit,
        **({} if limits is None else {"limits": moved_in(limits, 1)}),
        obj1=obj1,
        obj2=obj2,
        axis=axis,
        flange=RotationalFlange,
        phi=_variable(phi),
        w=_variable(w),
        equations=["phi = flange.phi", "w = der(phi)"],
    )


@arguments_checked(ARGUMENTS["PrismaticWithFlange"])
def PrismaticWithFlange(
    obj1: str,
    obj2: str,
    axis: str | Vector = "z",
    s: Var | float | str | None = None,
    v: Var | float | str | None = None,
    *,
    limits: Vector | None = None,
    at_limit: str = "stop",
    lockable: bool = False,
) -> Model:
    """Prismatic joint whose distance is a variable of the equations.

    Args:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector.
        s: attributes of the distance [m], or its initial value; default ``Var(init=0.0)``.
        v: attributes of the velocity [m/s], or its initial value; default ``Var(init=0.0)``.
        limits: smallest and largest distance [m].
        at_limit, lockable: as `RevoluteWithFlange`.

    Returns:
        A model with the variables ``s``, ``v`` and the connector ``flange`` (``s``, ``f``); ``flange.f`` is the
        force that drives ``obj2`` relative to ``obj1`` along the axis [N]. With limits, or if it may be locked, also
        ``constraint_force`` [N].
    """
    return Model(
        _constructor=joints.PrismaticJoint,
        with_flange=True,
        lockable=lockable,
        at_limit=at_limit,
        **({} if limits is None else {"limits": moved_in(limits, 1)}),
        obj1=obj1,
        obj2=obj2,
        axis=axis,
        flange=TranslationalFlange,
        s=_variable(s),
        v=_variable(v),
        equations=["s = flange.s", "v = der(s)"],
    )


def _variable(given: Var | float | str | None) -> Var:
    """The variable of a joint: as given, or with the given initial value, 0 by default. Its names are the caller's."""
    if given is None:
        return Var(init=DefaultInit(0.0))
    return moved_in(given if isinstance(given, Var) else Var(init=given), 1)
