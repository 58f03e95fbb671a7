"""The spanning forest over arrays: one pass over groups, joints and locks; states that go on in it, and poses of new locks.

A pose is a row of twelve numbers, ``R_AB`` row-major and ``p_AB_A``. Loops over rows instead of the tuples of
`modia3d.dynamics.basics.spatial`: this runs once per segment, and it compiles several times faster.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

import math

from modiapy.acausal.native import njit, types
from modiapy.acausal.native_layout import record

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
from ..dynamics.basics.spatial import OPTIONS, kernel
from ..dynamics.joints.kinds import Q_SIZE, V_SIZE
from .forest_layout import FOREST, PARTS

NOT_REACHED = -2
ROW, COLUMN = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
"""Places in the matrix of xx, yy, zz, xy, xz, yz."""

parts_of, structure_of = record(PARTS), record(FOREST)


@kernel
def compose(X, a, Y, b, Z, c):
    """Write to row ``c`` of Z the pose in row ``b`` of Y, seen from where row ``a`` of X is seen; Z is not X or Y."""
    for i in range(3):
        p, q, r = X[a, 3 * i], X[a, 3 * i + 1], X[a, 3 * i + 2]
        for j in range(3):
            Z[c, 3 * i + j] = p * Y[b, j] + q * Y[b, 3 + j] + r * Y[b, 6 + j]
        Z[c, 9 + i] = p * Y[b, 9] + q * Y[b, 10] + r * Y[b, 11] + X[a, 9 + i]


@kernel
def add_inertia(parts, forest, group):
    """Add the inertia of a group G to that of its body (parallel axis theorem for any two points, see `inertia.moved_to`)."""
    g, f = parts_of(parts), structure_of(forest)
    body, pose, inertia, floats, scratch = f.group_body[group], f.group_pose, g.inertia, f.floats, f.pose
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
def number_coordinates(parts, forest, n):
    """Write kinds, roles, orientations and indices in q and v: prescribed joints at their fixed places, then passive ones.

    Returns nq and nv. ``x_place`` as in `Forest`.
    """
    g, f = parts_of(parts), structure_of(forest)
    ints, x_place, joint_ints, root_ints = f.ints, f.x_place, g.joint_ints, g.root_ints
    nq = nv = g.n_equation
    half = x_place.size // 2  # speeds are written from here on, and moved at the end
    for body in range(n):
        joint = f.body_joint[body]
        kind = joint_ints[joint, 0] if joint >= 0 else FREE
        equation = joint_ints[joint, 1] if joint >= 0 else -1
        if joint >= 0:
            orientation, automatic = joint_ints[joint, 2], joint_ints[joint, 3]
        else:
            orientation, automatic = root_ints[-1 - joint, 0], root_ints[-1 - joint, 1]
        ints[body, KIND], ints[body, ORIENTATION], ints[body, AUTOMATIC] = kind, orientation, automatic
        ints[body, REVERSED] = f.turned[body] if kind > FREE else 0
        if equation >= 0:
            ints[body, Q_INDEX], ints[body, V_INDEX], ints[body, ROLE] = equation, equation, PRESCRIBED
        else:
            ints[body, Q_INDEX], ints[body, V_INDEX], ints[body, ROLE] = nq, nv, PASSIVE
            n_q, n_v = Q_SIZE[kind] - (1 if orientation > 0 else 0), V_SIZE[kind]
            first = X_PLACES * (joint if joint >= 0 else f.n_joints - 1 - joint)
            for i in range(n_q):
                x_place[nq - g.n_equation + i] = first + i
            for i in range(n_v):
                x_place[half + nv - g.n_equation + i] = first + V_PLACE + i
            nq += n_q
            nv += n_v
    for i in range(nv - g.n_equation):
        x_place[nq - g.n_equation + i] = x_place[half + i]
    return nq, nv


@kernel
def link(parts, forest):
    """End of all edges, and lists of those at each group, ascending: ``first[group]``, then ``following[end]`` until -1.

    The end ``2 * edge + side`` is the one at the group ``ends[edge, side]``.
    """
    g, f = parts_of(parts), structure_of(forest)
    ends, n_joints = f.ends, f.n_joints
    for group in range(f.n_groups):
        f.first[group] = -1
    for end in range(2 * ends.shape[0] - 1, -1, -1):
        edge, side = end // 2, end % 2
        group = g.joint_ends[edge, side] if edge < n_joints else g.frame_group[f.lock_frames[edge - n_joints, side]]
        ends[edge, side] = group
        f.following[end] = f.first[group]
        f.first[group] = end


@kernel
def place_locks(parts, forest):
    """Compute the pose of the group at the other end of each lock, in the group at this end; rows by end as in `link`."""
    g, f = parts_of(parts), structure_of(forest)
    lock_pose = f.lock_pose
    for k in range(f.n_locks):
        compose(g.frame_pose, f.lock_frames[k, 0], f.lock_poses, k, f.pose, 0)
        compose(f.pose, 0, g.frame_inverse, f.lock_frames[k, 1], lock_pose, 2 * k)
        here, there = 2 * k, 2 * k + 1
        for i in range(3):
            lock_pose[there, 9 + i] = 0.0
            for j in range(3):
                lock_pose[there, 3 * i + j] = lock_pose[here, 3 * j + i]
                lock_pose[there, 9 + i] -= lock_pose[here, 3 * j + i] * lock_pose[here, 9 + j]


@kernel
def follow_joint(parts, forest, end, group, other, body):
    """Make the group at the other end of a joint that of a new body, which the joint moves."""
    g, f = parts_of(parts), structure_of(forest)
    compose(f.group_pose, group, g.joint_pose, end, f.floats, body)  # columns R_PJ and P_PJ
    for i in range(12):
        f.group_pose[other, i] = g.joint_pose[end, 12 + i]
    f.floats[body, PARAMETER] = g.joint_parameter[end // 2]
    f.ints[body, PARENT], f.body_joint[body], f.turned[body] = f.group_body[group], end // 2, end % 2
    f.group_body[other] = body


@kernel
def follow_lock(forest, end, group, other):
    """Make the group at the other end of a lock part of the same body."""
    f = structure_of(forest)
    compose(f.group_pose, group, f.lock_pose, end - 2 * f.n_joints, f.pose, 0)
    for i in range(12):
        f.group_pose[other, i] = f.pose[0, i]
    f.group_body[other] = f.group_body[group]


@kernel
def add_root(parts, forest, k, body):
    """Make the group of root ``k`` part of the world (the first one), or of a new body that moves freely."""
    g, f = parts_of(parts), structure_of(forest)
    root = g.root_group[k]
    for i in range(12):
        f.group_pose[root, i] = g.root_pose[k, i]
    f.group_body[root] = -1
    if k > 0:
        f.ints[body, PARENT], f.body_joint[body], f.group_body[root] = -1, -1 - k, body
        f.floats[body, R_PJ], f.floats[body, R_PJ + 4], f.floats[body, R_PJ + 8] = 1.0, 1.0, 1.0


@kernel
def add_tree(parts, forest, root, n):
    """Add the tree of a group, breadth first: all that joints and locks connect with it, where there were ``n`` bodies.

    Returns how many there are then, and twice the number of loops.
    """
    g, f = parts_of(parts), structure_of(forest)
    inertia, joint_ints, joint_ends = g.inertia, g.joint_ints, 2 * f.n_joints
    queue = f.frame_body  # overwritten at the end; there are at least as many frames as groups
    queue[0] = root
    head, tail, surplus = 0, 1, 0
    while head < tail:
        group = queue[head]
        head += 1
        moments = inertia[group, 4] + inertia[group, 5] + inertia[group, 6]
        if f.group_body[group] >= 0 and (inertia[group, 0] > 0.0 or moments != 0.0):
            add_inertia(parts, forest, group)
        end = f.first[group]
        while end >= 0:
            other = f.ends[end // 2, 1 - end % 2]
            locked = end < joint_ends and joint_ints[end // 2, 0] < 0  # it is among the locks
            if f.group_body[other] == NOT_REACHED and not locked:
                if end < joint_ends:
                    follow_joint(parts, forest, end, group, other, n)
                    n += 1
                else:
                    follow_lock(forest, end, group, other)
                queue[tail] = other
                tail += 1
                surplus -= 1
            elif not locked:  # also an edge of the tree, from its other side
                surplus += 1
            end = f.following[end]
    return n, surplus


@kernel
def place_frames(parts, forest):
    """Compute body and pose of each frame; zero in what was not reached."""
    g, f = parts_of(parts), structure_of(forest)
    for frame in range(f.n_frames):
        group = g.frame_group[frame]
        f.frame_body[frame] = f.group_body[group]
        if f.group_body[group] != NOT_REACHED:
            compose(f.group_pose, group, g.frame_pose, frame, f.pose, 0)
            for i in range(9):
                f.frame_R[frame, i] = f.pose[0, i]
            for i in range(3):
                f.frame_p[frame, i] = f.pose[0, 9 + i]


@njit(types.UniTuple(types.int64, 4)(types.int64, types.int64), **OPTIONS)
def build_spanning_forest(parts, forest):
    """Return the spanning forest of the records `forest_layout.PARTS` and `FOREST` at these addresses, see
    `forest.spanning_forest`.

    Returns:
        Number of bodies, of coordinates, of speeds, and of loops. With loops the forest is as good as any other.
    """
    g, f = parts_of(parts), structure_of(forest)
    n = surplus = 0
    for group in range(f.n_groups):
        f.group_body[group] = NOT_REACHED
    link(parts, forest)
    place_locks(parts, forest)
    for k in range(f.n_roots):
        if (f.n_deleted == 0 or f.deleted[k] == 0) and f.group_body[g.root_group[k]] == NOT_REACHED:
            add_root(parts, forest, k, n)
            n, more = add_tree(parts, forest, g.root_group[k], n + 1 if k > 0 else n)
            surplus += more
    nq, nv = number_coordinates(parts, forest, n)
    place_frames(parts, forest)
    return n, nq, nv, surplus // 2


_MATRIX, _VECTOR, _PLACES = "float64[:,::1]", "float64[::1]", "int64[::1]"
_MOTION = f"{_MATRIX}, {_VECTOR}, {_VECTOR}, {_VECTOR}"


@njit(f"void({_MOTION}, {_MOTION}, {_VECTOR})", **OPTIONS)
def relate(R_a, p_a, v_a, w_a, R_b, p_b, v_b, w_b, out):
    """Write ``R_AB`` (9), ``p_AB_A`` (3), relative speed and rate of turning of two frames A and B, each a `FrameMotion`.

    ``R_AB`` is orthonormal to rounding whatever the rounding errors of the given rotations are (one step of Newton's method for
    the polar decomposition, ``R (3 - R^T R) / 2``).
    """
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = R_a[0, i] * R_b[0, j] + R_a[1, i] * R_b[1, j] + R_a[2, i] * R_b[2, j]
        out[9 + i] = R_a[0, i] * (p_b[0] - p_a[0]) + R_a[1, i] * (p_b[1] - p_a[1]) + R_a[2, i] * (p_b[2] - p_a[2])
    xx = out[0] * out[0] + out[3] * out[3] + out[6] * out[6]  # of R^T R
    yy = out[1] * out[1] + out[4] * out[4] + out[7] * out[7]
    zz = out[2] * out[2] + out[5] * out[5] + out[8] * out[8]
    xy = out[0] * out[1] + out[3] * out[4] + out[6] * out[7]
    xz = out[0] * out[2] + out[3] * out[5] + out[6] * out[8]
    yz = out[1] * out[2] + out[4] * out[5] + out[7] * out[8]
    for i in range(0, 9, 3):
        x, y, z = out[i], out[i + 1], out[i + 2]
        out[i] = 1.5 * x - 0.5 * (x * xx + y * xy + z * xz)
        out[i + 1] = 1.5 * y - 0.5 * (x * xy + y * yy + z * yz)
        out[i + 2] = 1.5 * z - 0.5 * (x * xz + y * yz + z * zz)
    v = w = 0.0
    for i in range(3):
        v += (v_b[i] - v_a[i]) ** 2
        w += (w_b[i] - w_a[i]) ** 2
    out[12], out[13] = math.sqrt(v), math.sqrt(w)


@njit(f"int64({_VECTOR}, {_PLACES}, {_VECTOR}, {_PLACES}, {_VECTOR}, {_PLACES})", **OPTIONS)
def carry_states(known, old_place, old, new_place, new, missing):
    """Return the states from their places in one forest to those in the next, by way of ``known``, which has a place for each.

    Args:
        known: what is there already stays, NaN where nothing is.
        old_place, old: places and values. new_place: places; new: becomes the values there.
        missing: becomes the places in `SceneGraph.state_names` of what has none, as far as there is room.

    Returns:
        The number of these.
    """
    for k in range(old.size):
        known[old_place[k]] = old[k]
    count = 0
    for k in range(new.size):
        at = new_place[k]
        new[k] = known[at]
        if math.isnan(known[at]) and at % X_PLACES == 0:
            missing[count] = at // X_PLACES
            count += 1
    return count
