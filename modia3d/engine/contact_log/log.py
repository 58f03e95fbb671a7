"""The table of contacts of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .notes import END_IMPULSE, END_LARGEST, NOTE_COLUMNS

Pair = tuple[str, str]
"""Names of the frames of two solids."""


class ContactLog:
    """Log of contacts: when pairs of solids touched, how strongly, and with what impulse.

    The engine calls `begin_segment` where a segment begins, with the array that its kernels fill (`kernel.note_force` for the
    first near pair of each two solids, with the sum of all, wherever event indicators are evaluated), `arrive` at each event
    before anything else, then `strike` and `settle` for what happens there. So the figures follow from the steps of the
    integrator, not from the output points.

    Args:
        full: makes the full path of a name.
    """

    def __init__(self, full: Callable[[str], str] = str) -> None:
        self._full = full
        self._over: list[dict[str, Any]] = []
        self._open: dict[Pair, float] = {}
        self._pairs: tuple[Pair, ...] = ()
        self._places: dict[Pair, list[int]] = {}
        self._first: dict[Pair, int] = {}
        self._loose: dict[Pair, np.ndarray] = {}
        self._notes = np.zeros((0, NOTE_COLUMNS))
        self._touching = np.zeros(0, dtype=bool)  # as it was settled last

    def begin_segment(self, pairs: Sequence[Pair], notes: np.ndarray, time: float) -> None:
        """Begin a segment at ``time`` [s]; what touches goes on.

        The contact of two solids that are not near each other any more ends, e.g. because one of them was deleted.

        Args:
            pairs: the solids of each near pair of shapes.
            notes: zeros, shape (n_pairs, NOTE_COLUMNS), see `notes`.
        """
        self.arrive(time)
        before = {pair: self._notes[k].copy() for pair, k in self._first.items()} | self._loose
        self._pairs, self._loose, self._notes, self._touching = tuple(pairs), {}, notes, np.zeros(0, dtype=bool)
        self._places = {}
        for k, pair in enumerate(pairs):
            self._places.setdefault(pair, []).append(k)
        self._first = {pair: places[0] for pair, places in self._places.items()}
        for pair in list(self._open):
            if pair in self._first:
                notes[self._first[pair]] = before[pair]
            else:
                self._close(pair, time, before[pair])

    def arrive(self, time: float) -> None:
        """Take note of an event at ``time`` [s]: what was noted behind it never happened."""
        if self._open:
            _end_notes(self._notes, time)

    def settle(self, touching: np.ndarray, time: float) -> None:
        """Begin and end contacts at an event: ``touching`` says of each near pair whether it does now."""
        changed = np.flatnonzero(touching != self._touching) if touching.size == self._touching.size else range(touching.size)
        self._touching = touching
        for pair in dict.fromkeys(self._pairs[k] for k in changed):
            touches = touching[self._places[pair]].any()
            if not touches and pair in self._open:
                self._close(pair, time, self._notes[self._first[pair]])
            elif touches and pair not in self._open:
                self._open[pair] = time
                row = self._notes[self._first[pair] :][:1]
                row[:] = 0.0
                _end_notes(row, time)

    def strike(self, pair: Pair, impulse: float, time: float) -> None:
        """Note an impact of a near pair with a normal impulse [N.s], at an event. What did not touch before has touched
        then.
        """
        row = np.zeros((1, NOTE_COLUMNS))
        if pair in self._open:
            row = self._notes[self._first[pair] :][:1]
        row[:, END_IMPULSE] += impulse
        if pair in self._open:
            _end_notes(row, time)
        else:
            self._over.append(self._row(pair, time, time, row[0]))

    def _close(self, pair: Pair, time: float, notes: np.ndarray) -> None:
        self._over.append(self._row(pair, self._open.pop(pair), time, notes))

    def _row(self, pair: Pair, begin: float, end: float | None, notes: np.ndarray) -> dict[str, Any]:
        names = [self._full(name) for name in pair]
        figures = {"largest_force": float(notes[END_LARGEST]), "impulse": float(notes[END_IMPULSE])}
        return {"pair": names, "begin": begin, "end": end, **figures}

    def table(self, time: float) -> list[dict[str, Any]]:
        """Return all contacts in the order in which they began.

        ``pair`` (two names), ``begin`` and ``end`` [s] (None: they touched when the simulation ended), ``largest_force`` [N]
        and ``impulse`` [N.s]: of the normal force; an impact of rigid solids adds its impulse, and nothing to the force.

        Args:
            time: when the simulation ended [s].
        """
        notes = self._notes.copy()
        _end_notes(notes, time)
        now = {pair: notes[k] for pair, k in self._first.items()} | self._loose
        lasting = [self._row(pair, begin, None, now[pair]) for pair, begin in self._open.items()]
        return sorted([*self._over, *lasting], key=lambda row: row["begin"])

    def data(self) -> Callable[[], dict[str, Any]]:
        """Return a function that gives the state of the log after an event, as plain data for `restore`."""
        over, n_over, begun, first, notes = self._over, len(self._over), self._open.copy(), self._first, self._notes.copy()
        return lambda: {
            "over": over[:n_over],
            "touching": [[*pair, begin, notes[first[pair]]] for pair, begin in begun.items()],
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore the data of `data`, before the first segment. Raises KeyError, TypeError, ValueError if they are wrong."""
        self._over = [_checked(row) for row in data["over"]]
        self._open, self._loose = {}, {}
        for first, second, begin, notes in data["touching"]:
            pair = str(first), str(second)
            self._open[pair] = float(begin)
            self._loose[pair] = np.array(notes, dtype=float).reshape(NOTE_COLUMNS)


def _end_notes(notes: np.ndarray, time: float) -> None:
    from .kernel import end_notes

    end_notes(notes, time)


def _checked(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the table that comes from a file."""
    first, second = row["pair"]
    numbers = {name: float(row[name]) for name in ("begin", "end", "largest_force", "impulse")}
    if not all(map(math.isfinite, numbers.values())):
        raise ValueError("a contact with numbers that are not finite")
    return {"pair": [str(first), str(second)], **numbers}
