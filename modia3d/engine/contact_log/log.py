"""The table of contacts of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .notes import END_IMPULSE, END_LARGEST, NOTE_COLUMNS, begin_notes, end_notes

Pair = tuple[str, str]
"""Names of the frames of two solids."""


class ContactLog:
    """When pairs of solids touched, how strongly, and with what impulse.

    The engine calls `begin_segment` where a segment begins and gives its kernels the array (`kernel.note_force` for each pair
    that touches, wherever event indicators are evaluated), `arrive` at each event before anything else, then `begin`, `end` and
    `impulse` for what happens there. So the figures follow from the steps of the integrator, not from the output points.

    Args:
        full: makes the full path of a name.

    Attributes:
        notes: of the near pairs of the present segment, shape (n_pairs, NOTE_COLUMNS), see `notes`.
    """

    def __init__(self, full: Callable[[str], str] = str) -> None:
        self._full = full
        self._over: list[dict[str, Any]] = []
        self._open: dict[Pair, float] = {}
        self._pairs: tuple[Pair, ...] = ()
        self._loose: dict[Pair, np.ndarray] = {}
        self.notes = np.zeros((0, NOTE_COLUMNS))

    def begin_segment(self, pairs: Sequence[Pair], time: float) -> np.ndarray:
        """Notes for the near pairs of the segment that begins at ``time`` [s]; what touches goes on.

        The contact of a pair that is not among them ends, e.g. because one of its solids was deleted.
        """
        self.arrive(time)
        before = {pair: row.copy() for pair, row in zip(self._pairs, self.notes, strict=True)} | self._loose
        for pair in [pair for pair in self._open if pair not in set(pairs)]:
            self._close(pair, time, before[pair])
        self._pairs, self._loose = tuple(pairs), {}
        self.notes = np.zeros((len(pairs), NOTE_COLUMNS))
        for row, pair in zip(self.notes, pairs, strict=True):
            if pair in self._open:
                row[:] = before[pair]
        return self.notes

    def arrive(self, time: float) -> None:
        """An event at ``time`` [s]: what was noted behind it never happened."""
        end_notes(self.notes, time)

    def begin(self, i: int, time: float) -> None:
        """Pair ``i`` begins to touch; nothing where it touches already."""
        pair = self._pairs[i]
        if pair not in self._open:
            self._open[pair] = time
            self.notes[i] = 0.0
            begin_notes(self.notes[i : i + 1], time)

    def end(self, i: int, time: float) -> None:
        """Pair ``i`` does not touch any more; nothing where it did not."""
        if self._pairs[i] in self._open:
            self._close(self._pairs[i], time, self.notes[i])

    def impulse(self, i: int, impulse: float) -> None:
        """Add the normal impulse [N.s] of an impact of pair ``i``, which touches: it began at the same time, or before."""
        self.notes[i, END_IMPULSE] += impulse
        begin_notes(self.notes[i : i + 1], self.notes[i, 0])

    def _close(self, pair: Pair, time: float, notes: np.ndarray) -> None:
        self._over.append(self._row(pair, self._open.pop(pair), time, notes))

    def _row(self, pair: Pair, begin: float, end: float | None, notes: np.ndarray) -> dict[str, Any]:
        names = [self._full(name) for name in pair]
        figures = {"largest_force": float(notes[END_LARGEST]), "impulse": float(notes[END_IMPULSE])}
        return {"pair": names, "begin": begin, "end": end, **figures}

    def table(self, time: float) -> list[dict[str, Any]]:
        """All contacts in the order in which they began.

        ``pair`` (two names), ``begin`` and ``end`` [s] (None: they touched when the simulation ended), ``largest_force`` [N]
        and ``impulse`` [N.s]: of the normal force; an impact of rigid solids adds its impulse, and nothing to the force.

        Args:
            time: when the simulation ended [s].
        """
        notes = self.notes.copy()
        end_notes(notes, time)
        now = dict(zip(self._pairs, notes, strict=True)) | self._loose
        lasting = [self._row(pair, begin, None, now[pair]) for pair, begin in self._open.items()]
        return sorted([*self._over, *lasting], key=lambda row: row["begin"])

    def data(self) -> dict[str, Any]:
        """What it knows after an event, as plain data for `restore`."""
        rows = {pair: row for pair, row in zip(self._pairs, self.notes, strict=True) if pair in self._open}
        touching = [[*pair, begin, rows[pair].copy()] for pair, begin in self._open.items()]
        return {"over": [dict(row) for row in self._over], "touching": touching}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take what `data` gave, before the first segment. Raises KeyError, TypeError, ValueError where it is wrong."""
        self._over = [_checked(row) for row in data["over"]]
        self._open, self._loose = {}, {}
        for first, second, begin, notes in data["touching"]:
            pair = str(first), str(second)
            self._open[pair] = float(begin)
            self._loose[pair] = np.array(notes, dtype=float).reshape(NOTE_COLUMNS)


def _checked(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the table that comes from a file."""
    first, second = row["pair"]
    numbers = {name: float(row[name]) for name in ("begin", "end", "largest_force", "impulse")}
    if not all(map(math.isfinite, numbers.values())):
        raise ValueError("a contact with numbers that are not finite")
    return {"pair": [str(first), str(second)], **numbers}
