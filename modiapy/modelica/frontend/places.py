"""Places in Modelica source: spans of the compiler become files, lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any

from .rewrites.outer_members import as_written

_OFFSET, _PRIME, _WORD = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1

_FAR = 200
"""So many spaces are looked beyond."""


def source_number(name: str) -> int:
    """Return the number by which spans name a file: its path as the compiler was given it, hashed by FNV-1a (64 bits)."""
    value = _OFFSET
    for byte in name.replace("\\", "/").encode():
        value = (value ^ byte) * _PRIME & _WORD
    return value or 1


@dataclass(frozen=True)
class SourcePlace:
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class SourceText:
    """One file as the compiler read it.

    Attributes:
        file: what a user calls it: the path of the original.
        read: gives the text that the compiler read, byte by byte.
    """

    file: str
    read: Callable[[], bytes]


@dataclass
class SourcePlaces:
    """Places of spans.

    Attributes:
        texts: each file the compiler read, by the number that spans give.
    """

    texts: Mapping[int, SourceText]
    _lines: dict[int, tuple[bytes, list[int]]] = field(default_factory=dict, repr=False)

    def with_texts(self, contents: Mapping[int, bytes]) -> SourcePlaces:
        """Return the places in the same files, of which some had other contents when the compiler read them."""
        changed = {number: SourceText(self.texts[number].file, partial(bytes, text)) for number, text in contents.items()}
        return SourcePlaces({**self.texts, **changed})

    def of(self, span: Mapping[str, Any] | None) -> SourcePlace | None:
        """Return the place where a span begins; None where nothing was written (the compiler made it)."""
        if span is None or span.get("source") not in self.texts:
            return None
        text, starts = self._read(span["source"])
        line = bisect_right(starts, span["start"])
        column = len(text[starts[line - 1] : span["start"]].decode(errors="replace")) + 1
        return SourcePlace(self.texts[span["source"]].file, line, column)

    def quoted(self, span: Mapping[str, Any] | None) -> str:
        """Return the source text of a span, on one line; "" if there is none."""
        if span is None or span.get("source") not in self.texts:
            return ""
        written = self._read(span["source"])[0][span["start"] : span["end"]].decode(errors="replace")
        return " ".join(as_written(written).split())

    def following(self, span: Mapping[str, Any]) -> str:
        """Return the first character behind it that is no space."""
        if span.get("source") not in self.texts:
            return ""
        behind = self._read(span["source"])[0][span["end"] : span["end"] + _FAR]
        return behind.decode(errors="replace").lstrip()[:1]

    def _read(self, number: int) -> tuple[bytes, list[int]]:
        if number not in self._lines:
            text = self.texts[number].read()
            lengths = [len(line) for line in text.split(b"\n")]
            self._lines[number] = text, [0, *accumulate(length + 1 for length in lengths[:-1])]
        return self._lines[number]
