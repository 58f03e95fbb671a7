"""Reference paths: trajectories from rest to rest, planned, interrupted and packed for the kernel, all by pure functions.

A trajectory is a chain of segments. Each is a curve ``q(s)`` in joint space (`paths_curve`) and the phases of constant jerk in
which ``s(t)`` goes along it (`modiapy.library.motion_profiles`); its rows are polynomials of time. Point-to-point motions
and blended corners are planned here, straight lines of a frame in `paths_linear`.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from modiapy.library.motion_profiles import MotionLimits, Phase, move, stop
from modiapy.library.paths import NO_WAY

from ..engine.program import PackedPaths
from .paths_blend import TravelledCurve, chained
from .paths_curve import Curve, Row, starts, straight
from .paths_values import PathLimits

__all__ = ["PathLimits", "ReferencePath", "ReferenceTrajectory", "Row", "interrupt", "pack", "plan_ptp", "rest"]


@dataclass(frozen=True, eq=False)
class PathSegment:
    """Part of a path: a curve that is travelled completely or in part.

    Attributes: start_time: when it begins [s]. curve: where it leads. phases: of the way along the curve. limits: of the way,
    such that no joint exceeds its own; None where the velocity must stay as it is (a corner).
    """

    start_time: float
    curve: Curve
    phases: tuple[Phase, ...]
    limits: MotionLimits | None

    @cached_property
    def breakpoints(self) -> tuple[float, ...]:
        """Times at which its phases begin, and at which the last one ends [s]."""
        begins = starts(self.start_time, self.phases)
        return (*begins, begins[-1] + self.phases[-1].duration)

    @property
    def end_time(self) -> float:
        """Time at which it ends [s]."""
        return self.breakpoints[-1]

    def state(self, time: float) -> tuple[float, float, float]:
        """Return the way, and its first two derivatives; before the beginning, their initial values."""
        k = min(max(bisect_right(self.breakpoints, time) - 1, 0), len(self.phases) - 1)
        return self.phases[k].at(min(max(time, self.start_time), self.end_time) - self.breakpoints[k])

    def until(self, time: float) -> tuple[Phase, ...]:
        """Return the phases before ``time`` [s]."""
        kept = [
            replace(phase, duration=min(phase.duration, time - t0))
            for t0, phase in zip(self.breakpoints, self.phases, strict=False)
            if t0 < time
        ]
        return tuple(kept)


@dataclass(frozen=True, eq=False)
class ReferenceTrajectory:
    """Motion from rest to rest; without segments, the joints rest at ``start``.

    Attributes: start_time: when it begins [s]. start, end: positions (rad or m), shape (n,). segments: in the order of time,
    without gaps. number: place of its action in the program, counted from 1; 0 outside of a program.
    """

    start_time: float
    start: tuple[float, ...]
    end: tuple[float, ...]
    segments: tuple[PathSegment, ...] = ()
    number: int = 0

    @property
    def end_time(self) -> float:
        """Time at which the joints are at rest at the end [s]."""
        return self.segments[-1].end_time if self.segments else self.start_time

    @property
    def duration(self) -> float:
        """Duration of the whole trajectory [s]."""
        return self.end_time - self.start_time

    @cached_property
    def breakpoints(self) -> tuple[float, ...]:
        """Times [s] at which the acceleration or the jerk of the way jumps: events of the simulation."""
        return tuple(sorted({self.start_time, *(t for segment in self.segments for t in segment.breakpoints)}))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The trajectory as polynomials of time; the last one is the rest at ``end`` from ``end_time`` on, exactly."""
        moving = [row for segment in self.segments for row in segment.curve.travelled(segment.start_time, segment.phases)]
        begins = [row.t0 for row in moving] + [self.end_time]
        moving = [row for row, end in zip(moving, begins[1:], strict=True) if row.t0 < end]
        return (*moving, Row(self.end_time, np.array([self.end])))

    def evaluate(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the position, velocity and acceleration at ``time`` [s], each of shape (n,); at a jump those that follow
        it.
        """
        if time < self.start_time:
            rest_there = np.zeros(len(self.start))
            return np.array(self.start), rest_there, rest_there
        row = self.rows[bisect_right(self.rows, time, key=lambda r: r.t0) - 1]
        return row.at(time), row.at(time, 1), row.at(time, 2)


@dataclass(frozen=True, eq=False)
class ReferencePath:
    """A path of named joints over a whole program: where it begins, and its trajectories in the order of time.

    Attributes:
        names: names of the reference signals.
        position: where the joints rest before the first trajectory (rad or m).
        limits: of each joint.
        trajectories: the motions; between them the joints rest.
    """

    names: tuple[str, ...]
    position: tuple[float, ...]
    limits: PathLimits
    trajectories: tuple[ReferenceTrajectory, ...] = ()

    def evaluate(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the position, velocity and acceleration at ``time`` [s], each of shape (n,)."""
        k = bisect_right(self.trajectories, time, key=lambda trajectory: trajectory.start_time)
        return (self.trajectories[k - 1] if k else rest(self.position)).evaluate(time)


def rest(position: Sequence[float], time: float = 0.0) -> ReferenceTrajectory:
    """Return a trajectory without motion: the joints rest at ``position`` (rad or m)."""
    place = tuple(map(float, position))
    return ReferenceTrajectory(time, place, place)


def plan_ptp(
    start_time: float,
    start: Sequence[float],
    positions: Sequence[Sequence[float]],
    limits: PathLimits,
    blend: float | None = None,
    number: int = 0,
) -> ReferenceTrajectory:
    """Return the motion from rest at ``start`` through ``positions``, synchronised: on straight lines in joint space.

    Args:
        start_time: when it begins [s].
        start: where the joints rest (rad or m), shape (n,).
        positions: rows of shape (n,).
        limits: of the joints; each line is travelled as fast as they permit.
        blend: None: the joints stop at each row. Else the corners are rounded: no joint is farther than this (rad or m) from
            the row when its line is left, and at most half of a line is used for each of its corners.
        number: place of the action in the program.

    Returns:
        The trajectory; one without segments and duration if all positions equal ``start`` (to 1e-100).
    """
    points = [np.array(start, dtype=float)]
    for row in positions:
        if np.abs(row - points[-1]).max(initial=0.0) >= NO_WAY:
            points.append(np.array(row, dtype=float))
    if len(points) == 1:
        return replace(rest(start, start_time), number=number)
    unlimited = MotionLimits(math.inf, math.inf)
    if blend is None:
        lines = [straight(a, b) for a, b in itertools.pairwise(points)]
        line_limits = [line.limits(limits, unlimited) for line in lines]
        motions: list[TravelledCurve] = [
            (line, lim, move(line.length, lim)) for line, lim in zip(lines, line_limits, strict=True)
        ]
    else:
        motions = chained(points, limits, blend)
    return leg_of(start_time, start, tuple(map(float, points[-1])), motions, number)


def leg_of(
    start_time: float,
    start: Sequence[float],
    end: Sequence[float],
    motions: Sequence[TravelledCurve],
    number: int = 0,
) -> ReferenceTrajectory:
    """Join curves, with their limits and phases, to a trajectory."""
    segments: list[PathSegment] = []
    for curve, limits, phases in motions:
        if phases:
            segments.append(PathSegment(segments[-1].end_time if segments else start_time, curve, phases, limits))
    return ReferenceTrajectory(float(start_time), tuple(map(float, start)), tuple(map(float, end)), tuple(segments), number)


def interrupt(trajectory: ReferenceTrajectory, time: float) -> ReferenceTrajectory:
    """Return the trajectory that is unchanged until ``time`` [s], and then comes to rest on its way as soon as it can.

    Velocity is continuous, acceleration too where the jerk is limited, and no limit is exceeded. A corner that is
    under way, or can no longer be avoided, is passed as planned; the joints then stop on the first line that is long enough.
    """
    if time >= trajectory.end_time:
        return trajectory
    if time <= trajectory.start_time:
        return replace(trajectory, end=trajectory.start, segments=())
    for k, segment in enumerate(trajectory.segments):
        if segment.end_time <= time or segment.limits is None:
            continue
        braking = stop(*segment.state(time), segment.limits)
        way = braking[-1].at(braking[-1].duration)[0] if braking else segment.state(time)[0]
        if way <= segment.curve.length or k == len(trajectory.segments) - 1:
            cut = replace(segment, phases=segment.until(time) + braking)
            end = segment.curve.at(min(way, segment.curve.length))
            passed = trajectory.segments[:k] + ((cut,) if cut.phases else ())
            return replace(trajectory, end=tuple(end.tolist()), segments=passed)
    raise AssertionError("the last segment of a trajectory ends at rest")


def pack(paths: Sequence[Sequence[ReferenceTrajectory]]) -> PackedPaths:
    """Pack the trajectories of paths into the arrays of the kernel.

    Args:
        paths: the trajectories of each path in the order of time, at least one: `rest` for a path that does not move yet.
            Before its first trajectory a path rests at the start of that trajectory, after each at its end.
    """
    before = [Row(-math.inf, np.array([trajectories[0].start])) for trajectories in paths]
    rows = [
        [first, *(row for trajectory in trajectories for row in trajectory.rows)]
        for first, trajectories in zip(before, paths, strict=True)
    ]
    flat = [row for part in rows for row in part]
    sizes, counts = [len(trajectories[0].start) for trajectories in paths], [len(part) for part in rows]
    table = [(sum(sizes[:k]), sizes[k], sum(counts[:k]), counts[k]) for k in range(len(paths))]
    depth, width = (max((row.coefficients.shape[axis] for row in flat), default=0) for axis in (0, 1))
    coefficients = np.zeros((len(flat), depth, width))
    for place, row in zip(coefficients, flat, strict=True):
        place[: len(row.coefficients), : row.coefficients.shape[1]] = row.coefficients
    times = np.array([row.t0 for row in flat])
    return PackedPaths(np.array(table, np.int64).reshape(-1, 4), times, coefficients, sum(sizes))
