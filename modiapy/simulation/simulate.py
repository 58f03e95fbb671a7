"""One simulation: segments, intervals and events, read from the top."""

from __future__ import annotations

import math
import sys
import time as clock
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from ..acausal.abilities import Notes, Saves, Waits
from ..acausal.protocol import EndOfSimulation, Mode, SegmentChange, SegmentStart
from ..model.errors import ModiaError, SimulationError
from .evaluation.assertions import Terminated
from .evaluation.component_checks import begin_runs, check_change, check_time
from .evaluation.constraints import meet_constraints
from .evaluation.explanation import bad_constant, bad_state
from .evaluation.machine import EvaluationFailure, Machine
from .events.history import EventHistory
from .events.iteration import EventIteration
from .events.names import indicator_name, indicator_text, mode_name
from .failures import Failures, too_many_changes
from .initial import check_initial_values, first_states
from .inputs.time_series import TimeSeries
from .results.result import Result
from .results.segment_result import Interval
from .results.signals import PresentReader, SignalTable
from .segments.following import Following
from .segments.interrupts import finish_first, undisturbed
from .segments.options import Options
from .segments.present import present_signals, watch_of
from .segments.rates import PresentRates
from .segments.segment import Segment, begin_components, output_time_at, output_times
from .segments.votes import joined, states_after
from .snapshots.resume import resume, take_snapshot
from .snapshots.saver import Saver
from .snapshots.snapshot import Snapshot
from .solvers import IntegrationFailure, SolverStatistics
from .told import take_notes, told_by

MAX_CHANGES = 1000
"""Number of segments, or of state events, at one point in time from which on the model is considered wrong."""


class SimulationInterrupted(SimulationError):
    """The simulation was interrupted from the keyboard; as of a `SimulationError` there is the result until then."""


