"""Resistors whose losses become heat, and bonds of heat: their effort is the temperature [K], their flow that of entropy [W/K].

Source: J. U. Thoma, Entropy and mass flow for energy conversion, Journal of the Franklin Institute 299 (1975).
"""

from __future__ import annotations

from ...model.model import Model, Var
from .impulses import at_events, finite
from .passive import G, R, mG, mR
from .ports import BondOut, PassiveOnePort, TwoPort

_HEATS = Model(
    th=BondOut | Model(n=1, e=Var(unit="K"), f=Var(unit="W/K")),
    S_flow=Var(unit="W/K", description="entropy that is produced, leaves at th"),
    equations=["S_flow = -th.f[0]", "th.e[0]*S_flow = e@f", at_events("th.g = 0*th.E")],
)

RS, GS, mRS, mGS = (
    element
    | _HEATS
    | Model(
        description=f"{element['description'].partition(';')[0]}. Its power is heat, which leaves through the bond th of size 1"
        " with the temperature [K] and the flow of entropy [W/K]."
    )
    for element in (R, G, mR, mG)
)

HeatConductor = TwoPort | Model(
    description="Heat conduction with the conductance G [W/K] from a to b, bonds of temperature and flow of entropy; the heat"
    " stays, entropy is produced",
    n=1,
    G=1.0,
    Q_flow=Var(unit="W", description="heat flow from a to b"),
    equations=[
        "Q_flow = G*(e1[0] - e2[0])",
        "e1[0]*f1[0] = Q_flow",
        "e2[0]*f2[0] = Q_flow",
        at_events("g1 = 0*E1", "g2 = 0*E2"),
    ],
)

HeatCapacity = PassiveOnePort | Model(
    description="Heat capacity C [J/K], a bond of temperature and flow of entropy; its temperature is its state",
    n=1,
    C=1.0,
    T=Var(start=293.15, unit="K", description="temperature"),
    equations=finite("T = e[0]", "C*der(T) = T*f[0]"),
)
