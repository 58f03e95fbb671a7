"""Task of Dask's workers in a study: passing runs to supervised processes."""

from __future__ import annotations

import pickle
import signal
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from distributed import WorkerPlugin, get_worker

from .execution import Job, Row, Task
from .guard import Guard
from .study import Limits


class Done(NamedTuple):
    """Outcome of a task: rows of the runs that were carried out, translations since the last one."""

    rows: list[Row]
    translations: int


class Runs(WorkerPlugin):
    """Supervised processes of a worker: one for each of its threads that carries out runs.

    Args:
        name: of the study, for `carry_out`.
        job: pickled.
        limits: of each run.
    """

    def __init__(self, name: str, job: bytes, limits: Limits) -> None:
        self.name, self._packed, self._limits = name, job, limits

    def setup(self, worker: Any) -> None:
        """Begin when the worker, or the study, begins."""
        self._job: Job = pickle.loads(self._packed)
        self._idle: list[Guard] = []
        self._all: list[Guard] = []
        self._lock = threading.Lock()

    def teardown(self, worker: Any) -> None:
        """End when the worker, or the study, ends."""
        with self._lock:
            for guard in self._all:
                guard.close()

    def carry_out(self, tasks: Sequence[Task], slice_s: float) -> Done:
        """Carry out runs in a free process, see `Guard.carry_out`."""
        with self._lock:
            if not self._idle:
                self._idle.append(Guard(self._job, self._packed, self._limits))
                self._all.append(self._idle[0])
            guard = self._idle.pop()
        before = guard.translations
        try:
            rows = guard.carry_out(tasks, slice_s)
            return Done(rows, guard.translations - before)
        finally:
            with self._lock:
                self._idle.append(guard)


def dask_setup(worker: Any) -> None:
    """Set up a worker of this machine: it ignores Ctrl-C on the terminal, because the study ends its workers then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def carry_out(name: str, tasks: Sequence[Task], slice_s: float) -> Done:
    """Carry out runs of the study of this name: a task of Dask."""
    plugin = get_worker().plugins[name]
    assert isinstance(plugin, Runs)
    return plugin.carry_out(tasks, slice_s)
