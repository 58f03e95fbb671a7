"""Poses and velocities of all bodies at many time points; signatures are explicit, so that they compile once."""

from __future__ import annotations

from modia3d.dynamics.kinematics import body_poses, body_velocities
from modiapy.acausal.native import njit

INTS, VECTOR, MATRIX, CUBE = "int64[:,::1]", "float64[::1]", "float64[:,::1]", "float64[:,:,::1]"


@njit(f"void({INTS}, {MATRIX}, {MATRIX}, {CUBE}, {CUBE})", cache=True)
def poses(ints, floats, q, R, p):  # type: ignore[no-untyped-def]
    """Poses of all bodies, R[nt, n, 9] and p[nt, n, 3], for q[nt, nq]."""
    for i in range(q.shape[0]):
        body_poses(ints, floats, q[i], R[i], p[i])


@njit(f"void({INTS}, {MATRIX}, {MATRIX}, {MATRIX}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def velocities(ints, floats, q, v, R, p, v_W, w_W, work):  # type: ignore[no-untyped-def]
    """Velocities of all bodies, both [nt, n, 3], for q[nt, nq] and v[nt, nv]."""
    for i in range(v.shape[0]):
        body_velocities(ints, floats, q[i], v[i], R[i], p[i], v_W[i], w_W[i], work)
