"""Results on disk: written chunk by chunk while a simulation runs, read piece by piece.

A folder with three files. ``result.json`` says where signals are found (`SignalTable.to_data`). ``data.bin`` holds the chunks: of
each stored stretch the times, then all states, then all computed variables, one signal after the other, as doubles of the
machine. ``index.jsonl`` has one line of JSON for what was added: a segment that begins, a chunk, a segment that ends, the end. It
is written after the data, so that a killed process leaves a result up to its last chunk.
"""

from __future__ import annotations

import json
import os
import sys
import time as clock
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ..acausal.protocol import SegmentLayout, Trajectory
from ..model.errors import ModelError
from .archive import packed_text, unpacked_text
from .fingerprint import Fingerprint, difference
from .result import Interval, Result, SegmentRecord, SegmentResult
from .signals import SignalTable, relative_name

if TYPE_CHECKING:
    from .model import SimulationModel

HEADER, DATA, INDEX = "result.json", "data.bin", "index.jsonl"
FORMAT, VERSION = "modiapy result", 1
CHUNK_BYTES = 1 << 20
CHUNK_SECONDS = 1.0
"""A chunk is written when there is so much of it, or so long after the last one (wall-clock time)."""

SIGNAL_GROUPS = ("component", "object")
"""Groups of a fingerprint on which signals of components depend."""

Signals = Mapping[str, Callable[[Trajectory], np.ndarray]]


@dataclass
class _Chunk:
    """Where a stretch is in the data: first byte, points, columns of states and of variables; the first ``used`` points count."""

    offset: int
    points: int
    n: int
    unknowns: int
    used: int

    @property
    def end(self) -> int:
        return self.offset + 8 * self.points * (1 + self.n + self.unknowns)


