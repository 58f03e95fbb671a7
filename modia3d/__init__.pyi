"""Written by ``python -m tools.exports``, which says why; not to be edited."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from modia3d.actions.blocks import IfElse as IfElse
from modia3d.actions.blocks import Join as Join
from modia3d.actions.blocks import Parallel as Parallel
from modia3d.actions.blocks import Repeat as Repeat
from modia3d.actions.blocks import Retry as Retry
from modia3d.actions.blocks import Spawn as Spawn
from modia3d.actions.blocks import Try as Try
from modia3d.actions.ik import inverse_kinematics as inverse_kinematics
from modia3d.actions.pose import Pose as Pose
from modia3d.actions.steps import ActionRefused as ActionRefused
from modia3d.actions.steps import End as End
from modia3d.actions.steps import Read as Read
from modia3d.actions.steps import Set as Set
from modia3d.actions.steps import StopPath as StopPath
from modia3d.actions.steps import WaitUntil as WaitUntil
from modia3d.actions.structural.add import ActionAdd as ActionAdd
from modia3d.actions.structural.attach import ActionAttach as ActionAttach
from modia3d.actions.structural.delete import ActionDelete as ActionDelete
from modia3d.actions.structural.flip_chain import ActionFlipChain as ActionFlipChain
from modia3d.actions.structural.lock_joint import ActionLock as ActionLock
from modia3d.actions.structural.recorder import Actions as Actions
from modia3d.actions.structural.release import ActionRelease as ActionRelease
from modia3d.actions.structural.release_and_attach import ActionReleaseAndAttach as ActionReleaseAndAttach
from modia3d.actions.structural.unlock_joint import ActionUnlock as ActionUnlock
from modia3d.actions.touching import in_contact as in_contact
from modia3d.actions.touching import not_in_contact as not_in_contact
from modia3d.actions.values import ActionWait as ActionWait
from modia3d.actions.values import EventAfterPeriod as EventAfterPeriod
from modia3d.actions.values import Together as Together
from modia3d.actions.values import addReferencePath as addReferencePath
from modia3d.actions.values import moveLinear as moveLinear
from modia3d.actions.values import ptpJointSpace as ptpJointSpace
from modia3d.assemblies.gear import GearConstraint as GearConstraint
from modia3d.assemblies.leg import JointUPS as JointUPS
from modia3d.assemblies.planar import PlanarToMultiBody as PlanarToMultiBody
from modia3d.assemblies.planar import PlanarWorldIn3D as PlanarWorldIn3D
from modia3d.assemblies.rods import SphericalSpherical as SphericalSpherical
from modia3d.assemblies.rods import UniversalSpherical as UniversalSpherical
from modia3d.assemblies.two_rods import JointRRP as JointRRP
from modia3d.assemblies.two_rods import JointRRR as JointRRR
from modia3d.assemblies.two_rods import JointSSP as JointSSP
from modia3d.assemblies.two_rods import JointSSR as JointSSR
from modia3d.assemblies.two_rods import JointUSP as JointUSP
from modia3d.assemblies.two_rods import JointUSR as JointUSR
from modia3d.assemblies.wheels import RollingWheel as RollingWheel
from modia3d.assemblies.wheels import RollingWheelSet as RollingWheelSet
from modia3d.engine.model3d import Model3D as Model3D
from modia3d.engine.view.mechanism_view import MechanismView as MechanismView
from modia3d.engine.view.mujoco_order import MujocoOrder as MujocoOrder
from modia3d.forces.constructors import BevelGear as BevelGear
from modia3d.forces.constructors import Force as Force
from modia3d.forces.constructors import ForceAndTorque as ForceAndTorque
from modia3d.forces.constructors import LineForce as LineForce
from modia3d.forces.constructors import LineForceWithMass as LineForceWithMass
from modia3d.forces.constructors import LineForceWithTwoMasses as LineForceWithTwoMasses
from modia3d.forces.constructors import Mounting as Mounting
from modia3d.forces.constructors import RevoluteWithSupport as RevoluteWithSupport
from modia3d.forces.constructors import Rotor as Rotor
from modia3d.forces.constructors import Torque as Torque
from modia3d.scene.constructors import Pool as Pool
from modia3d.scene.constructors import read_palette as read_palette
from modia3d.scene.contact_pairs import ContactPair as ContactPair
from modia3d.scene.contact_pairs import contact_pair as contact_pair
from modia3d.scene.contact_pairs import read_contact_pairs as read_contact_pairs
from modia3d.scene.rot import rot as rot
from modia3d.scene.sensors.constructors import CutForce as CutForce
from modia3d.scene.sensors.constructors import CutTorque as CutTorque
from modia3d.viewer.diagram.bond_graph import bond_graph as bond_graph
from modia3d.viewer.diagram.diagram import diagram as diagram
from modiapy.model.constructors import Array, Boolean, Matrix, Number, Object, String, Vector
from modiapy.model.model import Model, Par

def AbsoluteSensor(
    obj: String = ...,
    resolved_in: String = "",
    quantities: String | Sequence[String] = ("r",),
    *,
    rest_when_deleted: Boolean = False,
) -> Par:
    """Motion of ``obj`` relative to the world; variables as `RelativeSensor`."""

def Beam(length: Number = 1.0, width: Number = 0.1, thickness: Number = 0.1, axis: String = "x") -> Par:
    """A flat bar whose ends are half circles, like a link with a hole at both ends."""

def Box(length_x: Number = 1.0, length_y: Number = 1.0, length_z: Number = 1.0) -> Par:
    """A cuboid with its edges along the axes of its frame."""

def Bushing(
    obj1: String = ...,
    obj2: String = ...,
    stiffness: Sequence[Number | Callable[[float], float]] | Array = (0.0, 0.0, 0.0),
    damping: Sequence[Number | Callable[[float], float]] | Array = (0.0, 0.0, 0.0),
    rotational_stiffness: Sequence[Number | Callable[[float], float]] | Array = (0.0, 0.0, 0.0),
    rotational_damping: Sequence[Number | Callable[[float], float]] | Array = (0.0, 0.0, 0.0),
    nominal_force: Vector = (0.0, 0.0, 0.0),
    nominal_torque: Vector = (0.0, 0.0, 0.0),
    large_angles: Boolean = False,
    work_conjugate: Boolean = False,
) -> Par:
    """Springs and dampers along and about the axes of ``obj1``, which act on ``obj2`` at its origin."""

def Camera(
    position: Vector | None = None,
    target: Vector | None = None,
    follow: String = "",
    field_of_view: Number = 0.8,
    up: Vector | None = None,
    floor: Boolean | None = None,
) -> Par:
    """First view of an animation; whoever watches may turn the scene. What is not given follows from what is seen."""

def Capsule(diameter: Number = 1.0, length: Number = 1.0, axis: String = "z") -> Par:
    """A cylinder that ends in half spheres."""

def Cone(diameter: Number = 1.0, length: Number = 1.0, axis: String = "z", top_diameter: Number = 0.0) -> Par:
    """A circular cone, or a frustum if it has a top diameter. The origin of its frame is the center of its base."""

def ContactSensor(
    solid: String = ...,
    other: String | None = None,
    resolved_in: String = "",
    quantities: String | Sequence[String] = ("force", "normal_force", "contacts"),
) -> Par:
    """Sensor of a solid: the number of others that touch it, and how it is pressed."""

def CoordinateSystem(length: Number = 1.0) -> Par:
    """The axes of its frame, x red, y green, z blue."""

def CutForceAndTorque(
    at: String = ...,
    resolved_in: String | None = None,
    quantities: String | Sequence[String] = ("force", "torque"),
) -> Par:
    """Sensor of the force and torque that one side of a cut exerts on the other."""

def Cylinder(diameter: Number = 1.0, length: Number = 1.0, axis: String = "z", inner_diameter: Number = 0.0) -> Par:
    """A circular cylinder, hollow if it has an inner diameter."""

def Cylindrical(
    obj1: String = ...,
    obj2: String = ...,
    axis: String | Vector = "z",
    s: Number = 0.0,
    phi: Number = 0.0,
    v: Number = 0.0,
    w: Number = 0.0,
    *,
    cut: Boolean = False,
    fixed: Boolean = False,
    can_collide: Boolean | None = None,
) -> Par:
    """Translation of ``obj2`` relative to ``obj1`` along an axis, and rotation about it."""

def CylindricalWithFlanges(
    obj1: String,
    obj2: String,
    axis: String | Vector = "z",
    s: Number | None = None,
    phi: Number | None = None,
    v: Number | None = None,
    w: Number | None = None,
    *,
    limits: Mapping[str, Any] | None = None,
    at_limit: String = "stop",
    lockable: Boolean = False,
    can_collide: Boolean | None = None,
) -> Model:
    """Cylindrical joint whose coordinates are variables of the equations."""

def Distance(obj1: String = ..., obj2: String = ...) -> Par:
    """Distance of the origins of two frames."""

def Ellipsoid(length_x: Number = 1.0, length_y: Number = 1.0, length_z: Number = 1.0) -> Par:
    """An ellipsoid with its principal axes along the axes of its frame."""

def EnergySensor(quantities: String | Sequence[String] = ("kinetic", "potential")) -> Par:
    """Energy of the whole system."""

def Fix(
    obj1: String = ...,
    obj2: String = ...,
    translation: Vector = (0.0, 0.0, 0.0),
    rotation: Matrix = (0.0, 0.0, 0.0),
    *,
    cut: Boolean = False,
    fixed: Boolean = False,
    can_collide: Boolean | None = None,
) -> Par:
    """Rigid connection of ``obj2`` to ``obj1``: their bodies become one."""

def Formula(expression: String = ..., argument: String = "u") -> Par:
    """A function of one argument as text: ``Formula("100*u + 5*u**3")``."""

def FreeMotion(
    obj1: String = ...,
    obj2: String = ...,
    translation: Vector = (0.0, 0.0, 0.0),
    rotation: Matrix = (0.0, 0.0, 0.0),
    velocity: Vector = (0.0, 0.0, 0.0),
    angular_velocity: Vector = (0.0, 0.0, 0.0),
    orientation: String = "quaternion",
    *,
    cut: Boolean = False,
    fixed: Boolean = False,
    can_collide: Boolean | None = True,
) -> Par:
    """No constraint at all: the coordinates are the motion of ``obj2`` relative to ``obj1``, which may itself move."""

def FreeMotionWithFlanges(
    obj1: String,
    obj2: String,
    orientation: String = "xyz",
    s_x: Number | None = None,
    s_y: Number | None = None,
    s_z: Number | None = None,
    phi_x: Number | None = None,
    phi_y: Number | None = None,
    phi_z: Number | None = None,
    v_x: Number | None = None,
    v_y: Number | None = None,
    v_z: Number | None = None,
    w_x: Number | None = None,
    w_y: Number | None = None,
    w_z: Number | None = None,
    *,
    limits: Mapping[str, Any] | None = None,
    at_limit: String = "stop",
    lockable: Boolean = False,
    can_collide: Boolean | None = True,
) -> Model:
    """Free motion whose coordinates are variables of the equations."""

def GearWheel(
    diameter: Number = 1.0,
    length: Number = 0.1,
    teeth: Number = 20,
    axis: String = "z",
    inner_diameter: Number = 0.0,
) -> Par:
    """A spur gear centered in its frame."""

def GravityPool(G: Number = 6.6743e-11, bodies: Sequence[String] | Par = ()) -> Par:
    """Mutual attraction: each of some solids attracts each other one, as Newton's law says for their centres of mass."""

