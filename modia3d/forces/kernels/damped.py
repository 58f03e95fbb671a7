"""Massless points with dampers: friction that makes their velocities unique, and the directions in which dampers resist.

Dampers resist along their lines only, so that the damping D of the points is singular where these are on one line or plane.
In between, a chain with a kink theta resists across with ``d theta^2``, and tension T straightens it with ``theta' ~ -T / (d
theta)``: in finite time, with infinite speed at its end. A friction bounds that speed: each element at a damped point resists
across with ``c / L``, as a thread with the tension T resists with ``T / L``; L is its length, c as much of ``d L`` of the
strongest damper there as `FRICTION` says, and more where lines are nearly one, or three nearly in a plane. It vanishes where
the points of a chain stay in line, however that moves, and is no load of the bodies.

For results the velocity across is that of the balance of forces (`massless.complete_velocities`), free of the integrator's
noise: the dampers' lines are the rows of ``G``, an element from point i to point j resists ``e . (v_j - v_i)``, and an
orthonormal basis Q of its row space stands behind D in ``work``. Lines that differ less than `STRAIGHT` are one.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import add3, dot, kernel, scale, subtract

from ..basics.layout import AT_POINTS, BODY_1, BODY_2, LINE, LINEAR, PARAMETERS
from .frames import first_pose, point_velocity, second_pose
from .law import law, slope

STEP, SAVED, RIGHT, GIVEN, THREAD = 1, 2, 3, 4, 5
"""Rows of ``work`` from 4 N on: forces or step, last positions, right side of the rows for mu, part of a row along Q, and for
each component of the points c of the friction [N.s], negative where no damper acts."""
FRICTION, NEARLY, STRAIGHT = 1e-7, 2e-2, 1e-3
"""Friction across relative to the damper, and its root where lines are nearly one; sine of the angle below which a damper's
line adds no direction."""
SLOWLY = 1e-3
"""Change of speed [m/s] over which the mean slope of a damper's law is taken."""


@kernel
def touches(table, k, n):
    """Return whether row ``k`` acts on a point; ``n`` is the number of bodies."""
    return table[k, BODY_1] >= n or table[k, BODY_2] >= n


@kernel
def is_damped(table, k):
    """Return whether row ``k`` has a damper."""
    if table[k, AT_POINTS] != LINE:
        return False
    return not (table[k, PARAMETERS + 2] == LINEAR and table[k, PARAMETERS + 3] == 0.0)


@kernel
def resistance(table, k, rate):
    """Return the slope of the damper's law at ``rate`` [N.s/m]; where it is far less than nearby, as of ``v*abs(v)`` at rest,
    the mean.
    """
    if table[k, PARAMETERS + 2] == LINEAR:
        return table[k, PARAMETERS + 3]
    here = slope(table, k, 1, rate)
    mean = (law(table, k, 1, rate + SLOWLY) - law(table, k, 1, rate - SLOWLY)) / (2.0 * SLOWLY)
    return here if here > 1e-4 * mean else mean


@kernel
def add_block(work, row, column, sign, along, across, e, turning):
    """Add ``along e e' + across (1 - e e') + e turning'`` times ``sign`` to the block of ``work`` at row and column."""
    for a in range(3):
        for b in range(3):
            work[row + a, column + b] += sign * e[a] * ((along - across) * e[b] + turning[b])
        work[row + a, column + a] += sign * across


@kernel
def part_along(work, rank, row):
    """Write the part of a row along Q to the row GIVEN."""
    N = work.shape[1]
    for i in range(N):
        work[4 * N + GIVEN, i] = 0.0
    for q in range(rank):
        total = 0.0
        for i in range(N):
            total += work[3 * N + q, i] * work[row, i]
        for i in range(N):
            work[4 * N + GIVEN, i] += total * work[3 * N + q, i]


