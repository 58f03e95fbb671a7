"""The rows of closed loops by the tree's sparsity: what passive joints feel of them, in the metric of the mass matrix.

A unit of a multiplier is a wrench on two bodies. Carried to the root through the articulated inertias it leaves at each joint
what that feels: rows of ``Y`` with ``A = Y D^-1 Y^T`` (the innovations factorisation of M, Rodriguez 1987; Featherstone 2008,
section 7.3), which are zero off both ways to the root. So the work grows with the ways, and for a chain of loops linearly
with their number.

``loops`` is the address of the memory that `tables.loop_layout.LOOPS` describes.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

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
    W_D_INV,
    W_P,
    W_R,
    W_U,
)
from modia3d.dynamics.basics.spatial import (
    add,
    apply_transposed,
    cross,
    dot,
    kernel,
    load3,
    load9,
    scale,
    subtract,
    wrench_to_parent,
)
from modia3d.dynamics.joints import free, general
from modia3d.dynamics.joints.joint import project
from modia3d.dynamics.joints.kinds import V_SIZE

from ..tables.cut_table import BODY_1, BODY_2
from ..tables.tolerances import NOTHING
from .loop_arrays import loop_arrays
from .loop_levers import lever_row

_EMPTY = NOTHING * NOTHING


@kernel
def carry_to_root(ints, work, body, n, f, at, position, tau, row, B):
    """Add the generalized forces on joints due to a wrench (torque about the origin, force, in B) on a body.

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
    for e in range(L.path_start[i], L.path_start[i + 1]):
        body, here = L.path[e], at + L.path_at[e]
        kind = ints[body, KIND]
        if kind == FREE:
            n = (L.tau[here], L.tau[here + 1], L.tau[here + 2])
            alpha, a = free.solve(work, body, n, (L.tau[here + 3], L.tau[here + 4], L.tau[here + 5]))
            for j in range(3):
                L.scaled[here + j], L.scaled[here + 3 + j] = alpha[j], a[j]
        else:
            for j in range(V_SIZE[kind]):
                if ints[body, ROLE] != PASSIVE:
                    L.scaled[here + j] = 0.0
                else:
                    L.scaled[here + j] = work[body, W_D_INV + SPEED_COLUMNS * j] * L.tau[here + j]


@kernel
def feel(ints, work, loops, i, at, c_v, c_w, row):
    """Add the generalized forces due to force ``c_v`` and torque ``c_w`` of cut ``i`` to a row of ``tau`` from ``at`` on."""
    L = loop_arrays(loops)
    point = load3(L.points, i, 0)
    for k in range(L.path_length[i]):
        L.tau[at + k] = 0.0
    for e in range(L.path_start[i], L.path_start[i + 1]):
        L.position[L.path[e]] = L.path_at[e]
    for end in range(2):
        body, sign = (int(L.cuts[i, BODY_2]), 1.0) if end == 0 else (int(L.cuts[i, BODY_1]), -1.0)
        if body >= 0:
            R_WB, arm = load9(L.R, body, 0), subtract(point, load3(L.p, body, 0))
            force = scale(sign, apply_transposed(R_WB, c_v))
            torque = scale(sign, apply_transposed(R_WB, add(c_w, cross(arm, c_v))))
            carry_to_root(ints, work, body, torque, force, at, L.position, L.tau, row, L.B)
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
    for i in range(L.n_cuts):
        found = -1
        for e in range(L.path_start[i], L.path_start[i + 1]):
            if L.path_once[e] != 0 and ints[L.path[e], KIND] == REVOLUTE:
                found = L.path[e]
        if found >= 0:
            normal = axis(L.R, found)
            for e in range(L.path_start[i], L.path_start[i + 1]):
                if L.path_once[e] != 0:
                    kind, own = ints[L.path[e], KIND], axis(L.R, L.path[e])
                    out, along = cross(own, normal), dot(own, normal)
                    if not (kind == REVOLUTE and dot(out, out) <= _EMPTY) and not (
                        kind == PRISMATIC and along * along <= _EMPTY
                    ):
                        found = -1
        L.plane[i] = found


@kernel
def axis(R, body):
    """Return the z axis of a body, in world."""
    return R[body, 2], R[body, 5], R[body, 8]


@kernel
def feel_all(ints, work, loops):
    """Compute ``tau``, `scaled`, `levers` and ``B`` of all rows, and which are ``empty``."""
    L = loop_arrays(loops)
    L.B[:, :] = 0.0
    count = 0
    for i in range(L.n_cuts):
        normal = axis(L.R, L.plane[i]) if L.plane[i] >= 0 else (0.0, 0.0, 0.0)
        L.filled_start[i] = count
        begin = L.filled_start[L.near[L.near_start[i]]] if L.near_start[i] < L.near_start[i + 1] else count
        for r in range(L.row_start[i], L.row_start[i + 1]):
            at = L.tau_start[i] + (r - L.row_start[i]) * L.path_length[i]
            end = at + L.path_length[i]
            c_v, c_w = load3(L.coefficients, r, 0), load3(L.coefficients, r, 3)
            L.first_filled[r], total = begin, 0.0
            if L.plane[i] >= 0 and is_across(normal, c_v, c_w):
                for k in range(at, end):
                    L.tau[k], L.scaled[k] = 0.0, 0.0
            else:
                feel(ints, work, loops, i, at, c_v, c_w, r)
                total = lever_row(ints, work, loops, i, at, c_v, c_w)
            L.empty[r] = 1
            if L.off[r] == 0 and total > _EMPTY * L.reach[r] * L.reach[r]:
                L.empty[r], L.filled[count] = 0, r
                count += 1
    L.n_filled[0], L.filled_start[L.n_cuts] = count, count


@kernel
def measure_sizes(ints, work, loops):
    """Compute the size and the `reach` of each row: of what the joints make of a unit force, or torque, in any direction.

    Where a force's effect vanishes because the point is on an axis, that is small beside what turning does to the length of the
    loop: such a row is judged by that; and that of a torque by what moving does, where nothing in the loop can turn.
    """
    L = loop_arrays(loops)
    for i in range(L.n_cuts):
        linear = angular = moved = turned = 0.0
        at = L.tau_start[i]
        for k in range(6):
            axis = (1.0 if k % 3 == 0 else 0.0, 1.0 if k % 3 == 1 else 0.0, 1.0 if k % 3 == 2 else 0.0)
            none = (0.0, 0.0, 0.0)
            total = 0.0
            if k < 3:
                feel(ints, work, loops, i, at, axis, none, 0)
                moved += lever_row(ints, work, loops, i, at, axis, none)
            else:
                feel(ints, work, loops, i, at, none, axis, 0)
                turned += lever_row(ints, work, loops, i, at, none, axis)
            for j in range(L.path_length[i]):
                total += L.tau[at + j] * L.scaled[at + j]
            if k < 3:
                linear += total
            else:
                angular += total
        squared = L.length[i] * L.length[i]
        linear, angular = linear + squared * angular, angular + linear / squared
        moved, turned = moved + squared * turned, turned + moved / squared
        for r in range(L.row_start[i], L.row_start[i + 1]):
            turns = L.coefficients[r, 0] == 0.0 and L.coefficients[r, 1] == 0.0 and L.coefficients[r, 2] == 0.0
            L.size[r] = (angular if turns else linear) ** 0.5
            L.reach[r] = (turned if turns else moved) ** 0.5
