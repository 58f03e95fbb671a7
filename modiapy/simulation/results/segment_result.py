"""One segment of a result: its line in the table of segments, its points, its signals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...acausal.picklable import packed
from ...acausal.segment import SegmentLayout, Trajectory
from ...model.errors import ModelError, UnknownName, nearest
from ..files.schema import anything, finite, record, table, text, whole
from .signals import SignalTable, relative_name


@dataclass
class SegmentRecord:
    """One line of the table of segments.

    Attributes:
        index: number of the segment, from 1.
        start: when it began [s].
        cause: why: "initialization", or what a component said when it asked for the change.
        states_invariant, states_variant: number of states of the equations and of the components.
        info: figures of the components, summed over them, e.g. ``{"dof": 49}``.
        events: number of time and state events in it (not the one that began it).
        steps: steps of the integrator.
        wall_s: wall-clock time that it took [s].
        change_ms: from the evaluation at the event that decided for it (for the first one: from known initial values) until its
            integrator was ready [ms].
    """

    index: int
    start: float
    cause: str
    states_invariant: int
    states_variant: int
    info: dict[str, Any] = field(default_factory=dict)
    events: int = 0
    steps: int = 0
    wall_s: float = 0.0
    change_ms: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain data; ``info`` stands beside the other entries."""
        data = {k: v for k, v in vars(self).items() if k != "info"}
        return data | {k: v for k, v in self.info.items() if k not in data}


RECORD = record(
    index=whole,
    start=finite,
    cause=text,
    states_invariant=whole,
    states_variant=whole,
    info=table(anything),
    events=whole,
    steps=whole,
    wall_s=finite,
    change_ms=finite,
)
"""What a `SegmentRecord` must be where it comes from a file."""


@dataclass
class Interval:
    """Stored points between two events: ``time`` (nt,), all states ``x`` (nt, n), ``unknowns`` (nt, n_unknowns).

    ``end`` is the number of points in a segment's memory with these.
    """

    time: np.ndarray
    x: np.ndarray
    unknowns: np.ndarray
    end: int = 0


_NOTHING: dict[str, list[tuple[int, Any]]] = {}
_NONE: dict[str, int] = {}
"""Not to be written: shared by all segments that have no history, of which a long simulation keeps many."""


