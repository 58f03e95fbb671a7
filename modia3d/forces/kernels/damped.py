"""Directions in which dampers at massless points resist; there velocities, not positions, make up for forces (see `massless`).

The dampers' lines are the rows of ``G``: an element from point i to point j resists ``e . (v_j - v_i)``. An orthonormal basis Q
of its row space stands behind D in ``work``. Lines that differ less than `STRAIGHT` are one: a chain stays straight.

A chain with a kink theta resists across with ``d theta^2`` only, so that tension T straightens it with
``theta' ~ -T / (d theta)``: in finite time, with infinite speed at its end. A friction of the points bounds that speed while
theta is near `NEARLY` or below; where no kink is under way there is none.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.spatial import dot, kernel, scale, subtract

from ..layout import BODY_1, BODY_2, KIND, LINEAR, PARAMETERS, SPRING_DAMPER
from .frames import first_pose, second_pose
from .law import law, slope

STEP, SAVED, RIGHT, GIVEN, FRICTION, TAU = 1, 2, 3, 4, 5, 6
"""Rows of ``work`` from 4 N on: forces or step, last positions, right side of the normal equations, part of a row along Q,
friction of each component of the points [N.s/m], and (first element) tau [s], see `massless`."""
STRAIGHT, NEARLY = 1e-4, 1e-2
"""Sine of the angle below which a damper's line adds no direction; root of the part of its resistance that is friction near."""
SLOWLY = 1e-3
"""Change of speed [m/s] over which the mean slope of a damper's law is taken."""


@kernel
def touches(table, k, n):
    """Whether row ``k`` acts on a point; ``n`` is the number of bodies."""
    return table[k, BODY_1] >= n or table[k, BODY_2] >= n


@kernel
def is_damped(table, k):
    """Whether row ``k`` has a damper."""
    if int(table[k, KIND]) != SPRING_DAMPER:
        return False
    return not (table[k, PARAMETERS + 2] == LINEAR and table[k, PARAMETERS + 3] == 0.0)


@kernel
def resistance(table, k, rate):
    """Slope of the damper's law at ``rate`` [N.s/m]; where it is far less than nearby, as of ``v*abs(v)`` at rest, the mean."""
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
def damped_directions(table, n, R, p, work):
    """Q from the lines of all dampers at points, and the friction; returns the number of rows of Q."""
    N, rank = work.shape[1], 0
    for i in range(N):
        work[4 * N + FRICTION, i] = 0.0
    for k in range(table.shape[0]):
        if rank == N or not touches(table, k, n) or not is_damped(table, k):
            continue
        _, p_1 = first_pose(table, k, R, p)
        _, p_2 = second_pose(table, k, R, p)
        r = subtract(p_2, p_1)
        length = sqrt(dot(r, r))
        if length == 0.0:
            continue
        row = 3 * N + rank
        for i in range(N):
            work[row, i] = 0.0
        e, square = scale(1.0 / length, r), 0.0
        for body, sign in ((int(table[k, BODY_1]), -1.0), (int(table[k, BODY_2]), 1.0)):
            if body >= n:
                square += 1.0
                for a in range(3):
                    work[row, 3 * (body - n) + a] += sign * e[a]
        left = 0.0
        for _ in range(2):  # the second time for the sake of rounding
            part_along(work, rank, row)
            left = 0.0
            for i in range(N):
                work[row, i] -= work[4 * N + GIVEN, i]
                left += work[row, i] ** 2
        if left > STRAIGHT**2 * square:
            for i in range(N):
                work[row, i] /= sqrt(left)
            rank += 1
            fading = max(0.0, 1.0 - left / square / (4.0 * NEARLY) ** 2)
            friction = resistance(table, k, 0.0) * (NEARLY * fading) ** 2
            for body in (int(table[k, BODY_1]), int(table[k, BODY_2])):
                for a in range(3 if body >= n else 0):
                    i = 3 * (body - n) + a
                    work[4 * N + FRICTION, i] = max(work[4 * N + FRICTION, i], friction)
    return rank


@kernel
def mix(work, rank):
    """Make A of H and D; returns tau [s], which gives both the same size."""
    N, stiff, resisting = work.shape[1], 0.0, 0.0
    work[4 * N + TAU, 0] = 1.0
    if rank == 0:
        return 1.0
    for i in range(N):
        stiff += abs(work[i, i])
        resisting += abs(work[2 * N + i, i])
    tau = resisting / stiff if stiff > 0.0 and resisting > 0.0 else 1.0
    work[4 * N + TAU, 0] = tau
    for i in range(N):
        for j in range(N):
            work[2 * N + i, j] = work[2 * N + i, j] / tau - work[i, j]
        part_along(work, rank, 2 * N + i)
        for j in range(N):
            work[i, j] += work[4 * N + GIVEN, j]
    return tau
