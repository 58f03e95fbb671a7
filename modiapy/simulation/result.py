"""`Result`: what came out of a simulation, segment by segment."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from ..acausal.picklable import packed
from ..acausal.protocol import SegmentLayout, Trajectory
from ..acausal.whole_file import written_whole
from ..model.errors import ModelError, nearest
from .files.schema import anything, finite, record, table, text, whole
from .signals import SignalTable, relative_name

if TYPE_CHECKING:
    from .model import SimulationModel


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
        """The record as plain data; ``info`` stands beside the other entries."""
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
    """Stored points between two events: ``time`` (nt,), all states ``x`` (nt, n), ``unknowns`` (nt, n_unknowns)."""

    time: np.ndarray
    x: np.ndarray
    unknowns: np.ndarray


class SegmentResult:
    """Signals of one segment; ``segment["path"]`` has one value (or array) per point of ``segment.time``.

    Attributes:
        record: see `SegmentRecord`. layouts: of the components, by path.
        points_before: number of points that were stored before a snapshot from which the simulation went on.
    """

    def __init__(self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout]) -> None:
        self.record = record
        self.layouts = layouts
        self.points_before = 0
        self._table = table
        self._intervals: list[Interval] = []
        self._points = 0
        self._ranges: dict[str, slice] = {}
        first = record.states_invariant
        for path, layout in layouts.items():
            self._ranges[path] = slice(first, first + len(layout.names))
            first += len(layout.names)

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
        """Add stored points."""
        if interval.time.size:
            self._intervals.append(interval)
            self._points += interval.time.size

    def is_empty(self) -> bool:
        """Whether no points are stored."""
        return not self._intervals

    @property
    def points(self) -> int:
        """Number of stored points."""
        return self._points

    def flush(self) -> None:
        """Make sure that nothing is lost that was stored so far."""

    def finish(self) -> None:
        """The segment has ended: no more points come."""

    def _parts(self) -> list[Interval]:
        """The stored points, piece by piece; at least one piece."""
        return [self._joined()]

    def _joined(self) -> Interval:
        if len(self._intervals) != 1:
            n = self.record.states_invariant + self.record.states_variant
            parts = self._intervals or [Interval(np.zeros(0), np.zeros((0, n)), np.zeros((0, self._table.n_unknowns)))]
            joined = (np.concatenate([getattr(p, name) for p in parts]) for name in ("time", "x", "unknowns"))
            self._intervals = [Interval(*joined)]
        return self._intervals[0]

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

    def signals(self) -> list[str]:
        """Names of all signals that exist in this segment."""
        own = [relative_name(path, name) for path, layout in self.layouts.items() for name in layout.signals]
        return list(dict.fromkeys([*self._table, *self._states, *own]))

    def __contains__(self, name: object) -> bool:
        return name in self._table or name in self._states or self._component_signal(str(name)) is not None

    def _component_signal(self, name: str) -> tuple[str, str] | None:
        for path, layout in self.layouts.items():
            short = name.removeprefix(f"{path}.") if path else name
            if short in layout.signals and relative_name(path, short) == name:
                return path, short
        return None

    def find(self, name: str) -> np.ndarray | None:
        """Values of a signal in this segment, shape (nt, ...); None if it does not exist here."""
        source = self._table.get(name)
        if source is not None:
            return _joined([source.values(part.time, part.x, part.unknowns) for part in self._parts()])
        column = self._states.get(name)
        if column is not None:
            return _joined([part.x[:, column].copy() for part in self._parts()])
        found = self._component_signal(name)
        if found is None:
            return None
        path, short = found
        time, x = self.time, _joined([part.x[:, self._ranges[path]] for part in self._parts()])
        trajectory = Trajectory(time, np.ascontiguousarray(x), lambda n: self[relative_name(path, n)])
        values = np.asarray(self.layouts[path].signals[short](trajectory))
        if values.shape[:1] != time.shape:
            expected = f"a first dimension of {time.size}"
            raise ModelError(f"the result signal '{name}' of the component", found=f"shape {values.shape}", expected=expected)
        return values

    def __getitem__(self, name: str) -> np.ndarray:
        """As `find`. Raises ModelError where there is no such signal in this segment."""
        values = self.find(name)
        if values is None:
            raise unknown_signal(name, self.signals())
        return values


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def unknown_signal(name: str, names: Sequence[str]) -> ModelError:
    """The error for a signal that does not exist, with names spelled alike."""
    return ModelError(f"there is no signal '{name}' in the result", remedy=nearest(name, names))


class Result(Mapping[str, np.ndarray]):
    """Signals over all segments: ``result["gear.phi"]`` is an array over ``result.time``.

    Event points appear twice, before and after the event. A signal that exists in some segments only is NaN outside them.

    Attributes:
        name: of the model.
        status: "finished", "failed" or "interrupted" (then it ends early).
        terminated: message of the ``terminate(...)`` that ended the simulation, "" if it went to the stop time.
        verdict: with which a program ended the simulation; "" if it went to the stop time.
        success: whether the verdict is a good one; None without verdict.
        program_log: the steps of action programs that were executed: mappings with ``time``, ``task``, ``kind``, ``step``,
            ``outcome``.
        statistics: ``steps, rhs_evaluations, jacobian_evaluations, order, events, events_by_kind, factorisations`` (of the
            matrices of linear systems of the equations), ``simulation_s, translation_s, compilations_after_start`` (from the
            call of ``simulate`` on, merges included); kinds are "state" (zero crossings), "condition" (of a program), "time"
            and "clock" (ticks).
        stop_time: until when the simulation was to run [s].
    """

    def __init__(self, name: str, stop_time: float) -> None:
        self.name = name
        self.stop_time = stop_time
        self.status = "finished"
        self.terminated = ""
        self.verdict = ""
        self.success: bool | None = None
        self.program_log: list[dict[str, Any]] = []
        self.statistics: dict[str, Any] = {}
        self._segments: list[SegmentResult] = []
        self._time: np.ndarray | None = None

    def begin(self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout]) -> SegmentResult:
        """Add a segment that begins."""
        return self.add(SegmentResult(record, table, layouts))

    def resume(
        self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout], points: int
    ) -> SegmentResult:
        """Add the segment in which a simulation goes on, after its first ``points`` points."""
        segment = self.begin(record, table, layouts)
        segment.points_before = points
        return segment

    def add(self, segment: SegmentResult) -> SegmentResult:
        """Add a segment."""
        self._segments.append(segment)
        self._time = None
        return segment

    def close(self) -> None:
        """The simulation has ended: nothing more comes."""

    @staticmethod
    def open(folder: str | PathLike[str], model: SimulationModel | None = None) -> Result:
        """The result that ``simulate(..., store=folder)`` wrote, or writes, or wrote until it was killed.

        Points are read from disk where they are asked for. Its status is "interrupted" where the end is missing.

        Args:
            folder: of the result.
            model: what was simulated; without it there are no signals that components compute (poses of frames and so on),
                only variables of the equations and states.

        Raises:
            ModelError: there is no result, it is damaged, or it is one of another model.
        """
        from .stored_result import open_result

        return open_result(folder, None if model is None else model.last.values.flat)

    @property
    def segments(self) -> list[SegmentRecord]:
        """The table of segments."""
        return [s.record for s in self._segments]

    def segment(self, index: int) -> SegmentResult:
        """The segment with number ``index``; they are numbered from 1, as in the table of segments.

        Raises:
            ModelError: there is no such segment.
        """
        first = self._segments[0].record.index if self._segments else 1
        if not 0 <= index - first < len(self._segments):
            expected = f"a number from {first} to {first + len(self._segments) - 1}"
            raise ModelError("no such segment", found=str(index), expected=expected)
        return self._segments[index - first]

    @property
    def time(self) -> np.ndarray:
        """Time points of all segments [s], shape (nt,)."""
        points = sum(segment.points for segment in self._segments)
        if self._time is None or self._time.size != points:  # a simulation that runs adds some
            self._time = np.concatenate([s.time for s in self._segments]) if self._segments else np.zeros(0)
        return self._time

    def signals(self) -> list[str]:
        """Names of all signals, of whatever segment."""
        return list(dict.fromkeys(name for s in self._segments for name in s.signals()))

    def __getitem__(self, name: str) -> np.ndarray:
        """Values of a signal over `time`, shape (nt, ...); where its shape changes, the largest, filled up with NaN.

        Raises:
            ModelError: there is no such signal.
        """
        parts = [s.find(name) for s in self._segments]
        shapes = [p.shape[1:] for p in parts if p is not None]
        if not shapes:
            raise unknown_signal(name, self.signals())
        shape = tuple(np.max(np.array(shapes, dtype=int).reshape(len(shapes), -1), axis=0).tolist())
        values = np.full((self.time.size, *shape), np.nan)
        row = 0
        for segment, part in zip(self._segments, parts, strict=True):
            n = segment.time.size
            if part is not None:
                values[(slice(row, row + n), *map(slice, part.shape[1:]))] = part
            row += n
        return values

    def __contains__(self, name: object) -> bool:
        return any(name in s for s in self._segments)

    def __iter__(self) -> Iterator[str]:
        return iter(self.signals())

    def __len__(self) -> int:
        return len(self.signals())

    def __repr__(self) -> str:
        end = f"{self.time[-1]:g}" if self.time.size else "-"
        status = f"{self.status} ({self.terminated})" if self.terminated else self.status
        return f"<Result of {self.name}: {status} at {end} s, {len(self._segments)} segments, {self.time.size} points>"

    def to_json(self) -> dict[str, Any]:
        """The table of segments and the statistics as plain data for ``json.dumps``."""
        segments = [record.to_json() for record in self.segments]
        data = {"model": self.name, "status": self.status, "stop_time": self.stop_time, "segments": segments}
        if self.success is not None:
            data |= {"verdict": self.verdict, "success": self.success}
        return data | self.statistics

    def write(self, path: str | PathLike[str], names: Sequence[str] | None = None) -> None:
        """Write signals to a compressed ``.npz`` file: one array per signal, ``time``, and ``segment`` (number per point).

        The file is written whole or not at all. Where a signal is called "segment", the numbers have the name ``segment()``.

        Args:
            path: the file; ".npz" is appended if it is missing.
            names: the signals; by default variables of the equations and states of components.

        Raises:
            ModelError: an unknown name.
            OSError: the file cannot be written.
        """
        if names is None:
            scalar = dict.fromkeys(name for s in self._segments for name in (*s._table, *s._states))
            names = [name for name in scalar if name != "time"]
        number = np.repeat([r.index for r in self.segments], [s.time.size for s in self._segments])
        arrays = {"segment()" if "segment" in names else "segment": number, "time": self.time}
        file = fspath(path)
        with (
            written_whole(file if file.endswith(".npz") else f"{file}.npz") as stream,
            zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            for name in (*arrays, *names):
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asanyarray(arrays[name] if name in arrays else self[name]))

    def plot(self, *names: str | Sequence[str]) -> Any:
        """Plot signals over time with matplotlib; a sequence of names shares one diagram.

        Returns:
            The matplotlib figure.

        Raises:
            ModelError: an unknown name, or matplotlib is not installed.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ModelError("a plot needs matplotlib", remedy="Install it with 'pip install matplotlib'.") from None
        groups = [[n] if isinstance(n, str) else list(n) for n in names]
        figure, axes = plt.subplots(len(groups), 1, sharex=True, squeeze=False)
        for group, axis in zip(groups, axes[:, 0], strict=True):
            for name in group:
                axis.plot(self.time, self[name].reshape(self.time.size, -1), label=name)
            axis.legend()
            axis.grid(True)
        axes[-1, 0].set_xlabel("time [s]")
        return figure
