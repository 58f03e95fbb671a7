"""The six examples of PlanarMechanics.VehicleComponents 1.6.0, rebuilt: same components, names, parameters, stop times."""

from __future__ import annotations

from math import radians

from modiapy import Map, Model
from modiapy.library import blocks, planar, rotational

from .examples import at, begins, slides

FLAT = Model(planar_world=planar.PlanarWorld | Map(constant_gravity=[0.0, 0.0]))
AHEAD = Map(r=[0.0, 1.0])

_DRIVEN = FLAT | Model(
    prismatic=planar.Prismatic | Map(r=[0.0, 1.0]) | slides(1.0),
    revolute=planar.Revolute | begins(),
    fixed=planar.Fixed,
    engine_torque=rotational.ConstantTorque | Map(tau_constant=2.0),
    body=planar.Body | Map(m=10.0, I=1.0),
    inertia=rotational.Inertia | begins(),
    connect=[
        ("fixed.frame", "revolute.frame_a"),
        ("revolute.frame_b", "prismatic.frame_a"),
        ("prismatic.frame_b", "body.frame_a"),
        ("engine_torque.flange", "inertia.flange_a"),
    ],
)


def _on_wheel(name: str) -> Model:
    return Model(connect=[(f"{name}.frame_a", "prismatic.frame_b"), (f"{name}.flange_a", "inertia.flange_b")])


TEST_DRY_FRICTION_WHEEL = (
    _DRIVEN
    | Model(
        dry_friction_wheel_joint=planar.DryFrictionWheelJoint
        | Map(radius=0.3, N=100.0, v_adhesion=0.1, v_slide=0.3, mu_A=0.8, mu_S=0.4)
    )
    | _on_wheel("dry_friction_wheel_joint")
)

TEST_SLIP_BASED_WHEEL = (
    _DRIVEN
    | Model(
        slip_based_wheel_joint=planar.SlipBasedWheelJoint
        | Map(radius=0.3, N=100.0, s_adhesion=0.04, s_slide=0.12, v_adhesion_min=0.05, v_slide_min=0.15, mu_A=0.8, mu_S=0.4),
        const=blocks.Constant | Map(k=0.0),
        connect=[("const.y", "slip_based_wheel_joint.dynamic_load")],
    )
    | _on_wheel("slip_based_wheel_joint")
)

TEST_IDEAL_WHEEL = (
    _DRIVEN
    | Map(prismatic=Map(v=Map(init=None)), revolute=Map(w=Map(init=None)))
    | Model(ideal_wheel_joint=planar.IdealWheelJoint | Map(radius=0.3))
    | _on_wheel("ideal_wheel_joint")
)

TEST_AIR_DRAG = FLAT | Model(
    air_drag=planar.AirResistanceLongitudinal | Map(c_W=0.5, area=1.2, rho=1.18),
    sensor_absolute_velocity=planar.AbsoluteVelocity,
    body=planar.Body | Map(m=10.0, I=1.0),
    fixed_translation=planar.FixedTranslation | Map(r=[0.0, 2.0]),
    revolute=planar.Revolute | begins(0.0, -5.0),
    fixed=planar.Fixed,
    connect=[
        ("fixed.frame", "revolute.frame_a"),
        ("revolute.frame_b", "fixed_translation.frame_a"),
        ("fixed_translation.frame_b", "air_drag.frame_a", "sensor_absolute_velocity.frame_a", "body.frame_a"),
    ],
)

SINGLE_TRACK_WITH_ENGINE = FLAT | Model(
    body_front=planar.Body | Map(m=2.0, I=0.1, enable_gravity=False),
    body_rear=planar.Body | Map(m=10.0, I=0.1, enable_gravity=False) | begins() | Map(r=Map(init=[0.0, 0.0])),
    air_resistance=planar.AirResistanceLongitudinal | Map(c_W=0.4, area=2.0, rho=1.18) | AHEAD,
    ideal_wheel_front=planar.IdealWheelJoint | Map(radius=0.3, phi_roll=Map(init=0.0)) | AHEAD,
    ideal_wheel_rear=planar.IdealWheelJoint | Map(radius=0.3, phi_roll=Map(init=0.0), w_roll=Map(init=0.0)) | AHEAD,
    chassis=planar.FixedTranslation | AHEAD,
    revolute=planar.Revolute | Map(phi=Map(init=radians(40)), w=Map(start=0.0)),
    engine_torque=rotational.ConstantTorque | Map(tau_constant=2.0),
    trail=planar.FixedTranslation | Map(r=[0.0, -0.1]),
    connect=[
        ("engine_torque.flange", "ideal_wheel_rear.flange_a"),
        ("ideal_wheel_rear.frame_a", "body_rear.frame_a", "chassis.frame_a"),
        ("chassis.frame_b", "air_resistance.frame_a", "revolute.frame_a"),
        ("revolute.frame_b", "trail.frame_a"),
        ("trail.frame_b", "ideal_wheel_front.frame_a", "body_front.frame_a"),
    ],
)

