"""`Result`: the outcome of a simulation, segment by segment."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from ...acausal.segment import SegmentLayout
from ...model.errors import ModelError
from . import shown
from .about import About
from .segment_result import SegmentRecord, SegmentResult, unknown_signal
from .signals import SignalTable
from .submodel_arrays import elements_of

if TYPE_CHECKING:
    import pandas
    import xarray

    from .recorder import Told


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
        tables: what components tell besides signals, by name: lists of mappings.
        statistics: ``steps, rhs_evaluations, jacobian_evaluations, order, events, events_by_kind, factorisations`` (of the
            matrices of linear systems of the equations), ``projections`` (of states onto the constraints of components),
            ``impulses`` (the most that were computed together at an event),
            ``simulation_s, translation_s, compilations_after_start`` (from the call of ``simulate`` on, merges included); kinds
            are "state" (zero crossings), "condition" (of a program), "time" and "clock" (ticks).
        stop_time: until when the simulation was to run [s].
        window: only points since so long before the last one are kept [s]; all by default, with 0 the last one.
    """

    def __init__(self, name: str, about: Callable[[], About], stop_time: float, window: float = math.inf) -> None:
        self.name, self.window = name, window
        self._about = about
        self.stop_time = stop_time
        self.status = "finished"
        self.terminated = ""
        self.verdict = ""
        self.success: bool | None = None
        self.program_log: list[dict[str, Any]] = []
        self.tables: dict[str, list[dict[str, Any]]] = {}
        self.statistics: dict[str, Any] = {}
        self._segments: list[SegmentResult] = []
        self._time: np.ndarray | None = None

    def begin(self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout]) -> SegmentResult:
        """Add a new segment, which becomes the present one."""
        if self.window < math.inf:
            since = record.start - self.window
            last = [(segment, segment.last_time) for segment in self._segments if self.window > 0.0]
            self._segments = [segment for segment, time in last if time is None or time >= since]
        return self.add(SegmentResult(record, table, layouts, self.window))

    def resume(
        self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout], points: int
    ) -> SegmentResult:
        """Add the segment in which a simulation continues, after its first ``points`` points."""
        segment = self.begin(record, table, layouts)
        segment.points_before = points
        return segment

    def add(self, segment: SegmentResult) -> SegmentResult:
        """Add a segment behind the last one."""
        self._segments.append(segment)
        self._time = None
        return segment

    def close(self) -> None:
        """End the result: no more points follow. Raises SimulationError if the file cannot be completed."""

    @cached_property
    def about(self) -> About:
        """The model, its units, where it came from, versions, checksums."""
        return self._about()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "about": self.about, "_about": None}

    def told_by(self, told: Told) -> None:
        """Set the function that gives what components report while the simulation runs."""

    def unit(self, name: str) -> str:
        """Return the unit of a signal, "" where it is not known."""
        if unit := self.about.unit(name):
            return unit
        elements = elements_of(name, self.signals())
        return "" if elements is None else self.about.unit(elements[1][0])

    @property
    def origin(self) -> Mapping[str, Any]:
        """Origin of the model, see ``About``."""
        return self.about.origin

    @property
    def contacts(self) -> list[dict[str, Any]]:
        """The table ``contacts``: what touched what, and when; empty where there is none."""
        return self.tables.get("contacts", [])

    @property
    def notes(self) -> list[dict[str, Any]]:
        """Events that interrupted nothing, in the order of time: ``kind``, ``time`` [s], ``text`` and figures of each."""
        return [note for segment in self._segments for note in segment.record.info.get("notes", ())]

    @property
    def segments(self) -> list[SegmentRecord]:
        """The table of segments."""
        return [s.record for s in self._segments]

    def segment(self, index: int) -> SegmentResult:
        """Return the segment with number ``index``; they are numbered from 1, as in the table of segments.

        Raises:
            ModelError: there is no such segment.
        """
        first = self._segments[0].record.index if self._segments else 1
        if not 0 <= index - first < len(self._segments):
            expected = f"a number from {first} to {first + len(self._segments) - 1}"
            raise ModelError("there is no such segment", found=str(index), expected=expected)
        return self._segments[index - first]

    def animate(self, **options: Any) -> Any:
        """Return an animation of what is visible; in a notebook it shows itself.

        Args:
            options: of the viewer of the component that is seen; of a `Model3D` those of ``modia3d.viewer.animation.animate``.

        Raises:
            ModelError: nothing in the model is seen, or the result was read from a file without the model.
        """
        layouts = (layout for segment in self._segments for layout in segment.layouts.values())
        viewer = next((name for layout in layouts if (name := getattr(layout.signals, "viewer", ""))), "")
        if not viewer:
            remedy = "Has it a Model3D? A result from a file is read with its model."
            raise ModelError("nothing in the model is visible", remedy=remedy)
        return import_module(viewer).animate(self, **options)

    @property
    def time(self) -> np.ndarray:
        """Time points of all segments [s], shape (nt,)."""
        points = sum(segment.points for segment in self._segments)
        if self._time is None or self._time.size != points or self.window < math.inf:  # a simulation that runs adds some
            self._time = np.concatenate([s.time for s in self._segments]) if self._segments else np.zeros(0)
        return self._time

    def signals(self) -> list[str]:
        """Return the names of the signals of all segments."""
        return list(dict.fromkeys(name for s in self._segments for name in s.signals()))

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the values of a signal over `time`, shape (nt, ...); where its shape changes, the largest, filled up with NaN.

        Of an array of submodels ``R.v`` stands for all of ``R[0].v``, ``R[1].v``, ...: shape (nt, n, ...).

        Raises:
            ModelError: there is no such signal.
        """
        parts = [s.find(name) for s in self._segments]
        shapes = [p.shape[1:] for p in parts if p is not None]
        if not shapes:
            return self._of_all_elements(name)
        shape = tuple(np.max(np.array(shapes, dtype=int).reshape(len(shapes), -1), axis=0).tolist())
        values = np.full((self.time.size, *shape), np.nan)
        row = 0
        for segment, part in zip(self._segments, parts, strict=True):
            n = segment.time.size
            if part is not None:
                values[(slice(row, row + n), *map(slice, part.shape[1:]))] = part
            row += n
        return values

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a signal at one point, ``()`` of a number; where it changes, the largest. Little is computed
        or read.

        Raises:
            ModelError: there is no such signal.
        """
        found = []
        for segment in self._segments:
            if segment.points and name in segment:
                part = segment.last().find(name)
                found.append((segment[name] if part is None else part).shape[1:])
        if found:
            return tuple(np.max(np.array(found, dtype=int).reshape(len(found), -1), axis=0).tolist())
        elements = elements_of(name, self.signals())
        if elements is None:
            raise unknown_signal(name, self.signals())
        return (*elements[0], *self.shape(elements[1][0]))

    def _of_all_elements(self, name: str) -> np.ndarray:
        elements = elements_of(name, self.signals())
        if elements is None:
            raise unknown_signal(name, self.signals())
        shape, names = elements
        values = np.stack([self[element] for element in names], axis=1)
        return values.reshape(len(values), *shape, *values.shape[2:])

    def __contains__(self, name: object) -> bool:
        return any(name in s for s in self._segments) or elements_of(str(name), self.signals()) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.signals())

    def __len__(self) -> int:
        return len(self.signals())

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names that complete ``result["...`` at the prompt of IPython and in notebooks."""
        return self.signals()

    def __str__(self) -> str:
        return shown.text(self)

    def _repr_html_(self) -> str:
        return shown.html(self)

    def __repr__(self) -> str:
        end = f"{self.time[-1]:g}" if self.time.size else "-"
        status = f"{self.status} ({self.terminated})" if self.terminated else self.status
        return f"<Result of {self.name}: {status} at {end} s, {len(self._segments)} segments, {self.time.size} points>"

    def to_json(self) -> dict[str, Any]:
        """Return the table of segments, the tables of components and the statistics as plain data for ``json.dumps``."""
        segments = [record.to_json() for record in self.segments]
        data = {"model": self.name, "status": self.status, "stop_time": self.stop_time, "segments": segments}
        if self.success is not None:
            data |= {"verdict": self.verdict, "success": self.success}
        if self.tables:
            data["tables"] = self.tables
        return data | self.statistics

    def save(self, path: str | PathLike[str], names: Sequence[str] | None = None) -> None:
        """Write the result to a file, whole or not at all.

        Args:
            path: ``.h5`` or ``.hdf5``: everything, for `read_result`; ``.csv`` or ``.parquet``: a table of signals over time.
            names: for a table, its signals, wildcards too; by default variables of the equations and states of components.

        Raises:
            ModelError: another suffix, an unknown name, the file cannot be written.
        """
        from .exports import check_suffix, save_table
        from .recorder import SUFFIXES, save_result

        if check_suffix(path, SUFFIXES) not in SUFFIXES:
            save_table(self, path, names)
        elif names is not None:
            raise ModelError(
                "a result file cannot hold a part of a result", path=fspath(path), remedy="Leave the names of signals out."
            )
        else:
            save_result(self, path)

    def to_pandas(self, *names: str | Sequence[str]) -> pandas.DataFrame:
        """Return the signals as a ``pandas.DataFrame`` over ``time``, a column for each element; ``attrs`` has the units.

        Args:
            names: of signals, wildcards too, one by one or in lists; by default variables of the equations and states of
                components.

        Raises:
            ModelError: an unknown name, or pandas is not installed.
        """
        from .exports import chosen_names, to_pandas

        return to_pandas(self, chosen_names(names))

    def to_xarray(self, *names: str | Sequence[str]) -> xarray.Dataset:
        """Return the signals as an ``xarray.Dataset`` over ``time``, ``segment`` beside it; variables have an attribute
        ``units``.

        Args:
            names: of signals, wildcards too, one by one or in lists; by default variables of the equations and states of
                components.

        Raises:
            ModelError: an unknown name, or xarray is not installed.
        """
        from .exports import chosen_names, to_xarray

        return to_xarray(self, chosen_names(names))

    def to_csv(self, path: str | PathLike[str], *names: str | Sequence[str]) -> None:
        """Write signals as text: a line for each point, a column for each element; 17 digits, so that nothing is lost.

        Args:
            path: of the file; it is written whole or not at all.
            names: of signals, wildcards too, one by one or in lists; by default variables of the equations and states of
                components.

        Raises:
            ModelError: an unknown name, or the file cannot be written.
        """
        from .exports import chosen_names, to_csv

        to_csv(self, path, chosen_names(names))

    def scalar_signals(self) -> list[str]:
        """Return the names of the variables of the equations and of the states of components, whatever their shape."""
        return [
            name
            for name in dict.fromkeys(n for s in self._segments for n in (*s.table.listed, *s.state_names))
            if name != "time"
        ]

    @property
    def segment_numbers(self) -> np.ndarray:
        """Number of the segment of each point, shape (nt,)."""
        return np.repeat([s.record.index for s in self._segments], [s.points for s in self._segments]).astype(int)

    def plot(self, *names: str | Sequence[str]) -> Any:
        """Plot signals over time with matplotlib, with units, marks where segments begin, and elements of vectors named.

        Args:
            names: of signals, wildcards too (``"arm.*.phi"``); a sequence of names shares one diagram, as do the signals that a
                wildcard finds and that have one unit.

        Returns:
            The matplotlib figure.

        Raises:
            ModelError: an unknown name, or matplotlib is not installed.
        """
        from .plotting import plot

        return plot(self, names)


def last_value(result: Result, name: str) -> Any:
    """Return the last value of a signal, or of an element of one, such as "a[0]"; a number or an array. Raises ModelError."""
    whole, bracket, index = name.rpartition("[")
    if name in result or not bracket or whole not in result:
        return result[name][-1]
    values, place = result[whole][-1], index.removesuffix("]").split(",")
    try:
        return float(values[tuple(int(k) for k in place)])
    except (ValueError, IndexError, TypeError):
        return result[name][-1]
