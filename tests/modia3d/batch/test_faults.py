"""What crashes, hangs or eats memory costs its own run only, and a study that is killed loses nothing that was finished."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from modia3d.batch import Study, run_study
from modia3d.batch.dataset import Dataset, open_study
from modiapy import ModelError

from .faulty import CAUSES, RUNS, SICK, study
from .sick import CRASH, HEALTHY, model

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]
ENOUGH = 120.0
"""[s] in which a slow machine has begun."""


def begun(folder: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-m", "tests.modia3d.batch.faulty", str(folder)], cwd=ROOT, env=environment)


def killed_with(folder: Path, runs: int) -> set[int]:
    """Begin the study or go on, kill it (-9) when so many runs are on disk; the runs that are there then."""
    process = begun(folder)
    until = time.monotonic() + ENOUGH
    found: set[int] = set()
    while len(found) < runs:
        assert process.poll() is None, "the study has ended"
        assert time.monotonic() < until
        time.sleep(0.1)
        with contextlib.suppress(ModelError):
            found = open_study(folder).done()
    others = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    gone, alive = psutil.wait_procs(others, timeout=30)
    assert len(gone) >= 4  # two workers, each with a process for runs
    assert alive == []
    return open_study(folder).done()


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Dataset, list[set[int]]]:
    """The study, killed twice, and the runs that were there each time."""
    folder = tmp_path_factory.mktemp("faulty") / "study"
    there = [killed_with(folder, 20), killed_with(folder, 60)]
    assert begun(folder).wait(ENOUGH) == 0
    return open_study(folder), there


def test_a_killed_study_keeps_what_was_finished_and_runs_what_is_missing(faulty: tuple[Dataset, list[set[int]]]) -> None:
    dataset, (first, second) = faulty
    assert 20 <= len(first) <= len(second) < RUNS
    assert first <= second
    assert dataset.table()["run"].to_pylist() == list(range(RUNS))


def test_healthy_runs_have_the_bits_of_an_undisturbed_study(faulty: tuple[Dataset, list[set[int]]], tmp_path: Path) -> None:
    undisturbed = run_study(study(dict.fromkeys(SICK, HEALTHY)), tmp_path, workers=0)
    columns = ["w", "x", "turn", "energy"]
    healthy = [run for run in range(RUNS) if run not in SICK]
    expected = undisturbed.table(columns).take(healthy)
    assert expected["x"].null_count == 0
    assert faulty[0].table(columns).take(healthy).equals(expected)


def test_every_sick_run_is_reported_with_its_cause(faulty: tuple[Dataset, list[set[int]]]) -> None:
    rows = faulty[0].rows()
    failed = {row["run"]: row["cause"] for row in rows if row["status"] == "failed"}
    assert failed == {run: CAUSES[kind] for run, kind in SICK.items()}
    for row in rows:
        if row["cause"] == "crash":
            assert "SIGSEGV" in row["message"]
            assert "Segmentation fault" in row["log"]
            assert "segment.py" in row["log"]  # where it was
        if row["cause"] == "time":
            assert "Timeout" in row["log"]
        if row["cause"] == "simulation":
            assert "no value for this kind" in row["message"]


def test_a_run_is_tried_again_as_often_as_wanted(tmp_path: Path) -> None:
    factors = {"kind": {"list": [CRASH, HEALTHY]}}
    limits = {"wall_time": 60.0, "retries": 2}
    given = Study(model(), factors, {"x": "final(x)"}, limits=limits, simulation={"stop_time": 1.0})
    rows = run_study(given, tmp_path, workers=1).rows()
    assert [(row["status"], row["attempts"]) for row in rows] == [("failed", 3), ("finished", 1)]
