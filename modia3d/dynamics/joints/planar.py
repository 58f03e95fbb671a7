"""Planar joint: translation along x and y of J, then rotation about z, q = (s_x, s_y, phi), v = (v_x, v_y, w)."""

from __future__ import annotations

from ..basics.records import store_column
from ..basics.spatial import kernel, turn_about_z


@kernel
def pose(q, k):
    """``R_JB`` and ``p_JB_J``."""
    return turn_about_z(q[k + 2]), (q[k], q[k + 1], 0.0)


@kernel
def columns(work, i):
    """Motion subspace in J."""
    store_column(work, i, 0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    store_column(work, i, 1, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    store_column(work, i, 2, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
