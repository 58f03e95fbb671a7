"""Rows of cut joints in machine code: how far two frames are from a joint's relative pose, and what speeds make of that.

In coordinates of frame 1, frame 2 moves with the velocity ``v = R_1^T (v_2 - v_1 - w_1 x r)``, r from 1 to 2, and with
the angular velocity ``w = R_1^T (w_2 - w_1)``. A direction's residual g has the rate ``g' = c_v v + c_w w``, and
``g'' = G a + gamma``, see `modia3d.scene.basics.directions`.
"""

from __future__ import annotations

from modia3d.dynamics.basics.layout import FREE, PARENT, REVOLUTE, V_INDEX
from modia3d.dynamics.basics.layout import KIND as JOINT_KIND
from modia3d.dynamics.basics.records import column
from modia3d.dynamics.basics.spatial import (
    INTS,
    MATRIX,
    OPTIONS,
    VECTOR,
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    kernel,
    load3,
    load9,
    multiply,
    subtract,
    transpose,
)
from modia3d.dynamics.joints.joint import prepare
from modia3d.dynamics.joints.kinds import V_SIZE
from modiapy.acausal.native import njit, types

from ..tables.cut_directions import COUNT, TABLE
from ..tables.cut_table import BODY_1, BODY_2, FRAME_1, FRAME_2, KIND, PARAMETER
from .contact_rows import evaluate_contact, is_contact
from .direction import direction, unit

_NONE = (0.0, 0.0, 0.0)


@kernel
def frame_motion(cuts, i, body, at, R, p, v_W, w_W, a_W, alpha_W):
    """Return R, position, velocity, angular velocity and the derivatives of both of a frame of cut joint ``i``, in world."""
    R_BJ, p_BJ = load9(cuts, i, at), load3(cuts, i, at + 9)
    if body < 0:
        return R_BJ, p_BJ, _NONE, _NONE, _NONE, _NONE
    R_WB = load9(R, body, 0)
    arm, w, alpha = apply(R_WB, p_BJ), load3(w_W, body, 0), load3(alpha_W, body, 0)
    v = add(load3(v_W, body, 0), cross(w, arm))
    a = add(load3(a_W, body, 0), add(cross(alpha, arm), cross(w, cross(w, arm))))
    return multiply(R_WB, R_BJ), add(load3(p, body, 0), arm), v, w, a, alpha


@kernel
def add_column(sign, k, v, w, coefficients, first, n, G):
    """Add the contribution of a unit of speed ``k``, which moves the point with v and w, to ``n`` rows from ``first`` on."""
    for j in range(n):
        at = first + j
        G[at, k] += sign * (dot(load3(coefficients, at, 0), v) + dot(load3(coefficients, at, 3), w))


@kernel
def add_rows(ints, floats, q, R, p, body, point, sign, coefficients, first, n, G, work):
    """Add to the rows what the joints between a body and the world make of a point of it."""
    i = body
    while i >= 0:
        kind, k = ints[i, JOINT_KIND], ints[i, V_INDEX]
        R_WB, r = load9(R, i, 0), subtract(point, load3(p, i, 0))
        z = (R[i, 2], R[i, 5], R[i, 8])
        if kind == FREE:
            for j in range(3):
                axis = (R[i, j], R[i, 3 + j], R[i, 6 + j])
                add_column(sign, k + j, unit(j), _NONE, coefficients, first, n, G)
                add_column(sign, k + 3 + j, cross(axis, r), axis, coefficients, first, n, G)
        elif kind > FREE:
            prepare(ints, floats, i, q, work)
            for j in range(V_SIZE[kind]):
                w, v = column(work, i, j)
                w, v = apply(R_WB, w), apply(R_WB, v)
                add_column(sign, k + j, add(v, cross(w, r)), w, coefficients, first, n, G)
        elif kind == REVOLUTE:
            add_column(sign, k, cross(z, r), z, coefficients, first, n, G)
        else:
            add_column(sign, k, z, _NONE, coefficients, first, n, G)
        i = ints[i, PARENT]


