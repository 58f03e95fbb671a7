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
_LESS = 0.1
_ROUNDED_OFF = _LESS ** np.arange(1.0, 18.0)
"""Parts of the motion without friction below which one is rounded off, each of the one before. With hundredths, some random
problems in which contacts stand still were not solved."""
_SMALL = 1e-7
"""Part of the motion that is as good as none, and still so large that its direction is no rounding error."""
_SHORTEST = 1e-4
"""Part of a step of Newton's method."""


def friction_impulses(A: np.ndarray, slip: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Return the impulses, shape (n, 2).

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


def braked(A: np.ndarray, slip: np.ndarray, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the motion of n contacts with friction against it, whose matrix and radii are as of `friction_impulses`.

    It is that of least ``(s - slip) A^-1 (s - slip)/2 + sum(radius*|s|)``: strictly convex in the few motions that there are,
    also where it hardly moves. Newton's method, with each |s| rounded off at zero, less and less.

    Returns:
        For each contact the part of its friction that acts, in the direction of motion, and its motion s, both of shape (n, 2).
    """
    inverse, U = np.linalg.eigh(A)
    there = inverse > _DEPENDENT * inverse[-1]
    stiffness, U = 1.0 / inverse[there], U[:, there]
    V, free = U.reshape(len(radius), 2, -1), U.T @ slip
    z, size = free.copy(), float(np.abs(slip).max(initial=0.0)) or 1.0
    for rounded in size * _ROUNDED_OFF:
        z = _least_motion(V, stiffness, free, radius, rounded, z)
        s = V @ z
        if rounded <= _SMALL * np.abs(s).max(initial=0.0):
            break
    return s / np.sqrt((s**2).sum(axis=1, keepdims=True) + rounded**2), s


def _least_motion(
    V: np.ndarray, stiffness: np.ndarray, free: np.ndarray, radius: np.ndarray, rounded: float, z: np.ndarray
) -> np.ndarray:
    """Return the minimum z (r,) of `braked` with ``s = V z`` (n, 2), from a first one on."""

    def at(z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        s = V @ z
        size = np.sqrt((s**2).sum(axis=1) + rounded**2)
        along = ((s / size[:, None])[:, None, :] @ V)[:, 0]
        gradient = stiffness * (z - free) + radius @ along
        value = float(stiffness @ ((0.5 * z - free) * z) + radius @ size)  # of z = 0 what is the same for all is left out
        return value, gradient, radius / size, along

    squares, stiff = (V.transpose(0, 2, 1) @ V).reshape(len(V), -1), np.diag(stiffness)
    z = min((z, _LESS * z), key=lambda z: at(z)[0])  # what stands still moves by a part of what is rounded off
    value, gradient, bends, along = at(z)
    for _ in range(_NEWTON_STEPS):
        bent = (bends @ squares).reshape(stiff.shape) - (along.T * bends) @ along
        step, part = np.linalg.solve(stiff + bent, gradient), 1.0
        while part > _SHORTEST:
            found = at(z - part * step)
            if value - found[0] >= 0.1 * part * float(gradient @ step) or np.abs(found[1]).max() < 0.5 * np.abs(gradient).max():
                break
            part *= 0.5
        else:
            break
        z, (value, gradient, bends, along) = z - part * step, found
    return z


def _sweep(A: list[list[float]], slip: list[float], radius: list[float]) -> list[tuple[float, float]]:
    """Return the contact by contact, until none changes (block Gauss-Seidel)."""
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
    """Return where ``x A x / 2 + b x`` is least for ``|x| <= radius``; A is symmetric, not negative.

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