def GravitySensor() -> Par:
    """Acceleration of gravity in world, for masses that the equations describe: variables ``g.x, .y, .z`` [m/s2]."""

def Grid(length: Number = 10.0, distance: Number = 1.0, axis: String = "z") -> Par:
    """Lines in a plane through the origin of its frame."""

def InitialPose(
    obj: String = ...,
    translation: Sequence[Number | None] | Array | None = None,
    rotation: Matrix | None = None,
    velocity: Sequence[Number | None] | Array | None = None,
    angular_velocity: Sequence[Number | None] | Array | None = None,
    joints: Sequence[String] | Par = (),
    relative_to: String = "",
    fixed: Sequence[String] | Par = (),
) -> Par:
    """Pose and velocity of a frame at the start of the simulation; initial values of joints and free bodies follow from ..."""

def MassProperties(
    mass: Number = 0.0,
    center_of_mass: Vector = (0.0, 0.0, 0.0),
    Ixx: Number = 0.0,
    Iyy: Number = 0.0,
    Izz: Number = 0.0,
    Ixy: Number = 0.0,
    Ixz: Number = 0.0,
    Iyz: Number = 0.0,
    as_given: Boolean = False,
) -> Par:
    """Mass properties as given."""

def MassPropertiesFromShape() -> Par:
    """Homogeneous body: mass from the volume of the shape and the density of the solid's material."""

