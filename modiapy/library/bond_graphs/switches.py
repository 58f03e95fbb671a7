"""Switches and diodes, ideal ones and ones that leak."""

from __future__ import annotations

from ...model.model import Model, Var
from .impulses import finite, with_impulses
from .ports import PassiveOnePort

_OPEN = Var(type="Boolean", input=True, description="true: no flow; false: no effort")
_LEAKING = Model(Ron=1e-5, Goff=1e-5)

Sw = PassiveOnePort | Model(
    description="Ideal switch: the flow is zero while the input open is true, else the effort. Which of both is computed by the"
    " rest of the graph changes with it.",
    open=_OPEN,
    equations=with_impulses("0*e = f if open else e"),
)

Sw2 = (
    PassiveOnePort
    | _LEAKING
    | Model(
        description="Switch that leaks: conductance Goff while the input open is true, else resistance Ron",
        open=_OPEN,
        s=Var(shape="n", description="parameter of the curve: effort while open, else flow"),
        equations=finite("f = s*(Goff if open else 1)", "e = s*(1 if open else Ron)"),
    )
)

_DIODE = PassiveOnePort | Model(
    d=-1.0,
    given="d + zeros(n)",
    direction="given/norm(given)",
    e_d=Var(description="effort along d"),
    f_d=Var(description="flow along d"),
    s=Var(start=0.0, description="parameter of the curve: effort along d while blocking, else flow"),
    blocking=Var(type="Boolean", description="true: the flow along d is zero, or small"),
    equations=["e = e_d*direction", "f_d = f@direction", "blocking = s > 0"],
)
_DIRECTION = (
    " The effort acts along the direction d only, a number for all n elements or a list of n: positive along d while it blocks,"
    " and the flow is negative along d otherwise. With d = -1 it lets a positive flow pass."
)

D = _DIODE | Model(
    description="Ideal diode." + _DIRECTION,
    equations=finite("f_d = 0 if blocking else s", "e_d = s if blocking else 0"),
)

D2 = (
    _DIODE
    | _LEAKING
    | Model(
        description="Diode with conductance Goff where it blocks, else with resistance Ron; it blocks from the effort"
        " e0 along d on." + _DIRECTION,
        e0=0.0,
        equations=finite("f_d = s*(Goff if blocking else 1) + Goff*e0", "e_d = s*(1 if blocking else Ron) + e0"),
    )
)
