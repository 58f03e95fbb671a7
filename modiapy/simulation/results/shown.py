"""Text and HTML of a result for the prompt and notebooks: how it ended, and its segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Protocol

from .segment_result import SegmentRecord

MOST = 30
"""So many segments are shown, the last ones."""

_TITLES = ("segment", "begins [s]", "states", "events", "cause")


class Shown(Protocol):
    """Protocol of a `Result` that is shown."""

    @property
    def segments(self) -> Sequence[SegmentRecord]: ...

    @property
    def statistics(self) -> Mapping[str, object]: ...


def text(result: Shown) -> str:
    """Return the result in a line, and the table of segments."""
    rows = [_TITLES, *_rows(result)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join([*(cell.rjust(n) for cell, n in zip(row[:-1], widths, strict=False)), row[-1]]) for row in rows]
    return "\n".join([repr(result), *lines, *_left_out(result)])


def html(result: Shown) -> str:
    """Return the same for notebooks."""
    head = "".join(f"<th>{escape(title)}</th>" for title in _TITLES)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in _rows(result))
    more = "".join(f"<p>{escape(line)}</p>" for line in _left_out(result))
    return f"<p>{escape(repr(result).strip('<>'))}</p><table><tr>{head}</tr>{body}</table>{more}"


def _rows(result: Shown) -> list[tuple[str, ...]]:
    return [
        (str(r.index), f"{r.start:.6g}", str(r.states_invariant + r.states_variant), str(r.events), r.cause)
        for r in result.segments[-MOST:]
    ]


def _left_out(result: Shown) -> list[str]:
    before = len(result.segments) - MOST
    return [f"... and {before} segments before"] if before > 0 else []
