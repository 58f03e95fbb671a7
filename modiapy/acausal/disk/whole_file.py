"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO


@contextmanager
def written_whole(file: str | PathLike[str], mode: int = 0o666, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Open a stream whose content becomes the file when the block ends; after an exception the file is as it was.

    Who reads the file meanwhile sees the old one or the new one, never a part. A link is followed, the permissions of a file
    that is replaced stay. What is no file (a pipe, a device) is written as it is.

    Args:
        file: the path.
        mode: permissions of a new file, less the user's umask.
        durable: it is on the disk when the block ends, so that a failing computer does not lose it.

    Raises:
        OSError: the file cannot be written.
    """
    target = Path(os.path.realpath(file))
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            yield stream
        return
    temporary = target.with_name(f".{os.urandom(8).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def check_writable(file: str | PathLike[str]) -> None:
    """Try whether `written_whole` can write the file, without touching what is there. Raises OSError."""
    target = Path(os.path.realpath(file))
    if target.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(target))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied", str(target))
    if not target.exists() or target.is_file():
        temporary = target.with_name(f".{os.urandom(8).hex()}.tmp")
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        temporary.unlink()
