"""CVODE and IDA through scikit-sundae's own interface: the model is called from Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from .ida import consistent_derivatives
from .interface import IntegrationFailure, ModelFailure, Problem, SolverStatistics
from .python_steps import PythonSteps


class SundaeCvode(PythonSteps):
    """See `interface.Solver`. A model without states is integrated with one state that stands still."""

    def __init__(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        self._options = {"rtol": rtol, "atol": problem.absolute(atol)}
        self._work = SolverStatistics()
        self._jacobians = 0  # before the last restart
        self._solver: Any = None
        super().__init__(problem, time, x)

    def _initialize(self, time: float, x: np.ndarray) -> None:
        if self._solver is None:
            from sksundae.cvode import CVODE

            self._solver = CVODE(self._right_hand_side, **self._options)
        self._solver.init_step(time, x)

    def _begin_again(self, time: float) -> None:
        self._jacobians = self._work.jacobian_evaluations
        self._told = time
        self._has_stepped = False
        x = np.zeros(max(self._problem.n, 1))
        x[: self._problem.n] = self.x
        self._initialize(time, x)

    def _right_hand_side(self, t, y, yp):  # type: ignore[no-untyped-def]
        n = self._problem.n
        self._work.rhs_evaluations += 1
        if n == 0:
            yp[:] = 0.0
        elif self._problem.rhs(t, y[:n], yp[:n]) != 0:
            raise ModelFailure(t, y[:n])

    def _make_step(self, begin: float) -> float:
        if self._told != begin:
            self._tell(begin)  # or the integrator tells its last step again
        try:
            stop = min(self._stop, begin + self._loop.longest_step(), self._loop.next_kink())
            step = self._solver.step(self._loop.target, method="onestep", tstop=stop)
        except ModelFailure as failure:
            raise IntegrationFailure("the model could not be evaluated", begin, at=failure) from None
        if step.status < 0:
            raise IntegrationFailure(step.message, step.t)
        self._has_stepped, self._told = True, step.t
        self._work.steps += 1
        self._work.jacobian_evaluations = self._jacobians + step.njev
        return float(step.t)

    def _tell(self, time: float) -> Any:
        self._told = time
        return self._solver.step(time, method="normal", tstop=None)

    def _interpolate(self, time: float) -> np.ndarray:
        if not self._has_stepped:
            return self.x.copy()
        return np.array(self._tell(time).y[: self._problem.n])

    def statistics(self) -> SolverStatistics:
        """See `interface.Solver`. The order is not told by scikit-sundae."""
        return SolverStatistics(**vars(self._work))

    def close(self) -> None:
        """See `interface.Solver`."""
        self._solver = None


class SundaeIda(SundaeCvode):
    """The same for the residual form."""

    def _initialize(self, time: float, x: np.ndarray) -> None:
        if self._solver is None:
            from sksundae.ida import IDA

            self._solver = IDA(self._residuals, **self._options)
        self._xdot = np.zeros(x.size)
        consistent_derivatives(self._problem, time, self.x, self._xdot[: self._problem.n])
        self._solver.init_step(time, x, self._xdot)

    def _residuals(self, t, y, yp, r):  # type: ignore[no-untyped-def]
        n = self._problem.n
        self._work.rhs_evaluations += 1
        if n == 0:
            r[:] = yp
            return
        assert self._problem.residual is not None
        if self._problem.residual(t, y[:n], yp[:n], r[:n]) != 0:
            raise ModelFailure(t, y[:n])

    def _evaluate_indicators(self, time: float, z: np.ndarray) -> int:
        told, n = self._tell(time), self._problem.n
        assert self._problem.dae_root is not None
        return self._problem.dae_root(time, np.array(told.y[:n]), np.array(told.yp[:n]), z)

    def _rates(self) -> np.ndarray:
        return self._xdot[: self._problem.n]
