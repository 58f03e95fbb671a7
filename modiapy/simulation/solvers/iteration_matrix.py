"""The matrix of an integrator's Newton iteration and the linear solver for it: objects of SUNDIALS."""

from __future__ import annotations

import ctypes
from enum import Enum
from types import SimpleNamespace

from ...symbolic.kernels.incidence import Incidence
from .interface import Problem
from .jacobian import Store, sparse_store
from .libraries.sundials_library import linear_library, not_null
from .libraries.superlu import factorise_in_turn
from .linear import band, sparse

_COLUMNS = 0  # a sparse matrix in compressed columns


class Kind(Enum):
    """Storage kind of a matrix: dense, banded or sparse."""

    DENSE = "dense"
    BAND = "band"
    SPARSE = "sparse"


class IterationMatrix:
    """A matrix as `linear` chooses it, where SUNDIALS has what it takes; else a dense one.

    Args:
        c: functions of SUNDIALS.
        problem: the model. size: number of rows.
        y: a vector of this size. context: of SUNDIALS.

    Attributes:
        kind: how it is stored.
        matrix, linear: addresses of the SUNMatrix and of the SUNLinearSolver.
        entries, store: of a sparse matrix, and what writes them; None for others.
    """

    def __init__(self, c: SimpleNamespace, problem: Problem, size: int, y: int, context: ctypes.c_void_p) -> None:
        self._c, self._size, self._y, self._context = c, size, y, context
        self.entries: Incidence | None = None
        self.store: Store | None = None
        self.matrix = self.linear = 0
        try:
            if not (self._is_band(problem) or self._is_sparse(problem)):
                self.kind = Kind.DENSE
                self.matrix = not_null(c.SUNDenseMatrix(size, size, context))
                self.linear = not_null(c.SUNLinSol_Dense(y, self.matrix, context))
        except BaseException:
            self.close(is_factorised=True)
            raise

    def _is_band(self, problem: Problem) -> bool:
        width = band(problem)
        matrices, solvers = linear_library("sunmatrixband"), linear_library("sunlinsolband")
        if width is None or matrices is None or solvers is None:
            return False
        self.kind = Kind.BAND
        self.matrix = not_null(matrices.SUNBandMatrix(self._size, *width, self._context))
        self.linear = not_null(solvers.SUNLinSol_Band(self._y, self.matrix, self._context))
        return True

    def _is_sparse(self, problem: Problem) -> bool:
        entries = sparse(problem)
        if entries is None:
            return False
        matrices, solvers = linear_library("sunmatrixsparse"), linear_library("sunlinsolsuperlumt")
        if matrices is None or solvers is None:
            return False
        self.kind = Kind.SPARSE
        self.entries, self.store = entries, sparse_store(entries, matrices)
        self.matrix = not_null(matrices.SUNSparseMatrix(self._size, self._size, entries.rows.size, _COLUMNS, self._context))
        if hasattr(solvers, "omp_set_num_threads"):
            solvers.omp_set_num_threads(1)  # holds for this thread; on a busy machine a team of two took 70 times as long
        self.linear = not_null(solvers.SUNLinSol_SuperLUMT(self._y, self.matrix, 1, self._context))
        if factorise_in_turn(self.linear, solvers):
            return True
        self.close(is_factorised=False)
        self.entries = self.store = None
        return False

    def close(self, is_factorised: bool) -> None:
        """Free both. ``is_factorised``: whether the integrator has had a Jacobian."""
        if self.linear:
            if not is_factorised:
                self._factorise_once()
            self._c.SUNLinSolFree(self.linear)
        if self.matrix:
            self._c.SUNMatDestroy(self.matrix)
        self.matrix = self.linear = 0

    def _factorise_once(self) -> None:
        """Factorise once: SuperLU_MT frees what a first factorisation allocates, also where there has been none."""
        if self.entries is not None and self.store is not None:
            self.store(self.matrix, (self.entries.rows == self.entries.columns).astype(float))
            self._c.SUNLinSolInitialize(self.linear)
            self._c.SUNLinSolSetup(self.linear, self.matrix)
