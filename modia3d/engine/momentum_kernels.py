"""Energies and momenta of all bodies at many time points; compiled where somebody asks for one of them."""

from __future__ import annotations

import numpy as np
from numba import njit

from modia3d.dynamics.accelerations import body_accelerations
from modia3d.dynamics.energy import kinetic_energy, momentum, momentum_rates, potential_energy
from modia3d.dynamics.hybrid import hybrid_finish, hybrid_prepare

from .motion_kernels import CUBE, INTS, MATRIX, VECTOR


@njit(f"void({MATRIX}, {VECTOR}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def energies(floats, gravity, R, p, v_W, w_W, out):  # type: ignore[no-untyped-def]
    """Kinetic and potential energy, out[nt, 2]."""
    for i in range(out.shape[0]):
        out[i, 0] = kinetic_energy(floats, R[i], v_W[i], w_W[i])
        out[i, 1] = potential_energy(floats, gravity, R[i], p[i])


@njit(f"void({MATRIX}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def momenta(floats, R, p, v_W, w_W, out):  # type: ignore[no-untyped-def]
    """Linear and angular momentum, out[nt, 6]."""
    for i in range(out.shape[0]):
        momentum(floats, R[i], p[i], v_W[i], w_W[i], out[i])


@njit(f"void({INTS}, {MATRIX}, {VECTOR}, {MATRIX}, {MATRIX}, {CUBE}, {MATRIX}, {MATRIX}, {MATRIX}, {MATRIX})", cache=True)
def accelerations(ints, floats, gravity, q, v, wrenches, a_e, coupling, work, a):  # type: ignore[no-untyped-def]
    """Accelerations of all joints, a[nt, nv], that follow from those of the equation joints, a_e[nt, n_e]."""
    n_e, nv = a_e.shape[1], v.shape[1]
    tau, mass, bias = np.zeros(nv), np.zeros((n_e, n_e)), np.zeros(n_e)
    for i in range(q.shape[0]):
        hybrid_prepare(ints, floats, gravity, q[i], v[i], tau, wrenches[i], mass, bias, coupling, work)
        hybrid_finish(ints, gravity, a_e[i], coupling, work, a[i])


@njit(f"void({INTS}, {MATRIX}, {MATRIX}, {MATRIX}, {MATRIX}, {CUBE}, {CUBE}, {CUBE}, {MATRIX}, {MATRIX})", cache=True)
def momenta_rates(ints, floats, q, v, a, R, p, w_W, work, out):  # type: ignore[no-untyped-def]
    """Derivatives of the momenta, out[nt, 6], for the accelerations a[nt, nv]."""
    a_W, alpha_W = np.zeros_like(p[0]), np.zeros_like(p[0])
    for i in range(out.shape[0]):
        body_accelerations(ints, floats, q[i], v[i], a[i], R[i], p[i], w_W[i], a_W, alpha_W, work)
        momentum_rates(floats, R[i], p[i], w_W[i], a_W, alpha_W, out[i])
