"""Point-to-point motions: all axes move on a straight line, synchronised, with limited velocities and accelerations.

A trajectory moves all axes on ``q(t) = start + s(t) (end - start)``. The path parameter s goes from 0 to 1 with the largest
acceleration and velocity that no axis' limits forbid, see `modiapy.library.motion_profiles`.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..model.errors import ModelError
from ..model.model import Model, Var
from ..model.tables import Table1D
from .motion_profiles import MotionLimits, Profile, move

NO_WAY = 1e-100
"""Ways below this [rad or m] take no time; a limit divided by one of them would overflow."""

Positions = Sequence[float] | np.ndarray

_RESERVED = ("description", "pieces", "begin", "equations")
"""What a path needs besides its axes."""


@dataclass(frozen=True)
class PtpTrajectory:
    """One point-to-point motion.

    Attributes:
        start_time: time at which it begins [s].
        start, end: positions of all joints (rad or m).
        phases: of the path parameter s.
    """

    start_time: float
    start: tuple[float, ...]
    end: tuple[float, ...]
    phases: Profile

    @property
    def duration(self) -> float:
        """Duration of the whole trajectory [s]."""
        return sum(phase.duration for phase in self.phases)

    @property
    def end_time(self) -> float:
        """Time at which the target is reached [s]."""
        return self.breakpoints[-1]

    @cached_property
    def breakpoints(self) -> tuple[float, ...]:
        """Times at which the acceleration jumps [s]: start, end of acceleration, start of deceleration if it differs, end."""
        return tuple(itertools.accumulate((phase.duration for phase in self.phases), initial=self.start_time))

    def evaluate(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the position, velocity and acceleration of all joints at ``time`` [s], each of shape (n,).

        Before the trajectory the joints rest at ``start``, after it at ``end``, exactly. At a breakpoint the acceleration is
        that of the piece which begins there.
        """
        start, end = np.array(self.start), np.array(self.end)
        way, rest = end - start, np.zeros(len(self.start))
        k = bisect_right(self.breakpoints, time) - 1
        if not 0 <= k < len(self.phases):
            return start if k < 0 else end, rest, rest
        s, ds, dds = self.phases[k].at(time - self.breakpoints[k])
        return start + s * way, ds * way, dds * way


def ptp_trajectory(
    start_time: float, start: Positions, end: Positions, v_max: Positions, a_max: Positions
) -> PtpTrajectory | None:
    """Return the fastest synchronised motion from ``start`` to ``end``; None if the two are equal (to 1e-100).

    Args:
        start_time: when it begins [s].
        start, end: positions, shape (n,).
        v_max, a_max: largest velocity and acceleration of each joint, positive, shape (n,).
    """
    if not len(start) == len(end) == len(v_max) == len(a_max):
        raise ModelError(
            "point-to-point motion of unequal lengths",
            found=f"start {len(start)}, end {len(end)}, v_max {len(v_max)}, a_max {len(a_max)}",
            expected="one value for each joint",
        )
    ways = [abs(b - a) for a, b in zip(start, end, strict=True)]
    if max(ways, default=0.0) < NO_WAY:
        return None
    velocity = min(v / way for v, way in zip(v_max, ways, strict=True) if way >= NO_WAY)
    acceleration = min(a / way for a, way in zip(a_max, ways, strict=True) if way >= NO_WAY)
    phases = move(1.0, MotionLimits(float(velocity), float(acceleration)))
    return PtpTrajectory(float(start_time), tuple(map(float, start)), tuple(map(float, end)), phases)


def ptp_duration(start: Positions, end: Positions, v_max: Positions, a_max: Positions) -> float:
    """Return the duration of the point-to-point motion from ``start`` to ``end`` [s]; 0 if the two are equal.

    Args:
        start, end: positions of the joints [rad or m].
        v_max, a_max: largest velocity and acceleration of each.
    """
    trajectory = ptp_trajectory(0.0, start, end, v_max, a_max)
    return trajectory.duration if trajectory is not None else 0.0


