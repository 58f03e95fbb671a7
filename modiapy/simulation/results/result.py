"""`Result`: what came out of a simulation, segment by segment."""

from __future__ import annotations

import os
import pickle
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...acausal.picklable import packed
from ...acausal.protocol import SegmentLayout
from ...acausal.whole_file import written_whole
from ...model.errors import ModelError
from ...symbolic.flat.flat_model import FlatModel
from ..files import schema
from ..files.fingerprint import difference, fingerprint
from . import shown
from .segment_result import SegmentRecord, SegmentResult, unknown_signal
from .signals import SignalTable
from .store import HEADER, SIGNAL_GROUPS, Chunk, Store, open_store
from .stored_segment import LINES, StoredSegment


class HasFlat(Protocol):
    """What has a flat model."""

    @property
    def flat(self) -> FlatModel: ...


class Simulated(Protocol):
    """What was simulated: a `SimulationModel`, with the values of its last simulation."""

    @property
    def values(self) -> HasFlat: ...


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
        tables: what components tell besides signals, by name: lists of mappings. Of a result on disk whose end is missing there
            are none.
        statistics: ``steps, rhs_evaluations, jacobian_evaluations, order, events, events_by_kind, factorisations`` (of the
            matrices of linear systems of the equations), ``projections`` (of states onto the constraints of components),
            ``simulation_s, translation_s, compilations_after_start`` (from the call of ``simulate`` on, merges included); kinds
            are "state" (zero crossings), "condition" (of a program), "time" and "clock" (ticks).
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
        self.tables: dict[str, list[dict[str, Any]]] = {}
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
    def open(folder: str | PathLike[str], model: Simulated | None = None) -> Result:
        """The result that ``simulate(..., store=folder)`` wrote, or writes, or wrote until it was killed.

        Points are read from disk where they are asked for. Its status is "interrupted" where the end is missing.

        Args:
            folder: of the result.
            model: what was simulated; without it there are no signals that components compute (poses of frames and so on),
                only variables of the equations and states.

        Raises:
            ModelError: there is no result, it is damaged, or it is one of another model.
        """

        return open_result(folder, None if model is None else model.values.flat)

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

    def _ipython_key_completions_(self) -> list[str]:
        """What ``result["...`` can go on with, at the prompt of IPython and in notebooks."""
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
        """The table of segments, the tables of components and the statistics as plain data for ``json.dumps``."""
        segments = [record.to_json() for record in self.segments]
        data = {"model": self.name, "status": self.status, "stop_time": self.stop_time, "segments": segments}
        if self.success is not None:
            data |= {"verdict": self.verdict, "success": self.success}
        if self.tables:
            data["tables"] = self.tables
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


