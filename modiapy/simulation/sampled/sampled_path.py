"""`SampledPath`: a simulation between samples, as far as nothing is to be decided there; see the folder."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from ...acausal.abilities import Waits
from ...acausal.protocol import ComponentRun
from ..evaluation.machine import Machine
from ..events.history import EventHistory
from ..events.iteration import EventIteration
from ..results.segment_result import Interval
from ..segments.current_point import CurrentPoint
from ..segments.options import Options
from ..segments.segment import Segment, tell_progress
from ..solvers import IntegrationFailure, ModelFailure, SolverStatistics
from .held_inputs import HeldInputs
from .sample_memory import LOW, Ended

if TYPE_CHECKING:
    from .sample_loop import SampleLoop

REST = 20
"""Samples for which an implicit method is taken after stiffness was found."""

_PACE = ("h", "order", "patience", "spent")
"""Fields of the loop on which its next steps depend."""


class Stands(Enum):
    """Place of a simulation, as this path sees it."""

    ELSEWHERE = 0
    """In a step of the segment's integrator."""
    AT_EVENT = 1
    """At an event, where that integrator has just been restarted."""
    HERE = 2
    """In or at the end of a step of this path; the segment's integrator is to be restarted before it goes on."""
    LEFT = 3
    """At the beginning of a step that this path could not make; the segment's integrator is to be restarted."""


