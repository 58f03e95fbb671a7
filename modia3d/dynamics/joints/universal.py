"""Universal joint: rotation about x, then about the new y, q = (phi_a, phi_b), v = (w_a, w_b).

Its motion subspace is the only one that turns relative to J and to B: the second axis turns with the first angle, so the
relative angular velocity has the derivative ``e_x x R e_y w_a w_b`` while both speeds are constant (see `general.motion`).
"""

from __future__ import annotations

from ..basics.records import store_column
from ..basics.spatial import kernel, rotate_about


@kernel
def pose(q, k):
    """``R_JB`` and ``p_JB_J``."""
    R = rotate_about((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), 0, q[k])
    return rotate_about(R, 1, q[k + 1]), (0.0, 0.0, 0.0)


@kernel
def columns(work, i, R):
    """Motion subspace in J; the second axis is the second column of ``R_JB``."""
    store_column(work, i, 0, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    store_column(work, i, 1, (R[1], R[4], R[7]), (0.0, 0.0, 0.0))
