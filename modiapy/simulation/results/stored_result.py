"""Results on disk: `StoredResult`, the functions that read it, and those that write results in memory to disk."""

from __future__ import annotations

import math
import os
import pickle
import warnings
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...acausal.picklable import packed
from ...acausal.segment import SegmentLayout
from ...model.errors import ModelError, SimulationError
from ...symbolic.flat.flat_model import FlatModel
from ..files import schema
from ..files.fingerprint import difference, fingerprint
from .about import SIGNAL_GROUPS, About, read_header
from .frames import Frames, read_frames
from .recorder import Recorder, Told, beside, check_path, copies, created_store, remove
from .result import Result
from .result_file import ResultReader
from .segment_result import SegmentRecord, SegmentResult
from .signals import SignalTable
from .store import Block, Store
from .stored_segment import LINES, StoredSegment


class HasFlat(Protocol):
    """Protocol of anything that has a flat model."""

    @property
    def flat(self) -> FlatModel: ...


class Simulated(Protocol):
    """Protocol of the simulated model: a `SimulationModel`, with the values of its last simulation."""

    @property
    def values(self) -> HasFlat: ...


class StoredResult(Result):
    """`Result` whose points are on disk."""

    def __init__(self, about: About, stop_time: float, store: Store) -> None:
        super().__init__(about.name, lambda: about, stop_time)
        self.store, self.recorder = store, Recorder(store)
        self._frames: dict[str, Frames] = {}
        self.why_not = ""
        """Why the model could not be made of what the file says of it."""

    def begin(self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout]) -> SegmentResult:
        """See `Result`. The segment is written to the journal."""
        segment = self.recorder.begin(record, table, layouts)
        segment.begin_with(layouts)
        return self.add(segment)

    def resume(
        self, record: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout], points: int
    ) -> SegmentResult:
        """See `Result`. On disk the result continues from the time of the snapshot."""
        if not self._segments:
            return super().resume(record, table, layouts, points)
        segment = self._segments[-1]
        segment.record = record
        segment.begin_with(layouts)
        return segment

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the path and the model that computes signals, for pickle; the file is opened anew there."""
        components = None if self.store.find_components is not None else self.store.components
        computing = None if components is None else packed(components, "what computes the signals of this result")
        return _opened, (os.path.abspath(self.store.path), computing)

    def told_by(self, told: Told) -> None:
        """See `Result`."""
        self.recorder.follow(told)

    def close(self) -> None:
        """See `Result`; a file that cannot be ended is a warning where the simulation has an error of its own."""
        try:
            self.recorder.close(self)
        except ModelError as error:
            if self.status != "finished":
                warnings.warn(str(error), stacklevel=2)
                return
            end = float(self.time[-1]) if self.time.size else math.nan
            raise SimulationError(error.message, time=end, result=self, **error.details) from None

    def __getitem__(self, name: str) -> np.ndarray:
        """See `Result`."""
        try:
            return super().__getitem__(name)
        except ModelError as error:
            if self.store.components is None:
                more = (
                    f"Signals of components that the file does not hold need the model: read_result(file, sim).{self.why_not}"
                )
                error.remedy = f"{error.remedy} {more}".lstrip()
            raise

    # -- reading ----------------------------------------------------------------------------------------------------------

    def take(self, at: int, line: Mapping[str, Any]) -> None:
        """Add the content of the line at byte ``at`` of the journal.

        Raises:
            ValueError, KeyError, TypeError, ModelError: the line is something else.
        """
        kind = next((kind for kind in LINES if kind in line), "segment")
        LINES[kind](line, f"line at byte {at}")
        if kind == "segment":
            self._take_segment(at, line)
        elif kind == "block":
            rows, flat, *sums = line["block"]
            self.store.take(Block(rows, flat, tuple(sums)))
        elif kind == "finished":
            record = SegmentRecord(**line["finished"])
            segment = self._segment(record.index)
            if (record.states_invariant, record.states_variant) != _sizes(segment.record):
                raise ValueError("a segment that ends with other states than it began with")
            segment.record = record
        elif kind == "history":
            index, entries = line["history"]
            self._segment(index).take_history(at, entries)
        elif kind == "tables":
            for name, (first, rows) in line["tables"].items():
                self.tables[name] = _continued(self.tables.get(name, []), first, rows)
        elif kind == "log":
            self.program_log = _continued(self.program_log, *line["log"])
        else:
            for name, value in line["end"].items():
                setattr(self, name, value)

    def _segment(self, index: int) -> StoredSegment:
        segment = self.segment(index)
        assert isinstance(segment, StoredSegment)
        return segment

    def take_end(self) -> None:
        """Process the end: no more lines follow. Raises ValueError if rows and segments do not fit one another."""
        end = self.store.rows, self.store.flat
        if end[0] and not self._segments:
            raise ValueError("points without a segment")
        for segment in reversed(self._segments):
            assert isinstance(segment, StoredSegment)
            if segment.first <= end or segment.points:
                segment.take_rows(*end)
                end = segment.first
        if end > (0, 0):
            raise ValueError("points before the first segment")

    def _take_segment(self, at: int, line: Mapping[str, Any]) -> None:
        names = {path: self.store.shared(tuple(given)) for path, given in line["names"].items()}
        record = SegmentRecord(**line["segment"])
        follows = self._segments[-1].record.index + 1 if self._segments else max(record.index, 1)
        of_components = sum(map(len, names.values()))
        if record.index != follows or _sizes(record) != (self.store.table.n_states, of_components):
            raise ValueError(f"segment {record.index} with {_sizes(record)} states where this cannot be")
        if not line["frames"].keys() <= names.keys():
            raise ValueError("frames of a component that is not there")
        self._frames = read_frames(self._frames, line["frames"])
        self.add(StoredSegment(self.store, record, names, at, self._frames, tuple(line["first"])))


def _continued(before: list[dict[str, Any]], first: int, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if first > len(before):
        raise ValueError("rows of a table that follow on nothing")
    return [*before[:first], *rows]


def _sizes(record: SegmentRecord) -> tuple[int, int]:
    return record.states_invariant, record.states_variant


def read_result(path: str | PathLike[str], model: Simulated | None = None) -> Result:
    """Read a result from a file, also while a simulation writes it, or after its process was killed.

    Points are read from disk when they are asked for, and their checksums are compared. The status is "interrupted" if the end
    is missing.

    Args:
        path: of the file.
        model: what was simulated. Without it the model is made of the scenario in the file, when a signal is asked for that
            needs it; if there is none, or if its files have changed, there are, of what components compute, only the signals
            that the file holds: the poses of all that is seen.

    Raises:
        ModelError: there is no such file, it is no result, it is damaged, or it is one of another model.
    """
    return _read(Path(path), None if model is None else model.values.flat)


def _opened(path: str, components: bytes | None) -> StoredResult:
    """Return the result in a file, with components that compute its signals, pickled."""
    return _read(Path(path), None, None if components is None else pickle.loads(components))


def _read(path: Path, model: FlatModel | None, components: Mapping[str, Any] | None = None) -> StoredResult:
    try:
        reader = ResultReader(path)
        about, stop_time, table = read_header(reader.header)
        if model is not None:
            _check_model(path, about.model, model)
            components = model.components
        store = Store.open(reader, path, table, components)
        result = StoredResult(about, stop_time, store)
        result.status = "interrupted"
        for at, line in store.lines():
            result.take(at, line)
        result.take_end()
        if components is None and about.origin.get("scenario"):
            store.find_components = partial(_components_of, result)
        return result
    except FileNotFoundError:
        raise ModelError("there is no result", path=fspath(path)) from None
    except OSError as error:
        raise ModelError("the result cannot be read", path=fspath(path), found=error.strerror or str(error)) from None
    except ModelError as error:
        error.path = error.path or fspath(path)
        raise
    except Exception as error:  # what fits the schema may still contradict itself
        found = str(error) if isinstance(error, schema.Damaged | ValueError) else f"{type(error).__name__}: {error}"
        raise ModelError("the result is damaged, or no result", path=fspath(path), found=found) from None


def _components_of(result: StoredResult) -> Mapping[str, Any] | None:
    """Return the components of the scenario in a result file; None if it cannot be read, or is another model now."""
    path, about = result.store.path, result.about
    try:
        flat: FlatModel = import_module(_SCENARIOS).model_of(about.origin).flat
        _check_model(path, about.model, flat)
    except ImportError:
        return None
    except Exception as error:  # whatever a stranger has written there
        result.why_not = f" Its scenario cannot be used: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        return None
    return flat.components


_SCENARIOS = "modia3d.files"
"""Makes models of scenarios, if it is installed."""


def _check_model(path: Path, saved: Mapping[str, Any], model: FlatModel) -> None:
    present = fingerprint(model)
    differs = difference(saved, {group: present[group] for group in SIGNAL_GROUPS})
    if differs:
        raise ModelError("the result belongs to another model", path=fspath(path), found=differs)


def new_result(
    file: str | PathLike[str],
    about: About,
    model: FlatModel,
    table: SignalTable,
    stop_time: float,
    *,
    points: int,
    reached: tuple[int, int] | None = None,
) -> StoredResult:
    """Create a result that is written to a file while a simulation runs.

    Args:
        file: where. about: what it is one of. table: of the signals.
        model: with the values it is simulated with. stop_time: [s].
        points: how many there will be, roughly.
        reached: of a simulation that goes on, the number of the segment and of its points: the result that is there is
            continued from there.

    Raises:
        ModelError: the file cannot be written, or holds the result of another model.
    """
    path = check_path(file)
    if reached is None or not path.exists():
        return StoredResult(about, stop_time, created_store(path, about, table, stop_time, model.components, points))
    earlier, other = _read(path, model), beside(path)
    result = StoredResult(about, stop_time, created_store(other, about, table, stop_time, model.components, points))
    try:
        for segment in copies(earlier, result.recorder, *reached):
            result.add(segment)
        result.store.flush()
        earlier.store.release()
        result.store.rename(path)
    except (ModelError, ValueError) as error:
        remove(result.store, other)
        raise ModelError(
            "the stored result does not reach as far as the snapshot",
            path=fspath(path),
            found=str(error),
            remedy="Write to another file.",
        ) from None
    return result
