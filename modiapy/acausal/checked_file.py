"""Files of compiled code: a magic word, a checksum and the data.

A file is written under a temporary name and renamed, so that several processes may use a folder at once. A damaged file counts
as missing, and a folder that cannot be written is not used.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

_MAGIC = b"modia-object-1\n"


def read_checked(path: Path) -> bytes | None:
    """The data of a file; None where there is none, or not what was written."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    head = len(_MAGIC) + 32
    data = content[head:]
    intact = content.startswith(_MAGIC) and hashlib.sha256(data).digest() == content[len(_MAGIC) : head]
    return data if intact else None


def write_checked(path: Path, data: bytes) -> None:
    """Write a file, with its folder; nothing where that cannot be done."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(data).digest() + data)
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
