"""Prescribed forces and motions."""

from __future__ import annotations

from ...model.model import Map, Model
from .. import rotational
from ..regularization import WORDS
from .counterparts import counterpart

Force = counterpart(rotational.Torque) | Model(description="External force f [N] that drives the flange")

ForceWithSupport = counterpart(rotational.TorqueWithSupport) | Model(description="Force that acts back on the flange support")

Force2 = counterpart(rotational.Torque2) | Model(description="External force f [N] between two flanges; it drives flange_b")

ConstantForce = counterpart(rotational.ConstantTorque) | Model(
    description="Constant force f_constant [N] that drives the flange"
)

ForceStep = counterpart(rotational.TorqueStep) | Model(
    description="Force offset_force [N], from start_time [s] on step_force [N] more"
)

LinearSpeedDependentForce = counterpart(rotational.LinearSpeedDependentTorque) | Model(
    description="Force that grows with the speed and is f_nominal [N] (below zero: it brakes) at v_nominal [m/s];"
    " its sign is that of f_nominal at both directions, with force_direction False it changes with that of the speed"
)

QuadraticSpeedDependentForce = counterpart(rotational.QuadraticSpeedDependentTorque) | Model(
    description="Force that grows with the square of the speed and is f_nominal [N] (below zero: it brakes) at v_nominal"
    " [m/s]; its sign is that of f_nominal at both directions, with force_direction False it changes with that of the speed"
)

SignForce = counterpart(rotational.SignTorque) | Model(
    description="Force f_nominal [N] (below zero: it brakes) in the direction of motion, continuous below the speed v0"
    " [m/s]." + WORDS
)

Position = counterpart(rotational.Position) | Model(
    description="The flange moves exactly as s_ref [m], which must be twice differentiable where masses are moved"
)

FilteredPosition = counterpart(rotational.FilteredPosition) | Model(
    description="The flange follows s_ref [m] as a critically damped filter with the cut-off frequency f_crit [Hz] does"
)

Speed = counterpart(rotational.Speed) | Model(description="The flange moves exactly with v_ref [m/s]")

FilteredSpeed = counterpart(rotational.FilteredSpeed) | Model(
    description="The flange follows the speed v_ref [m/s] as a first order filter with the cut-off frequency f_crit [Hz]"
    " does, beginning with it"
)

ConstantSpeed = counterpart(rotational.ConstantSpeed) | Model(
    description="The flange moves with the constant speed v_fixed [m/s]"
)

Accelerate = counterpart(rotational.Accelerate) | Model(
    description="The flange accelerates exactly with a_ref [m/s2], from the position s_start and the speed v_start on"
)

InverseSpeedDependentForce = counterpart(rotational.InverseSpeedDependentTorque) | Model(
    description="Force of constant power: f_nominal [N] (below zero: it brakes) at v_nominal [m/s], in inverse"
    " proportion to the speed, but not larger than at the speed v0 [m/s]; its sign is that of f_nominal at both"
    " directions, with force_direction False it changes with that of the speed, linearly below v0"
)

EddyCurrentForce = counterpart(rotational.EddyCurrentTorque) | Model(
    description="Braking force of an eddy current brake, largest (f_nominal [N]) at the speed v_nominal [m/s] where the"
    " excitation is 1; it may be made an input, and counts by its square",
    v_normalized=Map(description="velocity relative to v_nominal"),
)

EddyCurrentForceWithHeatPort = counterpart(rotational.EddyCurrentTorqueWithHeatPort) | Model(
    description="EddyCurrentForce whose losses flow out of heat_port; v_nominal holds at the temperature T_ref [K] and grows"
    " with"
    " the resistance of the rail, whose temperature coefficient at 293.15 K is alpha20 [1/K]",
    v_normalized=Map(description="velocity relative to v_nominal"),
)
