"""Search for the first zero crossing of an event indicator in one step of an integrator, by its dense output.

The search depends only on the step and the indicators. So the times of events do not depend on output points, stop times or
saves. Zero is a sign of its own, and so is a value that is not a number. An indicator crosses when it reaches zero, when it
leaves zero, and when it can no longer be computed, so that nothing is integrated with a relation that may be wrong.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Indicators = Callable[[float], np.ndarray]
"""Event indicators, shape (n_z,), at a time [s] in the last step: a new array each time."""

Point = tuple[float, np.ndarray]
"""A time [s] and the indicators there."""

INSIDE = 0.3819660112501051
"""Part of a step where indicators are always evaluated, besides its end: 2 minus the golden ratio, which meets no period."""

FAR = 0.5
"""An indicator that stays this many times its own change away from zero is not looked at more closely: a parabola whose values
at both ends of a step and `INSIDE` differ by 1 is nowhere else nearer to zero by more than 0.25."""

SURPRISING = 16.0
"""Weight of the error of a parabola, compared with a change: what is not as before may change more than is seen."""

DOUBTFUL = 2.0
"""The same as FAR in a first step, and where points do not lie close enough together."""

ASLEEP = 1e-300
"""In the place of an exact zero where integration begins, with the sign that it has until it is no longer zero."""

WATCHED_PARTS = (INSIDE, 1.0)
"""Parts of a step where conditions that are watched are asked for: where indicators are always evaluated."""

RESOLVED = 0.15
"""Error of a parabola through three points, as a part of all changes, below which points lie close enough together."""

STEEP = 12.0
"""They do not where an indicator would change this many times more if it went on as it begins."""

MOMENT = 1e-3
"""Part of what is looked at, from which is seen how an indicator begins."""

NOISE = 1e-14
"""Smaller changes mean nothing."""

EVALUATIONS = 1000
"""So often indicators are evaluated in one step to bring points close enough together."""

CLOSE = 0.5
"""An extremum is looked at where a parabola comes closer to zero than this part of the nearest of its points."""

REFINEMENTS = 6
"""So often an extremum is looked at."""

_PRECISION = 100.0 * sys.float_info.epsilon
_MAX_ITERATIONS = 200
"""Of a location; bisection alone takes less than 60."""


@dataclass(frozen=True)
class Crossing:
    """First zero crossing in a step.

    Attributes: time: just behind the crossing [s]. roots: numbers of the indicators that cross there. rising: for each of them,
    whether it crosses upwards.
    """

    time: float
    roots: tuple[int, ...]
    rising: tuple[bool, ...]


def precision(begin: float, end: float) -> float:
    """Return the precision of times that are located in a step [s]: that of CVODE's and IDA's root finding."""
    return _PRECISION * (abs(end) + abs(end - begin))


def inside(begin: float, end: float) -> float:
    """Return the time in a step [s] where indicators are always evaluated."""
    return begin + INSIDE * (end - begin)


@np.errstate(all="ignore")
def is_near(before: Point | None, first: Point, middle: Point, last: Point) -> bool:
    """Return whether an indicator may cross zero, by its values at both ends, `inside` the step and inside the one before."""
    values = np.array([first[1], middle[1], last[1]])
    change = values.max(axis=0) - values.min(axis=0)
    if before is None:
        bound = DOUBTFUL * change
    else:
        bound = FAR * (change + SURPRISING * np.abs(middle[1] - _parabola([before, first, last], middle[0])))
    return not bool((np.abs(values).min(axis=0) >= bound).all())


def still_asleep(begin: np.ndarray, z: np.ndarray, bands: np.ndarray | float = 0.0) -> np.ndarray:
    """Return the indicators in a step; those that sleep at its beginning and are still zero within ``bands`` sleep on."""
    return np.where((np.abs(z) <= bands) & (np.abs(begin) == ASLEEP), begin, z)


@np.errstate(all="ignore")
def first_crossing(
    evaluate: Indicators,
    first: Point,
    middle: Point,
    last: Point,
    longest: float = math.inf,
    bands: np.ndarray | float = 0.0,
) -> Crossing | None:
    """Find the first crossing in a step, given the indicators at both ends and `inside`; return None if there is none.

    The search goes through the step in parts that are so short that parabolas through three points follow the indicators. It
    finds all crossings of which no two lie between neighbouring points, and two in between if the indicator looks like a
    parabola.

    Args:
        longest: length of the first part at most [s].
        bands: within which indicators that sleep count as zero, see `interface.Problem`.
    """
    three = [first, *((t, still_asleep(first[1], z, bands)) for t, z in (middle, last))]
    length, end, last = last[0] - first[0], last[0], three[2]
    width, left = precision(first[0], end), EVALUATIONS

    def indicators(time: float) -> np.ndarray:
        return still_asleep(first[1], evaluate(time), bands)

    while True:
        points = _with_points_between(indicators, three)
        z = np.array([values for _, values in points])
        left -= 5
        if length > longest:
            length, begin, longest = longest, first, math.inf
        elif length > width and left > 0 and not _is_resolved(z):
            length, begin = 0.5 * length, three[0]
        else:
            found = _between(indicators, points, z, width)
            if found is not None or three[2][0] >= end:
                return found
            length, begin = 2.0 * length if left > 0 else end - three[2][0], three[2]
        until = begin[0] + length
        at = inside(begin[0], min(until, end))
        three = [begin, (at, indicators(at)), last if until >= end - width else (until, indicators(until))]


_PARTS = np.array([0.0, MOMENT, 0.5 * INSIDE, INSIDE, 0.5 + 0.5 * INSIDE, 1.0])
"""Where the points lie that are looked at together."""


def _with_points_between(indicators: Indicators, three: list[Point]) -> list[Point]:
    (begin, _), _, (end, _) = three
    soon, early, late = ((t, indicators(t)) for t in (begin + _PARTS[[1, 2, 4]] * (end - begin)).tolist())
    return [three[0], soon, early, three[1], late, three[2]]


def _unclear() -> np.ndarray:
    """Return the matrix that makes of indicators at `_PARTS` what is larger than changes where points are not close enough
    together.
    """
    rows = np.zeros((3, _PARTS.size))
    base = [0, 3, 5]
    for row, at in zip(rows, (2, 4), strict=False):
        row[at] = 1.0
        for k in base:
            row[k] = -np.prod([(_PARTS[at] - _PARTS[m]) / (_PARTS[k] - _PARTS[m]) for m in base if m != k])
    rows[:2] /= RESOLVED
    rows[2, :2] = -1.0 / (STEEP * MOMENT), 1.0 / (STEEP * MOMENT)
    return rows


_UNCLEAR = _unclear()


def _is_resolved(z: np.ndarray) -> bool:
    """Return whether parabolas follow all indicators that may cross zero; ``z``: at `_PARTS`."""
    change, finite = z.max(axis=0) - z.min(axis=0), np.isfinite(z)
    unclear = (np.abs(_UNCLEAR @ z) > change).any(axis=0) & (change > NOISE)
    unclear |= finite.any(axis=0) & ~finite.all(axis=0)
    return not unclear.any() or not (unclear & ~(np.abs(z).min(axis=0) >= DOUBTFUL * change)).any()


def _between(indicators: Indicators, points: list[Point], z: np.ndarray, width: float) -> Crossing | None:
    """Return the first crossing between points with the indicators z, extrema close to zero included."""
    sign = np.sign(z)
    change = _first_change(sign)
    until = points[-1][0] if change is None else points[change + 1][0]
    extrema = [(k, three) for k, three in _extrema(points, z, sign) if three[0][0] < until]
    for k, three in extrema:
        points = sorted([*points, *_followed(indicators, k, three)], key=_time)
    if extrema:
        change = _first_change(np.sign([values for _, values in points]))
    return None if change is None else _located(indicators, points[change], points[change + 1], width)


def _time(point: Point) -> float:
    return point[0]


def _crosses(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return whether indicators with these values, or signs, cross."""
    crosses: np.ndarray = np.sign(before) != np.sign(after)
    return crosses


