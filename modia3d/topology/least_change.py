"""The smallest change x that meets nonlinear conditions within bounds.

A point that meets the conditions is found by damped least squares (Levenberg, Marquardt). From there the change is made
smaller: the linearised conditions with the least ``|x|`` (a projection on their solutions, as in sequential quadratic
programming), each step followed by a return to the conditions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-10
"""Largest error of position [m] and orientation [rad] that counts as reached, relative to the size of the mechanism."""
MAX_ITERATIONS = 200
MAX_REDUCTIONS = 60
"""Iterations in which a change that meets the conditions is made smaller."""
STALLED = 1e-6
"""A relative decrease of the errors below this, three times in a row, is none."""
GUESSES = 12
"""The first guess is no change; the others are spread at random (always the same), farther and farther."""
SPREADS = (0.1, 0.3, 0.6)
"""How far the first of the others are spread, relative to the last ones."""


@dataclass(frozen=True)
class Conditions:
    """What a change must meet.

    Attributes:
        linearised: the errors at x, shape (m,), and their decrease for small changes, shape (m, n).
        lower, upper: bounds of x, shape (n,), perhaps infinite.
        tolerance: largest norm of the errors that counts as none.
    """

    linearised: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    lower: np.ndarray
    upper: np.ndarray
    tolerance: float

    def clipped(self, x: np.ndarray) -> np.ndarray:
        """The nearest x within the bounds."""
        inside: np.ndarray = np.clip(x, self.lower, self.upper)
        return inside

    def is_blocked(self, x: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Whether a step leads out of the bounds, for each component."""
        blocked: np.ndarray = ((x <= self.lower) & (step < 0.0)) | ((x >= self.upper) & (step > 0.0))
        return blocked


@dataclass(frozen=True, eq=False)
class Found:
    """The best change, shape (n,), and whether it meets the conditions."""

    change: np.ndarray
    reached: bool


def find_nearest(conditions: Conditions) -> Found:
    """The smallest change that is found; where none meets the conditions, the one with the least error."""
    best, smallest = np.zeros(conditions.lower.size), math.inf
    reached: list[np.ndarray] = []
    for k, guess in enumerate(_guesses(conditions)):
        x, error = _descend(conditions, guess)
        if error <= conditions.tolerance:
            reached.append(_smaller(conditions, x))
            if k == 0:
                break
        elif error < smallest:
            best, smallest = x, error
    if reached:
        return Found(min(reached, key=lambda x: float(np.linalg.norm(x))), True)
    return Found(best, False)


def _guesses(conditions: Conditions) -> Iterator[np.ndarray]:
    yield conditions.clipped(np.zeros(conditions.lower.size))
    random = np.random.default_rng(0)
    lower = np.where(np.isfinite(conditions.lower), conditions.lower, -math.pi)
    upper = np.where(np.isfinite(conditions.upper), conditions.upper, math.pi)
    for k in range(GUESSES - 1):
        yield conditions.clipped((SPREADS[k] if k < len(SPREADS) else 1.0) * random.uniform(lower, upper))


def _descend(conditions: Conditions, x: np.ndarray) -> tuple[np.ndarray, float]:
    """The next minimum of the errors, and their norm there."""
    damping, stalled = 1e-3, 0
    error, J = conditions.linearised(x)
    for _ in range(MAX_ITERATIONS):
        if np.linalg.norm(error) <= 1e-3 * conditions.tolerance or stalled == 3:
            break
        free = J.copy()
        free[:, conditions.is_blocked(x, J.T @ error)] = 0.0
        u, sigma, vt = np.linalg.svd(free, full_matrices=False)
        step = vt.T @ (sigma / (sigma**2 + damping**2) * (u.T @ error))
        tried = conditions.clipped(x + step)
        left, J_tried = conditions.linearised(tried)
        if np.linalg.norm(left) < np.linalg.norm(error):
            stalled = stalled + 1 if np.linalg.norm(left) > (1.0 - STALLED) * np.linalg.norm(error) else 0
            x, error, J, damping = tried, left, J_tried, max(damping / 5.0, 1e-12)
        elif damping > 1e3:
            break
        else:
            damping *= 4.0
    return x, float(np.linalg.norm(error))


def _smaller(conditions: Conditions, x: np.ndarray) -> np.ndarray:
    """The next minimum of ``|x|`` among those that meet the conditions, from one of them on.

    Each step is as long as the last two say (Barzilai, Borwein, *Two-Point Step Size Gradient Methods*, IMA J. Numer. Anal. 8,
    1988), shorter where it does not help.
    """
    step, length = _projection(conditions, x), 1.0
    for _ in range(MAX_REDUCTIONS):
        if np.linalg.norm(step) <= 1e-7 * (1.0 + np.linalg.norm(x)):
            break
        part = length
        while part > 1e-3 * length:
            tried, error = _descend(conditions, conditions.clipped(x + part * step))
            if error <= conditions.tolerance and np.linalg.norm(tried) < np.linalg.norm(x):
                break
            part *= 0.5
        else:
            break
        moved, last = tried - x, step
        x, step = tried, _projection(conditions, tried)
        curvature = float(moved @ (last - step))
        length = min(float(moved @ moved) / curvature, 100.0) if curvature > 0.0 else 1.0
    return x


def _projection(conditions: Conditions, x: np.ndarray) -> np.ndarray:
    """The step to the smallest x that meets the linearised conditions, with the components at their bounds held there."""
    error, J = conditions.linearised(x)
    free, step = np.ones(x.size, dtype=bool), np.zeros(x.size)
    while free.any():
        part = J[:, free]
        step = np.zeros(x.size)
        step[free] = np.linalg.pinv(part, rcond=1e-8) @ (error + part @ x[free]) - x[free]
        blocked = conditions.is_blocked(x, step) & free
        if not blocked.any():
            return step
        free &= ~blocked
    return np.zeros(x.size)
