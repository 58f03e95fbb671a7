"""Reference paths in joint space: point-to-point motions one after the other, see `modiapy.library.paths`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modiapy.library.paths import PtpLeg, ptp_duration, ptp_leg

from ..engine.program import PackedPaths

__all__ = ["PtpLeg", "ReferencePath", "pack_paths", "ptp_duration", "ptp_leg"]


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
