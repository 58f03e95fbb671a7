"""Noise blocks: published results of Modelica.Blocks.Examples.Noise bit by bit, an independent generator, distributions."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from modiapy import Map, Model, Result, instantiate
from modiapy.library import blocks
from modiapy.library.blocks.random_numbers import normal_quantile

BAND = Map(y_min=-1.0, y_max=3.0)
MASK = 2**64 - 1


def samples(r: Result, name: str, period: float, n: int, start: float = 0.0) -> list[float]:
    """The values in the middle between n samples."""
    at = np.searchsorted(r.time, start + period * (np.arange(n) + 0.5), side="right") - 1
    return r[name][at].tolist()


def test_published_examples() -> None:
    """`UniformNoise`, `AutomaticSeed` and `Distributions`, MAP-LIB_ReferenceResults."""
    r = instantiate(
        Model(
            tenth=blocks.UniformNoise | BAND | Map(sample_period=0.02, local_seed=10),
            uniform=blocks.UniformNoise | BAND | Map(sample_period=0.02),
            late=blocks.UniformNoise | BAND | Map(y_off=-1.0, start_time=0.05, local_seed=2),
            truncated=blocks.TruncatedNormalNoise | BAND | Map(sample_period=0.02),
        )
    ).simulate(0.1, interval=0.005)
    tenth = [0.20217088936010374, 0.045513176341681394, 0.4806722354481434, 0.7359871284875465, 2.934353166889724]
    uniform = [1.8920078478352833, 1.6958446569551255, 2.1856677974651295, -0.23622758850215764, 1.463067389803042]
    truncated = [1.393323840694682, 1.2997165991261261, 1.5507106918986462, 0.4190901185197845, 1.1957090622140527]
    late = [1.151856468426518, 0.0008511356878879717, -0.7330651511451267, 1.8435135653085664]
    assert samples(r, "tenth.y", 0.02, 5) == tenth
    assert samples(r, "uniform.y", 0.02, 5) == uniform
    assert samples(r, "truncated.y", 0.02, 5) == pytest.approx(truncated, rel=1e-14)
    assert samples(r, "late.y", 0.01, 4, 0.05) == late
    assert set(r["late.y"][r.time < 0.05]) == {-1.0}


def test_published_numbers_of_the_generator_with_the_long_period() -> None:
    """`ImpureGenerator`: the library seeds its global generator with a prime number."""
    model = Model(noise=blocks.UniformNoise | blocks.Xorshift1024star | Map(local_seed=715827883))
    r = instantiate(model).simulate(0.03, interval=0.005)
    assert samples(r, "noise.y", 0.01, 3) == [0.018660680846204425, 0.18502447944342726, 0.3416579889994176]


def xorshift64star(x: int) -> int:
    x ^= x >> 12
    x ^= (x << 25) & MASK
    x ^= x >> 27
    return x * 2685821657736338717 & MASK


def seeded(local: int, n: int, other: int = 67867967) -> list[int]:
    """Words of 64 bits: the tenth number of xorshift64* and those that follow."""
    x = (local % 2**32) | (other % 2**32 << 32)
    words = []
    for k in range(9 + n):
        x = xorshift64star(x)
        if k >= 9:
            words.append(x)
    return words


def of_64(local: int) -> Iterator[int]:
    x = seeded(local, 1)[0]
    while True:
        x = xorshift64star(x)
        yield x


def of_128(local: int) -> Iterator[int]:
    s1, s0 = seeded(local, 2)
    while True:
        a = s1 ^ ((s1 << 23) & MASK)
        s1, s0 = s0, ((a ^ s0 ^ (a >> 17) ^ (s0 >> 26)) + s0) & MASK
        yield s0


def of_1024(local: int) -> Iterator[int]:
    *s, last = seeded(local, 17)
    p = last & 15
    while True:
        s0 = s[p]
        p = (p + 1) & 15
        s1 = s[p] ^ ((s[p] << 31) & MASK)
        s1 ^= s1 >> 11
        s[p] = s1 ^ s0 ^ (s0 >> 30)
        yield s[p] * 1181783497276652981 & MASK


@pytest.mark.parametrize(
    ("generator", "numbers"),
    [(blocks.Xorshift64star, of_64), (blocks.Xorshift128plus, of_128), (blocks.Xorshift1024star, of_1024)],
)
@pytest.mark.parametrize("local_seed", [1, -7, 2**31 - 1])
def test_generators_are_those_of_the_papers(generator: Model, numbers: object, local_seed: int) -> None:
    """Reference: the same recurrences in Python's integers, as signed words between 0 and 1."""
    model = Model(noise=blocks.UniformNoise | generator | Map(local_seed=local_seed))
    r = instantiate(model).simulate(0.4, interval=0.005)
    words = numbers(local_seed)  # type: ignore[operator]
    signed = [w - 2**64 if w >= 2**63 else w for w in (next(words) for _ in range(40))]
    assert samples(r, "noise.y", 0.01, 40) == [float(w) * 2.0**-64 + 0.5 for w in signed]


@pytest.mark.parametrize(("seeds", "begins"), [((0, 5), (0, 5)), ((5, 0), (5, 0)), ((0, 0), (126247697, 0))])
def test_only_two_seeds_that_are_zero_are_none(seeds: tuple[int, int], begins: tuple[int, int]) -> None:
    """A state of zeros would stay zero: a large prime number is in its place. One seed that is zero is a seed."""
    given = Map(local_seed=seeds[0], global_seed=seeds[1])
    r = instantiate(Model(noise=blocks.UniformNoise | blocks.Xorshift64star | given)).simulate(0.2, interval=0.005)
    words = seeded(begins[0], 21, begins[1])[1:]
    assert samples(r, "noise.y", 0.01, 20) == [float(w - 2**64 if w >= 2**63 else w) * 2.0**-64 + 0.5 for w in words]


@pytest.mark.parametrize("u", [1e-12, 1e-3, 0.02, 0.3, 0.5, 0.77, 0.999, 1.0 - 1e-9])
def test_quantile_of_the_normal_distribution(u: float) -> None:
    assert normal_quantile(u, 2.0, 3.0) == pytest.approx(stats.norm.ppf(u, 2.0, 3.0), rel=1e-12, abs=1e-13)
    assert [normal_quantile(end, 0.0, 1.0) for end in (0.0, 1.0)] == [-math.inf, math.inf]


def test_distributions() -> None:
    """Kolmogorov and Smirnov accept 2000 numbers of each; the white noise has the variance noise_power/sample_period."""
    r = instantiate(
        Model(
            uniform=blocks.UniformNoise | BAND,
            normal=blocks.NormalNoise | Map(mu=3.0, sigma=0.5),
            truncated=blocks.TruncatedNormalNoise | BAND | Map(mu=0.0, sigma=2.0),
            white=blocks.BandLimitedWhiteNoise | Map(noise_power=0.09),
        )
    ).simulate(20.0, interval=0.005)
    laws = {
        "uniform.y": stats.uniform(-1.0, 4.0),
        "normal.y": stats.norm(3.0, 0.5),
        "truncated.y": stats.truncnorm(-0.5, 1.5, 0.0, 2.0),
        "white.y": stats.norm(0.0, 3.0),
    }
    for name, law in laws.items():
        assert stats.kstest(samples(r, name, 0.01, 2000), law.cdf).pvalue > 0.01, name


def test_noise_may_be_switched_off() -> None:
    r = instantiate(Model(n=blocks.NormalNoise | Map(enable_noise=False, y_off=2.5))).simulate(0.1)
    assert set(r["n.y"]) == {2.5}
