"""Iteration matrices in blocks: differences, factorisation and solution in machine code, as SUNDIALS calls them.

``M = 1 - gamma*df/dx`` with the states in the order of their blocks is block triangular: only its diagonal blocks, which are
dense, are factorised. What is worked on is a record of sizes and addresses (`Word`), whose address is the content of the
matrix and of the linear solver. This module imports numba; see `block_matrix`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from llvmlite import ir
from numba import cfunc, types
from numba.extending import intrinsic

from ...acausal.native import WITHOUT_OBJECTS, float64_array, int32_array, int64_array
from .difference_kernel import explicit_differences

_WORD, _DOUBLE, _INT = types.int64, types.float64, types.int32


class Word(IntEnum):
    """Words of the record: sizes, addresses of functions and of their argument, addresses of arrays."""

    N = 0
    ENTRIES = 1
    COLOURS = 2
    BLOCKS = 3
    SIZE = 4
    """Of all diagonal blocks together."""
    RHS = 5
    USER = 6
    VECTOR = 7
    """``N_VGetArrayPointer``."""
    EVALUATIONS = 8
    """Of the model so far; counted here."""
    STARTS = 9
    ROWS = 10
    BY_COLOUR = 11
    COLOUR_ENDS = 12
    STATES = 13
    BLOCK_ENDS = 14
    PLACES = 15
    """Where each entry stands in `FACTORS`, then those of the diagonal, see `symbolic.kernels.block_kernel`."""
    PIVOTS = 16
    NUMBERS = 17
    """gamma; rtol; absolute tolerances, shape (n,); memory, shape (2, n)."""
    VALUES = 18
    """Entries of df/dx."""
    FACTORS = 19
    WORDS = 20


# read by machine code as constants
_N, _ENTRIES, _COLOURS, _BLOCKS, _SIZE = (int(word) for word in (Word.N, Word.ENTRIES, Word.COLOURS, Word.BLOCKS, Word.SIZE))
_RHS, _USER, _VECTOR, _EVALUATIONS = (int(word) for word in (Word.RHS, Word.USER, Word.VECTOR, Word.EVALUATIONS))
_STARTS, _ROWS, _BY_COLOUR, _COLOUR_ENDS = (int(w) for w in (Word.STARTS, Word.ROWS, Word.BY_COLOUR, Word.COLOUR_ENDS))
_STATES, _BLOCK_ENDS, _PLACES, _PIVOTS = (int(word) for word in (Word.STATES, Word.BLOCK_ENDS, Word.PLACES, Word.PIVOTS))
_NUMBERS_AT, _VALUES, _FACTORS, _WORDS = (int(word) for word in (Word.NUMBERS, Word.VALUES, Word.FACTORS, Word.WORDS))
_SINGULAR = 1
"""Positive: the integrator tries a shorter step."""


@intrinsic
def _elements(typingctx: Any, function: Any, vector: Any) -> Any:
    """``N_VGetArrayPointer(vector)``, the function given by its address."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        made = builder.inttoptr(args[0], ir.FunctionType(pointer, [pointer]).as_pointer())
        return builder.ptrtoint(builder.call(made, [builder.inttoptr(args[1], pointer)]), ir.IntType(64))

    return types.int64(types.int64, types.int64), generate


@cfunc(_INT(_DOUBLE, *[_WORD] * 3, _INT, _WORD, _DOUBLE, *[_WORD] * 4), cache=True, **WITHOUT_OBJECTS)
def form(t, y, fy, matrix, known, current, gamma, user, shifted, out, other):  # type: ignore[no-untyped-def]
    """A `CVLsLinSysFn`: compute df/dx, unless the one there is will do."""
    word = int64_array(int64_array(matrix, 1)[0], _WORDS)
    n, entries = word[_N], word[_ENTRIES]
    numbers = float64_array(word[_NUMBERS_AT], 2 + 3 * n)
    numbers[0] = gamma
    int32_array(current, 1)[0] = known == 0
    if known != 0:
        return 0
    vector = word[_VECTOR]
    word[_EVALUATIONS] += word[_COLOURS]
    return explicit_differences(
        word[_RHS],
        word[_USER],
        shifted,
        out,
        t,
        _elements(vector, y),  # type: ignore[call-arg]
        _elements(vector, fy),  # type: ignore[call-arg]
        _elements(vector, shifted),  # type: ignore[call-arg]
        _elements(vector, out),  # type: ignore[call-arg]
        int64_array(word[_BY_COLOUR], n),
        int64_array(word[_COLOUR_ENDS], word[_COLOURS]),
        int64_array(word[_STARTS], n + 1),
        int64_array(word[_ROWS], entries),
        numbers[2 + n : 2 + 2 * n],
        numbers[2 : 2 + n],
        numbers[1],
        float64_array(word[_VALUES], entries),
    )


@cfunc(_INT(_WORD, _WORD), cache=True, **WITHOUT_OBJECTS)
def factorise(solver, matrix):  # type: ignore[no-untyped-def]
    """Setup of a SUNLinearSolver: LU factors of the diagonal blocks of ``1 - gamma*df/dx``, rows interchanged."""
    word = int64_array(int64_array(matrix, 1)[0], _WORDS)
    n, entries = word[_N], word[_ENTRIES]
    gamma = float64_array(word[_NUMBERS_AT], 1)[0]
    places, values = int64_array(word[_PLACES], entries + n), float64_array(word[_VALUES], entries)
    factors, pivots = float64_array(word[_FACTORS], word[_SIZE]), int64_array(word[_PIVOTS], n)
    factors[:] = 0.0
    for e in range(entries):
        if places[e] >= 0:
            factors[places[e]] = -gamma * values[e]
    for j in range(n):
        factors[places[entries + j]] += 1.0
    begin = at = 0
    for end in int64_array(word[_BLOCK_ENDS], word[_BLOCKS]):
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
    word = int64_array(int64_array(matrix, 1)[0], _WORDS)
    n, entries = word[_N], word[_ENTRIES]
    numbers = float64_array(word[_NUMBERS_AT], 2 + 3 * n)
    gamma, left, part = numbers[0], numbers[2 + n : 2 + 2 * n], numbers[2 + 2 * n :]
    starts, rows = int64_array(word[_STARTS], n + 1), int64_array(word[_ROWS], entries)
    places, values = int64_array(word[_PLACES], entries), float64_array(word[_VALUES], entries)
    factors, pivots = float64_array(word[_FACTORS], word[_SIZE]), int64_array(word[_PIVOTS], n)
    states = int64_array(word[_STATES], n)
    x = float64_array(_elements(word[_VECTOR], x_vector), n)  # type: ignore[call-arg]
    b = float64_array(_elements(word[_VECTOR], b_vector), n)  # type: ignore[call-arg]
    for i in range(n):
        left[i] = b[i]
    begin = at = 0
    for end in int64_array(word[_BLOCK_ENDS], word[_BLOCKS]):
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
    """Type of the SUNLinearSolver: SUNLINEARSOLVER_DIRECT."""
    return 0