@kernel
def add_friction(table, k, n, R, p, v_W, w_W, work, wrenches):
    """Add the friction of row ``k``, a spring and damper, to the forces on damped points."""
    one, two, N = int(table[k, BODY_1]), int(table[k, BODY_2]), work.shape[1]
    _, p_1 = first_pose(table, k, R, p)
    _, p_2 = second_pose(table, k, R, p)
    r = subtract(p_2, p_1)
    length = sqrt(dot(r, r))
    if length == 0.0:
        return
    v_1, _ = point_velocity(one, p_1, p, v_W, w_W)
    v_2, _ = point_velocity(two, p_2, p, v_W, w_W)
    v, e = subtract(v_2, v_1), scale(1.0 / length, r)
    across = subtract(v, scale(dot(e, v), e))
    for body, sign in ((one, 1.0), (two, -1.0)):
        if body >= n:
            add3(wrenches, body, 3, scale(sign * max(work[4 * N + THREAD, 3 * (body - n)], 0.0) / length, across))


@kernel
def all_directions(work):
    """Return Q from all directions of damped points; returns the number of rows of Q."""
    N, rank = work.shape[1], 0
    for i in range(N):
        if work[4 * N + THREAD, i] >= 0.0:
            for j in range(N):
                work[3 * N + rank, j] = 0.0
            work[3 * N + rank, i] = 1.0
            rank += 1
    return rank


@kernel
def damped_directions(table, n, R, p, work):
    """Return Q from the lines of all dampers at points, and the row THREAD; returns the number of rows of Q."""
    N, rank = work.shape[1], 0
    for i in range(N):
        work[4 * N + THREAD, i] = -1.0
    for k in range(table.shape[0]):
        if not touches(table, k, n) or not is_damped(table, k):
            continue
        _, p_1 = first_pose(table, k, R, p)
        _, p_2 = second_pose(table, k, R, p)
        r = subtract(p_2, p_1)
        length = sqrt(dot(r, r))
        if length == 0.0:
            continue
        row = min(3 * N + rank, 4 * N)
        for i in range(N):
            work[row, i] = 0.0
        square = 0.0
        for body, sign in ((int(table[k, BODY_1]), -1.0), (int(table[k, BODY_2]), 1.0)):
            if body >= n:
                square += 1.0
                for a in range(3):
                    work[row, 3 * (body - n) + a] += sign / length * r[a]
        left = 0.0
        for _ in range(2):  # the second time for the sake of rounding
            part_along(work, rank, row)
            left = 0.0
            for i in range(N):
                work[row, i] -= work[4 * N + GIVEN, i]
                left += work[row, i] ** 2
        if rank < N and left > STRAIGHT**2 * square:
            for i in range(N):
                work[row, i] /= sqrt(left)
            rank += 1
        near = NEARLY * max(0.0, 1.0 - left / square / (4.0 * NEARLY) ** 2) if rank > 0 else 0.0
        tension = (FRICTION + near**2) * resistance(table, k, 0.0) * length
        for body in (int(table[k, BODY_1]), int(table[k, BODY_2])):
            for i in range(3 * max(body - n, 0), 3 * max(body - n + 1, 0)):  # none of bodies
                work[4 * N + THREAD, i] = max(work[4 * N + THREAD, i], tension)
    return rank


@kernel
def mix(work, rank):
    """Make A of H and D; returns tau [s], which gives both the same size."""
    N, stiff, resisting = work.shape[1], 0.0, 0.0
    if rank == 0:
        return 1.0
    for i in range(N):
        stiff += abs(work[i, i])
        resisting += abs(work[2 * N + i, i])
    tau = resisting / stiff if stiff > 0.0 and resisting > 0.0 else 1.0
    for i in range(N):
        for j in range(N):
            work[2 * N + i, j] = work[2 * N + i, j] / tau - work[i, j]
        part_along(work, rank, 2 * N + i)
        for j in range(N):
            work[i, j] += work[4 * N + GIVEN, j]
    return tau
