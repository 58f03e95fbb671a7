"""Iteration matrices in blocks: differences, factorisation and solution in machine code, as SUNDIALS calls them.

``M = 1 - gamma*df/dx`` with the states in the order of their blocks is block triangular. Only its diagonal blocks, which are
dense, are factorised. All functions work on a record (`matrix_layout.MATRIX`), whose address is the content of the matrix and
of the linear solver. See `block_matrix`.
"""

from __future__ import annotations

from typing import Any

from ...acausal.native import WITHOUT_OBJECTS, cfunc, float64_array, int32_array, int64_array, intrinsic, types
from .difference_kernel import explicit_differences, matrix_at

_WORD, _DOUBLE, _INT = types.int64, types.float64, types.int32


_SINGULAR = 1
"""Positive: the integrator tries a shorter step."""


@intrinsic
def _elements(typingctx: Any, function: Any, vector: Any) -> Any:
    """Return ``N_VGetArrayPointer(vector)``, the function given by its address."""
    from llvmlite import ir
    from numba import types

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        made = builder.inttoptr(args[0], ir.FunctionType(pointer, [pointer]).as_pointer())
        return builder.ptrtoint(builder.call(made, [builder.inttoptr(args[1], pointer)]), ir.IntType(64))

    return types.int64(types.int64, types.int64), generate


@cfunc(_INT(_DOUBLE, *[_WORD] * 3, _INT, _WORD, _DOUBLE, *[_WORD] * 4), cache=True, **WITHOUT_OBJECTS)
def form(t, y, fy, matrix, known, current, gamma, user, shifted, out, other):  # type: ignore[no-untyped-def]
    """Compute df/dx, unless the present one is good enough: a `CVLsLinSysFn`."""
    record = int64_array(matrix, 1)[0]
    m = matrix_at(record)
    m.gamma[0] = gamma
    int32_array(current, 1)[0] = known == 0
    if known != 0:
        return 0
    return explicit_differences(
        record,
        shifted,
        out,
        t,
        _elements(m.vector, y),  # type: ignore[call-arg]
        _elements(m.vector, fy),  # type: ignore[call-arg]
        _elements(m.vector, shifted),  # type: ignore[call-arg]
        _elements(m.vector, out),  # type: ignore[call-arg]
    )


@cfunc(_INT(_WORD, _WORD), cache=True, **WITHOUT_OBJECTS)
def factorise(solver, matrix):  # type: ignore[no-untyped-def]
    """Factorise the diagonal blocks of ``1 - gamma*df/dx`` with row interchanges: setup of a SUNLinearSolver."""
    r = matrix_at(int64_array(matrix, 1)[0])
    n, entries, gamma = r.n, r.n_entries, r.gamma[0]
    places, values, factors, pivots = r.places, r.values, r.factors, r.pivots
    factors[:] = 0.0
    for e in range(entries):
        if places[e] >= 0:
            factors[places[e]] = -gamma * values[e]
    for j in range(n):
        factors[places[entries + j]] += 1.0
    begin = at = 0
    for end in r.block_ends:
        m = end - begin
        for k in range(m):
            best = k
            for i in range(k + 1, m):
                if abs(factors[at + i * m + k]) > abs(factors[at + best * m + k]):
                    best = i
            pivots[begin + k] = best
            pivot = factors[at + best * m + k]
            if pivot == 0.0:
                return _SINGULAR
            if best != k:
                for j in range(m):
                    a, b = at + k * m + j, at + best * m + j
                    factors[a], factors[b] = factors[b], factors[a]
            for i in range(k + 1, m):
                row = at + i * m
                if factors[row + k] != 0.0:
                    factors[row + k] /= pivot
                    for j in range(k + 1, m):
                        factors[row + j] -= factors[row + k] * factors[at + k * m + j]
        begin, at = end, at + m * m
    return 0


@cfunc(_INT(*[_WORD] * 4, _DOUBLE), cache=True, **WITHOUT_OBJECTS)
def solve(solver, matrix, x_vector, b_vector, tolerance):  # type: ignore[no-untyped-def]
    """Solve of a SUNLinearSolver: ``M*x = b``, block by block."""
    r = matrix_at(int64_array(matrix, 1)[0])
    n, gamma, left, part = r.n, r.gamma[0], r.left, r.part
    starts, rows, places, values = r.starts, r.rows, r.places, r.values
    factors, pivots, states = r.factors, r.pivots, r.states
    x = float64_array(_elements(r.vector, x_vector), n)  # type: ignore[call-arg]
    b = float64_array(_elements(r.vector, b_vector), n)  # type: ignore[call-arg]
    for i in range(n):
        left[i] = b[i]
    begin = at = 0
    for end in r.block_ends:
        m = end - begin
        for k in range(m):
            part[k] = left[states[begin + k]]
        for k in range(m):
            best = pivots[begin + k]
            part[k], part[best] = part[best], part[k]
        for i in range(1, m):
            for j in range(i):
                part[i] -= factors[at + i * m + j] * part[j]
        for i in range(m - 1, -1, -1):
            for j in range(i + 1, m):
                part[i] -= factors[at + i * m + j] * part[j]
            part[i] /= factors[at + i * m + i]
        for k in range(m):
            state = states[begin + k]
            x[state] = part[k]
            for e in range(starts[state], starts[state + 1]):
                if places[e] < 0:
                    left[rows[e]] += gamma * values[e] * part[k]
        begin, at = end, at + m * m
    return 0


@cfunc(_INT(_WORD), cache=True, **WITHOUT_OBJECTS)
def direct(solver):  # type: ignore[no-untyped-def]
    """Return the type of the SUNLinearSolver: SUNLINEARSOLVER_DIRECT."""
    return 0
