"""Resistors and conductors, whose resistance may depend on the temperature, and potentiometers."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import OnePort, Pin, WithHeatPort

_Dissipative = OnePort | Model(
    T_ref=300.15,
    alpha=0.0,
    T="T_ref",
    loss_power=Var("v*i", unit="W", description="losses"),
)

_HEAT = " at T_ref [K]; alpha [1/K]: its temperature coefficient; T [K]: its temperature"
_RESISTANCE = "*(1 + alpha*(T - T_ref))"

Resistor = _Dissipative | Model(
    description="Resistor R [Ohm]" + _HEAT,
    R=1.0,
    equations=[f"v = R{_RESISTANCE}*i"],
)

HeatingResistor = (
    Resistor
    | WithHeatPort
    | Model(
        description="Resistor with a heat port: Resistor | WithHeatPort, and R_actual",
        R_actual=Var("R" + _RESISTANCE, unit="Ohm", description="resistance at the temperature of heat_port"),
    )
)

Conductor = _Dissipative | Model(
    description="Conductor G [S]" + _HEAT.replace("its temperature coefficient", "temperature coefficient of the resistance"),
    G=1.0,
    equations=["i*(1 + alpha*(T - T_ref)) = G*v"],
)

VariableResistor = Resistor | Model(
    description="Resistor whose resistance R [Ohm]" + _HEAT.replace("T_ref [K];", "T_ref [K] is an input;"),
    R=Var(input=True, unit="Ohm"),
)

VariableConductor = Conductor | Model(
    description="Conductor whose conductance G [S] at T_ref [K] is an input; alpha [1/K]: temperature coefficient of the"
    " resistance; T [K]: its temperature",
    G=Var(input=True, unit="S"),
)

Potentiometer = Model(
    description="Resistor R [Ohm] from pin_p to pin_n with a contact at r = 1 (pin_p) to 0 (pin_n); r may be made an input."
    " T_ref, T [K]: temperature of reference, its temperature; alpha [1/K]: its temperature coefficient",
    R=1.0,
    r=0.5,
    T_ref=293.15,
    alpha=0.0,
    T="T_ref",
    pin_p=Pin,
    contact=Pin,
    pin_n=Pin,
    loss_power=Var("(pin_p.v - contact.v)*pin_p.i + (pin_n.v - contact.v)*pin_n.i", unit="W", description="losses"),
    equations=[
        f"pin_p.v - contact.v = (1 - min(1, max(0, r)))*R{_RESISTANCE}*pin_p.i",
        f"pin_n.v - contact.v = min(1, max(0, r))*R{_RESISTANCE}*pin_n.i",
        "0 = pin_p.i + contact.i + pin_n.i",
    ],
)
