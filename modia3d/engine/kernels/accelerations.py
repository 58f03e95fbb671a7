"""Accelerations of all joints and bodies at many time points; compiled where somebody asks for them."""

from __future__ import annotations

import numpy as np

from modia3d.constraints.kernels.contact_rows import is_contact
from modia3d.constraints.kernels.contact_state import contact_state
from modia3d.constraints.kernels.loop_accelerations import eliminate_rows, meet_rows
from modia3d.constraints.kernels.loop_arrays import loop_arrays
from modia3d.constraints.kernels.loop_projection import measure_loops
from modia3d.dynamics.accelerations import body_accelerations
from modia3d.dynamics.basics.layout import WORK_COLUMNS
from modia3d.dynamics.basics.spatial import kernel, load3, store3
from modia3d.dynamics.hybrid import hybrid_finish, hybrid_prepare
from modiapy.acausal.native import njit

from ..memory.accessors import over_time
from .motion import CUBE, MATRIX


@kernel
def take_exerted(loops, exerted):  # type: ignore[no-untyped-def]
    """Collect the wrenches that contacts exert on the bodies of their second frames."""
    L = loop_arrays(loops)
    for i in range(L.n_cuts):
        for k in range(6):
            exerted[i, k] = 0.0
            for r in range(L.row_start[i], L.row_start[i + 1]):
                if L.of_contact[r] != 0:
                    exerted[i, k] += L.multipliers[r] * L.coefficients[r, k]
        if is_contact(L.cuts, i):
            _, _, point, _, _ = contact_state(L.cuts, i, L.R, L.p, L.v_W, L.w_W)
            store3(exerted, i, 6, load3(L.points, i, 0))
            store3(exerted, i, 9, point)


@njit(f"void(int64, int64, {MATRIX}, {MATRIX}, {CUBE}, {MATRIX}, {CUBE})", cache=True)
def accelerations(motion, loops, a_e, tau, wrenches, free, exerted):  # type: ignore[no-untyped-def]
    """Compute the accelerations of all joints, ``a`` of `OVER_TIME`.

    Args:
        motion: address of `OVER_TIME`.
        loops: address of `loop_layout.LOOPS`, with the first coordinates in it; 0 where nothing closes loops.
        a_e, tau: accelerations of prescribed joints (nt, n_e); generalized forces applied at all others (nt, nv).
        wrenches: on bodies (nt, n, 6).
        free: result where there are loops, shape (nt, nv): without their multipliers.
        exerted: result, shape (nt, n_cuts, 12): of contacts force, torque, the point where the force acts, and where the solids
            touch, in world.
    """
    m = over_time(motion)
    n_e = a_e.shape[1]
    mass, bias, coupling = np.zeros((n_e, n_e)), np.zeros(n_e), np.zeros((n_e, m.n_v - n_e))
    work = np.zeros((m.n, WORK_COLUMNS))
    if loops != 0:
        measure_loops(m.floats, loops)
    for i in range(m.n_t):
        status = hybrid_prepare(m.ints, m.floats, m.gravity, m.q[i], m.v[i], tau[i], wrenches[i], mass, bias, coupling, work)
        if loops == 0:
            hybrid_finish(m.ints, m.gravity, a_e[i], coupling, work, m.a[i])
            continue
        eliminate_rows(m.ints, m.floats, m.gravity, m.q[i], m.v[i], mass, bias, coupling, work, free[i], loops)
        meet_rows(m.ints, m.gravity, a_e[i], coupling, work, m.a[i], loops)
        take_exerted(loops, exerted[i])
        if status != 0:
            m.a[i, :] = free[i, :] = 0.0


@njit(f"void(int64, {MATRIX})", cache=True)
def accelerations_in_world(motion, work):  # type: ignore[no-untyped-def]
    """Compute the accelerations of origins and angular accelerations, ``a_W`` and ``alpha_W`` of `OVER_TIME`."""
    m = over_time(motion)
    for i in range(m.n_t):
        body_accelerations(m.ints, m.floats, m.q[i], m.v[i], m.a[i], m.R[i], m.p[i], m.w_W[i], m.a_W[i], m.alpha_W[i], work)
