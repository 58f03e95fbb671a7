"""Progress of a command on a terminal: what is translated and compiled, and how far a simulation is.

In a pipe nothing is written. Drawn by rich on stderr, and gone when the command goes on to its output.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress

_EVERY = 0.1
"""[s] of wall-clock time between two looks at the segment."""


class Bar:
    """Progress that nobody looks at: nothing is told. `TerminalBar` tells it."""

    shows = False
    """Whether `reached` is to be called while a simulation runs."""

    def step(self, text: str) -> None:
        """Begin something that takes time."""

    def begin(self, simulation: Any, start: float, stop: float) -> None:
        """Begin a simulation that goes from ``start`` to ``stop`` [s]."""

    def reached(self, now: float) -> None:
        """Show that a simulation has come to ``now`` [s]."""


class TerminalBar(Bar):
    """Progress bar in a terminal.

    Args:
        progress: of rich, that shows the fields ``said``, ``speed`` and ``segment``.
    """

    shows = True

    def __init__(self, progress: Progress) -> None:
        self._progress, self._looked = progress, 0.0
        self._task = progress.add_task("", total=None, said="", speed="", segment="")
        self._simulation: Any = None
        self._start = self._stop = self._began = 0.0

    def step(self, text: str) -> None:
        """See `Bar`."""
        self._progress.update(self._task, said=text)

    def begin(self, simulation: Any, start: float, stop: float) -> None:
        """See `Bar`."""
        self._simulation, self._start, self._stop, self._began = simulation, start, stop, time.perf_counter()
        said = f"{start:g} s of {stop:g} s"
        self._progress.reset(self._task, total=max(stop - start, 0.0), said=said, speed="", segment="")

    def reached(self, now: float) -> None:
        """See `Bar`. Speed is that since the beginning, in seconds of simulated time per second."""
        clock = time.perf_counter()
        if clock - self._looked < _EVERY and now < self._stop:
            return
        self._looked = clock
        passed = clock - self._began
        result = self._simulation.last.result
        record = result.segments[-1] if result is not None and result.segments else None
        self._progress.update(
            self._task,
            completed=now - self._start,
            said=f"{now:.4g} s of {self._stop:g} s",
            speed=f"{(now - self._start) / passed:.3g} s/s" if passed > 0.0 else "",
            segment="" if record is None else f"segment {record.index}: {record.cause}",
        )


def both(first: Callable[[float], None] | None, second: Callable[[float], None] | None) -> Callable[[float], None] | None:
    """Return a function that calls both, where there are two."""
    if first is None or second is None:
        return first or second

    def call(now: float) -> None:
        first(now)
        second(now)

    return call


@contextmanager
def progress_bar() -> Iterator[Bar]:
    """Show the bar within the block: on a terminal, else one that is silent."""
    if not sys.stderr.isatty():
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, Task, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.table import Column

    from modiapy.acausal.disk.compile_notice import listening

    class Cause(TextColumn):
        """The segment, as much of it as there is room for."""

        def render(self, task: Task) -> Any:
            from rich.text import Text

            return Text(task.fields["segment"], overflow="ellipsis", no_wrap=True)

    columns = [
        SpinnerColumn(),
        TextColumn("{task.fields[said]}", markup=False),
        BarColumn(bar_width=20),
        TaskProgressColumn(show_speed=False),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(compact=True),
        Cause("", table_column=Column(ratio=1, no_wrap=True)),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True, expand=True) as progress:
        bar = TerminalBar(progress)
        with listening(lambda name: bar.step(f"numba compiles {name}, once: it is kept")):
            yield bar
