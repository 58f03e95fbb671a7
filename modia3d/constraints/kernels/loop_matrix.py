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
    """Add the generalized forces due to force ``c_v`` and torque ``c_w`` of cut ``i`` to a row of ``tau`` from ``at`` on."""
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
    """Compute ``tau``, `scaled`, `levers` and ``B`` of all rows, and which are ``empty``."""
    L = loop_arrays(loops)
    B, n_cuts, row_start, tau_start, path_length = L.B, L.n_cuts, L.row_start, L.tau_start, L.path_length
    coefficients, tau, scaled, reach, empty, plane = L.coefficients, L.tau, L.scaled, L.reach, L.empty, L.plane
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
                total = lever_row(ints, work, loops, i, at, c_v, c_w)
            empty[r] = 1
            if off[r] == 0 and total > _EMPTY * reach[r] * reach[r]:
                empty[r], filled[count] = 0, r
                count += 1
    n_filled[0], filled_start[n_cuts] = count, count


@kernel
def measure_sizes(ints, work, loops):
    """Compute the size and the `reach` of each row: of what the joints make of a unit force, or torque, in any direction.

    Where a force's effect vanishes because the point is on an axis, that is small beside what turning does to the length of the
    loop: such a row is judged by that; and that of a torque by what moving does, where nothing in the loop can turn.
    """
    L = loop_arrays(loops)
    n_cuts, tau_start, path_length, tau, scaled = L.n_cuts, L.tau_start, L.path_length, L.tau, L.scaled
    length, row_start, coefficients, size_of, reach = L.length, L.row_start, L.coefficients, L.size, L.reach
    for i in range(n_cuts):
        linear = angular = moved = turned = 0.0
        at = tau_start[i]
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
            for j in range(path_length[i]):
                total += tau[at + j] * scaled[at + j]
            if k < 3:
                linear += total
            else:
                angular += total
        squared = length[i] * length[i]
        linear, angular = linear + squared * angular, angular + linear / squared
        moved, turned = moved + squared * turned, turned + moved / squared
        for r in range(row_start[i], row_start[i + 1]):
            turns = coefficients[r, 0] == 0.0 and coefficients[r, 1] == 0.0 and coefficients[r, 2] == 0.0
            size_of[r] = (angular if turns else linear) ** 0.5
            reach[r] = (turned if turns else moved) ** 0.5
