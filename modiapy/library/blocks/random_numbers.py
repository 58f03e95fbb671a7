"""Random numbers of Modelica.Math.Random: the same bits from the same seeds.

The state of a generator is a vector of 32-bit integers; each pair of them is a number of 64 bits. A generator has three
functions: ``seeded`` is its first state, ``advance`` the state after one, ``number`` the number in (0, 1] that comes with a
state. Sources: S. Vigna, An experimental exploration of Marsaglia's xorshift generators, ACM TOMS 42 (2016), and Further
scramblings of Marsaglia's xorshift generators, J. Comput. Appl. Math. 315 (2017), with the shifts of 2014; J. Doornik,
Conversion of high-period random numbers to floating point, ACM TOMACS 17 (2007); seeds as in the Modelica Standard Library.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model.functions import Function
from ...model.model import Model, Var


def _seeded(state: Any, local_seed: float, global_seed: float) -> Any:
    """Return the first state, of the length of ``state``, by xorshift64* whose first ten numbers are left out."""
    n = len(state)
    out = np.zeros(n + 2)
    seeds = np.array([local_seed, global_seed])
    if local_seed == 0.0 and global_seed == 0.0:
        seeds[0] = 126247697.0
    x = seeds.astype(np.int32).view(np.uint64)[0]
    for k in range(10 + (n - 1) // 2):
        x ^= x >> np.uint64(12)
        x ^= x << np.uint64(25)
        x ^= x >> np.uint64(27)
        x *= np.uint64(2685821657736338717)
        if k >= 9:
            out[2 * (k - 9) : 2 * (k - 8)] = np.array([x]).view(np.int32).astype(np.float64)
    return out[:n].copy()


def _advance_64(state: Any) -> Any:
    x = state.astype(np.int32).view(np.uint64)[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    x *= np.uint64(2685821657736338717)
    return np.array([x]).view(np.int32).astype(np.float64)


def _advance_128(state: Any) -> Any:
    x = state.astype(np.int32).view(np.uint64)
    one, other = x[0], x[1]
    one ^= one << np.uint64(23)
    sum_of_both = (one ^ other ^ (one >> np.uint64(17)) ^ (other >> np.uint64(26))) + other
    return np.array([other, sum_of_both]).view(np.int32).astype(np.float64)


def _advance_1024(state: Any) -> Any:
    x = state[:32].astype(np.int32).view(np.uint64)
    k = int(state[32]) & 15
    one = x[k]
    k = (k + 1) & 15
    other = x[k]
    other ^= other << np.uint64(31)
    other ^= other >> np.uint64(11)
    one ^= one >> np.uint64(30)
    x[k] = one ^ other
    out = np.zeros(33)
    out[:32] = x.view(np.int32).astype(np.float64)
    out[32] = k
    return out


def _number(state: Any) -> float:
    """Return the number of xorshift64* and xorshift128+: the last 64 bits as a signed integer, between 0 and 1."""
    return float(state.astype(np.int32).view(np.int64)[-1]) * 2.0**-64 + 0.5


def _number_1024(state: Any) -> float:
    x = state[:32].astype(np.int32).view(np.uint64)
    scrambled = np.array([x[int(state[32])] * np.uint64(1181783497276652981)])
    return float(scrambled.view(np.int64)[0]) * 2.0**-64 + 0.5


def normal_quantile(u: float, mu: float, sigma: float) -> float:
    """Return the number below which a normally distributed one lies with the probability u, by Halley's method."""
    if not 0.0 < u < 1.0:
        return math.inf if u >= 1.0 else -math.inf
    tail = min(u, 1.0 - u)
    t = math.sqrt(-2.0 * math.log(tail))
    x = -(t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t)))  # Abramowitz and Stegun 26.2.22
    for _ in range(4):
        error = 0.5 * math.erfc(-x / math.sqrt(2.0)) - tail
        step = error * math.sqrt(2.0 * math.pi) * math.exp(0.5 * x * x)
        x -= step / (1.0 + 0.5 * x * step)
    return mu + sigma * (x if u <= 0.5 else -x)


def normal_cumulative(y: float, mu: float, sigma: float) -> float:
    """Return the probability that a normally distributed number is not above y."""
    return 0.5 * math.erfc((mu - y) / (sigma * math.sqrt(2.0)))


def _generator(words: str, size: int, advance: Any, number: Any) -> Model:
    return Model(
        description=f"Generator {words} of random numbers, to be merged with a noise block",
        size=size,
        state=Var(type="Integer", init="zeros(size)", description="state of the generator"),
        seeded=Function(_seeded, shapes=["state"]),
        advance=Function(advance, shapes=["state"]),
        number=Function(number, shapes=[""]),
    )


Xorshift64star = _generator("xorshift64*", 2, _advance_64, _number)
Xorshift128plus = _generator("xorshift128+", 4, _advance_128, _number)
Xorshift1024star = _generator("xorshift1024*", 33, _advance_1024, _number_1024)
