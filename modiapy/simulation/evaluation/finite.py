"""Check that numbers are finite, made at each event."""

from __future__ import annotations

import math

import numpy as np

ALONE = 10_000
"""So many elements OpenBLAS multiplies without threads of its own, which occupy other cores for longer than they work."""


def all_finite(values: np.ndarray) -> bool:
    """Return whether all elements are: the sum of their squares is not, where one of them is not, and takes a third of the
    time.
    """
    if values.size <= ALONE and math.isfinite(np.vdot(values, values)):  # unlike dot it does not warn of an overflow
        return True
    return bool(np.isfinite(values).all())