@njit(
    types.void(MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, VECTOR, VECTOR, VECTOR),
    **OPTIONS,
)
def evaluate_rows(cuts, R, p, v_W, w_W, a_W, alpha_W, points, coefficients, residual, speed, rest):
    """Evaluate the demands of the directions of cut joints, row by row.

    Args:
        cuts: the cut joints, shape (n, cut_table.COLUMNS).
        R, p, v_W, w_W, a_W, alpha_W: motion of the bodies.
        points: result, shape (n, 3): origin of frame 2 in world [m].
        coefficients: result, shape (m, 6): ``c_v, c_w`` in world, of the velocity of frame 2's origin relative to frame 1 and
            of the relative angular velocity. So a multiplier is the force ``c_v`` at that point, and the torque ``c_w``, on
            the body of frame 2, and the opposite on that of frame 1.
        residual: result, shape (m,) [m, or 1 for the cosine of an angle]. speed: result, shape (m,): its derivative.
        rest: result, shape (m,): its second derivative; ``gamma`` where accelerations of joints are zero.
    """
    first = 0
    for i in range(cuts.shape[0]):
        kind, one, two, h = int(cuts[i, KIND]), int(cuts[i, BODY_1]), int(cuts[i, BODY_2]), cuts[i, PARAMETER]
        R_1, p_1, v_1, w_1, a_1, alpha_1 = frame_motion(cuts, i, one, FRAME_1, R, p, v_W, w_W, a_W, alpha_W)
        R_2, p_2, v_2, w_2, a_2, alpha_2 = frame_motion(cuts, i, two, FRAME_2, R, p, v_W, w_W, a_W, alpha_W)
        r, turning = subtract(p_2, p_1), subtract(w_2, w_1)
        moving = subtract(subtract(v_2, v_1), cross(w_1, r))
        a = subtract(subtract(a_2, a_1), add(cross(alpha_1, r), cross(w_1, subtract(v_2, v_1))))
        a = apply_transposed(R_1, subtract(a, cross(w_1, moving)))
        alpha = apply_transposed(R_1, subtract(subtract(alpha_2, alpha_1), cross(w_1, turning)))
        r, v, w = apply_transposed(R_1, r), apply_transposed(R_1, moving), apply_transposed(R_1, turning)
        R_12 = multiply(transpose(R_1), R_2)
        for j in range(3):
            points[i, j] = p_2[j]
        n = COUNT[kind]
        if is_contact(cuts, i):
            R_12 = multiply(transpose(R_1), R_2)
            evaluate_contact(cuts, i, r, v, w, a, alpha, R_1, R_12, first, coefficients, residual, speed, rest)
            first += n
            continue
        for j in range(n):
            g, c_v, c_w, own = direction(TABLE[kind, j, 0], TABLE[kind, j, 1], TABLE[kind, j, 2], h, R_12, r, v, w)
            residual[first + j] = g
            speed[first + j] = dot(c_v, v) + dot(c_w, w)
            rest[first + j] = dot(c_v, a) + dot(c_w, alpha) + own
            c_v, c_w = apply(R_1, c_v), apply(R_1, c_w)
            for k in range(3):
                coefficients[first + j, k], coefficients[first + j, 3 + k] = c_v[k], c_w[k]
        first += n


@njit(types.void(INTS, MATRIX, VECTOR, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def rows_of_cuts(ints, floats, q, R, p, cuts, points, coefficients, G, work):
    """Compute the rows of cut joints as a matrix.

    Args:
        ints, floats, q: the forest, see `layout`, and its coordinates, shape (nq,).
        R, p: poses of its bodies.
        cuts, points, coefficients: see `evaluate_rows`.
        G: result, shape (m, nv).
        work: scratch, shape (number of bodies, WORK_COLUMNS).
    """
    G[:, :] = 0.0
    first = 0
    for i in range(cuts.shape[0]):
        n, point = COUNT[int(cuts[i, KIND])], load3(points, i, 0)
        add_rows(ints, floats, q, R, p, int(cuts[i, BODY_2]), point, 1.0, coefficients, first, n, G, work)
        add_rows(ints, floats, q, R, p, int(cuts[i, BODY_1]), point, -1.0, coefficients, first, n, G, work)
        first += n
