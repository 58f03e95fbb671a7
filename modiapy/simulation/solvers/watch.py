"""Conditions that are not compiled: asked after each step, and where they begin to hold found on the dense output."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from ...model.errors import ModelError

Watch = Callable[[float, np.ndarray], bool]
"""``holds = watch(t, x)``: whether something holds at ``t`` [s] with the states ``x`` (n,)."""

_PRECISION = 100.0 * sys.float_info.epsilon
"""Of a root's time, relative to the time and the step: as CVODE's and IDA's root finding."""


def begins_to_hold(watch: Watch, before: float, after: float, states: Callable[[float], np.ndarray]) -> float | None:
    """When ``watch`` begins to hold in a step from ``before`` to ``after`` [s], by bisection; it holds at that time.

    None where it does not hold at the end of the step. What holds only in between is not seen.

    Args:
        states: the dense output.
    """
    if not watch(after, states(after)):
        return None
    low, high = before, after
    precision = _PRECISION * (abs(after) + abs(after - before))
    while high - low > precision:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if watch(middle, states(middle)):
            high = middle
        else:
            low = middle
    return high


def refuse_watch(solver: str, watch: Watch | None) -> None:
    """For integrators without a dense output. Raises ModelError."""
    if watch is not None:
        raise ModelError(
            f"the solver '{solver}' cannot wait for the conditions of a program",
            found="a condition, and an integrator that tells no states between its points",
            remedy="Use solver='cvode' or 'scipy'.",
        )
