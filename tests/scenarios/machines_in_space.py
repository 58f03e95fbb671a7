"""The machines of `scenarios/bond_graphs` in space as models of the engine, written independently of their bond graphs."""

from __future__ import annotations

import math

from modia3d import (
    GravityPool,
    MassProperties,
    Model3D,
    Object3D,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    RollingConstraint,
    Scene,
    Solid,
    Spherical,
    SphericalWithFlanges,
    SpringDamperPtP,
    UniformGravity,
)
from modiapy import Map, Var
from modiapy.library import rotational, translational

DEG = math.pi / 180
WORLD = Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-y")))


def body(mass, inertia=(0.05, 0.05, 0.05), centre=(0.0, 0.0, 0.0), I_xy=0.0, **placed):
    """Return a body with the given inertia about its centre of mass."""
    Ixx, Iyy, Izz = inertia
    properties = MassProperties(mass, centre, Ixx, Iyy, Izz, Ixy=I_xy)
    return Object3D(feature=Solid(mass_properties=properties), **placed)


def point(parent, *translation):
    """Return a frame at a point of another one."""
    return Object3D(parent=parent, translation=translation)


LIGHT = body(1e-9, (1e-10, 1e-10, 1e-10))
"""A rod without mass in a loop: light beside the bodies of 0.5 kg and more."""


def gyroscope(orientation):
    """Return the disc on a rod; the states of its ball joint are a quaternion or Cardan angles and their derivatives."""
    if orientation == "quaternion":
        ball = Spherical("world", "disc", angular_velocity=(80 * math.pi, 0.0, 0.0))
    else:
        ball = SphericalWithFlanges("world", "disc", orientation=orientation, w_x=80 * math.pi)
    return Model3D(
        world=WORLD,
        disc=body(2.0, (0.12, 0.06, 0.06), (2.0, 0.0, 0.0)),
        centre=point("disc", 2.0, 0.0, 0.0),
        ball=ball,
    )


FOUR_BAR_LOOP = Model3D(
    world=WORLD,
    rail=point("world", 1.2, 0.0, 0.0),
    crank=body(0.5, centre=(0.0, 0.25, 0.05)),
    knee=point("crank", 0.0, 0.5, 0.1),
    slider=body(0.5, centre=(0.0, 0.1, 0.0)),
    top=point("slider", 0.0, 0.2, 0.0),
    cross=Object3D(),
    rod=body(0.5, centre=(0.5, -0.15, -0.05)),
    end=point("rod", 1.0, -0.3, -0.1),
    Revolute1=Revolute("world", "crank", "x", w=300 * DEG, fixed=True),
    Prismatic1=Prismatic("rail", "slider", "x"),
    Revolute4=Revolute("top", "cross", "z"),
    Revolute6=Revolute("cross", "end", "y"),
    Spherical1=Spherical("knee", "rod"),
)

PLANAR_LOOP = Model3D(
    world=WORLD,
    slider=LIGHT,
    rod1=LIGHT,
    knee1=point("rod1", 0.0, -3.0, 0.0),
    rod2=LIGHT,
    knee2=point("rod2", 0.0, -3.0, 0.0),
    arm=body(2.0, centre=(2.0, 0.0, 0.0)),
    Revolute1=Revolute("world", "rod1", "z"),
    Prismatic1=Prismatic("world", "slider", "x", s=2.0, fixed=True),
    Revolute2=Revolute("slider", "rod2", "z"),
    pin=Revolute("knee1", "knee2", "z"),
    Revolute3=Revolute("knee2", "arm", "z", fixed=True),
    spring=SpringDamperPtP("world", "slider", stiffness=50, damping=2, nominal_length=1.6),
)

DOUBLE_PENDULUM = Model3D(
    world=WORLD,
    upper=body(2.0, (0.0, 0.0, 0.0), (2.0, 2.0, 0.0)),
    knee=point("upper", 2.0, 2.0, 0.0),
    lower=body(1.0, (0.0, 0.0, 0.0), (0.0, -1.5, 0.0)),
    Revolute1=Revolute("world", "upper", "z"),
    Revolute3=Revolute("knee", "lower", "z"),
)

FREE_BODY = Model3D(
    world=WORLD,
    Body1=body(1.0, (0.12, 0.12, 0.12), parent="world", fixed_to_parent=False, translation=(1.2, -0.5, 0.0)),
    end=point("Body1", -1.0, 0.0, 0.0),
    spring=SpringDamperPtP("world", "end", stiffness=10, nominal_length=1.0),
)

