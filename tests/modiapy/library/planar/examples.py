"""The 18 introductory examples of PlanarMechanics 1.6.0, rebuilt: same components, names, parameters and stop times."""

from __future__ import annotations

from math import asin, radians

from modia3d import (
    MassProperties,
    Model3D,
    Object3D,
    PlanarWorldIn3D,
    PrismaticWithFlange,
    Scene,
    Solid,
    UniformGravity,
    rot,
)
from modiapy import Map, Model, Var, redeclare
from modiapy.library import blocks, planar, rotational, translational


def begins(phi: float = 0.0, w: float = 0.0) -> Map:
    """Return the angle and the angular velocity with which a joint begins."""
    return Map(phi=Map(init=phi), w=Map(init=w))


def slides(s: float = 0.0, v: float = 0.0) -> Map:
    """Return the distance and the speed with which a prismatic joint begins."""
    return Map(s=Map(init=s), v=Map(init=v))


def at(x: float, y: float) -> Map:
    """Return where a body begins at rest."""
    return Map(r=Map(init=[x, y]), v=Map(init=[0.0, 0.0]))


def guess(phi: float) -> Map:
    """Return the angle near which a joint begins that others determine."""
    return Map(phi=Map(start=phi))


PLANAR = Model(planar_world=planar.PlanarWorld)
HANGING = planar.FixedTranslation | Map(r=[0.0, -1.0])
LIGHT, HEAVY = planar.Body | Map(m=0.5, I=0.1), planar.Body | Map(m=1.0, I=0.1)

PENDULUM = PLANAR | Model(
    body=HEAVY,
    revolute=planar.Revolute | begins(),
    fixed_translation=planar.FixedTranslation,
    fixed=planar.Fixed,
    connect=[
        ("revolute.frame_b", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "body.frame_a"),
        ("revolute.frame_a", "fixed.frame"),
    ],
)

PENDULUM_EXCITED = PLANAR | Model(
    body=HEAVY,
    revolute=planar.Revolute | begins(),
    fixed_translation=planar.FixedTranslation,
    fixed=planar.Fixed,
    cut_force=planar.CutForce,
    world_force=planar.WorldForce,
    signal=blocks.Sine | Map(f=1.0, amplitude=-5.0, start_time=1.8),
    equations=["world_force.force = [0, signal.y, 0]"],
    connect=[
        ("revolute.frame_a", "fixed.frame"),
        ("revolute.frame_b", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "cut_force.frame_a"),
        ("cut_force.frame_b", "body.frame_a", "world_force.frame_b"),
    ],
)

_DOUBLE = PLANAR | Model(
    body=HEAVY,
    fixed_translation=planar.FixedTranslation,
    fixed=planar.Fixed,
    fixed_translation1=planar.FixedTranslation | Map(r=[0.4, 0.0]),
    revolute1=planar.Revolute | begins(),
    connect=[
        ("fixed_translation.frame_b", "body.frame_a", "revolute1.frame_a"),
        ("revolute1.frame_b", "fixed_translation1.frame_a"),
        ("fixed_translation1.frame_b", "body1.frame_a"),
    ],
)

DOUBLE_PENDULUM = _DOUBLE | Model(
    body1=planar.Body | Map(m=0.2, I=0.01),
    revolute=planar.Revolute | begins(),
    connect=[("fixed.frame", "revolute.frame_a"), ("revolute.frame_b", "fixed_translation.frame_a")],
)

MEASURE_DEMO = PLANAR | Model(
    body=HEAVY,
    body1=planar.Body | Map(m=0.4, I=0.02),
    fixed=planar.Fixed,
    fixed_translation=planar.FixedTranslation,
    fixed_translation1=planar.FixedTranslation | Map(r=[0.4, 0.0]),
    revolute1=planar.Revolute | begins(),
    revolute2=planar.Revolute | begins(),
    absolute_position=planar.AbsolutePosition | Map(resolve_in_frame="world"),
    absolute_velocity=planar.AbsoluteVelocity,
    absolute_acceleration=planar.AbsoluteAcceleration | Map(resolve_in_frame="world"),
    relative_position=planar.RelativePosition | Map(resolve_in_frame="world"),
    relative_velocity=planar.RelativeVelocity | Map(resolve_in_frame="frame_b"),
    relative_acceleration=planar.RelativeAcceleration | Map(resolve_in_frame="frame_b"),
    connect=[
        ("fixed.frame", "revolute1.frame_a"),
        ("revolute1.frame_b", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "body.frame_a", "revolute2.frame_a"),
        ("revolute2.frame_b", "fixed_translation1.frame_a"),
        ("fixed_translation1.frame_b", "body1.frame_a"),
        ("body.frame_a", "relative_position.frame_a", "relative_velocity.frame_a", "relative_acceleration.frame_a"),
        ("body1.frame_a", "relative_position.frame_b", "relative_velocity.frame_b", "relative_acceleration.frame_b"),
        ("body1.frame_a", "absolute_position.frame_a", "absolute_velocity.frame_a", "absolute_acceleration.frame_a"),
    ],
)

