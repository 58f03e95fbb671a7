"""Forces that the equations give: generalized forces on PRESCRIBED and passive joints due to a unit wrench on a body.

With signals f the PRESCRIBED joints see ``M_e a_e + h_e - B f``. A unit wrench is carried to the root like the wrench of a unit
acceleration (`hybrid.column_to_root`). So a signal is one more row of the coupling to the passive joints, with ``-f`` in place
of the acceleration, and `hybrid.hybrid_finish` treats both kinds of rows alike.
"""

from __future__ import annotations

from modiapy.acausal.native import njit, types

from .basics.layout import FREE, KIND, PARENT, PRESCRIBED, ROLE, SPEED_COLUMNS, V_INDEX, W_BELOW, W_D_INV, W_P, W_R, W_U
from .basics.spatial import INTS, MATRIX, OPTIONS, add3, dot, kernel, load3, load9, scale, subtract, wrench_to_parent
from .hybrid import propagate_wrench
from .joints import free, general
from .joints.joint import project
from .joints.kinds import V_SIZE


@kernel
def wrench_to_root(ints, body, n, f, k, B, coupling, work):
    """Carry the wrench (torque about the origin, force, in B) on a body to the root.

    Generalized forces on PRESCRIBED joints are added to column ``k`` of ``B``, those on passive joints to row ``n_e + k`` of
    ``coupling``.
    """
    n_e = B.shape[0]
    row = n_e + k
    while body >= 0:
        kind, l = ints[body, KIND], ints[body, V_INDEX]
        work[body, W_BELOW] = 1.0
        if kind == FREE:
            add3(coupling, row, l - n_e, n)
            add3(coupling, row, l - n_e + 3, f)
        elif kind > FREE:
            if ints[body, ROLE] == PRESCRIBED:
                for j in range(V_SIZE[kind]):
                    B[l + j, k] += general.project(work, body, j, n, f)
            else:
                n, f = propagate_wrench(work, body, kind, row, l - n_e, n, f, coupling)
        elif ints[body, ROLE] == PRESCRIBED:
            B[l, k] += project(kind, n, f)
        else:
            tau = project(kind, n, f)
            coupling[row, l - n_e] += tau
            s = work[body, W_D_INV] * tau
            n = subtract(n, scale(s, load3(work, body, W_U)))
            f = subtract(f, scale(s, load3(work, body, W_U + 3)))
        n, f = wrench_to_parent(load9(work, body, W_R), load3(work, body, W_P), n, f)
        body = ints[body, PARENT]


@njit(types.void(INTS, MATRIX, MATRIX, MATRIX), **OPTIONS)
def passive_joints_give_way(ints, B, coupling, work):
    """Subtract the effect of passive joints from ``B``, after all wrenches have been carried to the root.

    Args:
        ints: the forest, see `layout`.
        B: shape (n_e, n_f), generalized forces of unit signals at PRESCRIBED joints.
        coupling: shape (n_e + n_f, nv - n_e); the first rows are those of `hybrid.hybrid_prepare`.
        work: as `hybrid.hybrid_prepare` has left it.
    """
    n_e, n_f = B.shape
    for i in range(ints.shape[0]):
        if ints[i, ROLE] == PRESCRIBED or work[i, W_BELOW] == 0.0:
            continue
        kind, c = ints[i, KIND], ints[i, V_INDEX] - n_e
        if kind == FREE:
            for k in range(n_f):
                alpha, a = free.solve(work, i, load3(coupling, n_e + k, c), load3(coupling, n_e + k, c + 3))
                for l in range(n_e):
                    B[l, k] -= dot(load3(coupling, l, c), alpha) + dot(load3(coupling, l, c + 3), a)
        else:
            for j in range(V_SIZE[kind]):
                for k in range(n_f):
                    s = coupling[n_e + k, c + j] * work[i, W_D_INV + SPEED_COLUMNS * j]
                    if s != 0.0:
                        for l in range(n_e):
                            B[l, k] -= coupling[l, c + j] * s
