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
from ..tables.tolerances import TOLERANCE
from .loop_arrays import loop_arrays

_SMALLEST = TOLERANCE * TOLERANCE


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
    for e in range(L.path_start[i], L.path_start[i + 1]):
        body, here = L.path[e], at + L.path_at[e]
        kind = ints[body, KIND]
        if kind == FREE:
            n = (L.felt[here], L.felt[here + 1], L.felt[here + 2])
            alpha, a = free.solve(work, body, n, (L.felt[here + 3], L.felt[here + 4], L.felt[here + 5]))
            for j in range(3):
                L.scaled[here + j], L.scaled[here + 3 + j] = alpha[j], a[j]
        else:
            for j in range(V_SIZE[kind]):
                if ints[body, ROLE] != PASSIVE:
                    L.scaled[here + j] = 0.0
                else:
                    L.scaled[here + j] = work[body, W_D_INV + SPEED_COLUMNS * j] * L.felt[here + j]


@kernel
def feel(ints, work, loops, i, at, c_v, c_w, row):
    """What joints feel of the force ``c_v`` and torque ``c_w`` of cut ``i``, in the row of ``felt`` that begins at ``at``."""
    L = loop_arrays(loops)
    point = load3(L.points, i, 0)
    for k in range(L.path_length[i]):
        L.felt[at + k] = 0.0
    for e in range(L.path_start[i], L.path_start[i + 1]):
        L.position[L.path[e]] = L.path_at[e]
    for end in range(2):
        body, sign = (int(L.cuts[i, BODY_2]), 1.0) if end == 0 else (int(L.cuts[i, BODY_1]), -1.0)
        if body >= 0:
            R_WB, arm = load9(L.R, body, 0), subtract(point, load3(L.p, body, 0))
            force = scale(sign, apply_transposed(R_WB, c_v))
            torque = scale(sign, apply_transposed(R_WB, add(c_w, cross(arm, c_v))))
            carry_to_root(ints, work, body, torque, force, at, L.position, L.felt, row, L.B)
    divide_row(ints, work, loops, i, at)


@kernel
def feel_all(ints, work, loops):
    """``felt``, `scaled` and ``B`` of all rows."""
    L = loop_arrays(loops)
    L.B[:, :] = 0.0
    for i in range(L.n_cuts):
        for r in range(L.row_start[i], L.row_start[i + 1]):
            at = L.felt_start[i] + (r - L.row_start[i]) * L.path_length[i]
            feel(ints, work, loops, i, at, load3(L.coefficients, r, 0), load3(L.coefficients, r, 3), r)


@kernel
def measure_sizes(ints, work, loops):
    """The size of each row: of what the joints make of a unit force, or torque, in any direction.

    Where a force's effect vanishes because the point is on an axis, that is small beside what turning does to the length of the
    loop: such a row is judged by that; and that of a torque by what moving does, where nothing in the loop can turn.
    """
    L = loop_arrays(loops)
    for i in range(L.n_cuts):
        linear = angular = 0.0
        at = L.felt_start[i]
        for k in range(6):
            axis = (1.0 if k % 3 == 0 else 0.0, 1.0 if k % 3 == 1 else 0.0, 1.0 if k % 3 == 2 else 0.0)
            none = (0.0, 0.0, 0.0)
            if k < 3:
                feel(ints, work, loops, i, at, axis, none, 0)
            else:
                feel(ints, work, loops, i, at, none, axis, 0)
            total = 0.0
            for j in range(L.path_length[i]):
                total += L.felt[at + j] * L.scaled[at + j]
            if k < 3:
                linear += total
            else:
                angular += total
        squared = L.length[i] * L.length[i]
        linear, angular = linear + squared * angular, angular + linear / squared
        for r in range(L.row_start[i], L.row_start[i + 1]):
            turns = L.coefficients[r, 0] == 0.0 and L.coefficients[r, 1] == 0.0 and L.coefficients[r, 2] == 0.0
            L.size[r] = (angular if turns else linear) ** 0.5


