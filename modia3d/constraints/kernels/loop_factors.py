"""The matrix of closed loops: its rank by geometry, its factors in the metric of the mass matrix, solutions with these.

`factorise` finds the rank first, from the rows of `loop_levers`: a row whose new part is no longer than the tolerance is
redundant. Then ``A = Y D^-1 Y^T`` is factorised within its envelope with the others. Where little is left of a pivot, because a
row that moves a light body follows another one, all its digits may be lost: then the rows themselves are made
orthogonal, twice (Gram and Schmidt; Giraud et al. 2005), which loses the root of that only.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import inf

from modia3d.dynamics.basics.layout import KIND, V_INDEX
from modia3d.dynamics.basics.spatial import kernel
from modia3d.dynamics.joints.kinds import V_SIZE

from ..tables.tolerances import LOST, TOLERANCE
from .loop_arrays import loop_arrays

_SMALLEST = TOLERANCE * TOLERANCE


@kernel
def fill_matrix(loops, rows, columns, matrix):
    """Compute the products of ``rows`` and ``columns`` in the envelope of a matrix that are not in rows or columns that are
    empty.
    """
    L = loop_arrays(loops)
    path_length, row_start, tau_start = L.path_length, L.row_start, L.tau_start
    near_start, near, run_start, runs = L.near_start, L.near, L.run_start, L.runs
    start_of, filled, first_filled, filled_start = L.start, L.filled, L.first_filled, L.filled_start
    for i in range(L.n_cuts):
        for a in range(filled_start[i], filled_start[i + 1]):
            row = filled[a]
            at = tau_start[i] + (row - row_start[i]) * path_length[i]
            for b in range(first_filled[row], a + 1):
                matrix[start_of[row] + filled[b]] = 0.0
            for o in range(near_start[i], near_start[i + 1]):
                other = near[o]
                for b in range(filled_start[other], min(filled_start[other + 1], a + 1)):
                    column = filled[b]
                    there = tau_start[other] + (column - row_start[other]) * path_length[other]
                    total = 0.0
                    for run in range(run_start[o], run_start[o + 1]):
                        mine, its = at + runs[run, 0], there + runs[run, 1]
                        for k in range(runs[run, 2]):
                            total += rows[mine + k] * columns[its + k]
                    matrix[start_of[row] + column] = total


@kernel
def eliminate(loops, matrix, inverse):
    """Make ``F D F^T`` of a matrix within the envelope (Crout); rows whose pivot is not above ``least`` (m,) are left out.

    Returns the number of the others, and the smallest part of a diagonal element that is left as a pivot where ``least`` is
    finite.
    """
    L = loop_arrays(loops)
    start_of, filled, first, least = L.start, L.filled, L.first_filled, L.least
    for i in range(L.m):
        inverse[i] = 0.0
    rank, smallest = 0, 1.0
    for a in range(L.n_filled[0]):
        i = filled[a]
        at = start_of[i]
        for b in range(first[i], a):
            j = filled[b]
            total, other = matrix[at + j], start_of[j]
            for c in range(max(first[i], first[j]), b):
                total -= matrix[at + filled[c]] * matrix[other + filled[c]]
            matrix[at + j] = total
        whole = pivot = matrix[at + i]
        for b in range(first[i], a):
            k = filled[b]
            product = matrix[at + k]
            factor = product * inverse[k]
            pivot -= product * factor
            matrix[at + k] = factor
        matrix[at + i] = pivot
        if least[i] < inf and pivot < smallest * whole:
            smallest = pivot / whole
        if pivot > least[i]:
            inverse[i] = 1.0 / pivot
            rank += 1
    return rank, smallest


@kernel
def find_rank(loops, positions):
    """Rank by geometry: `lever_inverse` is 0 of redundant rows; for ``positions`` also of those that restrict speeds alone."""
    L = loop_arrays(loops)
    fill_matrix(loops, L.levers, L.levers, L.lever_matrix)
    least, reach, holonomic = L.least, L.reach, L.holonomic
    for r in range(L.m):
        least[r] = inf if positions and holonomic[r] == 0 else _SMALLEST * reach[r] * reach[r]
    rank, _ = eliminate(loops, L.lever_matrix, L.lever_inverse)
    return rank


@kernel
def factorise(loops, positions):
    """Rank by geometry, returned, and the factors of the rows that are needed, after `feel_all`."""
    L = loop_arrays(loops)
    rank = find_rank(loops, positions)
    least, kept = L.least, L.lever_inverse
    for r in range(L.m):
        least[r] = 0.0 if kept[r] != 0.0 else inf
    fill_matrix(loops, L.tau, L.scaled, L.matrix)
    _, left = eliminate(loops, L.matrix, L.inverse)
    L.lost[0] = 0
    if left < LOST:
        L.lost[0] = 1
        if L.n_apart > 0:
            orthogonalise(loops)
    return rank


@kernel
def take_apart(loops, i, row):
    """Copy a row of ``tau`` and of `scaled`, of cut ``i``, to `apart`."""
    L = loop_arrays(loops)
    ints, path, path_at, tau, scaled, apart = L.ints, L.path, L.path_at, L.tau, L.scaled, L.apart
    at = L.tau_start[i] + (row - L.row_start[i]) * L.path_length[i]
    for k in range(L.n_v):
        apart[row, k] = apart[L.m + row, k] = 0.0
    for e in range(L.path_start[i], L.path_start[i + 1]):
        k, here = ints[path[e], V_INDEX], at + path_at[e]
        for j in range(V_SIZE[ints[path[e], KIND]]):
            apart[row, k + j], apart[L.m + row, k + j] = tau[here + j], scaled[here + j]


@kernel
def orthogonalise(loops):
    """Compute the factors from rows that are made orthogonal one after the other; those of `lever_inverse` are needed."""
    L = loop_arrays(loops)
    m, n_v, apart, matrix, inverse, kept = L.m, L.n_v, L.apart, L.matrix, L.inverse, L.lever_inverse
    start_of, filled, first, filled_start = L.start, L.filled, L.first_filled, L.filled_start
    for cut in range(L.n_cuts):
        for a in range(filled_start[cut], filled_start[cut + 1]):
            i = filled[a]
            take_apart(loops, cut, i)
            for b in range(first[i], a):
                matrix[start_of[i] + filled[b]] = 0.0
            for _ in range(2):
                for b in range(first[i], a):
                    k, part = filled[b], 0.0
                    if inverse[k] == 0.0:
                        continue
                    for j in range(n_v):
                        part += apart[m + k, j] * apart[i, j]
                    part *= inverse[k]
                    matrix[start_of[i] + k] += part
                    for j in range(n_v):
                        apart[i, j] -= part * apart[k, j]
                        apart[m + i, j] -= part * apart[m + k, j]
            pivot = 0.0
            for j in range(n_v):
                pivot += apart[i, j] * apart[m + i, j]
            matrix[start_of[i] + i] = pivot
            inverse[i] = 1.0 / pivot if kept[i] != 0.0 and pivot > 0.0 else 0.0


@kernel
def solve_forward(loops, x):
    """Overwrite ``x`` (m,) with the solution of ``F y = x``."""
    L = loop_arrays(loops)
    matrix, start_of, filled, first = L.matrix, L.start, L.filled, L.first_filled
    for a in range(L.n_filled[0]):
        i = filled[a]
        total = x[i]
        for b in range(first[i], a):
            total -= matrix[start_of[i] + filled[b]] * x[filled[b]]
        x[i] = total


@kernel
def solve_backward(loops, x):
    """Overwrite ``x`` (m,) with the solution of ``D F^T p = x``; redundant rows have no multiplier."""
    L = loop_arrays(loops)
    m, inverse, matrix, start_of, filled, first = L.m, L.inverse, L.matrix, L.start, L.filled, L.first_filled
    for i in range(m):
        x[i] *= inverse[i]
    count = L.n_filled[0]
    for step in range(count):
        a = count - 1 - step
        i = filled[a]
        if inverse[i] == 0.0:
            continue
        for b in range(first[i], a):
            x[filled[b]] -= matrix[start_of[i] + filled[b]] * x[i]