class SampledPath:
    """Part of a `SegmentLoop` that goes on between samples without it.

    Args:
        machine, options, current, iteration, history: those of the loop. runs: the components. waiting: those that wait.

    Attributes:
        stands: where the simulation is.
        pending: why a hold ended, as long as nothing follows from that.
        points: how many points of the segment were stored at the last sample.
    """

    def __init__(
        self,
        machine: Machine,
        options: Options,
        current: CurrentPoint,
        iteration: EventIteration,
        history: EventHistory,
        runs: Collection[ComponentRun],
        waiting: Sequence[Waits],
    ) -> None:
        self._machine, self._options, self._current = machine, options, current
        self._iteration, self._history, self._runs, self._waiting = iteration, history, runs, waiting
        memory = machine.memory
        self._possible = (
            options.solver in ("cvode", "adams")
            and not machine.sorted.constraints
            and not memory.after.size
            and not memory.solves_nonlinear
        )
        self.stands = Stands.ELSEWHERE
        self._pace: dict[str, Any] = {"h": 0.0, "order": LOW, "patience": 0, "spent": 0}
        self._pace_then: dict[str, Any] | None = None  # where a snapshot is taken of an earlier time
        self._rest, self._was_here = 0, False
        self._ignoring: bool | None = None
        self._simple: HeldInputs | None = None  # inputs where nothing but them is to be looked at in a sample
        self._latest = 0.0  # time before which that is so [s]
        self.pending: Ended | None = None
        self._held = 0  # samples of inputs that are not counted yet
        self._segment: Segment | None = None
        self.points = 0
        self._told = 0, 0, 0
        self._stale = False
        self._loop: SampleLoop | None = None
        if self._possible and iteration.tickers:
            from .sample_loop import load_functions

            load_functions()

    # -- what is possible -------------------------------------------------------------------------------------------------

    @property
    def goes(self) -> bool:
        """True if the simulation may go on here until its next event."""
        if self.stands is Stands.HERE:
            return self._is_quiet()
        return self.stands is Stands.AT_EVENT and bool(self._iteration.tickers) and self._is_quiet()

    def _is_quiet(self) -> bool:
        """Return whether nothing but values of variables changes at samples, as far as that is known now."""
        if not self._possible or self._rest > 0 or self._machine.over_time.moves:
            return False
        if self._ignoring is None:
            quiet = not self._machine.memory.bands.any() and self._history.limit(self._current.time) == math.inf
            self._ignoring = quiet and all(run.ignores_samples() for run in self._runs)
        return self._ignoring

    @property
    def _watching(self) -> bool:
        return any(run.watching for run in self._waiting)

    # -- beginning and end ------------------------------------------------------------------------------------------------

    def restarted(self) -> None:
        """Take note that there was an event, after which the segment's integrator was restarted."""
        self.stands, self._ignoring, self._stale = Stands.AT_EVENT, None, False
        self._simple = None
        self._rest = max(self._rest - 1, 0)

    def resumed(self) -> None:
        """Take note that a simulation goes on from where the state was restored."""
        if self._was_here:
            self.went_back()

    def went_back(self) -> None:
        """Take note that the simulation has gone back to a state in the present segment."""
        self._ignoring, self._stale = None, False
        self._simple = None
        if self._possible:
            self._begin()
        self.stands = Stands.HERE if self._possible else Stands.LEFT

    def left(self) -> None:
        """Take note that the segment's integrator makes the next steps."""
        self.stands, self._simple = Stands.ELSEWHERE, None

    def state(self) -> dict[str, Any]:
        """Return the data besides the point that determine the next steps, for a snapshot."""
        loop = self._loop
        pace = self._pace_then or (_pace_of(loop) if self.stands is Stands.HERE and loop is not None else self._pace)
        return {**pace, "rest": self._rest, "here": self.stands is Stands.HERE}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore what `state` returned."""
        pace = dict(state)
        self._rest, self._was_here, self._pace = pace.pop("rest"), pace.pop("here"), pace

    @property
    def samples_since_event(self) -> bool:
        """True if there were samples since the last event that the segment loop has handled."""
        return self._stale

    @contextmanager
    def at_last_sample(self) -> Iterator[tuple[SolverStatistics, int]]:
        """Stand at the last sample within the block, to take a snapshot.

        Where steps ended at a pause the next one begins there, whatever the inputs are then: that is the last sample.

        Yields:
            What was counted since then, negative, and how many points of the segment were stored until then.
        """
        loop, current, memory = self._loop, self._current, self._machine.memory
        assert loop is not None
        segment = current.segment
        before, aside = (current.time, segment.x.copy(), current.unknowns), memory.put_aside()
        steps = evaluations = 0
        points = segment.result.points
        if not (loop.fresh and self.stands is Stands.HERE):
            steps, evaluations = loop.steps - loop.sampled_steps, loop.evaluations - loop.sampled_evaluations
            self._pace_then = {name: getattr(loop, f"sampled_{name}") for name in _PACE}
            current.time, points = loop.sampled, self.points
            segment.x[:] = loop.arrays["sampled_x"][: segment.x.size]
        segment.steps -= steps
        current.evaluate()
        try:
            yield SolverStatistics(-steps, -evaluations), points
        finally:
            self._pace_then = None
            segment.steps += steps
            current.time, segment.x[:], current.unknowns = before
            memory.go_on_with(aside)

    def _begin(self) -> SampleLoop:
        """Begin at the present point."""
        segment, loop = self._current.segment, self._loop
        if loop is None or self._segment is not segment:
            from .bound_loop import bound_loop

            loop, self._rows = bound_loop(self._machine, self._options, self._iteration, segment)
            self._loop, self._told = loop, (0, 0, 0)
            self._segment = segment
        time = self._current.time
        loop.x1_array[:] = segment.x
        loop.begin = loop.end = loop.time = time
        loop.fresh, loop.known, loop.goes_on, loop.before = 1, 0, 0, 0.0
        loop.take(self._pace["order"])
        loop.h, loop.patience, loop.spent = self._pace["h"], self._pace["patience"], self._pace["spent"]
        start, interval = self._options.start_time, self._options.interval
        loop.number = float(math.floor((time - start) / interval + 1e-6) + 1)
        loop.output = start + loop.number * interval
        for k, ticks in enumerate(self._iteration.tickers):
            loop.ticked_array[k] = ticks.count
        return loop

    # -- going on ---------------------------------------------------------------------------------------------------------

    @property
    def holds(self) -> bool:
        """True if the last step was one of held inputs, and the next one may be, whether they change or not."""
        return self._simple is not None

    def go(self, until: float, other: float) -> Ended | None:
        """Go on to a time or to another event than a tick [s]; return the reason to end, None if nothing was possible."""
        goal, self._simple = min(other, self._options.stop_time), None
        pause = self._at_tick(until)
        if self._watching or not min(goal, pause) > self._current.time:
            return None
        loop = self._begin() if self.stands is Stands.AT_EVENT else self._loop
        assert loop is not None
        self.stands = Stands.HERE
        loop.goal, loop.pause, loop.hard = goal, pause, 0
        segment = self._current.segment
        progress, ended = self._options.progress, Ended.FULL
        while ended is Ended.FULL:
            ended = self._run(loop)
            self._current.time = loop.time
            self._flush(loop, segment)
            if progress is not None:
                tell_progress(progress, loop.time)
        self.end(ended)
        if ended is Ended.PAUSED:
            self._machine.projection.point(loop.time, segment.x)
        if ended is Ended.PAUSED and loop.time >= goal and loop.stores:
            self._current.store_once()
        return ended

    def hold(self, until: float, other: float, inputs: HeldInputs) -> Ended | None:
        """Let inputs change now and go on to a time [s], where a step ends; return the reason to end.

        Where it is None the values are not set: the segment loop has to handle an event. Pass every other reason to `end`.

        Args:
            until: must be before the stop time and ``other``, the next event that is no tick.
            inputs: with other values than until now.
        """
        if not inputs.good:
            return None
        current, segment = self._current, self._current.segment
        if not self._is_quiet() or until >= min(other, self._options.stop_time) - self._options.rounding:
            return None
        time, x, remembers = current.time, segment.x, self._iteration.remembers
        loop = self._loop if self.stands is Stands.HERE and self._segment is segment else self._begin()
        assert loop is not None
        loop.time = time
        if loop.known == 0 and loop.n_z > loop.n_relations and loop.note(time, x) != 0:
            return None
        if remembers:
            loop.keep()
            if loop.left_limits(time, x) != 0:
                loop.restore()
                return None
        if loop.stores:
            current.store_once()
        inputs.write(inputs.values)
        if (remembers and loop.settle(time, x) != 0) or (self._watching and self._awaited()):
            self._undo(loop, inputs)
            return None
        right = None
        if loop.stores:
            current.evaluate()
            right = current.unknowns
        samples, loop.goal = loop.samples, min(other, self._options.stop_time)
        ended = loop.hold(self._at_tick(until))
        return self._after(loop, ended, loop.samples > samples, inputs, right)

    def _after(
        self, loop: SampleLoop, ended: Ended, begun: bool, inputs: HeldInputs, right: np.ndarray | None = None
    ) -> Ended | None:
        """Take note of where the loop ended after a sample of inputs.

        Args:
            begun: whether it made a step or began to. right: all variables just after the sample, where points are stored.
        """
        current, segment = self._current, self._current.segment
        x, projection = segment.x, self._machine.projection
        if not begun:
            segment.x[:] = loop.arrays["x1"][: x.size]
            self._simple = None
            self._undo(loop, inputs)
            return None
        self._held, self._stale = self._held + inputs.changed, True
        inputs.applied[:] = inputs.values
        if right is not None:
            here = Interval(np.array([current.time]), loop.arrays["sampled_x"][None, : x.size].copy(), right[None, :])
            segment.keep(here)
            self._machine.assertions.check(here)
        if ended is Ended.FULL:
            self._project(loop)
        while ended is Ended.FULL:
            self._flush(loop, segment)
            ended = self._run(loop)
        current.time, self.stands = loop.time, Stands.HERE
        self.points = segment.result.points + loop.sampled_count
        simple = ended is Ended.PAUSED
        if ended is Ended.PAUSED:
            loop.fresh, loop.goes_on = 1, 0
            if projection.active:
                projection.point(current.time, x)
            if self._watching and self._awaited():  # where, the segment loop finds out
                loop.count = loop.sampled_count
                current.time, segment.x[:] = loop.sampled, loop.arrays["sampled_x"][: x.size]
                self.stands = Stands.LEFT
        if loop.stores:
            self._flush(loop, segment)
        simple = simple and not (loop.stores or projection.active or self._watching or self._iteration.remembers)
        self._simple = inputs if simple and not loop.n_tickers and inputs.scalars is not None else None
        self._latest = loop.goal - self._options.rounding
        if inputs.scalars is not None and loop.n_inputs == 0:
            loop.n_inputs = inputs.values.size
            loop.connect(values=inputs.values, applied=inputs.applied, inputs=inputs.scalars)
        return ended if self.stands is Stands.HERE else Ended.NEAR

    def hold_simply(self, until: float) -> bool:
        """Let the inputs of the last `hold` change and go on to a time [s], without looking at anything else.

        Returns:
            Whether the time is reached. If not, ``pending`` is the reason, and None where `hold` is to be called.
        """
        loop, inputs = self._loop, self._simple
        assert loop is not None
        assert inputs is not None
        if until >= self._latest or inputs.replaces:
            return False
        samples = loop.samples
        ended = loop.hold_inputs(until)
        if ended is Ended.PAUSED:
            self._current.time, self._stale = until, True
            return True
        if ended is not Ended.REFUSED:
            self.pending = self._after(loop, ended, loop.samples > samples, inputs)
        return False

    def _undo(self, loop: SampleLoop, inputs: HeldInputs) -> None:
        """Bring back what was before inputs were changed."""
        inputs.write(inputs.applied)
        if self._iteration.remembers:
            loop.restore()

    def _awaited(self) -> bool:
        """Return whether a condition that a component waits for holds now."""
        signals = self._current.looked_at()
        return any(run.watching and run.awaited(self._current.time, signals) for run in self._waiting)

    def _at_tick(self, time: float) -> float:
        """Return the time of the tick that only rounding separates from a time [s]; that time where there is none."""
        for ticker in self._iteration.tickers:
            distance = ticker.factor * ticker.interval
            tick = ticker.first + round((time - ticker.first) / distance) * distance if math.isfinite(time) else math.inf
            if abs(tick - time) <= 16.0 * sys.float_info.epsilon * max(abs(time), distance):
                return tick
        return time

    def _run(self, loop: SampleLoop) -> Ended:
        """Run the loop; count what it did."""
        samples, loop.allowed = loop.samples, loop.at_once
        ended = loop.run()
        if ended is Ended.FULL:
            self._project(loop)
        if loop.samples != samples:
            self.points = self._current.segment.result.points + loop.sampled_count
            self._stale = True
        return ended

    def _project(self, loop: SampleLoop) -> None:
        """Bring the states onto their constraints, where they have any; the next step begins with them."""
        segment, projection = self._current.segment, self._machine.projection
        if projection.active:
            projection.point(loop.time, segment.x)
            loop.x1_array[:] = segment.x
            loop.moved = 1

    def _flush(self, loop: SampleLoop, segment: Segment) -> None:
        """Keep the points that were stored, and what was counted."""
        n = loop.count
        if n and self._machine.projection.active:
            loop.count = 0
            memory = self._machine.memory
            aside = memory.put_aside()
            segment.store(*(rows[:n].copy() for rows in self._rows[:2]))
            memory.go_on_with(aside)
        elif n:
            loop.count = 0
            times, states, unknowns = (rows[:n].copy() for rows in self._rows)
            segment.warn_of_gaps(times, states, unknowns)
            points = Interval(times, states, unknowns)
            segment.keep(points)
            self._machine.stands_at(float(times[-1]), states[-1])
            self._machine.assertions.check(points)

    def end(self, ended: Ended) -> None:
        """Take note of where the loop ended, and why.

        Raises:
            IntegrationFailure: a point that was to be stored could not be evaluated.
        """
        loop, segment = self._loop, self._current.segment
        assert loop is not None
        ticks = loop.ticks - self._told[2]
        if ticks:
            for k, ticker in enumerate(self._iteration.tickers):
                ticker.count = int(loop.ticked_array[k])
            self._history.pass_by(loop.end, "clock", ticks)
            segment.record.events += ticks
            self._told = (*self._told[:2], loop.ticks)
        segment.note_sizes(loop.arrays["sizes"][: segment.x.size])
        self._pace = _pace_of(loop)
        if ended is Ended.FAILED:
            row = self._rows[1][loop.count - 1] if loop.count else segment.x
            at = ModelFailure(float(loop.end), row)
            raise IntegrationFailure("the model could not be evaluated", at.time, at=at)
        if ended is not Ended.PAUSED:
            self.stands = Stands.LEFT
            if ended is Ended.STIFF:
                self._rest = REST

    def work(self) -> SolverStatistics:
        """Return the steps and evaluations since they were asked for last; count the samples of inputs as events."""
        loop = self._loop
        held = self._held if loop is None else self._held + loop.changed
        if held:
            self._current.segment.record.events += held
            self._history.pass_by(self._current.time, "time", held)
            self._held = 0
            if loop is not None:
                loop.changed = 0
        if loop is None:
            return SolverStatistics()
        steps, evaluations = loop.steps - self._told[0], loop.evaluations - self._told[1]
        self._told = loop.steps, loop.evaluations, self._told[2]
        return SolverStatistics(steps, evaluations, order=loop.order if steps else 0)


def _pace_of(loop: SampleLoop) -> dict[str, Any]:
    return {name: getattr(loop, name) for name in _PACE}
