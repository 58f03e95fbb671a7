"""Result file of a simulation: rows that wait, blocks with checksums, lines of its journal.

Each line ends with a checksum of itself, of all lines before and of the header. A block has one checksum for each dataset,
which is compared when its rows are read for the first time. Sizes are compared with the data in the file.
"""

from __future__ import annotations

import hashlib
import math
import os
import time as clock
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...acausal.abilities import StoresSignals
from ...acausal.segment import SegmentLayout
from ...model.errors import ModelError
from ..files.archive import packed_text, unpacked_text
from .result_file import FLAT, JOURNAL, ROWS, TABLES, ResultReader, ResultWriter
from .signals import SignalTable

BLOCK_BYTES = 1 << 20
BLOCK_SECONDS = 1.0
"""A block is written when there is so much of it, or so long after the last one (wall-clock time)."""
BLOCK_COST = 50.0
"""It is written earlier where so many times as long has passed as writing the last one took."""

SEPARATOR = b"\t"
"""Between the JSON of a line and its checksum."""

_LAYOUTS = 32
"""Number of segments of which the components' signals are kept in memory."""
_READ = 32
"""Number of blocks that are kept in memory."""


@dataclass(frozen=True)
class Block:
    """Rows that were written at once: numbers behind its last row and number of components, checksums (CRC-32) as `ROWS`."""

    rows: int
    flat: int
    checksums: tuple[int, ...]


@dataclass(frozen=True)
class Rows:
    """Points to be written: of all datasets of `TABLES`, and of `FLAT` (nt, n)."""

    segment: int
    tables: Mapping[str, np.ndarray]
    components_row: np.ndarray

    @property
    def nbytes(self) -> int:
        """Size of the stored data [bytes]."""
        return self.components_row.nbytes + sum(array.nbytes for array in self.tables.values())


