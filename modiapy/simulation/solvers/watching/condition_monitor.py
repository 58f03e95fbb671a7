"""Conditions that are not compiled. They are evaluated at parts of each step; their beginning is found on the dense output."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .instants import WATCHED_PARTS, precision

ConditionMonitor = Callable[[float, np.ndarray], bool]
"""``holds = monitor(t, x)``: whether something holds at ``t`` [s] with the states ``x`` (n,)."""


def begins_to_hold(
    monitor: ConditionMonitor, begin: float, end: float, until: float, states: Callable[[float], np.ndarray]
) -> float | None:
    """Find the time [s] at which ``monitor`` begins to hold in a step, by bisection; it holds at that time.

    None if it does not hold up to ``until`` at the points where it is evaluated: fixed parts of the step from ``begin`` to
    ``end``, and ``until``.

    Args: states: the dense output.
    """
    low, width = begin, precision(begin, end)
    for part in WATCHED_PARTS:
        high = min(begin + part * (end - begin) if part < 1.0 else end, until)
        if monitor(high, states(high)):
            break
        if high == until:
            return None
        low = high
    while high - low > width:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if monitor(middle, states(middle)):
            high = middle
        else:
            low = middle
    return high
