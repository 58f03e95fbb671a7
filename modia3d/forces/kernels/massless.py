"""Positions of massless points: where the forces of springs and from outside balance.

Points are the last bodies of the arrays, bodies without rotation. With the forces F on all points, of N = 3 m components, and
their stiffness ``H = -dF/dp``, the positions are found by a Levenberg-Marquardt iteration, ``(H H + mu) d = H F``, with a
mu near rounding wherever that makes F smaller, so that it is Newton's method; mu decides only what the springs do not (a row of
springs without tension is not stiff across). Where that fails from the last positions, it begins anew in the middle of what the
springs connect. Velocities of the points follow from ``H v = sum of K v_other`` over the ends at bodies.
"""

from __future__ import annotations

from math import sqrt

from numba import njit, types

from modia3d.dynamics.spatial import MATRIX, OPTIONS, dot, kernel, load3, scale, store3, subtract

from ..layout import BODY_1, BODY_2, KIND, PARAMETERS, SPRING_DAMPER, UNBALANCED
from .evaluate import add_wrenches
from .frames import first_pose, point_velocity, second_pose
from .law import law, slope

ITERATIONS = 100
SMALLEST = 1e-15
"""Damping mu relative to the largest element of ``H H``."""
BALANCED, NEARLY_BALANCED = 1e-14, 1e-10
"""Unbalanced force that ends the iteration, and that is accepted where it can get no smaller, relative to all forces."""


@kernel
def touches(table, k, n):
    """Whether row ``k`` acts on a point; ``n`` is the number of bodies."""
    return table[k, BODY_1] >= n or table[k, BODY_2] >= n


