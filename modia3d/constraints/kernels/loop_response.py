"""Accelerations that multipliers of closed loops cause, and these once more where large multipliers leave rounding."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.articulated import (
    carried_acceleration,
    free_acceleration,
    keep_acceleration,
    passive_acceleration,
    store_acceleration,
)
from modia3d.dynamics.basics.layout import (
    FREE,
    KIND,
    LOCKED,
    PARENT,
    PASSIVE,
    PRESCRIBED,
    ROLE,
    V_INDEX,
    W_ACCELERATION,
    W_D_INV,
    W_R,
    W_U,
)
from modia3d.dynamics.basics.records import column
from modia3d.dynamics.basics.spatial import add, apply, kernel, load3, load9, scale, store3
from modia3d.dynamics.joints import free, general
from modia3d.dynamics.joints.kinds import V_SIZE

from .cut_joint import evaluate_rows
from .loop_arrays import loop_arrays
from .loop_factors import solve_backward, solve_forward

REFINEMENTS = 2
"""So often accelerations are corrected where rounding may have left something."""


@kernel
def push(ints, loops, multipliers):
    """Add to ``pushed`` (nv,) what multipliers (m,) exert on the passive joints."""
    L = loop_arrays(loops)
    n_cuts, row_start, tau_start, path_length = L.n_cuts, L.row_start, L.tau_start, L.path_length
    path_start, path, path_at, pushed, tau = L.path_start, L.path, L.path_at, L.pushed, L.tau
    for i in range(n_cuts):
        for r in range(row_start[i], row_start[i + 1]):
            multiplier = multipliers[r]
            if multiplier == 0.0:
                continue
            at = tau_start[i] + (r - row_start[i]) * path_length[i]
            for e in range(path_start[i], path_start[i + 1]):
                k, here = ints[path[e], V_INDEX], at + path_at[e]
                for j in range(V_SIZE[ints[path[e], KIND]]):
                    pushed[k + j] += multiplier * tau[here + j]


@kernel
def accelerate_pushed(ints, gravity, a_e, pushed, work, a):
    """Compute all accelerations, where those of the prescribed joints are the first of ``a_e`` and passive ones are ``pushed``
    besides.

    ``pushed`` (nv,) is generalized force as it arrives at each joint, of free bodies torque and force in B. ``work`` as
    `hybrid.hybrid_prepare` has left it.
    """
    for i in range(ints.shape[0]):
        kind, parent, k = ints[i, KIND], ints[i, PARENT], ints[i, V_INDEX]
        if kind == FREE:
            n = add(load3(work, i, W_U), (pushed[k], pushed[k + 1], pushed[k + 2]))
            f = add(load3(work, i, W_U + 3), (pushed[k + 3], pushed[k + 4], pushed[k + 5]))
            alpha, acc = free_acceleration(work, i, n, f)
            free.store(a, k, alpha, free.acceleration_in_world(load9(work, i, W_R), acc, gravity))
            continue
        alpha, acc = carried_acceleration(work, i, parent, gravity)
        if kind > FREE:
            for j in range(V_SIZE[kind]):
                if ints[i, ROLE] == PASSIVE:
                    a[k + j], alpha, acc = general.acceleration(work, i, j, alpha, acc, -pushed[k + j])
                else:
                    a[k + j] = a_e[k + j] if ints[i, ROLE] == PRESCRIBED else 0.0
                    w, v = column(work, i, j)
                    alpha, acc = add(alpha, scale(a[k + j], w)), add(acc, scale(a[k + j], v))
            keep_acceleration(work, i, alpha, acc)
            continue
        if ints[i, ROLE] == PRESCRIBED:
            a[k] = a_e[k]
        elif ints[i, ROLE] == LOCKED:
            a[k] = 0.0
        else:
            a[k] = passive_acceleration(work, i, alpha, acc) + work[i, W_D_INV] * pushed[k]
        store_acceleration(kind, work, i, alpha, acc, a[k])


@kernel
def accelerations_in_world(R, gravity, work, a_W, alpha_W):
    """Compute the accelerations of all bodies in world, after `accelerate_pushed`."""
    for i in range(R.shape[0]):
        R_WB = load9(R, i, 0)
        store3(alpha_W, i, 0, apply(R_WB, load3(work, i, W_ACCELERATION)))
        a = apply(R_WB, load3(work, i, W_ACCELERATION + 3))
        store3(a_W, i, 0, add(a, (gravity[0], gravity[1], gravity[2])))


@kernel
def refine(ints, gravity, a_e, work, a, loops):
    """Correct accelerations by what they leave of the rows, where these move light bodies beside heavy ones.

    A multiplier that is exact to its last digit may still accelerate a light body by more than all else does: what is left of
    the rows says by how much. Arguments as those of `accelerate_pushed`, which was called last, with ``pushed``.
    """
    L = loop_arrays(loops)
    if L.lost[0] == 0:
        return
    for _ in range(REFINEMENTS):
        accelerations_in_world(L.R, gravity, work, L.a_W, L.alpha_W)
        evaluate_rows(L.cuts, L.R, L.p, L.v_W, L.w_W, L.a_W, L.alpha_W, L.points, L.coefficients, L.residual, L.speed, L.rest)
        for r in range(L.m):
            L.rest[r] = -L.rest[r]
        solve_forward(loops, L.rest)
        solve_backward(loops, L.rest)
        push(ints, loops, L.rest)
        accelerate_pushed(ints, gravity, a_e, L.pushed, work, a)
