"""Joints of up to six speeds in either direction: the operations of the kernels for all of these kinds.

A kind gives its pose and the columns of its motion subspace in the joint frame J. Here both are transformed to body B in its
parent P. If the joint is reversed, J is fixed in B, and the kind describes the motion of the parent. The columns, in B, are
stored in the records of a body's row of ``work``. The algorithms process the records, one speed after the other, like a chain
of bodies without mass and extent: the factors are those of the joint's own inertia matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..basics.layout import (
    FREE,
    KIND,
    ORIENTATION,
    P_PJ,
    PARAMETER,
    Q_INDEX,
    R_PJ,
    REVERSED,
    SINGULAR,
    SPEED_COLUMNS,
    V_INDEX,
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
    kernel_of,
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
from .kinds import GENERAL, V_SIZE


@kernel
def turned(ints, i, v, work, alpha, j, by):
    """Return ``alpha`` with the part of column ``j``, which turns about column ``by``."""
    k = ints[i, V_INDEX]
    first, _ = column(work, i, by)
    second, _ = column(work, i, j)
    rate = -v[k + by] * v[k + j] if ints[i, REVERSED] == 1 else v[k + by] * v[k + j]
    return add(alpha, scale(rate, cross(first, second)))


def _dispatch(name: str, arguments: str, branch: Callable[[int], str], **names: Any) -> Any:
    """Return a kernel that executes ``branch(number)`` for the present general kind; it may call ``names``."""
    lines = [f"def {name}({arguments}):", "    kind = ints[i, KIND]"]
    for number in range(len(GENERAL)):
        test = f"    {'elif' if number else 'if'} kind == {FREE + 1 + number}:" if number < len(GENERAL) - 1 else "    else:"
        lines += [test, *(f"        {line}" for line in branch(number).splitlines())]
    scope = {"KIND": KIND, "Q_INDEX": Q_INDEX, "PARAMETER": PARAMETER, "ORIENTATION": ORIENTATION} | names
    exec("\n".join(lines), scope)
    return kernel(scope[name])


_poses = {f"pose_{n}": kernel_of(kind.pose) for n, kind in enumerate(GENERAL)}
_columns = {f"columns_{n}": kernel_of(kind.columns) for n, kind in enumerate(GENERAL)}

pose = _dispatch(
    "pose",
    "ints, floats, i, q",
    lambda n: f"return pose_{n}(q, ints[i, Q_INDEX], floats[i, PARAMETER], ints[i, ORIENTATION])",
    **_poses,
)
"""``R_JB`` and ``p_JB_J`` as the kind describes them (of the parent, if the joint is reversed)."""

store_subspace = _dispatch(
    "store_subspace",
    "ints, floats, i, R, work",
    lambda n: "\n".join(
        [f"S = columns_{n}(R, floats[i, PARAMETER])"]
        + [f"store_column(work, i, {j}, S[{j}][0], S[{j}][1])" for j in range(GENERAL[n].n_v)]
    ),
    store_column=store_column,
    **_columns,
)
"""Write the columns of the motion subspace, in J, to the records."""

add_turning = _dispatch(
    "add_turning",
    "ints, i, v, work, alpha",
    lambda n: "\n".join(
        [f"alpha = turned(ints, i, v, work, alpha, {j}, {by})" for j, by in GENERAL[n].turned_by] + ["return alpha"]
    ),
    turned=turned,
)
"""``alpha`` with what the turning of columns relative to J contributes."""


@kernel
def in_parent(ints, floats, i, R, p):
    """Return ``R_PB`` and ``p_PB_P`` from the pose of the kind."""
    if ints[i, REVERSED] == 1:
        R = transpose(R)
        p = negate(apply(R, p))
    R_J = load9(floats, i, R_PJ)
    return multiply(R_J, R), add(load3(floats, i, P_PJ), apply(R_J, p))


@kernel
def placement(ints, floats, i, q):
    """Return ``R_PB`` and ``p_PB_P``."""
    R, p = pose(ints, floats, i, q)
    return in_parent(ints, floats, i, R, p)


@kernel
def prepare(ints, floats, i, q, work):
    """Compute ``R_PB`` and ``p_PB_P`` and return them; write the columns of the motion subspace, in B, to the records."""
    R, p = pose(ints, floats, i, q)
    store_subspace(ints, floats, i, R, work)
    for j in range(V_SIZE[ints[i, KIND]]):
        w, v = column(work, i, j)
        if ints[i, REVERSED] == 1:
            w, v = negate(w), subtract(cross(w, p), v)
        else:
            w, v = apply_transposed(R, w), apply_transposed(R, v)
        store_column(work, i, j, w, v)
    return in_parent(ints, floats, i, R, p)


@kernel
def combine(ints, work, i, x):
    """Return ``S x[k:]`` for the elements of ``x`` (speeds or accelerations) that belong to body ``i``: angular and linear, in
    B.
    """
    angular, linear = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    k = ints[i, V_INDEX]
    for j in range(V_SIZE[ints[i, KIND]]):
        w, v = column(work, i, j)
        angular, linear = add(angular, scale(x[k + j], w)), add(linear, scale(x[k + j], v))
    return angular, linear


@kernel
def motion(ints, floats, i, R, p, w, v, work):
    """Return ``w_WB_B``, and the angular and linear acceleration that velocities cause across the joint.

    ``w`` is the parent's angular velocity in B, ``R, p`` the placement. Besides ``w x w_PB`` and the Coriolis acceleration
    there is what the turning of S contributes (`Kinematics.turned_by`). In a reversed joint the derivative
    is taken in the frame that moves, which gives ``w_PB x (w_PB x r) + 2 w_PB x v_PB`` with r from B's origin to J's.
    """
    w_PB, v_PB = combine(ints, work, i, v)
    c_alpha, c_a = cross(w, w_PB), scale(2.0, cross(w, v_PB))
    c_alpha = add_turning(ints, i, v, work, c_alpha)
    if ints[i, REVERSED] == 1:
        r = apply_transposed(R, subtract(load3(floats, i, P_PJ), p))
        c_a = add(c_a, add(centripetal(w_PB, r), scale(2.0, cross(w_PB, v_PB))))
    return add(w, w_PB), c_alpha, c_a


@kernel
def project(work, i, j, n, f):
    """Return the element ``j`` of ``S^T (n, f)``."""
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
    """Compute the acceleration of speed ``j`` of body ``i``, which is carried with (alpha, a).

    It is returned with (alpha, a) after its effect was added. ``lost`` is the generalized force due to accelerations of
    PRESCRIBED joints behind.
    """
    at = SPEED_COLUMNS * j
    pull = dot(load3(work, i, W_U + at), alpha) + dot(load3(work, i, W_U + at + 3), a)
    value = work[i, W_D_INV + at] * (work[i, W_U_FORCE + at] - lost - pull)
    w, v = column(work, i, j)
    return value, add(alpha, scale(value, w)), add(a, scale(value, v))
