"""Work of all integrators around their steps (`steps`): zero crossings, watched conditions, failures beyond the end."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np

from .beginning import indicators_at_begin
from .crossings import HIGH, LOW, crossing_between
from .interface import Advance, Follower, IntegrationFailure, ModelFailure, Problem
from .steps import LONGEST_FIRST, Outcome, Steps
from .watching.condition_monitor import ConditionMonitor, begins_to_hold
from .watching.instants import precision
from .watching.progress import AHEAD, Progress

STEPS_AT_ONCE = 250
"""Steps after which an interrupt from the keyboard is seen."""

SHORTER = 0.25
"""Where a first step does not solve the equations, the next one is at most so many times as long."""

FIRST_PULL = 10.0
"""How fast states are drawn to their constraints in the first step [1/s]."""

Loop = TypeVar("Loop", bound=Steps)


class SteppingSolver(ABC, Generic[Loop]):
    """See `interface.Solver`. Integrators stand at their first point after `_begin_at`."""

    root_failed: int
    """Flag where the event indicators could not be evaluated."""
    _loop: Loop
    _rows: np.ndarray
    """Indicators of the loop, shape (`crossings.ROWS`, n_z)."""
    x: np.ndarray

    def __init__(self, problem: Problem, time: float) -> None:
        self._problem = problem
        self._progress = Progress(time)
        self.follower: Follower | None = None
        self.largest, self._bands = np.zeros(problem.n), np.zeros(problem.n_z)
        self._pull_as_first()

    @property
    def count(self) -> int:
        """See `interface.Solver`."""
        return self._loop.count

    @count.setter
    def count(self, count: int) -> None:
        self._loop.count = count

    @abstractmethod
    def _give_arrays(self, grid: np.ndarray, x_out: np.ndarray) -> None:
        """Pass the output points, and the memory for their states, to the loop."""

    @abstractmethod
    def _set_stop(self, stop: float) -> None:
        """Set the time [s] beyond which the integrator must not go."""

    @abstractmethod
    def _begin_again(self, time: float) -> None:
        """Restart the integrator at ``time`` [s] with the states `x`, as a new one would begin."""

    @abstractmethod
    def _order(self) -> int:
        """Return the order of the last step."""

    @abstractmethod
    def _reach(self, begin: float, now: float) -> float:
        """Return the end [s] up to which a step after one from ``begin`` to ``now`` may go."""

    @abstractmethod
    def _failure(self, flag: int, message: str = "") -> IntegrationFailure:
        """Return the error for a flag of the loop, or with a message."""

    def _rates(self) -> np.ndarray | None:
        """Return the derivatives at the beginning of the integrator, shape (n,); None if it is not given any."""
        return None

    def _failed_steps(self) -> int:
        """Return the number of failed steps since the integrator began, because no states were found."""
        return 0

    def _see_interrupt(self) -> None:
        """Raise KeyboardInterrupt if one has come in a function that the integrator has called."""

    def _is_solved(self) -> bool:
        """Return whether the last step, which is longer again than the one before, solves the equations of the method."""
        return True

    def _note_work(self) -> None:
        """Add up the work before the integrator begins again, since its counters may be reset."""

    def restart(self, time: float, x: np.ndarray) -> None:
        """See `interface.Solver`."""
        self._note_work()
        self._progress.begin(time)
        self._begin_at(time, x)

    def _begin_at(self, time: float, x: np.ndarray) -> None:
        self.x[:] = x
        self._stand_at(time)
        self._begin_again(time)

    def _pull_as_first(self) -> None:
        if self._problem.pull is not None:
            self._problem.pull[0] = FIRST_PULL

    def _stand_at(self, time: float) -> None:
        """Begin at ``time`` [s]."""
        loop = self._loop
        np.maximum(self.largest, np.abs(self.x), out=self.largest)
        loop.begin = loop.end = loop.target = loop.time = loop.inside = time
        loop.stop, loop.before, loop.longest, loop.first = math.inf, math.nan, 0.0, LONGEST_FIRST
        self._pull_as_first()
        loop.drawn, loop.since = 0.0, time
        kinks = self._problem.kinks
        loop.kink = int(kinks.searchsorted(time, side="right")) if kinks.size else 0
        self._fresh, self._stop = True, math.nan
        self._watched = False
        self._beyond: IntegrationFailure | None = None  # where a step beyond the end of the simulation failed
        self._failed_at = self._stood_at = time

    def advance(
        self,
        grid: np.ndarray,
        stop: float,
        x_out: np.ndarray,
        monitor: ConditionMonitor | None = None,
        end: float | None = None,
    ) -> Advance:
        """See `interface.Solver`."""
        loop, self._loop.count = self._loop, 0
        grid = np.ascontiguousarray(grid)
        self._give_arrays(grid, x_out)
        loop.n_grid = grid.size
        follower = self.follower
        at_once = 1 if monitor is not None or follower is not None else STEPS_AT_ONCE
        while True:
            try:
                self._prepare(stop if self._beyond is None or end is None else end)
                loop.steps = at_once
                loop.most = math.inf if follower is None else follower.longest_step
                outcome = loop.advance()
                self._see_interrupt()
                if outcome == Outcome.FINISHED and self._stops_at(float(grid[-1])):
                    return self._stopped()
                if outcome == Outcome.FINISHED:
                    return Advance(float(grid[-1]), grid.size)
                if outcome == Outcome.STOPPED:
                    return self._stopped()
                recovers, loop.recovers = loop.recovers, 0
                if recovers and outcome != Outcome.FAILED and not self._is_solved():
                    self._go_back(loop.begin, self._shorter(loop.end - loop.begin))
                    stuck = self._progress.goes_back(loop.begin)
                else:
                    self._look_at_step(Outcome(outcome), monitor)
                    now = loop.end
                    until = now if end is None else end
                    stuck = self._progress.failure(at_once - loop.steps, now, self._order(), until, self._failed_steps())
            except IntegrationFailure as failure:
                beyond = self._beyond
                if end is None or beyond is not None or not self._was_beyond(stop, end):
                    raise (failure if beyond is None or failure.time < beyond.time else beyond) from None
                if end - loop.end <= precision(loop.begin, loop.end):
                    loop.end = end  # the two cannot be told apart
                    continue
                self._go_back(loop.end)
                self._beyond = failure
                continue
            if stuck:
                raise self._failure(-1, stuck)

    def _prepare(self, stop: float) -> None:
        """Set the time [s] beyond which the integrator must not go, and evaluate the indicators at its beginning."""
        if stop != self._stop:
            self._set_stop(stop)
            self._stop = self._loop.last = stop
            self._loop.bounded = 0
        if self._fresh:
            time = self._loop.end
            self._loop.target = min(stop, time + AHEAD)
            if self._problem.n_z:
                z = indicators_at_begin(self._problem, time, self.x, self._rates())
                if z is None:
                    raise self._failure(self.root_failed)
                self._rows[0] = z
                bands = np.abs(self._problem.bands())
                self._bands[: bands.size] = bands
            self._fresh = False

    def _look_at_step(self, outcome: Outcome, monitor: ConditionMonitor | None) -> None:
        """Look for zero crossings and watched conditions after a step, or several. Raises IntegrationFailure."""
        loop = self._loop
        if outcome == Outcome.FAILED:
            flag = loop.flag
            loop.dense(loop.end)
            raise self._failure(flag)
        if outcome == Outcome.ROOT_FAILED:
            raise self._indicators_failed(loop.failed)
        begin, end = loop.begin, loop.end
        if monitor is not None:
            try:
                holds_from = begins_to_hold(monitor, begin, end, min(end, loop.stop), self._states)
            except IntegrationFailure:
                self._stand_before_step()
                raise
            if holds_from is not None and holds_from < loop.stop:
                loop.stop, self._watched = holds_from, True
        if self.follower is not None:
            self.follower.follow(begin, min(end, loop.stop), self._states)

    def _stops_at(self, time: float) -> bool:
        """Return whether an event of the last step is at a time [s], apart from rounding; the states are then those there."""
        loop = self._loop
        return loop.stop - time <= precision(loop.begin, loop.end) and loop.dense(loop.stop) == 0

    def _stopped(self) -> Advance:
        time = self._loop.stop
        if self._watched:
            return Advance(time, self.count, watched=True)
        crossing = crossing_between(time, self._rows[LOW], self._rows[HIGH])
        return Advance(time, self.count, crossing.roots, crossing.rising)

    def _shorter(self, length: float) -> float:
        """Return the length [s] of a shorter step in place of the last one, which does not solve the equations."""
        may_be = self._loop.begin == self._stood_at and self._progress.may_be_shorter()
        return SHORTER * length if may_be else LONGEST_FIRST

    def _go_back(self, time: float, first: float = LONGEST_FIRST) -> None:
        """Restart inside the last step [s], with a new Jacobian, and a first step of this length [s] at most."""
        longest = self._loop.longest
        self._loop.dense(time)
        self._note_work()
        self._begin_at(time, self.x.copy())
        self._loop.longest, self._loop.first = longest, first

    def _was_beyond(self, stop: float, end: float) -> bool:
        """Return whether the step that failed may have gone beyond the end of the simulation."""
        begin, now = self._loop.begin, self._loop.end
        return now < end <= max(self._failed_at, self._reach(begin, now)) and end < stop

    def _indicators_failed(self, time: float) -> IntegrationFailure:
        """Return the error at a time [s] in the last step; the integrator goes back to the beginning of this step."""
        self._loop.dense(time)
        at = ModelFailure(time, self.x)
        self._stand_before_step()
        failure = self._failure(self.root_failed)
        failure.time, failure.at = time, at
        return failure

    def _stand_before_step(self) -> None:
        """Go back to the time before the last step, in which a failure occurred; its results are discarded."""
        loop = self._loop
        loop.dense(loop.begin)
        self._failed_at, loop.end = loop.end, loop.begin

    def _states(self, time: float) -> np.ndarray:
        """Return the states at ``time`` [s] in the last step, on their constraints, shape (n,): the integrator's vector, or a
        copy.
        """
        flag = self._loop.dense(time)
        if flag != 0:
            raise self._failure(flag)
        project = self._problem.project
        if project is None:
            return self.x
        states = self.x.copy()
        if project(time, states) != 0:
            raise self._failure(self.root_failed, "the states could not be brought onto their constraints")
        return states
