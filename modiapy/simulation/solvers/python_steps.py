"""Integrators that are driven from Python: single steps with a dense output, under the same loop as the others (`steps`)."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from .crossings import OFF, ROWS
from .interface import IntegrationFailure, Problem
from .stepping import SteppingSolver
from .steps import GROWTH, LONGEST_FIRST, Steps

LARGEST_GROWTH = 1e4
"""What these integrators multiply a step by at most (the first one)."""


class PythonLoop(Steps):
    """The loop with the steps of an integrator that Python calls."""

    def __init__(self, integrator: PythonSteps, problem: Problem) -> None:
        self._integrator = integrator
        self.count = 0
        self.n, self.n_z, self.recovers, self.draws = problem.n, problem.n_z, 0, int(problem.pull is not None)
        if problem.pull is not None:
            self.pull = problem.pull
        self.limits, self.n_limits = problem.limits, problem.limits.size
        self.kinks, self.n_kinks, self.kink = problem.kinks, problem.kinks.size, 0
        self.x, self.rows = np.zeros(self.n), np.zeros((ROWS, self.n_z))
        self.z, self.at, self.off, self.kept = self.rows.reshape(-1), np.zeros(ROWS), OFF, np.zeros(self.n_limits)
        self.bands = np.zeros(self.n_z)

    @np.errstate(all="ignore")
    def advance(self) -> int:
        """See `Steps`."""
        return super().advance()

    def next_kink(self) -> float:
        """Return the time of the next kink [s]; infinite if there is none."""
        self.to_kink()
        return float(self.kinks[self.kink]) if self.kink < self.n_kinks else math.inf

    def make_step(self) -> int:
        """See `Steps`. Raises IntegrationFailure."""
        self.part = max(GROWTH * (self.end - self.begin), LONGEST_FIRST)
        self.time = self._integrator._make_step(self.end)
        return 0

    def measure(self) -> None:
        """See `Steps`."""
        self.dense(self.end)
        np.maximum(self.sizes, np.abs(self.x), out=self.sizes)

    def dense(self, t: float) -> int:
        """See `Steps`."""
        self.x[:] = self._integrator._interpolate(float(t))
        return 0

    def indicators(self, t: float, row: int) -> int:
        """See `Steps`."""
        self.dense(t)
        return self._integrator._evaluate_indicators(t, self.rows[row])


class PythonSteps(SteppingSolver[PythonLoop]):
    """See `interface.Solver`."""

    root_failed = -1

    def __init__(self, problem: Problem, time: float, x: np.ndarray) -> None:
        super().__init__(problem, time)
        self._loop = PythonLoop(self, problem)
        self.x, self._rows, self._loop.sizes = self._loop.x, self._loop.rows, self.largest
        self._bands = self._loop.bands
        self._begin_at(time, x)

    @abstractmethod
    def _make_step(self, begin: float) -> float:
        """Make one step, not beyond ``_stop``; return the time [s] of its end. Raises IntegrationFailure."""

    @abstractmethod
    def _interpolate(self, time: float) -> np.ndarray:
        """Return the states at a time [s] in the last step, shape (n,)."""

    def _evaluate_indicators(self, time: float, z: np.ndarray) -> int:
        """Evaluate the indicators at a time [s] with the states `x` -> ``z``; return the status."""
        return self._problem.root(time, self.x, z)

    def _give_arrays(self, grid: np.ndarray, x_out: np.ndarray) -> None:
        self._loop.grid, self._loop.x_out = grid, x_out.reshape(-1)

    def _set_stop(self, stop: float) -> None:
        """Do nothing: `_make_step` knows the stop time."""

    def _order(self) -> int:
        return 2

    def _reach(self, begin: float, now: float) -> float:
        return now + LARGEST_GROWTH * (now - begin) if now > begin else math.inf

    def _failure(self, flag: int, message: str = "") -> IntegrationFailure:
        return IntegrationFailure(message or "the event indicators could not be evaluated", self._loop.end)
