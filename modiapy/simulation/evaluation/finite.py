"""Test whether all numbers of an array are finite. It runs at each event."""

from __future__ import annotations

import math

import numpy as np

ALONE = 10_000
"""So many elements OpenBLAS multiplies without threads of its own, which occupy other cores for longer than they work."""


def all_finite(values: np.ndarray) -> bool:
    """Return whether all elements are finite. The sum of squares shows it in a third of the time of testing each element."""
    if values.size <= ALONE and math.isfinite(np.vdot(values, values)):  # unlike dot it does not warn of an overflow
        return True
    return bool(np.isfinite(values).all())
