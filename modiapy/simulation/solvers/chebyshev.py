"""Stabilised explicit method for large models that are moderately stiff by damping: Runge-Kutta-Chebyshev, order 2.

A step has as many stages as its stability needs. With s stages, the eigenvalues of df/dx times the step size may be as large as
``0.65 s**2``, if they are near the negative real axis. So s grows with the square root of the stiffness. There is no matrix,
and a step after an event is as long as any other; multistep formulas begin again with short steps of order 1. This suits many
bodies that touch each other at different times. Source: B. P. Sommeijer, L. F. Shampine, J. G. Verwer, RKC: an explicit solver
for parabolic PDEs, J. Comput. Appl. Math. 88 (1997), for formulas, error and first step size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from .interface import IntegrationFailure, ModelFailure, Problem, SolverStatistics
from .python_steps import PythonSteps
from .steps import GROWTH, LONGEST_FIRST, SMALLEST

DAMPING = 2.0 / 13.0
"""By how much stability is reduced, so that what is stiff fades, by a twentieth in each step at least."""

MOST_STAGES = 250
"""Rounding errors grow with the square of the number of stages."""

STABLE = 1.54
"""One over what the step size by the largest eigenvalue may be, by stages squared: 2/3, less by `DAMPING`."""

SAFE = 1.2
"""Factor on the estimate of the largest eigenvalue, which comes from below."""

SETTLED = 0.1
"""Relative change below which that estimate is good enough."""

SEARCHES = 12
"""Evaluations for it at most, where nothing is known."""

FIRST, SMALLER, LARGER, CAUTIOUS = 0.7, 0.1, 10.0, 0.8
"""Factors on step sizes: on the first one, the least and the largest from one to the next, below what the error allows."""


@dataclass(frozen=True)
class Stages:
    """Coefficients of a step with s stages, in the notation of the source.

    Attributes:
        begin: of the derivative at the beginning in the first stage. at: where that stage is, as a part of the step.
        rows: of the others ``1 - mu - nu``, mu, nu, mu with a tilde, gamma with a tilde, and where the stage is.
    """

    begin: float
    at: float
    rows: tuple[tuple[float, float, float, float, float, float], ...]


@cache
def stages(s: int) -> Stages:
    """Return the coefficients for ``s`` stages, at least 2."""
    w = 1.0 + DAMPING / s**2
    T, first, second = [1.0, w], [0.0, 1.0], [0.0, 0.0]  # Chebyshev's polynomials at w, with two derivatives
    for _ in range(2, s + 1):
        second.append(4.0 * first[-1] + 2.0 * w * second[-1] - second[-2])
        first.append(2.0 * T[-1] + 2.0 * w * first[-1] - first[-2])
        T.append(2.0 * w * T[-1] - T[-2])
    scale = first[s] / second[s]
    b = [second[j] / first[j] ** 2 for j in range(2, s + 1)]
    b = [b[0], b[0], *b]
    at = [scale * second[j] / first[j] for j in range(2, s + 1)]
    rows = []
    for j in range(2, s + 1):
        mu, nu, tilde = 2.0 * b[j] * w / b[j - 1], -b[j] / b[j - 2], 2.0 * b[j] * scale / b[j - 1]
        rows.append((1.0 - mu - nu, mu, nu, tilde, (b[j - 1] * T[j - 1] - 1.0) * tilde, at[j - 2]))
    return Stages(b[1] * scale, at[0] / first[2], tuple(rows))


@dataclass(frozen=True)
class _Step:
    """Step from ``begin`` over a ``length`` [s]: states and derivatives at both ends."""

    begin: float
    length: float
    x: np.ndarray
    f: np.ndarray
    x_end: np.ndarray
    f_end: np.ndarray


class Chebyshev(PythonSteps):
    """See `interface.Solver`."""

    def __init__(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        self._rtol, self._atol = rtol, problem.absolute(atol)
        self._statistics = SolverStatistics(order=2)
        super().__init__(problem, time, x)

    def _begin_again(self, time: float) -> None:
        self._last: _Step | None = None
        self._length = self._rate = 0.0
        self._failed = 0
        self._direction: np.ndarray | None = None

    def _evaluate(self, t: float, x: np.ndarray) -> np.ndarray:
        self._statistics.rhs_evaluations += 1
        derivatives = np.empty(x.size)
        if self._problem.rhs(t, x, derivatives) != 0:
            raise ModelFailure(t, x)
        return derivatives

    def _make_step(self, begin: float) -> float:
        last = self._loop.end - self._loop.begin
        stop = min(self._stop, self._loop.next_kink())
        most = min(self._loop.longest_step(), max(GROWTH * last, LONGEST_FIRST), stop - begin)
        try:
            x, f = self._beginning(begin, most)
        except ModelFailure as failure:
            raise IntegrationFailure("the model could not be evaluated", begin, at=failure) from None
        length, least = min(self._length, most), abs(begin) * SMALLEST
        while True:
            s = max(2, 1 + int(math.sqrt(1.0 + STABLE * length * self._rate)))
            if s > MOST_STAGES:
                s, length = MOST_STAGES, (MOST_STAGES**2 - 1) / (STABLE * self._rate)
            failed: ModelFailure | None = None
            try:
                step = self._stepped(begin, length, x, f, stages(s))
                error = self._error(step)
                size = self._norm(error, np.maximum(np.abs(x), np.abs(step.x_end)))
                if size <= 1.0:
                    break
            except ModelFailure as failure:
                failed, size = failure, math.inf
                self._failed += 1
            if failed is None and math.isfinite(size):
                self._rate = self._largest(begin, x, f, error, SEARCHES)
            length *= max(SMALLER, CAUTIOUS / size ** (1.0 / 3.0))
            if length <= least:
                text = "the model could not be evaluated" if failed else "the error test failed with the smallest step size"
                raise IntegrationFailure(text, begin, at=failed)
        self._length = length * min(LARGER, CAUTIOUS / size ** (1.0 / 3.0) if size > 0.0 else LARGER)
        self._last = step
        self._statistics.steps += 1
        return stop if length == stop - begin else begin + length

    def _failed_steps(self) -> int:
        return self._failed

    def _beginning(self, t: float, most: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the states and derivatives at the beginning of a step.

        The largest eigenvalue there and the first step size are recorded.
        """
        if self._last is not None:
            x, f = self._last.x_end, self._last.f_end
            self._rate = self._largest(t, x, f, self._direction, SEARCHES, self._rate / SAFE)
            return x, f
        x = self.x.copy()
        f = self._evaluate(t, x)
        self._rate = self._largest(t, x, f, f, SEARCHES)
        length = min(most, 1.0 / self._rate) if self._rate > 0.0 else most
        change = length * self._norm(self._evaluate(t + length, x + length * f) - f, np.abs(x))
        self._length = FIRST * length / math.sqrt(change) if FIRST * FIRST * length**2 < change * most**2 else most
        return x, f

    def _largest(
        self, t: float, x: np.ndarray, f: np.ndarray, along: np.ndarray | None, most: int, before: float = 0.0
    ) -> float:
        """Estimate the largest absolute value of an eigenvalue of df/dx by the power method [1/s], enlarged by `SAFE`.

        Args:
            most: evaluations. before: what it was at the last point; 0 where that is not known.
        """
        size = 0.0 if along is None else _length_of(along)
        if along is None or size == 0.0 or not math.isfinite(size):
            along, size = np.ones(x.size), math.sqrt(x.size)
        distance, rate = math.sqrt(np.finfo(float).eps) * max(_length_of(x), 1.0), before
        for _ in range(most if x.size else 0):
            along = self._evaluate(t, x + (distance / size) * along) - f
            size = _length_of(along)
            before, rate = rate, size / distance
            if size == 0.0 or abs(rate - before) <= SETTLED * rate:
                break
        self._direction = along
        return SAFE * rate

    def _stepped(self, t: float, h: float, x: np.ndarray, f: np.ndarray, made: Stages) -> _Step:
        older, old, at = x, x + (made.begin * h) * f, made.at
        for begin, mu, nu, tilde, gamma, following in made.rows:
            new = self._evaluate(t + at * h, old)
            new *= tilde * h
            new += mu * old
            new += nu * older
            new += begin * x
            new += (gamma * h) * f
            older, old, at = old, new, following
        return _Step(t, h, x, f, old, self._evaluate(t + h, old))

    def _error(self, step: _Step) -> np.ndarray:
        return 0.8 * (step.x - step.x_end) + (0.4 * step.length) * (step.f + step.f_end)

    def _norm(self, error: np.ndarray, size: np.ndarray) -> float:
        """Return the root mean square of an error, relative to the tolerances for states of a given size."""
        if not error.size:
            return 0.0
        return _length_of(error / (self._rtol * size + self._atol)) / math.sqrt(error.size)

    def _interpolate(self, time: float) -> np.ndarray:
        """Return the cubic polynomial through states and derivatives at both ends."""
        step = self._last
        if step is None:
            return self.x.copy()
        if time == self._loop.end > step.begin:
            return step.x_end
        h, s = step.length, (time - step.begin) / step.length
        way = step.x_end - step.x
        slope = (h * (1.0 - s)) * step.f - (h * s) * step.f_end + (2.0 * s - 1.0) * way
        return (1.0 - s) * step.x + s * step.x_end + (s * (1.0 - s)) * slope

    def statistics(self) -> SolverStatistics:
        """See `interface.Solver`."""
        return replace(self._statistics)

    def close(self) -> None:
        """See `interface.Solver`."""
        self._last = self._direction = None


def _length_of(vector: np.ndarray) -> float:
    return math.sqrt(float(vector @ vector))