@kernel
def fill_matrix(ints, loops):
    """The elements of the matrix in its envelope."""
    L = loop_arrays(loops)
    for k in range(L.n_matrix):
        L.matrix[k] = 0.0
    for i in range(L.n_cuts):
        length, rows = L.path_length[i], L.row_start[i + 1] - L.row_start[i]
        for r in range(rows):
            at = L.felt_start[i] + r * length
            for e in range(L.path_start[i], L.path_start[i + 1]):
                k = ints[L.path[e], V_INDEX]
                for j in range(V_SIZE[ints[L.path[e], KIND]]):
                    L.dense[r, k + j] = L.felt[at + L.path_at[e] + j]
        for o in range(L.near_start[i], L.near_start[i + 1]):
            other = L.near[o]
            for s in range(L.row_start[other], L.row_start[other + 1]):
                at = L.felt_start[other] + (s - L.row_start[other]) * L.path_length[other]
                for r in range(rows):
                    row = L.row_start[i] + r
                    if s > row:
                        continue
                    total = 0.0
                    for e in range(L.path_start[other], L.path_start[other + 1]):
                        k, here = ints[L.path[e], V_INDEX], at + L.path_at[e]
                        for j in range(V_SIZE[ints[L.path[e], KIND]]):
                            total += L.dense[r, k + j] * L.scaled[here + j]
                    L.matrix[L.start[row] + s] = total
        for r in range(rows):
            for e in range(L.path_start[i], L.path_start[i + 1]):
                k = ints[L.path[e], V_INDEX]
                for j in range(V_SIZE[ints[L.path[e], KIND]]):
                    L.dense[r, k + j] = 0.0


@kernel
def factorise(loops, positions):
    """``A = F D F^T`` within the envelope (Crout); pivots that are rounding are left out. Returns the number of the others.

    For ``positions`` rows that restrict speeds alone are left out, too.
    """
    L = loop_arrays(loops)
    rank = 0
    for i in range(L.m):
        first, at = L.first[i], L.start[i]
        for j in range(first, i):
            total = L.matrix[at + j]
            for k in range(max(first, L.first[j]), j):
                total -= L.matrix[at + k] * L.matrix[L.start[j] + k]
            L.matrix[at + j] = total
        pivot = L.matrix[at + i]
        for k in range(first, i):
            product = L.matrix[at + k]
            factor = product * L.inverse[k]
            pivot -= product * factor
            L.matrix[at + k] = factor
        L.matrix[at + i] = pivot
        L.inverse[i] = 0.0
        if pivot > _SMALLEST * L.size[i] * L.size[i] and not (positions and L.holonomic[i] == 0):
            L.inverse[i] = 1.0 / pivot
            rank += 1
    return rank


@kernel
def solve_forward(loops, x):
    """Overwrite ``x`` (m,) with the solution of ``F y = x``."""
    L = loop_arrays(loops)
    for i in range(L.m):
        for k in range(L.first[i], i):
            x[i] -= L.matrix[L.start[i] + k] * x[k]


@kernel
def solve_backward(loops, x):
    """Overwrite ``x`` (m,) with the solution of ``D F^T p = x``; redundant rows have no multiplier."""
    L = loop_arrays(loops)
    for i in range(L.m):
        x[i] *= L.inverse[i]
    for step in range(L.m):
        i = L.m - 1 - step
        for k in range(L.first[i], i):
            x[k] -= L.matrix[L.start[i] + k] * x[i]


@kernel
def push(ints, loops):
    """Add to ``pushed`` (nv,) what the multipliers exert on the passive joints."""
    L = loop_arrays(loops)
    for i in range(L.n_cuts):
        for r in range(L.row_start[i], L.row_start[i + 1]):
            multiplier = L.multipliers[r]
            if multiplier == 0.0:
                continue
            at = L.felt_start[i] + (r - L.row_start[i]) * L.path_length[i]
            for e in range(L.path_start[i], L.path_start[i + 1]):
                k, here = ints[L.path[e], V_INDEX], at + L.path_at[e]
                for j in range(V_SIZE[ints[L.path[e], KIND]]):
                    L.pushed[k + j] += multiplier * L.felt[here + j]


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
