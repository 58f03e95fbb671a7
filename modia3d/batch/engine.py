"""Runs by Dask: a local cluster of processes, or an external scheduler. Dask distributes the tasks.

A task of Dask holds as many runs as take about half a second, fewer towards the end, all of one structure. It returns when that
time is over; the remaining runs are sent again. So finished runs are on disk soon, and the scheduler has few messages.
"""

from __future__ import annotations

import itertools
import pickle
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from modiapy.model.errors import ModelError, ModiaError

from .cluster import connected
from .execution import Job, Row, Task
from .study import Limits

if TYPE_CHECKING:
    from distributed import Client, Future

SLICE = 0.5
"""[s] that the runs of one task take."""

WORKERS_PER_SLICE = 50
"""With more workers slices are longer, so that there are not more than 100 tasks per second: docs/scale.md."""

MOST = 500
"""Runs of a task."""

_AHEAD = 2
"""Tasks that a thread of a worker has before it: one that it works on and one that it goes on with."""


def run_by_dask(
    job: Job,
    tasks: Iterable[Task],
    limits: Limits,
    total: int,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    translated: Callable[[int], None] = lambda number: None,
) -> Iterator[Sequence[Row]]:
    """Carry out runs.

    Args:
        job: see `Job`.
        tasks: the runs; those of one structure should follow each other.
        limits: of each run.
        total: number of the runs.
        workers: processes of the local cluster; by default as many as the machine has processors.
        scheduler: address of a scheduler to be used in place of a local cluster.
        translated: called with the number of models that workers have translated.

    Returns:
        Rows as they come, in any order.

    Raises:
        ModelError: Dask is not installed, there is no scheduler at the address, workers cannot carry out runs.
    """
    name = f"modia3d-{secrets.token_hex(8)}"
    with connected(workers, scheduler) as client, prepared(client, name, job, limits):
        yield from _Campaign(client, name, job, tasks, total, translated).rows()


@contextmanager
def prepared(client: Client, name: str, job: Job, limits: Limits) -> Iterator[None]:
    """Prepare the workers, also those that come later, for the runs of a job under this name within the block."""
    from .worker import Runs

    client.register_plugin(Runs(name, pickle.dumps(job), limits), name=name)
    try:
        yield
    finally:
        client.unregister_worker_plugin(name)


class _Campaign:
    """State of the runs of one study on their way to workers and back."""

    def __init__(
        self,
        client: Client,
        name: str,
        job: Job,
        tasks: Iterable[Task],
        total: int,
        translated: Callable[[int], None],
    ) -> None:
        self._client, self._name, self._job, self._translated = client, name, job, translated
        self._source = iter(tasks)
        self._back: deque[list[Task]] = deque()
        self._sent: dict[Any, list[Task]] = {}
        self._seconds: dict[int, float] = {}
        self._threads, self._counted = 1, 0.0
        self._left = total
        self._following: list[Task] = []

    def rows(self) -> Iterator[Sequence[Row]]:
        from distributed import as_completed

        coming = as_completed([])
        self._fill(coming)
        while self._sent:
            future = next(coming)
            tasks = self._sent.pop(future.key)
            rows = self._take(future, tasks)
            future.release()
            self._fill(coming)
            if rows:
                yield rows

    def _fill(self, coming: Any) -> None:
        """Send a task to every idle thread."""
        from .worker import carry_out

        if time.monotonic() - self._counted > 5.0:
            self._threads, self._counted = max(1, sum(self._client.nthreads().values())), time.monotonic()
        slice_s = SLICE * max(1.0, self._threads / WORKERS_PER_SLICE)
        while len(self._sent) < _AHEAD * self._threads and (tasks := self._next(slice_s)):
            future = self._client.submit(carry_out, self._name, tasks, slice_s, pure=False)
            self._sent[future.key] = tasks
            coming.add(future)

    def _next(self, slice_s: float) -> list[Task]:
        """Take the runs of the next task, of one structure and with the intended duration, and return them."""
        if self._back:
            return self._back.popleft()
        first = self._following.pop() if self._following else next(self._source, None)
        if first is None:
            return []
        seconds = self._seconds.get(first.model)
        wanted = 2 if seconds is None else min(MOST, max(1, int(slice_s / max(seconds, 1e-6))))
        wanted = max(1, min(wanted, self._left // (2 * _AHEAD * self._threads)))
        tasks, structure = [first], self._job.structure(first)
        for task in itertools.islice(self._source, wanted - 1):
            if self._job.structure(task) != structure:
                self._following = [task]
                break
            tasks.append(task)
        self._left -= len(tasks)
        return tasks

    def _take(self, future: Future, tasks: list[Task]) -> list[Row]:
        """Process a task that has come back: return its rows, and send the remaining runs again."""
        from distributed.scheduler import KilledWorker

        from .guard import Broken

        if future.status != "finished":
            error = future.exception() if future.status == "error" else None
            if isinstance(error, KilledWorker):
                return self._lost(tasks, str(error))
            if isinstance(error, Broken):
                raise ModelError("workers cannot carry out runs", found=str(error).strip().splitlines()[-1])
            if future.status == "cancelled" or error is None:
                raise ModiaError("the scheduler has ended", remedy="Go on with --resume (resume=True).")
            raise ModiaError("a worker cannot go on", found=f"{type(error).__name__}: {error}")
        done = future.result()
        self._translated(done.translations)
        carried_out = {row.run for row in done.rows}
        for row in done.rows:
            model = next(task.model for task in tasks if task.run == row.run)
            before = self._seconds.get(model, row.wall_s)
            self._seconds[model] = 0.8 * before + 0.2 * row.wall_s
        if rest := [task for task in tasks if task.run not in carried_out]:
            self._back.append(rest)
        return list(done.rows)

    def _lost(self, tasks: list[Task], message: str) -> list[Row]:
        """Give up a run whose workers died several times, and return its row.

        Several such runs are each put back on their own.
        """
        if len(tasks) > 1:
            self._back.extend([task] for task in tasks)
            return []
        (task,) = tasks
        return [Row(task.run, self._job.models[task.model].name, task.values, cause="lost", message=message)]
