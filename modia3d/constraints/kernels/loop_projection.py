"""States brought onto closed loops: the least change of positions and speeds in the metric of the mass matrix.

Gauss-Newton with one factorisation at the point where it begins, which is near; what is dropped there as redundant is closed by
the other rows. Least-norm steps in the mass metric: Eich 1993; the response of the joints to multipliers is that of the tree.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.articulated import start
from modia3d.dynamics.basics.layout import INERTIA, KIND, LOCKED, MASS, ORIENTATION, Q_INDEX, ROLE, STATUS_SINGULAR, V_INDEX
from modia3d.dynamics.basics.orientation import rates
from modia3d.dynamics.basics.spatial import kernel
from modia3d.dynamics.hybrid import inward
from modia3d.dynamics.joints.kinds import ORIENTATION_AT, V_SIZE
from modia3d.dynamics.kinematics import body_poses, body_velocities

from .cut_joint import evaluate_rows
from .loop_arrays import loop_arrays
from .loop_matrix import (
    accelerate_pushed,
    factorise,
    feel_all,
    fill_matrix,
    measure_sizes,
    push,
    solve_backward,
    solve_forward,
)

MOST_STEPS = 10
CLOSED = 1e-14
"""Residuals relative to the length of a loop that are rounding."""
LEFT_OPEN = 1e-9
"""Residuals relative to the length of a loop that a projection must not leave."""
STATUS_OPEN = 2
"""A loop cannot be closed from here."""


@kernel
def residuals(floats, loops, moving):
    """Positions (and speeds, if ``moving``) of the rows at ``q`` (``v``); the largest residual relative to its loop."""
    L = loop_arrays(loops)
    body_poses(L.ints, floats, L.q, L.R, L.p)
    if moving:
        body_velocities(L.ints, floats, L.q, L.v, L.R, L.p, L.v_W, L.w_W, L.work_2)
        evaluate_rows(
            L.cuts, L.R, L.p, L.v_W, L.w_W, L.at_rest, L.at_rest, L.points, L.coefficients, L.residual, L.speed, L.rest
        )
    else:
        still = L.at_rest
        evaluate_rows(L.cuts, L.R, L.p, still, still, still, still, L.points, L.coefficients, L.residual, L.speed, L.rest)
    worst = 0.0
    for i in range(L.n_cuts):
        for r in range(L.row_start[i], L.row_start[i + 1]):
            turns = L.coefficients[r, 0] == 0.0 and L.coefficients[r, 1] == 0.0 and L.coefficients[r, 2] == 0.0
            size = abs(L.residual[r]) if turns else abs(L.residual[r]) / L.length[i]
            worst = max(worst, size)
    return worst


@kernel
def prepare_loops(floats, loops):
    """Articulated inertias at ``q``, with all joints passive, and the factors of the matrix; -1 if something has no inertia."""
    L = loop_arrays(loops)
    start(L.ints, floats, L.q, L.still, L.work)
    if not inward(L.ints, L.still, L.work):
        return -1
    feel_all(L.ints, L.work, loops)
    fill_matrix(L.ints, loops)
    return factorise(loops, True)


@kernel
def respond(gravity, values, loops):
    """``change``: the change of speeds of least kinetic energy that changes the rows by ``-values`` (m,)."""
    L = loop_arrays(loops)
    for r in range(L.m):
        L.multipliers[r] = -values[r]
    solve_forward(loops, L.multipliers)
    solve_backward(loops, L.multipliers)
    for k in range(L.n_v):
        L.pushed[k] = 0.0
    push(L.ints, loops)
    accelerate_pushed(L.ints, gravity, L.still, 0, L.pushed, L.work, L.change)


@kernel
def normalise(q, j):
    """Give the quaternion ``q[j:]`` the norm of one."""
    norm = sqrt(q[j] * q[j] + q[j + 1] * q[j + 1] + q[j + 2] * q[j + 2] + q[j + 3] * q[j + 3])
    for l in range(4):
        q[j + l] /= norm


@kernel
def advance(loops):
    """Add to ``q`` what the change of speeds makes of it in a unit of time."""
    L = loop_arrays(loops)
    for i in range(L.ints.shape[0]):
        if L.ints[i, ROLE] == LOCKED:
            continue
        kind, j, k = L.ints[i, KIND], L.ints[i, Q_INDEX], L.ints[i, V_INDEX]
        straight = ORIENTATION_AT[kind] if ORIENTATION_AT[kind] >= 0 else V_SIZE[kind]
        for l in range(straight):
            L.q[j + l] += L.change[k + l]
        if straight < V_SIZE[kind]:
            n = 4 if L.ints[i, ORIENTATION] == 0 else 3
            rates(L.ints[i, ORIENTATION], L.q, j + straight, L.change, k + straight, L.turned, 0)
            for l in range(n):
                L.q[j + straight + l] += L.turned[l]
            if n == 4:
                normalise(L.q, j + straight)


@kernel
def close_positions(floats, loops):
    """Bring ``q`` onto the loops; returns a status."""
    L = loop_arrays(loops)
    worst = residuals(floats, loops, False)
    if prepare_loops(floats, loops) < 0:
        return STATUS_SINGULAR
    before = 2.0 * worst + 1.0
    for _ in range(MOST_STEPS):
        if worst <= CLOSED or not worst < 0.5 * before:
            break
        respond(L.no_gravity, L.residual, loops)
        advance(loops)
        before = worst
        worst = residuals(floats, loops, False)
    if not worst <= LEFT_OPEN:
        return STATUS_OPEN
    return 0


@kernel
def remove_from_speeds(floats, loops):
    """Take away what of ``v`` leaves the loops, after `close_positions`."""
    L = loop_arrays(loops)
    residuals(floats, loops, True)
    respond(L.no_gravity, L.speed, loops)
    for k in range(L.n_v):
        L.v[k] += L.change[k]


@kernel
def close_speeds(floats, loops):
    """Bring ``v`` onto the loops, after `close_positions`; twice, because the factors are those of a point nearby."""
    if loop_arrays(loops).n_slips > 0:
        fill_matrix(loop_arrays(loops).ints, loops)
        factorise(loops, False)
    remove_from_speeds(floats, loops)
    remove_from_speeds(floats, loops)


@kernel
def measure_lengths(floats, loops):
    """The largest distance of a body of each loop from its cut, or radius of gyration [m]."""
    L = loop_arrays(loops)
    for i in range(L.n_cuts):
        longest = 0.0
        for e in range(L.path_start[i], L.path_start[i + 1]):
            if L.path_once[e] != 0:
                body = L.path[e]
                square = 0.0
                for k in range(3):
                    square += (L.p[body, k] - L.points[i, k]) ** 2
                if floats[body, MASS] > 0.0:
                    inertia = floats[body, INERTIA] + floats[body, INERTIA + 1] + floats[body, INERTIA + 2]
                    square = max(square, 0.5 * inertia / floats[body, MASS])
                longest = max(longest, square)
        L.length[i] = longest**0.5 if longest > 0.0 else 1.0


@kernel
def measure_loops(floats, loops):
    """Lengths of the loops and sizes of all rows at ``q``, then the rank there; -1 if something has no inertia."""
    L = loop_arrays(loops)
    residuals(floats, loops, False)
    measure_lengths(floats, loops)
    start(L.ints, floats, L.q, L.still, L.work)
    if not inward(L.ints, L.still, L.work):
        return -1
    measure_sizes(L.ints, L.work, loops)
    feel_all(L.ints, L.work, loops)
    fill_matrix(L.ints, loops)
    return factorise(loops, False)