FREE_BODY = PLANAR | Model(body=HEAVY | begins() | at(0.0, 0.0))

COUNTER_SPIN = PLANAR | Model(
    body=planar.Body | Map(m=0.01, I=0.0005),
    slip_based_rolling=planar.DryFrictionBasedRolling
    | Map(R=0.1, v_adhesion=0.01, v_slide=0.03, mu_A=0.5, mu_S=0.15, x=Map(init=0.0), vx=Map(init=2.0))
    | begins(w=15.0),
    connect=[("body.frame_a", "slip_based_rolling.frame_a")],
)

CRANE_CRAB = PLANAR | Model(
    body=LIGHT,
    body1=HEAVY,
    fixed_translation=HANGING,
    fixed=planar.Fixed,
    revolute=planar.Revolute | begins(radians(150)),
    prismatic=planar.PrismaticWithFlange | slides(),
    damper1_d=translational.Damper | Map(d=10.0),
    connect=[
        ("fixed.frame", "prismatic.frame_a"),
        ("prismatic.frame_b", "body1.frame_a", "revolute.frame_a"),
        ("revolute.frame_b", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "body.frame_a"),
        ("damper1_d.flange_b", "prismatic.flange_a"),
        ("damper1_d.flange_a", "prismatic.support"),
    ],
)

CRANE_CRAB_TO_3D = (
    Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=9.80665, n="-y"))),
        fixed_rotation3_d=Object3D(parent="world", rotation=rot(y=radians(45))),
        body3_d=Object3D(feature=Solid(mass_properties=MassProperties(mass=1.0, Ixx=1e-3, Iyy=1e-3, Izz=1e-3))),
        prismatic3_d=PrismaticWithFlange("fixed_rotation3_d", "body3_d", "x", s=-0.2, v=0.2),
    )
    | CRANE_CRAB
    | Model(planar_world=redeclare(PlanarWorldIn3D("body3_d")), connect=[("planar_world.g", "body.g", "body1.g")])
    | Map(body=planar.WithGravityInput, body1=planar.WithGravityInput)
)

POWER_DISTANCE_DEMO = PLANAR | Model(
    body=LIGHT,
    body1=HEAVY,
    fixed_translation=HANGING,
    fixed=planar.Fixed,
    damper=planar.Damper | Map(d=1.0),
    revolute=planar.Revolute | begins(radians(150)),
    prismatic=planar.Prismatic | slides(1.0),
    power=planar.Power,
    distance=planar.Distance,
    connect=[
        ("fixed.frame", "prismatic.frame_a", "damper.frame_a", "distance.frame_a"),
        ("prismatic.frame_b", "body1.frame_a", "revolute.frame_a", "damper.frame_b"),
        ("revolute.frame_b", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "power.frame_a"),
        ("power.frame_b", "body.frame_a", "distance.frame_b"),
    ],
)

CONTROLLED_CRANE_CRAB = PLANAR | Model(
    body=planar.Body | Map(m=70.0, I=0.0),
    body1=planar.Body | Map(m=250.0, I=0.0),
    fixed_translation=planar.FixedTranslation | Map(r=[0.0, 2.5]),
    fixed=planar.Fixed,
    angle_sensor=rotational.AngleSensor,
    force=translational.Force,
    pid=blocks.PID | Map(k=-320 * 9.81 * 5, Ti=1e9, Td=0.2),
    prismatic=planar.PrismaticWithFlange | slides(),
    revolute=planar.RevoluteWithFlange | begins(radians(-20)),
    connect=[
        ("fixed.frame", "prismatic.frame_a"),
        ("prismatic.frame_b", "body1.frame_a", "revolute.frame_a"),
        ("revolute.frame_b", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "body.frame_a"),
        ("revolute.flange_a", "angle_sensor.flange"),
        ("angle_sensor.phi", "pid.u"),
        ("pid.y", "force.f"),
        ("force.flange", "prismatic.flange_a"),
    ],
)

INVERTED_CRANE_CRAB = PLANAR | Model(
    body=LIGHT,
    body1=HEAVY,
    fixed_translation=planar.FixedTranslation | Map(r=[0.0, 1.0]),
    fixed=planar.Fixed,
    angle_sensor=rotational.AngleSensor,
    force=translational.Force | Map(f=Var(input=False)),
    ramp=blocks.Ramp | Map(start_time=0.0, duration=0.5, height=0.5, offset=-0.5),
    first_order=blocks.FirstOrder | Map(T=0.1, y=Map(init=-0.5)),
    prismatic=planar.PrismaticWithFlange | slides(),
    revolute=planar.RevoluteWithFlange,
    equations=["angle_sensor.phi = first_order.y"],
    connect=[
        ("fixed.frame", "prismatic.frame_a"),
        ("prismatic.frame_b", "body1.frame_a", "revolute.frame_a"),
        ("revolute.frame_b", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "body.frame_a"),
        ("revolute.flange_a", "angle_sensor.flange"),
        ("ramp.y", "first_order.u"),
        ("force.flange", "prismatic.flange_a"),
    ],
)

