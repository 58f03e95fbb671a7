"""Switches that a truth value or the voltage of a pin controls: ideal ones with one and more ways, and ones with an arc."""

from __future__ import annotations

from ...model.model import Model, Var
from ...model.when import When
from .interfaces import OnePort, Pin

_Signal = Model(control=Var(type="Boolean", input=True))
_Voltage = Model(level=0.5, control=Pin, equations=["control.i = 0"])
_CONTROLS = ((_Signal, "control", "control is true"), (_Voltage, "control.v > level", "control.v > level [V]"))
_RESISTANCES = "; resistance Ron [Ohm] if closed, conductance Goff [S] if open"

_Contact = Model(Ron=1e-5, Goff=1e-5, T=293.15)

_Switch = (
    OnePort
    | _Contact
    | Model(
        s=Var(start=0.0, description="parameter of the curve: current [A] where it conducts, voltage [V] where it does not"),
        loss_power=Var("v*i", unit="W", description="losses"),
    )
)


def _voltage(s: str, closed: str) -> str:
    return f"{s}*(Ron if {closed} else 1)"


def _current(s: str, closed: str) -> str:
    return f"{s}*(1 if {closed} else Goff)"


def _switch(control: Model, closed: str, text: str) -> Model:
    return (
        _Switch
        | control
        | Model(
            description=f"Ideal switch, {text}{_RESISTANCES}",
            equations=["v = " + _voltage("s", closed), "i = " + _current("s", closed)],
        )
    )


IdealOpeningSwitch, ControlledIdealOpeningSwitch = (
    _switch(control, f"not {condition}", f"open while {text}") for control, condition, text in _CONTROLS
)

IdealClosingSwitch, ControlledIdealClosingSwitch = (
    _switch(control, condition, f"closed while {text}") for control, condition, text in _CONTROLS
)


def _ways(text: str, control: Model, pins: tuple[str, ...], ways: dict[tuple[str, str], str]) -> Model:
    """Return a switch with several ways: from pin to pin -> the condition under which it is closed."""
    parameters = {way: f"s{k + 1}" for k, way in enumerate(ways)}
    currents: dict[str, list[str]] = {pin: [] for pin in pins}
    for (a, b), closed in ways.items():
        s = _current(parameters[a, b], closed)
        currents[a].append(s)
        currents[b].append(f"-{s}")
    return (
        _Contact
        | control
        | Model(dict.fromkeys(pins, Pin))
        | Model({s: Var(start=0.0, description=f"parameter of the way {a}-{b}") for (a, b), s in parameters.items()})
        | Model(
            description=text + _RESISTANCES,
            loss_power=Var(" + ".join(f"{pin}.i*{pin}.v" for pin in pins), unit="W", description="losses"),
            equations=[f"{a}.v - {b}.v = {_voltage(parameters[a, b], closed)}" for (a, b), closed in ways.items()]
            + [f"{pin}.i = {' + '.join(terms)}" for pin, terms in currents.items()],
        )
    )


IdealTwoWaySwitch, ControlledIdealTwoWaySwitch = (
    _ways(
        f"Ideal switch from p to n2 while {text}, else from p to n1",
        control,
        ("p", "n1", "n2"),
        {("p", "n1"): f"not {condition}", ("p", "n2"): condition},
    )
    for control, condition, text in _CONTROLS
)

IdealCommutingSwitch = IdealTwoWaySwitch | Model(
    description="IdealTwoWaySwitch under the name that it had before version 4 of the Modelica library"
)

IdealIntermediateSwitch, ControlledIdealIntermediateSwitch = (
    _ways(
        f"Ideal switch from p1 to n2 and from p2 to n1 while {text}, else from p1 to n1 and from p2 to n2",
        control,
        ("p1", "p2", "n1", "n2"),
        {
            ("p1", "n1"): f"not {condition}",
            ("p2", "n2"): f"not {condition}",
            ("p1", "n2"): condition,
            ("p2", "n1"): condition,
        },
    )
    for control, condition, text in _CONTROLS
)

_Arc = (
    OnePort
    | _Contact
    | Model(
        V0=30.0,
        dv_dt=1e4,
        V_max=60.0,
        off=Var(type="Boolean", init=True, description="whether it is open, perhaps with an arc"),
        quenched=Var(type="Boolean", init=True, description="whether there is no arc any more"),
        t_switch=Var(init=-1e60, description="when it was opened last [s]"),
        loss_power=Var("v*i", unit="W", description="losses"),
        equations=[
            When("off", ["t_switch = time"]),
            # where it is quenched, i is Goff*v: rounding errors must make no events
            "quenched = off and (pre(quenched) or (noEvent(abs(i) - abs(v)*Goff) if off and not pre(quenched) else 1) <= 0)",
            "0 = (i - Goff*v if quenched else v - noEvent(min(V_max, V0 + dv_dt*(time - t_switch)))"
            "*noEvent(1 if i > 0 else -1)) if off else v - Ron*i",
        ],
    )
)

_ARC = (
    " When it opens an arc begins with the voltage V0 [V], which rises with dv_dt [V/s] up to V_max, until the current is as"
    " small as Goff allows; Ron [Ohm], Goff [S]"
)

OpenerWithArc, ControlledOpenerWithArc = (
    _Arc | control | Model(description=f"Switch, open while {text}.{_ARC}", equations=[f"off = {condition}"])
    for control, condition, text in _CONTROLS
)

CloserWithArc, ControlledCloserWithArc = (
    _Arc | control | Model(description=f"Switch, closed while {text}.{_ARC}", equations=[f"off = not {condition}"])
    for control, condition, text in _CONTROLS
)
