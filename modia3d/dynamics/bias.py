"""Generalized forces at zero acceleration; separate from `inverse_dynamics`, so that it is compiled only if it is needed."""

from __future__ import annotations

from modiapy.acausal.native import njit, types

from .basics.spatial import INTS, MATRIX, OPTIONS, VECTOR
from .inverse_dynamics import inverse_dynamics


@njit(types.int64(INTS, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX), **OPTIONS)
def bias(ints, floats, gravity, q, v, h, work):
    """Return the generalized forces ``h`` at zero acceleration (gravity, centrifugal and Coriolis); see `inverse_dynamics`."""
    for k in range(h.shape[0]):
        h[k] = 0.0
    return inverse_dynamics(ints, floats, gravity, q, v, h, h, work)
