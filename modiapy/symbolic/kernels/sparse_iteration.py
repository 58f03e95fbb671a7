"""Linear equation iteration for large sparse systems (see `linear_iteration`, `sparse_memory`). This module imports numba.

Columns of one colour have no row in common and are found by one evaluation. The factors stand in the place of the dense
matrix; where they would need more than half of its entries, or a pivot is bad, LAPACK factorises the dense matrix.
"""

from __future__ import annotations

from numba import cfunc, njit, types

from ...acausal.native import float64_array, int32_array, int64_array
from ...acausal.native_layout import field_address
from . import linear_memory as memory
from .linear_iteration import (
    address_of_matrix,
    column_scales_at,
    factorise_lapack,
    residuals_at,
    right_side_at,
    row_scales_at,
    smallest_solution,
    solved,
    substitute_lapack,
    unknowns_at,
)
from .linear_memory import LINEAR
from .sparse_lu import REGULAR, factorise_sparse, refactorise_sparse, substitute_sparse
from .sparse_memory import COLOURS, DENSE, ENTRIES, FACTORS, NOTHING, SPARSE, TAIL_HEADER

address_of_tail = field_address(LINEAR, "end")


@njit(cache=True)
def _matrix_address(address, n):  # type: ignore[no-untyped-def]
    return address_of_matrix(address, n)


@njit(cache=True)
def _tail_address(address, n):  # type: ignore[no-untyped-def]
    return address_of_tail(address, n)


@njit(cache=True)
def _pattern(tail, n):  # type: ignore[no-untyped-def]
    """First entry of each column, rows, columns by colour, first of each colour, order; and the address behind them."""
    header = int64_array(tail, TAIL_HEADER)
    entries, colours = header[ENTRIES], header[COLOURS]
    at = tail + 8 * TAIL_HEADER
    starts = int64_array(at, n + 1)
    rows = int64_array(at + 8 * (n + 1), entries)
    at += 8 * (n + 1 + entries)
    by_colour, first = int64_array(at, n), int64_array(at + 8 * n, colours + 1)
    at += 8 * (n + colours + 1)
    return starts, rows, by_colour, first, int64_array(at, n), at + 8 * n


@njit(cache=True)
def _values(at, n, entries):  # type: ignore[no-untyped-def]
    return float64_array(at + 8 * (4 * n + 2 * (n + 1)), entries)


@njit(cache=True)
def _factors(address, at, n, entries):  # type: ignore[no-untyped-def]
    """Place of each row, L and U, pivots, stack, marks, a vector."""
    place, l_start, u_start = int64_array(at, n), int64_array(at + 8 * n, n + 1), int64_array(at + 8 * (2 * n + 1), n + 1)
    at += 8 * (3 * n + 2)
    stack, mark = int64_array(at, 2 * n), int64_array(at + 16 * n, n)
    at += 8 * (3 * n + entries)
    a, room = _matrix_address(address, n), n * n // 4
    lower = l_start, int64_array(a, room), float64_array(a + 8 * room, room)
    upper = u_start, int64_array(a + 16 * room, room), float64_array(a + 24 * room, room)
    return place, lower, upper, float64_array(at, n), stack, mark, float64_array(at + 8 * n, n)


@njit(cache=True)
def _expand(address, n, matrix):  # type: ignore[no-untyped-def]
    """Write the dense matrix to its place."""
    starts, rows, values = matrix
    a = float64_array(_matrix_address(address, n), n * n)
    a[:] = 0.0
    for j in range(n):
        for p in range(starts[j], starts[j + 1]):
            a[rows[p] * n + j] = values[p]
    return a


@njit(cache=True)
def _factorise_dense(address, n, matrix, scales):  # type: ignore[no-untyped-def]
    _expand(address, n, matrix)
    lapack, a = int64_array(address, memory.HEADER)[memory.LAPACK], _matrix_address(address, n)
    return factorise_lapack(lapack, a, a - 8 * n, scales[0], scales[1], scales[2], n)


