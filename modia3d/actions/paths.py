"""Reference paths in joint space: point-to-point motions, all joints synchronised, with limited velocity and acceleration.

A leg moves all joints of a path on the straight line ``q(t) = start + s(t) (end - start)``. The normalised path parameter
s goes from 0 to 1 with the largest acceleration and velocity that no joint's limits forbid: a trapezoid of ``ds/dt``, or a
triangle where the largest velocity is not reached. It is the profile of ``Modelica.Blocks.Sources.KinematicPTP``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modiapy.model.errors import ModelError

from ..engine.program import PackedPaths

_NO_WAY = 1e-100
"""Ways below this [rad or m] take no time; a limit divided by one of them would overflow."""

Positions = Sequence[float] | np.ndarray


@dataclass(frozen=True)
class PtpLeg:
    """One point-to-point motion.

    Attributes:
        start_time: time at which it begins [s].
        start, end: positions of all joints (rad or m).
        s_velocity: velocity ds/dt between the two ramps [1/s].
        s_acceleration: magnitude of d2s/dt2 in the ramps [1/s2].
        number: place of its action in the program, counted from 1; 0 outside of a program.
    """

    start_time: float
    start: tuple[float, ...]
    end: tuple[float, ...]
    s_velocity: float
    s_acceleration: float
    number: int = 0

    @cached_property
    def ramp_time(self) -> float:
        """Duration of the acceleration and of the deceleration [s]."""
        return self.s_velocity / self.s_acceleration

    @cached_property
    def duration(self) -> float:
        """Duration of the whole leg [s]."""
        return 1.0 / self.s_velocity + self.ramp_time

    @property
    def end_time(self) -> float:
        """Time at which the target is reached [s]."""
        return self.breakpoints[3]

    @cached_property
    def breakpoints(self) -> tuple[float, float, float, float]:
        """Times at which the acceleration jumps [s]: start, end of acceleration, start of deceleration, end.

        The middle two are equal where the largest velocity is not reached.
        """
        first, last = self.start_time, self.start_time + self.duration
        up, down = first + self.ramp_time, last - self.ramp_time
        return (first, up, max(up, down), last) if up < down else (first, 0.5 * (up + down), 0.5 * (up + down), last)

    def evaluate(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position, velocity and acceleration of all joints at ``time`` [s], each of shape (n,).

        Before the leg the joints rest at ``start``, after it at ``end``, exactly. At a breakpoint the acceleration is that of
        the piece which begins there.
        """
        t0, t1, t2, t3 = self.breakpoints
        start, end = np.array(self.start), np.array(self.end)
        way, rest = end - start, np.zeros(len(self.start))
        if time < t0:
            return start, rest, rest
        if time < t1:
            s, ds, dds = (0.5 * self.s_acceleration * (time - t0) ** 2, self.s_acceleration * (time - t0), self.s_acceleration)
            return start + s * way, ds * way, dds * way
        if time < t2:
            s = self.s_velocity * (time - t0 - 0.5 * self.ramp_time)
            return start + s * way, self.s_velocity * way, rest
        if time < t3:
            s, ds, dds = (0.5 * self.s_acceleration * (t3 - time) ** 2, self.s_acceleration * (t3 - time), self.s_acceleration)
            return end - s * way, ds * way, -dds * way
        return end, rest, rest


def ptp_leg(start_time: float, start: Positions, end: Positions, v_max: Positions, a_max: Positions) -> PtpLeg | None:
    """The fastest synchronised motion from ``start`` to ``end``; None if the two are equal (to 1e-100).

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
    if max(ways, default=0.0) < _NO_WAY:
        return None
    velocity = min(v / way for v, way in zip(v_max, ways, strict=True) if way >= _NO_WAY)
    acceleration = min(a / way for a, way in zip(a_max, ways, strict=True) if way >= _NO_WAY)
    peak = min(velocity, math.sqrt(acceleration))
    return PtpLeg(float(start_time), tuple(map(float, start)), tuple(map(float, end)), float(peak), float(acceleration))


def ptp_duration(start: Positions, end: Positions, v_max: Positions, a_max: Positions) -> float:
    """Duration of the point-to-point motion from ``start`` to ``end`` [s]; 0 if the two are equal. Arguments as `ptp_leg`."""
    leg = ptp_leg(0.0, start, end, v_max, a_max)
    return leg.duration if leg is not None else 0.0


@dataclass(frozen=True)
class ReferencePath:
    """A path of named joints over the whole program: where it begins, and its legs in the order of time.

    Attributes:
        names: names of the reference signals.
        position: where the joints rest before the first leg (rad or m).
        v_max, a_max: limits of each joint.
        legs: the motions; between them the joints rest.
    """

    names: tuple[str, ...]
    position: tuple[float, ...]
    v_max: tuple[float, ...]
    a_max: tuple[float, ...]
    legs: tuple[PtpLeg, ...] = ()

    def evaluate(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position, velocity and acceleration at ``time`` [s], each of shape (n,)."""
        current = [leg for leg in self.legs if leg.start_time <= time]
        if current:
            return current[-1].evaluate(time)
        rest = np.zeros(len(self.names))
        return np.array(self.position), rest, rest


def pack_paths(paths: Sequence[ReferencePath], time_offset: float = 0.0) -> PackedPaths:
    """Arrays of ``paths``; ``time_offset`` [s] is added to all their times."""
    width = max((len(p.names) for p in paths), default=0)
    n_rows = sum(1 + len(p.legs) for p in paths)
    packed = PackedPaths(
        np.zeros((len(paths), 4), np.int64),
        np.zeros((n_rows, 6)),
        np.zeros((n_rows, 2, width)),
        sum(len(p.names) for p in paths),
    )
    row = first = 0
    for k, path in enumerate(paths):
        n = len(path.names)
        packed.paths[k] = first, n, row, 1 + len(path.legs)
        packed.times[row] = (-math.inf,) * 4 + (0.0, 0.0)
        packed.positions[row, :, :n] = path.position
        for i, leg in enumerate(path.legs, start=row + 1):
            packed.times[i] = *(time_offset + t for t in leg.breakpoints), leg.s_velocity, leg.s_acceleration
            packed.positions[i, 0, :n] = leg.start
            packed.positions[i, 1, :n] = leg.end
        row += 1 + len(path.legs)
        first += n
    return packed
