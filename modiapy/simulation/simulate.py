"""One simulation: segments, intervals and events, read from the top."""

from __future__ import annotations

import math
import sys
import time as clock
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..acausal.protocol import AcausalComponent, Mode, SegmentChange, SegmentStart
from ..model.errors import ModelError, ModiaError, SimulationError
from .initial import initial_reader, initial_values
from .machine import EvaluationFailure, Machine
from .result import Interval, Result
from .segments import Segment, begin_components, output_times
from .signals import SignalTable, reader, relative_name
from .solvers import IntegrationFailure, SolverStatistics

MAX_CHANGES = 1000
"""Number of segments, or of state events, at one point in time from which on the model is considered wrong."""

_MAX_ITERATIONS = 100


class SimulationInterrupted(SimulationError):
    """The simulation was interrupted from the keyboard; ``result`` holds what was computed until ``time`` [s]."""


@dataclass(frozen=True)
class Options:
    """Arguments of `SimulationModel.simulate`, checked."""

    start_time: float
    stop_time: float
    tolerance: float
    absolute_tolerance: float
    interval: float
    solver: str
    log: bool
    progress: Callable[[float], None] | None


class Simulation:
    """One run of a model. `run` is the algorithm."""

    def __init__(self, machine: Machine, options: Options, result: Result) -> None:
        self.machine, self.options, self.result = machine, options, result
        self.components: Mapping[str, AcausalComponent] = machine.flat.components
        self.table: SignalTable = machine.table
        self.time = options.start_time
        self.segment: Segment
        self.events = 0
        self._work = SolverStatistics()
        self._unknowns = np.zeros(0)
        self._recent: deque[float] = deque()

    def run(self) -> Result:
        """Segments until the stop time, or an error that carries the result so far."""
        self.result.status = "failed"
        began = clock.perf_counter()
        try:
            self._initialize()
            while self.time < self.options.stop_time:
                if self._integrate_to_next_event():
                    self._handle_event()
            self._terminate()
            self.result.status = "finished"
            return self.result
        except KeyboardInterrupt:
            self.result.status = "interrupted"
            raise SimulationInterrupted("the simulation was interrupted", time=self._reached(), result=self.result) from None
        except IntegrationFailure as failure:
            raise self._integration_error(failure) from None
        except EvaluationFailure as failure:
            raise self._evaluation_error(failure) from None
        except ModiaError as error:
            if hasattr(self, "segment") and self.segment.result.is_empty():
                self._store_point()
            raise self._located(error, self.time) from error
        finally:
            self._finish_segment()
            self._complete_statistics(clock.perf_counter() - began)

    # -- segments ---------------------------------------------------------------------------------------------------------

    def _initialize(self) -> None:
        machine = self.machine
        x_inv = np.array(machine.sorted.initial_states(machine.flat.variables))
        values = initial_values(machine.sorted, machine.flat, machine.inputs, self.time, x_inv)
        starts = {path: SegmentStart(self.time, None, initial_reader(values, path)) for path in self.components}
        self._begin_segment("initialization", x_inv, starts, clock.perf_counter(), Mode.INITIAL)
        self._check_initial_values()
        self._handle_event()

    def _check_initial_values(self) -> None:
        """Initial values of variables that are not states must agree with the equations."""
        machine = self.machine
        if not machine.sorted.redundant_initials:
            return
        self._evaluate_all()
        read = self._reader("")
        for name in machine.sorted.redundant_initials:
            value, wanted = read(name), machine.flat.variables[name].init
            if wanted is not None and not math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-6):
                raise ModelError(
                    "the initial value contradicts the equations",
                    path=name,
                    found=f"init={wanted!r}",
                    expected=f"{value!r}, computed from the initial values of {', '.join(machine.sorted.states)}",
                    remedy="Remove this init, or change the others.",
                )

    def _change_segment(self, change: SegmentChange, began: float) -> None:
        """End the present segment, begin the one asked for."""
        if self.segment.result.is_empty():
            self._store_point()
        x_inv = self.segment.x[: self.segment.n_inv].copy()
        for name, value in change.reinit.items():
            x_inv[self._state_index(name)] = value
        starts = {path: self.segment.component_start(path, self.time, self._reader(path)) for path in self.components}
        self._finish_segment()
        self._begin_segment(change.cause, x_inv, starts, began)

    def _begin_segment(
        self, cause: str, x_inv: np.ndarray, starts: Mapping[str, SegmentStart], began: float, mode: int = 0
    ) -> None:
        layouts = begin_components(self.components, starts)
        index = len(self.result.segments) + 1
        self.segment = Segment(index, self.time, cause, self.machine, self.table, x_inv, layouts)
        self.result.begin(self.segment.result)
        self._log(f"segment {index}: {cause}")
        self._settle_relations(mode)
        self._start_integrator()
        self.segment.record.change_ms = 1e3 * (clock.perf_counter() - began)

    def _terminate(self) -> None:
        for component in self.components.values():
            if hasattr(component, "terminate"):
                component.terminate(self.time)

    def _finish_segment(self) -> None:
        if not hasattr(self, "segment"):
            return
        work = self.segment.solver_statistics()
        if work is not None:
            self._work.add(work)
        self.segment.close()

    def _start_integrator(self) -> None:
        options = self.options
        self.segment.start_integrator(options.solver, self.time, options.tolerance, options.absolute_tolerance)

    # -- intervals --------------------------------------------------------------------------------------------------------

    def _integrate_to_next_event(self) -> bool:
        """Integrate to the next time event, state event or the stop time; True if there is an event to handle."""
        options = self.options
        event = self._next_time_event()
        until = min(event, options.stop_time)
        if until - self.time <= 4.0 * sys.float_info.epsilon * max(abs(self.time), abs(until)):
            self.time = until  # the two cannot be told apart
            self._count_event("time events")
            return event < options.stop_time
        grid = output_times(options.start_time, options.interval, self.time, until)
        advance = self.segment.advance(grid, until, options.progress)
        self.time = advance.time
        if advance.roots:
            self._log("state event: " + ", ".join(map(self._indicator_name, advance.roots)))
        elif event >= options.stop_time:
            return False
        self._count_event(", ".join(map(self._indicator_name, advance.roots)) or "time events")
        return True

    def _next_time_event(self) -> float:
        times = [component.next_time_event(self.time) for component in self.components.values()]
        times += [t for t in self.machine.time_events.tolist() if t > self.time]
        return max(min(times, default=math.inf), self.time)

    def _count_event(self, causes: str) -> None:
        """Raise if events follow each other with practically no time between them."""
        self.events += 1
        self.segment.record.events += 1
        self._recent.append(self.time)
        if len(self._recent) > MAX_CHANGES and self.time - self._recent.popleft() < 1e-6 * self.options.interval:
            raise SimulationError(
                f"more than {MAX_CHANGES} events at one point in time",
                time=self.time,
                found=causes,
                remedy="A relation switches back and forth; give it a hysteresis, or write noEvent(...) around it.",
            )

    # -- events -----------------------------------------------------------------------------------------------------------

    def _handle_event(self) -> None:
        """Relations settle, components vote, at most one change of structure at a time, until nobody asks for another."""
        segment = self.segment
        causes: list[str] = []
        self._settle_relations()
        while True:
            began = clock.perf_counter()
            self._evaluate_all()
            change = self._vote()
            if change is None and not self._settle_relations():
                break
            causes.append(change.cause if change is not None else "relations changed")
            if len(causes) > MAX_CHANGES:
                raise self._too_many_changes(causes)
            if change is not None:
                self._change_segment(change, began)
        if self.segment is segment:
            self._start_integrator()
        self._store_point()

    def _vote(self) -> SegmentChange | None:
        changes = []
        for path, component in self.components.items():
            change = component.event(self.segment.component_start(path, self.time, self._reader(path)))
            if change is not None:
                reinit = {relative_name(path, name): value for name, value in change.reinit.items()}
                changes.append(SegmentChange(change.cause, reinit))
        if not changes:
            return None
        reinit = {name: value for change in changes for name, value in change.reinit.items()}
        return SegmentChange("; ".join(change.cause for change in changes), reinit)

    def _settle_relations(self, mode: int = Mode.DERIVATIVES) -> bool:
        """Evaluate with relations free to change until none does; True if one did."""
        ahead = 1e-6 * self.options.interval
        for iteration in range(_MAX_ITERATIONS):
            changed = self.machine.update_relations(self.time, self.segment.x, mode, ahead)
            if not changed.size:
                return iteration > 0
        raise SimulationError(
            f"relations do not settle in {_MAX_ITERATIONS} iterations at an event",
            time=self.time,
            found=", ".join(self._mode_name(int(k)) for k in changed),
            remedy="Each of them makes another one change; remove the algebraic loop between relations.",
        )

    def _evaluate_all(self) -> None:
        """All variables at the present point, for the components to read and to be stored."""
        self.machine.evaluate(self.time, self.segment.x, Mode.OUTPUTS)
        self._unknowns = self.machine.unknowns.copy()

    def _store_point(self) -> None:
        self._evaluate_all()
        time, x, unknowns = np.array([self.time]), self.segment.x[None, :].copy(), self._unknowns[None, :]
        self.segment.result.append(Interval(time, x, unknowns))

    def _reader(self, path: str) -> Callable[[str], float]:
        time, x, unknowns = self.time, self.segment.x.copy(), self._unknowns
        return reader(self.table, path, lambda source: source.value(time, x, unknowns))

    # -- names and messages -----------------------------------------------------------------------------------------------

    def _state_index(self, name: str) -> int:
        source = self.table.get(name)
        if source is None or source.kind != "state" or source.factor != 1.0:
            raise SimulationError(f"'{name}' is to be re-initialised, but it is not a state of the equations", time=self.time)
        return source.index

    def _mode_name(self, k: int) -> str:
        if k < self.machine.n_relations:
            return f"{self.machine.sorted.indicators[k]} {self.machine.sorted.relations[k]} 0"
        return f"after({self.machine.sorted.time_events[k - self.machine.n_relations]})"

    def _indicator_name(self, k: int) -> str:
        if k < self.machine.n_relations:
            return self._mode_name(k)
        k -= self.machine.n_relations
        for path, layout in self.segment.layouts.items():
            if k < layout.n_z:
                return f"indicator {k} of {path or 'the component'}"
            k -= layout.n_z
        return f"indicator {k}"

    def _too_many_changes(self, causes: list[str]) -> SimulationError:
        return SimulationError(
            f"more than {MAX_CHANGES} changes at one point in time",
            time=self.time,
            found=", ".join(dict.fromkeys(causes[-20:])),
            remedy="A component asks for a change again and again: what it asks for does not take away the reason.",
        )

    def _reached(self) -> float:
        time = self.result.time
        return float(time[-1]) if time.size else self.time

    def _integration_error(self, failure: IntegrationFailure) -> SimulationError:
        reason = self.machine.explain_ahead(failure.time, self.segment.solver_states(), self.options.interval)
        if reason is not None:
            return self._located(reason, failure.time)
        state = self.segment.state_name(failure.state)
        return SimulationError(
            f"at time {failure.time:.10g} s {failure.message}",
            time=failure.time,
            result=self.result,
            path=state,
            found=f"the largest error in state '{state}'" if state else "",
            remedy="Check the equations at that time, or use a larger tolerance.",
        )

    def _evaluation_error(self, failure: EvaluationFailure) -> SimulationError:
        reason = self.machine.explain(self.time, self.segment.x)
        return self._located(reason or SimulationError(str(failure), time=self.time), self.time)

    def _located(self, error: ModiaError, time: float) -> SimulationError:
        """The same error with time and result; the original message stays."""
        return SimulationError(
            f"at time {time:.10g} s {error.message}",
            time=time,
            result=self.result,
            **error.details,
        )

    def _log(self, text: str) -> None:
        if self.options.log:
            print(f"{self.time:14.9g} s  {text}", file=sys.stderr)

    def _complete_statistics(self, wall_s: float) -> None:
        statistics: dict[str, Any] = self.result.statistics
        statistics |= vars(self._work) | {"events": self.events, "simulation_s": wall_s}
