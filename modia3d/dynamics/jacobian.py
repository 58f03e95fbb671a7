"""Jacobian of a frame: the matrix that maps speeds to the velocity of a frame."""

from __future__ import annotations

from modiapy.acausal.native import njit, types

from .basics.layout import FREE, KIND, PARENT, REVOLUTE, V_INDEX
from .basics.records import column
from .basics.spatial import INTS, MATRIX, OPTIONS, VECTOR, add, apply, cross, kernel, load3, load9, subtract
from .joints.joint import prepare
from .joints.kinds import V_SIZE


@kernel
def store_velocity(J, k, v, w):
    """Write column ``k`` of the Jacobian."""
    for j in range(3):
        J[j, k] = v[j]
        J[3 + j, k] = w[j]


@njit(types.void(INTS, MATRIX, VECTOR, MATRIX, MATRIX, types.int64, VECTOR, MATRIX, MATRIX), **OPTIONS)
def frame_jacobian(ints, floats, q, R, p, body, p_BF, J, work):
    """Compute the Jacobian of a frame F that is fixed to a body, at coordinates ``q`` and the poses ``R, p`` there (see
    `body_poses`).

    Args:
        ints, floats, q: the forest, see `layout`, and its coordinates, shape (nq,).
        body: index of the body; -1 is the world.
        p_BF: ``p_BF_B``, shape (3,), position of F's origin in the body [m].
        J: result, shape (6, nv): ``J v`` is ``v_WF_W``, then ``w_WF_W``.
        work: scratch, shape (n, WORK_COLUMNS).
    """
    J[:, :] = 0.0
    if body < 0:
        return
    p_WF = add(load3(p, body, 0), apply(load9(R, body, 0), (p_BF[0], p_BF[1], p_BF[2])))
    i = body
    while i >= 0:
        kind, k = ints[i, KIND], ints[i, V_INDEX]
        R_WB, r = load9(R, i, 0), subtract(p_WF, load3(p, i, 0))
        z = (R[i, 2], R[i, 5], R[i, 8])
        if kind == FREE:
            for j in range(3):
                J[j, k + j] = 1.0
                axis = (R[i, j], R[i, 3 + j], R[i, 6 + j])
                store_velocity(J, k + 3 + j, cross(axis, r), axis)
        elif kind > FREE:
            prepare(ints, floats, i, q, work)
            for j in range(V_SIZE[kind]):
                w, v = column(work, i, j)
                w, v = apply(R_WB, w), apply(R_WB, v)
                store_velocity(J, k + j, add(v, cross(w, r)), w)
        elif kind == REVOLUTE:
            store_velocity(J, k, cross(z, r), z)
        else:
            store_velocity(J, k, z, (0.0, 0.0, 0.0))
        i = ints[i, PARENT]
