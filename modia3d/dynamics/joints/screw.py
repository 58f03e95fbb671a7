"""Screw joint about z: the body advances along z in proportion to the angle, q = (phi), v = (w).

Motion subspace ``S = (e_z, h e_z)`` with the distance per angle h.
"""

from __future__ import annotations

from ..basics.records import store_column
from ..basics.spatial import kernel, turn_about_z


@kernel
def pose(q, k, h):
    """``R_JB`` and ``p_JB_J``."""
    return turn_about_z(q[k]), (0.0, 0.0, h * q[k])


@kernel
def columns(work, i, h):
    """Motion subspace in J."""
    store_column(work, i, 0, (0.0, 0.0, 1.0), (0.0, 0.0, h))
