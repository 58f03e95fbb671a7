"""``modia3d linearize``: a pendulum with a drive in closed form; mistakes end with one message and status 2."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from modia3d.cli.main import main

pytestmark = pytest.mark.white_box

OSCILLATOR = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {}}}}
  c: 4.0
  u: {Var: {input: true}}
  x: {Var: {init: 1.0}}
  v: {Var: {init: 0.0}}
  y: {Var: {value: 2*x, output: true}}
  body: {Model: {gain: 3.0, z: {Var: {value: gain*x}}, x: {Var: {}}, equations: [x = 1]}}
  equations: [der(x) = v, der(v) = u - c*x - 0.4*v]
simulation: {stop_time: 1.0}
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("oscillator.yaml").write_text(OSCILLATOR)
    return "oscillator.yaml"


def test_figures_are_those_of_the_closed_form(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["linearize", file, "--json", "--set", "c=9", "--outputs", "y,v", "--inputs", "u"]) == 0
    found = json.loads(capsys.readouterr().out)
    np.testing.assert_allclose(found["A"], [[0, 1], [-9, -0.4]], atol=1e-7)
    np.testing.assert_allclose(found["C"], [[2, 0], [0, 1]], atol=1e-7)
    np.testing.assert_allclose(found["B"], [[0], [1]], atol=1e-7)
    assert (found["states"], found["inputs"], found["outputs"]) == (["x", "v"], ["u"], ["y", "v"])
    np.testing.assert_allclose(found["natural_frequencies"], [3.0, 3.0], rtol=1e-7)
    np.testing.assert_allclose(found["damping_ratios"], 0.2 / 3, rtol=1e-6)
    np.testing.assert_allclose(found["poles"][1], [-0.2, np.sqrt(9 - 0.04)], rtol=1e-6)
    assert found["x"] == [1.0, 0.0]


def test_text_and_bode(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["linearize", file, "--bode", "b.csv"]) == 0
    text = capsys.readouterr().out
    assert "-0.2 + 1.98997i" in text
    assert "Bode diagram: b.csv" in text
    rows = list(csv.reader(Path("b.csv").read_text().splitlines()))
    assert rows[0] == ["omega [rad/s]", "u -> y [dB]", "u -> y [deg]"]
    omega, gain, phase = np.array(rows[1:], dtype=float).T
    exact = 2.0 / (4.0 - omega**2 + 0.4j * omega)
    np.testing.assert_allclose(gain, 20 * np.log10(abs(exact)), atol=1e-5)
    np.testing.assert_allclose(phase, np.degrees(np.angle(exact)), atol=1e-4)
    pytest.importorskip("matplotlib")
    assert main(["linearize", file, "--bode", "b.svg", "--at", "200 ms", "--steady"]) == 0
    assert "<svg" in Path("b.svg").read_text()
    assert "linear model at 0.2 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--inputs", "w"], "'w' is no input"),
        (["--outputs", "yy"], "there is no signal 'yy'"),
        (["--bode", "b.doc"], "--bode: the suffix is not known"),
        (["--at", "soon"], "--at is no number"),
        (["--set", "d=3"], "d"),
        (["--inputs", "x", "--bode", "b.png"], "'x' is no input"),
    ],
)
def test_mistakes(file: str, given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["linearize", file, *given]) == 2
    message = capsys.readouterr().err
    assert said in message
    assert "Traceback" not in message
    assert not Path("b.png").exists()


def test_without_outputs_there_is_no_diagram(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(file).write_text(OSCILLATOR.replace(", output: true", ""))
    assert main(["linearize", file]) == 0
    assert main(["linearize", file, "--bode", "b.png"]) == 2
    assert "needs outputs" in capsys.readouterr().err
