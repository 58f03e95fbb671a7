"""Sensors; they change nothing in what they measure."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import Flange

_Absolute = Model(flange=Flange, equations=["0 = flange.tau"])

AngleSensor = _Absolute | Model(
    description="Measures the absolute angle phi [rad] of the flange",
    phi=Var("flange.phi", output=True, unit="rad"),
)

SpeedSensor = _Absolute | Model(
    description="Measures the absolute angular velocity w [rad/s] of the flange",
    w=Var("der(flange.phi)", output=True, unit="rad/s"),
)

AccSensor = _Absolute | Model(
    description="Measures the absolute angular acceleration a [rad/s2] of the flange",
    w=Var("der(flange.phi)", unit="rad/s"),
    a=Var("der(w)", output=True, unit="rad/s2"),
)

_Relative = Model(
    flange_a=Flange,
    flange_b=Flange,
    phi_rel=Var("flange_b.phi - flange_a.phi", output=True, unit="rad"),
    equations=["0 = flange_a.tau", "0 = flange_b.tau"],
)

RelAngleSensor = _Relative | Model(description="Measures the angle phi_rel [rad] of flange_b relative to flange_a")

RelSpeedSensor = _Relative | Model(
    description="Measures the angular velocity w_rel [rad/s] of flange_b relative to flange_a",
    w_rel=Var("der(phi_rel)", output=True, unit="rad/s"),
)

RelAccSensor = RelSpeedSensor | Model(
    description="Measures the angular acceleration a_rel [rad/s2] of flange_b relative to flange_a",
    a_rel=Var("der(w_rel)", output=True, unit="rad/s2"),
)

_Through = Model(
    flange_a=Flange,
    flange_b=Flange,
    equations=["flange_a.phi = flange_b.phi", "0 = flange_a.tau + flange_b.tau"],
)

TorqueSensor = _Through | Model(
    description="Measures the torque tau [N.m] that flange_a passes on to flange_b",
    tau=Var("flange_a.tau", output=True, unit="N.m"),
)

PowerSensor = _Through | Model(
    description="Measures the power [W] that flows from flange_a to flange_b",
    power=Var("flange_a.tau*der(flange_a.phi)", output=True, unit="W"),
)

MultiSensor = PowerSensor | Model(
    description="Measures the power [W] from flange_a to flange_b, the speed w [rad/s] and the torque tau [N.m]",
    w=Var("der(flange_a.phi)", output=True, unit="rad/s"),
    tau=Var("flange_a.tau", output=True, unit="N.m"),
)
