"""Choice of the stored points that become key frames."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

MAX_FRAMES = 20_000
"""More key frames have room neither in a page nor in a browser."""

MAX_POSES = 2_000_000
"""As many poses, of all bodies together, have room in a page."""

ENOUGH = 3000
"""So many key frames are kept whatever the duration is."""

PER_SECOND = 30.0
"""Key frames per second of simulated time, between which interpolation is not seen."""


def key_frames(result: Any, bodies: int, fps: float | None = None) -> np.ndarray:
    """Return the numbers of the points of ``result.time`` that are shown, ascending.

    The first and the last point of each segment belong to them, so that nothing is interpolated across a change of structure.

    Args:
        result: of the simulation, with at least one point.
        bodies: how many poses there are at each of them.
        fps: at most so many per second of simulated time; None: `PER_SECOND` or all points if they are few.
    """
    time = np.asarray(result.time)
    duration = float(time[-1] - time[0])
    room = max(min(MAX_FRAMES, MAX_POSES // max(bodies, 1)), 2)
    if fps is None:
        fps = max(PER_SECOND, ENOUGH / duration) if duration > 0.0 else PER_SECOND
        if len(time) <= min(ENOUGH, room):
            return np.arange(len(time))
    ends = _segment_ends(result)
    if 2 * len(ends) > room:
        ends = np.array([0, len(time) - 1])
    found = _thinned(time, ends, fps)
    if len(found) <= room:
        return found
    asked = fps
    while len(found) > room:
        fps *= 0.9 * room / len(found)
        found = _thinned(time, ends, fps)
    instead = f"one every {1.0 / fps:.3g} s, in place of {asked:g} per second"
    warnings.warn(f"the animation of {duration:g} s has {len(found)} key frames, {instead}", stacklevel=3)
    return found


def _segment_ends(result: Any) -> np.ndarray:
    """Return the numbers of the first and the last point of each segment that has points."""
    sizes = np.array([result.segment(record.index).points for record in result.segments])
    last = np.cumsum(sizes) - 1
    return np.unique(np.concatenate([(last - sizes + 1)[sizes > 0], last[sizes > 0]]))


def _thinned(time: np.ndarray, ends: np.ndarray, fps: float) -> np.ndarray:
    """Return the first point of each interval of length ``1/fps``, and the points in ``ends``."""
    interval = np.floor((time - time[0]) * fps * (1.0 + 1e-12))
    first = np.flatnonzero(np.diff(interval, prepend=-1.0))
    return np.unique(np.concatenate([first, ends]))
