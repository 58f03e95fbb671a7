"""Properties of a signal over time: extrema, mean, variance and frequencies, of Modelica.Blocks.Math."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model.errors import ModelError
from ...model.functions import Function
from ...model.model import Model, Var, is_number
from ...model.when import Assert, When
from .interfaces import SISO

Variance = SISO | Model(
    description="Variance of u from the beginning on, 0 for the first t_eps [s]",
    t_eps=1e-7,
    mu=Var(description="mean"),
    var=Var(init=0.0, description="variance"),
    t0=Var(init=0.0, description="beginning [s]"),
    equations=[
        When("initial()", ["t0 = time"]),
        "der(mu) = noEvent((u - mu)/(time - t0) if time >= t0 + t_eps else 0)",
        "der(var) = noEvent(((u - mu)**2 - var)/(time - t0) if time >= t0 + t_eps else 0)",
        "y = noEvent(max(var, 0) if time >= t0 + t_eps else 0)",
    ],
    initial_equations=["mu = u"],
)

StandardDeviation = SISO | Model(
    description="Standard deviation of u from the beginning on, 0 for the first t_eps [s]",
    t_eps=1e-7,
    variance=Variance | Model(t_eps="t_eps"),
    equations=["variance.u = u", "y = sqrt(variance.y)"],
)

ContinuousMean = SISO | Model(
    description="Mean of u from the beginning, or from start_time [s] on",
    t_eps=1e-7,
    start_time="-inf",
    m=Var(init=0.0, description="integral of u"),
    t0=Var(init=0.0, description="beginning [s]"),
    equations=[
        When("initial()", ["t0 = max(time, start_time)"]),
        "der(m) = u if time >= t0 else 0",
        "y = noEvent(m/(time - t0) if time > t0 + t_eps else u)",
    ],
)

_EXTREMA = Model(
    u=Var(input=True),
    y_min=Var(output=True, init=0.0),
    y_max=Var(output=True, init=0.0),
    t_min=Var(init=0.0, description="when the minimum was found [s]"),
    t_max=Var(init=0.0, description="when the maximum was found [s]"),
)

SignalExtrema = _EXTREMA | Model(
    description="Smallest and largest of the samples of u, taken at the beginning and then every Ts [s]",
    Ts=0.01,
    t0=Var(init=0.0, description="beginning [s]"),
    n=Var(type="Integer", init=0, description="number of samples after it"),
    equations=[
        When("initial()", ["t0 = time"]),
        When("time >= t0 + (pre(n) + 1)*Ts", ["n = pre(n) + 1"]),
        When(
            "initial()",
            ["y_min = u", "y_max = u", "t_min = time", "t_max = time"],
            elsewhen=[
                (
                    "time >= t0 + (pre(n) + 1)*Ts",
                    [
                        "y_min = min(u, pre(y_min))",
                        "y_max = max(u, pre(y_max))",
                        "t_min = time if u < pre(y_min) else pre(t_min)",
                        "t_max = time if u > pre(y_max) else pre(t_max)",
                    ],
                )
            ],
        ),
    ],
)

ContinuousSignalExtrema = _EXTREMA | Model(
    description="Smallest and largest value of u so far, looked for where its slope changes the sign, where it jumps and at the"
    " end; T [s]: time constant of the filter that tells the slope",
    T=1e-6,
    x=Var(description="u, filtered"),
    equations=[
        "T*der(x) = u - x",
        When(
            "initial()",
            ["y_min = u", "y_max = u", "t_min = time", "t_max = time"],
            elsewhen=[
                (
                    ["u <= x", "u >= x", "terminal()"],
                    [
                        "y_min = min(pre(y_min), min(u, pre(u)))",
                        "y_max = max(pre(y_max), max(u, pre(u)))",
                        "t_min = time if min(u, pre(u)) < pre(y_min) else pre(t_min)",
                        "t_max = time if max(u, pre(u)) > pre(y_max) else pre(t_max)",
                    ],
                )
            ],
        ),
    ],
    initial_equations=["x = u"],
)


def fft_sample_points(f_max: float, f_res: float, f_max_factor: int = 5) -> int:
    """Return how many samples give the resolution f_res [Hz] up to f_max*f_max_factor [Hz]: an even product of 2, 3 and 5."""
    n = 2 * math.ceil(f_max * f_max_factor / f_res)
    while True:
        rest = n
        for prime in (2, 3, 5):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return n
        n += 2


def _put(samples: Any, k: float, u: float) -> Any:
    out = samples.copy()
    if 1 <= k <= len(out):
        out[int(k) - 1] = u
    return out


_MOST_FREQUENCIES = 100_000


def RealFFT(f_max: float = 4.0, f_res: float = 0.5, f_max_factor: int = 5) -> Model:
    """Amplitudes and phases [deg] of the frequencies 0, f_res, ... up to f_max [Hz] of u, at the end of the simulation.

    As many samples as `fft_sample_points` says are taken from start_time [s] on; a simulation that ends before is refused.

    Args:
        f_max: largest frequency of interest.
        f_res: their distance; amplitudes are right where u has multiples of it only.
        f_max_factor: samples resolve frequencies up to f_max*f_max_factor.

    Raises:
        ModelError: not ``f_max > f_res > 0``, or more samples than can be transformed.
    """
    if not (is_number(f_max) and is_number(f_res) and f_max > f_res > 0):
        raise ModelError("frequencies of a transform", found=f"f_max={f_max!r}, f_res={f_res!r}", expected="f_max > f_res > 0")
    if f_max / f_res * f_max_factor > _MOST_FREQUENCIES:
        found, expected = f"f_max={f_max!r}, f_res={f_res!r}", f"f_max/f_res*f_max_factor up to {_MOST_FREQUENCIES}"
        raise ModelError("a transform is too large", found=found, expected=expected)
    ns = fft_sample_points(f_max, f_res, f_max_factor)
    nf = min(math.ceil(f_max / f_res) + 1, ns // 2)

    def spectrum(samples: Any) -> Any:
        out = np.zeros((2, nf))
        for k in range(nf):
            real, imaginary = 0.0, 0.0
            for j in range(len(samples)):
                angle = 2.0 * math.pi * ((k * j) % len(samples)) / len(samples)
                real += samples[j] * math.cos(angle)
                imaginary -= samples[j] * math.sin(angle)
            out[0, k] = math.hypot(real, imaginary) * 2.0 / len(samples)
            out[1, k] = math.degrees(math.atan2(imaginary, real))
        out[0, 0], out[1, 0] = np.mean(samples), 0.0
        for k in range(nf):
            if out[0, k] < 1e-4 * np.max(out[0]):
                out[1, k] = 0.0
        return out

    return Model(
        description=f"Spectrum of {nf} frequencies by {ns} samples",
        start_time=0.0,
        sample_period=1 / (f_res * ns),
        u=Var(input=True),
        amplitude=Var("result[0]", description="at the frequencies 0, f_res, ..."),
        phase=Var("result[1]", description="of the cosines [deg]"),
        result=Var(init=np.zeros((2, nf)).tolist()),
        samples=Var(init=[0.0] * ns),
        n=Var(type="Integer", init=0, description="number of samples so far"),
        complete=Var(type="Boolean", init=True, description="whether there are enough samples at the end"),
        put=Function(_put, shapes=["samples"]),
        spectrum=Function(spectrum, shapes=[(2, nf)]),
        equations=[
            When("sample(start_time, sample_period)", ["n = pre(n) + 1", "samples = put(pre(samples), n, u)"]),
            When("terminal()", ["result = spectrum(samples)", f"complete = n >= {ns}"]),
            Assert("complete", f"the simulation ends before all {ns} samples are taken"),
        ],
    )
