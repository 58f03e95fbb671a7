"""Accelerations of all joints and bodies at many time points; compiled where somebody asks for them."""

from __future__ import annotations

import numpy as np
from numba import njit

from modia3d.dynamics.accelerations import body_accelerations
from modia3d.dynamics.hybrid import hybrid_finish, hybrid_prepare

from .motion import CUBE, INTS, MATRIX, VECTOR


@njit(f"void({INTS}, {MATRIX}, {VECTOR}, {MATRIX}, {MATRIX}, {CUBE}, {MATRIX}, {MATRIX}, {MATRIX}, {MATRIX})", cache=True)
def accelerations(ints, floats, gravity, q, v, wrenches, a_e, coupling, work, a):  # type: ignore[no-untyped-def]
    """Accelerations of all joints, a[nt, nv], that follow from those of the prescribed joints, a_e[nt, n_e]."""
    n_e, nv = a_e.shape[1], v.shape[1]
    tau, mass, bias = np.zeros(nv), np.zeros((n_e, n_e)), np.zeros(n_e)
    for i in range(q.shape[0]):
        hybrid_prepare(ints, floats, gravity, q[i], v[i], tau, wrenches[i], mass, bias, coupling, work)
        hybrid_finish(ints, gravity, a_e[i], coupling, work, a[i])


@njit(f"void({INTS}, {MATRIX}, {MATRIX}, {MATRIX}, {MATRIX}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def accelerations_in_world(ints, floats, q, v, a, R, p, w_W, a_W, alpha_W, work):  # type: ignore[no-untyped-def]
    """Accelerations of origins and angular accelerations, both [nt, n, 3], for a[nt, nv]."""
    for i in range(a.shape[0]):
        body_accelerations(ints, floats, q[i], v[i], a[i], R[i], p[i], w_W[i], a_W[i], alpha_W[i], work)
