"""LSODA of scipy, where SUNDIALS is not installed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .interface import IntegrationFailure, ModelFailure, Problem, SolverStatistics
from .python_steps import PythonSteps
from .watching.progress import AHEAD


class ScipySolver(PythonSteps):
    """See `interface.Solver`. A model without states is integrated with one state that stands still."""

    def __init__(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        self._rtol, self._atol = rtol, problem.absolute(atol)
        self._statistics = SolverStatistics()
        self._solver: Any = None
        self._most = 0.0
        super().__init__(problem, time, x)

    def _begin_again(self, time: float) -> None:
        self._solver = self._dense = None

    def _create(self, time: float, stop: float) -> None:
        from scipy.integrate import LSODA

        x = self._interpolate(time) if self._problem.n else np.zeros(1)
        target = self._loop.target if self._loop.target > time else min(stop, time + AHEAD)
        try:
            first = self._first_step(time, target, x)
        except ModelFailure as failure:
            raise IntegrationFailure("the model could not be evaluated", time, at=failure) from None
        longest = self._loop.longest_step()
        self._most = longest if longest >= self._most else 0.5 * longest
        self._solver = LSODA(
            self._right_hand_side, time, x, stop, min(first, self._most), max_step=self._most, rtol=self._rtol, atol=self._atol
        )

    def _first_step(self, time: float, target: float, x: np.ndarray) -> float:
        """Return the first step size [s] that LSODA chooses for ``target`` [s]."""
        weights = self._rtol * np.abs(x) + self._atol
        speed = float(np.abs(self._right_hand_side(time, x) / weights).max())
        share = min(max(self._rtol, 100.0 * np.finfo(float).eps), 1e-3)
        scale = max(abs(time), abs(target))
        return min(1.0 / np.sqrt(1.0 / (share * scale**2) + share * speed**2), target - time)

    def _right_hand_side(self, t: float, y: np.ndarray) -> np.ndarray:
        self._statistics.rhs_evaluations += 1
        n = self._problem.n
        if n == 0:
            return np.zeros(1)
        derivatives = np.empty(n)
        if self._problem.rhs(t, np.ascontiguousarray(y), derivatives) != 0:
            raise ModelFailure(t, y[:n])
        return derivatives

    def _make_step(self, begin: float) -> float:
        longest, stop = self._loop.longest_step(), min(self._stop, self._loop.next_kink())
        if self._solver is None or self._solver.t_bound != stop or not self._most <= longest <= 4.0 * self._most:
            self._create(begin, stop)
        try:
            message = self._solver.step()
        except ModelFailure as failure:
            raise IntegrationFailure("the model could not be evaluated", self._solver.t, at=failure) from None
        if self._solver.status == "failed":
            raise IntegrationFailure(message or "LSODA failed", self._solver.t)
        self._statistics.steps += 1
        self._dense = self._solver.dense_output()
        return float(self._solver.t)

    def _interpolate(self, time: float) -> np.ndarray:
        if self._dense is None:
            return self.x.copy()
        return np.asarray(self._dense(time))[: self._problem.n]

    def statistics(self) -> SolverStatistics:
        """See `interface.Solver`."""
        return replace(self._statistics)

    def close(self) -> None:
        """See `interface.Solver`."""
        self._solver = self._dense = None
