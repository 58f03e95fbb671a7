"""Result files: HDF5 that is written while a simulation runs, and can be opened whatever ends it.

A file has datasets that grow by rows, one row for each point in time: ``time`` (n,), ``segment`` (n,; its number), ``states``
(n, states of the equations), ``unknowns`` (n, computed variables). ``components`` is one row of numbers, because their number
changes from segment to segment: of each point the states of components, then 12 numbers for the pose of each moving body.
``header`` is a text (JSON, UTF-8) that says what the columns are. ``journal`` is a text to which lines are appended: segments,
what components remember, and, after the rows that it speaks of, a block with their checksums.

It is written as HDF5 prescribes for a single writer with many readers (SWMR): rows and what leads to them reach the file before
whoever refers to them. So a killed process leaves a file with all rows up to its last complete block, and other processes may
read meanwhile. Where the disk is full nothing is begun that cannot be ended.
"""

from __future__ import annotations

import atexit
import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakSet, WeakValueDictionary

import numpy as np

from .file_image import FileImage

TABLES = ("time", "states", "unknowns")
"""Datasets with a row for each point."""
FLAT = "components"
ROWS = (*TABLES, FLAT)
"""Datasets of which blocks have checksums."""

HEADER, JOURNAL, SEGMENT = "header", "journal", "segment"
_KINDS = {HEADER: "u1", JOURNAL: "u1", SEGMENT: "i4"}
_CHUNK = 1 << 16
"""Bytes that a text, or the row of numbers of components, grows by."""
_TABLE_CHUNK = 1 << 18
"""The same of a table, unless it will be smaller: the fewer chunks, the faster they are written."""
_MARGIN = 1 << 19
"""Room [bytes] on the disk beyond what is to be written: of HDF5 itself, and of the last lines."""
_CLOSING = 1 << 16
"""The same for the last lines."""
LARGEST_TEXT = 1 << 31
_PAUSES = (0.01, 0.03, 0.1)
"""[s] after which what could not be read of a file that is written is read again."""

_present: WeakValueDictionary[str, ResultWriter] = WeakValueDictionary()
"""Files that this process writes; HDF5 does not open a file twice in one process in two ways."""
_reading: WeakSet[ResultReader] = WeakSet()
"""Files that it reads."""


@atexit.register
def _close_all() -> None:
    """Close all files before Python ends: HDF5 closes what is open then, and `FileImage` can do nothing any more."""
    for reader in list(_reading):
        reader.close()