class StoredResult(Result):
    """`Result` whose points are on disk."""

    def __init__(self, name: str, stop_time: float, store: Store) -> None:
        super().__init__(name, stop_time)
        self.store = store

    def begin(self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout]) -> SegmentResult:
        """See `Result`. The segment is written to the index."""
        names = {path: self.store.shared(tuple(layout.names)) for path, layout in layouts.items()}
        about = {path: layout.described() for path, layout in layouts.items()}
        line = self.store.add({"segment": vars(record), "names": names, "components": about})
        segment = StoredSegment(self.store, record, names, line)
        segment.begin_with(layouts)
        return self.add(segment)

    def resume(
        self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout], points: int
    ) -> SegmentResult:
        """See `Result`. On disk the result goes on from where the snapshot was taken; what was stored later is forgotten."""
        if not self._segments:
            return super().resume(record, table, layouts, points)
        try:
            self.cut(record.index, points)
        except (ModelError, ValueError) as error:
            raise ModelError(
                "the stored result does not reach as far as the snapshot",
                path=os.fspath(self.store.folder),
                found=str(error),
                remedy="Store in a new folder.",
            ) from None
        self.store.add({"cut": [record.index, points]})
        segment = self._segments[-1]
        segment.record = record
        segment.begin_with(layouts)
        return segment

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled are the folder and what computes signals, it is opened anew there; and what the folder does not hold."""
        components = self.store.components
        computing = None if components is None else packed(components, "what computes the signals of this result")
        more = {"verdict": self.verdict, "success": self.success, "program_log": self.program_log}
        return _opened, (os.path.abspath(self.store.folder), computing), more

    def cut(self, index: int, points: int) -> None:
        """Forget all after so many points of a segment. Raises ModelError or ValueError where they do not exist."""
        segment = self.segment(index)
        assert isinstance(segment, StoredSegment)
        segment.cut(points)
        self.tables = {}
        del self._segments[self._segments.index(segment) + 1 :]
        self._time = None

    def close(self) -> None:
        """See `Result`."""
        if self.tables:
            self.store.add({"tables": self.tables})
        self.store.add({"end": {"status": self.status, "terminated": self.terminated, "statistics": self.statistics}})
        self.store.close()

    def __getitem__(self, name: str) -> np.ndarray:
        """See `Result`."""
        try:
            return super().__getitem__(name)
        except ModelError as error:
            if self.store.components is None:
                error.remedy = f"{error.remedy} Signals of components need the model: Result.open(folder, sim).".lstrip()
            raise

    def take(self, at: int, line: Mapping[str, Any], size: int) -> None:
        """Add what the line at byte ``at`` of the index says; the data have ``size`` bytes.

        Raises:
            ValueError, KeyError, TypeError, ModelError: the line is something else.
        """
        kind = next((kind for kind in LINES if kind in line), "segment")
        LINES[kind](line, f"line at byte {at}")
        if kind == "segment":
            self._take_segment(at, line)
        elif kind == "chunk":
            index, *numbers = line["chunk"]
            chunk, segment = Chunk(*numbers), self.segment(index)
            assert isinstance(segment, StoredSegment)
            columns = segment.record.states_invariant + segment.record.states_variant, self.store.table.n_unknowns
            if not chunk.is_inside(size) or (chunk.n, chunk.unknowns) != columns:
                raise ValueError("a chunk that is not in the data")
            segment.chunks.append(chunk)
        elif kind == "finished":
            record = SegmentRecord(**line["finished"])
            segment = self.segment(record.index)
            if (record.states_invariant, record.states_variant) != _sizes(segment.record):
                raise ValueError("a segment that ends with other states than it began with")
            segment.record = record
        elif kind == "history":
            index, entries = line["history"]
            segment = self.segment(index)
            assert isinstance(segment, StoredSegment)
            segment.take_history(at, entries)
        elif kind == "cut":
            self.cut(*line["cut"])
            self.status = "interrupted"
        elif kind == "tables":
            self.tables = line["tables"]
        else:
            end = line["end"]
            self.status, self.terminated, self.statistics = end["status"], end["terminated"], dict(end["statistics"])

    def _take_segment(self, at: int, line: Mapping[str, Any]) -> None:
        names = {path: self.store.shared(tuple(given)) for path, given in line["names"].items()}
        record = SegmentRecord(**line["segment"])
        follows = self._segments[-1].record.index + 1 if self._segments else max(record.index, 1)
        of_components = sum(map(len, names.values()))
        if record.index != follows or _sizes(record) != (self.store.table.n_states, of_components):
            raise ValueError(f"segment {record.index} with {_sizes(record)} states where this cannot be")
        self.add(StoredSegment(self.store, record, names, at))


def _sizes(record: SegmentRecord) -> tuple[int, int]:
    return record.states_invariant, record.states_variant


def open_result(folder: str | PathLike[str], model: FlatModel | None = None) -> StoredResult:
    """See `Result.open`; ``model`` with the values it was simulated with."""
    return _read(Path(folder), None if model is None else model.components, model)


def _opened(folder: str, components: bytes | None) -> StoredResult:
    """The result in a folder, with components that compute its signals, pickled."""
    return _read(Path(folder), None if components is None else pickle.loads(components), None)


def _read(path: Path, components: Mapping[str, Any] | None, model: FlatModel | None) -> StoredResult:
    try:
        store, header = open_store(path, components)
        if model is not None:
            _check_model(path, header["model"], model)
        result = StoredResult(str(header["name"]), float(header["stop_time"]), store)
        result.status = "interrupted"
        size = store.size()
        for at, line in store.lines():
            result.take(at, line, size)
        return result
    except FileNotFoundError as error:
        raise ModelError("there is no result", path=os.fspath(path), found=f"no {Path(error.filename).name}") from None
    except OSError as error:
        raise ModelError("the result cannot be read", path=os.fspath(path), found=str(error)) from None
    except ModelError as error:
        error.path = error.path or os.fspath(path)
        raise
    except Exception as error:  # what fits the schema may still contradict itself
        found = str(error) if isinstance(error, schema.Damaged) else f"{type(error).__name__}: {error}"
        raise ModelError("the result is damaged, or no result", path=os.fspath(path), found=found) from None


def _check_model(path: Path, saved: Mapping[str, Any], model: FlatModel) -> None:
    present = fingerprint(model)
    differs = difference(saved, {group: present[group] for group in SIGNAL_GROUPS})
    if differs:
        raise ModelError("the result is one of another model", path=os.fspath(path), found=differs)


def new_result(
    folder: str | PathLike[str], name: str, model: FlatModel, table: SignalTable, stop_time: float, goes_on: bool
) -> StoredResult:
    """A result to be written to a folder; where a simulation goes on, the one that is there is continued.

    Raises:
        ModelError: the folder is in use, cannot be written, or holds the result of another model.
    """
    path = Path(folder)
    if goes_on and (path / HEADER).exists():
        result = open_result(path, model)
        result.stop_time, result.store.table = stop_time, table
        result.store.extend()
        return result
    store = Store(path, table, model.components)
    store.create(name, stop_time, fingerprint(model))
    return StoredResult(name, stop_time, store)
