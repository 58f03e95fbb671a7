"""Blocks of Modelica.Blocks.Discrete: their output changes at the instants start_time + n*sample_period only."""

from __future__ import annotations

from ...model.model import Model, Var
from ...model.when import When
from .interfaces import SISO

_Sampled = SISO | Model(sample_period=0.1, start_time=0.0, y_start=0.0, y=Var(init="y_start", output=True))


def _sampled(description: str, *equations: str) -> Model:
    text = description + ", every sample_period [s] from start_time [s] on; y_start before"
    return _Sampled | Model(description=text, equations=[When("sample(start_time, sample_period)", list(equations))])


Sampler = _sampled("Sampled value of u", "y = u")

ZeroOrderHold = _sampled("Value of u at the last sample", "y = pre(u)")

UnitDelay = _sampled("Value of u at the sample before the last", "y = pre(u_sampled)", "u_sampled = u") | Model(
    u_sampled=Var(init="y_start", description="value of u at the last sample")
)

TriggeredSampler = SISO | Model(
    description="Value of u at the instant when trigger became true; y_start before",
    y_start=0.0,
    trigger=Var(type="Boolean", input=True),
    y=Var(init="y_start", output=True),
    equations=[When("trigger", ["y = u"])],
)