@njit(types.float64(MATRIX, types.int64, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def unbalanced(table, n, time, R, p, v_W, w_W, wrenches):
    """Forces on the points, in their rows of ``wrenches``; returns the sum of their squares."""
    wrenches[:, :] = 0.0
    for k in range(table.shape[0]):
        if touches(table, k, n):
            add_wrenches(table, k, time, R, p, v_W, w_W, wrenches)
    total = 0.0
    for i in range(n, p.shape[0]):
        force = load3(wrenches, i, 3)
        total += dot(force, force)
    return total


@kernel
def add_block(H, i, j, along, across, e):
    """Add ``along e e^T + across (1 - e e^T)`` to the block of points i and j."""
    for a in range(3):
        for b in range(3):
            H[3 * i + a, 3 * j + b] += (along - across) * e[a] * e[b]
        H[3 * i + a, 3 * j + a] += across


@njit(types.float64(MATRIX, types.int64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def stiffness(table, n, R, p, v_W, w_W, work):
    """``H`` in the first N rows of ``work``, ``sum of K v_other`` in row 2 N; returns the size of all forces."""
    N = work.shape[1]
    work[:N, :] = 0.0
    work[2 * N, :] = 0.0
    size = 0.0
    for k in range(table.shape[0]):
        if not touches(table, k, n) or int(table[k, KIND]) != SPRING_DAMPER:
            continue
        one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
        _, p_1 = first_pose(table, k, R, p)
        _, p_2 = second_pose(table, k, R, p)
        r = subtract(p_2, p_1)
        length = sqrt(dot(r, r))
        if length == 0.0:
            continue
        e, longer = scale(1.0 / length, r), length - table[k, PARAMETERS + 4]
        pull, along = table[k, PARAMETERS + 5] + law(table, k, 0, longer), slope(table, k, 0, longer)
        across = pull / length
        size += abs(pull) + abs(along) * length
        for here, there, point in ((one, two, p_2), (two, one, p_1)):
            if here >= n:
                add_block(work, here - n, here - n, along, across, e)
                if there >= n:
                    add_block(work, here - n, there - n, -along, -across, e)
                else:
                    v, _ = point_velocity(there, point, p, v_W, w_W)
                    axial = dot(e, v)
                    for a in range(3):
                        work[2 * N, 3 * (here - n) + a] += (along - across) * axial * e[a] + across * v[a]
    return size


@njit(types.boolean(MATRIX, types.float64, types.int64), **OPTIONS)
def damped_step(work, mu, row):
    """Replace b in a row of ``work`` by d, ``(H H + mu h) d = H b``, h the largest element of ``H H``; False if it fails."""
    N = work.shape[1]
    largest = 0.0
    for i in range(N):
        total = 0.0
        for j in range(N):
            total += work[i, j] * work[row, j]
        work[2 * N + 3, i] = total
        for j in range(i + 1):
            product = 0.0
            for k in range(N):
                product += work[i, k] * work[j, k]
            work[N + i, j] = product
        largest = max(largest, work[N + i, i])
    for i in range(N):  # Cholesky
        work[N + i, i] += mu * largest
        for j in range(i + 1):
            total = work[N + i, j]
            for k in range(j):
                total -= work[N + i, k] * work[N + j, k]
            if i == j:
                if not total > 0.0:
                    return False
                work[N + i, i] = sqrt(total)
            else:
                work[N + i, j] = total / work[N + j, j]
    for i in range(N):
        total = work[2 * N + 3, i]
        for k in range(i):
            total -= work[N + i, k] * work[row, k]
        work[row, i] = total / work[N + i, i]
    for i in range(N - 1, -1, -1):
        total = work[row, i]
        for k in range(i + 1, N):
            total -= work[N + k, i] * work[row, k]
        work[row, i] = total / work[N + i, i]
    return True


@kernel
def move(p, n, work, row, factor):
    """Add ``factor`` times a row of ``work`` to the positions of the points."""
    for i in range(n, p.shape[0]):
        for a in range(3):
            p[i, a] += factor * work[row, 3 * (i - n) + a]


@kernel
def gather_forces(wrenches, n, work, row):
    """Write the forces on the points to a row of ``work``."""
    for i in range(n, wrenches.shape[0]):
        for a in range(3):
            work[row, 3 * (i - n) + a] = wrenches[i, 3 + a]


@kernel
def worst(wrenches, n):
    """The point with the largest unbalanced force."""
    found, largest = 0, -1.0
    for i in range(n, wrenches.shape[0]):
        force = load3(wrenches, i, 3)
        square = dot(force, force)
        if not square <= largest:
            found, largest = i - n, square
    return found


@njit(types.void(MATRIX, types.int64, MATRIX, MATRIX, MATRIX), **OPTIONS)
def to_the_middle(table, n, R, p, work):
    """Move each point to the middle of what springs connect it with."""
    N = work.shape[1]
    work[:N, :] = 0.0
    work[2 * N, :] = 0.0
    for k in range(table.shape[0]):
        if not touches(table, k, n) or int(table[k, KIND]) != SPRING_DAMPER:
            continue
        one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
        _, p_1 = first_pose(table, k, R, p)
        _, p_2 = second_pose(table, k, R, p)
        for here, there, place in ((one, two, p_2), (two, one, p_1)):
            if here >= n:
                add_block(work, here - n, here - n, 1.0, 1.0, (0.0, 0.0, 0.0))
                if there >= n:
                    add_block(work, here - n, there - n, -1.0, -1.0, (0.0, 0.0, 0.0))
                else:
                    for a in range(3):
                        work[2 * N, 3 * (here - n) + a] += place[a]
    if damped_step(work, SMALLEST, 2 * N):
        for i in range(n, p.shape[0]):
            store3(p, i, 0, load3(work, 2 * N, 3 * (i - n)))


@njit(types.boolean(MATRIX, types.int64, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def search(table, n, time, R, p, v_W, w_W, wrenches, work):
    """Move the points from where they are to where the forces balance; False if that is not found."""
    N = work.shape[1]
    square, mu = unbalanced(table, n, time, R, p, v_W, w_W, wrenches), SMALLEST
    for _ in range(ITERATIONS):
        size = stiffness(table, n, R, p, v_W, w_W, work)
        if square <= (BALANCED * size) ** 2:
            return True
        gather_forces(wrenches, n, work, 2 * N + 1)
        if damped_step(work, mu, 2 * N + 1):
            move(p, n, work, 2 * N + 1, 1.0)
            moved = unbalanced(table, n, time, R, p, v_W, w_W, wrenches)
            if moved < square:
                square, mu = moved, max(SMALLEST, 1e-3 * mu)
                continue
            move(p, n, work, 2 * N + 1, -1.0)
            unbalanced(table, n, time, R, p, v_W, w_W, wrenches)
        if square <= (NEARLY_BALANCED * size) ** 2:
            return True
        if mu > 1e6:
            return False
        mu *= 30.0
    return False


@njit(types.int64(MATRIX, types.int64, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def balance(table, n, time, R, p, v_W, w_W, wrenches, work):
    """Positions and velocities of the points, from positions nearby.

    Args:
        table: the forces. n: number of bodies; the points are those behind.
        time: [s].
        R, p, v_W, w_W: poses and velocities of bodies and points, see `modia3d.dynamics.kinematics`; those of the points are
            results, ``p`` of the points is also where the iteration begins.
        wrenches: scratch, shape (n + m, 6).
        work: scratch, shape (2 N + 4, N), N = 3 m.

    Returns:
        0, or ``UNBALANCED + i`` if the forces at the ``i``-th point cannot be balanced; it is where it was then.
    """
    N = work.shape[1]
    for i in range(N):
        work[2 * N + 2, i] = p[n + i // 3, i % 3]
    if not search(table, n, time, R, p, v_W, w_W, wrenches, work):
        to_the_middle(table, n, R, p, work)
        if not search(table, n, time, R, p, v_W, w_W, wrenches, work):
            failed = worst(wrenches, n)
            for i in range(N):
                p[n + i // 3, i % 3] = work[2 * N + 2, i]
            return UNBALANCED + failed
    stiffness(table, n, R, p, v_W, w_W, work)
    if damped_step(work, SMALLEST, 2 * N):
        for i in range(n, p.shape[0]):
            store3(v_W, i, 0, load3(work, 2 * N, 3 * (i - n)))
    return 0
