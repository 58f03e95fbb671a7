"""Accelerations of all joints and bodies at many time points; compiled where somebody asks for them."""

from __future__ import annotations

import numpy as np

from modia3d.dynamics.accelerations import body_accelerations
from modia3d.dynamics.hybrid import hybrid_finish, hybrid_prepare
from modiapy.acausal.native import njit

from ..memory.accessors import over_time
from .motion import CUBE, MATRIX


@njit(f"void(int64, {CUBE}, {MATRIX}, {MATRIX}, {MATRIX})", cache=True)
def accelerations(motion, wrenches, a_e, coupling, work):  # type: ignore[no-untyped-def]
    """Compute the accelerations of all joints, ``a`` of `OVER_TIME`, that follow from those of the prescribed joints, a_e[nt,
    n_e].
    """
    m = over_time(motion)
    n_e, nv = a_e.shape[1], m.n_v
    tau, mass, bias = np.zeros(nv), np.zeros((n_e, n_e)), np.zeros(n_e)
    for i in range(m.n_t):
        hybrid_prepare(m.ints, m.floats, m.gravity, m.q[i], m.v[i], tau, wrenches[i], mass, bias, coupling, work)
        hybrid_finish(m.ints, m.gravity, a_e[i], coupling, work, m.a[i])


@njit(f"void(int64, {MATRIX})", cache=True)
def accelerations_in_world(motion, work):  # type: ignore[no-untyped-def]
    """Compute the accelerations of origins and angular accelerations, ``a_W`` and ``alpha_W`` of `OVER_TIME`."""
    m = over_time(motion)
    for i in range(m.n_t):
        body_accelerations(m.ints, m.floats, m.q[i], m.v[i], m.a[i], m.R[i], m.p[i], m.w_W[i], m.a_W[i], m.alpha_W[i], work)
