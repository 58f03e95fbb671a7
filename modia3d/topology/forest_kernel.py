"""The spanning forest over arrays: one pass over groups, joints and locks."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np
from numba import njit, types

from ..dynamics.layout import (
    EQUATION,
    FREE,
    HIDDEN,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    P_PJ,
    PARENT,
    Q_INDEX,
    Q_SIZE,
    R_PJ,
    ROLE,
    V_INDEX,
    V_SIZE,
)
from ..dynamics.spatial import (
    INTS,
    MATRIX,
    OPTIONS,
    add,
    apply,
    apply_transposed,
    dot,
    kernel,
    load3,
    load6,
    load9,
    multiply,
    rotate_symmetric,
    scale,
    store3,
    store6,
    store9,
)

VISITED_NOT = -2


@kernel
def transpose(R):
    """R^T"""
    return R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]


@kernel
def turn_about_x(R):
    """R R_x(pi): the z axis (the axis of the joint) is negated."""
    return R[0], -R[1], -R[2], R[3], -R[4], -R[5], R[6], -R[7], -R[8]


@kernel
def load_pose(array, i, k):
    """Rotation and position in row ``i`` from column ``k``."""
    return load9(array, i, k), load3(array, i, k + 9)


@kernel
def store_pose(array, i, pose):
    """Put rotation and position into row ``i``."""
    store9(array, i, 0, pose[0])
    store3(array, i, 9, pose[1])


@kernel
def compose(X_AB, X_BC):
    """Pose of C in A."""
    return multiply(X_AB[0], X_BC[0]), add(X_AB[1], apply(X_AB[0], X_BC[1]))


@kernel
def inverse(X_AB):
    """Pose of A in B."""
    return transpose(X_AB[0]), scale(-1.0, apply_transposed(X_AB[0], X_AB[1]))


@kernel
def add_inertia(X_BG, group_inertia, g, floats, body):
    """Add the inertia of group ``g`` to that of its body (parallel axis theorem for any two points, see `inertia.moved_to`)."""
    mass = group_inertia[g, 0]
    if mass == 0.0:
        return
    R, p = X_BG
    h = apply(R, load3(group_inertia, g, 1))
    xx, yy, zz, xy, xz, yz = rotate_symmetric(R, load6(group_inertia, g, 4))
    a, b, c, d, e, f = load6(floats, body, INERTIA)
    trace = 2.0 * dot(p, h) + mass * dot(p, p)
    store6(
        floats,
        body,
        INERTIA,
        (
            a + xx + trace - 2.0 * p[0] * h[0] - mass * p[0] * p[0],
            b + yy + trace - 2.0 * p[1] * h[1] - mass * p[1] * p[1],
            c + zz + trace - 2.0 * p[2] * h[2] - mass * p[2] * p[2],
            d + xy - p[0] * h[1] - p[1] * h[0] - mass * p[0] * p[1],
            e + xz - p[0] * h[2] - p[2] * h[0] - mass * p[0] * p[2],
            f + yz - p[1] * h[2] - p[2] * h[1] - mass * p[1] * p[2],
        ),
    )
    floats[body, MASS] += mass
    store3(floats, body, MOMENT, add(load3(floats, body, MOMENT), add(h, scale(mass, p))))


@kernel
def adjacency(joint_ints, lock_frames, frame_group, n_groups):
    """Edges at each group, joints before locks: ``edges[first[g]:first[g + 1]]``; locks are numbered after all joints."""
    n_joints, n_locks = joint_ints.shape[0], lock_frames.shape[0]
    ends = np.empty((n_joints + n_locks, 2), np.int64)
    first = np.zeros(n_groups + 1, np.int64)
    for e in range(n_joints + n_locks):
        for side in range(2):
            g = joint_ints[e, 1 + side] if e < n_joints else frame_group[lock_frames[e - n_joints, side]]
            ends[e, side] = g
            first[g + 1] += 1
    for g in range(n_groups):
        first[g + 1] += first[g]
    place = first[:-1].copy()
    edges = np.empty(2 * (n_joints + n_locks), np.int64)
    for e in range(n_joints + n_locks):
        for side in range(2):
            edges[place[ends[e, side]]] = e
            place[ends[e, side]] += 1
    return first, edges, ends


@kernel
def joint_poses(joint_pose, joint, is_reversed):
    """Pose of the joint frame J in the parent's group, and of the body frame B in the child's group."""
    X_1, X_2 = load_pose(joint_pose, joint, 0), load_pose(joint_pose, joint, 12)
    if is_reversed:
        return (turn_about_x(X_2[0]), X_2[1]), (turn_about_x(X_1[0]), X_1[1])
    return X_1, X_2


@kernel
def lock_poses(frame_pose, lock_frames, lock_pose, lock, from_b):
    """Pose of the group at the other end of a lock, in the group where one comes from."""
    X_A = compose(load_pose(frame_pose, lock_frames[lock, 0], 0), load_pose(lock_pose, lock, 0))
    X_AB = compose(X_A, inverse(load_pose(frame_pose, lock_frames[lock, 1], 0)))
    return inverse(X_AB) if from_b else X_AB


@kernel
def number_coordinates(ints, n, joint_ints, body_joint, n_equation):
    """Write kinds, roles and indices in q and v: equation joints at their fixed places, then hidden ones. Returns nq, nv."""
    nq = nv = n_equation
    for body in range(n):
        joint = body_joint[body]
        ints[body, KIND] = joint_ints[joint, 0] if joint >= 0 else FREE
        equation = joint_ints[joint, 3] if joint >= 0 else -1
        if equation >= 0:
            ints[body, Q_INDEX], ints[body, V_INDEX], ints[body, ROLE] = equation, equation, EQUATION
        else:
            ints[body, Q_INDEX], ints[body, V_INDEX], ints[body, ROLE] = nq, nv, HIDDEN
            nq += Q_SIZE[ints[body, KIND]]
            nv += V_SIZE[ints[body, KIND]]
    return nq, nv


@kernel
def place_frames(frame_group, frame_pose, group_body, group_pose, frame_body, frame_R, frame_p):
    """Body of each frame, and its pose there."""
    for f in range(frame_group.shape[0]):
        g = frame_group[f]
        frame_body[f] = group_body[g]
        if group_body[g] == VISITED_NOT:
            store9(frame_R, f, 0, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
            store3(frame_p, f, 0, (0.0, 0.0, 0.0))
        else:
            X_BF = compose(load_pose(group_pose, g, 0), load_pose(frame_pose, f, 0))
            store9(frame_R, f, 0, X_BF[0])
            store3(frame_p, f, 0, X_BF[1])


_VECTOR = types.int64[::1]
_SIGNATURE = types.UniTuple(types.int64, 3)(
    _VECTOR, MATRIX, MATRIX, INTS, MATRIX, _VECTOR, _VECTOR,
    INTS, MATRIX, types.int64, INTS, MATRIX, _VECTOR, _VECTOR, _VECTOR, MATRIX, MATRIX,
)  # fmt: skip


@njit(_SIGNATURE, **OPTIONS)
def grow(
    frame_group, frame_pose, group_inertia, joint_ints, joint_pose, roots, alive,
    lock_frames, lock_pose, n_equation, ints, floats, body_joint, turned, frame_body, frame_R, frame_p,
):  # fmt: skip
    """Spanning forest; arguments as in `SceneGraph` and `Forest`, outputs from ``ints`` on (integers and floats zero at first).

    Returns:
        Number of bodies, of coordinates and of speeds.
    """
    n_groups, n_joints = group_inertia.shape[0], joint_ints.shape[0]
    first, edges, ends = adjacency(joint_ints, lock_frames, frame_group, n_groups)
    group_body, group_pose = np.full(n_groups, VISITED_NOT, np.int64), np.empty((n_groups, 12))
    queue = np.empty(n_groups, np.int64)
    n = 0
    for k in range(roots.shape[0]):
        root = frame_group[roots[k]]
        if alive[k] == 0 or group_body[root] != VISITED_NOT:
            continue
        store_pose(group_pose, root, inverse(load_pose(frame_pose, roots[k], 0)))
        group_body[root] = -1
        if k > 0:
            ints[n, PARENT], body_joint[n], group_body[root] = -1, -1 - k, n
            floats[n, R_PJ], floats[n, R_PJ + 4], floats[n, R_PJ + 8] = 1.0, 1.0, 1.0
            n += 1
        queue[0] = root
        head, tail = 0, 1
        while head < tail:
            g = queue[head]
            head += 1
            body, X_BG = group_body[g], load_pose(group_pose, g, 0)
            if body >= 0:
                add_inertia(X_BG, group_inertia, g, floats, body)
            for i in range(first[g], first[g + 1]):
                e = edges[i]
                side = 0 if ends[e, 0] == g else 1
                other = ends[e, 1 - side]
                if group_body[other] != VISITED_NOT:
                    continue
                if e < n_joints:
                    X_GJ, X_CB = joint_poses(joint_pose, e, side == 1)
                    X_PJ = compose(X_BG, X_GJ)
                    store9(floats, n, R_PJ, X_PJ[0])
                    store3(floats, n, P_PJ, X_PJ[1])
                    ints[n, PARENT], body_joint[n], turned[n], group_body[other] = body, e, side, n
                    store_pose(group_pose, other, inverse(X_CB))
                    n += 1
                else:
                    group_body[other] = body
                    relative = lock_poses(frame_pose, lock_frames, lock_pose, e - n_joints, side == 1)
                    store_pose(group_pose, other, compose(X_BG, relative))
                queue[tail] = other
                tail += 1
    nq, nv = number_coordinates(ints, n, joint_ints, body_joint, n_equation)
    place_frames(frame_group, frame_pose, group_body, group_pose, frame_body, frame_R, frame_p)
    return n, nq, nv
