"""`Result` on disk: the same signals, read from a `Store` where they are asked for."""

from __future__ import annotations

import os
import pickle
import time as clock
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..acausal.picklable import packed
from ..acausal.protocol import SegmentLayout
from ..model.errors import ModelError, ModiaError
from ..symbolic.flat.flat_model import FlatModel
from .files import schema
from .files.fingerprint import difference, fingerprint
from .result import RECORD, Interval, Result, SegmentRecord, SegmentResult
from .signals import SignalTable, relative_name
from .store import HEADER, SIGNAL_GROUPS, Chunk, Store, open_store

CHUNK_BYTES = 1 << 20
CHUNK_SECONDS = 1.0
"""A chunk is written when there is so much of it, or so long after the last one (wall-clock time)."""


_LINES = {
    "chunk": schema.record(chunk=schema.parts(*7 * [schema.whole])),
    "finished": schema.record(finished=RECORD),
    "cut": schema.record(cut=schema.parts(schema.whole, schema.whole)),
    "end": schema.record(
        end=schema.record(
            status=schema.one_of("finished", "failed", "interrupted"),
            terminated=schema.text,
            statistics=schema.table(schema.anything),
        )
    ),
    "segment": schema.record(
        segment=RECORD, names=schema.table(schema.each(schema.text)), components=schema.table(schema.anything)
    ),
}
"""What a line of the index may be, by its first entry."""


class StoredSegment(SegmentResult):
    """`SegmentResult` on disk. In memory are the record, where the chunks are, and points not written yet.

    Args:
        store: the files.
        record: of the segment.
        names: of the states of components, by path.
        line: where the index describes the segment.
    """

    def __init__(self, store: Store, record: SegmentRecord, names: Mapping[str, tuple[str, ...]], line: int) -> None:
        self.store, self._line, self._names = store, line, names
        self._present: Mapping[str, SegmentLayout] | None = None
        self.chunks: list[Chunk] = []
        self._bytes, self._written = 0, clock.monotonic()
        super().__init__(record, store.table, {path: SegmentLayout(own, np.zeros(0)) for path, own in names.items()})
        self._present = None

    @property  # type: ignore[override]
    def layouts(self) -> Mapping[str, SegmentLayout]:
        """See `SegmentResult`; of a segment that has ended what can be computed from the files."""
        return self.store.layouts(self._line, self._names) if self._present is None else self._present

    @layouts.setter
    def layouts(self, present: Mapping[str, SegmentLayout] | None) -> None:
        self._present = present

    @property
    def _states(self) -> dict[str, int]:  # type: ignore[override]
        named = [relative_name(path, name) for path, names in self._names.items() for name in names]
        return {name: self.record.states_invariant + k for k, name in enumerate(named)}

    def append(self, interval: Interval) -> None:
        """See `SegmentResult`. Written when there is enough of it."""
        super().append(interval)
        self._bytes += interval.time.nbytes + interval.x.nbytes + interval.unknowns.nbytes
        if self._bytes >= CHUNK_BYTES or clock.monotonic() - self._written >= CHUNK_SECONDS:
            self.flush()

    def flush(self) -> None:
        """See `SegmentResult`."""
        if self._intervals:
            chunk = self.store.write(self._joined())
            self.store.add({"chunk": [self.record.index, *vars(chunk).values()]})
            self.chunks.append(chunk)
        self._intervals, self._points, self._bytes, self._written = [], 0, 0, clock.monotonic()

    def finish(self) -> None:
        """See `SegmentResult`."""
        self.flush()
        self._present = None
        self.store.add({"finished": vars(self.record)})

    def is_empty(self) -> bool:
        """See `SegmentResult`."""
        return not self.points

    @property
    def points(self) -> int:
        """See `SegmentResult`."""
        return sum(chunk.used for chunk in self.chunks) + self._points

    def find(self, name: str) -> np.ndarray | None:
        """See `SegmentResult`."""
        try:
            return super().find(name)
        except ModiaError:
            raise
        except Exception as error:  # functions of a component that the files describe wrongly
            found, where = f"{type(error).__name__}: {error}", os.fspath(self.store.folder)
            raise ModelError(f"the result is damaged: signal '{name}'", path=where, found=found) from error

    def cut(self, points: int) -> None:
        """Forget all but the first ``points`` points, which are on disk. Raises ValueError where there are fewer."""
        for chunk in self.chunks:
            chunk.used = min(chunk.used, points)
            points -= chunk.used
        if points:
            raise ValueError(f"{points} points are missing")

    def _parts(self) -> list[Interval]:
        stored = [self.store.read(chunk) for chunk in self.chunks]
        return stored + (super()._parts() if self._intervals or not stored else [])


class StoredResult(Result):
    """`Result` whose points are on disk."""

    def __init__(self, name: str, stop_time: float, store: Store) -> None:
        super().__init__(name, stop_time)
        self.store = store

    def begin(self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout]) -> SegmentResult:
        """See `Result`. The segment is written to the index."""
        names = {path: self.store.shared(tuple(layout.names)) for path, layout in layouts.items()}
        about = {path: layout.description for path, layout in layouts.items()}
        line = self.store.add({"segment": vars(record), "names": names, "components": about})
        segment = StoredSegment(self.store, record, names, line)
        segment.layouts = layouts
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
        segment.record, segment.layouts = record, layouts
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
        del self._segments[self._segments.index(segment) + 1 :]
        self._time = None

    def close(self) -> None:
        """See `Result`."""
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
        kind = next((kind for kind in _LINES if kind in line), "segment")
        _LINES[kind](line, f"line at byte {at}")
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
        elif kind == "cut":
            self.cut(*line["cut"])
            self.status = "interrupted"
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
