"""Inverse dynamics by the recursive Newton-Euler algorithm (Luh, Walker & Paul 1980), in body coordinates.

Accelerations are conventional ones (second derivatives of positions), so linear velocities are not needed; gravity is an
acceleration of the world upwards.
"""

from __future__ import annotations

from modiapy.acausal.native import njit, types

from .basics.layout import FREE, KIND, PARENT, STATUS_OK, V_INDEX, W_ACCELERATION, W_FORCE, W_OMEGA, W_P, W_R
from .basics.spatial import (
    INTS,
    MATRIX,
    OPTIONS,
    VECTOR,
    add,
    add3,
    apply,
    apply_transposed,
    centripetal,
    cross,
    load3,
    load9,
    store3,
    store9,
    subtract,
    wrench_to_parent,
)
from .joints import free, general
from .joints.joint import accelerate, motion, prepare, project, wrench_of_body
from .joints.kinds import V_SIZE


@njit(types.int64(INTS, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX), **OPTIONS)
def inverse_dynamics(ints, floats, gravity, q, v, a, tau, work):
    """Compute the generalized forces ``tau`` [N m, N] for the accelerations ``a`` at coordinates ``q`` and speeds ``v``.

    Args:
        ints, floats, gravity: the forest, see `layout`.
        q, v, a: shapes (nq,), (nv,), (nv,).
        tau: result, shape (nv,); may be the same array as ``a``.
        work: scratch, shape (n, WORK_COLUMNS).

    Returns:
        STATUS_OK.
    """
    n_bodies = ints.shape[0]
    g = (gravity[0], gravity[1], gravity[2])
    for i in range(n_bodies):
        kind, parent, k = ints[i, KIND], ints[i, PARENT], ints[i, V_INDEX]
        R, p = prepare(ints, floats, i, q, work)
        if kind == FREE:
            w, alpha = free.angular(v, k), free.angular(a, k)
            acc = apply_transposed(R, subtract(free.linear(a, k), g))
        else:
            w, alpha, acc = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (-g[0], -g[1], -g[2])
            if parent >= 0:
                w, alpha, acc = (
                    load3(work, parent, W_OMEGA),
                    load3(work, parent, W_ACCELERATION),
                    load3(work, parent, W_ACCELERATION + 3),
                )
                acc = add(acc, add(cross(alpha, p), centripetal(w, p)))
            w, alpha, acc = apply_transposed(R, w), apply_transposed(R, alpha), apply_transposed(R, acc)
            if kind > FREE:
                w, c_alpha, c_acc = general.motion(ints, floats, i, R, p, w, v, work)
                s_alpha, s_acc = general.combine(ints, work, i, a)
                alpha, acc = add(add(alpha, c_alpha), s_alpha), add(add(acc, c_acc), s_acc)
            else:
                w, c_alpha, c_acc = motion(kind, w, v[k])
                alpha, acc = accelerate(kind, add(alpha, c_alpha), add(acc, c_acc), a[k])
        n, f = wrench_of_body(floats, i, w, alpha, acc)
        store9(work, i, W_R, R)
        store3(work, i, W_P, p)
        store3(work, i, W_OMEGA, w)
        store3(work, i, W_ACCELERATION, alpha)
        store3(work, i, W_ACCELERATION + 3, acc)
        store3(work, i, W_FORCE, n)
        store3(work, i, W_FORCE + 3, f)
    for i in range(n_bodies - 1, -1, -1):
        kind, parent, k = ints[i, KIND], ints[i, PARENT], ints[i, V_INDEX]
        n, f = load3(work, i, W_FORCE), load3(work, i, W_FORCE + 3)
        R = load9(work, i, W_R)
        if kind == FREE:
            free.store(tau, k, n, apply(R, f))
        else:
            if kind > FREE:
                for j in range(V_SIZE[kind]):
                    tau[k + j] = general.project(work, i, j, n, f)
            else:
                tau[k] = project(kind, n, f)
            if parent >= 0:
                n, f = wrench_to_parent(R, load3(work, i, W_P), n, f)
                add3(work, parent, W_FORCE, n)
                add3(work, parent, W_FORCE + 3, f)
    return STATUS_OK
