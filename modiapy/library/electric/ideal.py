"""Ideal diodes, switches and operational amplifiers.

A diode or switch has no characteristic i = f(v) where it is ideal: both v and i are functions of a parameter s of the curve.
Source of the idea: C. Clauss et al., Ideal switches and diodes in Modelica's electrical library.
"""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import OnePort, Pin, TwoPort

IdealDiode = OnePort | Model(
    description="Ideal diode with forward resistance Ron [Ohm], backward conductance Goff [S] and threshold Vknee [V]; s >= 0"
    " where it conducts, and off is 1 where it blocks",
    Ron=1e-5,
    Goff=1e-5,
    Vknee=0.0,
    s=Var(start=0.0, description="parameter of the curve: current [A] where it conducts, voltage [V] where it blocks"),
    off=Var("1 if s < 0 else 0"),
    equations=["v = s*(1 if s < 0 else Ron) + Vknee", "i = s*(Goff if s < 0 else 1) + Goff*Vknee"],
)

_Switching = OnePort | Model(
    Ron=1e-5,
    Goff=1e-5,
    s=Var(start=0.0, description="parameter of the curve: current [A] where it conducts, voltage [V] where it does not"),
)

_Thyristor = _Switching | Model(
    Vknee=0.0,
    fire=Var(type="Boolean", input=True),
    off=Var(type="Boolean", init=True, description="whether it blocks"),
    equations=["v = s*(1 if off else Ron) + Vknee", "i = s*(Goff if off else 1) + Goff*Vknee"],
)

IdealThyristor = _Thyristor | Model(
    description="Ideal thyristor: a diode that begins to conduct only while fire is true; Ron [Ohm], Goff [S], Vknee [V]",
    equations=["off = s < 0 or (pre(off) and not fire)"],
)

IdealGTOThyristor = _Thyristor | Model(
    description="Ideal thyristor that can be turned off: a diode while fire is true, open otherwise; Ron [Ohm], Goff [S],"
    " Vknee [V]",
    equations=["off = s < 0 or not fire"],
)

_Switch = _Switching | Model(control=Var(type="Boolean", input=True))

IdealOpeningSwitch = _Switch | Model(
    description="Ideal switch, open while control is true; resistance Ron [Ohm] if closed, conductance Goff [S] if open",
    equations=["v = s*(1 if control else Ron)", "i = s*(Goff if control else 1)"],
)

IdealClosingSwitch = _Switch | Model(
    description="Ideal switch, closed while control is true; resistance Ron [Ohm] if closed, conductance Goff [S] if open",
    equations=["v = s*(Ron if control else 1)", "i = s*(1 if control else Goff)"],
)

IdealOpAmp = TwoPort | Model(
    description="Ideal operational amplifier: neither voltage nor current at its input p1, n1",
    equations=["v1 = 0", "i1 = 0"],
)

IdealOpAmp3Pin = Model(
    description="Ideal operational amplifier whose output is the pin out: no voltage between its inputs, no current in them",
    in_p=Pin,
    in_n=Pin,
    out=Pin,
    equations=["in_p.v = in_n.v", "in_p.i = 0", "in_n.i = 0"],
)

IdealOpAmpLimited = Model(
    description="Ideal operational amplifier whose output lies between the potentials of the pins V_min and V_max",
    in_p=Pin,
    in_n=Pin,
    out=Pin,
    V_max=Pin,
    V_min=Pin,
    s=Var(start=0.0, description="parameter of the curve: between -1 and 1 where the output is not limited"),
    equations=[
        "in_p.i = 0",
        "in_n.i = 0",
        "V_max.i = 0",
        "V_min.i = 0",
        "in_p.v - in_n.v = s + 1 if s < -1 else (s - 1 if s > 1 else 0)",
        "out.v = V_min.v if s < -1 else (V_max.v if s > 1 else (V_max.v - V_min.v)*s/2 + (V_max.v + V_min.v)/2)",
    ],
)

IdealizedOpAmpLimited = Model(
    description="Operational amplifier with the gain V0 and no currents in its inputs, its output limited to V_ns and V_ps [V]",
    V0=15000.0,
    V_ps=15.0,
    V_ns="-V_ps",
    in_p=Pin,
    in_n=Pin,
    out=Pin,
    v_in=Var(start=0.0, unit="V", description="voltage from in_p to in_n"),
    v_out=Var(unit="V", description="potential of the output"),
    equations=[
        "v_in = in_p.v - in_n.v",
        "v_out = out.v",
        "in_p.i = 0",
        "in_n.i = 0",
        "v_out = V_ps if V0*v_in > V_ps else (V_ns if V0*v_in < V_ns else V0*v_in)",
    ],
)

Idle = OnePort | Model(description="Idle branch: no current", equations=["i = 0"])

Short = OnePort | Model(description="Short cut: no voltage", equations=["v = 0"])
