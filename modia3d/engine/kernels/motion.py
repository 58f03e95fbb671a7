"""Poses and velocities of all bodies at many time points, and of one frame; signatures are explicit: they compile once."""

from __future__ import annotations

import numpy as np

from modia3d.dynamics.basics.layout import FLOAT_COLUMNS, INT_COLUMNS, PARENT, WORK_COLUMNS
from modia3d.dynamics.basics.spatial import add, apply, cross, load3, load9, multiply, store3, store9
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modiapy.acausal.native import njit

INDICES, INTS, VECTOR, MATRIX, CUBE = "int64[::1]", "int64[:,::1]", "float64[::1]", "float64[:,::1]", "float64[:,:,::1]"


@njit(f"void({INTS}, {MATRIX}, {MATRIX}, {CUBE}, {CUBE})", cache=True)
def poses(ints, floats, q, R, p):  # type: ignore[no-untyped-def]
    """Compute the poses of all bodies, R[nt, n, 9] and p[nt, n, 3], for q[nt, nq]."""
    for i in range(q.shape[0]):
        body_poses(ints, floats, q[i], R[i], p[i])


@njit(f"void({INTS}, {MATRIX}, {MATRIX}, {MATRIX}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def velocities(ints, floats, q, v, R, p, v_W, w_W, work):  # type: ignore[no-untyped-def]
    """Compute the velocities of all bodies, both [nt, n, 3], for q[nt, nq] and v[nt, nv]."""
    for i in range(v.shape[0]):
        body_velocities(ints, floats, q[i], v[i], R[i], p[i], v_W[i], w_W[i], work)


@njit(f"void({INTS}, {MATRIX}, {VECTOR}, {VECTOR}, {INDICES}, {MATRIX}, {MATRIX}, int64, {MATRIX})", cache=True)
def frame_motion(ints, floats, q, v, frame_body, frame_R, frame_p, frame, out):  # type: ignore[no-untyped-def]
    """Compute the motion of one frame F, ``out[1, 18]``: ``R_WF``, ``p_WF``, ``v_WF_W`` and ``w_WF_W``, for q[nq] and v[nv].

    Of the forest only the bodies between the frame and the world are looked at.
    """
    body, n = frame_body[frame], 0
    at = body
    while at >= 0:
        n, at = n + 1, ints[at, PARENT]
    R_BF, p_BF = load9(frame_R, frame, 0), load3(frame_p, frame, 0)
    for i in range(out.shape[1]):
        out[0, i] = 0.0
    if n == 0:
        store9(out, 0, 0, R_BF)
        store3(out, 0, 9, p_BF)
        return
    chain, numbers = np.empty((n, INT_COLUMNS), np.int64), np.empty((n, FLOAT_COLUMNS))
    at = body
    for i in range(n - 1, -1, -1):
        for k in range(INT_COLUMNS):
            chain[i, k] = ints[at, k]
        for k in range(FLOAT_COLUMNS):
            numbers[i, k] = floats[at, k]
        chain[i, PARENT] = i - 1
        at = ints[at, PARENT]
    R, p, v_W, w_W = np.empty((n, 9)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    body_poses(chain, numbers, q, R, p)
    body_velocities(chain, numbers, q, v, R, p, v_W, w_W, np.empty((n, WORK_COLUMNS)))
    R_WB, w = load9(R, n - 1, 0), load3(w_W, n - 1, 0)
    arm = apply(R_WB, p_BF)
    store9(out, 0, 0, multiply(R_WB, R_BF))
    store3(out, 0, 9, add(load3(p, n - 1, 0), arm))
    store3(out, 0, 12, add(load3(v_W, n - 1, 0), cross(w, arm)))
    store3(out, 0, 15, w)