class ResultWriter:
    """A result file that is written.

    Args:
        path: of the file; what is there is replaced.
        header: its text.
        columns: number of columns of each of `TABLES`.
        points: how many rows there may be, roughly.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, header: bytes, columns: Mapping[str, int], points: int) -> None:
        if path.exists() and not path.is_file():
            raise OSError(errno.EINVAL, "not a file")
        if not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}")
        self.path = path
        self._check_room(len(header) + _CHUNK * (len(ROWS) + 2), _MARGIN)
        path.unlink(missing_ok=True)  # who reads the earlier result keeps it
        with _written():
            self.file = _h5py().File(path, "w", libver=("v110", "v110"), locking="best-effort")
            for name, (shape, most, chunks) in _shapes(columns, max(points, 16)).items():
                self.file.create_dataset(name, shape, _KINDS.get(name, "f8"), maxshape=most, chunks=chunks)
            self.file.create_dataset(HEADER, data=np.frombuffer(header, np.uint8))
            self.file.swmr_mode = True
            self._growing = _growing(self.file)
        _present[os.path.realpath(path)] = self

    def reopen(self, path: Path) -> None:
        """Go on under another name, by which the file replaces what was there. Raises OSError."""
        with _written():
            self._growing = {}
            self.file.close()
        self.path.replace(path)
        with _written():
            self.path, self.file = path, _h5py().File(path, "r+", libver=("v110", "v110"), locking="best-effort")
            self.file.swmr_mode = True
            self._growing = _growing(self.file)
        _present[os.path.realpath(path)] = self

    def append(self, rows: Mapping[str, Sequence[np.ndarray]], lines: bytes, *, last: bool = False) -> None:
        """Add rows, then lines of the journal.

        Args:
            rows: by the name of the dataset, in pieces.
            lines: complete ones.
            last: these are the last ones.

        Raises:
            OSError: they cannot be written; the file holds what it held before.
        """
        chunks = sum(2 * self._growing[name].chunk_bytes for name in (*rows, JOURNAL))
        content = sum(array.nbytes for pieces in rows.values() for array in pieces)
        self._check_room(content + len(lines) + chunks, _CLOSING if last else _MARGIN)
        try:
            with _written():
                for name, pieces in rows.items():
                    self._growing[name].extend(pieces)
                self._growing[JOURNAL].extend([np.frombuffer(lines, np.uint8)])
        except OSError:
            self._let_go()
            raise

    def close(self) -> None:
        """Complete the file. Raises OSError."""
        if self.file:
            try:
                with _written():
                    self._growing = {}
                    self.file.close()
            except OSError:
                self._let_go()
                raise

    def _check_room(self, needed: int, margin: int) -> None:
        """Check that the disk has room: HDF5 does not survive one that becomes full while it writes."""
        free = shutil.disk_usage(self.path.parent).free
        with suppress(ImportError):
            import resource

            limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
            if limit != resource.RLIM_INFINITY:
                free = min(free, limit - (self.path.stat().st_size if self.path.exists() else 0))
        if free < needed + margin:
            raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: {free} bytes are free")

    def _let_go(self) -> None:
        """Discard what HDF5 still wants to write after an error: the file stays as it is."""
        with suppress(Exception):
            with tempfile.TemporaryFile() as nowhere:
                descriptor = os.memfd_create("nowhere") if hasattr(os, "memfd_create") else nowhere.fileno()
                os.dup2(descriptor, self.file.id.get_vfd_handle())
            self._growing = {}
            self.file.close()


def _h5py() -> Any:
    import h5py

    return h5py


class _written:
    """Context in which errors of HDF5 become those of files."""

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, RuntimeError | ValueError | KeyError) and not isinstance(error, OSError):
            raise OSError(errno.EIO, str(error).splitlines()[0]) from None


def _shapes(
    columns: Mapping[str, int], points: int
) -> dict[str, tuple[tuple[int, ...], tuple[int | None, ...], tuple[int, ...]]]:
    """Return the shape, largest shape and chunks of the datasets that grow."""
    row = {"time": (), SEGMENT: (), FLAT: (), JOURNAL: ()} | {name: (columns[name],) for name in TABLES[1:]}
    size = {JOURNAL: 1, SEGMENT: 4}
    most = {name: _TABLE_CHUNK if name in TABLES else _CHUNK for name in row}
    chunk = {name: max(1, most[name] // (size.get(name, 8) * max(1, *given, 1))) for name, given in row.items()}
    chunk |= {name: min(chunk[name], points) for name in (*TABLES, SEGMENT)}
    return {
        name: ((0, *given), (None, *given), (chunk[name], *(max(1, n) for n in given)))
        for name, given in row.items()
        if 0 not in given
    }


def _row_bytes(dataset: Any) -> int:
    return int(np.prod(dataset.shape[1:], dtype=int)) * int(dataset.dtype.itemsize)


class _Growing:
    """A dataset that grows by rows, with what of it does not change: to ask HDF5 takes longer than to write a block."""

    def __init__(self, dataset: Any) -> None:
        self._id, self._rows, self._tail = dataset.id, int(dataset.shape[0]), tuple(dataset.shape[1:])
        self._kind = dataset.dtype
        self.chunk_bytes = int(dataset.chunks[0]) * _row_bytes(dataset)

    def extend(self, pieces: Sequence[np.ndarray]) -> None:
        """Add rows, and let them reach the file."""
        added = sum(len(piece) for piece in pieces)
        if not added:
            return
        h5s = _h5py().h5s
        self._id.set_extent((self._rows + added, *self._tail))
        place = self._id.get_space()
        for piece in pieces:
            shape, content = (len(piece), *self._tail), np.ascontiguousarray(piece, dtype=self._kind)
            place.select_hyperslab((self._rows, *(0 for _ in self._tail)), shape)
            self._id.write(h5s.create_simple(shape), place, content)
            self._rows += len(piece)
        self._id.flush()


def _growing(file: Any) -> dict[str, _Growing]:
    """Return the datasets of a file that grow, by name."""
    return {name: _Growing(file[name]) for name in (*ROWS, SEGMENT, JOURNAL) if name in file}


def _opened(image: FileImage) -> Any:
    """Return the file: complete; or still written, or by a process that was killed. Raises ValueError."""
    if image.end > image.size and not image.is_written:
        raise ValueError(f"the file is cut off: {image.size} of {image.end} bytes")
    try:
        return _h5py().File(image, "r", libver="latest")
    except (OSError, RuntimeError, ValueError) as error:
        raise ValueError(f"no HDF5, or cut off at its beginning: {str(error).splitlines()[0]}") from None


class ResultReader:
    """A result file that is read, perhaps while it is written. Nothing in it is executed.

    Args:
        path: of the file.

    Raises:
        OSError: it cannot be opened. ValueError: it is no result file.
    """

    def __init__(self, path: Path) -> None:
        self._image = FileImage(path)
        writer = _present.get(os.path.realpath(path))
        if writer is not None and writer.file and os.path.exists(writer.path):
            self.file = writer.file
        else:
            self.file = self._again(lambda: _opened(self._image))
        _reading.add(self)
        self._datasets: dict[str, Any] = {}
        self._size = self._image.size
        for name in (JOURNAL, HEADER):
            if self._dataset(name).shape[0] > min(LARGEST_TEXT, self._size):
                raise ValueError(f"{name} is longer than the file")

    def close(self) -> None:
        """Close the file, unless it is still written."""
        if not any(writer.file == self.file for writer in _present.values()):
            self.file.close()
        self._image.close()

    def _again(self, read: Callable[[], Any]) -> Any:
        """Call ``read`` and return its result; try again if it fails on a file that is still being written."""
        for pause in _PAUSES if self._image.is_written else ():
            with suppress(ValueError, OSError, RuntimeError, KeyError, TypeError):
                return read()
            time.sleep(pause)
        return read()

    @property
    def header(self) -> bytes:
        """Return the text of the header. Raises ValueError."""
        return self.text(HEADER)

    @property
    def journal(self) -> bytes:
        """All that was added so far. Raises ValueError."""
        return self.text(JOURNAL)

    def columns(self, name: str, expected: int) -> None:
        """Refuse a table that has another number of columns. Raises ValueError."""
        if expected or name in ("time", FLAT):
            given = self._dataset(name)
            if given.ndim == 2 and given.shape[1] != expected:
                raise ValueError(f"{name} with {given.shape[1]} columns instead of {expected}")

    def length(self, name: str) -> int:
        """Return the number of rows of a table."""
        return int(self._dataset(name).shape[0])

    def rows(self, name: str, first: int, last: int) -> np.ndarray:
        """Return the rows of a dataset from the number ``first`` on. Raises ValueError where they cannot be read."""
        try:
            dataset = self._dataset(name)
            return np.asarray(self._again(lambda: dataset[first:last]))
        except (OSError, RuntimeError, ValueError, MemoryError) as error:
            raise ValueError(f"{name} cannot be read, the file is cut off or damaged: {str(error).splitlines()[0]}") from None

    def text(self, name: str, first: int = 0, last: int | None = None) -> bytes:
        """Return the part of `HEADER` or `JOURNAL`. Raises ValueError."""
        return self.rows(name, first, self.length(name) if last is None else last).tobytes()

    def _dataset(self, name: str) -> Any:
        """Return a dataset of its kind that is in this file. Raises ValueError."""
        if name in self._datasets:
            return self._datasets[name]
        h5py, rank = _h5py(), 2 if name in TABLES[1:] else 1
        try:
            link = self._again(lambda: self.file.get(name, getlink=True))
            dataset = self._again(lambda: self.file[name]) if isinstance(link, h5py.HardLink) else None
            if not isinstance(dataset, h5py.Dataset):
                raise ValueError(f"no dataset '{name}'")
            plan = dataset.id.get_create_plist()
            here = plan.get_layout() in (h5py.h5d.CHUNKED, h5py.h5d.CONTIGUOUS) and not plan.get_external_count()
            if dataset.dtype != np.dtype(_KINDS.get(name, "f8")) or dataset.ndim != rank or plan.get_nfilters() or not here:
                raise ValueError(f"'{name}' is something else")
        except (OSError, RuntimeError, KeyError, TypeError) as error:
            raise ValueError(f"'{name}' cannot be read: {str(error).splitlines()[0]}") from None
        self._datasets[name] = dataset
        return dataset

    def fits(self, name: str, rows: int) -> bool:
        """Return whether there may be so many rows of a dataset: it is as long, and the file is as large."""
        if name not in self._datasets:
            return True
        dataset = self._datasets[name]
        return bool(dataset.shape[0] >= rows and rows * _row_bytes(dataset) <= self._size)
