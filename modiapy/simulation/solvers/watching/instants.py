"""Instants in a step of an integrator where it is looked at, and how precisely instants are located."""

from __future__ import annotations

import sys

INSIDE = 0.3819660112501051
"""Part of a step where indicators are always evaluated, besides its end: 2 minus the golden ratio, which meets no period."""

WATCHED_PARTS = (INSIDE, 1.0)
"""Parts of a step where conditions that are watched are asked for: where indicators are always evaluated."""

PRECISION = 100.0 * sys.float_info.epsilon


def precision(begin: float, end: float) -> float:
    """Return the precision of times that are located in a step [s]: that of CVODE's and IDA's root finding."""
    return PRECISION * (abs(end) + abs(end - begin))
