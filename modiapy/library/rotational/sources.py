"""Prescribed torques and motions."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ..heat_transfer import HeatPort
from ..regularization import REGULARIZED, WORDS, sign_of
from .interfaces import Flange

Torque = Model(
    description="External torque tau [N.m] that drives the flange",
    tau=Var(input=True, unit="N.m"),
    flange=Flange,
    equations=["flange.tau = -tau"],
)

TorqueWithSupport = Torque | Model(
    description="Torque that acts back on the flange support", support=Flange, equations=["support.tau = tau"]
)

Torque2 = Model(
    description="External torque tau [N.m] between two flanges; it drives flange_b",
    tau=Var(input=True, unit="N.m"),
    flange_a=Flange,
    flange_b=Flange,
    equations=["flange_a.tau = tau", "flange_b.tau = -tau"],
)

ConstantTorque = Torque | Model(
    description="Constant torque tau_constant [N.m] that drives the flange",
    tau_constant=1.0,
    tau=Var("tau_constant", input=False),
)

TorqueStep = Torque | Model(
    tau=Var("offset_torque + (step_torque if after(start_time) else 0)", input=False),
    description="Torque offset_torque [N.m], from start_time [s] on step_torque [N.m] more",
    step_torque=1.0,
    offset_torque=0.0,
    start_time=0.0,
)

_SpeedDependent = (
    Torque
    | Map(tau=Var(input=False))
    | Model(
        phi=Var("flange.phi", unit="rad", description="angle of the flange"),
        w=Var("der(phi)", unit="rad/s", description="angular velocity of the flange"),
    )
)

LinearSpeedDependentTorque = _SpeedDependent | Model(
    description="Torque that grows with the speed and is tau_nominal [N.m] (below zero: it brakes) at w_nominal [rad/s];"
    " its sign is that of tau_nominal at both directions, with torque_direction False it changes with that of the speed",
    tau_nominal=-1.0,
    torque_direction=True,
    w_nominal=1.0,
    equations=["tau = tau_nominal*(abs(w/w_nominal) if torque_direction else w/w_nominal)"],
)

QuadraticSpeedDependentTorque = _SpeedDependent | Model(
    description="Torque that grows with the square of the speed and is tau_nominal [N.m] (below zero: it brakes) at w_nominal"
    " [rad/s]; its sign is that of tau_nominal at both directions, with torque_direction False it changes with that of the"
    " speed",
    tau_nominal=-1.0,
    torque_direction=True,
    w_nominal=1.0,
    equations=[
        "tau = tau_nominal*noEvent((w/w_nominal)**2 if w >= 0 or torque_direction else -(w/w_nominal)**2)",
    ],
)

SignTorque = (
    _SpeedDependent
    | REGULARIZED
    | Model(
        description="Torque tau_nominal [N.m] (below zero: it brakes) in the direction of motion, continuous below the speed w0"
        " [rad/s]." + WORDS,
        tau_nominal=-1.0,
        w0=0.1,
        equations=[f"tau = tau_nominal*{sign_of('w', 'w0')}"],
    )
)

Position = Model(
    description="The flange moves exactly as phi_ref [rad], which must be twice differentiable where inertias are moved",
    phi_ref=Var(input=True, unit="rad"),
    flange=Flange,
    equations=["flange.phi = phi_ref"],
)

FilteredPosition = Model(
    description="The flange follows phi_ref [rad] as a critically damped filter with the cut-off frequency f_crit [Hz] does",
    f_crit=50.0,
    w_crit="2*pi*f_crit",
    af=1.3617,
    bf=0.6180,
    phi_ref=Var(input=True, unit="rad"),
    flange=Flange,
    phi=Var(unit="rad", state_select="prefer"),
    w=Var(start=0.0, unit="rad/s", state_select="prefer"),
    a=Var(unit="rad/s2"),
    equations=[
        "phi = flange.phi",
        "w = der(phi)",
        "a = der(w)",
        "a = ((phi_ref - phi)*w_crit - af*w)*(w_crit/bf)",
    ],
    initial_equations=["phi = phi_ref"],
)

Speed = Model(
    description="The flange turns exactly with w_ref [rad/s]",
    w_ref=Var(input=True, unit="rad/s"),
    flange=Flange,
    phi=Var(start=0.0, unit="rad", description="angle of the flange"),
    equations=["phi = flange.phi", "der(phi) = w_ref"],
)

FilteredSpeed = Model(
    description="The flange follows the speed w_ref [rad/s] as a first order filter with the cut-off frequency f_crit [Hz]"
    " does, beginning with it",
    f_crit=50.0,
    w_ref=Var(input=True, unit="rad/s"),
    flange=Flange,
    phi=Var(start=0.0, unit="rad", state_select="prefer"),
    w=Var(unit="rad/s", state_select="prefer"),
    equations=["phi = flange.phi", "w = der(phi)", "der(w) = (w_ref - w)*2*pi*f_crit"],
    initial_equations=["w = w_ref"],
)

ConstantSpeed = Speed | Model(
    description="The flange turns with the constant speed w_fixed [rad/s]", w_fixed=1.0, w_ref=Var("w_fixed", input=False)
)

Accelerate = Model(
    description="The flange accelerates exactly with a_ref [rad/s2], from the angle phi_start and the speed w_start on",
    phi_start=0.0,
    w_start=0.0,
    a_ref=Var(input=True, unit="rad/s2"),
    flange=Flange,
    phi=Var(init="phi_start", unit="rad", description="angle of the flange"),
    w=Var(init="w_start", unit="rad/s", description="angular velocity of the flange"),
    equations=["phi = flange.phi", "w = der(phi)", "der(w) = a_ref"],
)

InverseSpeedDependentTorque = _SpeedDependent | Model(
    description="Torque of constant power: tau_nominal [N.m] (below zero: it brakes) at w_nominal [rad/s], in inverse"
    " proportion to the speed, but not larger than at the speed w0 [rad/s]; its sign is that of tau_nominal at both"
    " directions, with torque_direction False it changes with that of the speed, linearly below w0",
    tau_nominal=-1.0,
    torque_direction=True,
    w_nominal=1.0,
    w0=0.1,
    equations=[
        "tau = tau_nominal*w_nominal*(1/noEvent(max(abs(w), w0)) if torque_direction"
        " else noEvent(1/w if abs(w) >= w0 else w/w0**2))",
    ],
)

EddyCurrentTorque = _SpeedDependent | Model(
    description="Braking torque of an eddy current brake, largest (tau_nominal [N.m]) at the speed w_nominal [rad/s] where the"
    " excitation is 1; it may be made an input, and counts by its square",
    tau_nominal=1.0,
    w_nominal=1.0,
    excitation=1.0,
    w_normalized=Var("w/w_nominal", description="speed relative to w_nominal"),
    loss_power=Var("-tau*w", unit="W", description="heat"),
    equations=["tau = -2*tau_nominal*excitation**2*w_normalized/(1 + w_normalized**2)"],
)

EddyCurrentTorqueWithHeatPort = EddyCurrentTorque | Model(
    description="EddyCurrentTorque whose losses flow out of heat_port; w_nominal holds at the temperature T_ref [K] and"
    " grows with"
    " the resistance of the disc, whose temperature coefficient at 293.15 K is alpha20 [1/K]",
    T_ref=293.15,
    alpha20=0.0,
    heat_port=HeatPort,
    w_normalized=Var("w/(w_nominal*(1 + alpha20*(heat_port.T - T_ref)/(1 + alpha20*(T_ref - 293.15))))"),
    equations=["heat_port.Q_flow = -loss_power"],
)
