"""Stabilised explicit method for large models that are moderately stiff by damping: Runge-Kutta-Chebyshev, order 2.

A step has as many stages as its stability needs. With s stages, the eigenvalues of df/dx times the step size may be as large as
``0.65 s**2``, if they are near the negative real axis. So s grows with the square root of the stiffness. There is no matrix,
and a step after an event is as long as any other; multistep formulas begin again with short steps of order 1. This suits many
bodies that touch each other at different times. Source: B. P. Sommeijer, L. F. Shampine, J. G. Verwer, RKC: an explicit solver
for parabolic PDEs, J. Comput. Appl. Math. 88 (1997), for formulas, error and first step size.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress

import numpy as np

from ...acausal.memory import data_address
from .chebyshev_steps import MOST_STAGES, NOT_EVALUATED, ChebyshevSteps
from .interface import IntegrationFailure, ModelFailure, Problem, SolverStatistics
from .libraries.sundials_library import P, libraries, not_null
from .step_compiler import structure_of
from .step_loop import ADDRESSES, LoopInMemory
from .stepping import SteppingSolver

__all__ = ["Chebyshev", "libraries"]

LARGEST_GROWTH = 1e4
"""What a step is multiplied by at most (the first one)."""

_ARRAYS = ("x", "x0", "f0", "x1", "f1", "f", "older", "old", "new", "error", "along", "x_failed")
_STAGES = ("polynomial", "first_derivative", "second_derivative")


class ChebyshevLoop(LoopInMemory, structure_of(ChebyshevSteps, ADDRESSES), ChebyshevSteps):  # type: ignore[misc]
    """The loop over the steps of the method, with its memory."""

    steps_class = ChebyshevSteps


class Chebyshev(SteppingSolver[ChebyshevLoop]):
    """See `interface.Solver`."""

    root_failed = -3

    def __init__(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        functions = libraries()
        assert functions is not None
        self._c = functions
        super().__init__(problem, time)
        n = problem.n
        self._loop = loop = ChebyshevLoop(n, problem.n_z)
        self._rows = loop.rows
        self._arrays = {name: np.zeros(max(n, 1)) for name in _ARRAYS}
        self._stages = {name: np.zeros(MOST_STAGES + 1) for name in _STAGES}
        self._atol = problem.absolute(atol) * np.ones(max(n, 1))
        self.x = self._arrays["x"][:n]
        arrays = {**self._arrays, **self._stages, "atol": self._atol}
        loop.connect(**{name: data_address(array) for name, array in arrays.items()})
        loop.watch(problem, self._bands, self.largest)
        loop.rtol, loop.dimension = rtol, float(max(n, 1))
        self._vectors: list[int] = []
        self._context = P()
        if self._c.SUNContext_Create(0, ctypes.byref(self._context)) != 0:
            raise MemoryError("SUNContext_Create failed")
        loop.connect(y=self._vector("x"), derivative=self._vector("f"), rates=0, user=problem.user_address)
        loop.connect(right=problem.rhs_address, root=problem.root_address)
        self._begin_at(time, x)

    def _vector(self, name: str) -> int:
        array = self._arrays[name]
        vector = not_null(self._c.N_VMake_Serial(array.size, data_address(array), self._context))
        self._vectors.append(vector)
        return vector

    def _begin_again(self, time: float) -> None:
        loop = self._loop
        loop.known = loop.directed = loop.rejected = 0
        self._arrays["x0"][:] = self._arrays["x"]

    def _give_arrays(self, grid: np.ndarray, x_out: np.ndarray) -> None:
        self._loop.connect(grid=data_address(grid), x_out=data_address(x_out))

    def _set_stop(self, stop: float) -> None:
        """Do nothing: the loop knows the stop time."""

    def _order(self) -> int:
        return 2

    def _reach(self, begin: float, now: float) -> float:
        return now + LARGEST_GROWTH * (now - begin) if now > begin else np.inf

    def _failed_steps(self) -> int:
        return self._loop.rejected

    def _failure(self, flag: int, message: str = "") -> IntegrationFailure:
        time = self._loop.end
        if flag == NOT_EVALUATED and not message:
            at = ModelFailure(self._loop.failed, self._arrays["x_failed"][: self._problem.n])
            return IntegrationFailure("the model could not be evaluated", time, at=at)
        if flag == self.root_failed:
            message = message or "the event indicators could not be evaluated"
        return IntegrationFailure(message or "the error test failed with the smallest step size", time)

    def statistics(self) -> SolverStatistics:
        """See `interface.Solver`."""
        return SolverStatistics(self._loop.made_steps, self._loop.evaluations, order=2)

    def __del__(self) -> None:
        with suppress(Exception):  # where Python ends
            self.close()

    def close(self) -> None:
        """See `interface.Solver`."""
        for vector in self._vectors:
            self._c.N_VDestroy(vector)
        if self._context:
            self._c.SUNContext_Free(ctypes.byref(self._context))
        self._vectors, self._context = [], P()
