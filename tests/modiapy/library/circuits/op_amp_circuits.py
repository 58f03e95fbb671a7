"""Circuits of operational amplifiers that Modelica.Electrical.Analog.Examples.OpAmps consists of."""

from __future__ import annotations

from modiapy import Map, Model
from modiapy.library import electric

_R, _C = electric.Resistor, electric.Capacitor

_AMPLIFIER = Model(
    p1=electric.Pin,
    n1=electric.Pin,
    p2=electric.Pin,
    n2=electric.Pin,
    op_amp=electric.OpAmpLimited,
    connect=[("n1", "n2"), ("op_amp.out", "p2")],
)
_INVERTING = _AMPLIFIER | Model(connect=[("n1", "op_amp.in_p")])

GAIN = _INVERTING | Model(
    k=1.0,
    R1=1000.0,
    r1=_R | Map(R="R1"),
    r2=_R | Map(R="k*R1"),
    connect=[("p1", "r1.p"), ("op_amp.in_n", "r1.n", "r2.n"), ("op_amp.out", "r2.p")],
)

BUFFER = _AMPLIFIER | Model(
    k=1.0,
    R1=1000.0,
    r1=_R | Map(R="R1"),
    r2=_R | Map(R="(k - 1)*R1"),
    connect=[("p1", "op_amp.in_p"), ("op_amp.in_n", "r1.p", "r2.n"), ("op_amp.out", "r2.p"), ("n1", "r1.n")],
)

ADD = _INVERTING | Model(
    p1_2=electric.Pin,
    k1=1.0,
    k2=1.0,
    R=1000.0,
    r1=_R | Map(R="R/k1"),
    r2=_R | Map(R="R/k2"),
    r=_R | Map(R="R"),
    connect=[("p1", "r1.p"), ("p1_2", "r2.p"), ("op_amp.in_n", "r1.n", "r2.n", "r.n"), ("op_amp.out", "r.p")],
)

FEEDBACK = _AMPLIFIER | Model(
    p1_2=electric.Pin,
    k=1.0,
    R1=1000.0,
    r1=_R | Map(R="R1"),
    r2=_R | Map(R="R1"),
    r3=_R | Map(R="R1/k"),
    r4=_R | Map(R="R1/k"),
    connect=[
        ("p1", "r1.p"),
        ("p1_2", "r2.p"),
        ("op_amp.in_n", "r1.n", "r3.n"),
        ("op_amp.in_p", "r2.n", "r4.p"),
        ("op_amp.out", "r3.p"),
        ("n1", "r4.n"),
    ],
)

DER = _INVERTING | Model(
    k=1.0,
    f=1.0,
    R=1000.0,
    c=_C | Map(C="k/(2*pi*f*R)", v=Map(init=0.0)),
    r=_R | Map(R="R"),
    connect=[("p1", "c.p"), ("op_amp.in_n", "c.n", "r.n"), ("op_amp.out", "r.p")],
)

INTEGRATOR = _INVERTING | Model(
    k=1.0,
    f=1.0,
    R=1000.0,
    r=_R | Map(R="R"),
    c=_C | Map(C="1/(k*2*pi*f*R)", v=Map(init=0.0)),
    connect=[("p1", "r.p"), ("op_amp.in_n", "r.n", "c.n"), ("op_amp.out", "c.p")],
)

_TWO = _INVERTING | Model(k=1.0, T=1.0, R1=1000.0, R2="k*R1", r1=_R | Map(R="R1"), r2=_R | Map(R="R2"))

DERIVATIVE = _TWO | Model(
    c=_C | Map(C="T/R1", v=Map(init=0.0)),
    connect=[("p1", "c.p"), ("c.n", "r1.p"), ("op_amp.in_n", "r1.n", "r2.n"), ("op_amp.out", "r2.p")],
)

FIRST_ORDER = _TWO | Model(
    c=_C | Map(C="T/R2", v=Map(init=0.0)),
    connect=[("p1", "r1.p"), ("op_amp.in_n", "r1.n", "r2.n", "c.n"), ("op_amp.out", "r2.p", "c.p")],
)

PI = _TWO | Model(
    c=_C | Map(C="T/k/R1", v=Map(init=0.0)),
    connect=[("p1", "r1.p"), ("op_amp.in_n", "r1.n", "r2.n"), ("r2.p", "c.n"), ("op_amp.out", "c.p")],
)
