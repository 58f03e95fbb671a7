"""Blocks of Modelica.Blocks.Noise: a new random number at each sample."""

from __future__ import annotations

from ...model.functions import Function
from ...model.model import Model, Var
from ...model.when import When
from .interfaces import Source
from .random_numbers import Xorshift128plus, normal_cumulative, normal_quantile

_TEXT = (
    ", every sample_period [s] from start_time [s] on; y_off before, and where enable_noise is False. The numbers are those of"
    " the Modelica library for the same seeds; blocks with the same local_seed give the same numbers. For another generator:"
    " UniformNoise | Xorshift1024star"
)


def _noise(description: str, quantile: object, call: str, **parameters: float | str) -> Model:
    return (
        Source
        | Xorshift128plus
        | Model(
            description=description + _TEXT,
            sample_period=0.01,
            enable_noise=True,
            y_off=0.0,
            local_seed=1,
            global_seed=67867967,
            start_time=0.0,
            **parameters,
            quantile=Function(quantile),
            shown=Var(type="Integer", init="zeros(size)", description="state that the present number belongs to"),
            r_raw=Var(init=0.0, description="number in (0, 1]"),
            r=Var(init=0.0, description="number of the distribution"),
            equations=[
                When(
                    "initial()",
                    ["state = seeded(pre(state), local_seed, global_seed)", "shown = advance(state)"],
                    elsewhen=[("sample(start_time, sample_period)", ["state = advance(pre(state))", "shown = state"])],
                ),
                When(["initial()", "sample(start_time, sample_period)"], ["r_raw = number(shown)", f"r = quantile({call})"]),
                "y = r if enable_noise and after(start_time) else y_off",
            ],
        )
    )


def _uniform_quantile(u: float, y_min: float, y_max: float) -> float:
    return u * (y_max - y_min) + y_min


UniformNoise = _noise(
    "Random numbers, uniformly distributed between y_min and y_max",
    _uniform_quantile,
    "r_raw, y_min, y_max",
    y_min=0.0,
    y_max=1.0,
)

NormalNoise = _noise(
    "Random numbers of a normal distribution with the mean mu and the standard deviation sigma",
    normal_quantile,
    "r_raw, mu, sigma",
    mu=0.0,
    sigma=1.0,
)

TruncatedNormalNoise = _noise(
    "Random numbers of a normal distribution with the mean mu and the standard deviation sigma, but between y_min and y_max",
    normal_quantile,
    "below + r_raw*(cumulative(y_max, mu, sigma) - below), mu, sigma",
    y_min=0.0,
    y_max=1.0,
    mu="(y_max + y_min)/2",
    sigma="(y_max - y_min)/6",
) | Model(
    cumulative=Function(normal_cumulative),
    below=Var("cumulative(y_min, mu, sigma)", description="probability of what is left out below"),
)
TruncatedNormalNoise["equations"][-1] = "y = min(max(r, y_min), y_max) if enable_noise and after(start_time) else y_off"

BandLimitedWhiteNoise = _noise(
    "White noise of the given noise_power up to the frequency of the samples, normally distributed",
    normal_quantile,
    "r_raw, 0, sqrt(noise_power/sample_period)",
    noise_power=1.0,
)
