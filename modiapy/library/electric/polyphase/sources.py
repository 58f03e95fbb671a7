"""Sources of symmetric voltages and currents; their phases lag behind the first one."""

from __future__ import annotations

from .. import sources
from .interfaces import per_phase
from .phases import orientations

ConstantVoltage = per_phase(sources.ConstantVoltage, "constant_voltage", "Sources of the constant voltage V [V]")
ConstantCurrent = per_phase(sources.ConstantCurrent, "constant_current", "Sources of the constant current I [A]")
SignalVoltage = per_phase(sources.SignalVoltage, "signal_voltage", "Sources whose voltages v1, v2, ... [V] are inputs")
SignalCurrent = per_phase(sources.SignalCurrent, "signal_current", "Sources whose currents i1, i2, ... [A] are inputs")

_WAVE = " wave with the amplitude {} from start_time [s] on; frequency f [Hz], phase [rad] of the first phase"
_SINE, _COSINE = f"Sine{_WAVE}", f"Cosine{_WAVE}"

SineVoltage = per_phase(sources.SineVoltage, "sine_voltage", _SINE.format("V [V]"), orientations)
SineCurrent = per_phase(sources.SineCurrent, "sine_current", _SINE.format("I [A]"), orientations)
CosineVoltage = per_phase(sources.CosineVoltage, "cosine_voltage", _COSINE.format("V [V]"), orientations)
CosineCurrent = per_phase(sources.CosineCurrent, "cosine_current", _COSINE.format("I [A]"), orientations)