class Store:
    """Result file that is written while a simulation runs.

    Args:
        path: of the file.
        table: where signals of the equations are found.
        components: by path; None where they are not known: then signals of components cannot be computed.
    """

    def __init__(self, path: Path, table: SignalTable, components: Mapping[str, Any] | None) -> None:
        self.path, self.table, self._components = path, table, components
        self.find_components: Callable[[], Mapping[str, Any] | None] | None = None
        """Finds them where they are needed first, and not known."""
        self.columns = {"time": 1, "states": table.n_states, "unknowns": table.n_unknowns}
        self.before_block: Callable[[], None] = lambda: None
        """Called before a block is written, to add lines."""
        self.rows = self.flat = 0
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._layouts: dict[int, dict[str, SegmentLayout]] = {}
        self._histories: tuple[tuple[int, ...], list[Mapping[str, Any]]] = ((), [])
        self._blocks: list[Block] = []
        self._read: dict[tuple[str, int], np.ndarray] = {}
        self._intact: set[tuple[str, int]] = set()
        self._writer: ResultWriter | None = None
        self._reader: ResultReader | None = None
        self._waiting: list[Rows] = []
        self._lines: list[bytes] = []
        self._chain = b""
        self._journal = 0
        self._bytes, self._written, self._cost = 0, clock.monotonic(), math.inf

    @property
    def components(self) -> Mapping[str, Any] | None:
        """Components by path; None where they are not known."""
        if self._components is None and self.find_components is not None:
            find, self.find_components = self.find_components, None
            self._components = find()
            self._layouts.clear()
        return self._components

    # -- writing ----------------------------------------------------------------------------------------------------------

    def create(self, header: bytes, points: int) -> None:
        """Create a new file, for so many points or more. Raises ModelError if it cannot be written."""
        try:
            self._writer = ResultWriter(self.path, header, self.columns, points)
        except OSError as error:
            raise self._refusal(error) from None
        self._chain = _link(b"", header)

    def rename(self, path: Path) -> None:
        """Move the file to another name and continue there. Raises ModelError."""
        assert self._writer is not None
        try:
            self._reader = None
            self._writer.reopen(path)
        except OSError as error:
            raise self._refusal(error) from None
        self.path = path

    def _refusal(self, error: OSError) -> ModelError:
        return ModelError("the result cannot be written", path=os.fspath(self.path), found=error.strerror or str(error))

    def add(self, line: Mapping[str, Any]) -> int:
        """Append a line to the journal, with the next block; return its position."""
        at = self._journal
        content = packed_text(line).encode()
        self._chain = _link(self._chain, content)
        self._lines.append(content + SEPARATOR + self._chain + b"\n")
        self._journal += len(self._lines[-1])
        return at

    def put(self, rows: Rows) -> None:
        """Append points to the rows that wait; discard them if nothing can be written any more."""
        if self._writer is None:
            return
        self._waiting.append(rows)
        self._bytes += rows.nbytes
        self.rows += rows.tables["time"].size
        self.flat += rows.components_row.size

    def is_due(self, nbytes: int) -> bool:
        """Return whether a block is to be written now, given the number of bytes that do not wait yet."""
        passed = clock.monotonic() - self._written
        return self._bytes + nbytes >= BLOCK_BYTES or passed >= min(BLOCK_SECONDS, BLOCK_COST * self._cost)

    def flush(self, *, last: bool = False) -> None:
        """Write the rows that wait. Raises ModelError if this fails; then nothing more is written."""
        if self._writer is None:
            return
        began = clock.monotonic()
        self.before_block()
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        rows = _pieces(waiting)
        if rows:
            sums = tuple(_checksum(rows.get(name, ())) for name in ROWS)
            self._blocks.append(Block(self.rows, self.flat, sums))
            self.add({"block": [self.rows, self.flat, *sums]})
        lines, self._lines = b"".join(self._lines), []
        if not lines:
            return
        try:
            self._writer.append(rows, lines, last=last)
        except OSError as error:
            self._give_up(bool(rows))
            raise self._refusal(error) from None
        self._written = clock.monotonic()
        self._cost = self._written - began

    def _give_up(self, block: bool) -> None:
        """Discard the rows that cannot be written, so that the file can still be read."""
        if block:
            self._blocks.pop()
        self.rows, self.flat = (self._blocks[-1].rows, self._blocks[-1].flat) if self._blocks else (0, 0)
        self._lines, self._waiting = [], []
        self._end_writing()

    def _end_writing(self) -> None:
        writer, self._writer, self._reader = self._writer, None, None
        if writer is not None:
            writer.close()
            with suppress(OSError, ValueError):
                self._reader = ResultReader(self.path)  # at once: another simulation may write to the same path

    def close(self) -> None:
        """Write the rows that wait, and complete the file; it can still be read. Raises ModelError."""
        try:
            self.flush(last=True)
        finally:
            try:
                self._end_writing()
            except OSError as error:
                raise self._refusal(error) from None

    def release(self) -> None:
        """Close the file; the next read opens it again."""
        if self._reader is not None:
            self._reader.close()
        self._reader = None

    # -- reading ----------------------------------------------------------------------------------------------------------

    @classmethod
    def open(cls, reader: ResultReader, path: Path, table: SignalTable, components: Any) -> Store:
        """Open the store of an existing file. Raises ValueError."""
        store = cls(path, table, components)
        store._reader = reader
        for name in TABLES:
            reader.columns(name, store.columns[name])
        reader.columns(FLAT, 1)
        return store

    @property
    def reader(self) -> ResultReader:
        """Reader of the file with all data added so far. Raises ModelError."""
        if self._waiting or self._lines:
            self.flush()
        if self._reader is None:
            try:
                self._reader = ResultReader(self.path)
            except (OSError, ValueError) as error:
                raise ModelError("the result cannot be read", path=os.fspath(self.path), found=str(error)) from None
        return self._reader

    def take(self, block: Block) -> None:
        """Add a block that the journal lists. Raises ValueError if it does not exist."""
        grows = block.rows >= self.rows and block.flat >= self.flat
        fits = all(self.reader.fits(name, block.rows) for name in TABLES) and self.reader.fits(FLAT, block.flat)
        if not grows or not fits:
            raise ValueError("a block that is not in the file")
        self.rows, self.flat = block.rows, block.flat
        self._blocks.append(block)

    def read(self, name: str, first: int, last: int) -> np.ndarray:
        """Return the rows of a dataset (of `FLAT`: numbers). Raises ModelError where they are damaged."""
        return _of_parts(list(self.parts(name, first, last)))

    def parts(self, name: str, first: int, last: int) -> Iterator[np.ndarray]:
        """Generate the rows of a dataset block by block; there is at least one part."""
        reader = self.reader  # with what waited until now
        ends = [block.flat if name == FLAT else block.rows for block in self._blocks]
        k = bisect_right(ends, first)
        if first >= last:
            yield self._none(name)
        while first < last:
            begin = ends[k - 1] if k else 0
            content = self._block(reader, name, k, begin, ends[k])
            yield content[first - begin : last - begin].copy()  # kernels want arrays that may be written
            first, k = ends[k], k + 1

    def cuts(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return the first and last numbers of the rows of each block among these."""
        ends = [block.rows for block in self._blocks]
        inner = ends[bisect_right(ends, first) : bisect_right(ends, last - 1)] if first < last else []
        return list(pairwise([first, *inner, last])) if first < last else []

    def _none(self, name: str) -> np.ndarray:
        return np.zeros(0) if name in ("time", FLAT) else np.zeros((0, self.columns[name]))

    def _block(self, reader: ResultReader, name: str, k: int, begin: int, end: int) -> np.ndarray:
        found = self._read.get((name, k))
        if found is not None:
            return found
        if name != FLAT and not self.columns[name]:
            return np.zeros((end - begin, 0))
        try:
            content = reader.rows(name, begin, end)
            if (name, k) not in self._intact:
                if zlib.crc32(np.ascontiguousarray(content)) != self._blocks[k].checksums[ROWS.index(name)]:  # type: ignore[arg-type]
                    raise ValueError(f"another checksum of {name} in the rows from {begin} to {end}")
                self._intact.add((name, k))
        except ValueError as error:
            raise ModelError("the result is damaged", path=os.fspath(self.path), found=str(error)) from None
        self._read[name, k] = content
        if len(self._read) > _READ:
            del self._read[next(iter(self._read))]
        return content

    def lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Generate all complete lines of the journal with the bytes where they begin. Raises ValueError where one was
        changed.
        """
        reader = self.reader
        chain, at = _link(b"", reader.header), 0
        for line in reader.journal.splitlines(keepends=True):
            if not line.endswith(b"\n"):
                return  # the process was killed here
            content, _, checksum = line[:-1].rpartition(SEPARATOR)
            chain = _link(chain, content)
            if checksum != chain:
                raise ValueError(f"another checksum of the line at byte {at} of the journal")
            yield at, _content(line)
            at += len(line)

    def shared(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return one copy in memory for equal lists of names."""
        return self._names.setdefault(names, names)

    def layouts(self, line: int, names: Mapping[str, tuple[str, ...]]) -> dict[str, SegmentLayout]:
        """Return the components' layouts of the segment at this line: names, and signals if the components are known."""
        if line in self._layouts:
            return self._layouts[line]
        components, about = self.components or {}, {}
        if components:
            about = self.lines_at((line,))[0]["components"]
        described = {path: about[path] for path in names if about.get(path) is not None}
        signals = {path: self._stored_signals(path, given) for path, given in described.items()}
        layouts = {path: SegmentLayout(own, np.zeros(len(own)), signals=signals.get(path, {})) for path, own in names.items()}
        self._layouts[line] = layouts
        if len(self._layouts) > _LAYOUTS:
            del self._layouts[next(iter(self._layouts))]
        return layouts

    def histories(self, lines: tuple[int, ...]) -> list[Mapping[str, Any]]:
        """Return the entries of `Trajectory.history` by component, of each of these lines; the last ones are kept in memory."""
        if self._histories[0] != lines:
            self._histories = lines, [content["history"][1] for content in self.lines_at(lines)]
        return self._histories[1]

    def lines_at(self, places: tuple[int, ...]) -> list[dict[str, Any]]:
        """Return the contents of the lines that begin at these bytes."""
        found = []
        for place in places:
            text, size = b"", 1 << 12
            while b"\n" not in text:
                text, size = self.reader.text(JOURNAL, place, place + size), 4 * size
            found.append(_content(text[: text.index(b"\n") + 1]))
        return found

    def _stored_signals(self, path: str, description: Mapping[str, Any]) -> Mapping[str, Any]:
        component = (self.components or {})[path]
        if not isinstance(component, StoresSignals):
            return {}
        try:
            signals = component.stored_signals(description)
            dict(signals)  # all that it lists can be made; it may know more
            return signals
        except Exception as error:  # a component says in its own words what is no description of it
            raise ModelError("the result is damaged", path=path, found=f"{type(error).__name__}: {error}") from None


def _pieces(waiting: list[Rows]) -> dict[str, list[np.ndarray]]:
    """Return all points as rows of the datasets with columns, in pieces: joining them would copy everything once more."""
    if not waiting:
        return {}
    arrays = {name: [rows.tables[name] for rows in waiting] for name in TABLES}
    arrays[FLAT] = [rows.components_row.ravel() for rows in waiting]
    some = {name: [np.ascontiguousarray(a, dtype=np.float64) for a in given if a.size] for name, given in arrays.items()}
    segment = [np.full(rows.tables["time"].size, rows.segment, dtype=np.int32) for rows in waiting]
    return {name: given for name, given in some.items() if given} | {"segment": segment}


def _checksum(pieces: Iterable[np.ndarray]) -> int:
    """Return the CRC-32 of all pieces in sequence; 0 if there are none."""
    found = 0
    for piece in pieces:
        found = zlib.crc32(piece, found)  # type: ignore[arg-type]
    return found


def _of_parts(parts: list[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _link(before: bytes, content: bytes) -> bytes:
    """Return the checksum of a content and of everything before it."""
    return hashlib.sha256(before + b"\n" + content).hexdigest()[:16].encode()


def _content(line: bytes) -> dict[str, Any]:
    """Return the mapping in a line. Raises ValueError if it is no mapping, and the errors of `unpacked_text`."""
    content = unpacked_text(line[:-1].rpartition(SEPARATOR)[0].decode())
    if not isinstance(content, dict) or not 1 <= len(content) <= 5:
        raise ValueError(f"a line that is a {type(content).__name__}")
    return content
