"""Factors and their values over the runs."""

import math

import numpy as np
import pytest

from modia3d.batch import Factor, Sampling
from modia3d.batch.design import METHODS, Design
from modiapy import ModelError

pytestmark = pytest.mark.white_box


def column(factor: Factor, method: str, samples: int = 1024) -> np.ndarray:
    design = Design(1, {"f": factor}, Sampling(method, samples, seed=5))
    return np.array([design.values(run)["f"] for run in range(design.runs)])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("factor", "mean", "deviation"),
    [
        (Factor("uniform", [2.0, 4.0]), 3.0, 2 / math.sqrt(12)),
        (Factor("normal", [10.0, 3.0]), 10.0, 3.0),
        (Factor("lognormal", [2.0, 0.5]), 2.0 * math.exp(0.125), 2.0 * math.exp(0.125) * math.sqrt(math.exp(0.25) - 1)),
        (Factor("truncated_normal", [0.0, 1.0, -1e3, 1e3]), 0.0, 1.0),
        (Factor("triangular", [0.0, 1.0, 2.0]), 1.0, 1 / math.sqrt(6)),
        (Factor("loguniform", [1.0, math.e]), math.e - 1, math.sqrt((math.e**2 - 1) / 2 - (math.e - 1) ** 2)),
        (Factor("integers", [1, 3]), 2.0, math.sqrt(2 / 3)),
        (Factor("choice", [1.0, 5.0]), 3.0, 2.0),
        (Factor("distribution", "weibull_min", more={"c": 1.0, "scale": 2.0}), 2.0, 2.0),
    ],
    ids=lambda value: value.kind if isinstance(value, Factor) else "",
)
def test_samples_have_the_moments_of_their_distribution(method: str, factor: Factor, mean: float, deviation: float) -> None:
    values = column(factor, method)
    error = 5 * deviation / math.sqrt(values.size)  # five standard errors of independent samples
    assert values.mean() == pytest.approx(mean, abs=error)
    assert values.std() == pytest.approx(deviation, rel=0.2)


@pytest.mark.parametrize("method", ["latin_hypercube", "sobol"])
def test_quasi_random_samples_fill_every_interval(method: str) -> None:
    assert sorted(np.floor(64 * column(Factor("uniform", [0, 1]), method, 64))) == list(range(64))


def test_every_combination_is_a_run() -> None:
    factors = {"a": Factor("grid", [0, 1, 3]), "b": Factor("normal", [0, 1]), "c": Factor("list", ["x", "y"])}
    design = Design(2, factors, Sampling("random", 4, seed=1))
    assert design.runs == 48
    seen = [(design.model(run), design.values(run)["a"], design.values(run)["c"]) for run in range(48)]
    assert seen[:9] == [(0, 0.0, "x")] * 4 + [(0, 0.0, "y")] * 4 + [(0, 0.5, "x")]
    assert {pair: seen.count(pair) for pair in seen} == dict.fromkeys(
        [(m, a, c) for m in (0, 1) for a in (0.0, 0.5, 1.0) for c in "xy"], 4
    )
    assert list(design.values(0)) == ["a", "b", "c"]
    assert len({design.values(run)["b"] for run in range(48)}) == 48


@pytest.mark.parametrize("method", METHODS)
def test_values_follow_from_the_number_of_the_run(method: str) -> None:
    def design(seed: int) -> Design:
        return Design(1, {"f": Factor("uniform", [0, 1]), "g": Factor("normal", [0, 1])}, Sampling(method, 8, seed))

    assert design(1).values(6) == design(1).values(6)
    assert design(1).values(6) != design(2).values(6)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("unifrom", [0, 1], "Did you mean 'uniform'"),
        ("uniform", [1, 0], r"\[low, high\]"),
        ("grid", [0, 1], "number of points"),
        ("list", 3, "a list of values"),
        ("normal", [0, math.inf], "standard deviation"),
        ("distribution", "poison", "scipy.stats"),
    ],
)
def test_factors_that_make_no_sense_are_refused(kind: str, given: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Factor(kind, given)
