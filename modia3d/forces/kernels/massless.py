"""Motion of massless points: where, and how fast, the forces of springs, dampers and from outside balance.

Points are the last bodies of the arrays, bodies without rotation. Their forces ``F(p, v)``, of N = 3 m components, have the
stiffness ``H = -dF/dp`` and the damping ``D = -dF/dv``. Positions of points with dampers are states, and their velocities
follow from ``F = 0`` (with a friction, see `damped`); Q spans these directions. Across, with the projector P, positions
follow from ``F = 0``. Both are found by a Levenberg-Marquardt iteration, ``(A'A + mu) d = A'F`` with ``A = D QQ'/tau + H P``,
with a mu near rounding wherever that makes F smaller, so that it is Newton's method; mu decides only what the elements do not
(a row of springs without tension is not stiff across). Where that fails from the last positions, it begins anew in the middle
of what the springs connect. Velocities across follow from ``dF/dt = 0``, from which P takes what accelerations do: ``P'H v =
P'(sum of K v_other + dF/dt of forces from outside)``.

``work`` has 4 N + 6 rows: A (first H), rows for mu, D (then ``D/tau - H``), Q, and the rows that `damped` names.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import MATRIX, OPTIONS, add, apply, cross, dot, kernel, load3, scale, store3, subtract
from modiapy.acausal.native import njit, types

from ..basics.layout import AT_POINTS, BODY_1, BODY_2, LINE, LOAD, PARAMETERS, UNBALANCED
from .damped import (
    GIVEN,
    RIGHT,
    SAVED,
    STEP,
    THREAD,
    add_block,
    add_friction,
    all_directions,
    damped_directions,
    mix,
    part_along,
    resistance,
    touches,
)
from .evaluate import add_wrenches
from .frames import first_pose, point_velocity, second_pose
from .law import law, law3, slope

ITERATIONS = 100
SMALLEST, FIRST = 1e-24, 1e-14
"""Damping mu relative to the largest element of ``A'A``, and where it begins when a step fails."""
SLACK = 1e-5
"""Elements that pull less than this, relative to all forces, follow their ends as if they pulled that much."""
BALANCED, NEARLY_BALANCED = 1e-14, 1e-10
"""Unbalanced force that ends the iteration, and that is accepted where it can get no smaller, relative to all forces ..."""
ROUNDING, NEARLY_ROUNDING = 2e-16, 2e-13
"""... and that on top of it relative to stiffness times position: forces of hard springs are no more exact than positions."""


