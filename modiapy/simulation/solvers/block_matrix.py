"""The iteration matrix of states of which few depend on each other: a matrix and a linear solver of SUNDIALS of our own.

Bodies that no force couples, and the coordinates of a free one, are blocks of 1 to 4 states, however many they are: only these
blocks are factorised. All of it is machine code that SUNDIALS calls (`block_kernel`), without Python's lock, in any thread.
"""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from ...acausal.memory import data_address
from ...symbolic.kernels.incidence import prepare_colouring
from .interface import Problem
from .jacobian import prepare_differences
from .libraries.sundials_library import P, libraries, linear_library, not_null
from .matrix_layout import MATRIX, matrix_record

_FIELDS = 4
"""Words of a SUNMatrix or of a SUNLinearSolver at most: its content first, the context last, before that the operations."""
_EVALUATIONS = MATRIX.offset("evaluations")
_OPERATIONS = 12
"""So many a SUNLinearSolver has at least."""


@dataclass(frozen=True)
class _Code:
    """Addresses of `block_kernel`'s functions."""

    form: int
    factorise: int
    solve: int
    direct: int


def prepare_matrices() -> None:
    """Load all machine code that is about large matrices.

    To be called when a model is made whose components' states may be many, so that nothing is compiled during a simulation.
    """
    prepare_colouring()
    prepare_differences()
    _machine_code()


@functools.cache
def _machine_code() -> _Code:
    from . import block_kernel as kernel

    form, factorise, solve, direct = (f.address or 0 for f in (kernel.form, kernel.factorise, kernel.solve, kernel.direct))
    return _Code(form, factorise, solve, direct)


def has_blocks() -> bool:
    """Whether SUNDIALS takes matrices and linear solvers of others as it is expected to."""
    return _operations() is not None


@functools.cache
def _operations() -> tuple[int, int, int] | None:
    """Which operations of a SUNLinearSolver tell its type, set it up and solve; None where they are not as expected."""
    c, empty = libraries(), linear_library("core")
    if c is None or empty is None:
        return None
    context, one = P(), np.zeros(1)
    if c.SUNContext_Create(0, ctypes.byref(context)) != 0:
        return None
    vector = not_null(c.N_VMake_Serial(1, one.ctypes.data, context))
    matrix = not_null(c.SUNDenseMatrix(1, 1, context))
    linear, made = not_null(c.SUNLinSol_Dense(vector, matrix, context)), not_null(empty.SUNLinSolNewEmpty(context))
    operations, fields = _words(_operations_of(linear, context), _OPERATIONS), _words(made, 1)
    addresses = [ctypes.cast(f, P).value for f in (c.SUNLinSolGetType_Dense, c.SUNLinSolSetup_Dense, c.SUNLinSolSolve_Dense)]
    found = tuple(operations.index(address) if address in operations else -1 for address in addresses)
    as_expected = -1 not in found and fields[0] is None
    for free, thing in ((c.SUNLinSolFree, made), (c.SUNLinSolFree, linear), (c.SUNMatDestroy, matrix), (c.N_VDestroy, vector)):
        free(thing)
    c.SUNContext_Free(ctypes.byref(context))
    return (found[0], found[1], found[2]) if as_expected else None


def _operations_of(linear: int, context: ctypes.c_void_p) -> int | None:
    """Address of the operations of a SUNLinearSolver; which word of it that is depends on the version."""
    fields = _words(linear, _FIELDS)
    return fields[fields.index(context.value) - 1] if context.value in fields[2:] else None


def _words(address: int | None, count: int) -> list[int | None]:
    return list((P * count).from_address(address)) if address else []


class BlockMatrix:
    """The matrix ``1 - gamma*df/dx``, how it is computed, factorised and solved.

    Args:
        c: functions of SUNDIALS.
        problem: the model, whose incidence has `Incidence.blocks`.
        rtol, atol: tolerances, the latter a number or shape (n,); increments of differences are as of `jacobian.Differences`.
        context: of SUNDIALS.

    Attributes:
        matrix, linear: addresses of the SUNMatrix and of the SUNLinearSolver.
        form: address of the CVLsLinSysFn.
    """

    filled = True

    def __init__(
        self, c: SimpleNamespace, problem: Problem, rtol: float, atol: float | np.ndarray, context: ctypes.c_void_p
    ) -> None:
        operations, empty, code = _operations(), linear_library("core"), _machine_code()
        assert operations is not None
        assert empty is not None
        self._c, self.form = c, code.form
        self.matrix, self.linear = not_null(empty.SUNMatNewEmpty(context)), not_null(empty.SUNLinSolNewEmpty(context))
        functions = (P * _OPERATIONS).from_address(_operations_of(self.linear, context) or 0)
        for place, address in zip(operations, (code.direct, code.factorise, code.solve), strict=True):
            functions[place] = address
        self.take(problem, rtol, atol)

    def take(self, problem: Problem, rtol: float, atol: float | np.ndarray) -> None:
        """Become the matrix of another problem, with nothing evaluated yet."""
        incidence = problem.incidence
        assert incidence is not None
        states, ends, places, size = incidence.blocks
        by_colour, colour_ends = incidence.by_colour
        n, entries = incidence.n, incidence.rows.size
        self._kept = incidence
        self._record = matrix_record(
            {"n": n, "n_entries": entries, "n_colours": colour_ends.size, "n_blocks": ends.size, "n_factors": size},
            {
                "starts": incidence.starts, "rows": incidence.rows, "by_colour": by_colour, "colour_ends": colour_ends,
                "states": states, "block_ends": ends, "places": places,
            },
            rtol, atol, rhs=problem.rhs_address, user=problem.user_address, vector=self._c.array_pointer_address,
        )  # fmt: skip
        self._own(data_address(self._record))

    def _own(self, address: int | None) -> None:
        """Let the record be the content of both."""
        for thing in (self.matrix, self.linear):
            P.from_address(thing).value = address

    @property
    def evaluations(self) -> int:
        """Of the model, for differences, so far."""
        return int(self._record[_EVALUATIONS])

    def close(self, is_factorised: bool = True) -> None:
        """Free both; what they contain is not SUNDIALS' to free."""
        self._own(None)
        self._c.SUNLinSolFree(self.linear)
        self._c.SUNMatDestroy(self.matrix)
