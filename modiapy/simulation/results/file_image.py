"""View of a file for HDF5 as if the file was closed properly, with its true length.

The first bytes of a file that is being written, or was until its process was killed, say so, and contain a wrong length. HDF5
reads such a file in a mode (SWMR) in which it waits for data that does not fit its checksum, each time twice as long as before,
a hundred times. If the end of the file is missing, it waits for ever, and no signal reaches it. Therefore it gets these first
bytes as a closed file has them. It then reads all data once, and data behind the end, or data that does not fit, is an error.
"""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path

SIGNATURE = b"\x89HDF\r\n\x1a\n"
_SUPERBLOCK = struct.Struct("<8sBBBBQQQQ")
"""Signature, version, size of offsets and of lengths, flags, base, extension, end of the file, root; then its checksum."""
_VERSIONS = (2, 3)
_OFFSETS, _FLAGS = 8, 11


class FileImage(io.RawIOBase):
    """The bytes of a file that is only read, for ``h5py.File``.

    Args:
        path: of the file.

    Attributes:
        size: its length [bytes], now.
        is_written: whether it says that it is written.
        end: where it says that it ends; a file that is written says nothing of importance there.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self._place = 0
        self.size = os.fstat(self._file.fileno()).st_size
        head = self._read(0, _SUPERBLOCK.size + 4)
        self._head = _closed(head, self.size)
        self.is_written = bool(self._head) and head[_FLAGS] != 0
        self.end = _SUPERBLOCK.unpack(head[: _SUPERBLOCK.size])[7] if self._head else 0

    def close(self) -> None:
        """Close the file of the image."""
        self._file.close()
        super().close()

    def readable(self) -> bool:
        """See `io.RawIOBase`."""
        return True

    def seekable(self) -> bool:
        """See `io.RawIOBase`."""
        return True

    def tell(self) -> int:
        """See `io.RawIOBase`."""
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """See `io.RawIOBase`."""
        self._place = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self.size}[whence]
        return self._place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with the bytes at the present position. Raises OSError if the file has fewer."""
        view, first = memoryview(buffer).cast("B"), self._place
        content = self._read(first, len(view))
        if len(content) < len(view):
            raise OSError(f"the file is cut off: it ends at byte {self.size}, and {len(view)} bytes at {first} are wanted")
        view[:] = content
        if first < len(self._head):
            end = min(len(self._head) - first, len(view))
            view[:end] = self._head[first : first + end]
        self._place += len(view)
        return len(view)

    def _read(self, first: int, size: int) -> bytes:
        """Read so many bytes, or fewer at the end. Where the system permits, a copy of this process may read as well."""
        parts = []
        while size:
            if hasattr(os, "pread"):
                part = os.pread(self._file.fileno(), size, first)
            else:
                self._file.seek(first)
                part = self._file.read(size)
            if not part:
                break
            parts.append(part)
            first, size = first + len(part), size - len(part)
        return b"".join(parts)


def _closed(head: bytes, size: int) -> bytes:
    """Return the first bytes of a file of this size, as if it had been closed; None if they are damaged or of another kind."""
    n = _SUPERBLOCK.size
    if len(head) < n + 4 or checksum(head[:n]) != int.from_bytes(head[n:], "little"):
        return b""
    signature, version, offsets, lengths, _, base, extension, _, root = _SUPERBLOCK.unpack(head[:n])
    if signature != SIGNATURE or version not in _VERSIONS or (offsets, lengths) != (_OFFSETS, _OFFSETS):
        return b""
    made = _SUPERBLOCK.pack(signature, version, offsets, lengths, 0, base, extension, size, root)
    return made + checksum(made).to_bytes(4, "little")


def checksum(content: bytes) -> int:
    """Return the checksum of metadata in HDF5 files: ``hashlittle`` of Bob Jenkins' lookup3.c (2006), 32 bits."""

    def turned(value: int, by: int) -> int:
        return (value << by | value >> (32 - by)) & 0xFFFFFFFF

    a = b = c = (0xDEADBEEF + len(content)) & 0xFFFFFFFF
    blocks = [content[k : k + 12] for k in range(0, len(content), 12)]
    for number, block in enumerate(blocks):
        x, y, z = struct.unpack("<3I", block.ljust(12, b"\0"))
        a, b, c = (a + x) & 0xFFFFFFFF, (b + y) & 0xFFFFFFFF, (c + z) & 0xFFFFFFFF
        if number < len(blocks) - 1:
            for by in (4, 6, 8, 16, 19, 4):
                a = ((a - c) & 0xFFFFFFFF) ^ turned(c, by)
                c = (c + b) & 0xFFFFFFFF
                a, b, c = b, c, a
        else:
            for by in (14, 11, 25, 16, 4, 14, 24):
                c = ((c ^ b) - turned(b, by)) & 0xFFFFFFFF
                a, b, c = b, c, a
    return (a, b, c)[1] if blocks else c
