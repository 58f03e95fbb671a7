"""Multipliers of closed loops by the tree's sparsity: ``A = G M^-1 G^T`` of the passive joints, its factors, and what follows.

A unit of a multiplier is a wrench on two bodies. Carried to the root through the articulated inertias it leaves at each joint
what that feels: rows of ``Y`` with ``A = Y D^-1 Y^T`` (the innovations factorisation of M, Rodriguez 1987; Featherstone 2008,
section 7.3), which are zero off both ways to the root. So the work grows with the ways, and for a chain of loops linearly
with their number. `factorise` keeps the envelope of the matrix; a row whose pivot is no longer than the tolerance is redundant
and has no multiplier.

``loops`` is the address of the memory that `tables.loop_layout.LOOPS` describes.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.articulated import (
    carried_acceleration,
    free_acceleration,
    keep_acceleration,
    passive_acceleration,
    store_acceleration,
)
from modia3d.dynamics.basics.layout import (
    FREE,
    KIND,
    LOCKED,
    PARENT,
    PASSIVE,
    PRESCRIBED,
    PRISMATIC,
    REVOLUTE,
    ROLE,
    SPEED_COLUMNS,
    V_INDEX,
    W_ACCELERATION,
    W_D_INV,
    W_P,
    W_R,
    W_U,
)
from modia3d.dynamics.basics.records import column
from modia3d.dynamics.basics.spatial import (
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    kernel,
    load3,
    load9,
    scale,
    store3,
    subtract,
    wrench_to_parent,
)
from modia3d.dynamics.joints import free, general
from modia3d.dynamics.joints.joint import project
from modia3d.dynamics.joints.kinds import V_SIZE

from ..tables.cut_table import BODY_1, BODY_2
from ..tables.tolerances import NOTHING, TOLERANCE
from .loop_arrays import loop_arrays

_SMALLEST = TOLERANCE * TOLERANCE
_EMPTY = NOTHING * NOTHING


@kernel
def carry_to_root(ints, work, body, n, f, at, position, tau, row, B):
    """Add what joints feel of a wrench (torque about the origin, force, in B) on a body.

    Args:
        at: where the row of ``tau`` begins. position: of each body's first speed in it.
        B: what prescribed joints feel is added to column ``row``.
    """
    while body >= 0:
        kind = ints[body, KIND]
        if kind == FREE:
            here = at + position[body]
            for j in range(3):
                tau[here + j] += n[j]
                tau[here + 3 + j] += f[j]
        elif ints[body, ROLE] == LOCKED:
            for j in range(V_SIZE[kind]):
                tau[at + position[body] + j] += general.project(work, body, j, n, f) if kind > FREE else project(kind, n, f)
        elif ints[body, ROLE] == PRESCRIBED:
            k = ints[body, V_INDEX]
            if kind > FREE:
                for j in range(V_SIZE[kind]):
                    B[k + j, row] += general.project(work, body, j, n, f)
            else:
                B[k, row] += project(kind, n, f)
        elif kind > FREE:
            here = at + position[body]
            for step in range(V_SIZE[kind]):
                j = V_SIZE[kind] - 1 - step
                record_at = SPEED_COLUMNS * j
                force = general.project(work, body, j, n, f)
                tau[here + j] += force
                s = work[body, W_D_INV + record_at] * force
                n = subtract(n, scale(s, load3(work, body, W_U + record_at)))
                f = subtract(f, scale(s, load3(work, body, W_U + record_at + 3)))
        else:
            force = project(kind, n, f)
            tau[at + position[body]] += force
            s = work[body, W_D_INV] * force
            n = subtract(n, scale(s, load3(work, body, W_U)))
            f = subtract(f, scale(s, load3(work, body, W_U + 3)))
        n, f = wrench_to_parent(load9(work, body, W_R), load3(work, body, W_P), n, f)
        body = ints[body, PARENT]


@kernel
def divide_row(ints, work, loops, i, at):
    """Compute ``scaled`` of the row of ``tau`` that begins at ``at``, of cut ``i``: divided by what is to be accelerated."""
    L = loop_arrays(loops)
    path_start, path, path_at, tau, scaled = L.path_start, L.path, L.path_at, L.tau, L.scaled
    for e in range(path_start[i], path_start[i + 1]):
        body, here = path[e], at + path_at[e]
        kind = ints[body, KIND]
        if kind == FREE:
            n = (tau[here], tau[here + 1], tau[here + 2])
            alpha, a = free.solve(work, body, n, (tau[here + 3], tau[here + 4], tau[here + 5]))
            for j in range(3):
                scaled[here + j], scaled[here + 3 + j] = alpha[j], a[j]
        else:
            for j in range(V_SIZE[kind]):
                if ints[body, ROLE] != PASSIVE:
                    scaled[here + j] = 0.0
                else:
                    scaled[here + j] = work[body, W_D_INV + SPEED_COLUMNS * j] * tau[here + j]


@kernel
def feel(ints, work, loops, i, at, c_v, c_w, row):
    """Add what joints feel of the force ``c_v`` and torque ``c_w`` of cut ``i``, to the row of ``tau`` that begins at
    ``at``.
    """
    L = loop_arrays(loops)
    points, path_length, tau, path_start, position = L.points, L.path_length, L.tau, L.path_start, L.position
    path, path_at, cuts, R, p = L.path, L.path_at, L.cuts, L.R, L.p
    B = L.B
    point = load3(points, i, 0)
    for k in range(path_length[i]):
        tau[at + k] = 0.0
    for e in range(path_start[i], path_start[i + 1]):
        position[path[e]] = path_at[e]
    for end in range(2):
        body, sign = (int(cuts[i, BODY_2]), 1.0) if end == 0 else (int(cuts[i, BODY_1]), -1.0)
        if body >= 0:
            R_WB, arm = load9(R, body, 0), subtract(point, load3(p, body, 0))
            force = scale(sign, apply_transposed(R_WB, c_v))
            torque = scale(sign, apply_transposed(R_WB, add(c_w, cross(arm, c_v))))
            carry_to_root(ints, work, body, torque, force, at, position, tau, row, B)
    divide_row(ints, work, loops, i, at)


@kernel
def is_across(normal, c_v, c_w):
    """Return whether force ``c_v`` and torque ``c_w`` do no work where all moves in a plane."""
    turns, moves = dot(c_w, normal), cross(c_v, normal)
    return turns * turns + dot(moves, moves) <= _EMPTY * (dot(c_v, c_v) + dot(c_w, c_w))


@kernel
def find_planes(ints, loops):
    """Compute ``plane`` of all loops, at the poses in their memory: that joints stay in a plane does not depend on
    coordinates.
    """
    L = loop_arrays(loops)
    n_cuts, path_start, path, path_once, plane, R = L.n_cuts, L.path_start, L.path, L.path_once, L.plane, L.R
    for i in range(n_cuts):
        found = -1
        for e in range(path_start[i], path_start[i + 1]):
            if path_once[e] != 0 and ints[path[e], KIND] == REVOLUTE:
                found = path[e]
        if found >= 0:
            normal = axis(R, found)
            for e in range(path_start[i], path_start[i + 1]):
                if path_once[e] != 0:
                    kind, own = ints[path[e], KIND], axis(R, path[e])
                    out, along = cross(own, normal), dot(own, normal)
                    if not (kind == REVOLUTE and dot(out, out) <= _EMPTY) and not (
                        kind == PRISMATIC and along * along <= _EMPTY
                    ):
                        found = -1
        plane[i] = found


@kernel
def axis(R, body):
    """Return the z axis of a body, in world."""
    return R[body, 2], R[body, 5], R[body, 8]


@kernel
def feel_all(ints, work, loops):
    """Compute ``tau``, `scaled` and ``B`` of all rows, and which are ``empty``."""
    L = loop_arrays(loops)
    B, n_cuts, row_start, tau_start, path_length = L.B, L.n_cuts, L.row_start, L.tau_start, L.path_length
    coefficients, tau, scaled, size, empty, plane = L.coefficients, L.tau, L.scaled, L.size, L.empty, L.plane
    off = L.off
    filled, n_filled, first_filled, filled_start = L.filled, L.n_filled, L.first_filled, L.filled_start
    near_start, near = L.near_start, L.near
    B[:, :] = 0.0
    count = 0
    for i in range(n_cuts):
        normal = axis(L.R, plane[i]) if plane[i] >= 0 else (0.0, 0.0, 0.0)
        filled_start[i] = count
        begin = filled_start[near[near_start[i]]] if near_start[i] < near_start[i + 1] else count
        for r in range(row_start[i], row_start[i + 1]):
            at = tau_start[i] + (r - row_start[i]) * path_length[i]
            end = at + path_length[i]
            c_v, c_w = load3(coefficients, r, 0), load3(coefficients, r, 3)
            first_filled[r], total = begin, 0.0
            if plane[i] >= 0 and is_across(normal, c_v, c_w):
                for k in range(at, end):
                    tau[k], scaled[k] = 0.0, 0.0
            else:
                feel(ints, work, loops, i, at, c_v, c_w, r)
                for k in range(at, end):
                    total += tau[k] * scaled[k]
            empty[r] = 1
            if off[r] == 0 and total > _EMPTY * size[r] * size[r]:
                empty[r], filled[count] = 0, r
                count += 1
    n_filled[0], filled_start[n_cuts] = count, count


@kernel
def measure_sizes(ints, work, loops):
    """Compute the size of each row: of what the joints make of a unit force, or torque, in any direction.

    Where a force's effect vanishes because the point is on an axis, that is small beside what turning does to the length of the
    loop: such a row is judged by that; and that of a torque by what moving does, where nothing in the loop can turn.
    """
    L = loop_arrays(loops)
    n_cuts, tau_start, path_length, tau, scaled = L.n_cuts, L.tau_start, L.path_length, L.tau, L.scaled
    length, row_start, coefficients, size_of = L.length, L.row_start, L.coefficients, L.size
    for i in range(n_cuts):
        linear = angular = 0.0
        at = tau_start[i]
        for k in range(6):
            axis = (1.0 if k % 3 == 0 else 0.0, 1.0 if k % 3 == 1 else 0.0, 1.0 if k % 3 == 2 else 0.0)
            none = (0.0, 0.0, 0.0)
            if k < 3:
                feel(ints, work, loops, i, at, axis, none, 0)
            else:
                feel(ints, work, loops, i, at, none, axis, 0)
            total = 0.0
            for j in range(path_length[i]):
                total += tau[at + j] * scaled[at + j]
            if k < 3:
                linear += total
            else:
                angular += total
        squared = length[i] * length[i]
        linear, angular = linear + squared * angular, angular + linear / squared
        for r in range(row_start[i], row_start[i + 1]):
            turns = coefficients[r, 0] == 0.0 and coefficients[r, 1] == 0.0 and coefficients[r, 2] == 0.0
            size_of[r] = (angular if turns else linear) ** 0.5


@kernel
def fill_matrix(ints, loops):
    """Compute the elements of the matrix in its envelope that are not in rows or columns that are empty."""
    L = loop_arrays(loops)
    n_cuts, matrix, path_length, row_start, tau_start = L.n_cuts, L.matrix, L.path_length, L.row_start, L.tau_start
    near_start, near, run_start, runs, tau, scaled = L.near_start, L.near, L.run_start, L.runs, L.tau, L.scaled
    start_of, filled, first_filled, filled_start = L.start, L.filled, L.first_filled, L.filled_start
    for i in range(n_cuts):
        for a in range(filled_start[i], filled_start[i + 1]):
            row = filled[a]
            at = tau_start[i] + (row - row_start[i]) * path_length[i]
            for b in range(first_filled[row], a + 1):
                matrix[start_of[row] + filled[b]] = 0.0
            for o in range(near_start[i], near_start[i + 1]):
                other = near[o]
                for b in range(filled_start[other], min(filled_start[other + 1], a + 1)):
                    column = filled[b]
                    there = tau_start[other] + (column - row_start[other]) * path_length[other]
                    total = 0.0
                    for run in range(run_start[o], run_start[o + 1]):
                        mine, its = at + runs[run, 0], there + runs[run, 1]
                        for k in range(runs[run, 2]):
                            total += tau[mine + k] * scaled[its + k]
                    matrix[start_of[row] + column] = total


@kernel
def factorise(loops, positions):
    """Return ``A = F D F^T`` within the envelope (Crout); pivots that are rounding are left out. Returns the number of the
    others.

    For ``positions`` rows that restrict speeds alone are left out, too.
    """
    L = loop_arrays(loops)
    m, start_of, matrix, inverse = L.m, L.start, L.matrix, L.inverse
    size_of, holonomic, filled, first = L.size, L.holonomic, L.filled, L.first_filled
    for i in range(m):
        inverse[i] = 0.0
    rank = 0
    for a in range(L.n_filled[0]):
        i = filled[a]
        at = start_of[i]
        for b in range(first[i], a):
            j = filled[b]
            total, other = matrix[at + j], start_of[j]
            for c in range(max(first[i], first[j]), b):
                total -= matrix[at + filled[c]] * matrix[other + filled[c]]
            matrix[at + j] = total
        pivot = matrix[at + i]
        for b in range(first[i], a):
            k = filled[b]
            product = matrix[at + k]
            factor = product * inverse[k]
            pivot -= product * factor
            matrix[at + k] = factor
        matrix[at + i] = pivot
        if pivot > _SMALLEST * size_of[i] * size_of[i] and not (positions and holonomic[i] == 0):
            inverse[i] = 1.0 / pivot
            rank += 1
    return rank


@kernel
def solve_forward(loops, x):
    """Overwrite ``x`` (m,) with the solution of ``F y = x``."""
    L = loop_arrays(loops)
    matrix, start_of, filled, first = L.matrix, L.start, L.filled, L.first_filled
    for a in range(L.n_filled[0]):
        i = filled[a]
        total = x[i]
        for b in range(first[i], a):
            total -= matrix[start_of[i] + filled[b]] * x[filled[b]]
        x[i] = total


@kernel
def solve_backward(loops, x):
    """Overwrite ``x`` (m,) with the solution of ``D F^T p = x``; redundant rows have no multiplier."""
    L = loop_arrays(loops)
    m, inverse, matrix, start_of, filled, first = L.m, L.inverse, L.matrix, L.start, L.filled, L.first_filled
    for i in range(m):
        x[i] *= inverse[i]
    count = L.n_filled[0]
    for step in range(count):
        a = count - 1 - step
        i = filled[a]
        if inverse[i] == 0.0:
            continue
        for b in range(first[i], a):
            x[filled[b]] -= matrix[start_of[i] + filled[b]] * x[i]


@kernel
def push(ints, loops):
    """Add to ``pushed`` (nv,) what the multipliers exert on the passive joints."""
    L = loop_arrays(loops)
    n_cuts, row_start, multipliers, tau_start, path_length = L.n_cuts, L.row_start, L.multipliers, L.tau_start, L.path_length
    path_start, path, path_at, pushed, tau = L.path_start, L.path, L.path_at, L.pushed, L.tau
    for i in range(n_cuts):
        for r in range(row_start[i], row_start[i + 1]):
            multiplier = multipliers[r]
            if multiplier == 0.0:
                continue
            at = tau_start[i] + (r - row_start[i]) * path_length[i]
            for e in range(path_start[i], path_start[i + 1]):
                k, here = ints[path[e], V_INDEX], at + path_at[e]
                for j in range(V_SIZE[ints[path[e], KIND]]):
                    pushed[k + j] += multiplier * tau[here + j]


@kernel
def accelerate_pushed(ints, gravity, a_e, first, pushed, work, a):
    """Compute all accelerations, where those of the prescribed joints are ``a_e[first:]`` and passive ones are ``pushed``
    besides.

    ``pushed`` (nv,) is generalized force as it arrives at each joint, of free bodies torque and force in B. ``work`` as
    `hybrid.hybrid_prepare` has left it.
    """
    for i in range(ints.shape[0]):
        kind, parent, k = ints[i, KIND], ints[i, PARENT], ints[i, V_INDEX]
        if kind == FREE:
            n = add(load3(work, i, W_U), (pushed[k], pushed[k + 1], pushed[k + 2]))
            f = add(load3(work, i, W_U + 3), (pushed[k + 3], pushed[k + 4], pushed[k + 5]))
            alpha, acc = free_acceleration(work, i, n, f)
            free.store(a, k, alpha, free.acceleration_in_world(load9(work, i, W_R), acc, gravity))
            continue
        alpha, acc = carried_acceleration(work, i, parent, gravity)
        if kind > FREE:
            for j in range(V_SIZE[kind]):
                if ints[i, ROLE] == PASSIVE:
                    a[k + j], alpha, acc = general.acceleration(work, i, j, alpha, acc, -pushed[k + j])
                else:
                    a[k + j] = a_e[first + k + j] if ints[i, ROLE] == PRESCRIBED else 0.0
                    w, v = column(work, i, j)
                    alpha, acc = add(alpha, scale(a[k + j], w)), add(acc, scale(a[k + j], v))
            keep_acceleration(work, i, alpha, acc)
            continue
        if ints[i, ROLE] == PRESCRIBED:
            a[k] = a_e[first + k]
        elif ints[i, ROLE] == LOCKED:
            a[k] = 0.0
        else:
            a[k] = passive_acceleration(work, i, alpha, acc) + work[i, W_D_INV] * pushed[k]
        store_acceleration(kind, work, i, alpha, acc, a[k])


@kernel
def accelerations_in_world(R, gravity, work, a_W, alpha_W):
    """Compute the accelerations of all bodies in world, after `accelerate_pushed`."""
    for i in range(R.shape[0]):
        R_WB = load9(R, i, 0)
        store3(alpha_W, i, 0, apply(R_WB, load3(work, i, W_ACCELERATION)))
        a = apply(R_WB, load3(work, i, W_ACCELERATION + 3))
        store3(a_W, i, 0, add(a, (gravity[0], gravity[1], gravity[2])))