def MassPropertiesFromShapeAndMass(mass: Number = ...) -> Par:
    """Homogeneous body of a given mass with the shape of the solid."""

def MatingTolerance(
    position: Number = 0.001,
    z_angle: Number = 0.001,
    twist_angle: Number = 0.001,
    velocity: Number = 0.001,
    angular_velocity: Number = 0.001,
    symmetry: Number = 4,
) -> Par:
    """Tolerances of mating: how far two lock frames may be from the exact pose when they are attached."""

def Mesh(
    file: String = "",
    scale: Number | Vector = 1.0,
    folders: Sequence[String] | Par = (),
    watertight: Boolean = True,
    convex_parts: Sequence[String] | Par = (),
    decompose: Boolean = False,
) -> Par:
    """A shape read from a file; the frame of the shape is that of the coordinates in the file."""

def ModelActions(program: Callable[..., Any] | Sequence[Any] | Par = ..., *, closes_loops: Boolean | None = None) -> Par:
    """An action program of a `Model3D`."""

def NoGravity() -> Par:
    """A scene without gravity."""

def Object3D(
    parent: String = "",
    feature: Object | None = None,
    translation: Vector = (0.0, 0.0, 0.0),
    rotation: Matrix = (0.0, 0.0, 0.0),
    fixed_to_parent: Boolean = True,
    velocity: Vector = (0.0, 0.0, 0.0),
    angular_velocity: Vector = (0.0, 0.0, 0.0),
    assembly_root: Boolean = False,
    lockable: Boolean = False,
    orientation: String = "quaternion",
    parked: Boolean = False,
) -> Par:
    """A coordinate system F, written ``Object3D`` by the user."""

