"""Examples of Modelica.Mechanics.Rotational and Translational 4.0, rebuilt: same components, names and parameters."""

from __future__ import annotations

from math import exp

from modiapy import Map, Model, Var
from modiapy.library import blocks, heat_transfer, rotational, translational

from ..reference.models import AT_REST
from ..reference.more_models import AT_ORIGIN

HEATS = heat_transfer.WithHeatPort
ALPHA_COPPER = 3.92e-3

LOSSY_GEAR_DEMO2 = Model(
    fixed=rotational.Fixed,
    drive_sine=blocks.Sine | Map(amplitude=10.0, f=1.0),
    torque1=rotational.TorqueWithSupport,
    bearing_friction=rotational.BearingFrictionWithSupport | Map(tau_pos=[[0.0, 0.5], [1.0, 1.0]]),
    inertia1=rotational.Inertia | Map(J=1.0),
    gear=rotational.LossyGearWithSupport | Map(ratio=2.0, loss_table=[[0.0, 0.5, 0.5, 0.0, 0.0]]),
    inertia2=rotational.Inertia | Map(J=1.5) | AT_REST,
    torque2=rotational.TorqueWithSupport,
    load=blocks.Ramp | Map(height=5.0, duration=2.0, offset=-10.0),
    connect=[
        ("drive_sine.y", "torque1.tau"),
        ("torque1.flange", "bearing_friction.flange_a"),
        ("bearing_friction.flange_b", "inertia1.flange_a"),
        ("inertia1.flange_b", "gear.flange_a"),
        ("gear.flange_b", "inertia2.flange_a"),
        ("inertia2.flange_b", "torque2.flange"),
        ("load.y", "torque2.tau"),
        ("fixed.flange", "gear.support", "torque1.support", "torque2.support", "bearing_friction.support"),
    ],
)

_LOADED = rotational.Inertia | Map(J=2.0) | AT_REST
_CLUTCHED = Map(phi_rel=Map(init=0.0), w_rel=Map(init=0.0))

HEAT_LOSSES = Model(
    sine=blocks.Sine | Map(amplitude=20.0, f=5.0),
    sine2=blocks.Sine | Map(f=0.2),
    torque=rotational.Torque,
    inertia1=_LOADED,
    damper=rotational.Damper | Map(d=10.0) | HEATS,
    fixed=rotational.Fixed,
    convection=heat_transfer.Convection,
    ambient=heat_transfer.FixedTemperature | Map(T=298.15),
    const=blocks.Constant | Map(k=20.0),
    spring_damper=rotational.SpringDamper | Map(c=1e4, d=20.0) | HEATS,
    inertia2=_LOADED,
    elasto_backlash=rotational.ElastoBacklash | Map(c=1e5, d=100.0, b=0.001) | HEATS,
    inertia3=_LOADED,
    bearing_friction=rotational.BearingFriction | HEATS,
    spring3=rotational.Spring | Map(c=1e4),
    inertia4=_LOADED,
    lossy_gear=rotational.LossyGear | Map(ratio=2.0, loss_table=[[0, 0.8, 0.8, 1, 1], [1, 0.7, 0.7, 2, 2]]) | HEATS,
    clutch=rotational.Clutch | Map(fn_max=10.0) | _CLUTCHED | HEATS,
    inertia5=rotational.Inertia | Map(J=2.0),
    one_way_clutch=rotational.OneWayClutch | Map(fn_max=1.0) | _CLUTCHED | HEATS,
    inertia6=rotational.Inertia | Map(J=2.0),
    brake=rotational.Brake | Map(fn_max=2.0) | HEATS,
    connect=[
        ("sine.y", "torque.tau"),
        ("torque.flange", "inertia1.flange_a"),
        ("inertia1.flange_b", "damper.flange_b", "spring_damper.flange_a"),
        ("damper.flange_a", "fixed.flange"),
        ("spring_damper.flange_b", "inertia2.flange_a"),
        ("inertia2.flange_b", "elasto_backlash.flange_a"),
        ("elasto_backlash.flange_b", "inertia3.flange_a"),
        ("inertia3.flange_b", "bearing_friction.flange_a"),
        ("bearing_friction.flange_b", "spring3.flange_a"),
        ("spring3.flange_b", "inertia4.flange_a"),
        ("inertia4.flange_b", "lossy_gear.flange_a"),
        ("lossy_gear.flange_b", "clutch.flange_a"),
        ("clutch.flange_b", "inertia5.flange_a"),
        ("inertia5.flange_b", "one_way_clutch.flange_a"),
        ("one_way_clutch.flange_b", "inertia6.flange_a"),
        ("inertia6.flange_b", "brake.flange_a"),
        ("sine2.y", "clutch.f_normalized", "one_way_clutch.f_normalized", "brake.f_normalized"),
        ("const.y", "convection.Gc"),
        ("convection.fluid", "ambient.port"),
        ("convection.solid", "damper.heat_port", "spring_damper.heat_port", "elasto_backlash.heat_port"),
        ("convection.solid", "bearing_friction.heat_port", "lossy_gear.heat_port", "clutch.heat_port"),
        ("convection.solid", "one_way_clutch.heat_port", "brake.heat_port"),
    ],
)

