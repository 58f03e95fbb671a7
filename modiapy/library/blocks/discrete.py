"""Blocks of Modelica.Blocks.Discrete: their output changes at the instants start_time + n*sample_period only."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.errors import ModelError
from ...model.model import Model, Var
from ...model.when import When
from .interfaces import SISO

_Sampled = SISO | Model(sample_period=0.1, start_time=0.0, y_start=0.0, y=Var(init="y_start", output=True))


def _sampled(description: str, *equations: str) -> Model:
    text = description + ", every sample_period [s] from start_time [s] on; y_start before"
    return _Sampled | Model(description=text, equations=[When("sample(start_time, sample_period)", list(equations))])


Sampler = _Sampled | Model(
    description="Sampled value of u, at the beginning and every sample_period [s] from start_time [s] on; y_start before",
    equations=[When(["initial()", "sample(start_time, sample_period)"], ["y = u if after(start_time) else pre(y)"])],
)

ZeroOrderHold = Sampler | Model(
    description="Value of u at the last sample, every sample_period [s] from start_time [s] on; y_start before. It changes"
    " after the event of the sample, so that a loop of such blocks is none.",
    y=Var(init=None),
    y_sample=Var(init="y_start", description="last sample"),
)
ZeroOrderHold["equations"] = [
    When(["initial()", "sample(start_time, sample_period)"], ["y_sample = u if after(start_time) else pre(y_sample)"]),
    "y = pre(y_sample)",
]

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

FirstOrderHold = _sampled(
    "Extrapolation of u with its slope over the last period",
    "slope = (u - pre(held))/sample_period if pre(count) > 0 else 0",
    "held = u",
    "begin = time",
    "count = pre(count) + 1",
) | Model(
    y=Var(init=None),
    slope=Var(init=0.0, description="slope between the last two samples"),
    held=Var(init="y_start", description="last sample"),
    begin=Var(init="start_time", description="when it was taken [s]"),
    count=Var(type="Integer", init=0, description="number of samples"),
    equations=["y = held + slope*(time - begin)"],
)


def DiscreteTransferFunction(b: Sequence[float], a: Sequence[float]) -> Model:
    """A block with the discrete transfer function ``(b[0]*z**m + ... + b[m])/(a[0]*z**n + ... + a[n])``.

    It is sampled every sample_period [s] from start_time [s] on; its states x1, ..., xn begin with 0.

    Args:
        b, a: coefficients of numerator and denominator, those of the highest power of z first.

    Raises:
        ModelError: the first coefficient of the denominator is zero, or the numerator has a higher power of z.
    """
    n = len(a) - 1
    if n < 0 or a[0] == 0 or len(b) > len(a):
        raise ModelError(
            "this is no discrete transfer function",
            found=f"b = {list(b)}, a = {list(a)}",
            expected="a denominator that begins with a coefficient other than 0, and no higher power in the numerator",
        )
    numerator = [0.0] * (len(a) - len(b)) + [float(c) for c in b]
    past = [f"pre(x{k + 1})" for k in range(n)]
    new = " - ".join(["u", *(f"({float(c)!r})*{x}" for c, x in zip(a[1:], past, strict=True))])
    y = " + ".join(f"({c!r})*{x}" for c, x in zip(numerator, ["x1" if n else f"u/({float(a[0])!r})", *past], strict=True))
    shifts = [f"x{k + 2} = {x}" for k, x in enumerate(past[:-1])]
    return _sampled(
        "Discrete transfer function", *([f"x1 = ({new})/({float(a[0])!r})", *shifts] if n else []), f"y = {y}"
    ) | Model({f"x{k + 1}": Var(init=0.0) for k in range(n)})


def MovingAverage(n: int = 2) -> Model:
    """Mean of the last n samples, every sample_period [s] from start_time [s] on; the samples before the first are 0.

    Raises:
        ModelError: n is below 1.
    """
    if n < 1:
        raise ModelError("a mean needs samples", found=f"n={n!r}", expected="1 or more")
    return DiscreteTransferFunction([1.0 / n] * n, [1.0] + [0.0] * (n - 1)) | Model(description=f"Mean of {n} samples")


TriggeredMax = SISO | Model(
    description="Largest value of |u| at the instants when trigger became true; y_start before",
    y_start=0.0,
    trigger=Var(type="Boolean", input=True),
    y=Var(init="y_start", output=True),
    equations=[When("trigger", ["y = max(pre(y), abs(u))"])],
)
