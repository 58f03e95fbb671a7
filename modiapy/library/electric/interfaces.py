"""Pin, and bases of components with two or four pins."""

from __future__ import annotations

from ...model.model import Model, Var
from ..heat_transfer import HeatPort

Pin = Model(
    description="Pin of an electric component",
    v=Var(potential=True, unit="V", description="potential"),
    i=Var(flow=True, unit="A", description="current into the pin"),
)

OnePort = Model(
    description="Base of components with the pins p and n",
    p=Pin,
    n=Pin,
    v=Var(unit="V", description="voltage from p to n"),
    i=Var(unit="A", description="current from p to n"),
    equations=["v = p.v - n.v", "0 = p.i + n.i", "i = p.i"],
)

TwoPort = Model(
    description="Base of components with the ports p1, n1 and p2, n2",
    p1=Pin,
    n1=Pin,
    p2=Pin,
    n2=Pin,
    v1=Var(unit="V", description="voltage from p1 to n1"),
    v2=Var(unit="V", description="voltage from p2 to n2"),
    i1=Var(unit="A", description="current from p1 to n1"),
    i2=Var(unit="A", description="current from p2 to n2"),
    equations=[
        "v1 = p1.v - n1.v",
        "v2 = p2.v - n2.v",
        "0 = p1.i + n1.i",
        "0 = p2.i + n2.i",
        "i1 = p1.i",
        "i2 = p2.i",
    ],
)

WithHeatPort = Model(
    description="To be merged with a component that has losses (Resistor | WithHeatPort): they flow out of heat_port, whose"
    " temperature is its T [K]",
    heat_port=HeatPort,
    T=Var("heat_port.T", unit="K", description="temperature"),
    equations=["heat_port.Q_flow = -loss_power"],
)
