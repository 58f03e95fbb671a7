"""Accelerations of all bodies at many time points; compiled where somebody asks for them."""

from __future__ import annotations

from numba import njit

from modia3d.dynamics.accelerations import body_accelerations

from .motion_kernels import CUBE, INTS, MATRIX


@njit(f"void({INTS}, {MATRIX}, {MATRIX}, {MATRIX}, {MATRIX}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def accelerations_in_world(ints, floats, q, v, a, R, p, w_W, a_W, alpha_W, work):  # type: ignore[no-untyped-def]
    """Accelerations of origins and angular accelerations, both [nt, n, 3], for a[nt, nv]."""
    for i in range(a.shape[0]):
        body_accelerations(ints, floats, q[i], v[i], a[i], R[i], p[i], w_W[i], a_W[i], alpha_W[i], work)
