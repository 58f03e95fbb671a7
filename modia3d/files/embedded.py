"""Files that a scenario names, inside a result file, and a scenario with its files that is read from there."""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from modiapy.model.errors import ModiaError

LARGEST = 1 << 26
"""Bytes of all files together that a result file takes; larger ones are left out."""


def embedded(files: Iterable[str | os.PathLike[str]]) -> dict[str, str]:
    """Return the contents of files by their real paths, compressed and as texts; what is too large, or cannot be read, is left
    out.
    """
    found, room = {}, LARGEST
    for file in dict.fromkeys(os.path.realpath(file) for file in files):
        try:
            size = os.path.getsize(file)
            content = Path(file).read_bytes() if size <= room else None
        except OSError:
            continue
        if content is not None:
            room -= len(content)
            found[file] = base64.b64encode(zlib.compress(content, 6)).decode()
    return found


def is_unchanged(origin: Mapping[str, Any]) -> bool:
    """Return whether the scenario of a result, and what it includes, are where they were, with the same texts."""
    texts = {origin.get("file"): origin.get("scenario"), **origin.get("included", {})}
    try:
        return all(os.path.getsize(file) <= LARGEST and Path(file).read_text() == text for file, text in texts.items())
    except (OSError, TypeError, ValueError):
        return False


@contextmanager
def restored(origin: Mapping[str, Any]) -> Iterator[tuple[Path, Path]]:
    """Restore a scenario, and the folder of all files that it needs, from a result file, as long as the block lasts.

    They are written to a new folder, at the places that they had to one another; nothing is written outside of it.

    Args:
        origin: of the result, see `Scenario.origin`.

    Raises:
        ModiaError: the result file has no scenario, or something else in its place.
    """
    if "scenario" not in origin or "file" not in origin:
        raise ModiaError(
            "the result file has no scenario",
            found="the result of a model that was made in Python",
            expected="one of a scenario: modia3d run SCENARIO --output FILE",
            remedy="In Python: read_result(file, sim), where sim is the model, has all signals and can be shown.",
        )
    try:
        texts = {origin["file"]: origin["scenario"], **origin.get("included", {})}
        contents = {os.path.abspath(os.path.realpath(name)): text.encode() for name, text in texts.items()}
        room = LARGEST
        for name, packed in origin.get("files", {}).items():
            content = _unpacked(packed, room)
            contents.setdefault(os.path.abspath(name), content)
            room -= len(content)
        main = os.path.abspath(os.path.realpath(origin["file"]))
        if not origin["scenario"]:
            raise ValueError("no text")
    except (KeyError, TypeError, ValueError, AttributeError, zlib.error) as error:
        raise ModiaError("the result file has no scenario that can be read", found=f"{type(error).__name__}: {error}") from None
    above = os.path.commonpath([os.path.dirname(name) for name in contents])
    with TemporaryDirectory(prefix="modia3d-") as folder:
        for name, content in contents.items():
            place = Path(folder, os.path.relpath(name, above))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        yield Path(folder, os.path.relpath(main, above)), Path(folder)


def _unpacked(packed: str, room: int) -> bytes:
    """Raise ValueError or zlib.error where it is something else, or has more bytes than there is room for."""
    machine = zlib.decompressobj()
    content = machine.decompress(base64.b64decode(packed, validate=True), room + 1)
    if len(content) > room or not machine.eof:
        raise ValueError("files that are too large, or cut off")
    return content
