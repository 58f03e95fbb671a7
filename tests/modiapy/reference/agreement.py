"""Comparison with published results.

A point agrees if it is within the tolerance, relative to the range of the signal. Around a switch the instant may differ by
1e-3 of the stop time: there the reference must lie between what the signal is before and after.
"""

from __future__ import annotations

import numpy as np

from modiapy import Model, Result
from tests.modiapy.runs import simulated

TOLERANCE = 1e-8
POINTS = 1000


def disagreement(result: Result, name: str, times: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Distance of each reference point from the result, relative to the range of the signal."""
    t, y = result.time, result[name]
    switches = np.unique(t[1:][np.diff(t) == 0.0])
    slack = 1e-3 * (t[-1] - t[0])
    scale = np.ptp(y) or 1.0
    found = []
    for time, value in zip(times, reference, strict=True):
        near = np.any(np.abs(switches - time) <= slack)
        own = y[np.abs(t - time) <= slack] if near else np.interp([time], t, y)
        found.append(max(own.min() - value, value - own.max(), 0.0) / scale)
    return np.array(found)


def assert_agreement(model: Model, reference: dict[str, list[float]], tolerance: float, points: int = POINTS) -> Result:
    """The result, if it agrees; between its points it is interpolated linearly."""
    times = np.array(reference["time"])
    result = simulated(model, times[-1], points)
    for name, values in reference.items():
        if name != "time":
            worst = disagreement(result, name, times, np.array(values))
            assert worst.max() <= tolerance, f"{name} at {times[worst.argmax()]} s: {worst.max():.1e} of its range"
    return result
