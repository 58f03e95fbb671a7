"""Linear equation iteration for large sparse systems (see `linear_iteration`, `sparse_memory`).

Columns of one colour have no row in common and are found by one evaluation. The factors stand in the place of the dense
matrix; where they would need more than half of its entries, or a pivot is bad, LAPACK factorises the dense matrix.
"""

from __future__ import annotations

from ...acausal.native import WITHOUT_OBJECTS, cfunc, int32_array, part, types
from ...acausal.native_layout import field_array
from . import linear_memory as memory
from .linear_iteration import (
    address_of_matrix,
    address_of_pivots,
    column_scales_at,
    factorise_lapack,
    header_at,
    matrix_at,
    residuals_at,
    right_side_at,
    row_scales_at,
    smallest_solution,
    solved,
    substitute_lapack,
    unknowns_at,
)
from .sparse_lu import REGULAR, factorise_sparse, refactorise_sparse, rows_at, starts_at, substitute_sparse, values_at
from .sparse_memory import DENSE, NOTHING, SPARSE, SPARSE_FACTORS

by_colour_at, first_of_colour_at = field_array(SPARSE, "by_colour"), field_array(SPARSE, "first_of_colour")


@part
def _expand(address):  # type: ignore[no-untyped-def]
    """Write the dense matrix to its place."""
    starts, rows, values = starts_at(address), rows_at(address), values_at(address)
    a, n = matrix_at(address), header_at(address)[memory.SIZE]
    for i in range(n * n):
        a[i] = 0.0
    for j in range(n):
        for p in range(starts[j], starts[j + 1]):
            a[rows[p] * n + j] = values[p]


@part
def _factorise(address):  # type: ignore[no-untyped-def]
    """Return the factors of the matrix that was found; False if it is singular."""
    header, starts, rows, values = header_at(address), starts_at(address), rows_at(address), values_at(address)
    row_scales, column_scales, n = row_scales_at(address), column_scales_at(address), header[memory.SIZE]
    for j in range(n):
        column_scales[j] = 0.0
        for p in range(starts[j], starts[j + 1]):
            size = abs(values[p])
            column_scales[j] = max(column_scales[j], size)
            row_scales[rows[p]] = max(row_scales[rows[p]], size)
    if header[memory.FACTORS] == SPARSE_FACTORS and refactorise_sparse(address):
        return True
    if header[memory.FACTORS] != DENSE:
        status = factorise_sparse(address)
        header[memory.FACTORS] = SPARSE_FACTORS if status == REGULAR else DENSE
        if status == REGULAR:
            return True
    _expand(address)
    places = address_of_matrix(address), address_of_pivots(address)
    noise = residuals_at(address)
    if factorise_lapack(header[memory.LAPACK], *places, row_scales, column_scales, noise, n):
        return True  # it has the last word on a bad pivot
    header[memory.FACTORS] = NOTHING  # values that come later may be good again
    return False


@part
def _solve(address, v):  # type: ignore[no-untyped-def]
    """Solve for v in place, with the factors that are in the memory of the block."""
    header = header_at(address)
    n = header[memory.SIZE]
    if header[memory.FACTORS] == DENSE:
        substitute_lapack(matrix_at(address), int32_array(address_of_pivots(address), n), v, n)
    else:
        substitute_sparse(address, v)


@part
def _store_columns(address, colour):  # type: ignore[no-untyped-def]
    """Store the residuals as those of all columns of a colour."""
    starts, rows, values = starts_at(address), rows_at(address), values_at(address)
    w, r, b = unknowns_at(address), residuals_at(address), right_side_at(address)
    by_colour, first = by_colour_at(address), first_of_colour_at(address)
    for k in range(first[colour], first[colour + 1]):
        j = by_colour[k]
        w[j] = 0.0
        for p in range(starts[j], starts[j + 1]):
            values[p] = (r[rows[p]] + b[rows[p]]) / memory.PROBE


@part
def _smallest(address):  # type: ignore[no-untyped-def]
    """Return `smallest_solution` of the matrix that was found."""
    _expand(address)
    a, columns, n = matrix_at(address), column_scales_at(address), header_at(address)[memory.SIZE]
    for j in range(n):
        columns[j] = 0.0
    for p in range(n * n):
        columns[p % n] = max(columns[p % n], abs(a[p]))
    b, w, sizes, scales = right_side_at(address), unknowns_at(address), row_scales_at(address), residuals_at(address)
    return smallest_solution(a, b, w, sizes, scales, columns, n)


@cfunc(types.int32(types.int64), cache=True, **WITHOUT_OBJECTS)
def sparse_iteration(address):  # type: ignore[no-untyped-def]
    """Return `linear_iteration` for the memory of a sparse block at ``address``."""
    header = header_at(address)
    n, phase = header[memory.SIZE], header[memory.PHASE]
    w, r, b = unknowns_at(address), residuals_at(address), right_side_at(address)
    if phase == memory.BEGIN:
        for i in range(n):
            w[i] = 0.0
        header[memory.PHASE] = memory.COMPUTE_B
        return memory.ITERATE
    if phase == memory.GIVEN:
        return memory.SOLVED
    if phase == memory.REFINE:
        _solve(address, r)
        for i in range(n):
            w[i] -= r[i]
        return memory.SOLVED
    if phase == memory.COMPUTE_B:
        for i in range(n):
            b[i] = -r[i]
    if phase == memory.COMPUTE_A or not (header[memory.CONSTANT] and header[memory.FACTORISED]):
        colour = -1
        if phase == memory.COMPUTE_A:
            colour = header[memory.COLUMN]
            _store_columns(address, colour)
        colour += 1
        if colour < header[memory.COLOURS]:
            by_colour, first = by_colour_at(address), first_of_colour_at(address)
            for k in range(first[colour], first[colour + 1]):
                w[by_colour[k]] = memory.PROBE
            header[memory.COLUMN], header[memory.PHASE] = colour, memory.COMPUTE_A
            return memory.ITERATE
        row_scales = row_scales_at(address)
        for i in range(n):
            r[i] = abs(b[i]) / memory.PROBE
            row_scales[i] = 0.0
        header[memory.FACTORISATIONS] += 1
        if not _factorise(address):
            return memory.SOLVED if _smallest(address) else memory.STATUS_SINGULAR
        header[memory.FACTORISED] = 1

    for i in range(n):
        w[i] = b[i]
    _solve(address, w)
    return solved(header, w, n)
