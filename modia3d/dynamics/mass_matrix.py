"""Mass matrix by the composite-rigid-body algorithm (Walker & Orin 1982; Featherstone 2008, section 6.2)."""

from __future__ import annotations

from modiapy.acausal.native import njit, types

from .basics.layout import FREE, INERTIA, KIND, MASS, MOMENT, PARENT, REVOLUTE, STATUS_OK, V_INDEX, W_INERTIA, W_P, W_R
from .basics.records import column
from .basics.spatial import (
    INTS,
    MATRIX,
    OPTIONS,
    VECTOR,
    add,
    apply,
    apply_symmetric,
    cross,
    kernel,
    load3,
    load6,
    load9,
    rotate_symmetric,
    scale,
    store3,
    store6,
    store9,
    wrench_to_parent,
)
from .joints import general
from .joints.joint import prepare, project
from .joints.kinds import V_SIZE


@kernel
def add_to_parent(work, i, parent):
    """Add the composite inertia of body ``i`` (inertia, first moment, mass in its row) to the parent's."""
    R, p, m = load9(work, i, W_R), load3(work, i, W_P), work[i, W_INERTIA + 9]
    J, h = rotate_symmetric(R, load6(work, i, W_INERTIA)), apply(R, load3(work, i, W_INERTIA + 6))
    # Steiner's theorem about an origin that is not the centre of mass: s = h + m p / 2 makes both terms one.
    s = add(h, scale(0.5 * m, p))
    x, y, z = 2.0 * s[0] * p[0], 2.0 * s[1] * p[1], 2.0 * s[2] * p[2]
    own = load6(work, parent, W_INERTIA)
    total = (
        own[0] + J[0] + y + z,
        own[1] + J[1] + x + z,
        own[2] + J[2] + x + y,
        own[3] + J[3] - s[0] * p[1] - s[1] * p[0],
        own[4] + J[4] - s[0] * p[2] - s[2] * p[0],
        own[5] + J[5] - s[1] * p[2] - s[2] * p[1],
    )
    store6(work, parent, W_INERTIA, total)
    store3(work, parent, W_INERTIA + 6, add(load3(work, parent, W_INERTIA + 6), add(h, scale(m, p))))
    work[parent, W_INERTIA + 9] += m


@kernel
def free_block(work, i, k, M):
    """Compute the 6 x 6 block of free body ``i``: linear half in world, angular half in B."""
    R, J, h, m = load9(work, i, W_R), load6(work, i, W_INERTIA), load3(work, i, W_INERTIA + 6), work[i, W_INERTIA + 9]
    # Unit angular acceleration about the body's axis j: torque J e_j, force e_j x h.
    f_x, f_y, f_z = apply(R, (0.0, -h[2], h[1])), apply(R, (h[2], 0.0, -h[0])), apply(R, (-h[1], h[0], 0.0))
    for j in range(3):
        M[k + j, k + j] = m
        M[k + j, k + 3] = M[k + 3, k + j] = f_x[j]
        M[k + j, k + 4] = M[k + 4, k + j] = f_y[j]
        M[k + j, k + 5] = M[k + 5, k + j] = f_z[j]
        M[k + 3 + j, k + 3 + j] = J[j]
    M[k + 3, k + 4] = M[k + 4, k + 3] = J[3]
    M[k + 3, k + 5] = M[k + 5, k + 3] = J[4]
    M[k + 4, k + 5] = M[k + 5, k + 4] = J[5]


@kernel
def unit_wrench(work, i, w, v):
    """Return the torque and force that accelerate the composite body ``i`` with (w, v)."""
    J, h, m = load6(work, i, W_INERTIA), load3(work, i, W_INERTIA + 6), work[i, W_INERTIA + 9]
    return add(apply_symmetric(J, w), cross(h, v)), add(scale(m, v), cross(w, h))


@kernel
def column_to_root(ints, work, i, k, n, f, M):
    """Compute the row and column ``k`` of joints towards the root: the wrench of a unit acceleration of body ``i``, carried
    there.
    """
    body, parent = i, ints[i, PARENT]
    while parent >= 0:
        n, f = wrench_to_parent(load9(work, body, W_R), load3(work, body, W_P), n, f)
        body = parent
        kind, l = ints[body, KIND], ints[body, V_INDEX]
        if kind == FREE:
            f_W = apply(load9(work, body, W_R), f)
            for j in range(3):
                M[k, l + j] = M[l + j, k] = f_W[j]
                M[k, l + 3 + j] = M[l + 3 + j, k] = n[j]
        elif kind > FREE:
            for j in range(V_SIZE[kind]):
                M[k, l + j] = M[l + j, k] = general.project(work, body, j, n, f)
        else:
            M[k, l] = M[l, k] = project(kind, n, f)
        parent = ints[body, PARENT]


@kernel
def columns_of_joint(ints, work, i, M):
    """Compute the rows and columns of the joint of body ``i``: its own block, then `column_to_root`."""
    kind, k = ints[i, KIND], ints[i, V_INDEX]
    if kind > FREE:
        for j in range(V_SIZE[kind]):
            w, v = column(work, i, j)
            n, f = unit_wrench(work, i, w, v)
            for l in range(j + 1):
                M[k + j, k + l] = M[k + l, k + j] = general.project(work, i, l, n, f)
            column_to_root(ints, work, i, k + j, n, f, M)
    else:
        J, h = load6(work, i, W_INERTIA), load3(work, i, W_INERTIA + 6)
        if kind == REVOLUTE:
            n, f = (J[4], J[5], J[2]), (-h[1], h[0], 0.0)
        else:
            n, f = (h[1], -h[0], 0.0), (0.0, 0.0, work[i, W_INERTIA + 9])
        M[k, k] = project(kind, n, f)
        column_to_root(ints, work, i, k, n, f, M)


@njit(types.int64(INTS, MATRIX, VECTOR, MATRIX, MATRIX), **OPTIONS)
def mass_matrix(ints, floats, q, M, work):
    """Compute the mass matrix at coordinates ``q``: kinetic energy is ``v^T M v

    2``.

    Returns:
        STATUS_OK.
    """
    n_bodies = ints.shape[0]
    M[:, :] = 0.0
    for i in range(n_bodies):
        R, p = prepare(ints, floats, i, q, work)
        store9(work, i, W_R, R)
        store3(work, i, W_P, p)
        store6(work, i, W_INERTIA, load6(floats, i, INERTIA))
        store3(work, i, W_INERTIA + 6, load3(floats, i, MOMENT))
        work[i, W_INERTIA + 9] = floats[i, MASS]
    for i in range(n_bodies - 1, -1, -1):
        parent = ints[i, PARENT]
        if parent >= 0:
            add_to_parent(work, i, parent)
        if ints[i, KIND] == FREE:
            free_block(work, i, ints[i, V_INDEX], M)
        else:
            columns_of_joint(ints, work, i, M)
    return STATUS_OK
