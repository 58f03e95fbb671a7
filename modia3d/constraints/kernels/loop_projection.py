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
from modia3d.dynamics.basics.spatial import add, cross, dot, kernel, load3, subtract
from modia3d.dynamics.hybrid import inward
from modia3d.dynamics.joints.kinds import ORIENTATION_AT, V_SIZE
from modia3d.dynamics.kinematics import body_poses, body_velocities

from ..tables.cut_table import BODY_1, BODY_2
from ..tables.tolerances import TOLERANCE
from .cut_joint import evaluate_rows
from .loop_arrays import loop_arrays
from .loop_factors import factorise, solve_backward, solve_forward
from .loop_levers import measure_extents
from .loop_matrix import feel_all, find_planes, measure_sizes
from .loop_response import accelerate_pushed, push

MOST_STEPS = 10
CLOSED = 1e-14
"""Residuals relative to the length of a loop that are rounding."""
LEFT_OPEN = 1e-9
"""Residuals relative to the length of a loop that a projection must not leave."""
AT_REST, SLIDES, PASSES = 1e-9, 1e-6, 100.0 * TOLERANCE
"""Speeds along a row, relative to the pace of its bodies, that are none; that a projection must not leave of needed rows; and
of redundant ones, of which near singular positions something is left."""
SLOW = 1e-3
"""A pace that is hardly any [m/s, rad/s]."""
STATUS_OPEN, STATUS_SLIDES = 2, 3
"""A loop cannot be closed from here; its speeds cannot be brought to what the constraints allow."""


@kernel
def residuals(floats, loops):
    """Return the positions of the rows at ``q``; the largest residual relative to its loop."""
    L = loop_arrays(loops)
    ints, q, R, p, still, cuts = L.ints, L.q, L.R, L.p, L.at_rest, L.cuts
    points, coefficients, residual, speed, rest = L.points, L.coefficients, L.residual, L.speed, L.rest
    n_cuts, row_start, length = L.n_cuts, L.row_start, L.length
    body_poses(ints, floats, q, R, p)
    evaluate_rows(cuts, R, p, still, still, still, still, points, coefficients, residual, speed, rest)
    worst = 0.0
    for i in range(n_cuts):
        for r in range(row_start[i], row_start[i + 1]):
            turns = coefficients[r, 0] == 0.0 and coefficients[r, 1] == 0.0 and coefficients[r, 2] == 0.0
            size = abs(residual[r]) if turns else abs(residual[r]) / length[i]
            worst = max(worst, size)
    return worst


@kernel
def speeds_of_rows(floats, loops):
    """Compute ``speed`` of the rows at ``v``, and ``pace`` of their bodies, where `residuals` was evaluated last."""
    L = loop_arrays(loops)
    ints, q, v, R, p, v_W, w_W, work_2 = L.ints, L.q, L.v, L.R, L.p, L.v_W, L.w_W, L.work_2
    cuts, row_start, points, coefficients, speed = L.cuts, L.row_start, L.points, L.coefficients, L.speed
    pace, length = L.pace, L.length
    body_velocities(ints, floats, q, v, R, p, v_W, w_W, work_2)
    for i in range(L.n_cuts):
        one, two, point = int(cuts[i, BODY_1]), int(cuts[i, BODY_2]), load3(points, i, 0)
        moving, turning, fast, quick = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0
        if two >= 0:
            turning = load3(w_W, two, 0)
            moving = add(load3(v_W, two, 0), cross(turning, subtract(point, load3(p, two, 0))))
            fast, quick = dot(moving, moving) ** 0.5, dot(turning, turning) ** 0.5
        if one >= 0:
            w = load3(w_W, one, 0)
            turning = subtract(turning, w)
            velocity = add(load3(v_W, one, 0), cross(w, subtract(point, load3(p, one, 0))))
            moving = subtract(moving, velocity)
            fast, quick = fast + dot(velocity, velocity) ** 0.5, quick + dot(w, w) ** 0.5
        for r in range(row_start[i], row_start[i + 1]):
            speed[r] = dot(load3(coefficients, r, 0), moving) + dot(load3(coefficients, r, 3), turning)
            turns = coefficients[r, 0] == 0.0 and coefficients[r, 1] == 0.0 and coefficients[r, 2] == 0.0
            pace[r] = quick + fast / length[i] if turns else fast + quick * length[i]


@kernel
def prepare_loops(floats, loops):
    """Return the articulated inertias at ``q``, with all joints passive, and the factors of the matrix; -1 if something has no
    inertia.
    """
    L = loop_arrays(loops)
    ints, q, still, work = L.ints, L.q, L.still, L.work
    start(ints, floats, q, still, work)
    if not inward(ints, still, work):
        return -1
    feel_all(ints, work, loops)
    return factorise(loops, True)


@kernel
def respond(gravity, values, loops):
    """``change``: the change of speeds of least kinetic energy that changes the rows by ``-values`` (m,)."""
    L = loop_arrays(loops)
    m, multipliers, n_v, pushed, ints = L.m, L.multipliers, L.n_v, L.pushed, L.ints
    still, work, change = L.still, L.work, L.change
    for r in range(m):
        multipliers[r] = -values[r]
    solve_forward(loops, multipliers)
    solve_backward(loops, multipliers)
    for k in range(n_v):
        pushed[k] = change[k] = 0.0  # also of joints that are parked, which move no body
    push(ints, loops, multipliers)
    accelerate_pushed(ints, gravity, still, pushed, work, change)