@njit(cache=True)
def _factorise(address, n, scales):  # type: ignore[no-untyped-def]
    """Factors of the matrix that was found; False if it is singular."""
    tail = _tail_address(address, n)
    header = int64_array(tail, TAIL_HEADER)
    starts, rows, _, _, order, at = _pattern(tail, n)
    matrix = starts, rows, _values(at, n, rows.size)
    place, lower, upper, pivots, stack, mark, x = _factors(address, at, n, rows.size)
    for j in range(n):
        scales[1][j] = 0.0
        for p in range(starts[j], starts[j + 1]):
            size = abs(matrix[2][p])
            scales[1][j] = max(scales[1][j], size)
            scales[0][rows[p]] = max(scales[0][rows[p]], size)
    if header[FACTORS] == SPARSE and refactorise_sparse(matrix, order, place, lower, upper, pivots, x, scales):
        return True
    if header[FACTORS] != DENSE:
        status = factorise_sparse(matrix, order, place, lower, upper, pivots, stack, mark, x, scales)
        header[FACTORS] = SPARSE if status == REGULAR else DENSE
        if status == REGULAR:
            return True
    if _factorise_dense(address, n, matrix, scales):  # has the last word on a bad pivot
        return True
    header[FACTORS] = NOTHING  # values that come later may be good again
    return False


@njit(cache=True)
def _solve(address, n, v):  # type: ignore[no-untyped-def]
    """v becomes the solution, with the factors that are in the memory of the block."""
    tail = _tail_address(address, n)
    if int64_array(tail, TAIL_HEADER)[FACTORS] == DENSE:
        matrix = _matrix_address(address, n)
        substitute_lapack(float64_array(matrix, n * n), int32_array(matrix - 8 * n, n), v, n)
        return
    _, rows, _, _, order, at = _pattern(tail, n)
    place, lower, upper, pivots, _, _, x = _factors(address, at, n, rows.size)
    substitute_sparse(order, place, lower, upper, pivots, x, v)


@cfunc(types.int32(types.int64), cache=True)
def sparse_iteration(address):  # type: ignore[no-untyped-def]
    """`linear_iteration` for the memory of a sparse block at ``address``."""
    header = int64_array(address, memory.HEADER)
    n = header[memory.SIZE]
    w, r, b = unknowns_at(address, n), residuals_at(address, n), right_side_at(address, n)
    scales = row_scales_at(address, n), column_scales_at(address, n), r

    phase = header[memory.PHASE]
    if phase == memory.BEGIN:
        w[:] = 0.0
        header[memory.PHASE] = memory.COMPUTE_B
        return memory.ITERATE
    if phase == memory.GIVEN:
        return memory.SOLVED
    if phase == memory.REFINE:
        _solve(address, n, r)
        for i in range(n):
            w[i] -= r[i]
        return memory.SOLVED
    starts, rows, by_colour, first, _, at = _pattern(_tail_address(address, n), n)
    if phase == memory.COMPUTE_B:
        for i in range(n):
            b[i] = -r[i]
    if phase == memory.COMPUTE_A or not (header[memory.CONSTANT] and header[memory.FACTORISED]):
        colour = -1
        if phase == memory.COMPUTE_A:
            colour = header[memory.COLUMN]
            values = _values(at, n, rows.size)
            for k in range(first[colour], first[colour + 1]):
                j = by_colour[k]
                w[j] = 0.0
                for p in range(starts[j], starts[j + 1]):
                    values[p] = (r[rows[p]] + b[rows[p]]) / memory.PROBE
        colour += 1
        if colour < first.size - 1:
            for k in range(first[colour], first[colour + 1]):
                w[by_colour[k]] = memory.PROBE
            header[memory.COLUMN], header[memory.PHASE] = colour, memory.COMPUTE_A
            return memory.ITERATE
        for i in range(n):
            r[i] = abs(b[i]) / memory.PROBE
            scales[0][i] = 0.0
        header[memory.FACTORISATIONS] += 1
        if not _factorise(address, n, scales):
            a = _expand(address, n, (starts, rows, _values(at, n, rows.size)))
            scales[1][:] = 0.0
            for p in range(n * n):
                scales[1][p % n] = max(scales[1][p % n], abs(a[p]))
            return memory.SOLVED if smallest_solution(a, b, w, scales[0], r, scales[1], n) else memory.STATUS_SINGULAR
        header[memory.FACTORISED] = 1

    for i in range(n):
        w[i] = b[i]
    _solve(address, n, w)
    return solved(header, w, n)
