"""Flat models on disk, by what they were made of."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...acausal.disk.cache_folder import cache_dir
from ...acausal.disk.checked_file import read_checked, write_checked


def folder() -> Path:
    """Return the folder of the answers that the front end keeps."""
    return cache_dir() / "modelica"


def key_of(parts: Iterable[bytes]) -> str:
    """Name of what is made of these parts alone."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def read_trees(key: str) -> Any:
    """Read the trees kept under a name; None if there are none, or they are damaged."""
    data = read_checked(folder() / f"{key}.flat")
    return None if data is None else json.loads(zlib.decompress(data))


def write_trees(key: str, data: bytes) -> None:
    """Keep a flat model, JSON as the compiler wrote it; nothing where that cannot be done."""
    write_checked(folder() / f"{key}.flat", zlib.compress(data, 1))
