"""A segment of a result on disk: the same signals, read from a `Store` where they are asked for."""

from __future__ import annotations

import math
import os
import time as clock
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...acausal.protocol import SegmentLayout
from ...model.errors import ModelError, ModiaError
from ..files import schema
from .segment_result import RECORD, Interval, SegmentRecord, SegmentResult
from .signals import relative_name
from .store import Chunk, Store

CHUNK_BYTES = 1 << 20
CHUNK_SECONDS = 1.0
"""A chunk is written when there is so much of it, or so long after the last one (wall-clock time)."""


LINES = {
    "chunk": schema.record(chunk=schema.parts(*7 * [schema.whole])),
    "finished": schema.record(finished=RECORD),
    "history": schema.record(
        history=schema.parts(schema.whole, schema.table(schema.each(schema.parts(schema.whole, schema.anything))))
    ),
    "tables": schema.record(tables=schema.table(schema.each(schema.table(schema.anything)))),
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


@dataclass
class History:
    """Where the index has entries of `Trajectory.history`; those count that hold for one of so many first points."""

    line: int
    points: float = math.inf


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
        self.histories: list[History] = []
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
        """See `SegmentResult`. What components added is written first, or points of a killed process would be without it."""
        added = dict(self._history)
        if added:
            self.histories.append(History(self.store.add({"history": [self.record.index, added]})))
            self._history, self._noted = {}, dict(self._noted)
        if self._intervals:
            chunk = self.store.write(self._joined())
            self.store.add({"chunk": [self.record.index, *vars(chunk).values()]})
            self.chunks.append(chunk)
        self._intervals, self._points, self._bytes, self._written = [], 0, 0, clock.monotonic()

    def finish(self) -> None:
        """See `SegmentResult`."""
        if self._present is not None:
            super().finish()
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
        kept = points
        for chunk in self.chunks:
            chunk.used = min(chunk.used, points)
            points -= chunk.used
        if points:
            raise ValueError(f"{points} points are missing")
        for history in self.histories:
            history.points = min(history.points, kept)

    def take_history(self, line: int, paths: Collection[str]) -> None:
        """Add what the line of the index at this byte has of components. Raises ValueError where there are others."""
        if not set(paths) <= self._names.keys():
            raise ValueError("a history of a component that is not there")
        self.histories.append(History(line))

    def history(self, path: str) -> Sequence[tuple[int, Any]]:
        """See `SegmentResult`."""
        lines = self.store.histories(tuple(history.line for history in self.histories))
        stored = ((h.points, line.get(path, ())) for h, line in zip(self.histories, lines, strict=True))
        kept = [(first, entry) for points, entries in stored for first, entry in entries if first < points]
        return [*kept, *super().history(path)]

    def _parts(self) -> list[Interval]:
        stored = [self.store.read(chunk) for chunk in self.chunks]
        return stored + (super()._parts() if self._intervals or not stored else [])
