"""The machine code behind linear equation iteration (Neumayr & Otter 2024, listing 8) for two and more unknowns.

It is imported when a model with such a block is loaded. The layout of the memory is in
`linear_memory`.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ...acausal.native import WITHOUT_OBJECTS, cfunc, float64_array, int32_array, intrinsic, part, types
from ...acausal.native_layout import field_address, field_array
from . import linear_memory as memory
from .linear_memory import LINEAR

INDEPENDENT = 1e-12
"""Part of its length from which on a row counts as independent of others."""

CONSISTENT = 1e-10
"""Relative error up to which a row that depends on others agrees with them."""


header_at, unknowns_at, residuals_at = (field_array(LINEAR, name) for name in ("header", "unknowns", "residuals"))
right_side_at = field_array(LINEAR, "right_side")
row_scales_at, column_scales_at = field_array(LINEAR, "row_scales"), field_array(LINEAR, "column_scales")
pivots_at, matrix_at = field_array(LINEAR, "pivots"), field_array(LINEAR, "matrix")
address_of_pivots, address_of_matrix = field_address(LINEAR, "pivots"), field_address(LINEAR, "matrix")


@part
def factorise(a, pivots, rows, columns, noise, n):  # type: ignore[no-untyped-def]
    """Return LU factorisation with partial pivoting (row interchanges), in place.

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
        if abs(pivot) <= memory.EPSILON * max(n * min(rows[k], columns[k]), 2.0 * noise[k]):
            return False
        for i in range(k + 1, n):
            factor = a[i * n + k] / pivot
            a[i * n + k] = factor
            if factor != 0.0:
                for j in range(k + 1, n):
                    a[i * n + j] -= factor * a[k * n + j]
    return True


@part
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


@intrinsic
def _getrf(typingctx: Any, address: Any, n: Any, a: Any, pivots: Any) -> Any:
    """Return LAPACK's dgetrf at ``address`` for the n x n matrix at ``a``; pivots (int32) go to ``pivots``. Returns its
    info.
    """
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer, pointer = ir.IntType(32), ir.IntType(32).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, pointer, ir.DoubleType().as_pointer(), pointer, pointer, pointer])
        size = cgutils.alloca_once_value(builder, builder.trunc(args[1], integer))
        info = cgutils.alloca_once_value(builder, ir.Constant(integer, 0))
        function = builder.inttoptr(args[0], kind.as_pointer())
        matrix = builder.inttoptr(args[2], ir.DoubleType().as_pointer())
        builder.call(function, [size, size, matrix, size, builder.inttoptr(args[3], pointer), info])
        return builder.sext(builder.load(info), ir.IntType(64))

    return types.int64(types.int64, types.int64, types.int64, types.int64), generate


def lapack_address() -> int:
    """Return the address of LAPACK's dgetrf (scipy brings it along)."""
    from scipy.linalg import cython_lapack

    capsule = cython_lapack.__pyx_capi__["dgetrf"]
    name, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(capsule, name(capsule)))


@part
def factorise_lapack(lapack, a_address, pivots_address, rows, columns, noise, n):  # type: ignore[no-untyped-def]
    """`factorise` by LAPACK, which sees the transposed matrix: columns are interchanged, pivots are int32 and count from 1."""
    if _getrf(lapack, n, a_address, pivots_address) < 0:  # type: ignore[call-arg]
        return False
    a, pivots = float64_array(a_address, n * n), int32_array(pivots_address, n)
    for k in range(n):
        p = pivots[k] - 1
        columns[k], columns[p] = columns[p], columns[k]
        if abs(a[k * n + k]) <= memory.EPSILON * max(n * min(rows[k], columns[k]), 2.0 * noise[k]):
            return False
    return True


@part
def substitute_lapack(a, pivots, v, n):  # type: ignore[no-untyped-def]
    """Solve with the factors of `factorise_lapack`: v becomes the solution of A x = v."""
    for i in range(n):
        s = v[i]
        for j in range(i):
            s -= a[i * n + j] * v[j]
        v[i] = s / a[i * n + i]
    for i in range(n - 1, -1, -1):
        s = v[i]
        for j in range(i + 1, n):
            s -= a[i * n + j] * v[j]
        v[i] = s
    for k in range(n - 1, -1, -1):
        p = pivots[k] - 1
        v[k], v[p] = v[p], v[k]


@part
def _solve(address, n, v):  # type: ignore[no-untyped-def]
    """Solve for v in place, with the factors that are in the memory of the block."""
    a = matrix_at(address)
    if header_at(address)[memory.LAPACK] != 0:
        substitute_lapack(a, int32_array(address_of_pivots(address), n), v, n)
    else:
        substitute(a, pivots_at(address), v, n)


@part
def _store_column(a, r, b, rows, columns, j, n):  # type: ignore[no-untyped-def]
    largest = 0.0
    for i in range(n):
        value = (r[i] + b[i]) / memory.PROBE
        a[i * n + j] = value
        largest = max(largest, abs(value))
        rows[i] = max(rows[i], abs(value))
    columns[j] = largest


@part
def _clear(v, n):  # type: ignore[no-untyped-def]
    for i in range(n):
        v[i] = 0.0