@njit(types.float64(MATRIX, types.int64, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def unbalanced(table, n, time, R, p, v_W, w_W, wrenches, work):
    """Return the forces on the points, in their rows of ``wrenches``; returns the sum of their squares."""
    wrenches[:, :] = 0.0
    for k in range(table.shape[0]):
        if touches(table, k, n):
            add_wrenches(table, k, time, R, p, v_W, w_W, wrenches)
            if table[k, AT_POINTS] == LINE:
                add_friction(table, k, n, R, p, v_W, w_W, work, wrenches)
    total = 0.0
    for i in range(n, p.shape[0]):
        force = load3(wrenches, i, 3)
        total += dot(force, force)
    return total


@kernel
def element_stiffness(table, k, n, p_1, p_2, v_1, v_2, floor, work):
    """Add the contribution of spring and damper ``k`` to H, D and ``sum of K v_other``; return its terms for `linearise`."""
    N = work.shape[1]
    one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
    r, v = subtract(p_2, p_1), subtract(v_2, v_1)
    length = sqrt(dot(r, r))
    if length == 0.0:
        return 0.0, 0.0
    e = scale(1.0 / length, r)
    longer, rate = length - table[k, PARAMETERS + 4], dot(e, v)
    resisting = resistance(table, k, rate)
    pull = table[k, PARAMETERS + 5] + law(table, k, 0, longer) + law(table, k, 1, rate)
    along = slope(table, k, 0, longer)
    across = (pull if abs(pull) > floor else floor) / length
    turning = scale(resisting / length, subtract(v, scale(rate, e)))
    for here, there, v_there in ((one, two, v_2), (two, one, v_1)):
        if here >= n:
            i, j = 3 * (here - n), 3 * (there - n)
            friction = max(work[4 * N + THREAD, i], 0.0) / length
            add_block(work, i, i, 1.0, along, across, e, turning)
            add_block(work, 2 * N + i, i, 1.0, resisting, friction, e, (0.0, 0.0, 0.0))
            if there >= n:
                add_block(work, i, j, -1.0, along, across, e, turning)
                add_block(work, 2 * N + i, j, -1.0, resisting, friction, e, (0.0, 0.0, 0.0))
            else:
                axial = (along - across) * dot(e, v_there) + dot(turning, v_there)
                for a in range(3):
                    work[4 * N, 3 * (here - n) + a] += axial * e[a] + across * v_there[a]
    return abs(pull) + resisting * abs(rate), abs(along) * (length + sqrt(dot(p_1, p_1)))


@njit(
    types.UniTuple(types.float64, 2)(MATRIX, types.int64, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, types.float64, MATRIX),
    **OPTIONS,
)
def linearise(table, n, time, R, p, v_W, w_W, floor, work):
    """Return H, D, and in row 4 N the rates of F that points do not cause; returns sums over the elements.

    These are the sizes of their forces, and of what stiffness makes of positions (see `ROUNDING`), both [N].
    ``floor``: the least pull by which elements are taken to be stiff across.
    """
    N = work.shape[1]
    work[:N, :] = 0.0
    work[2 * N : 3 * N, :] = 0.0
    work[4 * N, :] = 0.0
    size, rough = 0.0, 0.0
    for k in range(table.shape[0]):
        if not touches(table, k, n):
            continue
        one = int(table[k, BODY_1])
        _, p_1 = first_pose(table, k, R, p)
        R_2, p_2 = second_pose(table, k, R, p)
        v_2, w_2 = point_velocity(int(table[k, BODY_2]), p_2, p, v_W, w_W)
        if table[k, AT_POINTS] == LINE:
            v_1, _ = point_velocity(one, p_1, p, v_W, w_W)
            forces, positions = element_stiffness(table, k, n, p_1, p_2, v_1, v_2, floor, work)
            size, rough = size + forces, rough + positions
        elif table[k, AT_POINTS] == LOAD:
            slopes = slope(table, k, 0, time), slope(table, k, 1, time), slope(table, k, 2, time)
            force = apply(R_2, law3(table, k, time))
            rates = add(apply(R_2, slopes), cross(w_2, force))
            for a in range(3):
                work[4 * N, 3 * (one - n) + a] += rates[a]
    return size, rough


@njit(types.boolean(MATRIX, types.float64, types.int64), **OPTIONS)
def damped_step(work, mu, row):
    """Replace b in a row of ``work`` by d, ``(A'A + mu h) d = A'b``, h the largest element of ``A'A``; False if it fails.

    That is the least-squares solution of ``A d = b``, ``sqrt(mu h) d = 0``, by Householder's reflections: forming ``A'A`` would
    lose springs that are 1e7 times softer than others.
    """
    N, right = work.shape[1], 4 * work.shape[1] + RIGHT
    largest = 0.0
    for i in range(N):
        square = 0.0
        for k in range(N):
            square += work[k, i] ** 2
        largest = max(largest, square)
    for i in range(N):
        work[right, i] = 0.0
        for j in range(N):
            work[N + i, j] = sqrt(mu * largest) if i == j else 0.0
    for j in range(N):
        square = 0.0
        for k in range(j, N + j + 1):
            square += work[k, j] ** 2
        if not square > 0.0:
            return False
        alpha = -sqrt(square) if work[j, j] > 0.0 else sqrt(square)
        work[j, j] -= alpha
        beta = -alpha * work[j, j]
        for i in range(j + 1, N):
            total = 0.0
            for k in range(j, N + j + 1):
                total += work[k, j] * work[k, i]
            for k in range(j, N + j + 1):
                work[k, i] -= total / beta * work[k, j]
        total = 0.0
        for k in range(j, N):
            total += work[k, j] * work[row, k]
        for k in range(j + 1):
            total += work[N + k, j] * work[right, k]
        for k in range(j, N):
            work[row, k] -= total / beta * work[k, j]
        for k in range(j + 1):
            work[right, k] -= total / beta * work[N + k, j]
        work[j, j] = alpha
    for i in range(N - 1, -1, -1):
        total = work[row, i]
        for k in range(i + 1, N):
            total -= work[i, k] * work[row, k]
        work[row, i] = total / work[i, i]
    return True


@kernel
def move(p, v_W, n, work, rank, tau, factor):
    """Add ``factor`` times the step: across the dampers to the positions of the points, along them to their velocities."""
    N = work.shape[1]
    part_along(work, rank, 4 * N + STEP)
    for i in range(n, p.shape[0]):
        for a in range(3):
            j = 3 * (i - n) + a
            p[i, a] += factor * (work[4 * N + STEP, j] - work[4 * N + GIVEN, j])
            v_W[i, a] += factor / tau * work[4 * N + GIVEN, j]


@kernel
def gather_forces(wrenches, n, work, row):
    """Write the forces on the points to a row of ``work``."""
    for i in range(n, wrenches.shape[0]):
        for a in range(3):
            work[row, 3 * (i - n) + a] = wrenches[i, 3 + a]


@kernel
def worst(wrenches, n):
    """Return the point with the largest unbalanced force."""
    found, largest = 0, -1.0
    for i in range(n, wrenches.shape[0]):
        force = load3(wrenches, i, 3)
        square = dot(force, force)
        if not square <= largest:
            found, largest = i - n, square
    return found


@njit(types.void(MATRIX, types.int64, MATRIX, MATRIX, MATRIX), **OPTIONS)
def to_the_middle(table, n, R, p, work):
    """Move each point without damper to the middle of what springs connect it with."""
    N, zero = work.shape[1], (0.0, 0.0, 0.0)
    work[:N, :] = 0.0
    for i in range(N):
        damped = work[4 * N + THREAD, i] >= 0.0
        work[i, i] = 1.0 if damped else 0.0
        work[4 * N, i] = p[n + i // 3, i % 3] if damped else 0.0
    for k in range(table.shape[0]):
        if not touches(table, k, n) or table[k, AT_POINTS] != LINE:
            continue
        one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
        _, p_1 = first_pose(table, k, R, p)
        _, p_2 = second_pose(table, k, R, p)
        for here, there, place in ((one, two, p_2), (two, one, p_1)):
            i = 3 * (here - n)
            if here < n or work[4 * N + THREAD, i] >= 0.0:
                continue
            add_block(work, i, i, 1.0, 1.0, 1.0, zero, zero)
            if there >= n:
                add_block(work, i, 3 * (there - n), -1.0, 1.0, 1.0, zero, zero)
            else:
                for a in range(3):
                    work[4 * N, i + a] += place[a]
    if damped_step(work, SMALLEST, 4 * N):
        for i in range(n, p.shape[0]):
            store3(p, i, 0, load3(work, 4 * N, 3 * (i - n)))


@njit(types.boolean(MATRIX, types.int64, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, types.int64, MATRIX, MATRIX), **OPTIONS)
def search(table, n, time, R, p, v_W, w_W, rank, wrenches, work):
    """Move the points across Q, which stands in ``work``, and set their velocities along it, so that forces balance.

    Returns False if it fails.
    """
    N = work.shape[1]
    square, mu = unbalanced(table, n, time, R, p, v_W, w_W, wrenches, work), SMALLEST
    for _ in range(ITERATIONS):
        size, rough = linearise(table, n, time, R, p, v_W, w_W, 0.0, work)
        if square <= (BALANCED * size + ROUNDING * rough) ** 2:
            return True
        tau = mix(work, rank)
        gather_forces(wrenches, n, work, 4 * N + STEP)
        if damped_step(work, mu, 4 * N + STEP):
            move(p, v_W, n, work, rank, tau, 1.0)
            moved = unbalanced(table, n, time, R, p, v_W, w_W, wrenches, work)
            if moved < square:
                square, mu = moved, max(SMALLEST, 1e-3 * mu)
                continue
            move(p, v_W, n, work, rank, tau, -1.0)
            unbalanced(table, n, time, R, p, v_W, w_W, wrenches, work)
        if square <= (NEARLY_BALANCED * size + NEARLY_ROUNDING * rough) ** 2:
            return True
        if mu > 1e6:
            return False
        mu = max(30.0 * mu, FIRST)
    return False


@kernel
def slack(table, n, time, R, p, v_W, w_W, work):
    """Return the ``floor`` of `linearise` for velocities."""
    size, rough = linearise(table, n, time, R, p, v_W, w_W, 0.0, work)
    least = SLACK * size + NEARLY_ROUNDING * rough
    return least if least > 0.0 else 1.0


@njit(
    types.void(MATRIX, types.int64, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, types.int64, types.float64, MATRIX),
    **OPTIONS,
)
def complete_velocities(table, n, time, R, p, v_W, w_W, rank, floor, work):
    """Find the velocities of the points across Q, known along it where forces balance; ``floor``: see `linearise`."""
    N = work.shape[1]
    linearise(table, n, time, R, p, v_W, w_W, floor, work)
    for i in range(N):
        work[4 * N + STEP, i] = v_W[n + i // 3, i % 3]
    part_along(work, rank, 4 * N + STEP)
    for i in range(N):
        v_W[n + i // 3, i % 3] = work[4 * N + GIVEN, i]
        for j in range(N):
            work[4 * N, i] -= work[i, j] * work[4 * N + GIVEN, j]
    mix(work, rank)
    if damped_step(work, SMALLEST, 4 * N):
        part_along(work, rank, 4 * N)
        for i in range(N):
            v_W[n + i // 3, i % 3] += work[4 * N, i] - work[4 * N + GIVEN, i]


@njit(types.int64(MATRIX, types.int64, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def balance(table, n, time, R, p, v_W, w_W, wrenches, work):
    """Return the positions and velocities of the points, from positions nearby; those with dampers stay where they are.

    Args:
        table: the forces. n: number of bodies; the points are those behind.
        time: [s].
        R, p, v_W, w_W: poses and velocities of bodies and points, see `modia3d.dynamics.kinematics`; those of the points are
            results, ``p`` of the points is also where the iteration begins.
        wrenches: scratch, shape (n + m, 6).
        work: scratch, see `modia3d.forces.basics.layout.point_work_shape`.

    Returns:
        0, or ``UNBALANCED + i`` if the forces at the ``i``-th point cannot be balanced; it is where it was then.
    """
    N = work.shape[1]
    v_W[n:, :] = 0.0
    for i in range(N):
        work[4 * N + SAVED, i] = p[n + i // 3, i % 3]
    damped_directions(table, n, R, p, work)
    rank = all_directions(work)
    found = search(table, n, time, R, p, v_W, w_W, rank, wrenches, work)
    if not found and rank < N:
        v_W[n:, :] = 0.0
        to_the_middle(table, n, R, p, work)
        found = search(table, n, time, R, p, v_W, w_W, rank, wrenches, work)
    if not found:
        failed = worst(wrenches, n)
        for i in range(N):
            p[n + i // 3, i % 3] = work[4 * N + SAVED, i]
        return UNBALANCED + failed
    if rank < N:
        complete_velocities(table, n, time, R, p, v_W, w_W, rank, slack(table, n, time, R, p, v_W, w_W, work), work)
    return 0


@njit(types.void(MATRIX, types.int64, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def settle_velocities(table, n, time, R, p, v_W, w_W, work):
    """Free the velocities that `balance` found from noise across the dampers; arguments as there."""
    rank = damped_directions(table, n, R, p, work)
    if rank < work.shape[1]:
        work[4 * work.shape[1] + THREAD, :] = 0.0
        complete_velocities(table, n, time, R, p, v_W, w_W, rank, slack(table, n, time, R, p, v_W, w_W, work), work)


@njit(types.void(MATRIX, types.int64, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def begin(table, n, time, R, p, v_W, w_W, wrenches, work):
    """Move points with dampers, too, to where forces balance across the dampers; arguments as of `balance`.

    Where they cannot, all stay: friction lets them move there. The first rows of ``work`` are H then.
    """
    N = work.shape[1]
    v_W[n:, :] = 0.0
    rank = damped_directions(table, n, R, p, work)
    for i in range(N):
        work[4 * N + SAVED, i] = p[n + i // 3, i % 3]
        work[4 * N + THREAD, i] = min(work[4 * N + THREAD, i], 0.0)  # no friction
    if not search(table, n, time, R, p, v_W, w_W, rank, wrenches, work):
        for i in range(N):
            p[n + i // 3, i % 3] = work[4 * N + SAVED, i]
    linearise(table, n, time, R, p, v_W, w_W, 0.0, work)
