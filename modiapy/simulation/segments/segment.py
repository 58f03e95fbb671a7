"""One segment: the components' layouts, the state vector, the integrator, the stored points."""

from __future__ import annotations

import math
import time as clock
import warnings
from collections.abc import Callable, Mapping
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from ...acausal.protocol import ComponentRun
from ...acausal.segment import Rates, SegmentLayout, SegmentStart, no_signal
from ...model.errors import ModiaError, SimulationError, UnknownName, nearest
from ...symbolic.terms.arrays import element_names
from ..evaluation.component_checks import check_layout
from ..evaluation.explanation import bad_state, explain
from ..evaluation.finite import all_finite
from ..inputs.given import finite_array
from ..results.segment_result import Interval, SegmentRecord, SegmentResult
from ..results.signals import PresentReader, SignalTable, state_index_in
from ..solvers import (
    Advance,
    ConditionMonitor,
    Follower,
    IntegrationFailure,
    ModelFailure,
    Solver,
    SolverStatistics,
    has_jacobian,
)
from .interrupts import interrupted_all_the_same, undisturbed

if TYPE_CHECKING:
    from ..evaluation.machine import Machine
    from .options import Options

_POINTS_PER_CALL, _FEW_POINTS, _MOMENT_S, _LONG_S = 1000, 10, 0.02, 0.5
"""Output points from one call of the integrator to the next, at most; at first, where somebody is told of progress; there are
twice as many after a call that took less than a moment [s]."""


