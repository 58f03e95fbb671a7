"""Files of compiled code: a magic word, a checksum and the data.

A file is written under a temporary name and renamed, so that several processes may use a folder at once. A damaged file counts
as missing, so does one that others may write (see `cache_folder`); a folder that cannot be written is not used.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from .cache_folder import is_own, is_trusted, make_private
from .whole_file import written_whole

_MAGIC = b"modia-object-1\n"


def read_checked(path: Path) -> bytes | None:
    """Return the data of a file; None where there is none, not what was written, or one that others may write."""
    try:
        if not is_trusted(path.parent):
            return None
        with path.open("rb") as file:
            if not is_own(os.fstat(file.fileno())):
                return None
            content = file.read()
    except OSError:
        return None
    head = len(_MAGIC) + 32
    data = content[head:]
    intact = content.startswith(_MAGIC) and hashlib.sha256(data).digest() == content[len(_MAGIC) : head]
    return data if intact else None


def write_checked(path: Path, data: bytes) -> None:
    """Write a file, with its folder; nothing where that cannot be done."""
    with contextlib.suppress(OSError):
        if not is_trusted(path.parent):
            return
        make_private(path.parent)
        path.unlink(missing_ok=True)  # its permissions are not those of a new one
        with written_whole(path, 0o600, durable=False) as file:
            file.write(_MAGIC + hashlib.sha256(data).digest() + data)
