"""Sensors; they change nothing in what they measure."""

from __future__ import annotations

from ...model.model import Model
from .. import rotational
from .counterparts import counterpart

PositionSensor = counterpart(rotational.AngleSensor) | Model(description="Measures the absolute position s [m] of the flange")

SpeedSensor = counterpart(rotational.SpeedSensor) | Model(description="Measures the absolute velocity v [m/s] of the flange")

AccSensor = counterpart(rotational.AccSensor) | Model(description="Measures the absolute acceleration a [m/s2] of the flange")

RelPositionSensor = counterpart(rotational.RelAngleSensor) | Model(
    description="Measures the position s_rel [m] of flange_b relative to flange_a"
)

RelSpeedSensor = counterpart(rotational.RelSpeedSensor) | Model(
    description="Measures the velocity v_rel [m/s] of flange_b relative to flange_a"
)

RelAccSensor = counterpart(rotational.RelAccSensor) | Model(
    description="Measures the acceleration a_rel [m/s2] of flange_b relative to flange_a"
)

ForceSensor = counterpart(rotational.TorqueSensor) | Model(
    description="Measures the force f [N] that flange_a passes on to flange_b"
)

PowerSensor = counterpart(rotational.PowerSensor) | Model(
    description="Measures the power [W] that flows from flange_a to flange_b"
)

MultiSensor = counterpart(rotational.MultiSensor) | Model(
    description="Measures the power [W] from flange_a to flange_b, the speed v [m/s] and the force f [N]"
)