ONE_WAY_CLUTCH_DISENGAGED = Model(
    inertia_in=rotational.Inertia | Map(phi=Map(init=0.0), w=Map(init=-0.5)),
    inertia_out=rotational.Inertia | AT_REST,
    one_way_clutch=rotational.OneWayClutch | Map(peak=25.0, fn_max=3.0, f_normalized=0.0),
    torque=rotational.Torque,
    torque_load=rotational.ConstantTorque | Map(tau_constant=-0.3),
    signal_torque=blocks.Sine | Map(amplitude=10.0, offset=0.3, f=2.0),
    connect=[
        ("torque.flange", "inertia_in.flange_a"),
        ("signal_torque.y", "torque.tau"),
        ("inertia_in.flange_b", "one_way_clutch.flange_a"),
        ("one_way_clutch.flange_b", "inertia_out.flange_a"),
        ("inertia_out.flange_b", "torque_load.flange"),
    ],
)

_TURNING = rotational.Inertia | Map(J=1.0, phi=Map(init=0.0), w=Map(init=100.0))

COMPARE_BRAKING_TORQUE = Model(
    inertia1=_TURNING,
    inertia2=_TURNING,
    inertia3=_TURNING,
    inertia4=_TURNING,
    sign_torque=rotational.SignTorque | Map(tau_nominal=-100.0, w0=1.0),
    linear=rotational.LinearSpeedDependentTorque | Map(tau_nominal=-100.0, torque_direction=False, w_nominal=100.0),
    quadratic=rotational.QuadraticSpeedDependentTorque | Map(tau_nominal=-100.0, torque_direction=False, w_nominal=100.0),
    inverse=rotational.InverseSpeedDependentTorque | Map(tau_nominal=-100.0, w_nominal=100.0, w0=1.0),
    connect=[
        ("sign_torque.flange", "inertia1.flange_a"),
        ("linear.flange", "inertia2.flange_a"),
        ("quadratic.flange", "inertia3.flange_a"),
        ("inverse.flange", "inertia4.flange_a"),
    ],
)

_HEATED = Model(
    heat_capacitor=heat_transfer.HeatCapacitor | Map(C=1.0, T=Map(init=293.15)),
    ramp=blocks.Ramp | Map(height=100.0, duration=0.1, start_time=0.1),
    connect=[("brake.heat_port", "heat_capacitor.port")],
)

EDDY_CURRENT_TORQUE = _HEATED | Model(
    brake=rotational.EddyCurrentTorqueWithHeatPort
    | Map(tau_nominal=Var(input=True), w_nominal=10.0, alpha20=ALPHA_COPPER, T_ref=293.15),
    inertia=rotational.Inertia | Map(J=1.0, phi=Map(init=0.0), w=Map(init=20.0)),
    connect=[("brake.flange", "inertia.flange_a"), ("ramp.y", "brake.tau_nominal")],
)

EDDY_CURRENT_FORCE = _HEATED | Model(
    brake=translational.EddyCurrentForceWithHeatPort
    | Map(f_nominal=Var(input=True), v_nominal=10.0, alpha20=ALPHA_COPPER, T_ref=293.15),
    mass=translational.Mass | Map(m=1.0, s=Map(init=0.0), v=Map(init=20.0)),
    connect=[("brake.flange", "mass.flange_a"), ("ramp.y", "brake.f_nominal")],
)

_MASS = translational.Mass | Map(L=1.0, m=1.0) | AT_ORIGIN

SIGN_CONVENTION = Model(
    mass1=_MASS,
    mass2=_MASS,
    mass3=_MASS,
    force1=translational.ConstantForce,
    force2=translational.ConstantForce,
    force3=translational.ConstantForce,
    connect=[
        ("force1.flange", "mass1.flange_a"),
        ("force2.flange", "mass2.flange_b"),
        ("mass3.flange_b", "force3.flange"),
    ],
)

