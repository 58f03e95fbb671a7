"""Nearness of closed loops to positions where their rank changes, from one projection to the next.

The pivots of the rows are known there already. A row is new by the root of its pivot, relative to its size; that of the
least new one is the distance to a singular position. It vanishes like the distance of two straight lines, so its square is
smooth, and a parabola through three steps finds a passage that lies between them.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import acos, inf

from modia3d.dynamics.basics.layout import INERTIA, KIND, MASS, MOMENT, V_INDEX
from modia3d.dynamics.basics.spatial import (
    apply_symmetric,
    apply_transposed,
    cross,
    dot,
    kernel,
    load3,
    load6,
    load9,
)
from modia3d.dynamics.joints.kinds import V_SIZE
from modia3d.dynamics.kinematics import body_velocities
from modiapy.acausal.native_layout import record

from ..tables.passage_layout import (
    AWAY,
    BEGIN,
    END,
    LOOKED_AT,
    MOST_NOTES,
    NEAR,
    NEAREST,
    NEEDED,
    NOTE_COLUMNS,
    PASSAGES,
    RANK,
    RISE,
    SMALLEST,
    TURNED,
)
from .loop_arrays import loop_arrays
from .loop_factors import factorise, fill_matrix, find_rank
from .loop_projection import prepare_loops, residuals

REFINEMENTS = 4
"""So often the lowest point of a parabola is looked at."""
PROMISING = 0.9
"""It is looked at where it is lower than this part of the lowest point so far."""
LEAPT = 0.5
"""Only a step from nearer than this part leads past a singular position."""

passage_arrays = record(PASSAGES)
"""(address) -> the fields of `PASSAGES` there."""


@kernel
def part_new(row, loops):
    """Return the square of the part of a row that is new, by the last factorisation; 0 where it is redundant."""
    L = loop_arrays(loops)
    inverse, size = L.lever_inverse[row], L.reach[row]
    return 1.0 / (inverse * size * size) if inverse != 0.0 else 0.0


@kernel
def take_more_rows(loops):
    """Return the rows that are redundant no longer become needed, and ``lowest`` their cuts. Whether there are more of them."""
    L = loop_arrays(loops)
    P = passage_arrays(L.passages)
    n_cuts, row_start, needed, lowest, inverse = L.n_cuts, L.row_start, P.needed, P.lowest, L.lever_inverse
    before = after = found = 0
    for i in range(n_cuts):
        for row in range(row_start[i], row_start[i + 1]):
            before += needed[row]
            if inverse[row] != 0.0:
                after += 1
                if needed[row] == 0 and part_new(row, loops) > AWAY * AWAY:
                    found = 1
    if found == 0:
        return False
    for i in range(n_cuts):
        lowest[i] = 0
        for row in range(row_start[i], row_start[i + 1]):
            is_needed = 1 if inverse[row] != 0.0 else 0
            if is_needed > needed[row]:
                lowest[i] = 1
            needed[row] = is_needed
    return after > before


@kernel
def smallest_part(loops):
    """Return the square of the smallest part of a needed row that is new.

    The order of rows matters: the last of three lines in a plane is redundant, even if the first two are almost parallel. So
    where the part is small, the row of which most is new is the next one.
    """
    L = loop_arrays(loops)
    P = passage_arrays(L.passages)
    m, needed = L.m, P.needed
    found, rank = inf, 0
    for row in range(m):
        if needed[row] != 0:
            rank += 1
            found = min(found, part_new(row, loops))
    if P.n_square == 0 or found > LOOKED_AT * LOOKED_AT:
        return found
    fill_matrix(loops, L.levers, L.levers, L.lever_matrix)
    square, matrix, start, size, filled, first = P.square, L.lever_matrix, L.start, L.reach, L.filled, L.first_filled
    square[:, :] = 0.0
    for a in range(L.n_filled[0]):
        i = filled[a]
        for b in range(first[i], a + 1):
            j = filled[b]
            value = matrix[start[i] + j] / (size[i] * size[j])
            square[i, j], square[j, i] = value, value
    find_rank(loops, False)
    pivot = 0.0
    for _ in range(rank):
        best = 0
        for i in range(1, m):
            if square[i, i] > square[best, best]:
                best = i
        pivot = square[best, best]
        if not pivot > 0.0:
            return 0.0
        for i in range(m):
            if i != best:
                factor = square[i, best] / pivot
                for j in range(m):
                    if j != best:
                        square[i, j] -= factor * square[best, j]
        for i in range(m):
            square[i, best], square[best, i] = 0.0, 0.0
    return pivot


@kernel
def find_lowest(loops):
    """Compute ``lowest``: cuts with a needed row of which hardly more is new than of the least new one."""
    L = loop_arrays(loops)
    P = passage_arrays(L.passages)
    n_cuts, row_start, lowest, needed = L.n_cuts, L.row_start, P.lowest, P.needed
    smallest = inf
    for row in range(L.m):
        if needed[row] != 0:
            smallest = min(smallest, part_new(row, loops))
    for i in range(n_cuts):
        lowest[i] = 0
        for row in range(row_start[i], row_start[i + 1]):
            if needed[row] != 0 and part_new(row, loops) <= max(4.0 * smallest, NEAR * NEAR):
                lowest[i] = 1


@kernel
def vertex(t0, t1, t2, y0, y1, y2):
    """Return the time and value of the lowest point of the parabola through three points; the middle one if it has none."""
    left, right = t0 - t1, t2 - t1
    slope_left, slope_right = (y0 - y1) / left, (y2 - y1) / right
    bend = (slope_right - slope_left) / (right - left)
    if not bend > 0.0:
        return t1, y1
    slope = slope_left - bend * left
    return t1 - 0.5 * slope / bend, y1 - 0.25 * slope * slope / bend


@kernel
def energy_between(floats, R, v_1, w_1, v_2, w_2):
    """Return ``v_1^T M v_2`` of velocities of all bodies."""
    total = 0.0
    for i in range(floats.shape[0]):
        R_WB, h = load9(R, i, 0), load3(floats, i, MOMENT)
        one, two = apply_transposed(R_WB, load3(v_1, i, 0)), apply_transposed(R_WB, load3(v_2, i, 0))
        turn, other = apply_transposed(R_WB, load3(w_1, i, 0)), apply_transposed(R_WB, load3(w_2, i, 0))
        total += floats[i, MASS] * dot(one, two) + dot(turn, apply_symmetric(load6(floats, i, INERTIA), other))
        total += dot(one, cross(other, h)) + dot(two, cross(turn, h))
    return total


@kernel
def mask_speeds(speeds, loops):
    """Compute ``v_masked``: these speeds, of joints in the loops of the lowest cuts alone."""
    L = loop_arrays(loops)
    P = passage_arrays(L.passages)
    n_v, n_cuts, masked, lowest, ints = L.n_v, L.n_cuts, P.v_masked, P.lowest, L.ints
    path_start, path, path_once = L.path_start, L.path, L.path_once
    for k in range(n_v):
        masked[k] = 0.0
    for i in range(n_cuts):
        if lowest[i] != 0:
            for e in range(path_start[i], path_start[i + 1]):
                if path_once[e] != 0:
                    k = ints[path[e], V_INDEX]
                    for j in range(V_SIZE[ints[path[e], KIND]]):
                        masked[k + j] = speeds[k + j]


@kernel
def turned(floats, loops):
    """Return the angle between the speeds before and now of the loops that are concerned, in the metric of the mass matrix."""
    L = loop_arrays(loops)
    P = passage_arrays(L.passages)
    ints, q, R, p, work = L.ints, L.q, L.R, L.p, L.work_2
    mask_speeds(P.v_before[0], loops)
    body_velocities(ints, floats, q, P.v_masked, R, p, L.a_W, L.alpha_W, work)
    mask_speeds(P.v_now, loops)
    body_velocities(ints, floats, q, P.v_masked, R, p, L.v_W, L.w_W, work)
    before = energy_between(floats, R, L.a_W, L.alpha_W, L.a_W, L.alpha_W)
    after = energy_between(floats, R, L.v_W, L.w_W, L.v_W, L.w_W)
    product = energy_between(floats, R, L.a_W, L.alpha_W, L.v_W, L.w_W)
    if not before * after > 0.0:
        return 0.0
    return acos(max(-1.0, min(1.0, product / (before * after) ** 0.5)))


@kernel
def rank_now(loops):
    """Return the number of rows that the last factorisation kept."""
    L = loop_arrays(loops)
    inverse, rank = L.lever_inverse, 0
    for row in range(L.m):
        if inverse[row] != 0.0:
            rank += 1
    return rank


@kernel
def begin_note(time, square, loops):
    """Compute the present note begins at ``time``, with the smallest part of rows there."""
    P = passage_arrays(loop_arrays(loops).passages)
    present, needed = P.present, P.needed
    present[RISE], present[BEGIN], present[NEAREST], present[END] = 0.0, time, time, time
    present[SMALLEST], present[RANK], present[NEEDED] = square, inf, 0.0
    for row in range(needed.shape[0]):
        present[NEEDED] += needed[row]


@kernel
def end_note(floats, time, loops):
    """Keep the present note."""
    P = passage_arrays(loop_arrays(loops).passages)
    count, notes, present, concerned, lowest = P.count, P.notes, P.present, P.concerned, P.lowest
    present[END], present[TURNED] = time, turned(floats, loops)
    at = count[0] % MOST_NOTES
    for k in range(NOTE_COLUMNS):
        notes[at, k] = present[k]
    for i in range(lowest.shape[0]):
        concerned[at, i] = lowest[i]
    count[0] += 1


@kernel
def keep_present_speeds(loops):
    """Compute ``v_now``, before other vectors take the place of the speeds."""
    L = loop_arrays(loops)
    now, v = passage_arrays(L.passages).v_now, L.v
    for k in range(L.n_v):
        now[k] = v[k]


@kernel
def take_point(time, square, loops):
    """Add a point to the last three, with its coordinates; how many there are."""
    L = loop_arrays(loops)
    P = passage_arrays(L.passages)
    times, squares, known, coordinates, q = P.times, P.squares, P.known, P.coordinates, L.q
    for k in range(2):
        times[k], squares[k] = times[k + 1], squares[k + 1]
        for i in range(L.n_q):
            coordinates[k, i] = coordinates[k + 1, i]
    times[2], squares[2] = time, square
    for i in range(L.n_q):
        coordinates[2, i] = q[i]
    known[0] = min(known[0] + 1, 3)
    return known[0]


@kernel
def keep_speeds(loops):
    """Compute ``v_before``: of this point and the one before it."""
    L = loop_arrays(loops)
    P = passage_arrays(L.passages)
    kept, v = P.v_before, P.v_now
    for k in range(L.n_v):
        kept[0, k] = kept[1, k]
        kept[1, k] = v[k]


@kernel
def go_to(floats, time, loops):
    """Compute the factors at coordinates between the last three points, or again at the last one."""
    L = loop_arrays(loops)
    P = passage_arrays(L.passages)
    q, coordinates, times = L.q, P.coordinates, P.times
    t0, t1, t2 = times[0], times[1], times[2]
    w0 = (time - t1) * (time - t2) / ((t0 - t1) * (t0 - t2))
    w1 = (time - t0) * (time - t2) / ((t1 - t0) * (t1 - t2))
    w2 = (time - t0) * (time - t1) / ((t2 - t0) * (t2 - t1))
    for i in range(L.n_q):
        q[i] = w0 * coordinates[0, i] + w1 * coordinates[1, i] + w2 * coordinates[2, i]
    residuals(floats, loops)
    prepare_loops(floats, loops)
    if L.n_slips > 0:
        factorise(loops, False)


@kernel
def nearest_between(floats, loops):
    """Return the time and square where the smallest part is least between the last three points, of which the middle one is the
    lowest.
    """
    P = passage_arrays(loop_arrays(loops).passages)
    times, squares = P.times, P.squares
    best, value = times[1], squares[1]
    t0, t1, t2, y0, y1, y2 = times[0], times[1], times[2], squares[0], squares[1], squares[2]
    at, left = t1, REFINEMENTS
    while at != times[2]:
        at, expected = vertex(t0, t1, t2, y0, y1, y2)
        if left == 0 or not expected < PROMISING * y1:
            at = times[2]
        left -= 1
        go_to(floats, at, loops)
        found = smallest_part(loops)
        if found < value:
            best, value = at, found
        if at < t1 and found < y1:
            t1, t2, y1, y2 = at, t1, found, y1
        elif at < t1:
            t0, y0 = at, found
        elif found < y1:
            t0, t1, y0, y1 = t1, at, y1, found
        else:
            t2, y2 = at, found
    return best, value


@kernel
def follow_rank(floats, time, loops):
    """Note passages through singular positions up to this time, where a projection has left coordinates, factors and ``v_now``.

    Points before the last one (output points, steps that are made again) say nothing new.
    """
    P = passage_arrays(loop_arrays(loops).passages)
    times, squares, present, inside, known = P.times, P.squares, P.present, P.inside, P.known
    if known[0] > 0 and not time > times[2]:
        return
    rises = take_more_rows(loops)
    low = smallest_part(loops)
    known_now = take_point(time, low, loops)
    nearest, value, begin = time, low, times[1] if known_now > 1 else time
    if known_now == 3 and squares[1] <= squares[0] and squares[1] <= low and squares[1] < LEAPT * LEAPT:
        nearest, value = nearest_between(floats, loops)
        begin = times[0]
    if inside[0] == 0 and (rises or value < NEAR * NEAR):
        begin_note(begin, 0.0 if rises else inf, loops)
        inside[0], present[NEAREST] = 1, begin
    if inside[0] == 0:
        keep_speeds(loops)
        return
    present[RANK] = min(present[RANK], float(rank_now(loops)))
    if low < present[SMALLEST] and not rises:
        find_lowest(loops)
    if value < present[SMALLEST]:
        present[SMALLEST], present[NEAREST] = value, nearest
    if rises or low > AWAY * AWAY:
        if rises:
            present[RISE], present[RANK] = 1.0, rank_now(loops)
        end_note(floats, time, loops)
        inside[0] = 0
        keep_speeds(loops)
