"""Recorder of a result file, either during a simulation or from an existing result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...acausal.segment import SegmentLayout
from ...model.errors import ModelError
from .about import About, header_text
from .frames import FramesByPath, Placed, changed_frames, frames_of
from .segment_result import SegmentRecord, SegmentResult
from .signals import SignalTable
from .store import Store
from .stored_segment import StoredSegment

SUFFIXES = (".h5", ".hdf5")

Rows = list[dict[str, Any]]
Told = Callable[[], tuple[Rows, dict[str, Rows]]]
"""What components of a simulation that runs have told so far: the log of their programs, and their tables."""


class Recorded(Protocol):
    """Protocol of a `Result` that is recorded."""

    stop_time: float
    status: str
    terminated: str
    verdict: str
    success: bool | None
    statistics: dict[str, Any]
    program_log: Rows
    tables: dict[str, Rows]

    @property
    def about(self) -> About: ...
    @property
    def segments(self) -> list[SegmentRecord]: ...
    @property
    def time(self) -> np.ndarray: ...
    def segment(self, index: int) -> SegmentResult: ...


class Recorder:
    """Writer of segments and of component reports to a store.

    Args: store: the file.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._frames: FramesByPath = {}
        self._placed: dict[Placed, Placed] = {}
        self._log: Rows = []
        self._tables: dict[str, Rows] = {}

    def begin(self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout]) -> StoredSegment:
        """Begin a segment and return it."""
        names = {path: tuple(layout.names) for path, layout in layouts.items()}
        about = {path: layout.described() for path, layout in layouts.items()}
        poses = {path: given for path, layout in layouts.items() if (given := layout.described_poses()) is not None}
        frames = {path: frames_of(given, self._placed) for path, given in poses.items()}
        return self._described(record, names, about, frames)

    def like(self, segment: SegmentResult) -> StoredSegment:
        """Begin a segment to which the points of another one are to be copied, and return it."""
        if isinstance(segment, StoredSegment):
            names = {path: tuple(layout.names) for path, layout in segment.layouts.items()}
            return self._described(segment.record, names, segment.described(), segment.frames)
        new = self.begin(segment.record, segment.table, segment.layouts)
        new.begin_with(segment.layouts)
        return new

    def _described(
        self, record: SegmentRecord, names: Mapping[str, tuple[str, ...]], about: Mapping[str, Any], frames: FramesByPath
    ) -> StoredSegment:
        """Write the line of a segment to the journal, and return the segment.

        The line has the names of the components' states, descriptions, and the frames whose poses have changed.
        """
        first = self.store.rows, self.store.flat
        line = {"names": dict(names), "components": about, "frames": changed_frames(self._frames, frames), "first": list(first)}
        at = self.store.add({"segment": vars(record), **line})
        self._frames = frames
        shared = {path: self.store.shared(given) for path, given in names.items()}
        return StoredSegment(self.store, record, shared, at, frames, first)

    def follow(self, told: Told) -> None:
        """Write the reports of components with each block from now on."""
        self.store.before_block = lambda: self.note(*told())

    def note(self, log: Rows, tables: Mapping[str, Rows]) -> None:
        """Append rows that components reported since the last call to the journal."""
        same = _same(self._log, log)
        if same < max(len(log), len(self._log)):
            self.store.add({"log": [same, log[same:]]})
        new = {}
        for name, rows in tables.items():
            before = self._tables.get(name)
            same = _same(before or [], rows)
            if before is None or same < max(len(rows), len(before)):
                new[name] = [same, rows[same:]]
        if new:
            self.store.add({"tables": new})
        self._log, self._tables = list(log), {name: list(rows) for name, rows in tables.items()}

    def close(self, result: Recorded) -> None:
        """Write how the simulation ended, and the end of the file. Raises ModelError."""
        self.store.before_block = _nothing
        self.note(result.program_log, result.tables)
        self.store.flush(last=True)
        end = {name: getattr(result, name) for name in ("status", "terminated", "verdict", "success", "statistics")}
        self.store.add({"end": end})
        self.store.close()


def _nothing() -> None:
    return


def _same(before: Sequence[Any], now: Sequence[Any]) -> int:
    """Return how many leading entries are equal."""
    k = min(len(before), len(now))
    return k if list(before[:k]) == list(now[:k]) else next(i for i in range(k) if before[i] != now[i])


def check_path(path: str | PathLike[str]) -> Path:
    """Refuse a path to which no result can be written. Raises ModelError."""
    file = Path(path)
    if file.suffix not in SUFFIXES:
        raise ModelError(
            "the suffix of the result file is not known",
            path=fspath(path),
            found=repr(file.suffix),
            expected=" or ".join(SUFFIXES),
            remedy="Tables are written afterwards: result.save('file.csv'), result.save('file.parquet').",
        )
    return file


def created_store(
    path: Path, about: About, table: SignalTable, stop_time: float, components: Mapping[str, Any] | None, points: int
) -> Store:
    """Create a new file and return it. Raises ModelError if it cannot be written."""
    store = Store(path, table, components)
    store.create(header_text(about, stop_time, table), points)
    return store


def beside(path: Path) -> Path:
    """Create a file that replaces ``path`` when it is complete; return it."""
    return path.with_name(f".{os.urandom(8).hex()}{path.suffix}")


def remove(store: Store, path: Path) -> None:
    """Delete a file that is no longer needed."""
    with suppress(ModelError):
        store.close()
    path.unlink(missing_ok=True)


def copies(earlier: Recorded, recorder: Recorder, index: int, points: int) -> Iterator[StoredSegment]:
    """Generate copies of the segments of an earlier result, up to so many points of the segment with the number ``index``.

    Raises:
        ModelError, ValueError: it has less.
    """
    last = earlier.segment(index)
    for record in earlier.segments:
        segment = earlier.segment(record.index)
        new = recorder.like(segment)
        new.copy(segment, points if segment is last else segment.points)
        if segment is not last:
            new.finish()
        yield new
        if segment is last:
            return


def save_result(result: Recorded, file: str | PathLike[str]) -> None:
    """Write a result to a file, as a whole or not at all. Raises ModelError."""
    path = check_path(file)
    if not result.segments:
        raise ModelError("the result holds no segment, so there is nothing to save", path=fspath(path))
    last = result.segment(result.segments[-1].index)
    other = beside(path)
    store = created_store(other, result.about, last.table, result.stop_time, None, result.time.size)
    recorder = Recorder(store)
    try:
        *_, segment = copies(result, recorder, last.record.index, last.points)
        segment.finish()
        recorder.close(result)
        store.release()
        other.replace(path)
    except OSError as error:
        remove(store, other)
        raise ModelError("the result cannot be written", path=fspath(path), found=error.strerror or str(error)) from None
    except BaseException:
        remove(store, other)
        raise
