"""CVODE (BDF, Newton) by pointer, for ``der(x) = f(t, x)``. See `sundials`."""

from __future__ import annotations

import ctypes
import math
from functools import cached_property
from typing import ClassVar

import numpy as np

from .block_matrix import BlockMatrix, OwnMatrix, SparseMatrix, on_diagonal
from .interface import Problem
from .jacobian import cvode_callback, dense_store, full_incidence
from .libraries.sundials_library import D, I, P, libraries, not_null
from .linear import coloured, in_blocks, sparse
from .sundials import COMMON_MESSAGES, SundialsSolver

__all__ = ["Cvode", "libraries"]

OWN_FREQUENCY = 51
"""Steps after which CVODE takes new differences. Constraints couple all states: a matrix costs as many evaluations as there are
states and serves as many steps, unless the iteration does not converge with it."""
CONTRACTING = 0.9
"""An iteration that converges leaves at most this part of a residual."""


@ctypes.CFUNCTYPE(I, D, P, P, P)
def _still(_t: float, _y: int, ydot: int, _user: int) -> int:
    """Return the right-hand side of the one state that replaces an empty state vector."""
    functions = libraries()
    assert functions is not None
    D.from_address(functions.N_VGetArrayPointer(ydot)).value = 0.0
    return 0


def _own_kind(problem: Problem) -> type[BlockMatrix | SparseMatrix] | None:
    """Return the kind of our own matrices that is worthwhile; None if none is."""
    if in_blocks(problem):
        return BlockMatrix
    entries = sparse(problem) if problem.may_have_blocks else None
    return SparseMatrix if entries and on_diagonal(entries) else None


class Cvode(SundialsSolver):
    """See `SundialsSolver`."""

    name, prefix, root_failed = "cvode", "CVode", -12
    formulas: ClassVar[int] = 2
    """1: Adams and Moulton, 2: BDF."""
    convergence = 0.02
    differences_counter = "GetNumLinRhsEvals"
    projects = True
    jacobian_callback = staticmethod(cvode_callback)
    messages: ClassVar[dict[int, str]] = COMMON_MESSAGES | {
        -9: "the model could not be evaluated at the first point",
        -10: "the model could not be evaluated, also with smaller step sizes",
        -11: "the model could not be evaluated, and the integrator could not recover",
        -12: "the event indicators could not be evaluated",
        -30: "the states could not be brought onto their constraints",
        -31: "the states could not be brought onto their constraints, also with smaller step sizes",
    }

    def _create(self, time: float) -> None:
        problem = self._problem
        self._memory = P(not_null(self._c.CVodeCreate(self.formulas, self._context)))
        right_hand_side = problem.rhs_address if problem.n else ctypes.cast(_still, P).value
        self._call("Init", right_hand_side, time, self._y)
        self._call("SetMaxHnilWarns", -1)
        self._matrix_lasts = OWN_FREQUENCY
        if self.formulas == 2:
            self._call("SetStabLimDet", 1)
        if problem.projection_address and self.projects:
            self._call("SetProjFn", problem.projection_address)
            self._matrix_lasts = max(OWN_FREQUENCY, problem.n)

    def _create_linear_solver(self, rtol: float, atol: float) -> None:
        problem = self._problem
        kind = _own_kind(problem)
        if kind is None:
            super()._create_linear_solver(rtol, atol)
            return
        present, absolute = self._iteration, problem.absolute(atol)
        if type(present) is kind:
            present.take(problem, rtol, absolute)
            self._differences = present
            return
        made = kind(self._c, problem, rtol, absolute, self._context)
        self._iteration = self._differences = made
        self._call("SetLinearSolver", made.linear, made.matrix)
        self._call("SetLinSysFn", made.form)

    def _set_up(self, rtol: float, atol: float) -> None:
        super()._set_up(rtol, atol)
        if self._matrix_lasts > OWN_FREQUENCY:
            self._call("SetJacEvalFrequency", self._matrix_lasts)

    def _set_dense_jacobian(self, rtol: float, atol: float) -> None:
        problem = self._problem
        entries = coloured(problem)
        if entries is None and problem.own_differences:
            entries = problem.incidence or full_incidence(problem.n)
        if entries is not None:
            self._set_jacobian(entries, dense_store(entries, self._c.SUNDenseMatrix_Data), rtol, atol)

    def _connect(self) -> None:
        super()._connect()
        self._loop.connect(cvode=self._function_address(""), root=self._problem.root_address)

    @cached_property
    def _work(self) -> tuple[list[np.ndarray], list[int]]:
        """Memory for `_is_solved`, which few models need: arrays, and SUNDIALS vectors that use them."""
        arrays = [np.zeros(self._size) for _ in range(4)]
        return arrays, [self._vector(array) for array in arrays]

    def _begin_again(self, time: float) -> None:
        if isinstance(self._iteration, OwnMatrix):
            self._iteration.forget()
        self._call("ReInit", time, self._y)

    def _is_solved(self) -> bool:
        """See `SundialsSolver`. CVODE regards a small correction as convergence.

        If the Jacobian was large at a singularity and is no longer (``der(x) = -1/x`` behind 0), the corrections are small
        however wrong the states are. Another iteration comes no nearer to a solution, and everything that follows would be
        wrong.
        """
        problem, end = self._problem, self._loop.end
        n, order = problem.n, max(self._order(), 1)
        length = end - self._loop.begin
        gamma = length / sum(1.0 / k for k in range(1, order + 1))
        (rates, weights, delta, residual), vectors = self._work
        if self._loop.dense(end) != 0:
            return True
        self._function("GetDky")(self._memory, end, 1, vectors[0])
        self._function("GetErrWeights")(self._memory, vectors[1])

        def error(x: np.ndarray, change: np.ndarray) -> float:
            slopes = np.zeros(n)
            if problem.rhs(end, x, slopes) != 0:
                return math.inf
            residual[:n] = gamma * (slopes - rates[:n]) - change
            if problem.project is not None and problem.project(end, x.copy(), residual[:n]) != 0:
                return math.inf  # what the projection adds to a step solves no equation
            return float(np.abs(residual[:n] * weights[:n]).max(initial=0.0))

        first = error(self.x.copy(), np.zeros(n))
        if first <= 1.0:
            return True
        made = self._iteration
        assert made is not None
        if self._c.SUNLinSolSolve(made.linear, made.matrix, vectors[2], vectors[3], 0.0) != 0:
            return False
        left = error(self.x + delta[:n], delta[:n]) / first
        return left < CONTRACTING and float(np.abs(delta[:n] * weights[:n]).max(initial=0.0)) <= 1.0 - left