def PinSlot(
    obj1: String = ...,
    obj2: String = ...,
    axis: String | Vector = "z",
    axis_x: String | Vector = "",
    s: Number = 0.0,
    phi: Number = 0.0,
    v: Number = 0.0,
    w: Number = 0.0,
    *,
    cut: Boolean = False,
    fixed: Boolean = False,
    can_collide: Boolean | None = None,
) -> Par:
    """A pin of ``obj2`` slides in a straight slot of ``obj1``, and turns there about an axis across the slot."""

def PinSlotWithFlanges(
    obj1: String,
    obj2: String,
    axis: String | Vector = "z",
    axis_x: String | Vector = "",
    s: Number | None = None,
    phi: Number | None = None,
    v: Number | None = None,
    w: Number | None = None,
    *,
    limits: Mapping[str, Any] | None = None,
    at_limit: String = "stop",
    lockable: Boolean = False,
    can_collide: Boolean | None = None,
) -> Model:
    """Pin slot joint whose coordinates are variables of the equations."""

def Planar(
    obj1: String = ...,
    obj2: String = ...,
    axis: String | Vector = "z",
    axis_x: String | Vector = "",
    s_x: Number = 0.0,
    s_y: Number = 0.0,
    phi: Number = 0.0,
    v_x: Number = 0.0,
    v_y: Number = 0.0,
    w: Number = 0.0,
    *,
    cut: Boolean = False,
    fixed: Boolean = False,
    can_collide: Boolean | None = None,
) -> Par:
    """Translation of ``obj2`` relative to ``obj1`` in a plane of ``obj1``, and rotation about its normal."""

