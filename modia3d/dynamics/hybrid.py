"""Hybrid dynamics: accelerations of PRESCRIBED joints come from the equations, those of PASSIVE joints follow from them.

PRESCRIBED joints see ``M_e a_e + h_e = tau_e``, from which passive accelerations are eliminated. Inertias are passed inwards as
articulated inertias across passive joints and as rigid ones across PRESCRIBED joints (Featherstone 2008, section 9.2). The
columns of ``M_e`` are wrenches that are carried to the root as in the composite-rigid-body algorithm. At a passive joint on the
way they lose the part to which that joint gives way. Without passive joints this is the composite-rigid-body and the
Newton-Euler algorithm. A tree without PRESCRIBED joints costs one articulated-body pass. A LOCKED joint is a passive one that
does not give way.
"""

from __future__ import annotations

from modiapy.acausal.native import njit, types

from .articulated import (
    accumulate_articulated_inertia,
    carried_acceleration,
    eliminate_free,
    free_acceleration,
    general_to_parent,
    keep_acceleration,
    load_inertia,
    locked_to_parent,
    passive_acceleration,
    passive_to_parent,
    start,
    store_acceleration,
)
from .basics import records
from .basics.layout import (
    AUTOMATIC,
    FREE,
    KIND,
    LOCKED,
    ORIENTATION,
    PARENT,
    PRESCRIBED,
    Q_INDEX,
    ROLE,
    SPEED_COLUMNS,
    STATUS_OK,
    STATUS_SINGULAR,
    V_INDEX,
    W_BELOW,
    W_D_INV,
    W_FORCE,
    W_P,
    W_PRODUCT,
    W_R,
    W_U,
)
from .basics.orientation import distance_to_singularity
from .basics.orientation import rates as orientation_rates
from .basics.spatial import (
    INTS,
    MATRIX,
    OPTIONS,
    VECTOR,
    add,
    add3,
    dot,
    inlined,
    kernel,
    load3,
    load9,
    negate,
    scale,
    subtract,
    wrench_of,
    wrench_to_parent,
)
from .joints import free, general
from .joints.joint import column, project
from .joints.kinds import ORIENTATION_AT, V_SIZE


@inlined
def wrench_on(work, i, alpha, a):
    """Return the torque and force that the joint of body ``i`` transmits if the body has the accelerations (alpha, a)."""
    J, H, M = load_inertia(work, i)
    n, f = wrench_of(J, H, M, alpha, a)
    return add(n, load3(work, i, W_FORCE)), add(f, load3(work, i, W_FORCE + 3))


@kernel
def prescribed_to_parent(work, i, parent):
    """Compute the inward step across a PRESCRIBED joint, which passes its body's inertia on unchanged."""
    if parent >= 0:
        J, H, M = load_inertia(work, i)
        n, f = wrench_on(work, i, load3(work, i, W_PRODUCT), load3(work, i, W_PRODUCT + 3))
        accumulate_articulated_inertia(work, i, parent, J, H, M, n, f)


@kernel
def inward(ints, tau, work):
    """Compute the inward pass: articulated across passive, rigid across PRESCRIBED joints; return False if it is singular."""
    n_bodies = ints.shape[0]
    for i in range(n_bodies):
        work[i, W_BELOW] = 1.0 if ints[i, ROLE] == PRESCRIBED else 0.0
    for i in range(n_bodies - 1, -1, -1):
        kind, parent, k = ints[i, KIND], ints[i, PARENT], ints[i, V_INDEX]
        if parent >= 0 and work[i, W_BELOW] > 0.0:
            work[parent, W_BELOW] = 1.0
        regular = True
        if ints[i, ROLE] == LOCKED:
            locked_to_parent(kind, tau[k], work, i, parent)
        elif ints[i, ROLE] == PRESCRIBED:
            prescribed_to_parent(work, i, parent)
        elif kind == FREE:
            regular = eliminate_free(tau, k, work, i)
        elif kind > FREE:
            regular = general_to_parent(ints, tau, work, i, parent)
        else:
            regular = passive_to_parent(kind, tau[k], work, i, parent)
        if not regular:
            return False
    return True