_GRIP = Map(radius=0.25, v_adhesion=0.1, v_slide=0.3, mu_A=1.0, mu_S=0.7) | AHEAD
_FRONT, _REAR = (planar.DryFrictionWheelJoint | Map(N=load) | _GRIP for load in (1000.0, 1500.0))
_STEERED = planar.Body | Map(m=100.0, I=1.0, enable_gravity=False)
_TO_THE_RIGHT, _TO_THE_LEFT = (planar.FixedTranslation | Map(r=[side, 0.0]) for side in (0.75, -0.75))
_TRAIL = planar.FixedTranslation | Map(r=[0.0, -0.05])
_WHEEL_INERTIA = rotational.Inertia | begins()

TWO_TRACK_WITH_DIFFERENTIAL_GEAR = FLAT | Model(
    body=_STEERED,
    body1=planar.Body | Map(m=300.0, I=0.1, enable_gravity=False) | begins() | at(0.0, 0.0),
    body2=_STEERED,
    wheel_joint1=_FRONT,
    wheel_joint2=_REAR,
    wheel_joint3=_REAR,
    wheel_joint4=_FRONT,
    differential_gear=planar.DifferentialGear,
    pulse=blocks.Pulse | Map(period=2.0, start_time=1.0, width=30.0, amplitude=-2.0),
    torque=rotational.Torque,
    constant_torque1=rotational.ConstantTorque | Map(tau_constant=25.0),
    inertia=_WHEEL_INERTIA,
    inertia1=_WHEEL_INERTIA,
    inertia2=_WHEEL_INERTIA,
    inertia3=_WHEEL_INERTIA,
    fixed_translation1=planar.FixedTranslation | Map(r=[0.0, 2.0]),
    fixed_translation2=_TO_THE_RIGHT,
    fixed_translation3=_TO_THE_LEFT,
    fixed_translation4=_TO_THE_RIGHT,
    fixed_translation5=_TO_THE_LEFT,
    left_trail=_TRAIL,
    right_trail=_TRAIL,
    revolute=planar.RevoluteWithFlange,
    revolute2=planar.RevoluteWithFlange | begins(radians(-25)),
    connect=[
        ("body1.frame_a", "fixed_translation1.frame_a", "fixed_translation2.frame_b", "fixed_translation3.frame_b"),
        ("fixed_translation2.frame_a", "wheel_joint2.frame_a"),
        ("fixed_translation3.frame_a", "wheel_joint3.frame_a"),
        ("fixed_translation1.frame_b", "fixed_translation4.frame_b", "fixed_translation5.frame_b"),
        ("revolute2.frame_b", "fixed_translation4.frame_a"),
        ("revolute.frame_b", "fixed_translation5.frame_a"),
        ("revolute2.frame_a", "left_trail.frame_a"),
        ("revolute.frame_a", "right_trail.frame_a"),
        ("left_trail.frame_b", "body.frame_a", "wheel_joint1.frame_a"),
        ("right_trail.frame_b", "body2.frame_a", "wheel_joint4.frame_a"),
        ("inertia.flange_b", "wheel_joint1.flange_a"),
        ("inertia1.flange_b", "wheel_joint2.flange_a", "differential_gear.flange_left"),
        ("inertia2.flange_b", "wheel_joint3.flange_a", "differential_gear.flange_right"),
        ("inertia3.flange_b", "wheel_joint4.flange_a"),
        ("constant_torque1.flange", "differential_gear.flange_b"),
        ("pulse.y", "torque.tau"),
        ("torque.flange", "revolute.flange_a", "revolute2.flange_a"),
    ],
)
