"""Progress of a study: a line on the terminal with rate, failures and estimated end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from .campaign import Watcher
from .dataset import Dataset, open_study, well
from .execution import Row

_EVERY = 0.5
"""[s] between two lines."""


class Progress(Watcher):
    """Writer of a line that is overwritten, if the stream is a terminal; otherwise it writes nothing.

    Args:
        stream: where it is written.
        clock: wall-clock time [s].
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._shows = stream.isatty()
        self.total = self.before = self.done = self.failed = self.unmet = self.translations = 0
        self._began = self._written = clock()

    def begin(self, total: int, done: int) -> None:
        """See `Watcher`."""
        self.total, self.before, self.done = total, done, done
        self._began = self._clock()
        self._show()

    def came(self, rows: Sequence[Row]) -> None:
        """See `Watcher`."""
        if self.done == self.before:
            self._began = min(self._began, self._clock())
        self.done += len(rows)
        self.failed += sum(row.status == "failed" for row in rows)
        self.unmet += sum(row.status != "failed" and not row.is_well for row in rows)
        if self._clock() - self._written > _EVERY:
            self._show()

    def translated(self, number: int) -> None:
        """See `Watcher`."""
        self.translations += number

    def end(self) -> None:
        """See `Watcher`."""
        self._show()
        if self._shows:
            print(file=self._stream)

    def line(self) -> str:
        """Return the line of progress."""
        seconds = self._clock() - self._began
        rate = (self.done - self.before) / seconds if seconds > 0 else 0.0
        parts = [f"{self.done} of {self.total} runs"]
        parts += [f"{rate:.3g} runs/s"] if rate else []
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.unmet} not as expected"] if self.unmet else []
        parts += [f"about {duration((self.total - self.done) / rate)} left"] if rate and self.done < self.total else []
        return ", ".join(parts)

    def _show(self) -> None:
        self._written = self._clock()
        if self._shows:
            print(f"\r{self.line():<78}", end="", file=self._stream, flush=True)


def duration(seconds: float) -> str:
    """Return a time in words: "1 h 05 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def watch(folder: Path, stream: TextIO, pause: Callable[[float], Any] = time.sleep) -> Dataset:
    """Follow a running study from another terminal, until all its runs have ended; in a pipe, print its progress once.

    Raises:
        ModelError: there is no study.
    """
    dataset = open_study(folder)
    line = Progress(stream)
    first = True
    while True:
        rows = dataset.table(["status", "unmet"]).to_pylist()
        if first:
            line.begin(dataset.runs, len(rows))
            first = False
        line.done = len(rows)
        line.failed = sum(row["status"] == "failed" for row in rows)
        line.unmet = sum(row["status"] != "failed" and not well(row) for row in rows)
        if len(rows) >= dataset.runs or not stream.isatty():
            line.end()
            if not stream.isatty():
                print(line.line(), file=stream)
            return dataset
        line._show()
        pause(1.0)
