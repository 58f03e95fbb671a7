"""Places where models are written: file and line of the call ``Model(...)`` that brought an equation or another entry."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

FilePlace = tuple[str, int]
"""File and line (counts from 1)."""


class KnownPlace(NamedTuple):
    """A place that needs no search: what was read from a file stands in this line."""

    file: str
    line: int


Places = Mapping[str, FilePlace]
"""By the text of an equation or of a connection; "" is the model itself."""

_recording = ContextVar("recording", default=True)
_PACKAGES = tuple(str(Path(__file__).parents[2] / name) for name in ("modiapy/model", "modia3d"))
_SEARCHED = 400


@contextmanager
def without_places() -> Iterator[None]:
    """Record nothing: the models are made from something else than Python, whose reader knows the places itself."""
    before = _recording.set(False)
    try:
        yield
    finally:
        _recording.reset(before)


def record(entries: Mapping[str, Any]) -> Places:
    """Return the places of a model that is being made: those of the nearest caller outside of these packages."""
    if not _recording.get():
        return {}
    frame = sys._getframe(2)
    while frame.f_code.co_filename.startswith(_PACKAGES):
        if frame.f_back is None:
            return {}
        frame = frame.f_back
    place = frame.f_code.co_filename, frame.f_lineno
    places = {"": place}
    for key in ("equations", "initial_equations", "connect"):
        given = entries.get(key)
        if isinstance(given, list | tuple):
            places |= {connection_text(e) if key == "connect" else str(e): place for e in given}
    return places


def connection_text(entry: Any) -> str:
    """Return how a connection is written in messages."""
    parts = entry if isinstance(entry, list | tuple) else [entry]
    return f"connect({', '.join(map(str, parts))})"


def exact(place: FilePlace, texts: list[str]) -> FilePlace:
    """Return the line, at a place or below it, where one of the ``texts`` stands; the place itself if none is found.

    Where a call of several lines begins, and its end, depend on the version of Python, so that a few lines above count, too.
    Of code without a file (``python -c``) there are no lines.
    """
    if isinstance(place, KnownPlace):
        return place
    file, line = place
    lines = linecache.getlines(file)
    above = range(min(line - 1, len(lines)) - 1, max(line - 5, -1), -1)
    for text in filter(None, texts):
        for k in (*range(line - 1, min(line + _SEARCHED, len(lines))), *above):
            if text in lines[k]:
                return file, k + 1
    return place
