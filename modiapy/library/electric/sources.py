"""Sources of voltage and current. A voltage v is that from p to n, a current i flows from p to n inside of the source.

A source that depends on time has the block of `modiapy.library.blocks` of that name as its `signal_source`.
"""

from __future__ import annotations

from typing import Any

from ...model.model import Map, Model, Var
from ..blocks import sources as signals
from ..periods import FOREVER
from .interfaces import OnePort

ConstantVoltage = OnePort | Model(description="Source of the constant voltage V [V]", V=1.0, equations=["v = V"])

ConstantCurrent = OnePort | Model(description="Source of the constant current I [A]", I=1.0, equations=["i = I"])

SignalVoltage = OnePort | Map(v=Map(input=True)) | Model(description="Source whose voltage v [V] is an input")

SignalCurrent = OnePort | Map(i=Map(input=True)) | Model(description="Source whose current i [A] is an input")


def driven(quantity: str, unit: str, what: str, signal: Model, renamed: dict[str, str], **parameters: Any) -> Model:
    """Return a source whose voltage or current is the output of a block.

    Args:
        quantity: "v" or "i".
        unit: of that.
        what: description; "{}" stands for the name and unit of the first renamed parameter.
        signal: the block, with the output y.
        renamed: parameters and inputs of the block -> their names in the source.
        parameters: further parameters and inputs of the source that the block has under the same name.
    """
    entries: dict[str, Any] = {}
    names = renamed | {name: name for name in parameters}
    inputs = [name for name in names if isinstance(signal.get(name), Var)]
    for name, own in names.items():
        entries[own] = parameters[name] if name in parameters else signal[name]
        if name in inputs and name not in parameters:
            entries[own] = entries[own] | Var(unit=unit)
    first = next(iter(renamed.values()), "")
    return OnePort | Model(
        description=what.format(f"{first} [{unit}]"),
        **entries,
        signal_source=signal | Map({name: own for name, own in names.items() if name not in inputs}),
        equations=[f"{quantity} = signal_source.y"] + [f"signal_source.{name} = {names[name]}" for name in inputs],
    )


def both(what: str, signal: Model, amplitude: str = "", own: str = "", **parameters: Any) -> tuple[Model, Model]:
    """Return the sources of voltage and of current of a signal.

    Args:
        what, signal: see `driven`.
        amplitude: parameter or input of the block that is called V and I, or as ``own`` says, here.
        own: name instead of V and I, "{}" stands for v and i.
        parameters: further parameters of the sources, with their values.
    """
    names = (own.format("v"), own.format("i")) if own else ("V", "I")
    voltage, current = (
        driven(quantity, unit, what, signal, {amplitude: name} if amplitude else {}, offset=0.0, **parameters)
        for quantity, unit, name in (("v", "V", names[0]), ("i", "A", names[1]))
    )
    return voltage, current


StepVoltage, StepCurrent = both("Step of the height {} at start_time [s]", signals.Step, "height", start_time=0.0)

RampVoltage, RampCurrent = both(
    "Ramp of the height {} within duration [s] from start_time [s] on", signals.Ramp, "height", start_time=0.0, duration=2.0
)

SineVoltage, SineCurrent = both(
    "Sine wave with the amplitude {} from start_time [s] on; frequency f [Hz], phase [rad]",
    signals.Sine,
    "amplitude",
    start_time=0.0,
    f=1.0,
    phase=0.0,
)

CosineVoltage, CosineCurrent = both(
    "Cosine wave with the amplitude {} from start_time [s] on; frequency f [Hz], phase [rad]",
    signals.Cosine,
    "amplitude",
    start_time=0.0,
    f=1.0,
    phase=0.0,
)

_FREQUENCY = Var(input=True, unit="Hz")

SineVoltageVariableFrequencyAndAmplitude, SineCurrentVariableFrequencyAndAmplitude = both(
    "Sine wave whose amplitude {} and frequency f [Hz] are inputs (Map(f=50.0) makes one constant)",
    signals.SineVariableFrequencyAndAmplitude,
    "amplitude",
    f=_FREQUENCY,
)

CosineVoltageVariableFrequencyAndAmplitude, CosineCurrentVariableFrequencyAndAmplitude = both(
    "Cosine wave whose amplitude {} and frequency f [Hz] are inputs (Map(f=50.0) makes one constant)",
    signals.CosineVariableFrequencyAndAmplitude,
    "amplitude",
    f=_FREQUENCY,
)

ExpSineVoltage, ExpSineCurrent = both(
    "Damped sine wave with the amplitude {} from start_time [s] on; frequency f [Hz], phase [rad], damping [1/s]",
    signals.ExpSine,
    "amplitude",
    start_time=0.0,
    f=2.0,
    phase=0.0,
    damping=1.0,
)

ExponentialsVoltage, ExponentialsCurrent = both(
    "Rises exponentially to {} for rise_time [s] from start_time [s] on, then falls; time constants [s] of both",
    signals.Exponentials,
    "out_max",
    "{}_max",
    start_time=0.0,
    rise_time=0.5,
    rise_time_const=0.1,
    fall_time_const="rise_time_const",
)

_PERIOD: dict[str, Any] = {"start_time": 0.0, "period": 1.0, "nperiod": -1}

PulseVoltage, PulseCurrent = both(
    "Pulses of the height {} and of width percent of the period" + FOREVER, signals.Pulse, "amplitude", **_PERIOD, width=50.0
)

SawToothVoltage, SawToothCurrent = both("Saw tooth of the height {}" + FOREVER, signals.SawTooth, "amplitude", **_PERIOD)

TrapezoidVoltage, TrapezoidCurrent = both(
    "Trapezoids of the height {} that rise for rising [s], stay for width [s] and fall for falling [s]" + FOREVER,
    signals.Trapezoid,
    "amplitude",
    **_PERIOD,
    rising=0.0,
    width=0.5,
    falling=0.0,
)

TableVoltage, TableCurrent = both(
    "Linear interpolation of table (voltage [V] or current [A]) over the time [s] from start_time [s] on",
    signals.TimeTable,
    start_time=0.0,
    table=[[0.0, 0.0], [1.0, 1.0], [2.0, 4.0]],
)
