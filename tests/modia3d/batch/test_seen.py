"""What people see of a study: the command line with its table, report, JUnit file; progress, comparison."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from modia3d.batch import read_study, run_study
from modia3d.batch.compare import compare
from modia3d.batch.dataset import Dataset, open_study
from modia3d.batch.execution import Row
from modia3d.batch.progress import Progress, duration, watch
from modia3d.cli.main import main
from modiapy import ModelError

pytestmark = pytest.mark.white_box

SCENARIO = """modia3d: 1
model:
  k: 1.0
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  ball:
    Object3D:
      fixed_to_parent: false
      assembly_root: true
      velocity: ["k", 0, 0]
      feature: {Solid: {shape: {Sphere: 0.1}, solid_material: Steel}}
  x: {Var: {init: 1.0}}
  equations: ["der(x) = sqrt(k)*x"]
simulation: {stop_time: 1.0}
"""
STUDY = """modia3d_study: 1
description: Growth <with> a root
scenario: growth.yaml
factors: {k: {list: [0, 1, -1, 4]}}
quantities: {x: final(x), way: "final(ball.r_abs[0])"}
expect: {x: {at_most: 5}}
animations: [1, 2]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of four runs: two are well, one fails, one is not as expected."""
    folder = tmp_path_factory.mktemp("seen")
    (folder / "growth.yaml").write_text(SCENARIO)
    (folder / "study.yaml").write_text(STUDY)
    assert main(["batch", str(folder / "study.yaml"), "--workers", "0", "--out", str(folder / "out")]) == 1
    return folder


def test_the_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["batch", str(folder / "study.yaml"), "--workers", "0", "--out", str(folder / "out"), "--resume"]
    assert main(arguments) == 1
    table = capsys.readouterr().out
    assert "4 of 4 runs, 3 finished, 1 failed (1 by simulation), 1 not as expected" in table
    assert re.search(r"run 2 \(growth\): simulation: .*sqrt", table)
    assert re.search(r"run 3 \(growth\): x is 7\.38\d+, expected at most 5", table)
    assert main([*arguments, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["done"], found["failed"], found["unmet"], found["causes"]) == (4, 1, 1, {"simulation": 1})
    assert found["quantities"]["x"]["count"] == 3


def test_a_study_is_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", str(folder / "study.yaml"), "--workers", "0", "--out", str(folder / "out")]) == 2
    assert "--resume" in capsys.readouterr().err


def test_junit(folder: Path) -> None:
    root = ElementTree.parse(folder / "out" / "junit.xml").getroot()
    assert {key: root.get(key) for key in ("tests", "errors", "failures", "skipped")} == {
        "tests": "4",
        "errors": "1",
        "failures": "1",
        "skipped": "0",
    }
    outcomes = [[child.tag for child in case] for case in root.iter("testcase")]
    assert outcomes == [[], [], ["error"], ["failure"]]
    assert [case.get("name") for case in root.iter("testcase")][3] == "run 3 (k=4)"


def test_the_report_stands_alone(folder: Path) -> None:
    page = (folder / "out" / "report.html").read_text()
    assert "Growth &lt;with&gt; a root" in page
    assert not re.search(r'(src|href)="https?:', page)
    data = json.loads(re.findall(r"const data = (.*);", page)[0])
    assert data["values"]["k"] == [0.0, 1.0, -1.0, 4.0]
    assert data["values"]["x"][2] is None
    assert data["well"] == [True, True, False, False]
    assert page.count("<tr>") == 1 + 2 + 1 + 2  # statistics of two quantities, two runs that went wrong
    assert 'href="animation-0000001.html"' in page
    assert (folder / "out" / "animation-0000001.html").stat().st_size > 100_000
    assert not (folder / "out" / "animation-0000002.html").exists()  # it failed


def test_watching(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "--watch", str(folder / "out")]) == 0
    captured = capsys.readouterr()
    assert "4 of 4 runs, 1 failed, 1 not as expected" in captured.err
    assert "4 of 4 runs, 3 finished" in captured.out


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_watching_ends_with_the_study(folder: Path, tmp_path: Path) -> None:
    study = read_study(folder / "study.yaml")
    dataset = Dataset.create(tmp_path, study)
    coming = [Row(k, "growth", {"k": 0.0}, "finished", quantities={"x": 1.0}) for k in range(4)]
    dataset.append(coming[:1])
    seen = Terminal()
    watch(tmp_path, seen, pause=lambda seconds: dataset.append(coming[1:]))
    assert "1 of 4 runs" in seen.getvalue()
    assert seen.getvalue().rstrip().endswith("left") is False
    assert "4 of 4 runs" in seen.getvalue()


def test_progress_has_rate_failures_and_estimated_end() -> None:
    now = [100.0]
    progress = Progress(Terminal(), clock=lambda: now[0])
    progress.begin(1000, 100)
    now[0] += 10.0
    progress.came([Row(k, "m", {}, "failed" if k < 3 else "finished", unmet="x" if k == 9 else "") for k in range(50)])
    assert progress.line() == "150 of 1000 runs, 5 runs/s, 3 failed, 1 not as expected, about 2 min 50 s left"
    assert [duration(seconds) for seconds in (1.4, 65.0, 3900.0)] == ["1 s", "1 min 05 s", "1 h 05 min"]


def test_progress_is_silent_in_a_pipe() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    progress.begin(2, 0)
    progress.came([Row(0, "m", {})])
    progress.end()
    assert stream.getvalue() == ""


# -- comparison --------------------------------------------------------------------------------------------------------


@pytest.fixture
def changed(folder: Path, tmp_path: Path) -> Callable[[str, str], Path]:
    def carried_out(old: str, new: str) -> Path:
        (tmp_path / "growth.yaml").write_text(SCENARIO.replace(old, new))
        (tmp_path / "study.yaml").write_text(STUDY)
        return run_study(read_study(tmp_path / "study.yaml"), tmp_path / "out", workers=0).folder

    return carried_out


def test_equal_studies_do_not_differ(
    folder: Path, changed: Callable[[str, str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["batch", "--compare", str(folder / "out"), str(changed("", ""))]) == 0
    assert "4 runs compared, nothing differs" in capsys.readouterr().out


def test_differences_are_told(folder: Path, changed: Callable[[str, str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    other = changed("init: 1.0", "init: 1.01")
    assert main(["batch", "--compare", str(folder / "out"), str(other)]) == 1
    assert re.search(r"x +0\.0\d+ +0\.01 +\d", capsys.readouterr().out)
    assert main(["batch", "--compare", str(folder / "out"), str(other), "--relative", "0.02"]) == 0


def test_what_has_become_wrong_is_told(folder: Path, changed: Callable[[str, str], Path]) -> None:
    found = compare(open_study(folder / "out"), open_study(changed("init: 1.0", "init: 3.0")))
    assert set(found.worse) == {1}
    assert found.better == {}
    assert found.differing == {0, 1, 3}


def test_studies_of_other_runs_are_not_compared(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "growth.yaml").write_text(SCENARIO)
    (tmp_path / "study.yaml").write_text(STUDY.replace("[0, 1, -1, 4]", "[0, 2, -1, 4]"))
    other = run_study(read_study(tmp_path / "study.yaml"), tmp_path / "out", workers=0)
    with pytest.raises(ModelError, match=r"run 1 of the studies is another one; found k = 2.0; expected 1.0"):
        compare(open_study(folder / "out"), other)
