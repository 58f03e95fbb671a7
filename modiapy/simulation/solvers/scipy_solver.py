"""LSODA of scipy, where SUNDIALS is not installed. Zero crossings are located on its dense output."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .interface import Advance, IntegrationFailure, ModelFailure, Problem, SolverStatistics
from .watch import Watch, begins_to_hold


class ScipySolver:
    """See `interface.Solver`. A model without states is integrated with one state that stands still."""

    def __init__(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        self._problem, self._rtol, self._atol = problem, rtol, problem.absolute(atol)
        self.x = np.zeros(problem.n)
        self.count = 0
        self._statistics = SolverStatistics()
        self._solver: Any = None
        self.restart(time, x)

    def restart(self, time: float, x: np.ndarray) -> None:
        """See `interface.Solver`."""
        self.x[:] = x
        self._time = time
        self._solver = self._dense = None
        self._holds_from: float | None = None
        self._z = self._indicators(time, self.x)

    def _create(self, stop: float) -> None:
        from scipy.integrate import LSODA

        x = self.x if self._problem.n else np.zeros(1)
        self._solver = LSODA(self._right_hand_side, self._time, x, stop, rtol=self._rtol, atol=self._atol)

    def _right_hand_side(self, t: float, y: np.ndarray) -> np.ndarray:
        self._statistics.rhs_evaluations += 1
        n = self._problem.n
        if n == 0:
            return np.zeros(1)
        derivatives = np.empty(n)
        if self._problem.rhs(t, np.ascontiguousarray(y), derivatives) != 0:
            raise ModelFailure(t, y[:n])
        return derivatives

    def _indicators(self, t: float, x: np.ndarray) -> np.ndarray:
        z = np.zeros(self._problem.n_z)
        if z.size and self._problem.root(t, np.ascontiguousarray(x), z) != 0:
            raise IntegrationFailure("the event indicators could not be evaluated", t)
        return z

    def advance(self, grid: np.ndarray, stop: float, x_out: np.ndarray, watch: Watch | None = None) -> Advance:
        """See `interface.Solver`."""
        self.count = 0
        if self._solver is None or self._solver.t_bound != stop:
            self._create(stop)
        for i, target in enumerate(grid.tolist()):
            while self._solver.t < target and self._holds_from is None:
                found = self._roots(min(self._solver.t, target))
                if found is not None:
                    return self._at_root(found, i)
                self._step()
                if watch is not None:
                    self._holds_from = begins_to_hold(watch, self._solver.t_old, self._solver.t, self._states)
            end = target if self._holds_from is None else min(target, self._holds_from)
            found = self._roots(end)
            if found is not None:
                return self._at_root(found, i)
            if self._holds_from == end:
                self.x[:] = self._states(end)
                return Advance(end, i, watched=True)
            self._time = target
            self.x[:] = self._states(target)
            x_out[i] = self.x
            self.count = i + 1
        return Advance(float(grid[-1]), len(grid))

    def _step(self) -> None:
        try:
            message = self._solver.step()
        except ModelFailure as failure:
            raise IntegrationFailure("the model could not be evaluated", self._solver.t, at=failure) from None
        if self._solver.status == "failed":
            raise IntegrationFailure(message or "LSODA failed", self._solver.t)
        self._statistics.steps += 1
        self._dense = self._solver.dense_output()

    def _states(self, t: float) -> np.ndarray:
        if self._dense is None:
            return self.x.copy()
        return np.asarray(self._dense(t))[: self._problem.n]

    def _roots(self, end: float) -> float | None:
        """Time of the first zero crossing in (present time, end], or None; the present time moves to there."""
        if not self._problem.n_z or end <= self._time:
            return None
        from scipy.optimize import brentq

        def indicator(t: float, k: int) -> float:
            return float(self._indicators(t, self._states(t))[k])

        z = self._indicators(end, self._states(end))
        crossed = np.flatnonzero((self._z * z < 0) | ((z == 0) & (self._z != 0)))
        if not crossed.size:
            self._time, self._z = end, np.where(z == 0, self._z, z)
            return None
        precision = 4 * np.finfo(float).eps * max(abs(end), abs(self._time), 1.0)
        times = [end if z[k] == 0 else brentq(indicator, self._time, end, args=(k,), xtol=precision) for k in crossed]
        first = min(min(times) + precision, end)
        self._crossed = [(int(k), bool(self._z[k] < 0)) for k, t in zip(crossed, times, strict=True) if t <= first]
        return first

    def _at_root(self, time: float, count: int) -> Advance:
        self._time = time
        self.x[:] = self._states(time)
        roots, rising = zip(*self._crossed, strict=True)
        return Advance(time, count, roots, rising)

    def statistics(self) -> SolverStatistics:
        """See `interface.Solver`."""
        return replace(self._statistics)

    def close(self) -> None:
        """See `interface.Solver`."""
        self._solver = self._dense = None
