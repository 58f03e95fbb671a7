"""The spanning forest over arrays: one pass over groups, joints and locks.

A pose is a row of twelve numbers, ``R_AB`` row-major and ``p_AB_A``. Loops over rows instead of the tuples of
`modia3d.dynamics.basics.spatial`: this runs once per segment, and it compiles several times faster.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from numba import njit, types

from ..dynamics.basics.layout import (
    AUTOMATIC,
    FREE,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    ORIENTATION,
    PARAMETER,
    PARENT,
    PASSIVE,
    PRESCRIBED,
    Q_INDEX,
    R_PJ,
    REVERSED,
    ROLE,
    V_INDEX,
    V_PLACE,
    X_PLACES,
)
from ..dynamics.basics.spatial import INTS, MATRIX, OPTIONS, VECTOR, kernel
from ..dynamics.joints.kinds import Q_SIZE, V_SIZE

NOT_REACHED = -2
ROW, COLUMN = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
"""Places in the matrix of xx, yy, zz, xy, xz, yz."""


@kernel
def compose(X, a, Y, b, Z, c):
    """Row ``c`` of Z becomes the pose in row ``b`` of Y seen from where row ``a`` of X is seen; Z is not X or Y."""
    for i in range(3):
        p, q, r = X[a, 3 * i], X[a, 3 * i + 1], X[a, 3 * i + 2]
        for j in range(3):
            Z[c, 3 * i + j] = p * Y[b, j] + q * Y[b, 3 + j] + r * Y[b, 6 + j]
        Z[c, 9 + i] = p * Y[b, 9] + q * Y[b, 10] + r * Y[b, 11] + X[a, 9 + i]


@kernel
def add_inertia(pose, inertia, group, floats, body, scratch):
    """Add the inertia of a group G to that of its body (parallel axis theorem for any two points, see `inertia.moved_to`).

    Args:
        pose, inertia: of all groups, ``X_BG`` and ``group_inertia``.
        group, floats, body: the group and its body.
        scratch: memory, float64 (1, 12).
    """
    mass = inertia[group, 0]
    product = square = 0.0
    for i in range(3):
        h, p = 0.0, pose[group, 9 + i]
        for j in range(3):
            h += pose[group, 3 * i + j] * inertia[group, 1 + j]
        scratch[0, i] = h
        floats[body, MOMENT + i] += h + mass * p
        product += p * h
        square += p * p
    floats[body, MASS] += mass
    for k in range(6):
        i, j = ROW[k], COLUMN[k]
        p, q = pose[group, 9 + i], pose[group, 9 + j]
        value = 2.0 * product + mass * square if k < 3 else 0.0
        value -= p * scratch[0, j] + q * scratch[0, i] + mass * p * q
        for m in range(6):
            a, b = ROW[m], COLUMN[m]
            weight = pose[group, 3 * i + a] * pose[group, 3 * j + b]
            if m >= 3:
                weight += pose[group, 3 * i + b] * pose[group, 3 * j + a]
            value += inertia[group, 4 + m] * weight
        floats[body, INERTIA + k] += value


@kernel
def number_coordinates(ints, n, joint_ints, root_ints, body_joint, turned, n_equation, x_place):
    """Write kinds, roles, orientations and indices in q and v: prescribed joints at their fixed places, then passive ones.

    Returns nq and nv. ``x_place`` as in `Forest`, row 0 for coordinates, row 1 for speeds.
    """
    nq = nv = n_equation
    for body in range(n):
        joint = body_joint[body]
        kind = joint_ints[joint, 0] if joint >= 0 else FREE
        equation = joint_ints[joint, 1] if joint >= 0 else -1
        if joint >= 0:
            orientation, automatic = joint_ints[joint, 2], joint_ints[joint, 3]
        else:
            orientation, automatic = root_ints[-1 - joint, 0], root_ints[-1 - joint, 1]
        ints[body, KIND], ints[body, ORIENTATION], ints[body, AUTOMATIC] = kind, orientation, automatic
        ints[body, REVERSED] = turned[body] if kind > FREE else 0
        if equation >= 0:
            ints[body, Q_INDEX], ints[body, V_INDEX], ints[body, ROLE] = equation, equation, PRESCRIBED
        else:
            ints[body, Q_INDEX], ints[body, V_INDEX], ints[body, ROLE] = nq, nv, PASSIVE
            n_q, n_v = Q_SIZE[kind] - (1 if orientation > 0 else 0), V_SIZE[kind]
            first = X_PLACES * (joint if joint >= 0 else joint_ints.shape[0] - 1 - joint)
            for i in range(n_q):
                x_place[0, nq - n_equation + i] = first + i
            for i in range(n_v):
                x_place[1, nv - n_equation + i] = first + V_PLACE + i
            nq += n_q
            nv += n_v
    return nq, nv


@kernel
def link(ends, first, following):
    """Lists of the ends of edges at each group, in ascending order: ``first[group]``, then ``following[end]`` until -1.

    The end ``2 * edge + side`` is the one at the group ``ends[edge, side]``.
    """
    for group in range(first.shape[0]):
        first[group] = -1
    for end in range(2 * ends.shape[0] - 1, -1, -1):
        group = ends[end // 2, end % 2]
        following[end] = first[group]
        first[group] = end


@kernel
def place_locks(lock_frames, locks, frame_pose, frame_inverse, scratch, lock_pose):
    """Pose of the group at the other end of each lock, in the group at this end; rows by end as in `link`."""
    for k in range(lock_frames.shape[0]):
        compose(frame_pose, lock_frames[k, 0], locks, k, scratch, 0)
        compose(scratch, 0, frame_inverse, lock_frames[k, 1], lock_pose, 2 * k)
        here, there = 2 * k, 2 * k + 1
        for i in range(3):
            lock_pose[there, 9 + i] = 0.0
            for j in range(3):
                lock_pose[there, 3 * i + j] = lock_pose[here, 3 * j + i]
                lock_pose[there, 9 + i] -= lock_pose[here, 3 * j + i] * lock_pose[here, 9 + j]


_INDICES = types.int64[::1]
_SIGNATURE = types.UniTuple(types.int64, 4)(
    _INDICES, MATRIX, MATRIX, MATRIX, INTS, VECTOR, MATRIX, _INDICES, MATRIX, INTS, _INDICES, INTS, INTS, MATRIX, types.int64,
    INTS, MATRIX, _INDICES, _INDICES, _INDICES, MATRIX, MATRIX, INTS, _INDICES, _INDICES, _INDICES, MATRIX, MATRIX, MATRIX,
)  # fmt: skip


@njit(_SIGNATURE, **OPTIONS)
def build_spanning_forest(
    frame_group, frame_pose, frame_inverse, group_inertia, joint_ints, joint_parameter, joint_pose, roots, root_pose, root_ints,
    deleted, ends,
    lock_frames, locks, n_equation, ints, floats, body_joint, turned, frame_body, frame_R, frame_p,
    x_place, first, following, group_body, group_pose, lock_pose, scratch,
):  # fmt: skip
    """Spanning forest; arguments before ``ints`` as in `SceneGraph` and `forest.spanning_forest`.

    Args:
        ints, floats, body_joint, turned, frame_body, frame_R, frame_p, x_place: results, as in `Forest`; ``ints``, ``floats``,
            ``turned``, ``frame_R`` and ``frame_p`` zero at first, ``x_place`` with a row for coordinates and one for speeds.
        first, following, group_body, group_pose, lock_pose, scratch: memory, int64 (ng,), (2 * number of edges,), (ng,),
            float64 (ng, 12), (2 * number of locks, 12), (1, 12).

    Returns:
        Number of bodies, of coordinates, of speeds, and of loops. With loops the forest is as good as any other.
    """
    n, n_joints, surplus = 0, joint_ints.shape[0], 0
    for group in range(group_body.shape[0]):
        group_body[group] = NOT_REACHED
    link(ends, first, following)
    place_locks(lock_frames, locks, frame_pose, frame_inverse, scratch, lock_pose)
    queue = frame_body  # overwritten at the end; there are at least as many frames as groups
    for k in range(roots.shape[0]):
        root = roots[k]
        if deleted[k] != 0 or group_body[root] != NOT_REACHED:
            continue
        for i in range(12):
            group_pose[root, i] = root_pose[k, i]
        group_body[root] = -1
        if k > 0:
            ints[n, PARENT], body_joint[n], group_body[root] = -1, -1 - k, n
            floats[n, R_PJ], floats[n, R_PJ + 4], floats[n, R_PJ + 8] = 1.0, 1.0, 1.0
            n += 1
        queue[0] = root
        head, tail = 0, 1
        while head < tail:
            group = queue[head]
            head += 1
            body = group_body[group]
            moments = group_inertia[group, 4] + group_inertia[group, 5] + group_inertia[group, 6]
            if body >= 0 and (group_inertia[group, 0] > 0.0 or moments != 0.0):
                add_inertia(group_pose, group_inertia, group, floats, body, scratch)
            end = first[group]
            while end >= 0:
                other = ends[end // 2, 1 - end % 2]
                locked = end < 2 * n_joints and joint_ints[end // 2, 0] < 0  # it is among the locks
                if group_body[other] == NOT_REACHED and not locked:
                    if end < 2 * n_joints:
                        compose(group_pose, group, joint_pose, end, floats, n)  # columns R_PJ and P_PJ
                        for i in range(12):
                            group_pose[other, i] = joint_pose[end, 12 + i]
                        floats[n, PARAMETER] = joint_parameter[end // 2]
                        ints[n, PARENT], body_joint[n], turned[n], group_body[other] = body, end // 2, end % 2, n
                        n += 1
                    else:
                        compose(group_pose, group, lock_pose, end - 2 * n_joints, scratch, 0)
                        for i in range(12):
                            group_pose[other, i] = scratch[0, i]
                        group_body[other] = body
                    queue[tail] = other
                    tail += 1
                    surplus -= 1
                elif not locked:  # also an edge of the tree, from its other side
                    surplus += 1
                end = following[end]
    nq, nv = number_coordinates(ints, n, joint_ints, root_ints, body_joint, turned, n_equation, x_place)
    for frame in range(frame_group.shape[0]):
        group = frame_group[frame]
        frame_body[frame] = group_body[group]
        if group_body[group] != NOT_REACHED:
            compose(group_pose, group, frame_pose, frame, scratch, 0)
            for i in range(9):
                frame_R[frame, i] = scratch[0, i]
            for i in range(3):
                frame_p[frame, i] = scratch[0, 9 + i]
    return n, nq, nv, surplus // 2
