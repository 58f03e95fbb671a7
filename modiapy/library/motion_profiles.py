"""Motions of one coordinate along a path in the shortest time, with limited velocity, acceleration and, if wanted, jerk.

Without a limit of the jerk the velocity is a trapezoid (``Modelica.Blocks.Sources.KinematicPTP``), with one it is the double
S of Biagiotti & Melchiorri, *Trajectory Planning for Automatic Machines and Robots* (2008), section 3.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of time with constant jerk: duration [s], and position, velocity, acceleration at its begin."""

    duration: float
    position: float
    velocity: float
    acceleration: float
    jerk: float

    def at(self, time: float) -> tuple[float, float, float]:
        """Return the position, velocity and acceleration ``time`` [s] after its begin."""
        a, j = self.acceleration, self.jerk
        position = self.position + time * (self.velocity + time * (a / 2.0 + time * j / 6.0))
        return position, self.velocity + time * (a + time * j / 2.0), a + time * j


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """Largest velocity, acceleration and jerk of one coordinate, all positive; an infinite jerk is no limit."""

    velocity: float
    acceleration: float
    jerk: float = math.inf


Profile = tuple[Phase, ...]


def move(length: float, limits: MotionLimits, v_start: float = 0.0, v_end: float = 0.0) -> Profile:
    """Return the fastest motion over ``length`` from ``v_start`` to ``v_end``, without acceleration at both ends.

    Args:
        length: not negative; at least what changing the velocity takes, see `reachable`.
        limits: of the motion; no velocity given is above the limit.
        v_start, v_end: velocities, not negative.
    """
    peak = _peak(length, limits, v_start, v_end)
    up, down = _ramp(v_start, peak, limits), _ramp(peak, v_end, limits)
    used = 0.5 * (v_start + peak) * _time(up) + 0.5 * (peak + v_end) * _time(down)
    cruise = max(0.0, (length - used) / peak) if peak > 0.0 else 0.0
    return _integrated([*up, (cruise, 0.0, 0.0), *down], 0.0, v_start)


def stop(position: float, velocity: float, acceleration: float, limits: MotionLimits) -> Profile:
    """Return the fastest way to rest, which is also the shortest, from a state that keeps the limits and can still end at rest.

    The acceleration is continuous where the jerk is limited: it goes to ``-A`` and back to zero, where ``A`` is the limit, or
    less if the velocity is used up before.
    """
    a, j = limits.acceleration, limits.jerk
    if math.isinf(j):
        return _integrated([(velocity / a, -a, 0.0)], position, velocity)
    loss = velocity + 0.5 * acceleration**2 / j
    deepest = max(min(a, math.sqrt(max(0.0, j * loss))), -acceleration)
    hold = max(0.0, (loss - deepest**2 / j) / deepest) if deepest > 0.0 else 0.0
    pieces = [((acceleration + deepest) / j, acceleration, -j), (hold, -deepest, 0.0), (deepest / j, -deepest, j)]
    return _integrated(pieces, position, velocity)


def reachable(length: float, velocity: float, limits: MotionLimits) -> float:
    """Return the largest velocity after ``length`` from ``velocity``, without acceleration at both ends, and within the
    limits.
    """
    if length <= 0.0:
        return velocity
    if math.isinf(limits.jerk):
        return min(limits.velocity, math.sqrt(velocity**2 + 2.0 * limits.acceleration * length))
    return _largest(lambda v: 0.5 * (velocity + v) * _time(_ramp(velocity, v, limits)) - length, velocity, limits.velocity)


def _peak(length: float, limits: MotionLimits, v_start: float, v_end: float) -> float:
    """Return the largest velocity of a motion; a closed form but for limited jerk between velocities that are not zero."""
    v, a, j = limits.velocity, limits.acceleration, limits.jerk
    if math.isinf(j):
        return max(v_start, v_end, min(v, math.sqrt(a * length + 0.5 * (v_start**2 + v_end**2))))
    if v_start == v_end == 0.0:
        peak = 0.5 * (math.sqrt((a**2 / j) ** 2 + 4.0 * a * length) - a**2 / j)
        return min(v, peak if peak >= a**2 / j else (0.5 * length) ** (2.0 / 3.0) * j ** (1.0 / 3.0))

    def excess(peak: float) -> float:
        up, down = (0.5 * (end + peak) * _time(_ramp(end, peak, limits)) for end in (v_start, v_end))
        return up + down - length

    return _largest(excess, max(v_start, v_end), v)


def _largest(excess: Callable[[float], float], low: float, high: float) -> float:
    """Return the largest number between ``low`` and ``high`` at which the growing function is not above zero; ``low`` at
    least.
    """
    if high <= low or excess(high) <= 0.0:
        return max(low, high)
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return low
        if excess(middle) <= 0.0:
            low = middle
        else:
            high = middle


_Piece = tuple[float, float, float]
"""Duration, acceleration at the begin, jerk."""


def _ramp(v_start: float, v_end: float, limits: MotionLimits) -> list[_Piece]:
    """Return the fastest change of velocity, without acceleration at both ends if the jerk is limited."""
    change, a, j = v_end - v_start, limits.acceleration, limits.jerk
    if change == 0.0:
        return []
    sign = math.copysign(1.0, change)
    if math.isinf(j):
        return [(abs(change) / a, sign * a, 0.0)]
    if abs(change) * j >= a**2:
        rise, hold = a / j, abs(change) / a - a / j
        return [(rise, 0.0, sign * j), (hold, sign * a, 0.0), (rise, sign * a, -sign * j)]
    rise = math.sqrt(abs(change) / j)
    return [(rise, 0.0, sign * j), (rise, sign * rise * j, -sign * j)]


def _time(pieces: Iterable[_Piece]) -> float:
    return math.fsum(duration for duration, _, _ in pieces)


def _integrated(pieces: Iterable[_Piece], position: float, velocity: float) -> Profile:
    phases: list[Phase] = []
    for duration, acceleration, jerk in pieces:
        if duration > 0.0:
            phases.append(Phase(duration, position, velocity, acceleration, jerk))
            position, velocity, _ = phases[-1].at(duration)
    return tuple(phases)