_SPRING = translational.Spring | Map(s_rel0=2.0, c=11.0)

WHY_ARROWS = Model(
    fixed=translational.Fixed,
    rod1=translational.Rod | Map(L=1.0),
    rod2=translational.Rod | Map(L=1.0),
    rod3=translational.Rod | Map(L=1.0),
    position_sensor1=translational.PositionSensor,
    position_sensor2=translational.PositionSensor,
    position_sensor3=translational.PositionSensor,
    fixed1=translational.Fixed | Map(s0=-1.9),
    spring1=_SPRING,
    mass1=translational.Mass | Map(L=2.0) | AT_ORIGIN,
    fixed2=translational.Fixed | Map(s0=-1.9),
    spring2=_SPRING,
    inertia2=translational.Mass | Map(L=2.0) | AT_ORIGIN,
    connect=[
        ("spring1.flange_b", "mass1.flange_b"),
        ("spring2.flange_b", "inertia2.flange_b"),
        ("rod3.flange_b", "position_sensor3.flange"),
        ("rod1.flange_a", "position_sensor1.flange"),
        ("fixed.flange", "rod1.flange_b", "rod3.flange_a", "rod2.flange_a"),
        ("rod2.flange_b", "position_sensor2.flange"),
        ("fixed1.flange", "spring1.flange_a"),
        ("fixed2.flange", "spring2.flange_a"),
    ],
)

_MOVING = translational.Mass | Map(L=1.0, s=Map(init=3.0), v=Map(init=10.0))
_WALL = translational.Fixed | Map(s0=4.5)

DAMPER = Model(
    mass1=_MOVING,
    damper1=translational.Damper | Map(d=25.0),
    fixed1=_WALL,
    mass2=_MOVING,
    damper2=translational.Damper | Map(d=25.0),
    fixed2=_WALL,
    spring2=translational.Spring | Map(s_rel0=1.0, c=1.0),
    mass3=_MOVING,
    fixed3=_WALL,
    spring_damper3=translational.SpringDamper | Map(s_rel0=1.0, d=25.0, c=1.0),
    connect=[
        ("mass1.flange_b", "damper1.flange_a"),
        ("damper1.flange_b", "fixed1.flange"),
        ("mass2.flange_b", "damper2.flange_a", "spring2.flange_a"),
        ("damper2.flange_b", "spring2.flange_b", "fixed2.flange"),
        ("mass3.flange_b", "spring_damper3.flange_a"),
        ("spring_damper3.flange_b", "fixed3.flange"),
    ],
)

BRAKES = Model(
    mass1=translational.Mass | Map(s=Map(init=0.0), v=Map(init=1.0)),
    brake=translational.Brake,
    step=blocks.Step | Map(start_time=0.1, height=2.0),
    mass2=translational.Mass | Map(s=Map(init=0.0), v=Map(init=1.0)),
    brake1=translational.BrakeWithSupport,
    fixed=translational.Fixed,
    connect=[
        ("mass1.flange_b", "brake.flange_a"),
        ("mass2.flange_b", "brake1.flange_a"),
        ("step.y", "brake.f_normalized", "brake1.f_normalized"),
        ("fixed.flange", "brake1.support"),
    ],
)


def stribeck(f_prop: float, f_coulomb: float, f_stribeck: float, fexp: float, v_max: float, n: int) -> list[list[float]]:
    """The table of Examples.Utilities.GenerateStribeckFrictionTable."""
    speeds = [v_max * k / (n - 1) for k in range(n)]
    return [[v, f_prop * v + f_coulomb + f_stribeck * exp(-fexp * v)] for v in speeds]


_STOP = translational.MassWithStopAndFriction | Map(L=1.0, m=1.0, F_prop=1.0, fexp=2.0)

