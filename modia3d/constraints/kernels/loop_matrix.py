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
def carry_to_root(ints, work, body, n, f, at, position, felt, row, B):
    """Add what joints feel of a wrench (torque about the origin, force, in B) on a body.

    Args:
        at: where the row of ``felt`` begins. position: of each body's first speed in it.
        B: what prescribed joints feel is added to column ``row``.
    """
    while body >= 0:
        kind = ints[body, KIND]
        if kind == FREE:
            here = at + position[body]
            for j in range(3):
                felt[here + j] += n[j]
                felt[here + 3 + j] += f[j]
        elif ints[body, ROLE] == LOCKED:
            for j in range(V_SIZE[kind]):
                felt[at + position[body] + j] += general.project(work, body, j, n, f) if kind > FREE else project(kind, n, f)
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
                felt[here + j] += force
                s = work[body, W_D_INV + record_at] * force
                n = subtract(n, scale(s, load3(work, body, W_U + record_at)))
                f = subtract(f, scale(s, load3(work, body, W_U + record_at + 3)))
        else:
            force = project(kind, n, f)
            felt[at + position[body]] += force
            s = work[body, W_D_INV] * force
            n = subtract(n, scale(s, load3(work, body, W_U)))
            f = subtract(f, scale(s, load3(work, body, W_U + 3)))
        n, f = wrench_to_parent(load9(work, body, W_R), load3(work, body, W_P), n, f)
        body = ints[body, PARENT]


@kernel
def divide_row(ints, work, loops, i, at):
    """``scaled`` of the row of ``felt`` that begins at ``at``, of cut ``i``: divided by what is to be accelerated."""
    L = loop_arrays(loops)
    path_start, path, path_at, felt, scaled = L.path_start, L.path, L.path_at, L.felt, L.scaled
    for e in range(path_start[i], path_start[i + 1]):
        body, here = path[e], at + path_at[e]
        kind = ints[body, KIND]
        if kind == FREE:
            n = (felt[here], felt[here + 1], felt[here + 2])
            alpha, a = free.solve(work, body, n, (felt[here + 3], felt[here + 4], felt[here + 5]))
            for j in range(3):
                scaled[here + j], scaled[here + 3 + j] = alpha[j], a[j]
        else:
            for j in range(V_SIZE[kind]):
                if ints[body, ROLE] != PASSIVE:
                    scaled[here + j] = 0.0
                else:
                    scaled[here + j] = work[body, W_D_INV + SPEED_COLUMNS * j] * felt[here + j]


@kernel
def feel(ints, work, loops, i, at, c_v, c_w, row):
    """What joints feel of the force ``c_v`` and torque ``c_w`` of cut ``i``, in the row of ``felt`` that begins at ``at``."""
    L = loop_arrays(loops)
    points, path_length, felt, path_start, position = L.points, L.path_length, L.felt, L.path_start, L.position
    path, path_at, cuts, R, p = L.path, L.path_at, L.cuts, L.R, L.p
    B = L.B
    point = load3(points, i, 0)
    for k in range(path_length[i]):
        felt[at + k] = 0.0
    for e in range(path_start[i], path_start[i + 1]):
        position[path[e]] = path_at[e]
    for end in range(2):
        body, sign = (int(cuts[i, BODY_2]), 1.0) if end == 0 else (int(cuts[i, BODY_1]), -1.0)
        if body >= 0:
            R_WB, arm = load9(R, body, 0), subtract(point, load3(p, body, 0))
            force = scale(sign, apply_transposed(R_WB, c_v))
            torque = scale(sign, apply_transposed(R_WB, add(c_w, cross(arm, c_v))))
            carry_to_root(ints, work, body, torque, force, at, position, felt, row, B)
    divide_row(ints, work, loops, i, at)


@kernel
def feel_all(ints, work, loops):
    """``felt``, `scaled` and ``B`` of all rows, and which are ``empty``."""
    L = loop_arrays(loops)
    B, n_cuts, row_start, felt_start, path_length = L.B, L.n_cuts, L.row_start, L.felt_start, L.path_length
    coefficients, felt, scaled, size, empty = L.coefficients, L.felt, L.scaled, L.size, L.empty
    B[:, :] = 0.0
    for i in range(n_cuts):
        for r in range(row_start[i], row_start[i + 1]):
            at = felt_start[i] + (r - row_start[i]) * path_length[i]
            feel(ints, work, loops, i, at, load3(coefficients, r, 0), load3(coefficients, r, 3), r)
            total = 0.0
            for k in range(at, at + path_length[i]):
                total += felt[k] * scaled[k]
            empty[r] = 1 if total <= _EMPTY * size[r] * size[r] else 0


