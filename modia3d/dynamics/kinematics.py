"""Poses and velocities of all bodies, in world."""

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
    cross,
    load3,
    load9,
    multiply,
    scale,
    store3,
    store9,
    subtract,
)
from .joints import free, general
from .joints.joint import placement, prepare


@njit(types.void(INTS, MATRIX, VECTOR, MATRIX, MATRIX), **OPTIONS)
def body_poses(ints, floats, q, R, p):
    """Compute the poses at coordinates ``q``.

    Args:
        ints, floats: the forest, see `layout`.
        q: shape (nq,); quaternions need not be normalised.
        R: result, shape (n, 9), ``R_WB`` row-major.
        p: result, shape (n, 3), ``p_WB_W`` [m].
    """
    for i in range(ints.shape[0]):
        parent = ints[i, PARENT]
        R_PB, p_PB = placement(ints, floats, i, q)
        if parent >= 0:
            R_WP = load9(R, parent, 0)
            p_PB = add(load3(p, parent, 0), apply(R_WP, p_PB))
            R_PB = multiply(R_WP, R_PB)
        store9(R, i, 0, R_PB)
        store3(p, i, 0, p_PB)


@njit(types.void(INTS, MATRIX, VECTOR, VECTOR, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def body_velocities(ints, floats, q, v, R, p, v_W, w_W, work):
    """Compute the velocities at coordinates ``q`` and speeds ``v``, shapes (nq,), (nv,), and the poses ``R, p`` there (see
    `body_poses`).

    Args:
        v_W: result, shape (n, 3), ``v_WB_W``, velocity of the body's origin in world [m/s].
        w_W: result, shape (n, 3), ``w_WB_W``, angular velocity in world [rad/s].
        work: scratch, shape (n, WORK_COLUMNS); general joints leave their motion subspaces there.
    """
    for i in range(ints.shape[0]):
        kind, parent, k = ints[i, KIND], ints[i, PARENT], ints[i, V_INDEX]
        velocity, w = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if parent >= 0:
            w = load3(w_W, parent, 0)
            velocity = add(load3(v_W, parent, 0), cross(w, subtract(load3(p, i, 0), load3(p, parent, 0))))
        if kind == FREE:
            velocity, w = free.linear(v, k), apply(load9(R, i, 0), free.angular(v, k))
        elif kind > FREE:
            prepare(ints, floats, i, q, work)
            w_PB, v_PB = general.combine(ints, work, i, v)
            R_WB = load9(R, i, 0)
            velocity, w = add(velocity, apply(R_WB, v_PB)), add(w, apply(R_WB, w_PB))
        elif kind == REVOLUTE:
            w = add(w, scale(v[k], (R[i, 2], R[i, 5], R[i, 8])))
        else:
            velocity = add(velocity, scale(v[k], (R[i, 2], R[i, 5], R[i, 8])))
        store3(v_W, i, 0, velocity)
        store3(w_W, i, 0, w)
