"""Thyristors and triacs whose switching takes time.

A first order lag turns the signals that ignite and hold the thyristor into a control voltage, on which the resistance between
anode and cathode depends.
"""

from __future__ import annotations

from ...model.model import Map, Model, Var
from .ideal import IdealDiode
from .interfaces import Pin

_RATINGS = Model(
    VDRM=100.0,
    VRRM=100.0,
    IDRM=0.1,
    VTM=1.7,
    IH=6e-3,
    ITM=25.0,
    VGT=0.7,
    IGT=5e-3,
    TON=1e-6,
    TOFF=15e-6,
    Vt=0.04,
    Nbv=0.74,
    T=293.15,
)

_TEXT = (
    "VDRM, VRRM [V]: forward and reverse breakthrough; VTM [V], ITM [A]: point at which it conducts; IH [A]: holding current;"
    " VGT [V], IGT [A]: point at which the gate triggers; TON, TOFF [s]: how long switching takes; Vt [V]: voltage equivalent"
    " of temperature; Nbv: emission coefficient of the reverse breakthrough"
)

_CONTROL = "((2*v_control - v_on - v_off)/(2*(v_on - v_off)))"

Thyristor = _RATINGS | Model(
    description="Thyristor with the pins anode, cathode and gate. " + _TEXT,
    v_ref=0.65,
    v_on=5.0,
    v_off=1.5,
    r_on="(VTM - 0.7)/ITM",
    r_off="VDRM**2/VTM/IH",
    anode=Pin,
    cathode=Pin,
    gate=Pin,
    i_gk=Var("gate.i", unit="A", description="current of the gate"),
    v_gk=Var("gate.v - cathode.v", start=0.0, unit="V", description="voltage from gate to cathode"),
    v_ak=Var("anode.v - cathode.v", unit="V", description="voltage from anode to cathode"),
    v_control=Var(start=0.0, unit="V", description="control voltage"),
    v_main=Var(unit="V", description="control voltage that the main current wants"),
    v_total=Var(unit="V", description="control voltage that is wanted"),
    loss_power=Var("anode.i*anode.v + cathode.i*cathode.v + gate.i*gate.v", unit="W", description="losses"),
    equations=[
        "anode.i + gate.i + cathode.i = 0",
        "i_gk = IGT*noEvent(v_gk/VGT if v_gk < v_ref else (v_gk - v_ref**2/VGT)/(VGT - v_ref))",
        "v_main = v_on if anode.i > IH or v_ak > VDRM else 0",
        "v_total = v_main + v_ak*noEvent(min(max(1e4*(i_gk - 0.95*IGT), 0), 10))",
        "der(v_control) = (v_total - v_control)/noEvent(1.87*TON if v_total > v_control else 0.638*TOFF)",
        "anode.i = noEvent(-VRRM/r_off*exp(-(v_ak + VRRM)/(Nbv*Vt)) if v_ak < -VRRM else (v_ak/r_off if v_control < v_off"
        f" else (v_ak/(sqrt(r_on*r_off)*(r_on/r_off)**((3*{_CONTROL} - 4*{_CONTROL}**3)/2)) if v_control < v_on"
        " else v_ak/r_on)))",
    ],
)

_BRANCH = Thyristor | Map({name: name for name in _RATINGS})

SimpleTriac = _RATINGS | Model(
    description="Triac of two thyristors in opposite directions, whose gates g ignites through ideal diodes. " + _TEXT,
    p=Pin,
    n=Pin,
    g=Pin,
    loss_power=Var("p.i*p.v + n.i*n.v + g.i*g.v", unit="W", description="losses"),
    thyristor=_BRANCH,
    thyristor1=_BRANCH,
    ideal_diode=IdealDiode,
    ideal_diode1=IdealDiode,
    connect=[
        ("n", "thyristor.anode", "thyristor1.cathode"),
        ("p", "thyristor1.anode", "thyristor.cathode"),
        ("g", "ideal_diode.p", "ideal_diode1.p"),
        ("ideal_diode.n", "thyristor.gate"),
        ("ideal_diode1.n", "thyristor1.gate"),
    ],
)
