"""Switches that are controlled by a voltage, with and without an electric arc, and commuting switches."""

from __future__ import annotations

from ...model.model import Model, Var
from ...model.when import When
from .ideal import IdealClosingSwitch, IdealOpeningSwitch
from .interfaces import OnePort, Pin

_Controlled = Model(
    level=0.5,
    control=Pin,
    equations=["control.i = 0"],
)

_Arc = OnePort | Model(
    Ron=1e-5,
    Goff=1e-5,
    V0=30.0,
    dv_dt=1e4,
    V_max=60.0,
    off=Var(type="Boolean", init=True, description="whether it is open, perhaps with an arc"),
    quenched=Var(type="Boolean", init=True, description="whether there is no arc any more"),
    t_switch=Var(init=-1e60, description="when it was opened last [s]"),
    equations=[
        When("off", ["t_switch = time"]),
        # where it is quenched, i is Goff*v: rounding errors must make no events
        "quenched = off and (pre(quenched) or (noEvent(abs(i) - abs(v)*Goff) if off and not pre(quenched) else 1) <= 0)",
        "0 = (i - Goff*v if quenched else v - noEvent(min(V_max, V0 + dv_dt*(time - t_switch)))*noEvent(1 if i > 0 else -1))"
        " if off else v - Ron*i",
    ],
)

_ARC = (
    " When it opens an arc begins with the voltage V0 [V], which rises with dv_dt [V/s] up to V_max, until the current is as"
    " small as"
    " Goff allows; Ron [Ohm], Goff [S]"
)

OpenerWithArc = _Arc | Model(
    description="Switch, open while control is true." + _ARC,
    control=Var(type="Boolean", input=True),
    equations=["off = control"],
)

CloserWithArc = _Arc | Model(
    description="Switch, closed while control is true." + _ARC,
    control=Var(type="Boolean", input=True),
    equations=["off = not control"],
)

ControlledOpenerWithArc = (
    _Arc
    | _Controlled
    | Model(description="Switch, open while control.v > level [V]." + _ARC, equations=["off = control.v > level"])
)

ControlledCloserWithArc = (
    _Arc
    | _Controlled
    | Model(description="Switch, closed while control.v > level [V]." + _ARC, equations=["off = not control.v > level"])
)

_CONTROLLED_TEXT = "Ideal switch, {} while control.v > level [V]; resistance Ron [Ohm] if closed, conductance Goff [S] if open"

_Curve = OnePort | Model(
    Ron=1e-5,
    Goff=1e-5,
    s=Var(start=0.0, description="parameter of the curve: current [A] where it conducts, voltage [V] where it does not"),
)

ControlledIdealOpeningSwitch = (
    _Curve
    | _Controlled
    | Model(
        description=_CONTROLLED_TEXT.format("open"),
        equations=["v = s*(1 if control.v > level else Ron)", "i = s*(Goff if control.v > level else 1)"],
    )
)

ControlledIdealClosingSwitch = (
    _Curve
    | _Controlled
    | Model(
        description=_CONTROLLED_TEXT.format("closed"),
        equations=["v = s*(Ron if control.v > level else 1)", "i = s*(1 if control.v > level else Goff)"],
    )
)

IdealCommutingSwitch = Model(
    description="Switch from p to n2 while control is true, else from p to n1; Ron [Ohm], Goff [S]",
    control=Var(type="Boolean", input=True),
    p=Pin,
    n1=Pin,
    n2=Pin,
    path1=IdealOpeningSwitch,
    path2=IdealClosingSwitch,
    equations=["path1.control = control", "path2.control = control"],
    connect=[("p", "path1.p", "path2.p"), ("n1", "path1.n"), ("n2", "path2.n")],
)
