"""The machine code behind linear equation iteration (Neumayr & Otter 2024, listing 8) for two and more unknowns.

This module imports numba; it is imported when a model with such a block is loaded. The layout of the memory is in
`codegen_linear`.
"""

from __future__ import annotations

from numba import cfunc, njit, types

from ..acausal.native import float64_array, int64_array
from .codegen_linear import (
    BEGIN,
    COLUMN,
    COMPUTE_A,
    COMPUTE_B,
    CONSTANT,
    EPSILON,
    FACTORISED,
    GIVEN,
    HEADER,
    ITERATE,
    PHASE,
    PROBE,
    REFINE,
    REFINE_ABOVE,
    SIZE,
    SOLVED,
    STATUS_SINGULAR,
)


@njit(cache=True)
def factorise(a, pivots, rows, columns, noise, n):  # type: ignore[no-untyped-def]
    """LU factorisation with partial pivoting (row interchanges), in place.

    Args:
        a: matrix, row by row, shape (n*n,); becomes L (unit diagonal not stored) and U.
        pivots: row exchanged with row k in step k, shape (n,).
        rows, columns: largest magnitude in each row and column of the matrix, shape (n,).
        noise: magnitude of what the rows were differences of, shape (n,).
        n: number of rows.

    Returns:
        False if the matrix is singular: a pivot is nothing but rounding error, measured both by its row and by its column,
        so that badly scaled but regular matrices pass.
    """
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i * n + k]) > abs(a[p * n + k]):
                p = i
        pivots[k] = p
        if p != k:
            for j in range(n):
                a[k * n + j], a[p * n + j] = a[p * n + j], a[k * n + j]
            rows[k], rows[p] = rows[p], rows[k]
            noise[k], noise[p] = noise[p], noise[k]
        pivot = a[k * n + k]
        if abs(pivot) <= EPSILON * max(n * min(rows[k], columns[k]), 2.0 * noise[k]):
            return False
        for i in range(k + 1, n):
            factor = a[i * n + k] / pivot
            a[i * n + k] = factor
            if factor != 0.0:
                for j in range(k + 1, n):
                    a[i * n + j] -= factor * a[k * n + j]
    return True


@njit(cache=True)
def substitute(a, pivots, v, n):  # type: ignore[no-untyped-def]
    """Solve with the factors of `factorise`: v becomes the solution of A x = v."""
    for k in range(n):
        p = pivots[k]
        if p != k:
            v[k], v[p] = v[p], v[k]
    for i in range(n):
        s = v[i]
        for j in range(i):
            s -= a[i * n + j] * v[j]
        v[i] = s
    for i in range(n - 1, -1, -1):
        s = v[i]
        for j in range(i + 1, n):
            s -= a[i * n + j] * v[j]
        v[i] = s / a[i * n + i]


@njit(cache=True)
def _store_column(a, r, b, rows, columns, j, n):  # type: ignore[no-untyped-def]
    largest = 0.0
    for i in range(n):
        value = (r[i] + b[i]) / PROBE
        a[i * n + j] = value
        largest = max(largest, abs(value))
        rows[i] = max(rows[i], abs(value))
    columns[j] = largest


@cfunc(types.int32(types.int64), cache=True)
def linear_iteration(address):  # type: ignore[no-untyped-def]
    """One step of the iteration on the memory of a block at ``address``; returns ITERATE, SOLVED or STATUS_SINGULAR."""
    header = int64_array(address, HEADER)
    n = header[SIZE]
    memory = float64_array(address + 8 * HEADER, 6 * n + n * n)
    w, r, b = memory[:n], memory[n : 2 * n], memory[2 * n : 3 * n]
    rows, columns = memory[3 * n : 4 * n], memory[4 * n : 5 * n]
    pivots = int64_array(address + 8 * (HEADER + 5 * n), n)
    a = memory[6 * n :]

    phase = header[PHASE]
    if phase == BEGIN:
        w[:] = 0.0
        header[PHASE] = COMPUTE_B
        return ITERATE
    if phase == GIVEN:
        return SOLVED
    if phase == REFINE:
        substitute(a, pivots, r, n)
        for i in range(n):
            w[i] -= r[i]
        return SOLVED
    if phase == COMPUTE_B:
        for i in range(n):
            b[i] = -r[i]
        if not (header[CONSTANT] and header[FACTORISED]):
            rows[:] = 0.0
            header[COLUMN] = 0
            w[0] = PROBE
            header[PHASE] = COMPUTE_A
            return ITERATE
    else:
        j = header[COLUMN]
        _store_column(a, r, b, rows, columns, j, n)
        w[j] = 0.0
        if j + 1 < n:
            header[COLUMN] = j + 1
            w[j + 1] = PROBE
            return ITERATE
        for i in range(n):
            r[i] = abs(b[i]) / PROBE
        if not factorise(a, pivots, rows, columns, r, n):
            return STATUS_SINGULAR
        header[FACTORISED] = 1

    size = 0.0
    for i in range(n):
        w[i] = b[i]
    substitute(a, pivots, w, n)
    for i in range(n):
        size += abs(w[i])
    if size > REFINE_ABOVE:
        header[PHASE] = REFINE
        return ITERATE
    return SOLVED
