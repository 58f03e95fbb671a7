"""Exit statuses: a verdict, a mistake and a numerical failure are told apart, and a failure says what is suspect."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from modia3d.cli.main import main

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]
SCENARIO = """modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {}}}}
  ball: {Object3D: {parent: world, translation: [0, 0, 1]}}
  slow: {Var: {init: 2.0}}
  grows: {Var: {init: 1.0}}
  equations:
    - der(slow) = -slow
    - der(grows) = EQUATION
actions:
  - ActionWait: 0.25
  - END
simulation: {stop_time: 2.0, interval: 0.125}
"""


def write(folder: Path, equation: str, end: str = "set: {done: 1}") -> Path:
    file = folder / "scene.yaml"
    file.write_text(SCENARIO.replace("EQUATION", equation).replace("END", end))
    return file


@pytest.mark.parametrize(
    ("equation", "end", "status"),
    [
        ("-grows", "set: {done: 1}", 0),
        ("-grows", "end: {verdict: good}", 0),
        ("-grows", "end: {verdict: bad, success: false}", 1),
        ("-grow", "set: {done: 1}", 2),
        ("grows*grows", "set: {done: 1}", 3),
        ("-1/sqrt(grows)", "set: {done: 1}", 3),
    ],
)
def test_the_exit_status_says_how_it_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], equation: str, end: str, status: int
) -> None:
    assert main(["run", str(write(tmp_path, equation, end))]) == status
    assert ("last states" in capsys.readouterr().err) == (status == 3)


def test_an_assertion_that_does_not_hold_is_no_numerical_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, '-1\n    - Assert: ["grows > 0.5", it is too small]')
    assert main(["run", str(file)]) == 2
    streams = capsys.readouterr()
    assert "it is too small" in streams.err
    assert "last states" not in streams.err


def test_a_numerical_failure_tells_the_fastest_states(tmp_path: Path) -> None:
    """The solution 1/(1 - t) has no value at 1 s; the state that decays is no suspect, or the last."""
    file = write(tmp_path, "grows*grows")
    command = [sys.executable, "-m", "modia3d", "run", str(file), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 3
    message, title, first, second, event, segment = done.stderr.splitlines()
    assert message.startswith(f"modia3d: {file}:6:3: grows: at time ")
    assert "der(grows) = grows*grows" in message
    assert title == "last states, the fastest first:"
    number = r"([-+.e\d]+)"
    value, before, since, rate = re.fullmatch(
        rf"  grows = {number} \({number} at {number} s\), derivative {number}/s", first
    ).groups()
    assert float(since) == 0.875
    assert float(before) == pytest.approx(8.0, rel=1e-3)
    assert float(rate) == pytest.approx(float(value) ** 2, rel=1e-4)
    assert float(value) > 100.0
    assert second.startswith("  slow = 0.73")
    assert event == "last event: time event at 0.25 s"
    assert segment == "segment 1 since 0 s: initialization"
    figures = json.loads(done.stdout)
    assert figures["stop_time"] == pytest.approx(1.0, abs=0.2)
    assert "der(grows) = grows*grows" in figures["error"]
    assert figures["last_event"] == "time event at 0.25 s"
    fast, slow = figures["fastest_states"]
    assert (fast["name"], slow["name"]) == ("grows", "slow")
    assert (fast["value"], fast["before"], fast["since"], fast["rate"]) == pytest.approx(
        (float(value), float(before), 0.875, float(rate)), rel=1e-5
    )
