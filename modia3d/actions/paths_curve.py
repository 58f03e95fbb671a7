"""Curves in joint space: piecewise polynomials ``q(s)`` of the way ``s``, and their motions over time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modiapy.library.motion_profiles import MotionLimits, Phase

from .paths_values import PathLimits


@dataclass(frozen=True, eq=False)
class Row:
    """Polynomial piece of a path, up to the beginning of the next one.

    Attributes: t0: where it begins [s]. coefficients: shape (degree + 1, n): ``q(t)`` is the sum of ``coefficients[k] * (t -
    t0)**k``.
    """

    t0: float
    coefficients: np.ndarray

    def at(self, time: float, order: int = 0) -> np.ndarray:
        """Return the derivative of an order, 0 for the position itself, at ``time`` [s], shape (n,)."""
        return evaluate(self.coefficients, time - self.t0, order)


@dataclass(frozen=True, eq=False)
class Curve:
    """Positions of n joints over the way s.

    Attributes:
        knots: where its pieces begin and end, ascending from 0, shape (m + 1,).
        coefficients: shape (m, degree + 1, n); a piece k is the sum of ``coefficients[k, i] * (s - knots[k])**i``.
    """

    knots: np.ndarray
    coefficients: np.ndarray

    @property
    def length(self) -> float:
        """The way from one end to the other."""
        return float(self.knots[-1])

    def at(self, s: float, order: int = 0) -> np.ndarray:
        """Return the derivative of an order by s, shape (n,)."""
        k = self._piece(s)
        return evaluate(self.coefficients[k], s - self.knots[k], order)

    def _piece(self, s: float) -> int:
        return min(max(int(np.searchsorted(self.knots, s, "right")) - 1, 0), len(self.coefficients) - 1)

    @cached_property
    def bounds(self) -> np.ndarray:
        """Largest magnitude of the first three derivatives of each joint in each piece, shape (3, m, n)."""
        pieces = self.coefficients.transpose(1, 0, 2)
        found, lengths = np.zeros((3, *pieces.shape[1:])), np.diff(self.knots)[:, None]
        for order in range(min(3, len(pieces) - 1)):
            pieces = derivative(pieces, 1)
            found[order] = _largest(pieces, lengths)
        return found

    def limits(self, joints: PathLimits, wanted: MotionLimits) -> MotionLimits:
        """Return the limits of the motion along the curve: those ``wanted``, slowed down until all joints keep theirs, too.

        Whatever profile keeps them is permitted: with bounds ``Q1, Q2, Q3`` of the derivatives by s, ``Q1 v`` bounds the
        velocity of a joint, ``Q1 a + Q2 v**2`` its acceleration and ``Q1 j + 3 Q2 v a + Q3 v**3`` its jerk.
        """
        q1, q2, q3 = self.bounds
        v_max, a_max, j_max = joints.arrays
        v = min(wanted.velocity, _ratio(v_max, q1))
        a = min(wanted.acceleration, _ratio(a_max, q1))
        j = min(wanted.jerk, _ratio(j_max, q1))
        slower = max(1.0, math.sqrt(_most((q1 * a + q2 * v**2) / a_max)))
        if np.isfinite(j_max).any():
            slower = max(slower, math.cbrt(_most((q1 * j + 3.0 * q2 * v * a + q3 * v**3) / j_max)))
        return MotionLimits(v / slower, a / slower**2, j / slower**3)

    def travelled(self, start_time: float, phases: Sequence[Phase]) -> Iterator[Row]:
        """Generate the pieces of ``q(s(t))`` where s has the given phases one after the other, the first from ``start_time``
        on.
        """
        for t0, phase in zip(starts(start_time, phases), phases, strict=True):
            inner = [s for s in self.knots[1:-1].tolist() if phase.position < s < phase.at(phase.duration)[0]]
            times = [0.0, *(_time_at(phase, s) for s in inner), phase.duration]
            for begin, end in itertools.pairwise(times):
                if end > begin:
                    k = self._piece(phase.at(0.5 * (begin + end))[0])
                    s, v, a = phase.at(begin)
                    inside = np.array([s - self.knots[k], v, a / 2.0, phase.jerk / 6.0])
                    yield Row(t0 + begin, _composed(self.coefficients[k], inside))


def straight(start: np.ndarray, end: np.ndarray) -> Curve:
    """Return the straight line between two positions; the way is that of the joint with the largest motion."""
    length = float(np.abs(end - start).max())
    return Curve(np.array([0.0, length]), np.array([[start, (end - start) / length]]))


def starts(start_time: float, phases: Sequence[Phase]) -> list[float]:
    """Return the time at which each phase begins [s]."""
    return list(itertools.accumulate((phase.duration for phase in phases[:-1]), initial=start_time)) if phases else []


def evaluate(coefficients: np.ndarray, x: float | np.ndarray, order: int) -> np.ndarray:
    """Return a derivative of the polynomials with ``coefficients`` (degree + 1, ...), lowest power first."""
    value = np.zeros(coefficients.shape[1:])
    for row in derivative(coefficients, order)[::-1]:
        value = value * x + row
    return value


def derivative(coefficients: np.ndarray, order: int) -> np.ndarray:
    """Return the coefficients of a derivative, shape (degree + 1 - order, ...)."""
    for _ in range(order):
        powers = np.arange(1, len(coefficients)).reshape(-1, *[1] * (coefficients.ndim - 1))
        coefficients = coefficients[1:] * powers
    return coefficients


def _composed(outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Return the coefficients of ``outer(inner(t))``, without trailing zeros."""
    values = inner.tolist()
    while len(values) > 1 and values[-1] == 0.0:
        values.pop()
    result, degree = outer[-1:], len(values) - 1
    for row in outer[-2::-1]:
        if len(result) == 1:  # straight lines, which most curves are
            product = inner[: degree + 1, None] * result
        else:
            product = np.zeros((len(result) + degree, outer.shape[1]))
            for k, value in enumerate(values):
                product[k : k + len(result)] += value * result
        product[0] += row
        result = product
    return result


def _largest(coefficients: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the largest magnitude of polynomials (degree + 1, m, n), of degree 3 at most, over ``[0, lengths]``, shape (m, n).

    They are largest at an end or where their slope is zero.
    """
    if len(coefficients) == 1:
        return np.abs(coefficients[0])
    places = [np.zeros_like(lengths), lengths]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if len(coefficients) == 3:
            places.append(-0.5 * coefficients[1] / coefficients[2])
        elif len(coefficients) == 4:
            a, b, c = 3.0 * coefficients[3], coefficients[2], coefficients[1]
            root = np.sqrt(np.maximum(b**2 - a * c, 0.0))
            larger = -(b + np.copysign(root, b))
            places += [larger / a, c / larger]
    inside = [np.clip(np.nan_to_num(place, nan=0.0), 0.0, lengths) for place in places]
    return np.max([np.abs(evaluate(coefficients, place, 0)) for place in inside], axis=0)


def _ratio(limits: np.ndarray, bounds: np.ndarray) -> float:
    with np.errstate(divide="ignore", over="ignore"):
        return float((limits / bounds).min())


def _most(values: np.ndarray) -> float:
    return float(values.max())


def _time_at(phase: Phase, s: float) -> float:
    """Return the time at which ``s`` is reached, from the beginning of the phase; found by bisection, since s increases."""
    low, high = 0.0, phase.duration
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return high
        if phase.at(middle)[0] < s:
            low = middle
        else:
            high = middle