@kernel
def norm_of(q, j):
    """Return the norm of the quaternion ``q[j:]``."""
    return sqrt(q[j] * q[j] + q[j + 1] * q[j + 1] + q[j + 2] * q[j + 2] + q[j + 3] * q[j + 3])


@kernel
def advance(loops):
    """Add to ``q`` what the change of speeds makes of it in a unit of time.

    Quaternions keep their norm, which is no part of the orientation: an integrator whose past has errors of it, which `rates`
    takes away, would see what is corrected in some of its steps as a jump.
    """
    L = loop_arrays(loops)
    ints, q, change, turned = L.ints, L.q, L.change, L.turned
    for i in range(ints.shape[0]):
        if ints[i, ROLE] == LOCKED:
            continue
        kind, j, k = ints[i, KIND], ints[i, Q_INDEX], ints[i, V_INDEX]
        straight = ORIENTATION_AT[kind] if ORIENTATION_AT[kind] >= 0 else V_SIZE[kind]
        for l in range(straight):
            q[j + l] += change[k + l]
        if straight < V_SIZE[kind]:
            n = 4 if ints[i, ORIENTATION] == 0 else 3
            before = norm_of(q, j + straight) if n == 4 else 1.0
            rates(ints[i, ORIENTATION], q, j + straight, change, k + straight, turned, 0)
            for l in range(n):
                q[j + straight + l] += turned[l]
            if n == 4:
                factor = before / norm_of(q, j + straight)
                for l in range(n):
                    q[j + straight + l] *= factor


@kernel
def close_positions(floats, loops):
    """Project ``q`` onto the constraints of the loops; return a status."""
    L = loop_arrays(loops)
    no_gravity, residual = L.no_gravity, L.residual
    worst = residuals(floats, loops)
    if prepare_loops(floats, loops) < 0:
        return STATUS_SINGULAR
    before = 2.0 * worst + 1.0
    for _ in range(MOST_STEPS):
        if worst <= CLOSED or not worst < 0.5 * before:
            break
        respond(no_gravity, residual, loops)
        advance(loops)
        before = worst
        worst = residuals(floats, loops)
    if not worst <= LEFT_OPEN:
        return STATUS_OPEN
    return 0


@kernel
def remove_from_speeds(floats, loops):
    """Take away what of ``v`` leaves the loops, after `close_positions`."""
    L = loop_arrays(loops)
    no_gravity, speed, n_v, v, change = L.no_gravity, L.speed, L.n_v, L.v, L.change
    speeds_of_rows(floats, loops)
    respond(no_gravity, speed, loops)
    for k in range(n_v):
        v[k] += change[k]


@kernel
def speeds_left(floats, loops):
    """Return the largest speeds along needed and along redundant rows, relative to the pace of their bodies, or to a slow
    one.
    """
    L = loop_arrays(loops)
    speed, pace, kept, off = L.speed, L.pace, L.lever_inverse, L.off
    speeds_of_rows(floats, loops)
    needed = redundant = 0.0
    for r in range(L.m):
        left = abs(speed[r]) / (pace[r] + SLOW)
        if kept[r] != 0.0:
            needed = max(needed, left)
        elif off[r] == 0:
            redundant = max(redundant, left)
    return needed, redundant


@kernel
def close_speeds(floats, loops):
    """Project ``v`` onto the constraints of the loops, after `close_positions`; return a status.

    Twice, because the factors are those of a point nearby. What is left of needed rows is rounding, that of redundant ones is
    what another rank would take away.
    """
    if loop_arrays(loops).n_slips > 0:
        factorise(loops, False)
    remove_from_speeds(floats, loops)
    remove_from_speeds(floats, loops)
    for _ in range(MOST_STEPS):
        needed, redundant = speeds_left(floats, loops)
        if needed <= AT_REST:
            break
        remove_from_speeds(floats, loops)
    if not (needed <= SLIDES and redundant <= PASSES):
        return STATUS_SLIDES
    return 0


@kernel
def measure_lengths(floats, loops):
    """Compute the largest distance of a body of each loop from its cut, or radius of gyration [m]."""
    L = loop_arrays(loops)
    n_cuts, path_start, path_once, path, p = L.n_cuts, L.path_start, L.path_once, L.path, L.p
    points, length = L.points, L.length
    for i in range(n_cuts):
        longest = 0.0
        for e in range(path_start[i], path_start[i + 1]):
            if path_once[e] != 0:
                body = path[e]
                square = 0.0
                for k in range(3):
                    square += (p[body, k] - points[i, k]) ** 2
                if floats[body, MASS] > 0.0:
                    inertia = floats[body, INERTIA] + floats[body, INERTIA + 1] + floats[body, INERTIA + 2]
                    square = max(square, 0.5 * inertia / floats[body, MASS])
                longest = max(longest, square)
        length[i] = longest**0.5 if longest > 0.0 else 1.0


@kernel
def measure_loops(floats, loops):
    """Return the lengths of the loops and sizes of all rows at ``q``, then the rank there; -1 if something has no inertia."""
    L = loop_arrays(loops)
    ints, q, still, work = L.ints, L.q, L.still, L.work
    residuals(floats, loops)
    measure_lengths(floats, loops)
    find_planes(ints, loops)
    start(ints, floats, q, still, work)
    if not inward(ints, still, work):
        return -1
    measure_extents(ints, work, loops)
    measure_sizes(ints, work, loops)
    feel_all(ints, work, loops)
    return factorise(loops, False)
