"""What very large studies cost besides the simulations: the scheduler's time for a task, bytes and files for a run.

``python -m benchmarks.batch_scale [--json] [--tasks N]``. A scheduler and two workers in processes of their own get tasks of
the shape that studies have, whose runs take no time: processor times of the scheduler and of the client are counted, so that
other programs hardly disturb. docs/scale.md extrapolates.
"""

from __future__ import annotations

import argparse
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from distributed import Client, as_completed

from benchmarks.batch import study
from benchmarks.common import at_least, report
from modia3d.batch.dataset import Dataset
from modia3d.batch.execution import Row, Task, job_of

SIZES = (1, 50)
"""Runs of a task."""


def echo(tasks: list[Task]) -> list[Row]:
    """Return the rows as runs give them, of no runs."""
    quantities = {"height": 1.0, "speed": 2.0}
    return [Row(task.run, "two_stage_rocket", task.values, "finished", quantities=dict(quantities)) for task in tasks]


def per_task(client: Client, scheduler: psutil.Process, size: int, number: int) -> tuple[float, float]:
    """Return the processor time of the scheduler and of the client for a task [s]."""
    design = study(size).design
    tasks = [Task(run, 0, design.values(run)) for run in range(size)]

    def seconds() -> tuple[float, float]:
        times = scheduler.cpu_times()
        return times.user + times.system, time.process_time()

    before = seconds()
    waiting = as_completed([client.submit(echo, tasks, pure=False) for _ in range(8)])
    sent = 8
    for future in waiting:
        future.result()
        future.release()
        if sent < number:
            waiting.add(client.submit(echo, tasks, pure=False))
            sent += 1
    after = seconds()
    return (after[0] - before[0]) / number, (after[1] - before[1]) / number


def files_of_rows(runs: int, at_once: int) -> tuple[int, int, float]:
    """Return most files at a time, bytes on disk for a run, and time to write one [s]; so many rows come at once."""
    with tempfile.TemporaryDirectory() as folder:
        given = study(runs)
        dataset = Dataset.create(Path(folder), given)
        rows = echo([Task(run, 0, given.design.values(run)) for run in range(runs)])
        most, began = 0, time.process_time()
        for first in range(0, runs, at_once):
            dataset.append(rows[first : first + at_once])
            most = max(most, len(list((Path(folder) / "rows").iterdir())))
        seconds = time.process_time() - began
        dataset.compact()
        (file,) = (Path(folder) / "rows").iterdir()
        return most, file.stat().st_size // runs, seconds / runs


def figures(number: int) -> dict[str, float | int]:
    """Return all figures."""
    found: dict[str, float | int] = {"job_bytes": len(pickle.dumps(job_of(study(64))))}
    design = study(50).design
    tasks = [Task(run, 0, design.values(run)) for run in range(50)]
    found["bytes_out"] = len(pickle.dumps(tasks)) // 50
    found["bytes_back"] = len(pickle.dumps(echo(tasks))) // 50
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/scheduler.json"
        scheduler = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "distributed.cli.dask_scheduler",
                "--port",
                "0",
                "--scheduler-file",
                place,
                "--no-dashboard",
            ],
            stderr=subprocess.DEVNULL,
        )
        worker = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "distributed.cli.dask_worker",
                "--scheduler-file",
                place,
                "--nworkers",
                "2",
                "--nthreads",
                "1",
            ]
            + ["--no-dashboard", "--local-directory", folder],
            stderr=subprocess.DEVNULL,
        )
        try:
            with Client(scheduler_file=place, timeout=120) as client:
                client.wait_for_workers(2, timeout=120)
                for size in SIZES:
                    per_task(client, psutil.Process(scheduler.pid), size, 50)
                    of_scheduler, of_client = per_task(client, psutil.Process(scheduler.pid), size, number)
                    found[f"scheduler_ms_{size}"], found[f"client_ms_{size}"] = 1e3 * of_scheduler, 1e3 * of_client
        finally:
            for process in (worker, scheduler):
                process.terminate()
                process.wait()
    found["files_most"], found["bytes_on_disk"], seconds = files_of_rows(20000, 50)
    found["row_us"] = 1e6 * seconds
    return found


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--tasks", type=at_least(50), default=2000, help="tasks of each size (2000)")
    options = parser.parse_args()
    report(figures(options.tasks), options.json)


if __name__ == "__main__":
    main()