KINEMATIC_LOOP = PLANAR | Model(
    revolute1=planar.Revolute | guess(asin(0.4)),
    revolute3=planar.Revolute | guess(-asin(0.4)),
    revolute2=planar.Revolute,
    revolute4=planar.Revolute | begins(radians(-40)),
    prismatic1=planar.PrismaticWithFlange | slides(0.4),
    spring_damper1_d=translational.SpringDamper | Map(c=20.0, d=4.0, s_rel0=0.4),
    body=HEAVY,
    fixed_translation1=planar.FixedTranslation | Map(r=[0.0, -0.5]),
    fixed_translation2=planar.FixedTranslation | Map(r=[0.0, -0.5]),
    fixed_translation3=planar.FixedTranslation | Map(r=[0.0, -0.6]),
    fixed=planar.Fixed,
    fixed1_d=translational.Fixed,
    connect=[
        ("fixed.frame", "revolute1.frame_a", "prismatic1.frame_a"),
        ("revolute1.frame_b", "fixed_translation1.frame_a"),
        ("fixed_translation1.frame_b", "revolute2.frame_a", "revolute4.frame_a"),
        ("revolute2.frame_b", "fixed_translation2.frame_b"),
        ("fixed_translation2.frame_a", "revolute3.frame_b"),
        ("revolute3.frame_a", "prismatic1.frame_b"),
        ("revolute4.frame_b", "fixed_translation3.frame_a"),
        ("fixed_translation3.frame_b", "body.frame_a"),
        ("fixed1_d.flange", "spring_damper1_d.flange_a"),
        ("spring_damper1_d.flange_b", "prismatic1.flange_a"),
    ],
)

PISTON_ENGINE = PLANAR | Model(
    body_drive=HEAVY,
    body_piston=planar.Body | Map(m=3.0, I=0.1),
    revolute_drive=planar.Revolute | begins(0.0, -2.5),
    revolute_disc=planar.Revolute,
    revolute_piston=planar.Revolute,
    prismatic=planar.Prismatic,
    fixed_translation_disc=planar.FixedTranslation | Map(r=[0.3, 0.0]),
    piston_rod=planar.FixedTranslation | Map(r=[0.8, 0.0]),
    fixed=planar.Fixed,
    fixed1=planar.Fixed,
    connect=[
        ("fixed.frame", "revolute_drive.frame_a"),
        ("revolute_drive.frame_b", "body_drive.frame_a", "fixed_translation_disc.frame_a"),
        ("fixed_translation_disc.frame_b", "revolute_disc.frame_a"),
        ("revolute_disc.frame_b", "piston_rod.frame_a"),
        ("piston_rod.frame_b", "revolute_piston.frame_b"),
        ("revolute_piston.frame_a", "prismatic.frame_a", "body_piston.frame_a"),
        ("prismatic.frame_b", "fixed1.frame"),
    ],
)

SPRING_DAMPER_DEMO = PLANAR | Model(
    spring_damper=planar.SpringDamper | Map(c_x=5.0, c_y=5.0, c_phi=0.0, d_x=1.0, d_y=1.0, d_phi=0.0),
    body=LIGHT | begins() | at(1.0, 1.0),
    fixed=planar.Fixed,
    fixed_translation=planar.FixedTranslation | Map(r=[-1.0, 0.0]),
    connect=[
        ("fixed.frame", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "spring_damper.frame_a"),
        ("spring_damper.frame_b", "body.frame_a"),
    ],
)

SPRING_DEMO = PLANAR | Model(
    body=LIGHT,
    fixed=planar.Fixed,
    fixed_translation=planar.FixedTranslation,
    spring1=planar.Spring | Map(c_x=1.0, c_y=10.0, s_rely0=-0.5, enable_assert=False),
    damper=planar.Damper | Map(d=1.0),
    prismatic=planar.Prismatic | Map(r=[0.0, 1.0]) | slides(0.2),
    connect=[
        ("fixed.frame", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "spring1.frame_a", "damper.frame_a", "prismatic.frame_a"),
        ("spring1.frame_b", "damper.frame_b", "prismatic.frame_b", "body.frame_a"),
    ],
)

WHEEL_BASED_CRANE_CRAB = PLANAR | Model(
    ideal_rolling=planar.IdealRolling | Map(R=0.3, x=Map(init=0.0)) | begins(),
    body=HEAVY,
    body1=planar.Body | Map(m=2.0, I=0.2),
    revolute=planar.Revolute | begins(radians(80)),
    fixed_translation=planar.FixedTranslation,
    connect=[
        ("ideal_rolling.frame_a", "body.frame_a", "revolute.frame_a"),
        ("revolute.frame_b", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "body1.frame_a"),
    ],
)