@kernel
def measure_sizes(ints, work, loops):
    """The size of each row: of what the joints make of a unit force, or torque, in any direction.

    Where a force's effect vanishes because the point is on an axis, that is small beside what turning does to the length of the
    loop: such a row is judged by that; and that of a torque by what moving does, where nothing in the loop can turn.
    """
    L = loop_arrays(loops)
    n_cuts, felt_start, path_length, felt, scaled = L.n_cuts, L.felt_start, L.path_length, L.felt, L.scaled
    length, row_start, coefficients, size_of = L.length, L.row_start, L.coefficients, L.size
    for i in range(n_cuts):
        linear = angular = 0.0
        at = felt_start[i]
        for k in range(6):
            axis = (1.0 if k % 3 == 0 else 0.0, 1.0 if k % 3 == 1 else 0.0, 1.0 if k % 3 == 2 else 0.0)
            none = (0.0, 0.0, 0.0)
            if k < 3:
                feel(ints, work, loops, i, at, axis, none, 0)
            else:
                feel(ints, work, loops, i, at, none, axis, 0)
            total = 0.0
            for j in range(path_length[i]):
                total += felt[at + j] * scaled[at + j]
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
    """The elements of the matrix in its envelope; zero in rows and columns that are empty."""
    L = loop_arrays(loops)
    empty = L.empty
    n_matrix, matrix, n_cuts, path_length, row_start = L.n_matrix, L.matrix, L.n_cuts, L.path_length, L.row_start
    felt_start, path_start, path, dense, felt = L.felt_start, L.path_start, L.path, L.dense, L.felt
    path_at, near_start, near, scaled, start_of = L.path_at, L.near_start, L.near, L.scaled, L.start
    for k in range(n_matrix):
        matrix[k] = 0.0
    for i in range(n_cuts):
        length, rows = path_length[i], row_start[i + 1] - row_start[i]
        for r in range(rows):
            at = felt_start[i] + r * length
            for e in range(path_start[i], path_start[i + 1]):
                k = ints[path[e], V_INDEX]
                for j in range(V_SIZE[ints[path[e], KIND]]):
                    dense[r, k + j] = felt[at + path_at[e] + j]
        for o in range(near_start[i], near_start[i + 1]):
            other = near[o]
            for s in range(row_start[other], row_start[other + 1]):
                if empty[s] != 0:
                    continue
                at = felt_start[other] + (s - row_start[other]) * path_length[other]
                for r in range(rows):
                    row = row_start[i] + r
                    if s > row or empty[row] != 0:
                        continue
                    total = 0.0
                    for e in range(path_start[other], path_start[other + 1]):
                        k, here = ints[path[e], V_INDEX], at + path_at[e]
                        for j in range(V_SIZE[ints[path[e], KIND]]):
                            total += dense[r, k + j] * scaled[here + j]
                    matrix[start_of[row] + s] = total
        for r in range(rows):
            for e in range(path_start[i], path_start[i + 1]):
                k = ints[path[e], V_INDEX]
                for j in range(V_SIZE[ints[path[e], KIND]]):
                    dense[r, k + j] = 0.0


@kernel
def factorise(loops, positions):
    """``A = F D F^T`` within the envelope (Crout); pivots that are rounding are left out. Returns the number of the others.

    For ``positions`` rows that restrict speeds alone are left out, too.
    """
    L = loop_arrays(loops)
    m, first_of, start_of, matrix, inverse = L.m, L.first, L.start, L.matrix, L.inverse
    size_of, holonomic, empty = L.size, L.holonomic, L.empty
    rank = 0
    for i in range(m):
        inverse[i] = 0.0
        if empty[i] != 0:
            continue
        first, at = first_of[i], start_of[i]
        for j in range(first, i):
            if empty[j] != 0:
                continue
            total = matrix[at + j]
            for k in range(max(first, first_of[j]), j):
                total -= matrix[at + k] * matrix[start_of[j] + k]
            matrix[at + j] = total
        pivot = matrix[at + i]
        for k in range(first, i):
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
    m, first_of, matrix, start_of, empty = L.m, L.first, L.matrix, L.start, L.empty
    for i in range(m):
        if empty[i] != 0:
            continue
        for k in range(first_of[i], i):
            x[i] -= matrix[start_of[i] + k] * x[k]


@kernel
def solve_backward(loops, x):
    """Overwrite ``x`` (m,) with the solution of ``D F^T p = x``; redundant rows have no multiplier."""
    L = loop_arrays(loops)
    m, inverse, first_of, matrix, start_of = L.m, L.inverse, L.first, L.matrix, L.start
    for i in range(m):
        x[i] *= inverse[i]
    for step in range(m):
        i = m - 1 - step
        if inverse[i] == 0.0:
            continue
        for k in range(first_of[i], i):
            x[k] -= matrix[start_of[i] + k] * x[i]


@kernel
def push(ints, loops):
    """Add to ``pushed`` (nv,) what the multipliers exert on the passive joints."""
    L = loop_arrays(loops)
    n_cuts, row_start, multipliers, felt_start, path_length = L.n_cuts, L.row_start, L.multipliers, L.felt_start, L.path_length
    path_start, path, path_at, pushed, felt = L.path_start, L.path, L.path_at, L.pushed, L.felt
    for i in range(n_cuts):
        for r in range(row_start[i], row_start[i + 1]):
            multiplier = multipliers[r]
            if multiplier == 0.0:
                continue
            at = felt_start[i] + (r - row_start[i]) * path_length[i]
            for e in range(path_start[i], path_start[i + 1]):
                k, here = ints[path[e], V_INDEX], at + path_at[e]
                for j in range(V_SIZE[ints[path[e], KIND]]):
                    pushed[k + j] += multiplier * felt[here + j]


@kernel
def accelerate_pushed(ints, gravity, a_e, first, pushed, work, a):
    """All accelerations, where those of the prescribed joints are ``a_e[first:]`` and passive ones are ``pushed`` besides.

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
    """Accelerations of all bodies in world, after `accelerate_pushed`."""
    for i in range(R.shape[0]):
        R_WB = load9(R, i, 0)
        store3(alpha_W, i, 0, apply(R_WB, load3(work, i, W_ACCELERATION)))
        a = apply(R_WB, load3(work, i, W_ACCELERATION + 3))
        store3(a_W, i, 0, add(a, (gravity[0], gravity[1], gravity[2])))
