"""`Simulation`: the beginning, pauses and end of one run of a model; its `SegmentLoop` carries out what happens in between."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

import numpy as np

from ..acausal.protocol import EndOfSimulation, SegmentChange
from ..model.errors import ModiaError, SimulationError
from .evaluation.assertions import Terminated
from .evaluation.machine import NO_SERIES, EvaluationFailure, Machine
from .failures import Failures
from .inputs.time_series import TimeSeries
from .results.result import Result
from .sampled.held_inputs import HeldInputs
from .segment_loop import SegmentLoop
from .segments.interrupts import finish_first, undisturbed
from .segments.options import Options
from .snapshots.saver import Saver
from .snapshots.snapshot import Snapshot
from .solvers import IntegrationFailure


class SimulationInterrupted(SimulationError):
    """The simulation was interrupted from the keyboard; as of a `SimulationError` there is the result until then."""


class Simulation:
    """One run of a model.

    Args:
        machine: the model.
        options: of the simulation.
        result: to which it is stored.
        snapshot: from which it goes on; None: it begins at the beginning.
        save: writes a snapshot; None: nobody wants one.
        at_end: called at the stop time.

    Attributes:
        loop: what happens in it. options: the same.
    """

    def __init__(
        self,
        machine: Machine,
        options: Options,
        result: Result,
        snapshot: Snapshot | None = None,
        save: Callable[[], None] | None = None,
        at_end: Callable[[SegmentLoop], None] | None = None,
    ) -> None:
        self._machine, self.options, self._result, self._at_end = machine, options, result, at_end
        begin = options.start_time if snapshot is None else snapshot.time
        self._saver = None if save is None else Saver(save, options.save_every, begin)
        self.loop = SegmentLoop(machine, options, result, snapshot, self._saver)
        self._failures = Failures(machine, result)
        self._begun, self._wall_s = False, 0.0

    @property
    def time(self) -> float:
        """Present time of the simulation [s]."""
        return self.loop.current.time

    def run(self) -> None:
        """Run segments until the stop time; an error carries the result so far."""
        self.go(math.inf)

    def go(self, until: float, inputs: HeldInputs | None = None) -> bool:
        """Simulate until a time [s] with the events there; False: it has ended, by whatever.

        A time that is not before the stop time is the end.

        Args:
            inputs: that change now; None: none.

        Raises:
            SimulationError: it cannot go on; the error carries the result so far.
        """
        if math.isfinite(until):
            options = self.options
            until = until if until < options.stop_time - options.rounding else math.inf
        return self._guarded(partial(self._pauses_at, until, inputs))

    def stop(self, message: str) -> None:
        """End the simulation now, before the stop time. Errors as of `go`."""
        self._guarded(partial(self._stops, message))

    def goes_back(self, snapshot: Snapshot, result: Result) -> bool:
        """Go back to a state of the present segment, with a new result; return whether that is possible."""
        if not self.loop.goes_back(snapshot, result):
            return False
        self._record(result)
        return True

    def begin_from(self, snapshot: Snapshot, result: Result, series: Mapping[str, TimeSeries]) -> bool:
        """Begin again from a state of this simulation or another one of the model, with a new result.

        Args:
            series: of the inputs over time.
        """
        if self.loop.current.in_segment and self.loop.current.segment.has_integrator:
            self.loop.finish_segment()
        self._machine.begin_again(series)
        inputs = self.loop.inputs
        inputs.restore(inputs.present())
        self.loop = SegmentLoop(self._machine, self.options, result, snapshot, self._saver, inputs)
        self._record(result)

        def begins() -> bool:
            self.loop.resume()
            return True

        return self._guarded(begins)

    def change(self, path: str, change: SegmentChange) -> bool:
        """Begin a segment with a change that a component wants before states are set; return True."""

        def changes() -> bool:
            began, loop = clock.perf_counter(), self.loop
            loop.current.store()
            start = loop.current.segment.component_start(path, self.time, loop.current.unknowns)
            start.change = change
            loop.change_segment(change, {path: start}, began)
            return True

        return self._guarded(changes)

    def jump(self, x: np.ndarray, inputs: Mapping[str, TimeSeries]) -> bool:
        """Let states and inputs have other values now, by an event; return True."""

        def jumps() -> bool:
            self.loop.jump(x, inputs)
            return True

        return self._guarded(jumps)

    def _record(self, result: Result) -> None:
        self._result, self._failures, self._wall_s = result, Failures(self._machine, result), 0.0
        result.status = "failed"
        result.told_by(self.loop.run_log.so_far)

    def interrupt(self) -> None:
        """End the simulation with its present result, because of an error elsewhere."""
        self._result.status = "interrupted"
        self._close()

    def tell(self) -> None:
        """Update the logs, tables and statistics of the result."""
        with undisturbed():
            self.loop.run_log.tell(self._machine, self.loop.work_so_far(), self._wall_s)

    def snapshot(self) -> Snapshot | None:
        """Return the state after the last event; all points until then are stored. None before the first event."""
        if self.loop.snapshot is not None:
            with undisturbed():
                self.loop.current.segment.result.flush()
        return self.loop.snapshot

    def _pauses_at(self, until: float, inputs: HeldInputs | None) -> bool:
        """Simulate until a time [s]; return False if it has ended, at the stop time or because a component ended it."""
        loop = self.loop
        if not self._begun:
            self._begin()
        try:
            if inputs is not None and inputs.changed and loop.hold(until):
                return True
            if loop.advance(until, NO_SERIES if inputs is None else inputs.given()):
                return True
        except EndOfSimulation as end:
            self._result.verdict, self._result.success = end.verdict, end.success
            loop.run_log.log(f"end: {end.verdict}")
            loop.current.store()
        loop.terminate()
        if self._at_end is not None:
            self._at_end(loop)
            loop.current.store()
        self._finished()
        return False

    def _begin(self) -> None:
        self._begun, self._result.status = True, "failed"
        self._result.told_by(self.loop.run_log.so_far)
        if self.loop.snapshot is not None:
            self.loop.resume()

    def _stops(self, message: str) -> bool:
        self.loop.current.store_once()
        self.loop.terminate()
        self._finished(message)
        return False

    def _finished(self, message: str = "") -> None:
        for component in self.loop.components.values():
            component.terminate(self.time)
        self._result.status, self._result.terminated = "finished", message

    def _guarded(self, work: Callable[[], bool]) -> bool:
        """Do part of the work; return whether more is left. Errors carry the result and end the simulation."""
        began, pauses = clock.perf_counter(), False
        current, failures = self.loop.current, self._failures
        try:
            pauses = work()
        except Terminated as end:
            if current.segment.result.is_empty():
                current.store()
            self.loop.run_log.log(f"terminated: {end.message}")
            self._finished(end.message)
        except KeyboardInterrupt:
            finish_first()
            self._result.status = "interrupted"
            times = self._result.time
            reached = float(times[-1]) if times.size else self.time
            raise SimulationInterrupted("the simulation was interrupted", time=reached, result=self._result) from None
        except IntegrationFailure as failure:
            error = failures.of_integration(failure, self.time, current.segment, self.options.interval)
            raise self._told(error) from failure.reason
        except EvaluationFailure as failure:
            raise self._told(failures.of_evaluation(failure, self.time, current.x)) from None
        except ModiaError as error:
            if current.in_segment and current.segment.result.is_empty():
                with suppress(EvaluationFailure):
                    current.store()
            raise self._told(failures.located(error, getattr(error, "time", self.time))) from error
        finally:
            self._wall_s += clock.perf_counter() - began
            if not pauses:
                self._close()
        return pauses

    def _told(self, error: SimulationError) -> SimulationError:
        current = self.loop.current
        return self._failures.complete(error, current.segment if current.in_segment else None, self.loop.history.last)

    def _close(self) -> None:
        finish_first()
        self.loop.finish_segment(ending=self._result.status == "finished")
        self._machine.integrators.close()
        self.loop.run_log.tell(self._machine, self.loop.work, self._wall_s)
        if self._saver is not None and self.loop.snapshot is not None:
            self._saver.end(self.time, self._result)