@kernel
def propagate_wrench(work, body, kind, k, c, n, f, coupling):
    """Propagate the wrench of row ``k`` of ``coupling`` across a general joint and return it.

    The generalized forces on its speeds are added from ``coupling[k, c]`` on.
    """
    size = V_SIZE[kind]
    for step in range(size):
        j = size - 1 - step
        tau = general.project(work, body, j, n, f)
        coupling[k, c + j] += tau
        at = SPEED_COLUMNS * j
        s = work[body, W_D_INV + at] * tau
        n = subtract(n, scale(s, load3(work, body, W_U + at)))
        f = subtract(f, scale(s, load3(work, body, W_U + at + 3)))
    return n, f


@inlined
def column_to_root(ints, i, k, n, f, M_e, coupling, work):
    """Compute the column ``k`` of ``M_e`` for joints towards the root, from the wrench (n, f) on body ``i``.

    The generalized forces on passive joints on the way are stored in the row of ``coupling``.
    """
    n_e = M_e.shape[0]
    body, parent = i, ints[i, PARENT]
    while parent >= 0:
        n, f = wrench_to_parent(load9(work, body, W_R), load3(work, body, W_P), n, f)
        body, kind, l = parent, ints[parent, KIND], ints[parent, V_INDEX]
        parent = ints[body, PARENT]
        if kind == FREE:
            for j in range(3):
                coupling[k, l - n_e + j] = n[j]
                coupling[k, l - n_e + 3 + j] = f[j]
        elif kind > FREE:
            if ints[body, ROLE] == PRESCRIBED:
                for j in range(V_SIZE[kind]):
                    M_e[k, l + j] += general.project(work, body, j, n, f)
                    M_e[l + j, k] = M_e[k, l + j]
            else:
                n, f = propagate_wrench(work, body, kind, k, l - n_e, n, f, coupling)
        elif ints[body, ROLE] == PRESCRIBED:
            M_e[k, l] += project(kind, n, f)
            M_e[l, k] = M_e[k, l]
        else:
            tau = project(kind, n, f)
            coupling[k, l - n_e] = tau
            s = work[body, W_D_INV] * tau
            n = subtract(n, scale(s, load3(work, body, W_U)))
            f = subtract(f, scale(s, load3(work, body, W_U + 3)))


@kernel
def general_columns_to_root(ints, i, M_e, coupling, work):
    """Compute `columns_to_root` of a general joint"""
    kind, k = ints[i, KIND], ints[i, V_INDEX]
    J, H, M = load_inertia(work, i)
    for j in range(V_SIZE[kind]):
        w, v = records.column(work, i, j)
        n, f = wrench_of(J, H, M, w, v)
        for l in range(j + 1):
            M_e[k + j, k + l] += general.project(work, i, l, n, f)
            M_e[k + l, k + j] = M_e[k + j, k + l]
        column_to_root(ints, i, k + j, n, f, M_e, coupling, work)


@inlined
def columns_to_root(ints, i, M_e, coupling, work):
    """Compute the columns of ``M_e`` of the PRESCRIBED joint of body ``i``: the wrenches of its unit accelerations, carried to
    the root.
    """
    kind, k = ints[i, KIND], ints[i, V_INDEX]
    if kind > FREE:
        general_columns_to_root(ints, i, M_e, coupling, work)
    else:
        J, H, M = load_inertia(work, i)
        n, f = column(kind, J, H, M)
        M_e[k, k] += project(kind, n, f)
        column_to_root(ints, i, k, n, f, M_e, coupling, work)


@kernel
def give_way(ints, i, M_e, coupling, work):
    """Subtract the effect of body ``i``'s passive joint from ``M_e``: ``u_k^T D^-1 u_l`` for all pairs behind it."""
    n_e, c = M_e.shape[0], ints[i, V_INDEX] - M_e.shape[0]
    if ints[i, KIND] == FREE:
        for l in range(n_e):
            alpha, a = free.solve(work, i, load3(coupling, l, c), load3(coupling, l, c + 3))
            for k in range(l + 1):
                M_e[k, l] -= dot(load3(coupling, k, c), alpha) + dot(load3(coupling, k, c + 3), a)
                M_e[l, k] = M_e[k, l]
    else:
        for j in range(V_SIZE[ints[i, KIND]]):
            for l in range(n_e):
                s = coupling[l, c + j] * work[i, W_D_INV + SPEED_COLUMNS * j]
                if s != 0.0:
                    for k in range(l + 1):
                        M_e[k, l] -= coupling[k, c + j] * s
                        M_e[l, k] = M_e[k, l]


