"""Results on disk: written chunk by chunk while a simulation runs, read piece by piece.

A folder with three files. ``result.json`` says where signals are found (`SignalTable.to_data`). ``data.bin`` holds the chunks:
of each stored stretch the times, then all states, then all computed variables, one signal after the other, as doubles of the
machine. ``index.jsonl`` has one line of JSON for what was added: a segment that begins, what components remember, a chunk
(after what is remembered of its points), a segment that ends, tables of components, the end. It is written after the data, so
that a killed process leaves a result up to its last chunk.

Each line ends with a checksum of itself, of all lines before and of ``result.json``; that of a chunk has one of its data, which
is compared when they are read first. Nothing in the files is executed, and sizes are compared with what is there.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...acausal.protocol import SegmentLayout, StoresSignals
from ...acausal.whole_file import written_whole
from ...model.errors import ModelError
from ..files.archive import packed_text, unpacked_text
from ..files.fingerprint import Fingerprint
from ..files.schema import anything, finite, one_of, record, table, text
from .segment_result import Interval
from .signals import SignalTable

HEADER, DATA, INDEX = "result.json", "data.bin", "index.jsonl"
FORMAT, VERSION = "modiapy result", 2

SEPARATOR = b"\t"
"""Between the JSON of a line and its checksum."""

_HEADER = record(
    format=one_of(FORMAT),
    version=one_of(VERSION),
    byteorder=one_of(sys.byteorder),
    name=text,
    stop_time=finite,
    model=table(table(text)),
    table=table(anything),
)

SIGNAL_GROUPS = ("component", "object")
"""Groups of a fingerprint on which signals of components depend."""

_LAYOUTS = 32
"""Number of segments of which the components' signals are kept in memory."""


@dataclass
class Chunk:
    """Where a stretch is in the data: first byte, points, columns of states and of variables; ``used`` points of it count.

    ``checksum`` is the CRC-32 of all its bytes.
    """

    offset: int
    points: int
    n: int
    unknowns: int
    used: int
    checksum: int

    @property
    def end(self) -> int:
        """Byte behind it."""
        return self.offset + 8 * self.points * (1 + self.n + self.unknowns)

    def is_inside(self, size: int) -> bool:
        """Whether it is one of data of so many bytes."""
        return self.end <= size and self.used <= self.points and self.offset % 8 == 0


