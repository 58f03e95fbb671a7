"""The smallest change x that meets nonlinear conditions within bounds.

A point that meets the conditions is found by damped least squares (Levenberg, Marquardt). From there the change is made
smaller: the linearised conditions with the least ``|x|`` (a projection on their solutions, as in sequential quadratic
programming), each step followed by a return to the conditions.

Conditions may have several solutions (a robot of six joints has up to 16), and the way from no change does not lead to the
nearest one always. So the search begins at many places, and full turns are taken out of each solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-10
"""Largest error of position [m] and orientation [rad] that counts as reached, relative to the size of the mechanism."""
MAX_ITERATIONS = 200
MAX_REDUCTIONS = 60
"""Iterations in which a change that meets the conditions is made smaller."""
STALLED = 1e-6
"""A relative decrease of the errors below this, three times in a row, is none."""
VAIN = 10
"""The search ends when so many guesses for each component (and one more) in a row have led to nothing better..."""
VAIN_IN_FAMILIES = 8
"""...so many in all where solutions are not isolated: ways from many guesses meet at the smallest one of a family."""
SPREADS = (1.0, 0.3, 0.6)
"""How far guesses are spread, relative to the smallest change known so far: only within it may be a smaller one."""
TURN = 2.0 * math.pi
"""A full turn [rad]."""
SAME = 1e-5
"""Changes that differ by less are the same [rad, m]."""


@dataclass(frozen=True)
class Conditions:
    """Conditions that a change must meet.

    Attributes:
        linearised: the errors at x, shape (m,), and their decrease for small changes, shape (m, n).
        lower, upper: bounds of x, shape (n,), perhaps infinite.
        tolerance: largest norm of the errors that counts as none.
        shortened: the shortest change, within the bounds, of the same effect as x: without full turns.
    """

    linearised: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    lower: np.ndarray
    upper: np.ndarray
    tolerance: float
    shortened: Callable[[np.ndarray], np.ndarray] = lambda x: x

    def clipped(self, x: np.ndarray) -> np.ndarray:
        """Return the nearest x within the bounds."""
        inside: np.ndarray = np.clip(x, self.lower, self.upper)
        return inside

    def is_blocked(self, x: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return whether a step leads out of the bounds, for each component."""
        blocked: np.ndarray = ((x <= self.lower) & (step < 0.0)) | ((x >= self.upper) & (step > 0.0))
        return blocked


@dataclass(frozen=True, eq=False)
class Found:
    """The best change, shape (n,), and whether it meets the conditions."""

    change: np.ndarray
    reached: bool


def find_nearest(conditions: Conditions) -> Found:
    """Return the smallest change that is found; where none meets the conditions, the one with the least error."""
    best, smallest = np.zeros(conditions.lower.size), math.inf
    known: list[np.ndarray] = []
    random, guess, vain, enough = np.random.default_rng(0), conditions.clipped(best), 0, VAIN * (best.size + 1)
    while vain < enough:
        x, error = _descend(conditions, guess)
        vain += 1
        if error <= conditions.tolerance:
            x = _smallest_near(conditions, x, known)
            if not known or _length(x) < _length(best) - SAME:
                best, vain = x, 0
                enough = VAIN * (x.size + 1) if _is_isolated(conditions, x) else VAIN_IN_FAMILIES
            known.append(x)
        elif error < smallest and not known:
            best, smallest = x, error
        guess = _guess(conditions, random, SPREADS[vain % len(SPREADS)], _length(best) if known else math.inf)
    return Found(best, bool(known))


def without_turns(x: np.ndarray, angles: Sequence[int], lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return the change x without full turns of those of its components that are ``angles``, as far as the bounds allow."""
    x = x.copy()
    for k in angles:
        turns = np.round(x[k] / TURN)
        while turns and not lower[k] <= x[k] - turns * TURN <= upper[k]:
            turns -= np.sign(turns)
        x[k] -= turns * TURN
    return x


def _guess(conditions: Conditions, random: np.random.Generator, spread: float, reach: float) -> np.ndarray:
    """Return a place within the bounds (half a turn where there are none) and within ``reach``."""
    lower = np.where(np.isfinite(conditions.lower), conditions.lower, -math.pi)
    upper = np.where(np.isfinite(conditions.upper), conditions.upper, math.pi)
    return conditions.clipped(spread * np.clip(random.uniform(lower, upper), -reach, reach))


def _is_isolated(conditions: Conditions, x: np.ndarray) -> bool:
    """Return whether every small change of a solution violates the conditions."""
    J = conditions.linearised(x)[1]
    return bool(np.linalg.matrix_rank(J, rtol=1e-8) == x.size)


def _length(x: np.ndarray) -> float:
    return float(np.linalg.norm(x))


def _smallest_near(conditions: Conditions, x: np.ndarray, known: Sequence[np.ndarray]) -> np.ndarray:
    """Return the smallest change to which the way from ``x`` leads; one of those that are known, where it begins there."""
    while True:
        x = conditions.shortened(x)
        for other in known:
            if _length(other - x) <= SAME:
                return other
        nearer = _smaller(conditions, x)
        if _length(conditions.shortened(nearer)) >= _length(nearer):
            return nearer
        x = nearer


def _descend(conditions: Conditions, x: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the next minimum of the errors, and their norm there."""
    damping, stalled = 1e-3, 0
    error, J = conditions.linearised(x)
    size = math.sqrt(error @ error)
    for _ in range(MAX_ITERATIONS):
        if size <= 1e-3 * conditions.tolerance or stalled == 3:
            break
        free = J.copy()
        free[:, conditions.is_blocked(x, J.T @ error)] = 0.0
        u, sigma, vt = np.linalg.svd(free, full_matrices=False)
        step = vt.T @ (sigma / (sigma**2 + damping**2) * (u.T @ error))
        tried = conditions.clipped(x + step)
        left, J_tried = conditions.linearised(tried)
        if (after := math.sqrt(left @ left)) < size:
            stalled = stalled + 1 if after > (1.0 - STALLED) * size else 0
            x, error, size, J, damping = tried, left, after, J_tried, max(damping / 5.0, 1e-12)
        elif damping > 1e3:
            break
        else:
            damping *= 4.0
    return x, size


def _smaller(conditions: Conditions, x: np.ndarray) -> np.ndarray:
    """Return the next minimum of ``|x|`` among those that meet the conditions, from one of them on.

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
    """Return the step to the smallest x that meets the linearised conditions, with the components at their bounds held
    there.
    """
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
