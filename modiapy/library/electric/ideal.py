"""Ideal diodes, thyristors and triacs.

They have no characteristic i = f(v): both v and i are functions of a parameter s of the curve.
Source of the idea: C. Clauss et al., Ideal switches and diodes in Modelica's electrical library.
"""

from __future__ import annotations

from ...model.model import Map, Model, Var
from .interfaces import OnePort, Pin
from .resistors import Resistor
from .storage import Capacitor

_Curve = OnePort | Model(
    Ron=1e-5,
    Goff=1e-5,
    Vknee=0.0,
    T=293.15,
    s=Var(start=0.0, description="parameter of the curve: current [A] where it conducts, voltage [V] where it blocks"),
    loss_power=Var("v*i", unit="W", description="losses"),
)


def _characteristic(off: str) -> list[str]:
    """Return the equations of a component that blocks while a condition holds."""
    return [f"v = s*(1 if {off} else Ron) + Vknee", f"i = s*(Goff if {off} else 1) + Goff*Vknee"]


_TEXT = "forward resistance Ron [Ohm], backward conductance Goff [S] and threshold Vknee [V]"

IdealDiode = _Curve | Model(
    description=f"Ideal diode with {_TEXT}; s >= 0 where it conducts, and off is 1 where it blocks",
    off=Var("1 if s < 0 else 0"),
    equations=_characteristic("s < 0"),
)

_Fired = _Curve | Model(
    fire=Var(type="Boolean", input=True),
    off=Var(type="Boolean", init=True, description="whether it blocks"),
    equations=_characteristic("off"),
)

IdealThyristor = _Fired | Model(
    description="Ideal thyristor: a diode that begins to conduct only while fire is true; Ron [Ohm], Goff [S], Vknee [V]",
    equations=["off = s < 0 or (pre(off) and not fire)"],
)

IdealGTOThyristor = _Fired | Model(
    description="Ideal thyristor that can be turned off: a diode while fire is true, open otherwise; Ron [Ohm], Goff [S],"
    " Vknee [V]",
    equations=["off = s < 0 or not fire"],
)

_BRANCH = IdealThyristor | Map(Ron="Ron", Goff="Goff", Vknee="Vknee")

IdealTriac = Model(
    description="Ideal triac: two ideal thyristors in opposite directions that fire1 ignites (Ron [Ohm], Goff [S], Vknee [V]),"
    " in parallel to Rdis [Ohm] and Cdis [F] in series",
    Ron=1e-5,
    Goff=1e-5,
    Vknee=0.8,
    Rdis=100.0,
    Cdis=0.005,
    p=Pin,
    n=Pin,
    v=Var("p.v - n.v", unit="V", description="voltage from p to n"),
    i=Var("p.i", unit="A", description="current from p to n"),
    fire1=Var(type="Boolean", input=True),
    ideal_thyristor=_BRANCH,
    ideal_thyristor1=_BRANCH,
    resistor=Resistor | Map(R="Rdis"),
    capacitor=Capacitor | Map(C="Cdis"),
    connect=[
        ("p", "ideal_thyristor1.p", "ideal_thyristor.n", "capacitor.n"),
        ("n", "ideal_thyristor1.n", "ideal_thyristor.p", "resistor.p"),
        ("capacitor.p", "resistor.n"),
        ("fire1", "ideal_thyristor.fire", "ideal_thyristor1.fire"),
    ],
)