class Store:
    """The files of one result.

    Args:
        folder: where they are.
        table: where signals of the equations are found.
        components: by path; None where they are not known: then signals of components cannot be computed.
    """

    def __init__(self, folder: Path, table: SignalTable, components: Mapping[str, Any] | None) -> None:
        self.folder, self.table, self.components = folder, table, components
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._layouts: dict[int, dict[str, SegmentLayout]] = {}
        self._histories: tuple[tuple[int, ...], list[Mapping[str, Any]]] = ((), [])
        self._data: BinaryIO | None = None
        self._index: BinaryIO | None = None
        self._map: np.ndarray = np.zeros(0, np.uint8)
        self._chain = b""
        self._intact: set[int] = set()

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
                (self.folder / file).unlink(missing_ok=True)  # who reads the earlier result keeps it
            with written_whole(self.folder / HEADER) as stream:
                stream.write(json.dumps(header).encode())
            self._chain = self._first_link()
            self._data, self._index = (self.folder / DATA).open("wb"), (self.folder / INDEX).open("wb")
        except OSError as error:
            raise self._refusal(error) from None

    def extend(self) -> None:
        """Open the files to append to them; what a killed process did not complete is removed."""
        complete = max((at + len(line) for at, line, self._chain in self._linked_lines()), default=0)
        try:
            self._data, self._index = (self.folder / DATA).open("ab"), (self.folder / INDEX).open("r+b")
            self._index.truncate(complete)
            self._index.seek(complete)
            self._data.write(bytes(-self._data.tell() % 8))
        except OSError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> ModelError:
        return ModelError("the result cannot be written", path=os.fspath(self.folder), found=str(error))

    def add(self, line: Mapping[str, Any]) -> int:
        """Append a line to the index; where it begins. Raises ModelError where it cannot be written."""
        assert self._index is not None
        try:
            at = self._index.tell()
            content = packed_text(line).encode()
            self._chain = _link(self._chain, content)
            self._index.write(content + SEPARATOR + self._chain + b"\n")
            self._index.flush()
        except OSError as error:
            raise self._refusal(error) from None
        return at

    def write(self, interval: Interval) -> Chunk:
        """Append the points of an interval to the data. Raises ModelError where it cannot be written."""
        assert self._data is not None
        points = interval.time.size
        chunk = Chunk(self._data.tell(), points, interval.x.shape[1], interval.unknowns.shape[1], points, 0)
        try:
            for array in (interval.time, interval.x.T, interval.unknowns.T):
                content = np.ascontiguousarray(array, dtype=np.float64).tobytes()
                chunk.checksum = zlib.crc32(content, chunk.checksum)
                self._data.write(content)
            self._data.flush()
        except OSError as error:
            raise self._refusal(error) from None
        return chunk

    def close(self) -> None:
        """Close the files; they can be read all the same."""
        for file in (self._data, self._index):
            if file is not None:
                file.close()
        self._data = self._index = None

    # -- reading ----------------------------------------------------------------------------------------------------------

    def _first_link(self) -> bytes:
        return _link(b"", (self.folder / HEADER).read_bytes())

    def size(self) -> int:
        """Bytes of the data."""
        return (self.folder / DATA).stat().st_size

    def read(self, chunk: Chunk) -> Interval:
        """The points of a chunk, as views of the file. Raises ModelError where they are damaged."""
        if self._map.size < chunk.end:
            self._map = np.memmap(self.folder / DATA, np.uint8, "c")  # kernels want arrays that may be written; the file is not
        if chunk.offset not in self._intact:
            if chunk.end > self._map.size or zlib.crc32(self._map[chunk.offset : chunk.end]) != chunk.checksum:  # type: ignore[arg-type]
                found = f"another checksum of the bytes from {chunk.offset} to {chunk.end}"
                raise ModelError("the result is damaged", path=os.fspath(self.folder / DATA), found=found)
            self._intact.add(chunk.offset)
        numbers = self._map[chunk.offset : chunk.end].view(np.float64).view(np.ndarray)
        time, x, unknowns = np.split(numbers, np.cumsum([chunk.points, chunk.points * chunk.n]))
        x, unknowns = x.reshape(chunk.n, chunk.points), unknowns.reshape(chunk.unknowns, chunk.points)
        return Interval(time[: chunk.used], x[:, : chunk.used].T, unknowns[:, : chunk.used].T)

    def lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """All complete lines of the index with the bytes where they begin. Raises ValueError where one was changed."""
        for at, line, _ in self._linked_lines():
            yield at, _content(line)

    def _linked_lines(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Lines, where they begin, and their checksums."""
        chain = self._first_link()
        for at, line in self._raw_lines():
            content, _, checksum = line[:-1].rpartition(SEPARATOR)
            chain = _link(chain, content)
            if checksum != chain:
                raise ValueError(f"another checksum of the line at byte {at} of {INDEX}")
            yield at, line, chain

    def _raw_lines(self) -> Iterator[tuple[int, bytes]]:
        at = 0
        with (self.folder / INDEX).open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    return  # the process was killed here
                yield at, line
                at += len(line)

    def shared(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The same names, once in memory."""
        return self._names.setdefault(names, names)

    def layouts(self, line: int, names: Mapping[str, tuple[str, ...]]) -> dict[str, SegmentLayout]:
        """What is left of the components' layouts of the segment at this line: names; signals if the components are known."""
        if line in self._layouts:
            return self._layouts[line]
        components, about = self.components or {}, {}
        if components:
            about = self._lines_at((line,))[0]["components"]
        described = {path: about[path] for path in names if about.get(path) is not None}
        signals = {path: self._stored_signals(path, given) for path, given in described.items()}
        layouts = {path: SegmentLayout(own, np.zeros(len(own)), signals=signals.get(path, {})) for path, own in names.items()}
        self._layouts[line] = layouts
        if len(self._layouts) > _LAYOUTS:
            del self._layouts[next(iter(self._layouts))]
        return layouts

    def histories(self, lines: tuple[int, ...]) -> list[Mapping[str, Any]]:
        """Entries of `Trajectory.history` by component, of each of these lines; those asked for last are kept in memory."""
        if self._histories[0] != lines:
            self._histories = lines, [content["history"][1] for content in self._lines_at(lines)]
        return self._histories[1]

    def _lines_at(self, places: tuple[int, ...]) -> list[dict[str, Any]]:
        """What stands in the lines that begin at these bytes."""
        found = []
        with (self.folder / INDEX).open("rb") as file:
            for place in places:
                file.seek(place)
                found.append(_content(file.readline()))
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


def open_store(folder: Path, components: Mapping[str, Any] | None) -> tuple[Store, dict[str, Any]]:
    """The store in a folder, and what `Store.create` wrote of the model. Raises ValueError or Damaged where it is no store."""
    header = json.loads((folder / HEADER).read_bytes())
    _HEADER(header, HEADER)
    return Store(folder, SignalTable.from_data(header["table"]), components), header


def _link(before: bytes, content: bytes) -> bytes:
    """Checksum of a content and of all before it."""
    return hashlib.sha256(before + b"\n" + content).hexdigest()[:16].encode()


def _content(line: bytes) -> dict[str, Any]:
    """Raises what `unpacked_text` raises, or ValueError where it is no mapping."""
    content = unpacked_text(line[:-1].rpartition(SEPARATOR)[0].decode())
    if not isinstance(content, dict) or len(content) not in (1, 3):
        raise ValueError(f"a line that is a {type(content).__name__}")
    return content