FRICTION = Model(
    stop1=_STOP | Map(s_max=25.0, s_min=-25.0, F_Coulomb=5.0, F_Stribeck=10.0) | AT_ORIGIN,
    force=translational.Force,
    sine_force=blocks.Sine | Map(amplitude=25.0, f=0.25),
    force2=translational.Force,
    mass=_MASS,
    support_friction=translational.SupportFriction | Map(f_pos=stribeck(1, 5, 10, 2, 12, 50)),
    stop2=_STOP | Map(s_max=0.9, s_min=-0.9, F_Coulomb=3.0, F_Stribeck=5.0, s=Map(init=0.0), v=Map(init=-5.0)),
    spring=translational.Spring | Map(s_rel0=1.0, c=500.0),
    fixed2=translational.Fixed | Map(s0=-1.75),
    connect=[
        ("sine_force.y", "force.f", "force2.f"),
        ("force.flange", "stop1.flange_a"),
        ("force2.flange", "mass.flange_a"),
        ("mass.flange_b", "support_friction.flange_a"),
        ("fixed2.flange", "spring.flange_a"),
        ("spring.flange_b", "stop2.flange_a"),
    ],
)

SENSORS = Model(
    force_sensor=translational.ForceSensor,
    multi_sensor=translational.MultiSensor,
    speed_sensor=translational.SpeedSensor,
    position_sensor1=translational.PositionSensor,
    acc_sensor=translational.AccSensor,
    position_sensor2=translational.PositionSensor,
    mass=_MASS,
    force=translational.Force,
    sine_force=blocks.Sine | Map(amplitude=10.0, f=4.0),
    connect=[
        ("sine_force.y", "force.f"),
        ("force.flange", "force_sensor.flange_a"),
        ("force_sensor.flange_b", "multi_sensor.flange_a"),
        ("multi_sensor.flange_b", "mass.flange_a", "position_sensor1.flange", "speed_sensor.flange", "acc_sensor.flange"),
        ("mass.flange_b", "position_sensor2.flange"),
    ],
)

TRANSLATIONAL_HEAT_LOSSES = Model(
    mass1=translational.Mass | Map(m=1.0, L=0.1) | AT_ORIGIN,
    spring_damper=translational.SpringDamper | Map(c=100.0, d=10.0, s_rel=Map(init=0.0), v_rel=Map(init=0.0)) | HEATS,
    damper=translational.Damper | Map(d=10.0) | HEATS,
    elasto_gap=translational.ElastoGap | Map(c=100.0, d=20.0, s_rel0=-0.02) | HEATS,
    fixed1=translational.Fixed,
    fixed2=translational.Fixed,
    force=translational.Force,
    sine1=blocks.Sine | Map(f=1.0, amplitude=20.0),
    mass2=translational.Mass | Map(m=1.0, L=0.1),
    support_friction=translational.SupportFriction | HEATS,
    spring=translational.Spring | Map(c=100.0, s_rel=Map(init=0.0)),
    mass3=translational.Mass | Map(m=1.0, L=0.1, v=Map(init=0.0)),
    brake=translational.Brake | Map(fn_max=10.0) | HEATS,
    sine2=blocks.Sine | Map(amplitude=10.0, f=2.0),
    stop=translational.MassWithStopAndFriction
    | Map(L=0.1, m=1.0, F_prop=0.5, F_Coulomb=1.0, F_Stribeck=2.0, fexp=2.0, s_min=0.0, s_max=0.4, v=Map(init=0.0))
    | HEATS,
    convection=heat_transfer.Convection,
    const=blocks.Constant | Map(k=20.0),
    ambient=heat_transfer.FixedTemperature | Map(T=298.15),
    spring_damper1=translational.SpringDamper | Map(c=1e4, d=1e3, s_rel=Map(init=0.0)) | HEATS,
    connect=[
        ("sine1.y", "force.f"),
        ("sine2.y", "brake.f_normalized"),
        ("force.flange", "mass1.flange_a", "damper.flange_a", "elasto_gap.flange_b"),
        ("damper.flange_b", "fixed1.flange"),
        ("elasto_gap.flange_a", "fixed2.flange"),
        ("mass1.flange_b", "spring_damper.flange_a"),
        ("spring_damper.flange_b", "mass2.flange_a"),
        ("mass2.flange_b", "support_friction.flange_a"),
        ("support_friction.flange_b", "spring.flange_a"),
        ("spring.flange_b", "mass3.flange_a"),
        ("mass3.flange_b", "brake.flange_a"),
        ("brake.flange_b", "spring_damper1.flange_a"),
        ("spring_damper1.flange_b", "stop.flange_a"),
        ("const.y", "convection.Gc"),
        ("convection.fluid", "ambient.port"),
        ("convection.solid", "damper.heat_port", "spring_damper.heat_port", "elasto_gap.heat_port", "brake.heat_port"),
        ("convection.solid", "support_friction.heat_port", "spring_damper1.heat_port", "stop.heat_port"),
    ],
)
