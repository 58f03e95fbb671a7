"""Data of one call of `simulate`, and the choice of the simulation that "the last simulation" means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

from ..acausal.protocol import ComponentRun
from ..model.errors import ModelError
from .results.about import About
from .results.result import Result
from .simulate import Simulation
from .snapshots.snapshot import Snapshot
from .values import Values


class Run:
    """A simulation of a model, before, while and after it runs.

    Attributes:
        values: with which it is simulated.
        begins_from: a snapshot from which it is to go on; None: it begins at the beginning, or goes on already.
        result: what came out so far; None before it begins. about: tells of the model, for results.
        simulation: at work or at its end; None before it begins.
    """

    def __init__(self, values: Values, begins_from: Snapshot | None = None) -> None:
        self.values, self.begins_from = values, begins_from
        self.result: Result | None = None
        self.about: Callable[[], About] | None = None
        self.simulation: Simulation | None = None

    @property
    def components(self) -> Mapping[str, ComponentRun]:
        """The predefined acausal components at work, by path; none before it begins."""
        return {} if self.simulation is None else self.simulation.loop.components

    def snapshot(self) -> Snapshot | None:
        """Return the state after the last event, and make sure that its results are stored; None before the first one."""
        if self.begins_from is not None or self.simulation is None:
            return self.begins_from
        return self.simulation.snapshot()

    def begin_result(self, in_memory: bool = True) -> Result:
        """Return a new result, for a simulation that goes back; not of one that is written to a file (raises ModelError)."""
        assert self.result is not None
        assert self.about is not None
        if not in_memory:
            found = "a result in a file, which goes on in time only"
            raise ModelError("the simulation cannot go back", found=found, remedy="Leave out output=...")
        return Result(self.result.name, self.about, self.result.stop_time, self.result.window)

    def value(self, path: str) -> Any:
        """Return the value at its end, of whatever the result has. Raises ModelError where there is none."""
        if self.result is None or not self.result.segments:
            raise ModelError("the variable has no value yet", path=path, remedy="Call simulate(...) before.")
        return self.result[path][-1]

    def has(self, path: str) -> bool:
        """Return whether it has a `value`."""
        return self.result is not None and bool(self.result.segments) and path in self.result


class LastRun:
    """The simulation of a model that began or ended last in any thread.

    Attributes:
        run: that simulation; before the first one, of nothing but the model's own values.
    """

    def __init__(self, values: Values) -> None:
        self.run, self._changing = Run(values), Lock()

    def take(self, restored: Run) -> bool:
        """Take a restored snapshot for this simulation; return whether no other simulation has taken it."""
        with self._changing:
            free = restored.begins_from is None or self.run is restored
            if restored.begins_from is not None and free:
                self.run = Run(restored.values)
            return free


_ACTIVE: ContextVar[tuple[tuple[object, Run], ...]] = ContextVar("active", default=())
"""The simulations that this thread is in, with their models, the outermost first."""


@contextmanager
def active(model: object, run: Run) -> Iterator[None]:
    """Make ``run`` the answer to what this thread asks ``model`` within the block."""
    token = _ACTIVE.set((*_ACTIVE.get(), (model, run)))
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def active_run(model: object) -> Run | None:
    """Return the innermost running simulation of a model in this thread, e.g. the one that called ``progress``."""
    return next((run for owner, run in reversed(_ACTIVE.get()) if owner is model), None)
