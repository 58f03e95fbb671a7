"""Execution of a study, from its beginning or from an interruption, to its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from .dataset import Dataset
from .execution import Job, Row, Task, job_of
from .serial import run_serially
from .study import Study

RESULTS = "results"
"""Folder of the files with all signals."""

_PAUSE = 0.2
"""[s] between two writings, so that runs of milliseconds do not get a file each."""


class Watcher:
    """Observer of a study; this base class does nothing."""

    def begin(self, total: int, done: int) -> None:
        """Begin with so many runs, of which so many exist already."""

    def came(self, rows: Sequence[Row]) -> None:
        """Receive runs that have ended and are on disk."""

    def translated(self, number: int) -> None:
        """Receive the number of models that were translated."""

    def end(self) -> None:
        """End: no more runs follow."""


def run_study(
    study: Study,
    folder: Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    watcher: Watcher | None = None,
) -> Dataset:
    """Carry out all runs of a study that are not on disk.

    Args:
        study: the study.
        folder: for ``study.json``, ``rows/`` and what else it leaves.
        workers: processes; 0: this one, without limits or protection; None: as many as there are processors.
        scheduler: address of a Dask scheduler in place of a local cluster.
        resume: go on with what is in the folder.
        watcher: is told what happens.

    Raises:
        ModelError: the folder holds another study, or this one and ``resume`` is false; a model cannot be translated.
        ModiaError: the workers are gone. What was finished is on disk.
    """
    watcher = watcher or Watcher()
    dataset = Dataset.resume(folder, study) if resume else Dataset.create(folder, study)
    done = dataset.done()
    watcher.begin(study.design.runs, len(done))
    if len(done) < study.design.runs:
        job = job_of(study, folder / RESULTS)
        tasks = tasks_of(study, job, done)
        if workers == 0:
            source: Iterator[Sequence[Row]] = run_serially(job, tasks)
        else:
            from .engine import run_by_dask

            source = run_by_dask(
                job,
                tasks,
                study.limits,
                study.design.runs - len(done),
                workers=workers,
                scheduler=scheduler,
                translated=watcher.translated,
            )
        _keep(dataset, source, watcher.came)
    dataset.compact()
    watcher.end()
    return dataset


def tasks_of(study: Study, job: Job, done: set[int]) -> Iterable[Task]:
    """Return the missing runs; runs of one structure follow each other."""
    design = study.design
    tasks = (Task(run, design.model(run), design.values(run)) for run in range(design.runs) if run not in done)
    if any(each.structural for each in job.models):
        return sorted(tasks, key=lambda task: (list(map(str, job.structure(task))), task.run))
    return tasks


def _keep(dataset: Dataset, source: Iterator[Sequence[Row]], came: Callable[[Sequence[Row]], None]) -> None:
    """Write rows as they come; rows that have come are written even after an error."""
    waiting: list[Row] = []
    written = time.monotonic()

    def write() -> None:
        nonlocal waiting, written
        dataset.append(waiting)
        came(waiting)
        waiting, written = [], time.monotonic()

    with closing(cast(Any, source)):
        try:
            for rows in source:
                waiting += rows
                if time.monotonic() - written > _PAUSE or sum(row.wall_s for row in rows) > _PAUSE:
                    write()
        finally:
            if waiting:
                write()
