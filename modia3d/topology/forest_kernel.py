"""The spanning forest over arrays: one pass over groups, joints and locks.

A pose is a row of twelve numbers, ``R_AB`` row-major and ``p_AB_A``. Loops over rows instead of the tuples of
`modia3d.dynamics.spatial`: this runs once per segment, and it compiles several times faster.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from numba import njit, types

from ..dynamics.layout import (
    EQUATION,
    FREE,
    HIDDEN,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    PARENT,
    Q_INDEX,
    Q_SIZE,
    R_PJ,
    ROLE,
    V_INDEX,
    V_SIZE,
)
from ..dynamics.spatial import INTS, MATRIX, OPTIONS, VECTOR, kernel

NOT_REACHED = -2
ROW, COLUMN = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
"""Places in the matrix of xx, yy, zz, xy, xz, yz."""


@kernel
def compose(X_AB, X_BC, X_AC):
    """Pose of C in A, into ``X_AC``."""
    for i in range(3):
        a, b, c = X_AB[3 * i], X_AB[3 * i + 1], X_AB[3 * i + 2]
        for j in range(3):
            X_AC[3 * i + j] = a * X_BC[j] + b * X_BC[3 + j] + c * X_BC[6 + j]
        X_AC[9 + i] = a * X_BC[9] + b * X_BC[10] + c * X_BC[11] + X_AB[9 + i]


@kernel
def invert(X_AB, X_BA):
    """Pose of A in B, into ``X_BA``."""
    for i in range(3):
        for j in range(3):
            X_BA[3 * i + j] = X_AB[3 * j + i]
        X_BA[9 + i] = -(X_AB[i] * X_AB[9] + X_AB[3 + i] * X_AB[10] + X_AB[6 + i] * X_AB[11])


@kernel
def add_inertia(X_BG, group, body):
    """Add the inertia of a group G to that of its body (parallel axis theorem for any two points, see `inertia.moved_to`).

    Args:
        X_BG: pose of the group.
        group: its row of ``group_inertia``; columns 10 to 12 are used as scratch memory.
        body: the row of ``floats``.
    """
    mass = group[0]
    product = square = 0.0
    for i in range(3):
        p = X_BG[9 + i]
        h = X_BG[3 * i] * group[1] + X_BG[3 * i + 1] * group[2] + X_BG[3 * i + 2] * group[3]
        group[10 + i] = h
        body[MOMENT + i] += h + mass * p
        product += p * h
        square += p * p
    body[MASS] += mass
    for k in range(6):
        i, j = ROW[k], COLUMN[k]
        value = 2.0 * product + mass * square if k < 3 else 0.0
        value -= X_BG[9 + i] * group[10 + j] + X_BG[9 + j] * group[10 + i] + mass * X_BG[9 + i] * X_BG[9 + j]
        for m in range(6):
            a, b = ROW[m], COLUMN[m]
            value += group[4 + m] * X_BG[3 * i + a] * X_BG[3 * j + b]
            if m >= 3:
                value += group[4 + m] * X_BG[3 * i + b] * X_BG[3 * j + a]
        body[INERTIA + k] += value


@kernel
def number_coordinates(ints, n, joint_ints, body_joint, n_equation):
    """Write kinds, roles and indices in q and v: equation joints at their fixed places, then hidden ones. Returns nq, nv."""
    nq = nv = n_equation
    for body in range(n):
        joint = body_joint[body]
        kind = joint_ints[joint, 0] if joint >= 0 else FREE
        equation = joint_ints[joint, 1] if joint >= 0 else -1
        ints[body, KIND] = kind
        if equation >= 0:
            ints[body, Q_INDEX], ints[body, V_INDEX], ints[body, ROLE] = equation, equation, EQUATION
        else:
            ints[body, Q_INDEX], ints[body, V_INDEX], ints[body, ROLE] = nq, nv, HIDDEN
            nq += Q_SIZE[kind]
            nv += V_SIZE[kind]
    return nq, nv


@kernel
def link(ends, first, following):
    """Lists of the ends of edges at each group, in ascending order: ``first[group]``, then ``following[end]`` until -1.

    The end ``2 * edge + side`` is the one at the group ``ends[edge, side]``.
    """
    for end in range(2 * ends.shape[0] - 1, -1, -1):
        group = ends[end // 2, end % 2]
        following[end] = first[group]
        first[group] = end


_INDICES = types.int64[::1]
_SIGNATURE = types.UniTuple(types.int64, 3)(
    _INDICES, MATRIX, MATRIX, INTS, MATRIX, _INDICES, MATRIX, _INDICES, INTS, MATRIX, types.int64,
    INTS, MATRIX, _INDICES, _INDICES, _INDICES, MATRIX, _INDICES, _INDICES, MATRIX, _INDICES, VECTOR,
)  # fmt: skip


@njit(_SIGNATURE, **OPTIONS)
def grow(
    frame_group, frame_pose, group_inertia, joint_ints, joint_pose, roots, root_pose, alive, ends, lock_pose, n_equation,
    ints, floats, body_joint, turned, frame_body, body_pose, first, following, group_pose, group_body, scratch,
):  # fmt: skip
    """Spanning forest; arguments in the first line as in `SceneGraph` and `forest.spanning_forest`.

    Args:
        ints, floats, body_joint, turned, frame_body, body_pose: results, as in `Forest`; ``ints`` and ``floats`` zero at first.
        first, group_body: int64 (ng,), all -1 and all `NOT_REACHED` at first.
        following, group_pose, scratch: memory, int64 (2 * number of edges,), float64 (ng, 12) and (12,).

    Returns:
        Number of bodies, of coordinates and of speeds.
    """
    n, n_joints = 0, joint_ints.shape[0]
    link(ends, first, following)
    queue = frame_body  # overwritten below, when all groups are reached; there are at least as many frames as groups
    for k in range(roots.shape[0]):
        root = roots[k]
        if alive[k] == 0 or group_body[root] != NOT_REACHED:
            continue
        group_pose[root] = root_pose[k]
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
            body, X_BG = group_body[group], group_pose[group]
            if body >= 0 and group_inertia[group, 0] > 0.0:
                add_inertia(X_BG, group_inertia[group], floats[body])
            end = first[group]
            while end >= 0:
                edge, side = end // 2, end % 2
                other = ends[edge, 1 - side]
                end = following[end]
                if group_body[other] != NOT_REACHED:
                    continue
                if edge < n_joints:
                    compose(X_BG, joint_pose[2 * edge + side], floats[n])
                    group_pose[other] = joint_pose[2 * edge + side, 12:]
                    ints[n, PARENT], body_joint[n], turned[n], group_body[other] = body, edge, side, n
                    n += 1
                else:
                    pose = lock_pose[edge - n_joints]
                    if side == 1:
                        invert(pose, scratch)
                        pose = scratch
                    compose(X_BG, pose, group_pose[other])
                    group_body[other] = body
                queue[tail] = other
                tail += 1
    nq, nv = number_coordinates(ints, n, joint_ints, body_joint, n_equation)
    for frame in range(frame_group.shape[0]):
        group = frame_group[frame]
        frame_body[frame] = group_body[group]
        if group_body[group] != NOT_REACHED:
            compose(group_pose[group], frame_pose[frame], body_pose[frame])
    return n, nq, nv


@njit(types.void(_INDICES, _INDICES, MATRIX, MATRIX, MATRIX), **OPTIONS)
def lock_groups(frames_a, frames_b, frame_pose, frame_inverse, lock_pose):
    """Turn the poses of the frames B in A of locks, in place, into those of B's group in A's group.

    Args:
        frames_a, frames_b: int64 (n,). frame_pose, frame_inverse: float64 (nf, 12), pose of a frame in its group and inverse.
        lock_pose: float64 (n + 1, 12); the last row is scratch memory.
    """
    n = frames_a.shape[0]
    for k in range(n):
        compose(frame_pose[frames_a[k]], lock_pose[k], lock_pose[n])
        compose(lock_pose[n], frame_inverse[frames_b[k]], lock_pose[k])