def PlanarWithFlanges(
    obj1: String,
    obj2: String,
    axis: String | Vector = "z",
    axis_x: String | Vector = "",
    s_x: Number | None = None,
    s_y: Number | None = None,
    phi: Number | None = None,
    v_x: Number | None = None,
    v_y: Number | None = None,
    w: Number | None = None,
    *,
    limits: Mapping[str, Any] | None = None,
    at_limit: String = "stop",
    lockable: Boolean = False,
    can_collide: Boolean | None = None,
) -> Model:
    """Planar joint whose coordinates are variables of the equations."""

def Plane(axis: String = "z") -> Par:
    """Everything below the plane through the origin of its frame; it has no volume that could have a mass."""

def PointGravity(mu: Number = ..., position: Vector = (0.0, 0.0, 0.0)) -> Par:
    """The field of a point mass that does not move, e.g. of a planet; it acts at the centre of mass of every solid."""

def PowerSensor(force: String | None = None) -> Par:
    """Power that a force from the equations, or everything together, feeds into the mechanics: variable ``power`` [W]."""

def Prismatic(
    obj1: String = ...,
    obj2: String = ...,
    axis: String | Vector = "z",
    s: Number = 0.0,
    v: Number = 0.0,
    *,
    cut: Boolean = False,
    fixed: Boolean = False,
    can_collide: Boolean | None = None,
    limits: Vector | None = None,
    at_limit: String = "stop",
    with_flange: Boolean = False,
    lockable: Boolean = False,
) -> Par:
    """Translation of ``obj2`` relative to ``obj1`` along an axis."""

def PrismaticConstraint(
    obj1: String = ...,
    obj2: String = ...,
    *,
    can_collide: Boolean = False,
    x_locked: Boolean = True,
    y_locked: Boolean = True,
    z_locked: Boolean = True,
) -> Par:
    """A cut joint without rotation: the frames stay parallel, their origins together in all directions or in some."""

def PrismaticWithFlange(
    obj1: String,
    obj2: String,
    axis: String | Vector = "z",
    s: Number | None = None,
    v: Number | None = None,
    *,
    limits: Vector | None = None,
    at_limit: String = "stop",
    lockable: Boolean = False,
    can_collide: Boolean | None = None,
) -> Model:
    """Prismatic joint whose distance is a variable of the equations."""

def RelativeSensor(
    obj1: String = ...,
    obj2: String = ...,
    resolved_in: String | None = None,
    quantities: String | Sequence[String] = ("r",),
) -> Par:
    """Motion of ``obj2`` as an observer who moves with ``obj1`` sees it."""

def Revolute(
    obj1: String = ...,
    obj2: String = ...,
    axis: String | Vector = "z",
    phi: Number = 0.0,
    w: Number = 0.0,
    *,
    cut: Boolean = False,
    fixed: Boolean = False,
    can_collide: Boolean | None = None,
    limits: Vector | None = None,
    at_limit: String = "stop",
    with_flange: Boolean = False,
    lockable: Boolean = False,
) -> Par:
    """Rotation of ``obj2`` relative to ``obj1`` about an axis through both origins."""

def RevoluteConstraint(
    obj1: String = ...,
    obj2: String = ...,
    n: String | Vector = "y",
    *,
    can_collide: Boolean = False,
    x_locked: Boolean = True,
    y_locked: Boolean = True,
    z_locked: Boolean = True,
) -> Par:
    """A revolute cut joint: an axis has the same direction in both frames, the origins are together in all directions ..."""

def RevoluteWithFlange(
    obj1: String,
    obj2: String,
    axis: String | Vector = "z",
    phi: Number | None = None,
    w: Number | None = None,
    *,
    limits: Vector | None = None,
    at_limit: String = "stop",
    lockable: Boolean = False,
    can_collide: Boolean | None = None,
) -> Model:
    """Revolute joint whose angle is a variable of the equations."""

