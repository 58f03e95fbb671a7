"""Forces and torques in a cut at many time points; compiled where somebody asks for them."""

from __future__ import annotations

import numpy as np
from numba import njit

from modia3d.forces.kernels.evaluate import wrenches_of_forces

from .cuts import cut_wrench, piece_motion
from .motion import CUBE, MATRIX, VECTOR


@njit(
    f"void({MATRIX}, int64[::1], {MATRIX}, {MATRIX}, {MATRIX}, {MATRIX}, {VECTOR}, {VECTOR},"
    f" {CUBE}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})",
    cache=True,
)
def cut_wrenches(  # type: ignore[no-untyped-def]
    table, members, pieces, inner, signals, f, gravity, time, R, p, v_W, w_W, a_W, alpha_W, out
):
    """Torque and force of the cut in row 0 of ``table``, out[nt, 6]; see `kernels.cuts.cut_wrench`."""
    n = pieces.shape[0]
    R_P, p_P, v_P, w_P, wrenches = np.zeros((n, 9)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 6))
    for i in range(out.shape[0]):
        piece_motion(pieces, R[i], p[i], v_W[i], w_W[i], R_P, p_P, v_P, w_P)
        wrenches_of_forces(inner, time[i], R_P, p_P, v_P, w_P, wrenches)
        found = cut_wrench(
            0, table, members, pieces, wrenches, signals, f[i], gravity, R[i], p[i], R_P, p_P, w_P, a_W[i], alpha_W[i]
        )
        for j in range(6):
            out[i, j] = found[j]
