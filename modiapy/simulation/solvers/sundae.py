"""CVODE through scikit-sundae's own interface: the model is called from Python."""

from __future__ import annotations

import numpy as np

from .interface import Advance, IntegrationFailure, ModelFailure, Problem, SolverStatistics
from .watch import Watch, refuse_watch

_ROOT_RETURN = 2
_MAX_STEPS_PER_POINT = 200_000


class SundaeCvode:
    """See `interface.Solver`. A model without states is integrated with one state that stands still."""

    def __init__(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        from sksundae.cvode import CVODE

        self._problem = problem
        self._evaluations = self._jacobians = 0
        self._done = SolverStatistics()
        self._time = time
        self._x = np.zeros(max(problem.n, 1))
        self.x = self._x[: problem.n]
        self.x[:] = x
        self.count = 0
        options = {"eventsfn": self._root_function, "num_events": problem.n_z} if problem.n_z else {}
        options |= {"rtol": rtol, "atol": problem.absolute(atol), "max_num_steps": _MAX_STEPS_PER_POINT}
        self._new = lambda: CVODE(self._right_hand_side, **options)
        self._solver = self._new()
        self._solver.init_step(time, self._x)

    def _right_hand_side(self, t, y, yp):  # type: ignore[no-untyped-def]
        n = self._problem.n
        self._evaluations += 1
        if n == 0:
            yp[:] = 0.0
        elif self._problem.rhs(t, y[:n], yp[:n]) != 0:
            raise ModelFailure(t, y[:n])

    @property
    def _root_function(self):  # type: ignore[no-untyped-def]
        n, root = self._problem.n, self._problem.root

        def evaluate(t, y, z):  # type: ignore[no-untyped-def]
            if root(t, y[:n], z) != 0:
                raise ModelFailure(t, y[:n])

        return evaluate

    def advance(self, grid: np.ndarray, stop: float, x_out: np.ndarray, watch: Watch | None = None) -> Advance:
        """See `interface.Solver`."""
        refuse_watch("sundae", watch)
        self.count = 0
        for i, target in enumerate(grid.tolist()):
            try:
                step = self._solver.step(target, method="normal", tstop=stop)
            except ModelFailure as failure:
                raise IntegrationFailure("the model could not be evaluated", self._time, at=failure) from None
            self._time = step.t
            self.x[:] = step.y[: self._problem.n]
            self._jacobians = step.njev
            if step.status == _ROOT_RETURN:
                roots = step.i_events[-1]
                rising = tuple((roots[roots != 0] > 0).tolist())
                return Advance(step.t, i, tuple(np.flatnonzero(roots).tolist()), rising)
            if step.status < 0:
                raise IntegrationFailure(step.message, step.t)
            x_out[i] = self.x
            self.count = i + 1
        return Advance(float(grid[-1]), len(grid))

    def restart(self, time: float, x: np.ndarray) -> None:
        """See `interface.Solver`."""
        self._done.jacobian_evaluations += self._jacobians
        self._jacobians = 0
        self._time = time
        self.x[:] = x
        self._solver = self._new()  # one that begins again keeps what it knows of roots
        self._solver.init_step(time, self._x)

    def statistics(self) -> SolverStatistics:
        """See `interface.Solver`. Steps and order are not told by scikit-sundae."""
        jacobians = self._done.jacobian_evaluations + self._jacobians
        return SolverStatistics(rhs_evaluations=self._evaluations, jacobian_evaluations=jacobians)

    def close(self) -> None:
        """See `interface.Solver`."""
        self._solver = None
