"""The dynamics kernels over many time points at once; signatures are explicit, so that they compile once."""

from __future__ import annotations

import numpy as np
from numba import njit

from modia3d.dynamics import (
    body_accelerations,
    body_poses,
    body_velocities,
    hybrid_finish,
    hybrid_prepare,
    kinetic_energy,
    momentum,
    momentum_rates,
    potential_energy,
)
from modia3d.dynamics.layout import EQUATION, ROLE, coupling_shape, work_shape

_INTS, _VECTOR, _MATRIX, _CUBE = "int64[:,::1]", "float64[::1]", "float64[:,::1]", "float64[:,:,::1]"


@njit(f"void({_INTS}, {_MATRIX}, {_MATRIX}, {_CUBE}, {_CUBE})", cache=True)
def poses(ints, floats, q, R, p):  # type: ignore[no-untyped-def]
    """Poses of all bodies, R[nt, n, 9] and p[nt, n, 3], for q[nt, nq]."""
    for i in range(q.shape[0]):
        body_poses(ints, floats, q[i], R[i], p[i])


@njit(f"void({_INTS}, {_MATRIX}, {_CUBE}, {_CUBE}, {_CUBE}, {_CUBE})", cache=True)
def velocities(ints, v, R, p, v_W, w_W):  # type: ignore[no-untyped-def]
    """Velocities of all bodies, both [nt, n, 3], for v[nt, nv]."""
    for i in range(v.shape[0]):
        body_velocities(ints, v[i], R[i], p[i], v_W[i], w_W[i])


@njit(f"void({_MATRIX}, {_VECTOR}, {_CUBE}, {_CUBE}, {_CUBE}, {_CUBE}, {_MATRIX})", cache=True)
def energies(floats, gravity, R, p, v_W, w_W, out):  # type: ignore[no-untyped-def]
    """Kinetic and potential energy, out[nt, 2]."""
    for i in range(out.shape[0]):
        out[i, 0] = kinetic_energy(floats, R[i], v_W[i], w_W[i])
        out[i, 1] = potential_energy(floats, gravity, R[i], p[i])


@njit(f"void({_MATRIX}, {_CUBE}, {_CUBE}, {_CUBE}, {_CUBE}, {_MATRIX})", cache=True)
def momenta(floats, R, p, v_W, w_W, out):  # type: ignore[no-untyped-def]
    """Linear and angular momentum, out[nt, 6]."""
    for i in range(out.shape[0]):
        momentum(floats, R[i], p[i], v_W[i], w_W[i], out[i])


@njit(f"void({_INTS}, {_MATRIX}, {_VECTOR}, {_MATRIX}, {_MATRIX}, {_MATRIX}, {_CUBE}, {_CUBE}, {_CUBE}, {_MATRIX})", cache=True)
def momenta_rates(ints, floats, gravity, q, v, a_e, R, p, w_W, out):  # type: ignore[no-untyped-def]
    """Derivatives of the momenta, out[nt, 6], for the equation joints' accelerations a_e[nt, n_e]."""
    n, nv = ints.shape[0], v.shape[1]
    n_e = 0
    for b in range(n):
        n_e += ints[b, ROLE] == EQUATION
    tau, a = np.zeros(nv), np.zeros(nv)
    mass, bias = np.zeros((n_e, n_e)), np.zeros(n_e)
    coupling, work = np.zeros(coupling_shape(nv, n_e)), np.zeros(work_shape(n))
    a_W, alpha_W = np.zeros((n, 3)), np.zeros((n, 3))
    for i in range(out.shape[0]):
        hybrid_prepare(ints, floats, gravity, q[i], v[i], tau, mass, bias, coupling, work)
        hybrid_finish(ints, gravity, a_e[i], coupling, work, a)
        body_accelerations(ints, v[i], a, R[i], p[i], w_W[i], a_W, alpha_W)
        momentum_rates(floats, R[i], p[i], w_W[i], a_W, alpha_W, out[i])
