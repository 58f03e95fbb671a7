"""Whether numbers are finite, asked at each event."""

from __future__ import annotations

import math

import numpy as np


def all_finite(values: np.ndarray) -> bool:
    """Whether all elements are: the sum of their squares is not, where one of them is not, and takes a third of the time."""
    flat = values.ravel()
    return math.isfinite(flat.dot(flat)) or bool(np.isfinite(values).all())
