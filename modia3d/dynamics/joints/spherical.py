"""Spherical joint: q describes ``R_JB`` (see `orientation`), v = ``w_JB_B``."""

from __future__ import annotations

from ..basics.orientation import rotation
from ..basics.records import store_column
from ..basics.spatial import columns as columns_of
from ..basics.spatial import kernel


@kernel
def pose(orientation, q, k):
    """``R_JB`` and ``p_JB_J``."""
    return rotation(orientation, q, k), (0.0, 0.0, 0.0)


@kernel
def columns(work, i, first, R):
    """Motion subspace in J, the axes of B, written to the records from ``first`` on."""
    x, y, z = columns_of(R)
    store_column(work, i, first, x, (0.0, 0.0, 0.0))
    store_column(work, i, first + 1, y, (0.0, 0.0, 0.0))
    store_column(work, i, first + 2, z, (0.0, 0.0, 0.0))
