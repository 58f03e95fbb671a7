"""Truth values that depend on time: sources and delays of Modelica.Blocks.Sources, Logical and MathBoolean."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.errors import ModelError
from ...model.interpolation import Extrapolation
from ...model.model import Model, Var
from ...model.when import When
from ..periods import PERIODS
from .interfaces import check_ascending, steps
from .logical import BooleanSISO, BooleanSource

BooleanPulse = (
    BooleanSource
    | PERIODS
    | Model(
        description="True for width percent of each period [s], from start_time [s] on",
        width=50.0,
        equations=["y = after(start_time) and time < T_start + period*width/100"],
    )
)

SampleTrigger = BooleanSource | Model(
    description="True at the instants start_time + n*period [s] only",
    period=0.01,
    start_time=0.0,
    equations=["y = sample(start_time, period)"],
)


def BooleanTable(table: Sequence[float], start_value: bool = False, *, extrapolation: Extrapolation = "hold") -> Model:
    """Truth value that begins with start_value and changes at each instant in table [s], in ascending order.

    Parameters: false before start_time [s], by default at any time; shift_time [s] is added to the table.

    Args:
        table: the instants.
        start_value: its value before the first of them.
        extrapolation: "hold", or "periodic" where it goes on as between the first and the last instant.
    """
    check_ascending(table)
    first = table[0] if len(table) else 0.0
    rows = [(first, start_value), *((time, (k + bool(start_value) + 1) % 2) for k, time in enumerate(table))]
    return (
        BooleanSource
        | steps(rows, extrapolation)
        | Model(description="Truth value that changes at given instants", equations=["y = value == 1 and after(start_time)"])
    )


def RadioButtonSource(button_time_table: Sequence[float] = (0.0, 1.0), n_reset: int = 1) -> Model:
    """A button that is pressed at given instants, and released where one of the inputs reset1, reset2, ... becomes true.

    Args:
        button_time_table: the instants [s], in ascending order.
        n_reset: how many other buttons release it; the output ``on`` of each is connected with one of the inputs.
    """
    resets = [f"reset{k + 1}" for k in range(n_reset)]
    return Model({name: Var(type="Boolean", input=True, init=False) for name in resets}) | Model(
        description=f"Button that {n_reset} others release",
        on=Var(type="Boolean", init=False, output=True),
        table=BooleanTable(button_time_table),
        pressed=Var("table.y", type="Boolean"),
        **{f"was_{name}": Var(f"pre({name})", type="Boolean") for name in resets},
        equations=[
            When("change(pressed)", ["on = True"], elsewhen=[([f"was_{name}" for name in resets], ["on = False"])]),
        ],
    )


RisingEdge = BooleanSISO | Model(
    description="True at the instant when u becomes true; u was pre_u_start before the beginning",
    pre_u_start=False,
    u=Var(type="Boolean", input=True, init="pre_u_start"),
    equations=["y = u and not pre(u)"],
)

FallingEdge = BooleanSISO | Model(
    description="True at the instant when u becomes false; u was pre_u_start before the beginning",
    pre_u_start=False,
    u=Var(type="Boolean", input=True, init="pre_u_start"),
    equations=["y = not u and pre(u)"],
)

Change = BooleanSISO | Model(
    description="True at the instant when u changes; u was pre_u_start before the beginning",
    pre_u_start=False,
    u=Var(type="Boolean", input=True, init="pre_u_start"),
    equations=["y = change(u)"],
)

ChangingEdge = Change

ZeroCrossing = Model(
    description="True at the instant when u crosses zero, while enable is true",
    u=Var(input=True),
    enable=Var(type="Boolean", input=True, init=False),
    y=Var(type="Boolean", output=True),
    upwards=Var(type="Boolean", init=False, description="whether u is not below zero, where that counts"),
    equations=["upwards = enable and u >= 0", "y = change(upwards) and not change(enable)"],
)

LogicalDelay = Model(
    description="y1 becomes false delay_time [s] after u, y2 becomes true delay_time after u; otherwise they follow at once",
    delay_time=0.0,
    u=Var(type="Boolean", input=True),
    y1=Var(type="Boolean", output=True),
    y2=Var(type="Boolean", output=True),
    t_switch=Var(init=0.0, description="when u changed [s]"),
    equations=[
        When("initial()", ["t_switch = time - 2*delay_time"], elsewhen=[(["u", "not u"], ["t_switch = time"])]),
        "y1 = u or not time >= t_switch + delay_time",
        "y2 = u and time >= t_switch + delay_time",
    ],
)


def TerminateSimulation(termination_text: str = "... End condition reached") -> Model:
    """Ends the simulation when the input condition becomes true; termination_text is then ``result.terminated``."""
    if "'" in termination_text:
        raise ModelError("text of an end", found=repr(termination_text), expected="text without single quotation marks")
    return Model(
        description="Ends the simulation when its condition becomes true",
        condition=Var(type="Boolean", input=True),
        equations=[When("condition", [f"terminate('{termination_text}')"])],
    )


OnDelay = BooleanSISO | Model(
    description="Becomes true delay_time [s] after u, if u stays true so long, and false with u; not delayed where u is true"
    " from the beginning on",
    delay_time=1.0,
    t_next=Var(init=0.0, description="when it becomes true [s]"),
    equations=[
        When("initial()", ["t_next = time"], elsewhen=[("u", ["t_next = time + delay_time"])]),
        "y = u and time >= t_next",
    ],
)

TriggeredTrapezoid = Model(
    description="Rises by amplitude within rising [s] when u becomes true, falls within falling [s] when u becomes false",
    amplitude=1.0,
    rising=0.0,
    falling="rising",
    offset=0.0,
    u=Var(type="Boolean", input=True),
    y=Var(output=True),
    end_value=Var(init="offset", description="where it goes to"),
    rate=Var(init=0.0, description="how fast [1/s]"),
    T=Var(init=0.0, description="when it arrives [s]"),
    equations=[
        "y = end_value - (rate*(T - time) if time < T else 0)",
        When(
            ["initial()", "u", "not u"],
            [
                "end_value = offset + amplitude if u else offset",
                "rate = (amplitude/rising if rising > 0 else 0) if u else (-amplitude/falling if falling > 0 else 0)",
                "T = time + ((end_value - pre(y))/rate if rate != 0 and not initial() else 0)",
            ],
        ),
    ],
)
