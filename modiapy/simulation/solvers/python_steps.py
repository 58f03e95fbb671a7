"""Integrators that are driven from Python: single steps with a dense output, and what `step_loop` does for the others."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from .beginning import indicators_at_begin
from .crossings import Crossing, Point, first_crossing, inside, is_near, precision, still_asleep
from .interface import Advance, IntegrationFailure, Problem
from .progress import Progress
from .step_code import GROWTH, LONGEST_FIRST
from .watch import Watch, begins_to_hold

LARGEST_GROWTH = 1e4
"""What these integrators multiply a step by at most (the first one)."""


def indicators_failed(time: float) -> IntegrationFailure:
    """The error where event indicators cannot be evaluated."""
    return IntegrationFailure("the event indicators could not be evaluated", time)


class PythonSteps(ABC):
    """See `interface.Solver`."""

    def __init__(self, problem: Problem, time: float, x: np.ndarray) -> None:
        self._problem = problem
        self.x = np.zeros(problem.n)
        self.count = 0
        self.restart(time, x)

    @abstractmethod
    def _restart(self, time: float) -> None:
        """The integrator begins again at ``time`` [s] with the states `x`."""

    @abstractmethod
    def _make_step(self, begin: float, stop: float) -> float:
        """One step, not beyond ``stop``; the time [s] where it ends. Raises IntegrationFailure."""

    @abstractmethod
    def _states(self, time: float) -> np.ndarray:
        """States at a time [s] in the last step, shape (n,)."""

    def _rates(self) -> np.ndarray | None:
        """Derivatives where the integrator begins, shape (n,); None where it is not given any."""
        return None

    def _indicators(self, time: float) -> np.ndarray:
        z = np.zeros(self._problem.n_z)
        if self._problem.root(time, np.ascontiguousarray(self._states(time)), z) != 0:
            raise indicators_failed(time)
        return z

    def restart(self, time: float, x: np.ndarray) -> None:
        """See `interface.Solver`."""
        self.x[:] = x
        self._begin = self._end = time
        self._progress = Progress(time)
        self._stop_at = math.inf
        self._crossing: Crossing | None = None
        self._z: np.ndarray | None = None  # at the end of the last step
        self._before: Point | None = None  # inside of it
        self._beyond: IntegrationFailure | None = None  # where a step beyond the end of the simulation failed
        self._restart(time)

    def advance(
        self, grid: np.ndarray, stop: float, x_out: np.ndarray, watch: Watch | None = None, end: float | None = None
    ) -> Advance:
        """See `interface.Solver`."""
        self.count = 0
        while True:
            for target in grid[self.count :].tolist():
                if target > self._end or target >= self._stop_at:
                    break
                self.x[:] = x_out[self.count] = self._states(target)
                self.count += 1
            if self.count == grid.size and self._stop_at - grid[-1] <= precision(self._begin, self._end):
                return self._stopped()
            if self.count == grid.size:
                return Advance(float(grid[-1]), grid.size)
            if self._stop_at <= self._end:
                return self._stopped()
            begin, now = self._begin, self._end
            try:
                self._step(stop if self._beyond is None or end is None else end, watch)
                stuck = self._progress.failure(1, self._end, 2, self._end if end is None else end)
            except IntegrationFailure as failure:
                reach = max(self._end, now + LARGEST_GROWTH * (now - begin) if now > begin else math.inf)
                if end is None or self._beyond is not None or not now < end <= reach or end >= stop:
                    raise self._beyond or failure from None
                self.restart(now, self._states(now).copy())
                self._beyond = failure
                continue
            if stuck:
                raise IntegrationFailure(stuck, self._end)

    def _step(self, stop: float, watch: Watch | None) -> None:
        """One step, and the first event in it."""
        begin, length, has_indicators = self._end, self._end - self._begin, self._problem.n_z > 0
        if has_indicators and self._z is None:
            self._z = indicators_at_begin(self._problem, begin, self.x, self._rates())
            if self._z is None:
                raise indicators_failed(begin)
        self._end = end = self._make_step(begin, stop)
        self._begin = begin
        if has_indicators:
            assert self._z is not None
            at = inside(begin, end)
            first, middle, last = (begin, self._z), (at, self._indicators(at)), (end, self._indicators(end))
            longest = max(GROWTH * length, LONGEST_FIRST)
            if end - begin > longest or is_near(self._before, first, middle, last):
                self._crossing = first_crossing(self._indicators, first, middle, last, longest)
                if self._crossing is not None:
                    self._stop_at = self._crossing.time
            self._before, self._z = middle, still_asleep(self._z, last[1])
        if watch is not None:
            holds_from = begins_to_hold(watch, begin, end, min(end, self._stop_at), self._states)
            if holds_from is not None and holds_from < self._stop_at:
                self._stop_at, self._crossing = holds_from, None

    def _stopped(self) -> Advance:
        self.x[:] = self._states(self._stop_at)
        if self._crossing is None:
            return Advance(self._stop_at, self.count, watched=True)
        return Advance(self._stop_at, self.count, self._crossing.roots, self._crossing.rising)
