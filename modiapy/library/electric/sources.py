"""Sources of voltage and current. A voltage v is that from p to n, a current i flows from p to n inside of the source."""

from __future__ import annotations

from ...model.model import Map, Model
from ...model.tables import Table1D
from ..periods import FOREVER, LIMITED_PERIODS, RUNNING
from .interfaces import OnePort

ConstantVoltage = OnePort | Model(description="Source of the constant voltage V [V]", V=1.0, equations=["v = V"])

ConstantCurrent = OnePort | Model(description="Source of the constant current I [A]", I=1.0, equations=["i = I"])

SignalVoltage = OnePort | Map(v=Map(input=True)) | Model(description="Source whose voltage v [V] is an input")

SignalCurrent = OnePort | Map(i=Map(input=True)) | Model(description="Source whose current i [A] is an input")


def _sources(what: str, value: str, parameters: Model) -> tuple[Model, Model]:
    """The sources of voltage and of current of a signal; ``A`` stands for the amplitude in the text of the signal."""
    base = OnePort | Model(offset=0.0, start_time=0.0) | parameters
    voltage, current = (
        base
        | Model({name: 1.0})
        | Model(
            description=what.format(f"{name} [{unit}]"), equations=[f"{name.lower()} = offset + ({value.replace('A', name)})"]
        )
        for name, unit in (("V", "V"), ("I", "A"))
    )
    return voltage, current


StepVoltage, StepCurrent = _sources("Step of the height {} at start_time [s]", "A if after(start_time) else 0", Model())

RampVoltage, RampCurrent = _sources(
    "Ramp of the height {} within duration [s] from start_time [s] on",
    "A if after(start_time + duration) else ((time - start_time)*A/duration if after(start_time) else 0)",
    Model(duration=1.0),
)

SineVoltage, SineCurrent = _sources(
    "Sine wave with the amplitude {} from start_time [s] on; frequency f [Hz], phase [rad]",
    "A*sin(2*pi*f*(time - start_time) + phase) if after(start_time) else 0",
    Model(f=1.0, phase=0.0),
)

CosineVoltage, CosineCurrent = _sources(
    "Cosine wave with the amplitude {} from start_time [s] on; frequency f [Hz], phase [rad]",
    "A*cos(2*pi*f*(time - start_time) + phase) if after(start_time) else 0",
    Model(f=1.0, phase=0.0),
)

ExpSineVoltage, ExpSineCurrent = _sources(
    "Damped sine wave with the amplitude {} from start_time [s] on; frequency f [Hz], phase [rad], damping [1/s]",
    "A*exp(-damping*(time - start_time))*sin(2*pi*f*(time - start_time) + phase) if after(start_time) else 0",
    Model(f=1.0, phase=0.0, damping=1.0),
)

PulseVoltage, PulseCurrent = _sources(
    "Pulses of the height {} and of width percent of the period" + FOREVER,
    f"A if {RUNNING} and time < T_start + period*width/100 else 0",
    LIMITED_PERIODS | Model(width=50.0),
)

SawToothVoltage, SawToothCurrent = _sources(
    "Saw tooth of the height {}" + FOREVER, f"A*(time - T_start)/period if {RUNNING} else 0", LIMITED_PERIODS
)

TableVoltage, TableCurrent = (
    OnePort
    | Model(
        description=f"Linear interpolation of table ({what}) over the time [s] from start_time [s] on",
        table=[[0.0, 0.0], [1.0, 1.0]],
        offset=0.0,
        start_time=0.0,
        values=Table1D("table"),
        equations=[f"{name} = offset + (values(time - start_time) if after(start_time) else 0)"],
    )
    for name, what in (("v", "voltage [V]"), ("i", "current [A]"))
)
