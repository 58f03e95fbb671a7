"""Our own matrices and linear solvers for SUNDIALS, for iteration matrices of states of which few depend on each other.

Bodies that no force couples, and the coordinates of a free body, form blocks of 1 to 4 states, however many there are. Only
these blocks are factorised. Other sparse matrices, of bodies that touch each other, have their pivots on the diagonal. This
takes a fifth of the time of SuperLU with its row interchanges. SUNDIALS calls all of it as machine code (`block_kernel`,
`sparse_kernel`), without Python's lock, in any thread.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from ...acausal.memory import data_address
from ...symbolic.kernels.diagonal_memory import DIAGONAL, N_KNOWN, diagonal_words
from ...symbolic.kernels.incidence import Incidence, prepare_colouring
from .interface import Problem
from .jacobian import prepare_differences
from .libraries.sundials_library import P, libraries, linear_library, not_null
from .matrix_layout import MATRIX, matrix_record

_FIELDS = 4
"""Words of a SUNMatrix or of a SUNLinearSolver at most: its content first, the context last, before that the operations."""
_EVALUATIONS = MATRIX.offset("evaluations")
_OPERATIONS = 12
"""So many a SUNLinearSolver has at least."""


MOST_STATES = 4096
"""States up to which pivots are on the diagonal of a sparse matrix: their graph is a table of bits."""

MOST_MULTIPLICATIONS = 1e8
"""For the factors of such a matrix: beyond, SuperLU with its dense parts is quicker."""


@dataclass(frozen=True)
class _Code:
    """Addresses of functions of `block_kernel` and `sparse_kernel`."""

    form: int
    factorise: int
    solve: int
    direct: int


def prepare_matrices() -> None:
    """Load all machine code for large matrices.

    Call it when a model is created whose components may have many states, so that nothing is compiled during a simulation.
    """
    prepare_colouring()
    prepare_differences()
    _code_of_blocks()
    _code_of_sparse()


@functools.cache
def _code_of_blocks() -> _Code:
    from . import block_kernel as kernel

    form, factorise, solve, direct = (f.address or 0 for f in (kernel.form, kernel.factorise, kernel.solve, kernel.direct))
    return _Code(form, factorise, solve, direct)


@functools.cache
def _code_of_sparse() -> _Code:
    from ...symbolic.kernels.diagonal_lu import effort
    from . import sparse_kernel as kernel

    _ = effort.call
    blocks = _code_of_blocks()
    return _Code(blocks.form, kernel.factorise.address, kernel.solve.address, blocks.direct)


def has_blocks() -> bool:
    """Return whether this SUNDIALS accepts matrices and linear solvers of others in the expected way."""
    return _operations() is not None


@functools.cache
def _operations() -> tuple[int, int, int] | None:
    """Return the functions of a SUNLinearSolver for its type, setup and solution; None if they are not as expected."""
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
    """Return the address of the operations of a SUNLinearSolver; which word of it that is depends on the version."""
    fields = _words(linear, _FIELDS)
    return fields[fields.index(context.value) - 1] if context.value in fields[2:] else None


def _words(address: int | None, count: int) -> list[int | None]:
    return list((P * count).from_address(address)) if address else []


class OwnMatrix:
    """The matrix ``1 - gamma*df/dx``, how it is computed, factorised and solved.

    Args:
        c: functions of SUNDIALS.
        problem: the model.
        rtol, atol: tolerances, the latter a number or shape (n,); increments of differences are as of `jacobian.Differences`.
        context: of SUNDIALS.

    Attributes:
        matrix, linear: addresses of the SUNMatrix and of the SUNLinearSolver.
        form: address of the CVLsLinSysFn.
    """

    filled = True
    _code: Callable[[], _Code]
    _record: np.ndarray
    _kept: Incidence

    def __init__(
        self, c: SimpleNamespace, problem: Problem, rtol: float, atol: float | np.ndarray, context: ctypes.c_void_p
    ) -> None:
        operations, empty, code = _operations(), linear_library("core"), type(self)._code()
        assert operations is not None
        assert empty is not None
        self._c, self.form = c, code.form
        self.matrix, self.linear = not_null(empty.SUNMatNewEmpty(context)), not_null(empty.SUNLinSolNewEmpty(context))
        functions = (P * _OPERATIONS).from_address(_operations_of(self.linear, context) or 0)
        for place, address in zip(operations, (code.direct, code.factorise, code.solve), strict=True):
            functions[place] = address
        self.take(problem, rtol, atol)

    def take(self, problem: Problem, rtol: float, atol: float | np.ndarray) -> None:
        """Switch to another problem; nothing is evaluated yet."""
        raise NotImplementedError

    def _matrix_record(self, problem: Problem, rtol: float, atol: float | np.ndarray, *, blocks: bool) -> np.ndarray:
        """Return a record `MATRIX` for the differences of a problem; the caller keeps the incidence."""
        incidence = problem.incidence
        assert incidence is not None
        self._kept = incidence
        return matrix_record(
            incidence.sizes(blocks=blocks), incidence.tables(blocks=blocks), rtol, atol,
            rhs=problem.rhs_address, user=problem.user_address, vector=self._c.array_pointer_address,
        )  # fmt: skip

    def _own(self, matrix: int | None, linear: int | None) -> None:
        """Set the contents of matrix and linear solver to the records at these addresses."""
        P.from_address(self.matrix).value, P.from_address(self.linear).value = matrix, linear

    @property
    def evaluations(self) -> int:
        """Number of evaluations of the model for differences, so far."""
        return int(self._record[_EVALUATIONS])

    def forget(self) -> None:
        """Discard everything that was computed before, so that it has no influence on later results."""

    def close(self, is_factorised: bool = True) -> None:
        """Free matrix and linear solver; their contents do not belong to SUNDIALS."""
        self._own(None, None)
        self._c.SUNLinSolFree(self.linear)
        self._c.SUNMatDestroy(self.matrix)


class BlockMatrix(OwnMatrix):
    """See `OwnMatrix`; the incidence has `Incidence.blocks`."""

    _code = staticmethod(_code_of_blocks)

    def take(self, problem: Problem, rtol: float, atol: float | np.ndarray) -> None:
        """See `OwnMatrix`."""
        self._record = self._matrix_record(problem, rtol, atol, blocks=True)
        address = data_address(self._record)
        self._own(address, address)


class SparseMatrix(OwnMatrix):
    """See `OwnMatrix`; `on_diagonal` gives the memory that the factors of the incidence need."""

    _code = staticmethod(_code_of_sparse)

    def take(self, problem: Problem, rtol: float, atol: float | np.ndarray) -> None:
        """See `OwnMatrix`."""
        incidence = problem.incidence
        assert incidence is not None
        room = on_diagonal(incidence)
        assert room is not None
        self._record = self._matrix_record(problem, rtol, atol, blocks=False)
        found = MATRIX.views(
            self._record, "values", "gamma", n=incidence.n, n_entries=incidence.rows.size, n_blocks=0, n_factors=0
        )
        self._factors = _diagonal_record(incidence, room, found["values"], found["gamma"], self._c.array_pointer_address)
        self._own(data_address(self._record), data_address(self._factors))

    def forget(self) -> None:
        """See `OwnMatrix`; the order of the unknowns is that of the entries that were not zero."""
        DIAGONAL.view(self._factors, "state", n=self._kept.n)[N_KNOWN] = 0


def _diagonal_record(
    incidence: Incidence, room: int, values: np.ndarray | None, gamma: np.ndarray | None, vector: int
) -> np.ndarray:
    """Return a record `DIAGONAL` for entries in a record `MATRIX`."""
    sizes = {"n": incidence.n, "n_entries": incidence.rows.size, "room": room, "n_bits": diagonal_words(incidence.n)}
    head = DIAGONAL.head(**sizes, vector=vector, starts=incidence.starts, rows=incidence.rows, values=values, gamma=gamma)
    memory = np.zeros(DIAGONAL.words(**sizes), dtype=np.int64)
    memory[: len(head)] = head
    return memory


def on_diagonal(incidence: Incidence) -> int | None:
    """Return the memory size of a sparse matrix's factors with pivots on the diagonal; None if others are faster."""
    if incidence.n > MOST_STATES or not has_blocks():
        return None
    known = incidence.__dict__.get("_room")
    if known is None:
        from ...symbolic.kernels.diagonal_lu import effort

        record = _diagonal_record(incidence, 0, None, None, 0)
        room, multiplications = effort(data_address(record))
        known = incidence.__dict__["_room"] = room if multiplications <= MOST_MULTIPLICATIONS else -1
    return known if known >= 0 else None