CRANE_CRAB = Model3D(
    world=WORLD,
    crab=body(2.0),
    pendulum=body(1.0, (0.0, 0.0, 0.0), (1.0, 3.0, 0.0)),
    Prismatic1=Prismatic("world", "crab", "x"),
    Revolute1=Revolute("crab", "pendulum", "z"),
)

CENTRIFUGAL_FORCE = Model3D(
    world=WORLD,
    shaft=body(4.0),
    slider=LIGHT,
    lower_right=LIGHT,
    knee1=point("lower_right", 1.3, 0.0, 0.0),
    upper_right=body(2.0, centre=(1.3, 0.0, 0.0)),
    knee2=point("upper_right", 1.3, 0.0, 0.0),
    lower_left=LIGHT,
    knee3=point("lower_left", -1.3, 0.0, 0.0),
    upper_left=body(2.0, centre=(-1.3, 0.0, 0.0)),
    knee4=point("upper_left", -1.3, 0.0, 0.0),
    Revolute3=RevoluteWithFlange("world", "shaft", "y", phi=Var(init=0.0), w=Var(init=0.0)),
    Prismatic1=PrismaticWithFlange("shaft", "slider", "y", s=Var(init=1.45), v=Var(init=0.0)),
    Revolute1=Revolute("shaft", "lower_right", "z", phi=0.5),
    Revolute2=Revolute("slider", "upper_right", "z", phi=-0.5),
    right=Revolute("knee1", "knee2", "z"),
    Revolute4=Revolute("shaft", "lower_left", "z", phi=-0.5),
    Revolute5=Revolute("slider", "upper_left", "z", phi=0.5),
    left=Revolute("knee3", "knee4", "z"),
    torque=rotational.ConstantTorque | Map(tau_constant=10.0),
    spring=translational.SpringDamper | Map(s_rel0=1.6, c=160.0, d=16.0),
    base=translational.Fixed,
    connect=[
        ("torque.flange", "Revolute3.flange"),
        ("base.flange", "spring.flange_a"),
        ("spring.flange_b", "Prismatic1.flange"),
    ],
)

_MASSLESS = (0.02, 0.02, 0.02)
THREE_BODY_SYSTEM = Model3D(
    world=Object3D(feature=Scene(gravity=GravityPool())),
    Body1=body(1e11, _MASSLESS, parent="world", fixed_to_parent=False, translation=(3, 0, 0), velocity=(0, 0.8, 0)),
    Body2=body(1e11, _MASSLESS, parent="world", fixed_to_parent=False, translation=(-3, 0, 0), velocity=(0, -0.8, 0)),
    Body3=body(1e11, _MASSLESS, parent="world", fixed_to_parent=False, translation=(0, 0, -3), velocity=(0, 0, 0.8)),
)


def bicycle(pitch, pitch_rate, steering_rate, front_rate):
    """Return the bicycle of MultiBondLib, leaning by 5 degrees. Its rear wheel is in front along x, so it goes to -x.

    The angle and the rates of its joints are those with which both wheels stand on the plane and roll; the engine checks that.
    """
    lean, w = 5 * DEG, 2.2 * 2 * math.pi
    axis = (0.0, -math.sin(lean), math.cos(lean))
    rear_wheel = body(
        2.0,
        (0.06, 0.06, 0.12),
        parent="world",
        fixed_to_parent=False,
        translation=(0.0, 0.3 * math.cos(lean), 0.0),
        rotation=(lean, 0.0, 0.0),
        velocity=(-0.3 * w, 0.0, 0.0),
        angular_velocity=tuple(w * component for component in axis),
        assembly_root=True,
    )
    return Model3D(
        world=WORLD,
        RWheel=rear_wheel,
        # the reference of the rear frame is the centre of the rear wheel
        rear=body(85.0, (9.2, 2.8, 11.0), (-0.3, 0.9, 0.0), 2.4),
        head=point("rear", -1.02, 0.48, 0.0),
        # that of the front frame the centre of the front wheel
        front=body(4.0, (0.0546, 0.0114, 0.06), (0.12, 0.7, 0.0), -0.0162),
        fork=point("front", 0.18, 0.48, 0.0),
        FWheel=body(3.0, (0.14, 0.14, 0.28)),
        RWRevolute=Revolute("RWheel", "rear", "z", phi=pitch, w=pitch_rate),
        Steering=Revolute("head", "fork", (0.258, 0.965, 0.0), w=steering_rate),
        FWRevolute=Revolute("front", "FWheel", "z", w=front_rate),
        rear_contact=RollingConstraint("world", "RWheel", 0.3, "z", "y"),
        front_contact=RollingConstraint("world", "FWheel", 0.35, "z", "y"),
    )