@part
def smallest_solution(a, b, w, sizes, scales, columns, n):  # type: ignore[no-untyped-def]
    """Return the smallest solution of a consistent system A w = b of which rows depend on each other (friction stuck twice,
    say).

    The rows are made orthonormal one after the other (modified Gram-Schmidt, always the row that keeps most of its length), so
    that the solution is a combination of them and has no part in the null space. An unknown counts by what it does: its column
    is scaled to a largest magnitude of one.

    Args:
        a, b: matrix and right-hand side, overwritten.
        w: becomes the solution, shape (n,).
        sizes, scales: memory of shape (n,).
        columns: largest magnitude in each column, shape (n,).
        n: number of rows.

    Returns:
        False if there is no solution, or no rows that depend on each other.
    """
    largest = 1e-2
    for i in range(n):
        size = top = 0.0
        for j in range(n):
            top = max(top, abs(a[i * n + j]))
            a[i * n + j] /= columns[j] if columns[j] > 0.0 else 1.0
            size += a[i * n + j] ** 2
        sizes[i], scales[i], w[i] = size, top, 0.0
        if top > 0.0:
            largest = max(largest, abs(b[i]) / top)
    for i in range(n):
        scales[i] = CONSISTENT * max(scales[i] * largest, abs(b[i]))

    rank = 0
    for _ in range(n):
        p, best = -1, INDEPENDENT**2
        for i in range(n):
            if sizes[i] > 0.0:
                size = 0.0
                for j in range(n):
                    size += a[i * n + j] ** 2
                if size > best * sizes[i]:
                    p, best = i, size / sizes[i]
        if p < 0:
            break
        rank += 1
        length = np.sqrt(best * sizes[p])
        sizes[p] = -1.0
        part = b[p] / length
        for j in range(n):
            a[p * n + j] /= length
            w[j] += part * a[p * n + j]
        for i in range(n):
            if sizes[i] >= 0.0:
                product = 0.0
                for j in range(n):
                    product += a[i * n + j] * a[p * n + j]
                for j in range(n):
                    a[i * n + j] -= product * a[p * n + j]
                b[i] -= product * part
                scales[i] = max(scales[i], CONSISTENT * abs(product * part))
    for i in range(n):
        w[i] /= columns[i] if columns[i] > 0.0 else 1.0
        if sizes[i] >= 0.0 and abs(b[i]) > scales[i]:
            return False
    return rank < n


@part
def solved(header, w, n):  # type: ignore[no-untyped-def]
    """Return SOLVED; ITERATE where the solution w is so large that its residual is to correct it."""
    size = 0.0
    for i in range(n):
        size += abs(w[i])
    if size > memory.REFINE_ABOVE:
        header[memory.PHASE] = memory.REFINE
        return memory.ITERATE
    return memory.SOLVED


@cfunc(types.int32(types.int64), cache=True, **WITHOUT_OBJECTS)
def linear_iteration(address):  # type: ignore[no-untyped-def]
    """Return one step of the iteration on the memory of a block at ``address``; returns ITERATE, SOLVED or STATUS_SINGULAR."""
    header = header_at(address)
    n = header[memory.SIZE]
    w, r, b = unknowns_at(address), residuals_at(address), right_side_at(address)
    rows, columns, a = row_scales_at(address), column_scales_at(address), matrix_at(address)

    phase = header[memory.PHASE]
    if phase == memory.BEGIN:
        _clear(w, n)
        header[memory.PHASE] = memory.COMPUTE_B
        header[memory.DEFICIENT] = 0
        return memory.ITERATE
    if phase == memory.GIVEN:
        return memory.SOLVED
    if phase == memory.REFINE:
        _solve(address, n, r)
        for i in range(n):
            w[i] -= r[i]
        return memory.SOLVED
    if phase == memory.COMPUTE_B:
        for i in range(n):
            b[i] = -r[i]
        if not (header[memory.CONSTANT] and header[memory.FACTORISED]):
            _clear(rows, n)
            header[memory.COLUMN] = 0
            w[0] = memory.PROBE
            header[memory.PHASE] = memory.COMPUTE_A
            return memory.ITERATE
    else:
        j = header[memory.COLUMN]
        _store_column(a, r, b, rows, columns, j, n)
        w[j] = 0.0
        if j + 1 < n:
            header[memory.COLUMN] = j + 1
            w[j + 1] = memory.PROBE
            return memory.ITERATE
        if header[memory.DEFICIENT] != 0:
            return memory.SOLVED if smallest_solution(a, b, w, rows, r, columns, n) else memory.STATUS_SINGULAR
        for i in range(n):
            r[i] = abs(b[i]) / memory.PROBE
        if header[memory.LAPACK] != 0:
            places = address_of_matrix(address), address_of_pivots(address)
            regular = factorise_lapack(header[memory.LAPACK], *places, rows, columns, r, n)
        else:
            regular = factorise(a, pivots_at(address), rows, columns, r, n)
        header[memory.FACTORISATIONS] += 1
        if not regular:  # its factors have replaced the matrix, which is computed again
            header[memory.DEFICIENT], header[memory.COLUMN], w[0] = 1, 0, memory.PROBE
            _clear(rows, n)
            return memory.ITERATE
        header[memory.FACTORISED] = 1

    for i in range(n):
        w[i] = b[i]
    _solve(address, n, w)
    return solved(header, w, n)
