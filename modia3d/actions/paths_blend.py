"""Rounded corners: a path leaves straight lines in joint space before their ends, without stopping.

Between the lines with directions ``u1, u2`` a corner of the length ``2 d`` begins ``d`` before the row and ends ``d`` after it;
its direction is ``u1 + w (u2 - u1)``, where w goes from 0 to 1: in proportion to the way (a parabola), or, where the jerk is
limited, as ``3 w**2 - 2 w**3``, so that the acceleration is continuous. The velocity along a corner is constant.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from modiapy.library.motion_profiles import MotionLimits, Phase, move, reachable

from .paths_curve import Curve, straight
from .paths_values import PathLimits

TravelledCurve = tuple[Curve, MotionLimits | None, tuple[Phase, ...]]
"""A curve, the limits of the way along it (None in a corner: the velocity is given), its phases."""


def chained(points: Sequence[np.ndarray], limits: PathLimits, blend: float) -> list[TravelledCurve]:
    """Return straight lines and corners through ``points``, from rest to rest, each line as fast as it and its corners permit.

    Args:
        points: positions of shape (n,), each different from the one before.
        limits: of the joints.
        blend: largest distance of any joint from a point where its corner begins (rad or m).
    """
    ways = [float(np.abs(b - a).max()) for a, b in itertools.pairwise(points)]
    directions = [(b - a) / way for (a, b), way in zip(itertools.pairwise(points), ways, strict=True)]
    cuts = [0.0, *(min(blend, 0.5 * a, 0.5 * b) for a, b in itertools.pairwise(ways)), 0.0]
    corners = [
        _corner(points[k + 1], directions[k], directions[k + 1], cuts[k + 1], limits.j_max is not None)
        for k in range(len(directions) - 1)
    ]
    free = MotionLimits(math.inf, math.inf)
    lines: list[Curve | None] = []
    lengths: list[float] = []
    for k, (u, way) in enumerate(zip(directions, ways, strict=True)):
        lengths.append(max(0.0, way - cuts[k] - cuts[k + 1]))
        begin = points[k] + cuts[k] * u
        lines.append(straight(begin, begin + lengths[-1] * u) if lengths[-1] > 1e-12 * way else None)
    line_limits = [straight(0.0 * u, u).limits(limits, free) for u in directions]
    speeds = [0.0, *(_corner_speed(corner, limits) for corner in corners), 0.0]
    for k, (length, lim) in enumerate(zip(lengths, line_limits, strict=True)):
        speeds[k + 1] = min(speeds[k + 1], reachable(length, speeds[k], lim))
    for k in reversed(range(len(lines))):
        speeds[k] = min(speeds[k], reachable(lengths[k], speeds[k + 1], line_limits[k]))
    motions: list[TravelledCurve] = []
    for k, line in enumerate(lines):
        if line is not None:
            motions.append((line, line_limits[k], move(line.length, line_limits[k], speeds[k], speeds[k + 1])))
        if k < len(corners):
            v = speeds[k + 1]
            motions.append((corners[k], None, (Phase(corners[k].length / v, 0.0, v, 0.0, 0.0),)))
    return motions


def _corner(point: np.ndarray, u1: np.ndarray, u2: np.ndarray, cut: float, smooth: bool) -> Curve:
    length, turn, nothing = 2.0 * cut, u2 - u1, np.zeros_like(u1)
    if smooth:
        powers = [point - cut * u1, u1, nothing, turn / length**2, -0.5 * turn / length**3]
    else:
        powers = [point - cut * u1, u1, 0.5 * turn / length]
    return Curve(np.array([0.0, length]), np.array([powers]))


def _corner_speed(corner: Curve, limits: PathLimits) -> float:
    """Return the largest constant velocity along a corner at which no joint exceeds its limits."""
    v_max, a_max, j_max = limits.arrays
    q1, q2, q3 = corner.bounds
    with np.errstate(divide="ignore", over="ignore"):
        speed = min((v_max / q1).min(), np.sqrt(a_max / q2).min())
        return float(min(speed, np.cbrt(j_max / q3).min()) if limits.j_max is not None else speed)