class Segment:
    """A stretch of the simulation with a fixed structure.

    Args:
        index: number of the segment, from 1.
        time: when it begins [s].
        cause: why.
        x_inv: states of the equations at its beginning, shape (n_inv,).
        layouts: of the components, by path, in the order of the model.
        begin: makes the `SegmentResult` where points are stored; see there for its arguments.
    """

    def __init__(
        self,
        index: int,
        time: float,
        cause: str,
        machine: Machine,
        table: SignalTable,
        x_inv: np.ndarray,
        layouts: Mapping[str, SegmentLayout],
        begin: Callable[..., SegmentResult] | None = None,
    ) -> None:
        self.machine, self.layouts = machine, layouts
        self.n_inv = x_inv.size
        self.parts: dict[str, slice] = {}
        states, n, self.n_z = [x_inv], self.n_inv, machine.n_relations
        for path, layout in layouts.items():
            first, n = n, n + layout.x.size
            self.parts[path] = slice(first, n)
            states.append(layout.x)
            self.n_z += layout.n_z
        self.x = np.concatenate(states)
        info = _summed([layout.info for layout in layouts.values()])
        self.record = SegmentRecord(index, time, cause, self.n_inv, n - self.n_inv, info)
        with undisturbed():
            self.result = (begin or SegmentResult)(self.record, table, layouts)
        self._began = clock.perf_counter()
        self.steps = 0  # before this run of a simulation that goes on
        self._points_per_call = _FEW_POINTS
        self._solver: Solver | None = None
        self._sparsities: list[Any] = []
        self._stored: list[np.ndarray] | None = None
        """Solutions of nonlinear systems at the last stored point, where no event was since then."""
        self._end, self._rounding = math.inf, 0.0
        machine.enter_segment(layouts, self.x.size, self.n_z)

    def follow(self, before: Segment) -> None:
        """Set the number of points that the integrator computes at once to the last one of the segment before."""
        self._points_per_call = before._points_per_call

    def end_at(self, options: Options) -> None:
        """Move points that only rounding separates from the stop time to the stop time."""
        self._end, self._rounding = options.stop_time, options.rounding

    def start_integrator(
        self, solver: str, time: float, rtol: float, atol: float, dae: bool = False, follower: Follower | None = None
    ) -> None:
        """Create the integrator, or restart the existing one, with a new matrix structure if that has changed."""
        self._stored = None
        integrators, jacobian = self.machine.integrators, has_jacobian(solver)
        layouts = self.layouts.values() if jacobian else ()
        if self._solver is not None and all(map(is_, self._sparsities, (layout.sparsity for layout in layouts))):
            self._solver.restart(time, self.x)
        else:
            problem = self.machine.problem(self.x.size, self.n_z, dae, jacobian=jacobian)
            if self._solver is None:
                self._solver = integrators.take(solver, problem, time, self.x, rtol, atol, dae)
            else:
                integrators.restart(self._solver, problem, time, self.x, rtol, atol)
            self._sparsities = [layout.sparsity for layout in layouts]
        self._solver.follower = follower

    def advance(
        self,
        grid: np.ndarray,
        stop: float,
        progress: Any = None,
        monitor: ConditionMonitor | None = None,
        *,
        stores_last: bool = True,
    ) -> Advance:
        """Integrate over the output points ``grid`` [s], or to the first state event; ``stop`` is the next time event [s].

        All points on the way are stored with all variables, including the event point, even if the integration fails or is
        interrupted. The last point of the grid is stored only if ``stores_last``. The memory of the model at the end of a step,
        and at the event, does not depend on the points.
        """
        advance = Advance(self.record.start, 0)
        last, follows, end = 0, progress is not None or self.result.streams, float(grid[-1])
        while last < grid.size:
            began, size = clock.perf_counter(), self._points_per_call if follows else _POINTS_PER_CALL
            times = grid[last : last + size]
            last += times.size
            with undisturbed() as wait:
                advance = self._advance_over(times, stop, monitor, end, wait, stores_last=stores_last or last < grid.size)
            if progress is not None:
                tell_progress(progress, advance.time)
            passed = clock.perf_counter() - began
            if passed > _LONG_S:
                self._points_per_call = max(1, int(size * _LONG_S / passed / 2.0))
            elif follows and advance.count == size and passed < _MOMENT_S:
                self._points_per_call = min(2 * size, _POINTS_PER_CALL)
            if advance.stopped:
                break
        return advance

    def _advance_over(
        self,
        times: np.ndarray,
        stop: float,
        monitor: ConditionMonitor | None,
        end: float,
        wait: undisturbed,
        *,
        stores_last: bool,
    ) -> Advance:
        """`advance` over some of the points up to ``end`` [s]. Interrupts ``wait`` while points are stored."""
        assert self._solver is not None
        machine, solver = self.machine, self._solver
        stored = self._stored or machine.memory.solutions()  # of the nonlinear systems there; the integrator has its own
        states = np.empty((times.size, self.x.size))
        if solver.follower is not None:
            solver.follower.keep_from(float(times[0]))
        solver.count = 0
        try:
            with wait.but_here():
                advance = solver.advance(times, stop, states, monitor, end)
            self.x[:] = solver.x
            if advance.stopped or times[-1] == end:
                machine.projection.point(advance.time, self.x)
        except (IntegrationFailure, KeyboardInterrupt) as failure:
            if isinstance(failure, IntegrationFailure):
                failure.reason = failure.reason or machine.projection.reason()
            machine.memory.begin_from(stored)
            self.store(times[: solver.count], states[: solver.count])
            raise
        times, states = times[: advance.count], states[: advance.count]
        if advance.stopped and not (times.size and times[-1] == end):
            times, states = np.append(times, advance.time), np.vstack([states, self.x])
        elif not stores_last and not advance.stopped:
            times, states = times[:-1], states[:-1]
        integrated = machine.memory.put_aside()
        machine.memory.begin_from(stored)
        if times.size:
            self.store(times, states)
        self._stored = machine.memory.solutions()
        machine.memory.go_on_with(integrated)
        return advance

    def store(self, times: np.ndarray, states: np.ndarray) -> None:
        """Project the states at the given points, evaluate all variables with the present modes of relations, and keep both."""
        if not all_finite(states):
            keep = int(np.argmin(np.isfinite(states).all(axis=1)))
            self.store(times[:keep], states[:keep])
            error = bad_state(self.machine, float(times[keep]), states[keep])
            assert error is not None
            raise error
        projected = self.machine.projection.points(times, states)
        if projected < times.size:
            failure = self.machine.projection.failure(float(times[projected]), states[projected])
            self.store(times[:projected], states[:projected])
            raise failure
        unknowns, failed = self.machine.outputs(times, states)
        if failed < 0:
            self.warn_of_gaps(times, states, unknowns)
            points = Interval(times, states, unknowns)
            self.keep(points)
            self.machine.assertions.check(points)
        else:
            self.keep(Interval(times[:failed], states[:failed], unknowns[:failed]))
            at = ModelFailure(times[failed], states[failed])
            raise IntegrationFailure("the model could not be evaluated", at.time, at=at)

    def keep(self, points: Interval) -> None:
        """Add evaluated points to the result."""
        if points.time.size and abs(float(points.time[-1]) - self._end) <= self._rounding:
            points.time = np.where(np.abs(points.time - self._end) <= self._rounding, self._end, points.time)
        if not self.result.streams:
            self.result.append(points)
            return
        with undisturbed():
            self.result.append(points)

    def warn_of_gaps(self, times: np.ndarray, states: np.ndarray, unknowns: np.ndarray) -> None:
        """Warn about variables that are not finite but affect no state, the first time for each of them."""
        if all_finite(unknowns):
            return
        seen = self.machine.not_finite
        new = ~np.isfinite(unknowns) & ~seen
        while new.any():
            k = int(np.argmax(new.any(axis=1)))
            columns = np.flatnonzero(new[k])
            seen[columns], new[:, columns] = True, False
            reason = explain(self.machine, float(times[k]), states[k])
            if reason is not None:
                names = element_names(self.machine.sorted.stored, self.machine.layout.shapes)
                others = ", ".join(repr(names[c]) for c in columns)
                warnings.warn(f"at time {times[k]:.10g} s {reason}. Not finite there: {others}", stacklevel=2)

    def component_start(
        self,
        path: str,
        time: float,
        unknowns: np.ndarray,
        rates: Rates | None = None,
        signal: Callable[[str], Any] = no_signal,
    ) -> SegmentStart:
        """Return the data for a component at an event in this segment, after the variables have been computed."""
        table, x = self.machine.table, self.x.copy()
        read = PresentReader(table, path, time, x, unknowns)
        return SegmentStart(time, x[self.parts[path]], read, rates, signal, state_index=state_index_in(table, path))

    def as_if(self, path: str, layout: SegmentLayout) -> tuple[Machine, np.ndarray]:
        """Return a machine, with its own memory, in which the component at ``path`` has another layout; and all states."""
        layouts = {**self.layouts, path: layout}
        states = {name: self.x[part] for name, part in self.parts.items()} | {path: layout.x}
        x = np.concatenate([self.x[: self.n_inv], *states.values()])
        n_z = self.n_z - self.layouts[path].n_z + layout.n_z
        machine = self.machine.fork()
        machine.enter_segment(layouts, x.size, n_z)
        return machine, x

    @property
    def has_integrator(self) -> bool:
        """True if an integrator was started."""
        return self._solver is not None

    def solver_states(self) -> np.ndarray:
        """Return the present states of the integrator, shape (n,)."""
        return self._solver.x.copy() if self._solver is not None else self.x

    @property
    def largest(self) -> np.ndarray:
        """Magnitude of each state at the ends of steps until now, shape (n,), not to be changed."""
        return self._solver.largest if self._solver is not None else np.abs(self.x)

    def note_sizes(self, sizes: np.ndarray) -> None:
        """Take magnitudes that states had elsewhere into account for `largest`, shape (n,)."""
        if self._solver is not None:
            np.maximum(self._solver.largest, sizes, out=self._solver.largest)

    def solver_statistics(self) -> SolverStatistics | None:
        """Work of the integrator; None if there was none."""
        return self._solver.statistics() if self._solver is not None else None

    def x_with(self, values: Mapping[str, Any]) -> np.ndarray:
        """Return the present states with other values for some of them.

        Args:
            values: by full name, numbers or arrays.

        Raises:
            ModelError: there is no such state, a wrong shape, or not a number.
        """
        x, table, own = self.x.copy(), self.machine.table, self.result.state_places
        for name, value in values.items():
            source = table.find(name)
            if source is not None and source.kind == "state":
                shape, factor = source.shape, source.factor
                place = slice(source.index, source.index + math.prod(shape))
            elif name in own:
                shape, place, factor = (), slice(own[name], own[name] + 1), 1.0
            elif f"{name}[0]" in own:
                size = next(k for k in range(1, len(own) + 1) if f"{name}[{k}]" not in own)
                shape, place, factor = (size,), slice(own[f"{name}[0]"], own[f"{name}[0]"] + size), 1.0
            else:
                known = [*own, *(n for n in table if (s := table.find(n)) is not None and s.kind == "state")]
                found = "another variable" if source is not None else "no signal"
                raise UnknownName(f"'{name}' is no state", path=name, found=found, remedy=nearest(name, known))
            x[place] = factor * finite_array(value, shape, "a state", name).reshape(-1)
        return x

    def begin_again(self, record: SegmentRecord, begin: Callable[..., SegmentResult]) -> None:
        """Go on with a new result from the beginning of the segment, or a later point of it."""
        self.record = record
        self.result = begin(record, self.machine.table, self.layouts)
        self._stored, self._began = None, clock.perf_counter()

    def state_name(self, index: int | None) -> str:
        """Name of a state by its position; "" if there is none."""
        return "" if index is None else self.result.states[index]

    def close(self) -> SolverStatistics | None:
        """Complete the record and release the integrator; return its work, None if there was none."""
        work = self.solver_statistics()
        if self._solver is not None and work is not None:
            self.record.steps = self.steps + work.steps
            self.machine.integrators.give(self._solver)
            self._solver = None
        self.record.wall_s = clock.perf_counter() - self._began
        with undisturbed():
            self.result.finish()
        for layout in self.layouts.values():
            layout.keep, layout.data, layout.sparsity, layout.projection = None, (), None, None
        return work