@kernel
def bias_outward(ints, gravity, h_e, work):
    """Compute the outward pass with zero accelerations of PRESCRIBED joints: their generalized forces ``h_e``."""
    for i in range(ints.shape[0]):
        kind, k = ints[i, KIND], ints[i, V_INDEX]
        if work[i, W_BELOW] == 0.0:
            continue
        if kind == FREE:
            free_acceleration(work, i, load3(work, i, W_U), load3(work, i, W_U + 3))
            continue
        alpha, a = carried_acceleration(work, i, ints[i, PARENT], gravity)
        if kind > FREE:
            for j in range(V_SIZE[kind]):
                if ints[i, ROLE] == PRESCRIBED:
                    n, f = wrench_on(work, i, alpha, a)
                    h_e[k + j] = general.project(work, i, j, n, f)
                else:
                    _, alpha, a = general.acceleration(work, i, j, alpha, a, 0.0)
            keep_acceleration(work, i, alpha, a)
            continue
        acceleration = 0.0
        if ints[i, ROLE] == PRESCRIBED:
            n, f = wrench_on(work, i, alpha, a)
            h_e[k] = project(kind, n, f)
        else:
            acceleration = passive_acceleration(work, i, alpha, a)
        store_acceleration(kind, work, i, alpha, a, acceleration)


@njit(types.int64(INTS, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX, MATRIX, VECTOR, MATRIX, MATRIX), **OPTIONS)
def hybrid_prepare(ints, floats, gravity, q, v, tau, wrenches, M_e, h_e, coupling, work):
    """Compute the mass matrix and bias force of the PRESCRIBED joints, with the passive accelerations eliminated.

    Args:
        ints, floats, gravity: the forest, see `layout`. Speeds of PRESCRIBED joints have the indices 0 .. n_e - 1; a free
            body is passive.
        q, v: shapes (nq,), (nv,).
        tau: shape (nv,), generalized forces applied at passive joints; entries of PRESCRIBED joints are ignored.
        wrenches: torque about the body's origin and force from outside, in B, shape (n, 6); no rows where there are none.
        M_e, h_e: results, shapes (n_e, n_e), (n_e,): ``M_e a_e + h_e`` are the generalized forces at PRESCRIBED joints.
        coupling: shape (n_e, nv - n_e), kept for `hybrid_finish`.
        work: shape (n, WORK_COLUMNS), kept for `hybrid_finish`.

    Returns:
        STATUS_OK, or STATUS_SINGULAR if some passive joint moves nothing that has inertia; nothing is computed then.
    """
    n_bodies = ints.shape[0]
    start(ints, floats, q, v, work)
    for i in range(wrenches.shape[0]):
        add3(work, i, W_FORCE, negate(load3(wrenches, i, 0)))
        add3(work, i, W_FORCE + 3, negate(load3(wrenches, i, 3)))
    if not inward(ints, tau, work):
        return STATUS_SINGULAR
    for k in range(M_e.shape[0]):
        for l in range(M_e.shape[0]):
            M_e[k, l] = 0.0
    for k in range(coupling.shape[0]):
        for l in range(coupling.shape[1]):
            coupling[k, l] = 0.0
    for i in range(n_bodies):
        if ints[i, ROLE] == PRESCRIBED:
            columns_to_root(ints, i, M_e, coupling, work)
    for i in range(n_bodies):
        if ints[i, ROLE] != PRESCRIBED and work[i, W_BELOW] > 0.0:
            give_way(ints, i, M_e, coupling, work)
    bias_outward(ints, gravity, h_e, work)
    return STATUS_OK