def RodConstraint(obj1: String = ..., obj2: String = ..., length: Number = 1.0, *, can_collide: Boolean = True) -> Par:
    """The distance of the origins of two frames is constant."""

def RollingConstraint(
    obj1: String = ...,
    obj2: String = ...,
    radius: Number = 0.5,
    axis: String | Vector = "y",
    normal: String | Vector = "z",
    *,
    can_collide: Boolean = False,
    upright: Boolean = False,
    lateral: Boolean = True,
) -> Par:
    """A wheel stands on a plane and rolls without slip; the plane may move."""

def Rope(
    obj1: String = ...,
    obj2: String = ...,
    length: Number = ...,
    stiffness: Number | Callable[[float], float] = ...,
    dissipation: Number = 0.0,
) -> Par:
    """Rope, cable or tether between the origins of two frames: it pulls, and never pushes."""

def Scene(
    gravity: Object = ...,
    mating: Object = ...,
    enable_contact_detection: Boolean = True,
    contact_response: String = "elastic",
    elastic_contact_reduction_factor: Number = 1.0,
    deep_penetration: Number = 0.05,
    maximum_contact_damping: Number = 2000.0,
    contact_damping: String = "exact",
    contact_pairs: String | Mapping[Any, Any] | None = None,
    no_contact: Sequence[Sequence[String] | Par] | Par = (),
    visualize_contacts: Boolean = False,
    camera: Object | None = None,
    folders: Sequence[String] | Par = (),
) -> Par:
    """Global properties of a scene; its `Object3D` is the world."""

def Screw(
    obj1: String = ...,
    obj2: String = ...,
    axis: String | Vector = "z",
    pitch: Number = 0.0,
    phi: Number = 0.0,
    w: Number = 0.0,
    *,
    cut: Boolean = False,
    fixed: Boolean = False,
    can_collide: Boolean | None = None,
    limits: Vector | None = None,
    at_limit: String = "stop",
    with_flange: Boolean = False,
    lockable: Boolean = False,
) -> Par:
    """Rotation of ``obj2`` relative to ``obj1`` about an axis, and translation along it in proportion to the angle."""

def ScrewWithFlange(
    obj1: String,
    obj2: String,
    axis: String | Vector = "z",
    pitch: Number = 0.0,
    phi: Number | None = None,
    w: Number | None = None,
    *,
    limits: Vector | None = None,
    at_limit: String = "stop",
    lockable: Boolean = False,
    can_collide: Boolean | None = None,
) -> Model:
    """Screw joint whose angle is a variable of the equations."""

def Solid(
    shape: Object | None = None,
    solid_material: String = "",
    mass_properties: Object | None = None,
    visual_material: String | None = None,
    collision: Boolean = False,
    contact_material: String = "",
    contact_sphere_radius: Number | None = None,
    smoothing_radius: Number = 0.0,
    contact_group: String = "",
) -> Par:
    """A rigid piece of matter, fixed in its frame."""

def SolidMaterial(
    density: Number = ...,
    source: String = "",
    youngs_modulus: Number | None = None,
    poisson_ratio: Number | None = None,
    name: String = "",
) -> Par:
    """Properties of a solid material."""

def Sphere(diameter: Number = 1.0) -> Par:
    """A sphere."""

def Spherical(
    obj1: String = ...,
    obj2: String = ...,
    rotation: Matrix = (0.0, 0.0, 0.0),
    angular_velocity: Vector = (0.0, 0.0, 0.0),
    orientation: String = "quaternion",
    *,
    cut: Boolean = False,
    fixed: Boolean = False,
    can_collide: Boolean | None = None,
) -> Par:
    """Any rotation of ``obj2`` relative to ``obj1``; the origins stay together."""

def SphericalConstraint(
    obj1: String = ...,
    obj2: String = ...,
    *,
    can_collide: Boolean = False,
    x_locked: Boolean = True,
    y_locked: Boolean = True,
    z_locked: Boolean = True,
) -> Par:
    """A spherical cut joint: the origins are together, in all directions or in some."""