class SegmentResult:
    """Signals of one segment; ``segment["path"]`` has one value (or array) per point of ``segment.time``.

    Attributes:
        record: see `SegmentRecord`. layouts: of the components, by path.
        window: only points are kept since so long before the last one [s]; with 0 the last one.
        points_before: number of points that were stored before a snapshot from which the simulation went on.
    """

    def __init__(
        self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout], window: float = math.inf
    ) -> None:
        self.record, self._window = record, window
        self.points_before = 0
        self._last_time: float | None = None  # of what has left memory
        self._table = table
        self._intervals: list[Interval] = []
        self.begin_with(layouts)
        self._ranges: dict[str, slice] = {}
        first = record.states_invariant
        for path, layout in layouts.items():
            begin, first = first, first + len(layout.names)
            self._ranges[path] = slice(begin, first)

    @property
    def table(self) -> SignalTable:
        """Table that says where signals of the equations are found."""
        return self._table

    @property
    def state_names(self) -> list[str]:
        """Full names of the states of components."""
        return list(self._states)

    @property
    def state_places(self) -> Mapping[str, int]:
        """Places of the states of components among all states, by full name."""
        return self._states

    def begin_with(self, layouts: Mapping[str, SegmentLayout]) -> None:
        """Set the layouts of the components at the beginning or continuation of the segment."""
        self.layouts = layouts
        self._history: dict[str, list[tuple[int, Any]]] = _NOTHING
        self._noted: dict[str, int] = _NONE  # entries that have left memory

    @cached_property
    def _states(self) -> dict[str, int]:
        """Columns of the components' states."""
        return {
            relative_name(path, name): self._ranges[path].start + i
            for path, layout in self.layouts.items()
            for i, name in enumerate(layout.names)
        }

    def __getstate__(self) -> dict[str, Any]:
        for path, layout in self.layouts.items():
            if isinstance(layout.signals, dict):
                packed(layout.signals, "a result with signals of this component", path)
        return {**vars(self), "_intervals": [self._joined()]}

    def append(self, interval: Interval) -> None:
        """Add stored points: all or, where an interrupt comes first, none of them."""
        if self._window < math.inf and interval.time.size:
            self._append_within(interval)
            return
        self._note_history()
        size = interval.time.size
        if size:
            interval.end = self._in_memory + size
            self._intervals.append(interval)

    def _append_within(self, interval: Interval) -> None:
        """Add points, and drop those that are outside of the window; of history, what was replaced before."""
        if not self._intervals and interval.time.size == 1:
            self._note_history()
            interval.end = 1
            self._intervals.append(interval)
            return
        self._note_history()
        since = float(interval.time[-1]) - self._window
        before, self._intervals, size = [*self._intervals, interval], [], 0
        for part in before:
            first = int(np.searchsorted(part.time, since)) if self._window > 0.0 else part.time.size - (part is interval)
            if first < part.time.size:
                size += part.time.size - first
                self._intervals.append(Interval(part.time[first:], part.x[first:], part.unknowns[first:], size))
        dropped = sum(part.time.size for part in before) - size
        for path, entries in self._history.items():
            last = max((k for k, (at, _) in enumerate(entries) if at <= dropped), default=0)
            del entries[:last]
            entries[:] = [(max(at - dropped, 0), entry) for at, entry in entries]
            del self.layouts[path].history[: len(self.layouts[path].history) - len(entries)]

    @property
    def last_time(self) -> float | None:
        """Time of the last point that was added [s]; None before the first one."""
        return float(self._intervals[-1].time[-1]) if self._in_memory else self._last_time

    @property
    def _in_memory(self) -> int:
        """Number of points that have not left memory."""
        return self._intervals[-1].end if self._intervals else 0

    def _note_history(self) -> None:
        """Store the history that components have added since the last points; it is valid for the next points."""
        for path, layout in self.layouts.items():
            if not layout.history:
                continue
            noted = self._noted.get(path, 0) + len(self._history.get(path, ()))
            added = [(self.points, entry) for entry in layout.history[noted:]]
            if added:
                if self._history is _NOTHING:
                    self._history = {}
                self._history.setdefault(path, []).extend(added)

    def history(self, path: str) -> Sequence[tuple[int, Any]]:
        """See `Trajectory.history`, of the component at ``path``."""
        return self._history.get(path, ())

    @property
    def keeps(self) -> bool:
        """True if more than the last point is kept."""
        return self._window > 0.0

    @property
    def streams(self) -> bool:
        """True if points are to leave memory soon after they are stored."""
        return False

    def is_empty(self) -> bool:
        """Return whether no points are stored."""
        return not self._in_memory

    def last(self) -> SegmentResult:
        """Return the last stored point as a segment of its own; its signals cost as much as one point does."""
        part, point = (self._intervals or self._parts())[-1], SegmentResult(self.record, self._table, self.layouts)
        point.append(Interval(part.time[-1:], part.x[-1:], part.unknowns[-1:]))
        return point

    @property
    def points(self) -> int:
        """Number of stored points."""
        return self._in_memory

    def flush(self) -> None:
        """Write all stored points, so that none is lost."""

    def finish(self) -> None:
        """End the segment: no more points come."""
        self._note_history()

    def _parts(self) -> list[Interval]:
        """Return the stored points in pieces; there is at least one piece."""
        return [self._joined()]

    def _joined(self) -> Interval:
        if len(self._intervals) != 1:
            n = self.record.states_invariant + self.record.states_variant
            parts = self._intervals or [Interval(np.zeros(0), np.zeros((0, n)), np.zeros((0, self._table.n_unknowns)))]
            time, x, unknowns = (np.concatenate([getattr(p, name) for p in parts]) for name in ("time", "x", "unknowns"))
            self._intervals = [Interval(time, x, unknowns, self._in_memory)]
        return self._intervals[0]

    @property
    def interval(self) -> Interval:
        """All its points in memory."""
        return self._joined()

    @property
    def time(self) -> np.ndarray:
        """Time points [s], shape (nt,); events in the segment appear twice, before and after."""
        return _joined([part.time for part in self._parts()])

    @property
    def x(self) -> np.ndarray:
        """All states, invariant ones first, shape (nt, n)."""
        return _joined([part.x for part in self._parts()])

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states in the order of the columns of `x`."""
        names = [""] * self.record.states_invariant
        for name, source in self._table.items():
            if source.kind == "state" and source.factor == 1.0 and not names[source.index]:
                for k, element in source.names(name):
                    names[k] = element
        return (*names, *self._states)

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names that complete a signal, as those of `Result`."""
        return self.signals()

    def signals(self) -> list[str]:
        """Return the names of all signals that exist in this segment."""
        own = [relative_name(path, name) for path, layout in self.layouts.items() for name in layout.signals]
        return list(dict.fromkeys([*self._table.listed, *self._states, *own]))

    def __contains__(self, name: object) -> bool:
        return name in self._table or name in self._states or self._component_signal(str(name)) is not None

    def _component_signal(self, name: str) -> tuple[str, str] | None:
        for path, layout in self.layouts.items():
            short = name.removeprefix(f"{path}.") if path else name
            if short in layout.signals and relative_name(path, short) == name:
                return path, short
        return None

    def find(self, name: str) -> np.ndarray | None:
        """Return the values of a signal in this segment, shape (nt, ...); None if it does not exist here."""
        source = self._table.get(name)
        if source is not None:
            return _joined([source.values(part) for part in self._parts()])
        column = self._states.get(name)
        if column is not None:
            return _joined([part.x[:, column].copy() for part in self._parts()])
        found = self._component_signal(name)
        if found is None:
            return None
        path, short = found
        trajectory = self.trajectory(path, self.history(path))
        values = np.asarray(self.layouts[path].signals[short](trajectory))
        if values.shape[:1] != trajectory.time.shape:
            expected = f"a first dimension of {trajectory.time.size}"
            raise ModelError(
                f"the result signal '{name}' of the component has the wrong shape",
                found=f"shape {values.shape}",
                expected=expected,
            )
        return values

    def trajectory(self, path: str, history: Sequence[tuple[int, Any]]) -> Trajectory:
        """Return the trajectory from which the component at ``path`` computes its signals."""
        time, x = self.time, _joined([part.x[:, self._ranges[path]] for part in self._parts()])
        return Trajectory(time, np.ascontiguousarray(x), lambda n: self[relative_name(path, n)], history)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a signal as `find` does. Raises ModelError where there is no such signal in this segment."""
        values = self.find(name)
        if values is None:
            raise unknown_signal(name, self.signals())
        return values


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def unknown_signal(name: str, names: Sequence[str]) -> ModelError:
    """Return the error for a signal that does not exist, with names spelled alike."""
    return UnknownName(f"there is no signal '{name}' in the result", remedy=nearest(name, names))
