"""Impulses of dry friction where the normal impulses are known.

Coulomb's law then is that of greatest dissipation: of all impulses within the discs of radius ``mu p_n``, those of least
kinetic energy afterwards, a convex problem. Each contact sticks, or slips and is braked with the radius of its disc.
"""

from __future__ import annotations

from math import atan2, cos, hypot, sin

import numpy as np

_SWEEPS = 500
_SETTLED = 1e-13
"""Change of the impulses in a sweep that is none, relative to the largest radius."""
_DEPENDENT = 1e-12
_NEWTON_STEPS = 50


def friction_impulses(A: np.ndarray, slip: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """The impulses, shape (n, 2).

    Args:
        A: answer of the slip of n contacts to unit impulses, shape (2 n, 2 n): symmetric, not negative.
        slip: what it would be without friction, shape (2 n,). radius: of the discs, shape (n,).
    """
    n = len(radius)
    if n > 1:
        x: np.ndarray = -np.linalg.lstsq(A, slip, rcond=_DEPENDENT)[0]
        sticks = (np.hypot(*x.reshape(n, 2).T) <= radius).all()
        rounding = _SETTLED * float(radius.max()) * float(np.diag(A).max())
        if sticks and np.abs(slip + A @ x).max() <= 1e-9 * np.abs(slip).max() + rounding:
            return x.reshape(n, 2)
    return np.array(_sweep(A.tolist(), slip.tolist(), radius.tolist()))


def _sweep(A: list[list[float]], slip: list[float], radius: list[float]) -> list[tuple[float, float]]:
    """Contact by contact, until none changes (block Gauss-Seidel)."""
    n = len(radius)
    x, places, least = [0.0] * (2 * n), range(2 * n), _SETTLED * max(radius)
    for _ in range(_SWEEPS):
        most = 0.0
        for i, most_here in enumerate(radius):
            j, k = 2 * i, 2 * i + 1
            one, two = A[j], A[k]
            b_1 = slip[j] + sum([one[m] * x[m] for m in places]) - one[j] * x[j] - one[k] * x[k]
            b_2 = slip[k] + sum([two[m] * x[m] for m in places]) - two[j] * x[j] - two[k] * x[k]
            new = in_disc(one[j], one[k], two[k], b_1, b_2, most_here)
            most = max(most, abs(new[0] - x[j]), abs(new[1] - x[k]))
            x[j], x[k] = new
        if most <= least or n == 1:
            break
    return [(x[2 * i], x[2 * i + 1]) for i in range(n)]


def in_disc(a_11: float, a_12: float, a_22: float, b_1: float, b_2: float, radius: float) -> tuple[float, float]:
    """Where ``x A x / 2 + b x`` is least for ``|x| <= radius``; A is symmetric, not negative.

    On the edge it is ``x = -(A + k)^-1 b`` with k > 0, the root of a convex function (secular equation).
    """
    size = hypot(b_1, b_2)
    if radius <= 0.0 or size == 0.0:
        return 0.0, 0.0
    half, difference = 0.5 * (a_11 + a_22), 0.5 * (a_11 - a_22)
    spread = hypot(difference, a_12)
    if half <= 0.0:
        return 0.0, 0.0
    large = half + spread
    small = max(half - spread, _DEPENDENT * large)
    angle = 0.5 * atan2(a_12, difference)
    c, s = cos(angle), sin(angle)
    p, q = c * b_1 + s * b_2, c * b_2 - s * b_1
    k = 0.0
    if hypot(p / large, q / small) > radius:
        k = max(size / radius - large, 0.0)
        for _ in range(_NEWTON_STEPS):
            one, other = large + k, small + k
            length = hypot(p / one, q / other)
            step = (length - radius) * length * length / (radius * (p * p / one**3 + q * q / other**3))
            k += step
            if not step > 1e-15 * one:
                break
    p, q = -p / (large + k), -q / (small + k)
    return c * p - s * q, s * p + c * q