def _first_change(sign: np.ndarray) -> int | None:
    """Return the first of the points with these signs after which an indicator crosses."""
    changes = _crosses(sign[:-1], sign[1:])
    return int(changes.any(axis=1).argmax()) if changes.any() else None


def _parabola(three: list[Point], t: float) -> np.ndarray:
    (t0, z0), (t1, z1), (t2, z2) = three
    slope = (z1 - z0) / (t1 - t0)
    return z0 + (t - t0) * (slope + (t - t1) / (t2 - t0) * ((z2 - z1) / (t2 - t1) - slope))


_TRIPLES = np.array([[1, 2, 3], [2, 3, 4], [3, 4, 5]])
_T0, _T1, _T2 = (_PARTS[column][:, None] for column in _TRIPLES.T)


def _extrema(points: list[Point], z: np.ndarray, sign: np.ndarray) -> list[tuple[int, list[Point]]]:
    """Return the numbers of indicators and three points of the same sign, between which a parabola has an extremum close to
    zero.
    """
    z0, z1, z2 = z[_TRIPLES.T]
    slope = (z1 - z0) / (_T1 - _T0)
    bend = ((z2 - z1) / (_T2 - _T1) - slope) / (_T2 - _T0)
    s0, s1, s2 = sign[_TRIPLES.T]
    towards = (s0 == s1) & (s1 == s2) & (bend * s1 > 0.0)
    if not towards.any():
        return []
    at = 0.5 * (_T0 + _T1 - slope / bend)
    value = z0 + (at - _T0) * (slope + bend * (at - _T1))
    nearest = np.minimum(np.minimum(np.abs(z0), np.abs(z1)), np.abs(z2))
    near = towards & (at > _T0) & (at < _T2) & (value * s1 <= CLOSE * nearest)
    if not near.any():
        return []
    return [(int(k), [points[m] for m in _TRIPLES[i]]) for i, k in np.argwhere(near)]


