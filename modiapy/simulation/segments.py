"""One segment: the components' layouts, the state vector, the integrator, the stored points."""

from __future__ import annotations

import math
import time as clock
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..acausal.protocol import CONTEXT_SLOTS, AcausalComponent, Read, SegmentLayout, SegmentStart, Slot, Sparsity
from ..model.errors import ModelError
from .component_checks import check_layout
from .result import Interval, SegmentRecord, SegmentResult
from .signals import SignalTable, relative_name
from .solvers import Advance, IntegrationFailure, Solver, Watch

if TYPE_CHECKING:
    from .machine import Machine

_POINTS_PER_CALL = 1000


class Segment:
    """A stretch of the simulation with a fixed structure.

    Args:
        index: number of the segment, from 1.
        time: when it begins [s].
        cause: why.
        x_inv: states of the equations at its beginning, shape (n_inv,).
        layouts: of the components, by path, in the order of the model.
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
    ) -> None:
        self.machine, self.layouts = machine, layouts
        self.n_inv = x_inv.size
        self.parts: dict[str, slice] = {}
        first = self.n_inv
        for path, layout in layouts.items():
            self.parts[path] = slice(first, first + layout.x.size)
            first += layout.x.size
        self.x = np.concatenate([x_inv, *(layout.x for layout in layouts.values())])
        self.n_z = machine.n_relations + sum(layout.n_z for layout in layouts.values())
        info = _summed([layout.info for layout in layouts.values()])
        self.record = SegmentRecord(index, time, cause, self.n_inv, self.x.size - self.n_inv, info)
        self.result = SegmentResult(self.record, table, layouts)
        self._began = clock.perf_counter()
        self.steps = 0  # before this run of a simulation that goes on
        self._solver: Solver | None = None
        self._warned = False
        machine.enter_segment(layouts, self.x.size, self.n_z)

    def start_integrator(self, solver: str, time: float, rtol: float, atol: float, dae: bool = False) -> None:
        """Create the integrator, or begin again with the one there is."""
        if self._solver is None:
            problem = self.machine.problem(self.x.size, self.n_z, dae)
            self._solver = self.machine.integrators.take(solver, problem, time, self.x, rtol, atol, dae)
        else:
            self._solver.restart(time, self.x)

    def advance(self, grid: np.ndarray, stop: float, progress: Any = None, watch: Watch | None = None) -> Advance:
        """Integrate over the output points ``grid`` [s], the last of which is ``stop``, or to the first state event.

        All points on the way are stored with all variables, the event point included, also if the integration fails or is
        interrupted.
        """
        assert self._solver is not None
        states = np.empty((grid.size, self.x.size))
        done = 0
        advance = Advance(self.record.start, 0)
        before = self.machine.solutions()
        try:
            while done < grid.size:
                chunk = slice(done, min(done + _POINTS_PER_CALL, grid.size))
                advance = self._solver.advance(grid[chunk], stop, states[chunk], watch)
                done += advance.count
                self._solver.count = 0
                if advance.roots or advance.watched:
                    break
                if progress is not None:
                    progress(advance.time)
        except (IntegrationFailure, KeyboardInterrupt):
            done += self._solver.count
            self.machine.begin_from(before)
            self.store(grid[:done], states[:done])
            raise
        self.x[:] = self._solver.x
        times, points = grid[:done], states[:done]
        if advance.roots or advance.watched:
            times, points = np.append(times, advance.time), np.vstack([points, self.x])
        self.machine.begin_from(before)
        self.store(times, points)
        return advance

    def store(self, times: np.ndarray, states: np.ndarray) -> None:
        """Evaluate all variables at the given points, with the modes of relations as they are, and keep them."""
        if not np.isfinite(states).all():
            keep = int(np.argmin(np.isfinite(states).all(axis=1)))
            self.store(times[:keep], states[:keep])
            raise IntegrationFailure("a state is not a number", float(times[keep]), int(np.argmin(np.isfinite(states[keep]))))
        unknowns, failed = self.machine.outputs(times, states)
        if failed < 0:
            self._warn_of_gaps(times, states, unknowns)
            points = Interval(times, states, unknowns)
            self.result.append(points)
            self.machine.assertions.check(points)
        else:
            self.result.append(Interval(times[:failed], states[:failed], unknowns[:failed]))
            raise IntegrationFailure("the model could not be evaluated", float(times[failed]))

    def _warn_of_gaps(self, times: np.ndarray, states: np.ndarray, unknowns: np.ndarray) -> None:
        """Warn, once in a segment, where a variable on which no state depends is not a number."""
        if self._warned or np.isfinite(unknowns).all():
            return
        k = int(np.argmin(np.isfinite(unknowns).all(axis=1)))
        reason = self.machine.explain(float(times[k]), states[k])
        if reason is not None:
            self._warned = True
            warnings.warn(f"at time {times[k]:.10g} s {reason}", stacklevel=2)

    def component_start(
        self, path: str, time: float, read: Read, rates: Callable[[], np.ndarray] | None = None
    ) -> SegmentStart:
        """What a component is told at an event in this segment."""
        return SegmentStart(time, self.x[self.parts[path]].copy(), read, rates)

    def solver_states(self) -> np.ndarray:
        """Where the integrator is, shape (n,)."""
        return self._solver.x.copy() if self._solver is not None else self.x

    def solver_statistics(self) -> Any:
        """Work of the integrator; None if there was none."""
        return self._solver.statistics() if self._solver is not None else None

    def state_name(self, index: int | None) -> str:
        """Name of a state by its position; "" if there is none."""
        return "" if index is None else self.result.states[index]

    def close(self) -> None:
        """Complete the record and give the integrator back."""
        if self._solver is not None:
            self.record.steps = self.steps + self._solver.statistics().steps
            self.machine.integrators.give(self._solver)
            self._solver = None
        self.record.wall_s = clock.perf_counter() - self._began


def begin_components(
    components: Mapping[str, AcausalComponent], starts: Mapping[str, SegmentStart]
) -> dict[str, SegmentLayout]:
    """Layouts of all components for the segment that begins, checked.

    Raises:
        ModelError: a layout contradicts itself (names the component).
    """
    return {path: check_layout(path, component.init_segment(starts[path])) for path, component in components.items()}


def _summed(infos: list[Mapping[str, Any]]) -> dict[str, Any]:
    total: dict[str, Any] = {}
    for info in infos:
        for key, value in info.items():
            total[key] = total[key] + value if isinstance(total.get(key), int | float) else value
    return total


def output_times(start: float, interval: float, after: float, until: float) -> np.ndarray:
    """Multiples of ``interval`` counted from ``start``, strictly between ``after`` and ``until``, then ``until`` [s]."""
    slack = 1e-6 * interval
    first = math.floor((after + slack - start) / interval) + 1
    last = math.ceil((until - slack - start) / interval) - 1
    points = start + interval * np.arange(first, last + 1)
    return np.append(points, until)
