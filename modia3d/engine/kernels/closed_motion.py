"""Accelerations in closed loops at many time points; compiled where somebody asks for them."""

from __future__ import annotations

from modia3d.constraints.kernels.contact_friction import rub
from modia3d.constraints.kernels.contact_rows import is_contact
from modia3d.constraints.kernels.contact_state import contact_state
from modia3d.constraints.kernels.cut_joint import evaluate_rows
from modia3d.constraints.kernels.loop_arrays import loop_arrays
from modia3d.constraints.kernels.loop_factors import factorise, solve_backward, solve_forward
from modia3d.constraints.kernels.loop_matrix import feel_all
from modia3d.constraints.kernels.loop_projection import measure_loops
from modia3d.constraints.kernels.loop_response import accelerate_pushed, accelerations_in_world, push, refine
from modia3d.dynamics.basics.spatial import INTS, MATRIX, OPTIONS, VECTOR, kernel, load3, store3
from modia3d.dynamics.hybrid import hybrid_prepare
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modiapy.acausal.native import njit, types

_CUBE = types.float64[:, :, ::1]


@kernel
def take_exerted(loops, exerted):  # type: ignore[no-untyped-def]
    """Compute the wrenches of contacts on the bodies of their second frames -> ``exerted``."""
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


@njit(types.void(INTS, MATRIX, VECTOR, MATRIX, MATRIX, MATRIX, _CUBE, types.int64, MATRIX, MATRIX, _CUBE), **OPTIONS)
def closed_accelerations(ints, floats, gravity, q, v, tau, wrenches, loops, free, a, exerted):  # type: ignore[no-untyped-def]
    """Compute the accelerations of all joints with and without the multipliers of closed loops.

    Args:
        ints, floats, gravity: the forest, see `layout`; no joint is prescribed.
        q, v, tau: coordinates (nt, nq), speeds and applied generalized forces (nt, nv). wrenches: on bodies (nt, n, 6).
        loops: address of `loop_layout.LOOPS`, with the first coordinates in it.
        free, a: results, shape (nt, nv): without multipliers, and with them.
        exerted: result, shape (nt, n_cuts, 12): of contacts force, torque, the point where the force acts, and where the solids
            touch, in world.
    """
    L = loop_arrays(loops)
    measure_loops(floats, loops)
    for i in range(q.shape[0]):
        status = hybrid_prepare(ints, floats, gravity, q[i], v[i], tau[i], wrenches[i], L.factor, L.width, L.B, L.work)
        body_poses(ints, floats, q[i], L.R, L.p)
        body_velocities(ints, floats, q[i], v[i], L.R, L.p, L.v_W, L.w_W, L.work_2)
        for k in range(v.shape[1]):
            L.pushed[k] = 0.0
        accelerate_pushed(ints, gravity, L.still, 0, L.pushed, L.work, free[i])
        accelerations_in_world(L.R, gravity, L.work, L.a_W, L.alpha_W)
        evaluate_rows(L.cuts, L.R, L.p, L.v_W, L.w_W, L.a_W, L.alpha_W, L.points, L.coefficients, L.residual, L.speed, L.rest)
        feel_all(ints, L.work, loops)
        factorise(loops, False)
        for r in range(L.m):
            L.multipliers[r] = -L.rest[r]
        solve_forward(loops, L.multipliers)
        solve_backward(loops, L.multipliers)
        if L.n_freedoms > 0:
            rub(ints, loops)
            take_exerted(loops, exerted[i])
        push(ints, loops, L.multipliers)
        accelerate_pushed(ints, gravity, L.still, 0, L.pushed, L.work, a[i])
        refine(ints, gravity, L.still, 0, L.work, a[i], loops)
        if status != 0:
            a[i, :] = free[i, :] = 0.0
