"""Runs by Dask: the same numbers as one after the other, whatever the number of workers, also where workers die."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from distributed import Client, LocalCluster
from distributed.scheduler import KilledWorker

from modia3d.batch import Study, run_study
from modia3d.batch.campaign import Watcher
from modia3d.batch.dataset import Dataset
from modia3d.batch.engine import _Campaign
from modia3d.batch.execution import Execution, Task, job_of
from modiapy import Model, ModelError, Var

pytestmark = pytest.mark.white_box

COLUMNS = ["model", "status", "a", "b", "x", "y"]


def study(samples: int = 40) -> Study:
    first = Model(a=1.0, b=2.0, x=Var(init=1.0), y=Var(init=0.0), equations=["der(x) = y", "der(y) = -a*x - b*abs(y)*y"])
    return Study(
        {"first": first, "second": first | Model(x=Var(init=2.0))},
        {"a": {"uniform": [1, 9]}, "b": {"normal": [1, 0.1]}},
        {"x": "final(x)", "y": "integral(y**2)"},
        {"method": "latin_hypercube", "samples": samples, "seed": 2},
        simulation={"stop_time": 5.0},
    )


class Counting(Watcher):
    def __init__(self) -> None:
        self.translations, self.runs, self.total, self.done = 0, 0, 0, 0

    def begin(self, total: int, done: int) -> None:
        self.total, self.done = total, done

    def came(self, rows: object) -> None:
        self.runs += len(rows)  # type: ignore[arg-type]

    def translated(self, number: int) -> None:
        self.translations += number


def test_numbers_are_the_same_whatever_the_workers(cluster: LocalCluster, tmp_path: Path) -> None:
    serial = run_study(study(), tmp_path / "serial", workers=0).table(COLUMNS)
    watcher = Counting()
    distributed = run_study(study(), tmp_path / "two", scheduler=cluster.scheduler_address, watcher=watcher).table(COLUMNS)
    assert distributed.equals(serial)
    assert (watcher.total, watcher.done, watcher.runs) == (80, 0, 80)
    assert 2 <= watcher.translations <= 4  # two models; a worker translates what it has runs of, once


def test_what_is_there_is_not_run_again(cluster: LocalCluster, tmp_path: Path) -> None:
    given = study(5)
    execution = Execution(job_of(given))
    Dataset.create(tmp_path, given).append([execution.execute(Task(3, 0, given.design.values(3)))])
    watcher = Counting()
    dataset = run_study(given, tmp_path, scheduler=cluster.scheduler_address, resume=True, watcher=watcher)
    assert (watcher.done, watcher.runs) == (1, 9)
    assert dataset.table()["run"].to_pylist() == list(range(10))


def test_a_worker_that_is_killed_costs_no_run(tmp_path: Path) -> None:
    killed: list[int] = []

    class Killer(Counting):
        def came(self, rows: object) -> None:
            super().came(rows)
            if not killed and self.runs > 10:
                with Client(address[0]) as client:
                    (pid, *_) = client.run(os.getpid).values()
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

    address: list[str] = []
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, memory_limit=0, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as own:
        address.append(own.scheduler_address)
        dataset = run_study(study(400), tmp_path, scheduler=own.scheduler_address, watcher=Killer())
    assert killed
    assert set(dataset.table()["status"].to_pylist()) == {"finished"}
    assert dataset.table()["run"].to_pylist() == list(range(800))


def test_runs_whose_workers_are_lost_again_and_again_are_given_up(cluster: LocalCluster) -> None:
    """A task of several is divided first, so that the others are carried out."""

    class Gone:
        status = "error"

        def exception(self) -> KilledWorker:
            return KilledWorker("task", SimpleNamespace(address="tcp://nowhere"), 3)

    given = study(5)
    tasks = [Task(run, 0, given.design.values(run)) for run in range(2)]
    with Client(cluster) as client:
        campaign = _Campaign(client, "name", job_of(given), tasks, 2, lambda number: None)
        assert campaign._take(Gone(), tasks) == []  # type: ignore[arg-type]
        assert list(campaign._back) == [[tasks[0]], [tasks[1]]]
        (row,) = campaign._take(Gone(), tasks[:1])  # type: ignore[arg-type]
    assert (row.run, row.status, row.cause) == (0, "failed", "lost")


def test_a_scheduler_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere://1: there is no scheduler"):
        run_study(study(1), tmp_path, scheduler="nowhere://1")