@njit(types.void(INTS, VECTOR, VECTOR, MATRIX, MATRIX, VECTOR), **OPTIONS)
def hybrid_finish(ints, gravity, a_e, coupling, work, a):
    """Compute all accelerations ``a``, shape (nv,), that follow from those of the PRESCRIBED joints, ``a_e``, shape (n_e,).

    The other arguments are those of the last call of `hybrid_prepare`. What that has left in ``coupling`` and ``work``
    stays, so that this may be called again with another ``a_e``. Where forces come from the equations, ``coupling`` has a row
    more for each of them, and ``a_e`` their negative values behind the accelerations (`wrench_columns`).
    """
    n_e, rows = a.shape[0] - coupling.shape[1], a_e.shape[0]
    for i in range(ints.shape[0]):
        kind, parent, k = ints[i, KIND], ints[i, PARENT], ints[i, V_INDEX]
        if kind == FREE:
            n, f = load3(work, i, W_U), load3(work, i, W_U + 3)
            if work[i, W_BELOW] > 0.0:
                for l in range(rows):
                    n = subtract(n, scale(a_e[l], load3(coupling, l, k - n_e)))
                    f = subtract(f, scale(a_e[l], load3(coupling, l, k - n_e + 3)))
            alpha, acc = free_acceleration(work, i, n, f)
            free.store(a, k, alpha, free.acceleration_in_world(load9(work, i, W_R), acc, gravity))
            continue
        alpha, acc = carried_acceleration(work, i, parent, gravity)
        if kind > FREE:
            for j in range(V_SIZE[kind]):
                if ints[i, ROLE] == PRESCRIBED:
                    w, v = records.column(work, i, j)
                    a[k + j] = a_e[k + j]
                    alpha, acc = add(alpha, scale(a_e[k + j], w)), add(acc, scale(a_e[k + j], v))
                    continue
                lost = 0.0
                if work[i, W_BELOW] > 0.0:
                    for l in range(rows):
                        lost += coupling[l, k - n_e + j] * a_e[l]
                a[k + j], alpha, acc = general.acceleration(work, i, j, alpha, acc, lost)
            keep_acceleration(work, i, alpha, acc)
            continue
        if ints[i, ROLE] == PRESCRIBED:
            a[k] = a_e[k]
        else:
            acceleration = passive_acceleration(work, i, alpha, acc)
            if work[i, W_BELOW] > 0.0:
                for l in range(rows):
                    acceleration -= work[i, W_D_INV] * coupling[l, k - n_e] * a_e[l]
            a[k] = acceleration
        store_acceleration(kind, work, i, alpha, acc, a[k])


@njit(types.void(INTS, VECTOR, VECTOR, VECTOR, VECTOR), **OPTIONS)
def passive_rates(ints, q, v, a, rates):
    """Compute the derivatives of the passive states ``x_var = (q_h, v_h)``; for orientations see `orientation.rates`.

    Args:
        q, v, a: shapes (nq,), (nv,), (nv,).
        rates: result, shape (nq - n_e + nv - n_e,); its length determines n_e.
    """
    n_q, n_v = q.shape[0], v.shape[0]
    n_e = (n_q + n_v - rates.shape[0]) // 2
    for i in range(ints.shape[0]):
        if ints[i, ROLE] == PRESCRIBED:
            continue
        kind, j, k = ints[i, KIND], ints[i, Q_INDEX], ints[i, V_INDEX]
        positions = ORIENTATION_AT[kind] if ORIENTATION_AT[kind] >= 0 else V_SIZE[kind]
        for l in range(positions):
            rates[j - n_e + l] = v[k + l]
        if positions < V_SIZE[kind]:
            orientation_rates(ints[i, ORIENTATION], q, j + positions, v, k + positions, rates, j - n_e + positions)
    for k in range(n_e, n_v):
        rates[n_q - 2 * n_e + k] = a[k]


@kernel
def sequence_indicators(ints, q, z):
    """Compute the indicators of the automatic Cardan sequences, in the order of bodies: negative if one should be changed."""
    k = 0
    for i in range(ints.shape[0]):
        if ints[i, AUTOMATIC] == 1:
            z[k] = distance_to_singularity(q, ints[i, Q_INDEX] + ORIENTATION_AT[ints[i, KIND]])
            k += 1
