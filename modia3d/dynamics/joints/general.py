"""Joints of up to six speeds in either direction: what the kernels do with them, whatever their kind.

A kind says its pose and the columns of its motion subspace in the joint frame J. Here both become those of body B in its
parent P; where the joint is reversed, J is fixed in B and what the kind describes is the motion of the parent. The columns,
in B, are kept in the records of a body's row of ``work``; the algorithms go over the records, one speed after the other,
as over a chain of bodies without mass and extent: the factors are those of the joint's own inertia matrix.
"""

from __future__ import annotations

from ..basics.layout import (
    CYLINDRICAL,
    KIND,
    ORIENTATION,
    P_PJ,
    PARAMETER,
    PLANAR,
    Q_INDEX,
    R_PJ,
    REVERSED,
    SCREW,
    SINGULAR,
    SPEED_COLUMNS,
    SPHERICAL,
    UNIVERSAL,
    V_INDEX,
    V_SIZE,
    W_D_INV,
    W_SCALE,
    W_U,
    W_U_FORCE,
)
from ..basics.records import column, store_column
from ..basics.spatial import (
    add,
    apply,
    apply_transposed,
    centripetal,
    cross,
    dot,
    kernel,
    load3,
    load9,
    multiply,
    negate,
    reduce_inertia,
    scale,
    store3,
    subtract,
    transpose,
    wrench_of,
)
from . import cylindrical, planar, screw, six_dof, spherical, universal


@kernel
def pose(ints, floats, i, q):
    """``R_JB`` and ``p_JB_J`` as the kind describes them (of the parent, if the joint is reversed)."""
    kind, k, orientation = ints[i, KIND], ints[i, Q_INDEX], ints[i, ORIENTATION]
    if kind == SCREW:
        return screw.pose(q, k, floats[i, PARAMETER])
    if kind == CYLINDRICAL:
        return cylindrical.pose(q, k)
    if kind == UNIVERSAL:
        return universal.pose(q, k)
    if kind == PLANAR:
        return planar.pose(q, k)
    if kind == SPHERICAL:
        return spherical.pose(orientation, q, k)
    return six_dof.pose(orientation, q, k)


@kernel
def in_parent(ints, floats, i, R, p):
    """``R_PB`` and ``p_PB_P`` from the pose that the kind describes."""
    if ints[i, REVERSED] == 1:
        R = transpose(R)
        p = negate(apply(R, p))
    R_J = load9(floats, i, R_PJ)
    return multiply(R_J, R), add(load3(floats, i, P_PJ), apply(R_J, p))


@kernel
def placement(ints, floats, i, q):
    """``R_PB`` and ``p_PB_P``."""
    R, p = pose(ints, floats, i, q)
    return in_parent(ints, floats, i, R, p)


@kernel
def prepare(ints, floats, i, q, work):
    """``R_PB`` and ``p_PB_P``; the columns of the motion subspace, in B, go to the records."""
    kind = ints[i, KIND]
    R, p = pose(ints, floats, i, q)
    if kind == SCREW:
        screw.columns(work, i, floats[i, PARAMETER])
    elif kind == CYLINDRICAL:
        cylindrical.columns(work, i)
    elif kind == UNIVERSAL:
        universal.columns(work, i, R)
    elif kind == PLANAR:
        planar.columns(work, i)
    elif kind == SPHERICAL:
        spherical.columns(work, i, 0, R)
    else:
        six_dof.columns(work, i, R)
    for j in range(V_SIZE[kind]):
        w, v = column(work, i, j)
        if ints[i, REVERSED] == 1:
            w, v = negate(w), subtract(cross(w, p), v)
        else:
            w, v = apply_transposed(R, w), apply_transposed(R, v)
        store_column(work, i, j, w, v)
    return in_parent(ints, floats, i, R, p)