class Store:
    """The files of one result.

    Args:
        folder: where they are.
        table: where signals of the equations are found.
        components: by path; None where they are not known, then signals of components cannot be computed.
    """

    def __init__(self, folder: Path, table: SignalTable, components: Mapping[str, Any] | None) -> None:
        self.folder, self.table, self.components = folder, table, components
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._data: BinaryIO | None = None
        self._index: BinaryIO | None = None
        self._map: np.ndarray = np.zeros(0, np.uint8)

    # -- writing ----------------------------------------------------------------------------------------------------------

    def create(self, name: str, stop_time: float, model: Fingerprint) -> None:
        """Begin a new result. Raises ModelError where the folder is in use or cannot be written."""
        header = {"format": FORMAT, "version": VERSION, "byteorder": sys.byteorder, "name": name, "stop_time": stop_time}
        header |= {"model": {group: model[group] for group in SIGNAL_GROUPS}, "table": self.table.to_data()}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            others = {file.name for file in self.folder.iterdir()} - {HEADER, DATA, INDEX}
            if others:
                raise ModelError(
                    "the folder for the result is in use",
                    path=os.fspath(self.folder),
                    found=", ".join(sorted(others)[:5]),
                    expected="a new or empty folder, or one with an earlier result, which is replaced",
                )
            for file in (INDEX, DATA):
                (self.folder / file).unlink(missing_ok=True)
            (self.folder / HEADER).write_text(json.dumps(header))
            self._data, self._index = (self.folder / DATA).open("wb"), (self.folder / INDEX).open("wb")
        except OSError as error:
            raise ModelError("the result cannot be written", path=os.fspath(self.folder), found=str(error)) from None

    def add(self, line: Mapping[str, Any]) -> int:
        """Append a line to the index; where it begins."""
        assert self._index is not None
        at = self._index.tell()
        self._index.write(packed_text(line).encode() + b"\n")
        self._index.flush()
        return at

    def write(self, interval: Interval) -> _Chunk:
        """Append the points of an interval to the data."""
        assert self._data is not None
        points, n, unknowns = interval.time.size, interval.x.shape[1], interval.unknowns.shape[1]
        chunk = _Chunk(self._data.tell(), points, n, unknowns, points)
        for array in (interval.time, interval.x.T, interval.unknowns.T):
            self._data.write(np.ascontiguousarray(array, dtype=np.float64).tobytes())
        self._data.flush()
        return chunk

    def close(self) -> None:
        """Close the files; they can be read all the same."""
        for file in (self._data, self._index):
            if file is not None:
                file.close()
        self._data = self._index = None

    # -- reading ----------------------------------------------------------------------------------------------------------

    def read(self, chunk: _Chunk) -> Interval:
        """The points of a chunk, as views of the file."""
        if self._map.size < chunk.end:
            self._map = np.memmap(self.folder / DATA, np.uint8, "r")
        numbers = self._map[chunk.offset : chunk.end].view(np.float64)
        time, x, unknowns = np.split(numbers, np.cumsum([chunk.points, chunk.points * chunk.n]))
        x, unknowns = x.reshape(chunk.n, chunk.points), unknowns.reshape(chunk.unknowns, chunk.points)
        return Interval(time[: chunk.used], x[:, : chunk.used].T, unknowns[:, : chunk.used].T)

    def line(self, at: int) -> dict[str, Any]:
        """The line of the index that begins at this byte."""
        with (self.folder / INDEX).open("rb") as file:
            file.seek(at)
            return dict(unpacked_text(file.readline().decode()))

    def lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """All complete lines of the index with the bytes where they begin."""
        at = 0
        with (self.folder / INDEX).open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    return  # the process was killed here
                yield at, unpacked_text(line.decode())
                at += len(line)

    def shared(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The same names, once in memory."""
        return self._names.setdefault(names, names)

    def signals(self, path: str, description: Any) -> Signals:
        """Signals of a component in a segment. Raises ModelError where it is not known, or has none on disk."""
        component = None if self.components is None else self.components.get(path)
        if component is None or description is None:
            raise ModelError(
                "signals of components are computed from the model",
                path=path,
                remedy="Give it: Result.open(folder, sim) with sim = instantiate(model)."
                if component is None
                else "The component does not describe its signals (SegmentLayout.description), so that they are not on disk.",
            )
        return dict(component.stored_signals(description)) if not isinstance(description, Signals) else description


class StoredSegment(SegmentResult):
    """`SegmentResult` on disk. Memory: the record, where the chunks are, and points not written yet."""

    def __init__(self, store: Store, record: SegmentRecord, names: Mapping[str, tuple[str, ...]], line: int) -> None:
        self._store, self._line = store, line
        self._chunks: list[_Chunk] = []
        self._bytes, self._written = 0, clock.monotonic()
        super().__init__(record, store.table, names, {})

    @classmethod
    def begin(cls, store: Store, record: SegmentRecord, layouts: Mapping[str, SegmentLayout]) -> StoredSegment:
        """A segment that begins, written to the index."""
        names = {path: store.shared(tuple(layout.names)) for path, layout in layouts.items()}
        about = {path: layout.description for path, layout in layouts.items()}
        line = store.add({"segment": record.to_data(), "names": names, "components": about})
        return cls(store, record, names, line)

    def append(self, interval: Interval) -> None:
        """See `SegmentResult`. Written when there is enough of it."""
        super().append(interval)
        self._bytes += interval.time.nbytes + interval.x.nbytes + interval.unknowns.nbytes
        if self._bytes >= CHUNK_BYTES or clock.monotonic() - self._written >= CHUNK_SECONDS:
            self.flush()

    def flush(self) -> None:
        """See `SegmentResult`."""
        if self._intervals:
            self.add_chunk(self._store.write(self._joined()))
            self._store.add({"chunk": [self.record.index, *vars(self._chunks[-1]).values()]})
        self._intervals, self._bytes, self._written = [], 0, clock.monotonic()

    def finish(self) -> None:
        """See `SegmentResult`."""
        self.flush()
        self._store.add({"finished": self.record.to_data()})

    def add_chunk(self, chunk: _Chunk) -> None:
        """Note a chunk that is in the data."""
        self._chunks.append(chunk)

    def is_empty(self) -> bool:
        """See `SegmentResult`."""
        return not self._chunks and not self._intervals

    def _parts(self) -> list[Interval]:
        stored = [self._store.read(chunk) for chunk in self._chunks]
        return stored + (super()._parts() if self._intervals or not stored else [])

    def component_signals(self) -> Mapping[str, Signals]:
        """See `SegmentResult`."""
        about = self._store.line(self._line)["components"]
        return {path: self._store.signals(path, about[path]) for path in about}


class StoredResult(Result):
    """`Result` whose points are on disk."""

    def __init__(self, name: str, stop_time: float, store: Store) -> None:
        super().__init__(name, stop_time)
        self.store = store

    def begin(self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout]) -> SegmentResult:
        """See `Result`."""
        self.add(StoredSegment.begin(self.store, record, layouts))
        return self._segments[-1]

    def close(self) -> None:
        """Write the end and close the files."""
        end = {"status": self.status, "terminated": self.terminated, "statistics": self.statistics}
        self.store.add({"end": end})
        self.store.close()


def open_result(folder: str | PathLike[str], model: SimulationModel | None = None) -> StoredResult:
    """See `Result.open`."""
    path = Path(folder)
    try:
        header = json.loads((path / HEADER).read_text())
        if header.get("format") != FORMAT or header.get("version") != VERSION or header.get("byteorder") != sys.byteorder:
            raise ValueError("another format")
        if model is not None:
            _check_model(path, header["model"], model)
        store = Store(path, SignalTable.from_data(header["table"]), None if model is None else model.components)
        result = StoredResult(header["name"], float(header["stop_time"]), store)
        result.status = "interrupted"
        size = (path / DATA).stat().st_size
        for at, line in store.lines():
            _take(result, at, line, size)
        return result
    except FileNotFoundError as error:
        raise ModelError("there is no result", path=os.fspath(path), found=f"no {Path(error.filename).name}") from None
    except OSError as error:
        raise ModelError("the result cannot be read", path=os.fspath(path), found=str(error)) from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        found = f"{type(error).__name__}: {error}"
        raise ModelError("the result is damaged, or no result", path=os.fspath(path), found=found) from None


def _check_model(path: Path, saved: Mapping[str, Any], model: SimulationModel) -> None:
    present = model.fingerprint()
    differs = difference(saved, {group: present[group] for group in SIGNAL_GROUPS})
    if differs:
        raise ModelError("the result is one of another model", path=os.fspath(path), found=differs)


def _take(result: StoredResult, at: int, line: Mapping[str, Any], size: int) -> None:
    """Add what a line of the index says to a result whose data have ``size`` bytes."""
    store = result.store
    if "segment" in line:
        names = {path: store.shared(tuple(map(str, given))) for path, given in line["names"].items()}
        result.add(StoredSegment(store, SegmentRecord(**line["segment"]), names, at))
    elif "chunk" in line:
        index, *numbers = line["chunk"]
        chunk = _Chunk(*numbers)
        if any(type(number) is not int or number < 0 for number in numbers) or chunk.end > size or chunk.used > chunk.points:
            raise ValueError("a chunk that is not in the data")
        segment = result.segment(index)
        assert isinstance(segment, StoredSegment)
        segment.add_chunk(chunk)
    elif "finished" in line:
        record = SegmentRecord(**line["finished"])
        result.segment(record.index).record = record
    elif "end" in line:
        end = line["end"]
        result.status, result.terminated, result.statistics = end["status"], end["terminated"], end["statistics"]


def full_names(paths: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Names of the states of components, with their paths."""
    return [relative_name(path, name) for path, names in paths.items() for name in names]
