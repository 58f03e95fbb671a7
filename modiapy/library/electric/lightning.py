"""Lightning impulses, defined by the time of their rise and that to the half of their peak.

Sources: IEC 60060-1 (double exponential function), IEC 62305-1 (function of F. Heidler).
"""

from __future__ import annotations

from collections.abc import Callable

from ...model.control import If
from ...model.model import Model, Par, Var
from ...model.when import Assert
from ..blocks.interfaces import Source
from .interfaces import OnePort


def _heidler(t: str) -> str:
    """Return the impulse before it is scaled to its amplitude, t seconds after it begins."""
    return f"(({t})/tau1)**m/(1 + (({t})/tau1)**m)*exp(-({t})/tau2)"


def _double_exponential(t: str) -> str:
    return f"(exp(-({t})/tau1) - exp(-({t})/tau2))"


def _definition(shape: Callable[[str], str], peak: str) -> list[str]:
    """Return the equations of the peak eta at t_peak, the instant t_10 of its tenth part and both time constants.

    A line through 10 % and 90 % of the peak rises from zero to one in T1; the half of the peak comes T2 after it was zero.
    """
    return [
        peak,
        f"eta = {shape('t_peak')}",
        f"eta = 10*{shape('t_10')}",
        f"0.9*eta = {shape('t_10 + 0.8*T1')}",
        f"0.5*eta = {shape('t_10 - 0.1*T1 + T2')}",
    ]


_DOUBLE = "approximation == 'DoubleExp'"

LightningImpulse = Source | Model(
    description="Lightning impulse with the peak amplitude from start_time [s] on, that rises in T1 [s] (from 10 % to 90 % in"
    " 0.8*T1) and falls to the half of its peak in T2 [s]. approximation: Heidler's function with the exponent m (5 to 10),"
    " or DoubleExp, the difference of two exponential functions, for T1 < T2/5",
    approximation=Par("Heidler", choices=("DoubleExp", "Heidler")),
    amplitude=1.0,
    T1=10e-6,
    T2=350e-6,
    m=Par(5, min=2),
    offset=0.0,
    start_time=0.0,
    t_start=f"T2*T1/(T2 - T1)*log(T2/T1) if {_DOUBLE} else T1*(m*T2/T1)**(1/(m + 1))",
    eta=Var(start=1.0, description="peak of the impulse before it is scaled to its amplitude"),
    t_peak=Var(start="t_start", nominal="T1", unit="s", description="when its peak comes after its begin"),
    t_10=Var(start=f"(0.01 if {_DOUBLE} else 0.1)*t_start", nominal="T1", unit="s", description="when it is 10 % of its peak"),
    tau1=Var(start=f"T2 if {_DOUBLE} else T1", nominal="T1", unit="s", description="first time constant"),
    tau2=Var(start=f"T1 if {_DOUBLE} else T2", nominal="T1", unit="s", description="second time constant"),
    equations=[
        If(
            _DOUBLE,
            [
                Assert("T1 < 0.2*T2", "the rise of a double exponential impulse takes less than a fifth of T2"),
                *_definition(_double_exponential, "exp(-t_peak/tau1)/tau1 = exp(-t_peak/tau2)/tau2"),
                f"y = offset + (amplitude/eta*{_double_exponential('time - start_time')} if after(start_time) else 0)",
            ],
            otherwise=[
                *_definition(_heidler, "tau2*m = t_peak*(1 + (t_peak/tau1)**m)"),
                f"y = offset + (amplitude/eta*{_heidler('time - start_time')} if after(start_time) else 0)",
            ],
        ),
    ],
)

_TEXT = (
    "Lightning impulse with the peak {} from start_time [s] on, that rises in T1 [s] and falls to the half of its peak in T2"
    " [s]; approximation and exponent m are those of LightningImpulse"
)
# no signal_source: the word of approximation could not be handed on to it
LightningImpulseVoltage = (
    OnePort
    | LightningImpulse
    | Model(description=_TEXT.format("V [V]"), V=1.0, amplitude="V", y=Var(output=False), equations=["v = y"])
)

LightningImpulseCurrent = (
    OnePort
    | LightningImpulse
    | Model(description=_TEXT.format("I [A]"), I=1.0, amplitude="I", y=Var(output=False), equations=["i = y"])
)