def SphericalWithFlanges(
    obj1: String,
    obj2: String,
    orientation: String = "xyz",
    phi_x: Number | None = None,
    phi_y: Number | None = None,
    phi_z: Number | None = None,
    w_x: Number | None = None,
    w_y: Number | None = None,
    w_z: Number | None = None,
    *,
    limits: Mapping[str, Any] | None = None,
    at_limit: String = "stop",
    lockable: Boolean = False,
    can_collide: Boolean | None = None,
) -> Model:
    """Spherical joint whose coordinates are variables of the equations."""

def SpringDamperPtP(
    obj1: String = ...,
    obj2: String = ...,
    stiffness: Number | Callable[[float], float] = 0.0,
    damping: Number | Callable[[float], float] = 0.0,
    nominal_length: Number = 0.0,
    nominal_force: Number = 0.0,
) -> Par:
    """Spring and damper in parallel on the line between the origins of two frames."""

def SpringShape(
    length: Number = 1.0,
    coil_diameter: Number = 0.2,
    wire_diameter: Number = 0.02,
    windings: Number = 8.0,
    axis: String = "z",
) -> Par:
    """A coil spring from the origin of its frame in the positive direction of the axis."""

def Text(text: String = "", height: Number = 0.1, axis: String = "z") -> Par:
    """Text on a transparent plate that is centered in its frame and seen from both sides."""

def UniformGravity(g: Number = 9.81, n: String | Vector = (0.0, -1.0, 0.0)) -> Par:
    """A field that is the same everywhere."""

def Universal(
    obj1: String = ...,
    obj2: String = ...,
    axis_a: String | Vector = "x",
    axis_b: String | Vector = "y",
    phi_a: Number = 0.0,
    phi_b: Number = 0.0,
    w_a: Number = 0.0,
    w_b: Number = 0.0,
    *,
    cut: Boolean = False,
    fixed: Boolean = False,
    can_collide: Boolean | None = None,
) -> Par:
    """Rotation of ``obj2`` relative to ``obj1`` about an axis fixed in ``obj1``, then about a second one fixed in ``obj2``."""

def UniversalConstraint(
    obj1: String = ...,
    obj2: String = ...,
    n_a: String | Vector = "x",
    n_b: String | Vector = "y",
    *,
    can_collide: Boolean = False,
    x_locked: Boolean = True,
    y_locked: Boolean = True,
    z_locked: Boolean = True,
) -> Par:
    """A universal cut joint: an axis of each frame stay perpendicular, the origins together in all directions or in some."""

def UniversalWithFlanges(
    obj1: String,
    obj2: String,
    axis_a: String | Vector = "x",
    axis_b: String | Vector = "y",
    phi_a: Number | None = None,
    phi_b: Number | None = None,
    w_a: Number | None = None,
    w_b: Number | None = None,
    *,
    limits: Mapping[str, Any] | None = None,
    at_limit: String = "stop",
    lockable: Boolean = False,
    can_collide: Boolean | None = None,
) -> Model:
    """Universal joint whose coordinates are variables of the equations."""

def UserGravity(
    acceleration: Callable[..., object] | Sequence[String] | String = ...,
    potential: Callable[..., object] | Sequence[String] | String | None = None,
) -> Par:
    """A field that the user gives; it acts at the centre of mass of every solid."""

def Visual(shape: Object = ..., visual_material: String | None = None) -> Par:
    """A shape that is seen and has neither mass nor contact."""

def VisualMaterial(
    color: String | Vector = "LightBlue",
    transparency: Number = 0.0,
    wireframe: Boolean = False,
    metalness: Number = 0.1,
    roughness: Number = 0.6,
) -> Par:
    """Look of a surface."""

def WorldForce(
    obj: String = ...,
    force: Sequence[Number | Callable[[float], float]] | Array | None = None,
    resolved_in: String = "",
) -> Par:
    """A force from outside that acts at the origin of a frame; nothing feels its reaction."""

def WorldTorque(
    obj: String = ...,
    torque: Sequence[Number | Callable[[float], float]] | Array | None = None,
    resolved_in: String = "",
) -> Par:
    """A torque from outside that acts on a frame; nothing feels its reaction."""