def ptp_trajectories(
    positions: Sequence[Positions], v_max: Positions, a_max: Positions, start_time: float = 0.0
) -> list[PtpTrajectory]:
    """Return the motions through several points, one after the other without a pause; arguments as `ptp_path`."""
    trajectories: list[PtpTrajectory] = []
    for start, end in itertools.pairwise(positions):
        trajectory = ptp_trajectory(trajectories[-1].end_time if trajectories else start_time, start, end, v_max, a_max)
        trajectories += [] if trajectory is None else [trajectory]
    return trajectories


def ptp_path(
    names: Sequence[str], positions: Sequence[Positions], v_max: Positions, a_max: Positions, start_time: float = 0.0
) -> Model:
    """Return a model with a reference path through several points, at rest in each of them.

    Args:
        names: of the axes; each is a submodel with the outputs ``position``, ``velocity`` and ``acceleration`` (rad or m, s).
            A name is given once; ``description``, ``pieces``, ``begin`` and ``equations`` are taken.
        positions: the points, each with one value for each axis; the first is where the path begins.
        v_max, a_max: largest velocity and acceleration of each axis, positive.
        start_time: when the motion begins [s].

    Raises:
        ModelError: arguments that do not fit each other, a name that is taken, a limit that is not positive.
    """
    points = [np.array(point, dtype=float) for point in positions]
    if not points or any(len(part) != len(names) for part in (*points, v_max, a_max)) or not names:
        found = f"{len(names)} names, points of {', '.join(str(len(p)) for p in points) or 'no'} values"
        found += f", {len(v_max)} and {len(a_max)} limits"
        raise ModelError("ptp_path", found=found, expected="at least one point, and one value for each axis everywhere")
    if min(*v_max, *a_max) <= 0.0:
        raise ModelError("ptp_path", found=f"v_max={v_max!r}, a_max={a_max!r}", expected="positive limits")
    data = np.array(list(_pieces(points[0], ptp_trajectories(points, v_max, a_max, start_time), start_time)))
    taken = [name for k, name in enumerate(names) if name in (*_RESERVED, *names[:k])]
    if taken:
        expected = f"each name once, and none of {', '.join(_RESERVED)}"
        raise ModelError("ptp_path", found=f"an axis named {taken[0]!r}", expected=expected)
    axis = Model(position=Var(output=True), velocity=Var(output=True), acceleration=Var(output=True), q=Var(), v=Var(), a=Var())
    left = ", ".join(["begin", *(f"{name}.{letter}" for name in names for letter in "qva")])
    equations = [f"({left}) = pieces(time)"]
    for name in names:
        equations += [
            f"{name}.position = {name}.q + (time - begin)*({name}.v + (time - begin)*{name}.a/2)",
            f"{name}.velocity = {name}.v + (time - begin)*{name}.a",
            f"{name}.acceleration = {name}.a",
        ]
    return Model(
        description="Synchronised point-to-point motions through " + f"{len(points)} points",
        pieces=Table1D(data, interpolation="constant", extrapolation="hold"),
        begin=Var(description="when the present piece begins [s]"),
        **dict.fromkeys(names, axis),
        equations=equations,
    )


def _pieces(start: np.ndarray, trajectories: Sequence[PtpTrajectory], start_time: float) -> Iterator[list[float]]:
    """Generate the rows (time, time, and of each axis position, velocity, acceleration there) from which on another parabola
    holds.
    """
    before = min(start_time, 0.0) - 1.0
    yield [before, before, *(value for q in start for value in (q, 0.0, 0.0))]
    times = sorted({t for trajectory in trajectories for t in trajectory.breakpoints} | {start_time})
    for time in times:
        trajectory = max(
            (trajectory for trajectory in trajectories if trajectory.start_time <= time),
            key=lambda trajectory: trajectory.start_time,
            default=None,
        )
        rest = np.zeros(len(start))
        at = trajectory.evaluate(time) if trajectory is not None else (start, rest, rest)
        yield [time, time, *(float(value) for axis in zip(*at, strict=True) for value in axis)]
