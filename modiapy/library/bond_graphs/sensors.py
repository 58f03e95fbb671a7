"""Sensors: they take no power from their bond. What they measure is a plain variable, which may stand in any equation."""

from __future__ import annotations

from ...model.model import Model, Var
from .impulses import with_impulses
from .ports import PassiveOnePort

De = PassiveOnePort | Model(
    description="Sensor of the effort e_out; its flow is zero",
    e_out=Var(shape="n", unit="{effort_unit}", description="effort"),
    equations=["e_out = e", *with_impulses("f = 0*e")],
)

Df = PassiveOnePort | Model(
    description="Sensor of the flow f_out; its effort is zero",
    f_out=Var(shape="n", unit="{flow_unit}", description="flow"),
    equations=["f_out = f", *with_impulses("e = 0*f")],
)

Dp = PassiveOnePort | Model(
    description="Sensor of the momentum p, the integral of the effort from p_start on; its flow is zero",
    p_start=0.0,
    p=Var(shape="n", init="p_start", description="momentum"),
    equations=["der(p) = e", *with_impulses("f = 0*e")],
)

Dq = PassiveOnePort | Model(
    description="Sensor of the position or charge q, the integral of the flow from q_start on; its effort is zero",
    q_start=0.0,
    q=Var(shape="n", init="q_start", description="position or charge"),
    equations=["der(q) = f", *with_impulses("e = 0*f")],
)
