"""`SegmentLoop`: segments, intervals and events of one simulation, read from the top."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

import numpy as np

from ..acausal.abilities import Jumps, Saves, Waits
from ..acausal.protocol import Mode
from ..acausal.segment import SegmentChange, SegmentStart, no_signal
from ..model.errors import SimulationError
from .evaluation.component_checks import begin_runs, check_change, check_time
from .evaluation.constraints import meet_constraints
from .evaluation.explanation import bad_constant, bad_state
from .evaluation.machine import NO_SERIES, EvaluationFailure, Machine
from .events.chattering import Chattering
from .events.history import EventHistory
from .events.iteration import EventIteration
from .events.names import indicator_name, indicator_text, mode_name
from .failures import too_many_changes
from .initial import check_initial_values, first_states
from .inputs.time_series import TimeSeries
from .results.result import Result
from .results.signals import PresentReader
from .run_log import RunLog
from .sampled.held_inputs import HeldInputs
from .sampled.sample_memory import Ended
from .sampled.sampled_path import SampledPath, Stands
from .segments.current_point import CurrentPoint
from .segments.delay_history import DelayHistory
from .segments.options import Options
from .segments.present import watch_of
from .segments.rates import PresentRates
from .segments.requested_changes import joined, states_after
from .segments.segment import Segment, begin_components, output_time_at, output_times
from .small_states import SmallStates
from .snapshots.resume import at_last_sample, goes_back, resume, take_snapshot
from .snapshots.saver import Saver
from .snapshots.snapshot import Snapshot
from .solvers import SolverStatistics

MAX_CHANGES = 1000
"""Number of segments, or of state events, at one point in time from which on the model is considered wrong."""

DRIFT, JUMP = 1.0, 0.1
"""Relative residuals of constraints, in tolerances, from which on states are made consistent at an event that has changed no
state of the equations, and at one that has: what is less than the first is drift, which is left alone to the last bit. Where a
jump leaves more than the second, the first step of the integrator fails, however short it is: what is made up for in it does
not become smaller."""

BEYOND = 10.0
"""Absolute tolerances by which an indicator is beyond zero, where no error of the states has brought it there."""


class SegmentLoop:
    """Loop over the segments, intervals and events of one simulation. `advance` is the algorithm.

    Args:
        machine: the model.
        options: of the simulation.
        result: to which segments are added.
        snapshot: from which it goes on; None: it begins at the beginning.
        saver: writes snapshots; None: nobody wants them.
        inputs: that a loop in Python sets, of a simulation of the same machine before this one.

    Attributes:
        current: where it is.
        components: the components at work, by path; saving: those that cannot be saved as None.
        history: of its events. chattering: among them. iteration: of what happens at one event.
        delay_history: what delays need of the past.
        run_log: what it tells. work: of the integrators of segments that have ended.
        sampled: what goes on between samples. inputs: that a loop in Python sets.
    """

    def __init__(
        self,
        machine: Machine,
        options: Options,
        result: Result,
        snapshot: Snapshot | None = None,
        saver: Saver | None = None,
        inputs: HeldInputs | None = None,
    ) -> None:
        self.machine, self.options, self.result = machine, options, result
        self._snapshot, self._saver = snapshot, saver
        self.components = begin_runs(machine.flat.components)
        runs = self.components.values()
        self._waiting = [run for run in runs if isinstance(run, Waits)]
        self._jumping = [run for run in runs if isinstance(run, Jumps)]
        self.saving: list[Saves | None] = [run if isinstance(run, Saves) else None for run in runs]
        self.current = CurrentPoint(machine, options.start_time)
        self.history = EventHistory(options.start_time, partial(indicator_text, machine))
        duration = options.stop_time - options.start_time
        self.chattering = Chattering(machine, duration, options.absolute_tolerance, partial(indicator_text, machine))
        self.run_log = RunLog(result, options.log, runs, self.current, self.history)
        self.work = SolverStatistics()
        self._small = SmallStates(options)
        self.delay_history = DelayHistory(machine, runs, options.tolerance)
        self.iteration = EventIteration(machine, options.start_time, partial(mode_name, machine))
        self.sampled = SampledPath(machine, options, self.current, self.iteration, self.history, runs, self._waiting)
        self.inputs = inputs or HeldInputs(machine)
        self._other: float | None = None  # next event that is no tick [s], where it is known
        self._arrived = np.zeros(0)  # states of the equations where the present event began, if they are constrained
        machine.over_time.arrive(options.start_time if snapshot is None else snapshot.time)

    def advance(self, until: float, inputs: Mapping[str, TimeSeries]) -> bool:
        """Simulate until a time [s] with the events there; False: the stop time is reached.

        Args:
            inputs: series of one point: values that inputs have from now on, by an event.

        Raises:
            EndOfSimulation: a component ends it.
        """
        if self._snapshot is None:
            self._initialize()
        if inputs:
            self._change_inputs(inputs)
        before, self.sampled.pending = self.sampled.pending, None
        if before is not None:
            self.sampled.end(before)
            self._end_samples(before)
        while self._goes_on(event := self._next_time_event()):
            if self.current.time >= until and event > until + self.options.rounding:
                return True
            other = self._next_time_event(ticking=False) if self.sampled.goes else event
            if self.sampled.goes and (ended := self.sampled.go(until, other)) is not None:
                self._end_samples(Ended.EVENT if self.current.time >= other else ended)
            elif self._integrate_until(event, until):
                self._handle_event()
        return False

    def _count_samples(self) -> None:
        work = self.sampled.work()
        self.work = self.work.plus(work)
        self.current.segment.steps += work.steps

    def hold(self, until: float) -> bool:
        """Change inputs and go on to a time [s] without an event; return whether it is reached.

        If not, `advance` goes on from where the simulation is, with the inputs that are still to be changed.
        """
        if self._other is None:
            self._other = self._next_time_event(ticking=False)
        ended = self.sampled.hold(until, self._other, self.inputs)
        if ended is Ended.PAUSED:
            if self.iteration.tickers:
                self.sampled.end(ended)
            return True
        self.sampled.pending = ended
        return False

    def _end_samples(self, ended: Ended) -> None:
        """Handle the event to which the simulation came between samples, if there is one."""
        self._count_samples()
        self.run_log.take_notes()
        if self.iteration.resetting:
            self._check_overdue()
        if self._saver is not None and self.sampled.samples_since_event:
            self._saver.event(self.current.time)
        if ended is Ended.EVENT:
            self._count_event()
        if ended in (Ended.EVENT, Ended.UNDECIDED):
            self._handle_event()

    def resume(self) -> None:
        """Begin after the last event of the simulation that the snapshot is of; inputs that have other values are an event."""
        assert self._snapshot is not None
        resume(self, self._snapshot)
        series, current = self.machine.over_time.series, self.current
        if all(np.array_equal(current.value(name), one.at(current.time)) for name, one in series.items()):
            self._restart()
            self.sampled.resumed()
            return
        current.keep()
        self._count_event()
        self._handle_event()

    def terminate(self) -> None:
        """Handle the event at which ``terminal()`` is true."""
        if self.machine.sorted.discrete.terminal:
            self.iteration.begin(self.current.time, self.current.x, ticking=False)
            self._settle(Mode.TERMINAL)
            self.current.evaluate(Mode.TERMINAL)
            self.machine.assertions.check(self.current.keep())

    @property
    def snapshot(self) -> Snapshot | None:
        """State at the last restart of an integrator; None before the first one."""
        if self.sampled.samples_since_event:
            self._count_samples()
            self._snapshot = at_last_sample(self)
        return self._snapshot

    def begin_result(self, result: Result) -> None:
        """Report to another result from now on."""
        self.result = self.run_log.result = result

    def goes_back(self, snapshot: Snapshot, result: Result) -> bool:
        """Go back to a state of the present segment, with a new result; return whether that is possible."""
        went = goes_back(self, snapshot, result)
        if went:
            self._snapshot, self._other, self.sampled.pending = snapshot, None, None
        return went

    def jump(self, x: np.ndarray, inputs: Mapping[str, TimeSeries]) -> None:
        """Let states and inputs have other values now, by an event."""
        current = self.current
        current.store_once()
        self._count_event()
        self.history.forget_recent()
        current.x[:] = x
        self._handle_event(inputs, arriving=False)

    def work_so_far(self) -> SolverStatistics:
        """Return the work of all integrators until now."""
        self._count_samples()
        work = self.current.segment.solver_statistics() if self.current.in_segment else None
        return self.work if work is None else self.work.plus(work)

    def finish_segment(self, *, ending: bool = False) -> None:
        """Complete the present segment, if there is one; ``ending``: the simulation ends as it was meant to."""
        if not self.current.in_segment:
            return
        self._count_samples()
        self.run_log.take_notes(ending=True)
        self._small.add(self.current.segment)
        if ending:
            self.run_log.note(self._small.note(self.current.segment, self.current.time))
        work = self.current.segment.close()
        if work is not None:
            self.work = self.work.plus(work)

    # -- segments ---------------------------------------------------------------------------------------------------------

    def _initialize(self) -> None:
        machine, current = self.machine, self.current
        _refuse(bad_constant(machine, current.time))
        self.iteration.check_ticks(self.options.stop_time)
        x_inv, starts = first_states(machine, current.time, self.components, self._log_fixed)
        self._begin_segment("initialization", x_inv, starts, clock.perf_counter(), Mode.INITIAL | Mode.OUTPUTS)
        if machine.sorted.discrete.assertions:  # they hold at the initial event, too, where initial() is true
            current.unknowns = machine.memory.unknowns.copy()
            machine.assertions.check(current.point())
        if machine.sorted.redundant_initials:
            current.evaluate()
            check_initial_values(machine, PresentReader(machine.table, "", current.time, current.x, current.unknowns))
        self._handle_event(arriving=False)

    def _log_fixed(self, states: Sequence[str]) -> None:
        if states:
            self.run_log.log("no initial condition determines " + ", ".join(states) + ": start values are used")

    def change_segment(self, change: SegmentChange, told: Mapping[str, SegmentStart], began: float) -> None:
        """End the present segment, begin the one that components asked for.

        Args:
            change: the changes in one.
            told: what components were told that have voted, with what each asked for.
            began: when the computer began with it [s].
        """
        current, segment = self.current, self.current.segment
        if segment.result.is_empty():
            current.keep()
        x_inv = states_after(change, current.x[: segment.n_inv], self.machine.table, current.time)
        starts = {
            path: told.get(path) or segment.component_start(path, current.time, current.unknowns) for path in self.components
        }
        self.finish_segment()
        self._begin_segment(change.cause, x_inv, starts, began)

    def _begin_segment(
        self, cause: str, x_inv: np.ndarray, starts: Mapping[str, SegmentStart], began: float, mode: int = 0
    ) -> None:
        machine, current = self.machine, self.current
        layouts = begin_components(self.components, starts)
        before = current.segment if current.in_segment else None
        index = 1 if before is None else before.record.index + 1
        segment = Segment(index, current.time, cause, machine, machine.table, x_inv, layouts, self.result.begin)
        current.enter(segment)
        if before is not None:
            segment.follow(before)
        segment.end_at(self.options)
        self.run_log.log(f"segment {index}: {cause}")
        self._meet_constraints(initial=bool(mode & Mode.INITIAL))
        if mode & Mode.INITIAL:
            self.delay_history.begin(current.time, current.x, partial(self._settle, mode))
        else:
            self._settle(mode)
        segment.record.change_ms = 1e3 * (clock.perf_counter() - began)

    def _meet_constraints(self, initial: bool = False) -> None:
        """Make states that depend on each other consistent, at the beginning and where an event has changed one."""
        machine, current = self.machine, self.current
        if machine.sorted.constraints:
            jumped = not np.array_equal(current.x[: current.segment.n_inv], self._arrived)
            tolerated = 0.0 if initial else (JUMP if jumped else DRIFT) * self.options.tolerance
            meet_constraints(machine, current.time, current.x, tolerated)
        machine.projection.point(current.time, current.x)

    def _start_integrator(self) -> None:
        options, segment, began = self.options, self.current.segment, clock.perf_counter()
        new = not segment.has_integrator
        follower = self.delay_history if self.delay_history.wanted else None
        tolerances = options.tolerance, options.absolute_tolerance
        segment.start_integrator(options.solver, self.current.time, *tolerances, options.dae, follower)
        if new:
            segment.record.change_ms += 1e3 * (clock.perf_counter() - began)

    def _restart(self) -> None:
        """Go on after an event. What follows depends on what the snapshot holds, and on nothing that was before."""
        machine, current = self.machine, self.current
        _refuse(bad_state(machine, current.time, current.x))
        machine.memory.forget_factors()
        if self.delay_history.wanted:
            current.evaluate()
            self.delay_history.go_on(current.time, current.x, current.unknowns)
        self._snapshot = take_snapshot(self)
        self._start_integrator()
        self.sampled.restarted()
        self._other = None
        machine.assertions.check(current.keep())
        if self._saver is not None:
            self._saver.event(current.time)

    # -- intervals --------------------------------------------------------------------------------------------------------

    def _goes_on(self, event: float) -> bool:
        """Return whether the simulation has not ended; one with a time event [s] that rounding only separates from its end
        has not.
        """
        return self.current.time < self.options.stop_time or event <= self.options.latest

    def _integrate_until(self, event: float, pause: float) -> bool:
        """Integrate to the next time event [s], a state event, a pause or the stop time; True if an event is to be handled."""
        options, current, stored = self.options, self.current, True
        horizon = min(event, self.history.limit(current.time))
        until = horizon if horizon <= options.latest else options.stop_time
        if pause + options.rounding < until:
            until, stored = pause, output_time_at(options.start_time, options.interval, pause) is not None
            horizon = pause if self.delay_history.wanted else horizon
        if until - current.time <= 4.0 * sys.float_info.epsilon * max(abs(current.time), abs(until)):
            if until < event:
                current.time = until  # the two cannot be told apart
                return False
            current.time = event
            self._count_event()
            return True
        if self.sampled.stands in (Stands.HERE, Stands.LEFT):
            self._start_integrator()
        self.sampled.left()
        grid = output_times(options.start_time, options.interval, current.time, until)
        monitor = watch_of(current.segment, self._waiting)
        advance = current.segment.advance(grid, horizon, options.progress, monitor, stores_last=stored)
        current.time = advance.time
        self.run_log.take_notes()
        if self.iteration.resetting:
            self._check_overdue()
        if advance.roots:
            self.run_log.log("state event: " + ", ".join(indicator_name(self.machine, k) for k in advance.roots))
        elif advance.watched:
            self.run_log.log("a condition of a program holds")
        elif until < event:
            return False
        self._count_event(advance.roots, advance.rising, watched=advance.watched)
        return True

    def _next_time_event(self, ticking: bool = True) -> float:
        """Return the time of the next event that is known beforehand [s]; ``ticking``: ticks are among them."""
        time = self.current.time
        first = self.machine.over_time.next_jump(time)
        first = min(first, self.iteration.next_tick()) if ticking else first
        for path, component in self.components.items():
            first = min(first, check_time(path, component.next_time_event(time)))
        if self.machine.memory.time_events.size:
            first = min([first, *(t for t in self.machine.memory.time_events.tolist() if t > time)])
        return max(first, time)

    def _count_event(self, roots: Sequence[int] = (), rising: Sequence[bool] = (), *, watched: bool = False) -> None:
        time, segment = self.current.time, self.current.segment
        segment.record.events += 1
        kind = "condition" if watched else "state" if roots else "clock" if self.iteration.ticks(time) else "time"
        again = self.history.repeats(time, roots)
        resting = self.iteration.note_rest(time, segment.x, roots, again)
        self.history.add(time, kind, roots, rising, resting, self.iteration.resetting)
        if roots:
            self.chattering.note(time, segment.x, roots)

    def _check_overdue(self) -> None:
        """Refuse to go on where an event has come sooner and sooner, and what it was to hold back has passed through."""
        time, memory = self.current.time, self.machine.memory
        overdue = self.history.overdue(time, self.iteration.resetting)
        if not overdue:
            return
        before = memory.put_aside()
        with suppress(EvaluationFailure):
            indicators, still = self.iteration.relations.present(time, self.current.x)
            for k, upwards in overdue:
                if still[k]:
                    self.history.forget(k)
                elif (indicators[k] if upwards else -indicators[k]) > BEYOND * self.options.absolute_tolerance:
                    raise self.history.passed_through(k, upwards)
        memory.go_on_with(before)

    # -- events -----------------------------------------------------------------------------------------------------------

    def _change_inputs(self, inputs: Mapping[str, TimeSeries]) -> None:
        """Handle the event at which inputs change."""
        self.history.forget_recent()
        self.current.store_once()
        self._count_event()
        self._handle_event(inputs)

    def _handle_event(self, inputs: Mapping[str, TimeSeries] = NO_SERIES, *, arriving: bool = True) -> None:
        """Handle an event, and those that follow at the same time, as relations leave zero where it has put them."""
        self._pass_event(inputs, arriving=arriving)
        while self._leaves_zero():
            self._pass_event()
        self._restart()

    def _leaves_zero(self) -> bool:
        """Return whether relations at zero change a moment later: store what is before that, and count the event."""
        current = self.current
        roots, rising, by_time = self.iteration.leaving(current.time, current.x)
        if not roots and not by_time:
            return False
        _refuse(bad_state(self.machine, current.time, current.x))
        self.machine.assertions.check(current.keep())
        if roots:
            self.run_log.log("state event: " + ", ".join(indicator_name(self.machine, k) for k in roots))
        self._count_event(roots, rising)
        return True

    def _pass_event(self, inputs: Mapping[str, TimeSeries] = NO_SERIES, *, arriving: bool = True) -> None:
        """Iterate relations and ask components for changes, until no component asks for one.

        At most one change of structure is made at a time.
        """
        machine, current, segment = self.machine, self.current, self.current.segment
        causes: list[str] = []
        if machine.sorted.constraints:
            self._arrived = segment.x[: segment.n_inv].copy()
        self.iteration.begin(current.time, segment.x, arriving=arriving)
        machine.over_time.arrive(current.time)
        for name, series in inputs.items():
            machine.over_time.fix(name, series)
        for run in self._jumping:
            run.arrive(current.time)
        self._settle()
        while True:
            began = clock.perf_counter()
            current.evaluate()
            asked, told = self._vote()
            change = joined(asked) if asked else None
            if change is None and not (self.iteration.decides and self._settle()):
                break
            causes.append(change.cause if change is not None else "relations changed")
            if len(causes) > MAX_CHANGES:
                raise too_many_changes(MAX_CHANGES, current.time, causes)
            if change is not None:
                self.change_segment(change, told, began)
                if change.calms:
                    self.history.calm()
                    self.chattering.forget()
        if current.segment is segment and machine.sorted.constraints:
            self._meet_constraints()
            current.evaluate()
        elif machine.projection.point(current.time, current.x):
            current.evaluate()

    def _vote(self) -> tuple[dict[str, SegmentChange], dict[str, SegmentStart]]:
        """Ask all components for their changes; return these, and the start data that each of them got, by path."""
        current, segment = self.current, self.current.segment
        asked: dict[str, SegmentChange] = {}
        told: dict[str, SegmentStart] = {}
        for path, component in self.components.items():
            rates = PresentRates(segment, current.time, path)
            told[path] = start = segment.component_start(path, current.time, current.unknowns, rates, current.signals())
            change = check_change(path, component.event(start), segment.n_inv)
            start.change, start.rates, start.signal = change, None, no_signal
            if change is not None:
                asked[path] = change
                if change.impact is not None:
                    break  # the others would vote on speeds that are no longer there
        return asked, told

    def _settle(self, mode: int = Mode.DERIVATIVES) -> bool:
        """Iterate at an event until nothing changes; True if anything did."""
        return self.iteration.run(self.current.time, self.current.x, mode)


def _refuse(error: SimulationError | None) -> None:
    if error is not None:
        raise error
