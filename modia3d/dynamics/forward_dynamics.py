"""Forward dynamics by the articulated-body algorithm (Featherstone 1983): every joint's acceleration is unknown."""

from __future__ import annotations

from modiapy.acausal.native import njit, types

from .articulated import (
    carried_acceleration,
    eliminate_free,
    free_acceleration,
    general_to_parent,
    keep_acceleration,
    passive_acceleration,
    passive_to_parent,
    start,
    store_acceleration,
)
from .basics.layout import FREE, KIND, PARENT, STATUS_OK, STATUS_SINGULAR, V_INDEX, W_R, W_U
from .basics.spatial import INTS, MATRIX, OPTIONS, VECTOR, load3, load9
from .joints import free, general
from .joints.kinds import V_SIZE


@njit(types.int64(INTS, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX), **OPTIONS)
def forward_dynamics(ints, floats, gravity, q, v, tau, a, work):
    """Compute the accelerations ``a`` that the generalized forces ``tau`` cause at coordinates ``q`` and speeds ``v``.

    Args:
        ints, floats, gravity: the forest, see `layout`; roles are ignored.
        q, v, tau: shapes (nq,), (nv,), (nv,).
        a: result, shape (nv,), the derivative of ``v``.
        work: scratch, shape (n, WORK_COLUMNS).

    Returns:
        STATUS_OK, or STATUS_SINGULAR if some joint moves nothing that has inertia; ``a`` is not computed then.
    """
    n_bodies = ints.shape[0]
    start(ints, floats, q, v, work)
    for i in range(n_bodies - 1, -1, -1):
        kind, k = ints[i, KIND], ints[i, V_INDEX]
        if kind == FREE:
            regular = eliminate_free(tau, k, work, i)
        elif kind > FREE:
            regular = general_to_parent(ints, tau, work, i, ints[i, PARENT])
        else:
            regular = passive_to_parent(kind, tau[k], work, i, ints[i, PARENT])
        if not regular:
            return STATUS_SINGULAR
    for i in range(n_bodies):
        kind, k = ints[i, KIND], ints[i, V_INDEX]
        if kind == FREE:
            alpha, acc = free_acceleration(work, i, load3(work, i, W_U), load3(work, i, W_U + 3))
            free.store(a, k, alpha, free.acceleration_in_world(load9(work, i, W_R), acc, gravity))
        else:
            alpha, acc = carried_acceleration(work, i, ints[i, PARENT], gravity)
            if kind > FREE:
                for j in range(V_SIZE[kind]):
                    a[k + j], alpha, acc = general.acceleration(work, i, j, alpha, acc, 0.0)
                keep_acceleration(work, i, alpha, acc)
                continue
            a[k] = passive_acceleration(work, i, alpha, acc)
            store_acceleration(kind, work, i, alpha, acc, a[k])
    return STATUS_OK
