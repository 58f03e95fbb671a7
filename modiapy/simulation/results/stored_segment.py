"""Segment of a result on disk: the same signals, read from a `Store` on demand."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...acausal.segment import SegmentLayout
from ...model.errors import ModelError, ModiaError
from ..files import schema
from .frames import FRAMES, NUMBERS, POSITION, ROTATION, FramesByPath, Placed, pose
from .result_file import FLAT
from .segment_result import RECORD, Interval, SegmentRecord, SegmentResult
from .signals import relative_name
from .store import BLOCK_BYTES, Rows, Store

LINES = {
    "block": schema.record(block=schema.each(schema.whole, 6)),
    "finished": schema.record(finished=RECORD),
    "history": schema.record(
        history=schema.parts(schema.whole, schema.table(schema.each(schema.parts(schema.whole, schema.anything))))
    ),
    "tables": schema.record(tables=schema.table(schema.parts(schema.whole, schema.each(schema.table(schema.anything))))),
    "log": schema.record(log=schema.parts(schema.whole, schema.each(schema.table(schema.anything)))),
    "end": schema.record(
        end=schema.record(
            status=schema.one_of("finished", "failed", "interrupted"),
            terminated=schema.text,
            verdict=schema.text,
            success=schema.one_of(True, False, None),
            statistics=schema.table(schema.anything),
        )
    ),
    "segment": schema.record(
        segment=RECORD,
        names=schema.table(schema.each(schema.text)),
        components=schema.table(schema.anything),
        frames=FRAMES,
        first=schema.each(schema.whole, 2),
    ),
}
"""What a line of the journal may be, by its first entry."""


class StoredSegment(SegmentResult):
    """`SegmentResult` on disk. In memory are the record, where its rows are, and points that are not in the store yet.

    Args:
        store: the file.
        record: of the segment.
        names: of the states of components, by path.
        line: where the journal describes the segment.
        frames: whose poses are in the file, by the path of the component.
        first: numbers of its first row, and of the first of its numbers of components.
    """

    def __init__(
        self,
        store: Store,
        record: SegmentRecord,
        names: Mapping[str, tuple[str, ...]],
        line: int,
        frames: FramesByPath,
        first: tuple[int, int],
    ) -> None:
        self.store, self._line, self._names, self.frames = store, line, names, frames
        self._width = record.states_variant + NUMBERS * sum(given.bodies for given in frames.values())
        self._present: Mapping[str, SegmentLayout] | None = None
        self._histories: list[int] = []
        (self._first, self._flat), self._stored = first, 0
        self._bytes = 0
        super().__init__(record, store.table, {path: SegmentLayout(own, np.zeros(0)) for path, own in names.items()})
        self._present = None

    @property  # type: ignore[override]
    def layouts(self) -> Mapping[str, SegmentLayout]:
        """See `SegmentResult`; for a segment that has ended, the layouts with which the file's signals can be computed."""
        return self.store.layouts(self._line, self._names) if self._present is None else self._present

    @layouts.setter
    def layouts(self, present: Mapping[str, SegmentLayout] | None) -> None:
        self._present = present

    @property
    def _states(self) -> dict[str, int]:  # type: ignore[override]
        named = [relative_name(path, name) for path, names in self._names.items() for name in names]
        return {name: self.record.states_invariant + k for k, name in enumerate(named)}

    # -- writing ----------------------------------------------------------------------------------------------------------

    def append(self, interval: Interval) -> None:
        """See `SegmentResult`. A block is written when it is large enough."""
        super().append(interval)
        self._bytes += interval.time.nbytes + interval.x.nbytes + interval.unknowns.nbytes
        if self.store.is_due(self._bytes):
            self.flush()

    def _hand_over(self) -> None:
        """Pass the points to the store. The history of components goes first: points of a killed process need it."""
        added = dict(self._history)
        if added:
            self._histories.append(self.store.add({"history": [self.record.index, added]}))
        if self._intervals:
            points = self._joined()
            self._put(points, self._poses(points))
        if added:
            noted = {path: self._noted.get(path, 0) + len(entries) for path, entries in added.items()}
            self._history, self._noted = {}, {**self._noted, **noted}
        self._last_time = self.last_time
        self._intervals, self._bytes = [], 0

    def _put(self, points: Interval, poses: np.ndarray) -> None:
        n = self.record.states_invariant
        tables = {"time": points.time, "states": points.x[:, :n], "unknowns": points.unknowns}
        self.store.put(Rows(self.record.index, tables, np.concatenate([points.x[:, n:], poses], axis=1)))
        self._stored += points.time.size

    def _poses(self, points: Interval) -> np.ndarray:
        """Return the poses of bodies at the next points, shape (nt, 12*bodies)."""
        parts = [np.zeros((points.time.size, 0))]
        if self._width > self.record.states_variant:
            assert self._present is not None
            part = SegmentResult(self.record, self.store.table, self._present)
            part.append(points)
            for path in self.frames:
                entries = [(max(first - self._stored, 0), entry) for first, entry in self.history(path)]
                given = self._present[path].described_poses()
                assert given is not None
                parts.append(given.over_time(part.trajectory(path, entries)))
        return np.concatenate(parts, axis=1)

    def copy(self, segment: SegmentResult, points: int) -> None:
        """Copy the first points of another segment, with its layouts and history. Raises ValueError if there are fewer."""
        if points > segment.points:
            raise ValueError(f"{points - segment.points} points are missing")
        entries = {path: [list(e) for e in segment.history(path) if e[0] < points] for path in self._names}
        if any(entries.values()):
            line = {path: given for path, given in entries.items() if given}
            self._histories.append(self.store.add({"history": [self.record.index, line]}))
        pieces = segment.pieces() if isinstance(segment, StoredSegment) else self._computed(segment)
        for piece, poses in pieces:
            n = min(piece.time.size, points)
            self._put(Interval(piece.time[:n], piece.x[:n], piece.unknowns[:n]), poses[:n])
            points -= n
            if self.store.is_due(0):
                self.store.flush()
        self._present = None

    def _computed(self, segment: SegmentResult) -> Iterator[tuple[Interval, np.ndarray]]:
        """Generate the points of a segment in memory, and the poses of bodies."""
        every = segment.interval
        step = max(1, BLOCK_BYTES // (8 * (1 + every.x.shape[1] + every.unknowns.shape[1] + self._width)))
        for first in range(0, every.time.size, step):
            some = slice(first, first + step)
            points = Interval(every.time[some], every.x[some], every.unknowns[some])
            yield points, self._poses(points)

    @property
    def streams(self) -> bool:
        """See `SegmentResult`."""
        return True

    def flush(self) -> None:
        """See `SegmentResult`."""
        self._hand_over()
        self.store.flush()

    def finish(self) -> None:
        """See `SegmentResult`."""
        if self._present is not None:
            super().finish()
        self._hand_over()
        self._present = None
        self.store.add({"finished": vars(self.record)})

    # -- reading ----------------------------------------------------------------------------------------------------------

    def is_empty(self) -> bool:
        """See `SegmentResult`."""
        return not self.points

    @property
    def points(self) -> int:
        """See `SegmentResult`."""
        return self._held + self._in_memory

    @property
    def _held(self) -> int:
        """Number of points in the store; the last ones may be lost if the disk is full."""
        return min(self._stored, max(0, self.store.rows - self._first))

    @property
    def first(self) -> tuple[int, int]:
        """Numbers of its first row, and of the first of its numbers of components."""
        return self._first, self._flat

    def take_rows(self, rows: int, flat: int) -> None:
        """Set the numbers of rows, and of component values, at which the segment ends. Raises ValueError."""
        self._stored = rows - self._first
        if self._stored < 0 or flat - self._flat != self._stored * self._width:
            raise ValueError(f"{flat - self._flat} numbers of components in {self._stored} points")

    def take_history(self, line: int, paths: Collection[str]) -> None:
        """Add the components' history from the journal line at this byte. Raises ValueError for other components."""
        if not set(paths) <= self._names.keys():
            raise ValueError("a history of a component that is not there")
        self._histories.append(line)

    def signals(self) -> list[str]:
        """See `SegmentResult`."""
        if self.store.components is not None:
            return super().signals()
        placed = ((path, frame) for path, frames in self.frames.items() for frame in frames.placed)
        own = (relative_name(path, f"{frame}.{quantity}") for path, frame in placed for quantity in (POSITION, ROTATION))
        return list(dict.fromkeys([*self._table.listed, *self._states, *own]))

    def __contains__(self, name: object) -> bool:
        return self._frame(str(name)) is not None or super().__contains__(name)

    def _frame(self, name: str) -> tuple[Placed, str, int] | None:
        """Return a signal's frame attachment, its quantity and the start of its component's poses; None: no such signal."""
        first = self.record.states_variant
        for path, frames in self.frames.items():
            found = frames.find(name.removeprefix(f"{path}.") if path else name)
            if found is not None and (not path or name.startswith(f"{path}.")):
                return *found, first
            first += NUMBERS * frames.bodies
        return None

    def find(self, name: str) -> np.ndarray | None:
        """See `SegmentResult`."""
        frame = None if self._present is not None else self._frame(name)
        if frame is not None:
            placed, quantity, first = frame
            return pose(placed, quantity, self.own(self._first, self._first + self._held)[:, first:])
        try:
            return super().find(name)
        except ModiaError:
            raise
        except Exception as error:  # functions of a component that the file describes wrongly
            found, where = f"{type(error).__name__}: {error}", os.fspath(self.store.path)
            raise ModelError(f"the result is damaged: signal '{name}'", path=where, found=found) from error

    def history(self, path: str) -> Sequence[tuple[int, Any]]:
        """See `SegmentResult`."""
        lines = self.store.histories(tuple(self._histories)) if self._histories else []
        kept = [(first, entry) for line in lines for first, entry in line.get(path, ())]
        return [*kept, *super().history(path)]

    def described(self) -> Mapping[str, Any]:
        """Return the descriptions of its components."""
        components: Mapping[str, Any] = self.store.lines_at((self._line,))[0]["components"]
        return components

    def pieces(self) -> Iterator[tuple[Interval, np.ndarray]]:
        """Generate the points and the poses of bodies, block by block."""
        for first, last in self.store.cuts(self._first, self._first + self._held):
            yield _Piece(self, first, last), self.own(first, last)[:, self.record.states_variant :]

    def own(self, first: int, last: int) -> np.ndarray:
        """Return the states of components and poses of bodies in these rows."""
        start, width = self._flat - self._width * self._first, self._width
        return self.store.read(FLAT, start + width * first, start + width * last).reshape(last - first, width)

    def _parts(self) -> list[Interval]:
        stored: list[Interval] = [_Piece(self, *ends) for ends in self.store.cuts(self._first, self._first + self._held)]
        return stored + (super()._parts() if self._intervals or not stored else [])


class _Piece(Interval):
    """Points of a segment in the store; each array is read when it is asked for."""

    def __init__(self, segment: StoredSegment, first: int, last: int) -> None:
        self._segment, self._rows = segment, (first, last)

    @property  # type: ignore[misc]
    def time(self) -> np.ndarray:  # type: ignore[override]
        """See `Interval`."""
        return self._segment.store.read("time", *self._rows)

    @property  # type: ignore[misc]
    def x(self) -> np.ndarray:  # type: ignore[override]
        """See `Interval`."""
        own = self._segment.own(*self._rows)[:, : self._segment.record.states_variant]
        return np.concatenate([self._segment.store.read("states", *self._rows), own], axis=1)

    @property  # type: ignore[misc]
    def unknowns(self) -> np.ndarray:  # type: ignore[override]
        """See `Interval`."""
        return self._segment.store.read("unknowns", *self._rows)