def tell_progress(progress: Callable[[float], None], time: float) -> None:
    """Call the user's ``progress`` function. Raises SimulationError if it fails."""
    try:
        with interrupted_all_the_same():
            progress(time)
    except ModiaError:
        raise
    except Exception as error:
        raise SimulationError(
            "the function given as 'progress' failed",
            time=time,
            found=f"{type(error).__name__}: {error}",
            remedy="What was computed until then is in the result of this error.",
        ) from error


def begin_components(components: Mapping[str, ComponentRun], starts: Mapping[str, SegmentStart]) -> dict[str, SegmentLayout]:
    """Begin the segment in all components; return their layouts, checked.

    Raises:
        ModelError: a layout contradicts itself (names the component).
    """
    return {path: check_layout(path, component.init_segment(starts[path])) for path, component in components.items()}


def _summed(infos: list[Mapping[str, Any]]) -> dict[str, Any]:
    total = dict(infos[0]) if infos else {}
    for info in infos[1:]:
        for key, value in info.items():
            total[key] = total[key] + value if isinstance(total.get(key), int | float) else value
    return total


def output_times(start: float, interval: float, after: float, until: float) -> np.ndarray:
    """Return the multiples of ``interval`` counted from ``start``, strictly between ``after`` and ``until``, then ``until``
    [s].

    Points that numbers of this size cannot tell apart are left out.
    """
    interval = max(interval, 8.0 * math.ulp(max(abs(after), abs(until))))
    slack = 1e-6 * interval
    first = math.floor((after + slack - start) / interval) + 1
    last = math.ceil((until - slack - start) / interval) - 1
    if last < first:
        return np.array([until])
    points = start + interval * np.arange(first, last + 2)
    points[-1] = until
    return points


def output_time_at(start: float, interval: float, time: float) -> float | None:
    """Return the multiple of ``interval`` counted from ``start`` that is at a time [s] but for rounding; None if there is
    none.
    """
    near = start + interval * round((time - start) / interval)
    return near if abs(near - time) <= 1e-6 * interval else None