def _followed(indicators: Indicators, k: int, three: list[Point]) -> list[Point]:
    """Return the points where parabolas through three points have their extremum, until indicator k changes its sign."""
    (t0, z0), (t1, z1), (t2, z2) = ((t, float(z[k])) for t, z in three)
    smallest, added = precision(t0, t2), []
    if min(t1 - t0, t2 - t1) <= smallest:
        return []
    for _ in range(REFINEMENTS):
        slope = (z1 - z0) / (t1 - t0)
        curvature = ((z2 - z1) / (t2 - t1) - slope) / (t2 - t0)
        at = 0.5 * (t0 + t1 - slope / curvature) if curvature != 0.0 else t1
        if not t0 + smallest < at < t2 - smallest or abs(at - t1) <= smallest:
            break
        value = z0 + (at - t0) * (slope + curvature * (at - t1))
        if value * z1 > CLOSE * min(abs(z0), abs(z1), abs(z2)) * abs(z1):
            break
        z = indicators(at)
        added.append((at, z))
        found = float(z[k])
        if np.sign(found) != np.sign(z1):
            break
        nearer = abs(found) <= abs(z1)
        if (at < t1) == nearer:
            t2, z2 = (t1, z1) if nearer else (at, found)
        else:
            t0, z0 = (t1, z1) if nearer else (at, found)
        if nearer:
            t1, z1 = at, found
    return added


def _located(indicators: Indicators, low: Point, high: Point, width: float) -> Crossing:
    """Return the first crossing between two points, closer than ``width`` [s].

    Regula falsi with the modification of Illinois for the indicator that seems to be the first, bisection where that is slow.
    All that cross between the last two points cross at the same time.
    """
    (start, before), (end, after) = low, high
    weight_start = weight_end = 1.0
    side, expected = 0, 0.5 * (end - start)
    for iteration in range(_MAX_ITERATIONS):
        if end - start <= width:
            break
        change = _crosses(before, after)
        left, right = weight_start * before[change], weight_end * after[change]
        part = float((left / (left - right)).min())
        is_slow = iteration % 4 == 3 and end - start > expected
        if iteration % 4 == 3:
            expected = 0.25 * (end - start)
        if is_slow or not part > 0.0:  # one that leaves zero, or is infinite or not a number at one end, has no secant
            part, weight_start, weight_end, side = 0.5, 1.0, 1.0, 0
        at = start + part * (end - start)
        margin = min(0.4 * width, 0.25 * (end - start))
        at += margin if side != 1 else -margin  # beyond the zero, so that the sign is a clear one and the other end comes near
        at = min(max(at, start + margin), end - margin)
        if not start < at < end:
            break
        z = indicators(at)
        if _crosses(before, z).any():
            end, after = at, z
            weight_start, weight_end, side = (0.5 * weight_start if side == 1 else 1.0), 1.0, 1
        else:
            start, before = at, z
            weight_start, weight_end, side = 1.0, (0.5 * weight_end if side == 2 else 1.0), 2
    roots = np.flatnonzero(_crosses(before, after))
    rising = (before[roots] < 0.0) | (after[roots] > 0.0)
    return Crossing(end, tuple(roots.tolist()), tuple(rising.tolist()))
