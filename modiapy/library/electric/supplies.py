"""Power supplies."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ...model.when import Assert
from .interfaces import Pin
from .sources import ConstantVoltage

SupplyVoltage = Model(
    description="Supply of the potentials V_ps [V] at pin_p and V_ns [V] at pin_n above ground",
    V_ps=15.0,
    V_ns=-15.0,
    pin_p=Pin,
    pin_n=Pin,
    ground=Pin,
    positive_supply=ConstantVoltage | Map(V="V_ps"),
    negative_supply=ConstantVoltage | Map(V="-V_ns"),
    connect=[
        ("pin_p", "positive_supply.p"),
        ("ground", "positive_supply.n", "negative_supply.p"),
        ("pin_n", "negative_supply.n"),
    ],
)

DCPowerSupply = Model(
    description="Power supply of constant voltage V0 [V], constant power P0 [W] where the load takes more, and constant current"
    " I0 [A] where it takes even more; Rcv [Ohm]: inner resistance at constant voltage; Gcc [S]: inner conductance at constant"
    " current; i_back [A]: largest current that may flow into it",
    V0=60.0,
    I0=50.0,
    P0=1200.0,
    Rcv=1e-3,
    Gcc=1e-3,
    i_back=1e-3,
    limited="(V0 - Rcv*I0)/(1 - Rcv*Gcc)*(I0 - Gcc*V0)/(1 - Rcv*Gcc) > P0",
    i_cv="(V0 - sqrt(max(V0**2 - 4*Rcv*P0, 0)))/(2*Rcv) if limited else (I0 - Gcc*V0)/(1 - Rcv*Gcc)",
    v_cc="(I0 - sqrt(max(I0**2 - 4*Gcc*P0, 0)))/(2*Gcc) if limited else (V0 - Rcv*I0)/(1 - Rcv*Gcc)",
    p=Pin,
    n=Pin,
    v=Var("p.v - n.v", start="V0", unit="V", description="voltage from p to n"),
    i=Var("p.i", unit="A", description="current into p, below zero where it delivers"),
    power=Var("v*i", unit="W", description="power that flows into it, below zero where it delivers"),
    equations=[
        "p.i + n.i = 0",
        "v = V0 + Rcv*i if -i <= i_cv else (-P0/i if limited and v > v_cc else (I0 + i)/Gcc)",
        Assert("Rcv < V0/I0 and Gcc < I0/V0", "Rcv and Gcc are too large"),
        Assert("not limited or (4*Rcv*P0 < V0**2 and 4*Gcc*P0 < I0**2)", "Rcv and Gcc are too large"),
        Assert("v >= 0", "the voltage of a power supply has become negative"),
        Assert("i <= i_back", "a current larger than i_back flows into a power supply"),
    ],
)
