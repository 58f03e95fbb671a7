"""Blocks of Modelica.Blocks.Sources: signals that depend on time only."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.interpolation import Extrapolation, Interpolation
from ...model.model import Map, Model, Var
from ...model.tables import Table1D
from ..periods import FOREVER, LIMITED_PERIODS, RUNNING
from .interfaces import Source

Constant = Source | Model(description="Constant k", k=1.0, equations=["y = k"])

RealExpression = Source | Model(
    description="An expression of the surrounding model: RealExpression | Map(y=Var('a + b'))", y=Var("0.0")
)

BooleanExpression = Model(
    description="A truth value of the surrounding model: BooleanExpression | Map(y=Var('a > b'))",
    y=Var("False", type="Boolean", output=True),
)

IntegerExpression = Model(
    description="An integer of the surrounding model: IntegerExpression | Map(y=Var('n + 1'))",
    y=Var("0", type="Integer", output=True),
)

_Signal = Source | Model(offset=0.0, start_time=0.0)

ContinuousClock = _Signal | Model(
    description="Time since start_time [s]", equations=["y = offset + (time - start_time if after(start_time) else 0)"]
)

Step = _Signal | Model(
    description="Step of the given height at start_time [s]",
    height=1.0,
    equations=["y = offset + (height if after(start_time) else 0)"],
)

Ramp = _Signal | Model(
    description="Ramp that rises by height within duration [s] from start_time [s] on",
    height=1.0,
    duration=2.0,
    equations=[
        "y = offset + (height if after(start_time + duration)"
        " else ((time - start_time)*height/duration if after(start_time) else 0))"
    ],
)

_Wave = _Signal | Model(amplitude=1.0, f=1.0, phase=0.0, continuous=False)
_WAVE = " from start_time [s] on, before it zero (if continuous: what it begins with); frequency f [Hz], phase [rad]"

Sine = _Wave | Model(
    description="Sine wave" + _WAVE,
    equations=[
        "y = offset + amplitude*(sin(2*pi*f*(time - start_time) + phase) if after(start_time)"
        " else (sin(phase) if continuous else 0))"
    ],
)

Cosine = _Wave | Model(
    description="Cosine wave" + _WAVE,
    equations=[
        "y = offset + amplitude*(cos(2*pi*f*(time - start_time) + phase) if after(start_time)"
        " else (cos(phase) if continuous else 0))"
    ],
)

SineVariableFrequencyAndAmplitude = Source | Model(
    description="Sine wave whose amplitude and frequency f [Hz] are inputs; phi is the angle of the wave",
    offset=0.0,
    amplitude=Var(input=True),
    f=Var(input=True, unit="Hz"),
    phi=Var(init=0.0, unit="rad"),
    equations=["der(phi) = 2*pi*f", "y = offset + amplitude*sin(phi)"],
)

ExpSine = (_Wave | Map(continuous=None)) | Model(
    description="Exponentially damped sine wave from start_time [s] on; frequency f [Hz], phase [rad], damping [1/s]",
    f=2.0,
    damping=1.0,
    equations=[
        "y = offset + (amplitude*exp(-damping*(time - start_time))*sin(2*pi*f*(time - start_time) + phase)"
        " if after(start_time) else 0)"
    ],
)

Exponentials = _Signal | Model(
    description="Rises exponentially to out_max for rise_time [s], then falls; time constants [s] of both",
    out_max=1.0,
    rise_time=0.5,
    rise_time_const=0.1,
    fall_time_const="rise_time_const",
    y_top="out_max*(1 - exp(-rise_time/rise_time_const))",
    equations=[
        "y = offset + (y_top*exp(-(time - start_time - rise_time)/fall_time_const) if after(start_time + rise_time)"
        " else (out_max*(1 - exp(-(time - start_time)/rise_time_const)) if after(start_time) else 0))"
    ],
)

_PTP = Model(
    deltaq=1.0,
    qd_max=1.0,
    qdd_max=1.0,
    start_time=0.0,
    T_a="min(qd_max/qdd_max, sqrt(abs(deltaq)/qdd_max))",
    T_v="max(abs(deltaq)/qd_max, sqrt(abs(deltaq)/qdd_max))",
    acceleration="sign(deltaq)*qdd_max",
)

_PTP_TEXT = (
    " Fastest motion over the distance deltaq with at most the speed qd_max and the acceleration qdd_max, from start_time"
    " [s] on. T_a is how long it accelerates, T_v when it begins to brake, T_a + T_v how long it takes."
)

KinematicPTP = (
    Source
    | _PTP
    | Model(
        description="Acceleration of a point-to-point motion." + _PTP_TEXT,
        equations=[
            "y = 0 if after(start_time + T_a + T_v) else (-acceleration if after(start_time + T_v)"
            " else (0 if after(start_time + T_a) else (acceleration if after(start_time) else 0)))"
        ],
    )
)

KinematicPTP2 = _PTP | Model(
    description="Point-to-point motion q (beginning at q_begin), its speed qd and acceleration qdd." + _PTP_TEXT,
    q_begin=0.0,
    q=Var(output=True),
    qd=Var(output=True),
    qdd=Var(output=True),
    moving=Var(output=True, description="1 while it moves, else 0"),
    t=Var(description="time since the beginning of the motion [s]"),
    equations=[
        "t = time - start_time",
        "qdd = 0 if after(start_time + T_a + T_v) else (-acceleration if after(start_time + T_v)"
        " else (0 if after(start_time + T_a) else (acceleration if after(start_time) else 0)))",
        "qd = 0 if after(start_time + T_a + T_v) else (acceleration*(T_a + T_v - t) if after(start_time + T_v)"
        " else (acceleration*T_a if after(start_time + T_a) else (acceleration*t if after(start_time) else 0)))",
        "q = q_begin + (deltaq if after(start_time + T_a + T_v)"
        " else (deltaq - acceleration*(T_a + T_v - t)**2/2 if after(start_time + T_v)"
        " else (acceleration*T_a*(t - T_a/2) if after(start_time + T_a)"
        " else (acceleration*t**2/2 if after(start_time) else 0))))",
        "moving = 0 if after(start_time + T_a + T_v) else (1 if after(start_time) else 0)",
    ],
)

_Periodic = _Signal | LIMITED_PERIODS | Model(amplitude=1.0)

Pulse = _Periodic | Model(
    description="Pulses of the given amplitude and of width percent of the period" + FOREVER,
    width=50.0,
    equations=[f"y = offset + (amplitude if {RUNNING} and time < T_start + period*width/100 else 0)"],
)

SawTooth = _Periodic | Model(
    description="Saw tooth of the given amplitude" + FOREVER,
    equations=[f"y = offset + (amplitude*(time - T_start)/period if {RUNNING} else 0)"],
)

Trapezoid = _Periodic | Model(
    description="Trapezoids of the given amplitude that rise for rising [s], stay for width [s] and fall for falling [s]"
    + FOREVER,
    rising=0.0,
    width=0.5,
    falling=0.0,
    equations=[
        f"y = offset + (0 if not ({RUNNING}) or time >= T_start + rising + width + falling"
        " else (amplitude*(T_start + rising + width + falling - time)/falling if time >= T_start + rising + width"
        " else (amplitude if time >= T_start + rising else amplitude*(time - T_start)/rising)))"
    ],
)

TimeTable = _Signal | Model(
    description="Linear interpolation of table over the time since shift_time [s], from start_time [s] on; the last slope"
    " goes on",
    shift_time="start_time",
    table=[[0.0, 0.0], [1.0, 1.0]],
    values=Table1D("table"),
    equations=["y = offset + (values(time - shift_time) if after(start_time) else 0)"],
)

CosineVariableFrequencyAndAmplitude = SineVariableFrequencyAndAmplitude | Model(
    description="Cosine wave whose amplitude and frequency f [Hz] are inputs; phi is the angle of the wave"
)
CosineVariableFrequencyAndAmplitude["equations"] = ["der(phi) = 2*pi*f", "y = offset + amplitude*cos(phi)"]

Sinc = _Signal | Model(
    description="Sinc wave amplitude*sin(x)/x with x = 2*pi*f*(time - start_time), from start_time [s] on, before"
    " it zero (if continuous: amplitude); frequency f [Hz]",
    amplitude=1.0,
    f=1.0,
    continuous=False,
    x=Var(description="angle of the wave [rad]"),
    equations=[
        "x = 2*pi*f*(time - start_time)",
        "y = offset + amplitude*(noEvent(sin(x)/x if abs(x) > 1e-8 else 1) if after(start_time) else (1 if continuous else 0))",
    ],
)

LogFrequencySweep = Source | Model(
    description="Frequency [Hz] that rises from w_min to w_max within duration [s] from start_time [s] on;"
    " its logarithm rises linearly",
    w_min=1.0,
    w_max=1000.0,
    start_time=0.0,
    duration=1.0,
    equations=[
        "y = w_max if after(start_time + duration)"
        " else (w_min*(w_max/w_min)**((time - start_time)/duration) if after(start_time) else w_min)"
    ],
)


def CombiTimeTable(
    table: Sequence[Sequence[float]], *, interpolation: Interpolation = "linear", extrapolation: Extrapolation = "linear"
) -> Model:
    """Outputs y1, y2, ... that are interpolated over the time since shift_time [s], the first column of table.

    Parameters: offset, the value before start_time [s]; shift_time, by default start_time.

    Args:
        table: abscissas [s] in ascending order (twice where the outputs jump), then a column for each output.
        interpolation, extrapolation: see `Table1D`.
    """
    outputs = [f"y{k + 1}" for k in range(len(table[0]) - 1 if len(table) else 0)]
    values = [f"v{k + 1}" for k in range(len(outputs))]
    left = values[0] if len(values) == 1 else f"({', '.join(values)})"
    return Model({y: Var(output=True) for y in outputs} | {v: Var() for v in values}) | Model(
        description=f"{len(outputs)} tables of the time",
        table=[list(row) for row in table],
        offset=0.0,
        start_time=0.0,
        shift_time="start_time",
        values=Table1D("table", interpolation=interpolation, extrapolation=extrapolation),
        equations=[f"{left} = values(time - shift_time)"]
        + [f"{y} = offset + ({v} if after(start_time) else 0)" for y, v in zip(outputs, values, strict=True)],
    )
