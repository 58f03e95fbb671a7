"""Sparse iteration matrices whose pivots are on their diagonal: factorisation and solution, as SUNDIALS calls them.

The record of the linear solver is `symbolic.kernels.diagonal_memory.DIAGONAL`, that of the matrix `matrix_layout.MATRIX`. See
`block_matrix`.
"""

from __future__ import annotations

from ...acausal.native import WITHOUT_OBJECTS, cfunc, float64_array, int64_array, part, types
from ...symbolic.kernels.diagonal_lu import factorise_on_diagonal, factors_at, substitute_on_diagonal
from .block_kernel import _elements as elements

_WORD, _DOUBLE, _INT = types.int64, types.float64, types.int32

_SINGULAR = 1
"""Positive: the integrator tries a shorter step."""

_WRONG = 1e-4
"""Relative error of a solution that is known, from which on the factors are no good: pivots were too small."""


@part
def _are_right(address):  # type: ignore[no-untyped-def]
    """Return whether the factors solve a system with a vector of ones accurately."""
    r = factors_at(address)
    starts, rows, values, v, gamma = r.starts, r.rows, r.values, r.left, r.gamma[0]
    for i in range(r.n):
        v[i] = 1.0
    for e in range(starts[r.n]):
        v[rows[e]] -= gamma * values[e]
    substitute_on_diagonal(address)
    wrong = 0
    for i in range(r.n):
        wrong += not abs(v[i] - 1.0) < _WRONG
    return wrong == 0


@cfunc(_INT(_WORD, _WORD), cache=True, **WITHOUT_OBJECTS)
def factorise(solver, matrix):  # type: ignore[no-untyped-def]
    """Factorise the matrix with pivots on the diagonal: setup of a SUNLinearSolver."""
    address = int64_array(solver, 1)[0]
    return 0 if factorise_on_diagonal(address) and _are_right(address) else _SINGULAR


@cfunc(_INT(*[_WORD] * 4, _DOUBLE), cache=True, **WITHOUT_OBJECTS)
def solve(solver, matrix, x_vector, b_vector, tolerance):  # type: ignore[no-untyped-def]
    """Solve of a SUNLinearSolver: ``M*x = b``."""
    address = int64_array(solver, 1)[0]
    r = factors_at(address)
    n, v = r.n, r.left
    x = float64_array(elements(r.vector, x_vector), n)  # type: ignore[call-arg]
    b = float64_array(elements(r.vector, b_vector), n)  # type: ignore[call-arg]
    for i in range(n):
        v[i] = b[i]
    substitute_on_diagonal(address)
    for i in range(n):
        x[i] = v[i]
    return 0
