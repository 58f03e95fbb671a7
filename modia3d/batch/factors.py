"""Factors: the values that a parameter takes over the runs of a study."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, nearest

GRID, LIST = "grid", "list"


def _two(given: Sequence[float]) -> bool:
    return len(given) == 2 and given[0] < given[1]


@dataclass(frozen=True)
class Distribution:
    """A distribution by name: its arguments and its quantile function.

    Attributes:
        expected: arguments, in words.
        fits: whether arguments make sense.
        quantile: arguments and probabilities in (0, 1) -> values.
    """

    expected: str
    fits: Callable[[Sequence[float]], bool]
    quantile: Callable[[Sequence[float], np.ndarray], np.ndarray]


def _normal(given: Sequence[float], p: np.ndarray) -> np.ndarray:
    from scipy.special import ndtri

    return np.asarray(given[0] + given[1] * ndtri(p))


def _truncated(given: Sequence[float], p: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr, ndtri

    mean, deviation, low, high = given
    below, above = ndtr((low - mean) / deviation), ndtr((high - mean) / deviation)
    return np.clip(mean + deviation * ndtri(below + p * (above - below)), low, high)


def _triangular(given: Sequence[float], p: np.ndarray) -> np.ndarray:
    low, mode, high = given
    left = p < (mode - low) / (high - low)
    rising = low + np.sqrt(p * (high - low) * (mode - low))
    return np.where(left, rising, high - np.sqrt((1.0 - p) * (high - low) * (high - mode)))


DISTRIBUTIONS: dict[str, Distribution] = {
    "uniform": Distribution("[low, high]", _two, lambda g, p: g[0] + p * (g[1] - g[0])),
    "loguniform": Distribution(
        "[low, high], both positive", lambda g: _two(g) and g[0] > 0, lambda g, p: g[0] * (g[1] / g[0]) ** p
    ),
    "normal": Distribution("[mean, standard deviation]", lambda g: len(g) == 2 and g[1] > 0, _normal),
    "lognormal": Distribution(
        "[median, standard deviation of the logarithm]",
        lambda g: len(g) == 2 and min(g) > 0,
        lambda g, p: g[0] * np.exp(_normal((0.0, g[1]), p)),
    ),
    "truncated_normal": Distribution(
        "[mean, standard deviation, low, high]", lambda g: len(g) == 4 and g[1] > 0 and g[2] < g[3], _truncated
    ),
    "triangular": Distribution(
        "[low, mode, high]", lambda g: len(g) == 3 and g[0] <= g[1] <= g[2] and g[0] < g[2], _triangular
    ),
    "integers": Distribution(
        "[lowest, highest], whole numbers",
        lambda g: len(g) == 2 and g[0] <= g[1] and all(float(x).is_integer() for x in g),
        lambda g, p: np.minimum(g[0] + np.floor(p * (g[1] - g[0] + 1)), g[1]),
    ),
}
KINDS = (GRID, LIST, *DISTRIBUTIONS, "choice", "distribution")


@dataclass(frozen=True)
class Factor:
    """Values of one or several parameters over the runs of a study.

    One of the kinds is given: ``grid=[from, to, points]``, ``list=[...]`` (every value with every value of the other grids and
    lists), a distribution by name (``uniform``, ``normal=[mean, deviation]`` and others, see docs/batch.md), ``choice=[...]``
    (each as likely), or ``distribution="weibull_min"`` with the arguments of that continuous distribution of scipy.stats.

    Attributes:
        kind: its name.
        given: its arguments.
        paths: of the parameters that get the value; by default the name of the factor is the path.
        more: arguments of a distribution of scipy.stats.

    Raises:
        ModelError: there is no such kind, or the arguments do not fit.
    """

    kind: str
    given: Any
    paths: tuple[str, ...] = ()
    more: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            remedy = nearest(self.kind, KINDS)
            raise ModelError(
                "this kind of factor is unknown", found=self.kind, expected=f"one of {', '.join(KINDS)}", remedy=remedy
            )
        expected, fits = self._expectation()
        if not fits:
            raise ModelError(f"{self.kind} of a factor is wrong", found=repr(self.given), expected=expected)

    def _expectation(self) -> tuple[str, bool]:
        given = self.given
        if self.kind == "distribution":
            return "the name of a continuous distribution of scipy.stats, with its arguments", self._frozen() is not None
        if not isinstance(given, list | tuple) or not given:
            return ("a list of values" if self.kind in (LIST, "choice") else "a list of numbers"), False
        if self.kind in (LIST, "choice"):
            return "values", True
        numbers = all(isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) for x in given)
        if self.kind == GRID:
            points = given[2] if len(given) == 3 else None
            fits = numbers and isinstance(points, int) and points >= 2
            return "[from, to, number of points of at least 2]", fits
        known = DISTRIBUTIONS[self.kind]
        return known.expected, numbers and known.fits(given)

    def _frozen(self) -> Any:
        from scipy import stats

        made = getattr(stats, str(self.given), None)
        if not isinstance(made, stats.rv_continuous):
            return None
        try:
            frozen = made(**self.more)
            return frozen if math.isfinite(frozen.ppf(0.5)) else None
        except (TypeError, ValueError):
            return None

    @property
    def is_sampled(self) -> bool:
        """True if its values are drawn, else enumerated."""
        return self.kind not in (GRID, LIST)

    @property
    def values(self) -> list[Any]:
        """The values of a grid or list, the possible ones of a choice or of a few integers; else none."""
        if self.kind == GRID:
            begin, end, points = self.given
            return [float(x) for x in np.linspace(begin, end, points)]
        if self.kind in (LIST, "choice"):
            return list(self.given)
        if self.kind == "integers" and self.given[1] - self.given[0] < 64:
            return [int(x) for x in range(int(self.given[0]), int(self.given[1]) + 1)]
        return []

    def quantile(self, p: np.ndarray) -> list[Any]:
        """Return the values of a sampled factor.

        Args:
            p: probabilities in [0, 1), of shape (n,).
        """
        if self.kind == "choice":
            return [self.given[min(int(x * len(self.given)), len(self.given) - 1)] for x in p]
        p = np.clip(p, np.finfo(float).tiny, 1.0 - np.finfo(float).epsneg)
        if self.kind == "distribution":
            return [float(x) for x in self._frozen().ppf(p)]
        values = DISTRIBUTIONS[self.kind].quantile(self.given, p)
        return [int(x) if self.kind == "integers" else float(x) for x in values]
