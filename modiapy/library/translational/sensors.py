"""Sensors; they change nothing in what they measure."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import Flange

_Absolute = Model(flange=Flange, equations=["0 = flange.f"])

PositionSensor = _Absolute | Model(
    description="Measures the absolute position s [m] of the flange",
    s=Var("flange.s", output=True, unit="m"),
)

SpeedSensor = _Absolute | Model(
    description="Measures the absolute velocity v [m/s] of the flange",
    v=Var("der(flange.s)", output=True, unit="m/s"),
)

AccSensor = _Absolute | Model(
    description="Measures the absolute acceleration a [m/s2] of the flange",
    v=Var("der(flange.s)", unit="m/s"),
    a=Var("der(v)", output=True, unit="m/s2"),
)

_Relative = Model(
    flange_a=Flange,
    flange_b=Flange,
    s_rel=Var("flange_b.s - flange_a.s", output=True, unit="m"),
    equations=["0 = flange_a.f", "0 = flange_b.f"],
)

RelPositionSensor = _Relative | Model(description="Measures the position s_rel [m] of flange_b relative to flange_a")

RelSpeedSensor = _Relative | Model(
    description="Measures the velocity v_rel [m/s] of flange_b relative to flange_a",
    v_rel=Var("der(s_rel)", output=True, unit="m/s"),
)

RelAccSensor = RelSpeedSensor | Model(
    description="Measures the acceleration a_rel [m/s2] of flange_b relative to flange_a",
    a_rel=Var("der(v_rel)", output=True, unit="m/s2"),
)

_Through = Model(
    flange_a=Flange,
    flange_b=Flange,
    equations=["flange_a.s = flange_b.s", "0 = flange_a.f + flange_b.f"],
)

ForceSensor = _Through | Model(
    description="Measures the force f [N] that flange_a passes on to flange_b",
    f=Var("flange_a.f", output=True, unit="N"),
)

PowerSensor = _Through | Model(
    description="Measures the power [W] that flows from flange_a to flange_b",
    power=Var("flange_a.f*der(flange_a.s)", output=True, unit="W"),
)

MultiSensor = PowerSensor | Model(
    description="Measures the power [W] from flange_a to flange_b, the speed v [m/s] and the force f [N]",
    v=Var("der(flange_a.s)", output=True, unit="m/s"),
    f=Var("flange_a.f", output=True, unit="N"),
)