class Simulation:
    """One run of a model. `run` is the algorithm.

    Attributes:
        snapshot: at the last restart of the integrator; None before the first one.
        saving: the components, those that cannot be saved as None.
    """

    def __init__(
        self,
        machine: Machine,
        options: Options,
        result: Result,
        snapshot: Snapshot | None = None,
        save: Callable[[], None] | None = None,
        at_end: Callable[[Simulation], None] | None = None,
    ) -> None:
        self.snapshot, self._at_end = snapshot, at_end
        begin = options.start_time if snapshot is None else snapshot.time
        self._saver = None if save is None else Saver(save, options.save_every, begin)
        self._failures = Failures(machine, result)
        self.machine, self.options, self.result = machine, options, result
        self.components = begin_runs(machine.flat.components)
        runs = self.components.values()
        self._noticing = [run for run in runs if isinstance(run, Notes)]
        self._waiting = [run for run in runs if isinstance(run, Waits)]
        self.saving: list[Saves | None] = [run if isinstance(run, Saves) else None for run in runs]
        self.table: SignalTable = machine.table
        self.time = options.start_time
        self.segment: Segment
        self.work = SolverStatistics()
        self.unknowns = np.zeros(0)
        self.history = EventHistory(options.start_time, partial(indicator_text, machine))
        self.following = Following(machine, self.components.values(), options.tolerance)
        self.iteration = EventIteration(machine, options.start_time, partial(mode_name, machine))
        machine.over_time.arrive(begin)
        self._given: dict[str, TimeSeries] = {}
        self._begun, self._wall_s = False, 0.0

    def run(self) -> Result:
        """Segments until the stop time, or an error that carries the result so far."""
        self.go(math.inf)
        return self.result

    def go(self, until: float) -> bool:
        """Simulate until a time [s] with the events there; False: it has ended, by whatever.

        A time that rounding only separates from an output point is that, and one that is not before the stop time is the end.

        Raises:
            SimulationError: it cannot go on; the error carries the result so far.
        """
        if math.isfinite(until):
            options = self.options
            near = output_time_at(options.start_time, options.interval, until)
            until = until if near is None else near
            until = until if until < options.stop_time - options.rounding else math.inf
        return self._guarded(partial(self._pauses_at, until))

    def stop(self, message: str) -> None:
        """End here, before the stop time. Errors as of `go`."""
        self._guarded(partial(self._stops, message))

    def interrupt(self) -> None:
        """End here with what there is, because of an error elsewhere."""
        self.result.status = "interrupted"
        self._close()

    def _guarded(self, work: Callable[[], bool]) -> bool:
        """Do some of the work; whether more is left. Errors are told with the result, and end the simulation."""
        began, pauses = clock.perf_counter(), False
        try:
            pauses = work()
        except Terminated as end:
            if self.segment.result.is_empty():
                self._store_point()
            self._log(f"terminated: {end.message}")
            self._finished(end.message)
        except KeyboardInterrupt:
            finish_first()
            self.result.status = "interrupted"
            times = self.result.time
            reached = float(times[-1]) if times.size else self.time
            raise SimulationInterrupted("the simulation was interrupted", time=reached, result=self.result) from None
        except IntegrationFailure as failure:
            raise self._told(self._failures.of_integration(failure, self.time, self.segment, self.options.interval)) from None
        except EvaluationFailure as failure:
            raise self._told(self._failures.of_evaluation(failure, self.time, self.segment.x)) from None
        except ModiaError as error:
            if hasattr(self, "segment") and self.segment.result.is_empty():
                with suppress(EvaluationFailure):
                    self._store_point()
            raise self._told(self._failures.located(error, getattr(error, "time", self.time))) from error
        finally:
            self._wall_s += clock.perf_counter() - began
            if not pauses:
                self._close()
        return pauses

    def _begin(self) -> None:
        self._begun, self.result.status = True, "failed"
        self.result.told_by(self._so_far)
        if self.snapshot is not None:
            resume(self, self.snapshot)
            self._go_on()

    def _stops(self, message: str) -> bool:
        self._keep_last()
        self._terminal_event()
        self._finished(message)
        return False

    def _close(self) -> None:
        finish_first()
        self._finish_segment()
        self.machine.integrators.close()
        self._complete_tables()
        self._complete_statistics(self._wall_s)
        if self._saver is not None and self.snapshot is not None:
            self._saver.end(self.time, self.result)

    # -- segments ---------------------------------------------------------------------------------------------------------

    def _initialize(self) -> None:
        machine = self.machine
        self._refuse(bad_constant(machine, self.time))
        self.iteration.check_ticks(self.options.stop_time)
        x_inv, starts = first_states(machine, self.time, self.components, self._log_fixed)
        self._begin_segment("initialization", x_inv, starts, clock.perf_counter(), Mode.INITIAL | Mode.OUTPUTS)
        if machine.sorted.discrete.assertions:  # they hold at the initial event, too, where initial() is true
            point = Interval(np.array([self.time]), self.segment.x[None, :], machine.memory.unknowns[None, :])
            machine.assertions.check(point)
        if machine.sorted.redundant_initials:
            self._evaluate_all()
            check_initial_values(machine, PresentReader(self.table, "", self.time, self.segment.x, self.unknowns))
        self._handle_event()

    def _refuse(self, error: SimulationError | None) -> None:
        if error is not None:
            raise error

    def _log_fixed(self, states: Sequence[str]) -> None:
        if states:
            self._log("no initial condition determines " + ", ".join(states) + ": start values are used")

    def _change_segment(self, change: SegmentChange, asked: Mapping[str, SegmentChange], began: float) -> None:
        """End the present segment, begin the one that components ``asked`` for; ``change`` are the changes in one."""
        if self.segment.result.is_empty():
            self._keep_point()
        x_inv = states_after(change, self.segment.x[: self.segment.n_inv], self.table, self.time)
        starts = {
            path: self.segment.component_start(path, self.time, self.unknowns, change=asked.get(path))
            for path in self.components
        }
        self._finish_segment()
        self._begin_segment(change.cause, x_inv, starts, began)

    def _begin_segment(
        self, cause: str, x_inv: np.ndarray, starts: Mapping[str, SegmentStart], began: float, mode: int = 0
    ) -> None:
        layouts = begin_components(self.components, starts)
        before = getattr(self, "segment", None)
        index = 1 if before is None else before.record.index + 1
        self.segment = Segment(index, self.time, cause, self.machine, self.table, x_inv, layouts, self.result.begin)
        if before is not None:
            self.segment.follow(before)
        self.segment.end_at(self.options)
        self._log(f"segment {index}: {cause}")
        self._meet_constraints(initial=bool(mode & Mode.INITIAL))
        if mode & Mode.INITIAL:
            self.following.begin(self.time, self.segment.x, partial(self._settle, mode))
        else:
            self._settle(mode)
        self.segment.record.change_ms = 1e3 * (clock.perf_counter() - began)

    def _terminal_event(self) -> None:
        if self.machine.sorted.discrete.terminal:
            self.iteration.begin(self.time, self.segment.x, ticking=False)
            self._settle(Mode.TERMINAL)
            self._evaluate_all(Mode.TERMINAL)
            self.machine.assertions.check(self._keep_point())

    def _finished(self, message: str = "") -> None:
        for component in self.components.values():
            component.terminate(self.time)
        self.result.status, self.result.terminated = "finished", message

    def _finish_segment(self) -> None:
        if not hasattr(self, "segment"):
            return
        self._take_notes(ending=True)
        work = self.segment.close()
        if work is not None:
            self.work.add(work)

    def _meet_constraints(self, initial: bool = False) -> None:
        """States that are not independent are made consistent, at the beginning and where an event has changed one."""
        if self.machine.sorted.constraints:
            meet_constraints(self.machine, self.time, self.segment.x, 0.0 if initial else 100.0 * self.options.tolerance)
        self.machine.projection.point(self.time, self.segment.x)

    def _start_integrator(self) -> None:
        options, began = self.options, clock.perf_counter()
        new = not self.segment.has_integrator
        follower = self.following if self.following.wanted else None
        tolerances = options.tolerance, options.absolute_tolerance
        self.segment.start_integrator(options.solver, self.time, *tolerances, options.dae, follower)
        if new:
            self.segment.record.change_ms += 1e3 * (clock.perf_counter() - began)

    def _restart(self) -> None:
        """Go on after an event. What follows depends on what the snapshot holds, and on nothing that was before."""
        self._refuse(bad_state(self.machine, self.time, self.segment.x))
        self.machine.memory.forget_factors()
        if self.following.wanted:
            self._evaluate_all()
            self.following.go_on(self.time, self.segment.x, self.unknowns)
        self.snapshot = take_snapshot(self)
        self._start_integrator()
        self.machine.assertions.check(self._keep_point())
        if self._saver is not None:
            self._saver.event(self.time)

    def _go_on(self) -> None:
        """Begin after the last event of another simulation; inputs that have other values now are an event."""
        series, x = self.machine.over_time.series, self.segment.x
        before = {name: self.table[name].value(self.time, x, self.unknowns) for name in series}
        if all(np.array_equal(before[name], one.at(self.time)) for name, one in series.items()):
            self._restart()
            return
        self._keep_point()
        self._count_event()
        self._handle_event()

    def flush(self) -> None:
        """Make sure that nothing is lost that was stored so far."""
        with undisturbed():
            self.segment.result.flush()

    def _pauses_at(self, until: float) -> bool:
        """Simulate until a time [s]; False: it has ended, at the stop time or because a component ended it."""
        if not self._begun:
            self._begin()
        try:
            if self.snapshot is None:
                self._initialize()
            if self._given:
                self._take_inputs()
            while self._goes_on(event := self._next_time_event()):
                if self.time >= until and event > until + self.options.rounding:
                    return True
                if self._integrate_until(event, until):
                    self._handle_event()
        except EndOfSimulation as end:
            self.result.verdict, self.result.success = end.verdict, end.success
            self._log(f"end: {end.verdict}")
            self._store_point()
        self._terminal_event()
        if self._at_end is not None:
            self._at_end(self)
            self._store_point()
        self._finished()
        return False

    def give(self, name: str, series: TimeSeries) -> None:
        """Where the simulation goes on, an input gets the value of a series of one point, by an event if it is another."""
        present = self.table[name].value(self.time, self.segment.x, self.unknowns)
        held = self.machine.over_time.series.get(name)
        constant = held is None or len(held.times) == 1
        self._given.pop(name, None)
        if not constant or not np.array_equal(present, series.at(0.0)):
            self._given[name] = series

    def given(self, name: str) -> TimeSeries | None:
        """What `give` got, and has had no effect yet."""
        return self._given.get(name)

    def _take_inputs(self) -> None:
        """The event at which inputs change."""
        self._keep_last()
        self._count_event()
        self._handle_event()

    def _keep_last(self) -> None:
        """Store the present point, unless one is stored at this time."""
        if self.segment.result.last_time != self.time:
            self._store_point()

    def present(self) -> Callable[[str], Any]:
        """Reads any signal where the simulation pauses, without any influence on what follows; see `present_signals`."""
        memory, x = self.machine.memory, self.segment.x
        solutions, factors = memory.solutions(), memory.factors()
        self._evaluate_all()
        memory.go_on_with(factors)
        memory.begin_from(solutions)
        return present_signals(self.segment, self.time, x, self.unknowns)

    # -- intervals --------------------------------------------------------------------------------------------------------

    def _goes_on(self, event: float) -> bool:
        """Whether the simulation has not ended; one with a time event [s] that rounding only separates from its end has not."""
        return self.time < self.options.stop_time or event <= self.options.latest

    def _integrate_until(self, event: float, pause: float) -> bool:
        """Integrate to the next time event [s], a state event, a pause or the stop time; True if an event is to be handled."""
        options, stored = self.options, True
        horizon = min(event, self.history.limit(self.time))
        until = horizon if horizon <= options.latest else options.stop_time
        if pause + options.rounding < until:
            until, stored = pause, output_time_at(options.start_time, options.interval, pause) is not None
            horizon = pause if self.following.wanted else horizon
        if until - self.time <= 4.0 * sys.float_info.epsilon * max(abs(self.time), abs(until)):
            if until < event:
                self.time = until  # the two cannot be told apart
                return False
            self.time = event
            self._count_event()
            return True
        grid = output_times(options.start_time, options.interval, self.time, until)
        monitor = watch_of(self.segment, self._waiting)
        advance = self.segment.advance(grid, horizon, options.progress, monitor, stores_last=stored)
        self.time = advance.time
        self._take_notes()
        if advance.roots:
            self._log("state event: " + ", ".join(indicator_name(self.machine, k) for k in advance.roots))
        elif advance.watched:
            self._log("a condition of a program holds")
        elif until < event:
            return False
        self._count_event(advance.roots, advance.rising, watched=advance.watched)
        return True

    def _next_time_event(self) -> float:
        times = [check_time(path, component.next_time_event(self.time)) for path, component in self.components.items()]
        times += [t for t in self.machine.memory.time_events.tolist() if t > self.time]
        times += [self.iteration.next_tick(), self.machine.over_time.next_jump(self.time)]
        return max(min(times, default=math.inf), self.time)

    def _count_event(self, roots: Sequence[int] = (), rising: Sequence[bool] = (), *, watched: bool = False) -> None:
        self.segment.record.events += 1
        kind = "condition" if watched else "state" if roots else "clock" if self.iteration.ticks(self.time) else "time"
        again = self.history.repeats(self.time, roots)
        resting = self.iteration.note_rest(self.time, self.segment.x, roots, again)
        self.history.add(self.time, kind, roots, rising, resting)

    # -- events -----------------------------------------------------------------------------------------------------------

    def _handle_event(self) -> None:
        """Relations settle, components vote, at most one change of structure at a time, until nobody asks for another."""
        segment = self.segment
        causes: list[str] = []
        self.iteration.begin(self.time, segment.x)
        self.machine.over_time.arrive(self.time)
        while self._given:
            self.machine.over_time.fix(*self._given.popitem())
        self.following.arrive(self.time)
        self._settle()
        while True:
            began = clock.perf_counter()
            self._evaluate_all()
            asked = self._vote()
            change = joined(asked) if asked else None
            if change is None and not self._settle():
                break
            causes.append(change.cause if change is not None else "relations changed")
            if len(causes) > MAX_CHANGES:
                raise too_many_changes(MAX_CHANGES, self.time, causes)
            if change is not None:
                self._change_segment(change, asked, began)
        if self.segment is segment and self.machine.sorted.constraints:
            self._meet_constraints()
            self._evaluate_all()
        elif self.machine.projection.point(self.time, self.segment.x):
            self._evaluate_all()
        self._restart()

    def _vote(self) -> dict[str, SegmentChange]:
        """What components ask for, by path."""
        asked: dict[str, SegmentChange] = {}
        for path, component in self.components.items():
            signal = present_signals(self.segment, self.time, self.segment.x, self.unknowns)
            rates = PresentRates(self.segment, self.time, path)
            start = self.segment.component_start(path, self.time, self.unknowns, rates, signal)
            change = check_change(path, component.event(start), self.segment.n_inv)
            if change is not None:
                asked[path] = change
                if change.impact is not None:
                    break  # the others would vote on speeds that are no longer there
        return asked

    def _settle(self, mode: int = Mode.DERIVATIVES) -> bool:
        """Iterate at an event until nothing changes; True if anything did."""
        return self.iteration.run(self.time, self.segment.x, mode)

    def _evaluate_all(self, mode: int = 0) -> None:
        """All variables at the present point, for the components to read and to be stored."""
        self.machine.evaluate(self.time, self.segment.x, Mode.OUTPUTS | mode)
        self.unknowns = self.machine.memory.unknowns.copy()

    def _store_point(self) -> Interval:
        self._evaluate_all()
        return self._keep_point()

    def _keep_point(self) -> Interval:
        """Store the present point as it was evaluated last."""
        point = Interval(np.array([self.time]), self.segment.x[None, :].copy(), self.unknowns[None, :])
        self.segment.warn_of_gaps(point.time, point.x, point.unknowns)
        self.segment.keep(point)
        return point

    # -- names and messages -----------------------------------------------------------------------------------------------

    def _told(self, error: SimulationError) -> SimulationError:
        return self._failures.complete(error, getattr(self, "segment", None), self.history.last)

    def _take_notes(self, ending: bool = False) -> None:
        """Keep and log what components noticed since the last event."""
        for note in take_notes(self._noticing, self.segment.record, self.history, ending):
            self._log(note["text"], note["time"])

    def _log(self, text: str, time: float | None = None) -> None:
        if self.options.log:
            print(f"{self.time if time is None else time:14.9g} s  {text}", file=sys.stderr)

    def _complete_tables(self) -> None:
        self.result.program_log, self.result.tables = self._so_far()

    def _so_far(self) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
        """What components have told so far: the log of their programs, and their tables."""
        time = self.segment.result.last_time if hasattr(self, "segment") else None
        return told_by(self.components.values(), self.time if time is None else time)

    def _complete_statistics(self, wall_s: float) -> None:
        statistics: dict[str, Any] = self.result.statistics
        statistics |= vars(self.work) | {
            "events": self.history.total,
            "events_by_kind": dict(self.history.kinds),
            "factorisations": self.machine.memory.factorisations,
            "projections": self.machine.projection.done,
            "simulation_s": wall_s,
        }
