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
    for i in range(L.n_cuts):
        for a in range(L.filled_start[i], L.filled_start[i + 1]):
            row = L.filled[a]
            at = L.tau_start[i] + (row - L.row_start[i]) * L.path_length[i]
            for b in range(L.first_filled[row], a + 1):
                matrix[L.start[row] + L.filled[b]] = 0.0
            for o in range(L.near_start[i], L.near_start[i + 1]):
                other = L.near[o]
                for b in range(L.filled_start[other], min(L.filled_start[other + 1], a + 1)):
                    column = L.filled[b]
                    there = L.tau_start[other] + (column - L.row_start[other]) * L.path_length[other]
                    total = 0.0
                    for run in range(L.run_start[o], L.run_start[o + 1]):
                        mine, its = at + L.runs[run, 0], there + L.runs[run, 1]
                        for k in range(L.runs[run, 2]):
                            total += rows[mine + k] * columns[its + k]
                    matrix[L.start[row] + column] = total


@kernel
def eliminate(loops, matrix, inverse):
    """Make ``F D F^T`` of a matrix within the envelope (Crout); rows whose pivot is not above ``least`` (m,) are left out.

    Returns the number of the others, and the smallest part of a diagonal element that is left as a pivot where ``least`` is
    finite.
    """
    L = loop_arrays(loops)
    for i in range(L.m):
        inverse[i] = 0.0
    rank, smallest = 0, 1.0
    for a in range(L.n_filled[0]):
        i = L.filled[a]
        at = L.start[i]
        for b in range(L.first_filled[i], a):
            j = L.filled[b]
            total, other = matrix[at + j], L.start[j]
            for c in range(max(L.first_filled[i], L.first_filled[j]), b):
                total -= matrix[at + L.filled[c]] * matrix[other + L.filled[c]]
            matrix[at + j] = total
        whole = pivot = matrix[at + i]
        for b in range(L.first_filled[i], a):
            k = L.filled[b]
            product = matrix[at + k]
            factor = product * inverse[k]
            pivot -= product * factor
            matrix[at + k] = factor
        matrix[at + i] = pivot
        if L.least[i] < inf and pivot < smallest * whole:
            smallest = pivot / whole
        if pivot > L.least[i]:
            inverse[i] = 1.0 / pivot
            rank += 1
    return rank, smallest


@kernel
def find_rank(loops, positions):
    """Rank by geometry: `lever_inverse` is 0 of redundant rows; for ``positions`` also of those that restrict speeds alone."""
    L = loop_arrays(loops)
    fill_matrix(loops, L.levers, L.levers, L.lever_matrix)
    for r in range(L.m):
        L.least[r] = inf if positions and L.holonomic[r] == 0 else _SMALLEST * L.reach[r] * L.reach[r]
    rank, _ = eliminate(loops, L.lever_matrix, L.lever_inverse)
    return rank


@kernel
def factorise(loops, positions):
    """Rank by geometry, returned, and the factors of the rows that are needed, after `feel_all`."""
    L = loop_arrays(loops)
    rank = find_rank(loops, positions)
    for r in range(L.m):
        L.least[r] = 0.0 if L.lever_inverse[r] != 0.0 else inf
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
    at = L.tau_start[i] + (row - L.row_start[i]) * L.path_length[i]
    for k in range(L.n_v):
        L.apart[row, k] = L.apart[L.m + row, k] = 0.0
    for e in range(L.path_start[i], L.path_start[i + 1]):
        k, here = L.ints[L.path[e], V_INDEX], at + L.path_at[e]
        for j in range(V_SIZE[L.ints[L.path[e], KIND]]):
            L.apart[row, k + j], L.apart[L.m + row, k + j] = L.tau[here + j], L.scaled[here + j]


@kernel
def orthogonalise(loops):
    """Compute the factors from rows that are made orthogonal one after the other; those of `lever_inverse` are needed."""
    L = loop_arrays(loops)
    for cut in range(L.n_cuts):
        for a in range(L.filled_start[cut], L.filled_start[cut + 1]):
            i = L.filled[a]
            take_apart(loops, cut, i)
            for b in range(L.first_filled[i], a):
                L.matrix[L.start[i] + L.filled[b]] = 0.0
            for _ in range(2):
                for b in range(L.first_filled[i], a):
                    k, part = L.filled[b], 0.0
                    if L.inverse[k] == 0.0:
                        continue
                    for j in range(L.n_v):
                        part += L.apart[L.m + k, j] * L.apart[i, j]
                    part *= L.inverse[k]
                    L.matrix[L.start[i] + k] += part
                    for j in range(L.n_v):
                        L.apart[i, j] -= part * L.apart[k, j]
                        L.apart[L.m + i, j] -= part * L.apart[L.m + k, j]
            pivot = 0.0
            for j in range(L.n_v):
                pivot += L.apart[i, j] * L.apart[L.m + i, j]
            L.matrix[L.start[i] + i] = pivot
            L.inverse[i] = 1.0 / pivot if L.lever_inverse[i] != 0.0 and pivot > 0.0 else 0.0


@kernel
def solve_forward(loops, x):
    """Overwrite ``x`` (m,) with the solution of ``F y = x``."""
    L = loop_arrays(loops)
    for a in range(L.n_filled[0]):
        i = L.filled[a]
        total = x[i]
        for b in range(L.first_filled[i], a):
            total -= L.matrix[L.start[i] + L.filled[b]] * x[L.filled[b]]
        x[i] = total


@kernel
def solve_backward(loops, x):
    """Overwrite ``x`` (m,) with the solution of ``D F^T p = x``; redundant rows have no multiplier."""
    L = loop_arrays(loops)
    for i in range(L.m):
        x[i] *= L.inverse[i]
    count = L.n_filled[0]
    for step in range(count):
        a = count - 1 - step
        i = L.filled[a]
        if L.inverse[i] == 0.0:
            continue
        for b in range(L.first_filled[i], a):
            x[L.filled[b]] -= L.matrix[L.start[i] + L.filled[b]] * x[i]
