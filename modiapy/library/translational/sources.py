"""Prescribed forces and motions."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ..heat_transfer import HeatPort
from ..regularization import REGULARIZED, WORDS, sign_of
from .interfaces import Flange

Force = Model(
    description="External force f [N] that drives the flange",
    f=Var(input=True, unit="N"),
    flange=Flange,
    equations=["flange.f = -f"],
)

ForceWithSupport = Force | Model(
    description="Force that acts back on the flange support", support=Flange, equations=["support.f = f"]
)

Force2 = Model(
    description="External force f [N] between two flanges; it drives flange_b",
    f=Var(input=True, unit="N"),
    flange_a=Flange,
    flange_b=Flange,
    equations=["flange_a.f = f", "flange_b.f = -f"],
)

ConstantForce = Force | Model(
    description="Constant force f_constant [N] that drives the flange", f_constant=1.0, f=Var("f_constant", input=False)
)

ForceStep = Force | Model(
    f=Var("offset_force + (step_force if after(start_time) else 0)", input=False),
    description="Force offset_force [N], from start_time [s] on step_force [N] more",
    step_force=1.0,
    offset_force=0.0,
    start_time=0.0,
)

_SpeedDependent = (
    Force
    | Map(f=Var(input=False))
    | Model(
        s=Var("flange.s", unit="m", description="position of the flange"),
        v=Var("der(s)", unit="m/s", description="velocity of the flange"),
    )
)

LinearSpeedDependentForce = _SpeedDependent | Model(
    description="Force that grows with the speed and is f_nominal [N] (below zero: it brakes) at v_nominal [m/s];"
    " its sign is that of f_nominal at both directions, with force_direction False it changes with that of the speed",
    f_nominal=-1.0,
    force_direction=True,
    v_nominal=1.0,
    equations=["f = f_nominal*(abs(v/v_nominal) if force_direction else v/v_nominal)"],
)

QuadraticSpeedDependentForce = _SpeedDependent | Model(
    description="Force that grows with the square of the speed and is f_nominal [N] (below zero: it brakes) at v_nominal"
    " [m/s]; its sign is that of f_nominal at both directions, with force_direction False it changes with that of the speed",
    f_nominal=-1.0,
    force_direction=True,
    v_nominal=1.0,
    equations=[
        "f = f_nominal*noEvent((v/v_nominal)**2 if v >= 0 or force_direction else -(v/v_nominal)**2)",
    ],
)

SignForce = (
    _SpeedDependent
    | REGULARIZED
    | Model(
        description="Force f_nominal [N] (below zero: it brakes) in the direction of motion, continuous below the speed v0"
        " [m/s]." + WORDS,
        f_nominal=-1.0,
        v0=0.1,
        equations=[f"f = f_nominal*{sign_of('v', 'v0')}"],
    )
)

Position = Model(
    description="The flange moves exactly as s_ref [m], which must be twice differentiable where masses are moved",
    s_ref=Var(input=True, unit="m"),
    flange=Flange,
    equations=["flange.s = s_ref"],
)

FilteredPosition = Model(
    description="The flange follows s_ref [m] as a critically damped filter with the cut-off frequency f_crit [Hz] does",
    f_crit=50.0,
    w_crit="2*pi*f_crit",
    af=1.3617,
    bf=0.6180,
    s_ref=Var(input=True, unit="m"),
    flange=Flange,
    s=Var(unit="m", state_select="prefer"),
    v=Var(start=0.0, unit="m/s", state_select="prefer"),
    a=Var(unit="m/s2"),
    equations=[
        "s = flange.s",
        "v = der(s)",
        "a = der(v)",
        "a = ((s_ref - s)*w_crit - af*v)*(w_crit/bf)",
    ],
    initial_equations=["s = s_ref"],
)

Speed = Model(
    description="The flange moves exactly with v_ref [m/s]",
    v_ref=Var(input=True, unit="m/s"),
    flange=Flange,
    s=Var(start=0.0, unit="m", description="position of the flange"),
    equations=["s = flange.s", "der(s) = v_ref"],
)

FilteredSpeed = Model(
    description="The flange follows the speed v_ref [m/s] as a first order filter with the cut-off frequency f_crit [Hz]"
    " does, beginning with it",
    f_crit=50.0,
    v_ref=Var(input=True, unit="m/s"),
    flange=Flange,
    s=Var(start=0.0, unit="m", state_select="prefer"),
    v=Var(unit="m/s", state_select="prefer"),
    equations=["s = flange.s", "v = der(s)", "der(v) = (v_ref - v)*2*pi*f_crit"],
    initial_equations=["v = v_ref"],
)

ConstantSpeed = Speed | Model(
    description="The flange moves with the constant speed v_fixed [m/s]", v_fixed=1.0, v_ref=Var("v_fixed", input=False)
)

Accelerate = Model(
    description="The flange accelerates exactly with a_ref [m/s2], from the position s_start and the speed v_start on",
    s_start=0.0,
    v_start=0.0,
    a_ref=Var(input=True, unit="m/s2"),
    flange=Flange,
    s=Var(init="s_start", unit="m", description="position of the flange"),
    v=Var(init="v_start", unit="m/s", description="velocity of the flange"),
    equations=["s = flange.s", "v = der(s)", "der(v) = a_ref"],
)

InverseSpeedDependentForce = _SpeedDependent | Model(
    description="Force of constant power: f_nominal [N] (below zero: it brakes) at v_nominal [m/s], in inverse"
    " proportion to the speed, but not larger than at the speed v0 [m/s]; its sign is that of f_nominal at both"
    " directions, with force_direction False it changes with that of the speed, linearly below v0",
    f_nominal=-1.0,
    force_direction=True,
    v_nominal=1.0,
    v0=0.1,
    equations=[
        "f = f_nominal*v_nominal*(1/noEvent(max(abs(v), v0)) if force_direction"
        " else noEvent(1/v if abs(v) >= v0 else v/v0**2))",
    ],
)

EddyCurrentForce = _SpeedDependent | Model(
    description="Braking force of an eddy current brake, largest (f_nominal [N]) at the speed v_nominal [m/s] where the"
    " excitation is 1; it may be made an input, and counts by its square",
    f_nominal=1.0,
    v_nominal=1.0,
    excitation=1.0,
    v_normalized=Var("v/v_nominal", description="velocity relative to v_nominal"),
    loss_power=Var("-f*v", unit="W", description="heat"),
    equations=["f = -2*f_nominal*excitation**2*v_normalized/(1 + v_normalized**2)"],
)

EddyCurrentForceWithHeatPort = EddyCurrentForce | Model(
    description="EddyCurrentForce whose losses flow out of heat_port; v_nominal holds at the temperature T_ref [K] and grows"
    " with"
    " the resistance of the rail, whose temperature coefficient at 293.15 K is alpha20 [1/K]",
    T_ref=293.15,
    alpha20=0.0,
    heat_port=HeatPort,
    v_normalized=Var("v/(v_nominal*(1 + alpha20*(heat_port.T - T_ref)/(1 + alpha20*(T_ref - 293.15))))"),
    equations=["heat_port.Q_flow = -loss_power"],
)
