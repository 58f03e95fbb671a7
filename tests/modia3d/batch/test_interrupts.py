"""A study that a user interrupts, and one where the system cannot copy processes."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from modia3d.batch import Study, run_study
from modia3d.batch.dataset import open_study
from modiapy import Model, ModelError, Var

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]
RUNS = 300
ENOUGH = 120.0
"""[s] in which a slow machine has begun."""
SCENARIO = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {}}}}
  rod: {Object3D: {feature: {Solid: {shape: {Box: [1, 0.1, 0.1]}, solid_material: Steel}}}}
  hinge: {Revolute: {obj1: world, obj2: rod, axis: y, phi: {Var: {init: 0.3}}}}
  k: 1.0
  w: {Var: {init: 1.0}}
  equations: ["der(w) = -k*w*(1 + sin(20*time))"]
simulation: {stop_time: 10.0}
"""
STUDY = f"""
modia3d_study: 1
scenario: scenario.yaml
factors: {{k: {{uniform: [0.5, 2.0]}}}}
sampling: {{method: random, samples: {RUNS}, seed: 3}}
quantities: {{w: final(w)}}
"""


def command(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """``modia3d batch`` in a session of its own, as a terminal has one for each command."""
    return subprocess.Popen(
        [sys.executable, "-m", "modia3d", "batch", "study.yaml", "--out", "rows", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def done(folder: Path) -> set[int]:
    with contextlib.suppress(ModelError):
        return open_study(folder / "rows").done()
    return set()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Windows has no groups of processes")
def test_ctrl_c_ends_a_study_keeps_its_rows_and_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    (tmp_path / "study.yaml").write_text(STUDY)
    process = command(tmp_path, "--workers", "2")
    until = time.monotonic() + ENOUGH
    while len(done(tmp_path)) < 10:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < until
        time.sleep(0.05)
    others = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does: to the workers, too
    out, err = process.communicate(timeout=ENOUGH)
    assert process.returncode == 130, err
    assert "go on with --resume" in err
    assert "Traceback" not in out + err
    assert psutil.wait_procs(others, timeout=30)[1] == []
    there = done(tmp_path)
    assert 10 <= len(there) < RUNS
    again = command(tmp_path, "--workers", "0", "--resume")
    out, err = again.communicate(timeout=ENOUGH)
    assert again.returncode == 0, err
    table = open_study(tmp_path / "rows").table()
    assert table["run"].to_pylist() == list(range(RUNS))
    assert set(table["status"].to_pylist()) == {"finished"}


def test_without_copies_of_processes_the_numbers_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: the process that translates carries out the runs itself."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import os\nif hasattr(os, 'fork'):\n    del os.fork\n")
    model = Model(a=1.0, x=Var(init=1.0), equations=["der(x) = -a*x"])
    given = Study(model, {"a": {"uniform": [1, 9]}}, {"x": "final(x)"}, {"method": "random", "samples": 12, "seed": 2},
                  simulation={"stop_time": 1.0})  # fmt: skip
    expected = run_study(given, tmp_path / "serial", workers=0).table(["status", "a", "x"])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "site"), str(ROOT)]))
    assert run_study(given, tmp_path / "one", workers=1).table(["status", "a", "x"]).equals(expected)
