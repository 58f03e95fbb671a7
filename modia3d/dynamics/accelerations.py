"""Accelerations of all bodies, in world. This is a separate module because a simulation itself does not need them."""

from __future__ import annotations

from modiapy.acausal.native import njit, types

from .basics.layout import FREE, KIND, PARENT, REVOLUTE, V_INDEX
from .basics.spatial import (
    INTS,
    MATRIX,
    OPTIONS,
    VECTOR,
    add,
    apply,
    apply_transposed,
    centripetal,
    cross,
    load3,
    load9,
    scale,
    store3,
    subtract,
)
from .joints import free, general
from .joints.joint import prepare


@njit(types.void(INTS, MATRIX, VECTOR, VECTOR, VECTOR, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def body_accelerations(ints, floats, q, v, a, R, p, w_W, a_W, alpha_W, work):
    """Compute the accelerations at poses ``R, p``, angular velocities ``w_W`` (see `body_velocities`), speeds ``v`` and ``a =
    der(v)``.

    Args:
        a_W: result, shape (n, 3), derivative of ``v_WB_W`` [m/s2], without gravity.
        alpha_W: result, shape (n, 3), derivative of ``w_WB_W`` [rad/s2].
        work: scratch, shape (n, WORK_COLUMNS).
    """
    for i in range(ints.shape[0]):
        kind, parent, k = ints[i, KIND], ints[i, PARENT], ints[i, V_INDEX]
        acc, alpha, w = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if parent >= 0:
            r = subtract(load3(p, i, 0), load3(p, parent, 0))
            w, alpha = load3(w_W, parent, 0), load3(alpha_W, parent, 0)
            acc = add(load3(a_W, parent, 0), add(cross(alpha, r), centripetal(w, r)))
        z = (R[i, 2], R[i, 5], R[i, 8])
        if kind == FREE:
            acc, alpha = free.linear(a, k), apply(load9(R, i, 0), free.angular(a, k))
        elif kind > FREE:
            R_WB = load9(R, i, 0)
            R_PB, p_PB = prepare(ints, floats, i, q, work)
            _, c_alpha, c_acc = general.motion(ints, floats, i, R_PB, p_PB, apply_transposed(R_WB, w), v, work)
            s_alpha, s_acc = general.combine(ints, work, i, a)
            acc, alpha = add(acc, apply(R_WB, add(c_acc, s_acc))), add(alpha, apply(R_WB, add(c_alpha, s_alpha)))
        elif kind == REVOLUTE:
            alpha = add(alpha, add(scale(a[k], z), scale(v[k], cross(w, z))))
        else:
            acc = add(acc, add(scale(a[k], z), scale(2.0 * v[k], cross(w, z))))
        store3(a_W, i, 0, acc)
        store3(alpha_W, i, 0, alpha)