@kernel
def combine(ints, work, i, x):
    """``S x[k:]`` for the elements of ``x`` (speeds or accelerations) that belong to body ``i``: angular and linear, in B."""
    angular, linear = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    k = ints[i, V_INDEX]
    for j in range(V_SIZE[ints[i, KIND]]):
        w, v = column(work, i, j)
        angular, linear = add(angular, scale(x[k + j], w)), add(linear, scale(x[k + j], v))
    return angular, linear


@kernel
def motion(ints, floats, i, R, p, w, v, work):
    """``w_WB_B``, and the angular and linear acceleration that velocities cause across the joint.

    ``w`` is the parent's angular velocity in B, ``R, p`` the placement. Besides ``w x w_PB`` and the Coriolis acceleration
    there is what the turning of S contributes. Only a universal joint's columns turn in J. In a reversed joint the derivative
    is taken in the frame that moves, which gives ``w_PB x (w_PB x r) + 2 w_PB x v_PB`` with r from B's origin to J's.
    """
    w_PB, v_PB = combine(ints, work, i, v)
    c_alpha, c_a = cross(w, w_PB), scale(2.0, cross(w, v_PB))
    if ints[i, KIND] == UNIVERSAL:
        k = ints[i, V_INDEX]
        first, _ = column(work, i, 0)
        second, _ = column(work, i, 1)
        rate = -v[k] * v[k + 1] if ints[i, REVERSED] == 1 else v[k] * v[k + 1]
        c_alpha = add(c_alpha, scale(rate, cross(first, second)))
    if ints[i, REVERSED] == 1:
        r = apply_transposed(R, subtract(load3(floats, i, P_PJ), p))
        c_a = add(c_a, add(centripetal(w_PB, r), scale(2.0, cross(w_PB, v_PB))))
    return add(w, w_PB), c_alpha, c_a


@kernel
def project(work, i, j, n, f):
    """Element ``j`` of ``S^T (n, f)``."""
    w, v = column(work, i, j)
    return dot(w, n) + dot(v, f)


@kernel
def eliminate(ints, tau, work, i, J, H, M, n, f):
    """Eliminate the speeds of body ``i``, the last one first.

    Args:
        J, H, M: articulated inertia of the body.
        n, f: bias force of the body.

    Returns:
        False if the joint's articulated inertia is singular; inertia and bias force that are left for the parent, without
        the acceleration that velocities cause. A joint of six speeds transmits no inertia at all.
    """
    size, k, regular = V_SIZE[ints[i, KIND]], ints[i, V_INDEX], True
    for step in range(size):
        j = size - 1 - step
        at = SPEED_COLUMNS * j
        w, v = column(work, i, j)
        U_n, U_f = wrench_of(J, H, M, w, v)
        D = dot(w, U_n) + dot(v, U_f)
        limit = dot(w, w) * work[i, W_SCALE] + dot(v, v) * work[i, W_SCALE + 1]
        regular = regular and SINGULAR * limit < D
        inverse = 1.0 / D
        u = tau[k + j] - dot(w, n) - dot(v, f)
        store3(work, i, W_U + at, U_n)
        store3(work, i, W_U + at + 3, U_f)
        work[i, W_D_INV + at] = inverse
        work[i, W_U_FORCE + at] = u
        J, H, M = reduce_inertia(J, H, M, inverse, U_n, U_f)
        n, f = add(n, scale(inverse * u, U_n)), add(f, scale(inverse * u, U_f))
    if size == 6:
        J = M = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        H = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return regular, J, H, M, n, f


@kernel
def acceleration(work, i, j, alpha, a, lost):
    """Acceleration of speed ``j`` of body ``i`` that is carried with (alpha, a), and these with that acceleration added.

    ``lost`` is generalized force that accelerations of EQUATION joints behind take away.
    """
    at = SPEED_COLUMNS * j
    pull = dot(load3(work, i, W_U + at), alpha) + dot(load3(work, i, W_U + at + 3), a)
    value = work[i, W_D_INV + at] * (work[i, W_U_FORCE + at] - lost - pull)
    w, v = column(work, i, j)
    return value, add(alpha, scale(value, w)), add(a, scale(value, v))
