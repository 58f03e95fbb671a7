"""Modelica source on the command line."""

import json
import re
from pathlib import Path

import pytest

from modia3d.cli.main import main

pytestmark = pytest.mark.white_box

pytest.importorskip("rumoca")

TEXT = """model Decay "A capacitor is discharged"
  Real v(start=1.0, fixed=true);
  parameter Real tau = 0.5;
equation
  tau*der(v) =
    -v;
  annotation (experiment(StopTime=3, Tolerance=1e-8));
end Decay;
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "decay.mo"
    path.write_text(TEXT)
    return path


def test_a_class_is_simulated_as_long_as_it_says(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(file), "--model", "Decay"]) == 0
    assert "simulated until 3 s" in capsys.readouterr().out
    assert main(["run", str(file), "--model", "Decay", "--stop-time", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stop_time"] == 1.0
    assert main(["run", str(file), "--model", "Decay", "--set", "simulation.stop_time=2", "--set", "tau=4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stop_time"] == 2.0
    assert main(["run", str(file), "--model", "Decay", "--set", "tua=4"]) == 2
    assert re.search(r"--set tua=4: tua: .*'tau'", capsys.readouterr().err)


def test_a_class_is_checked_without_being_simulated(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(file), "--model", "Decay", "--set", "tau=4"]) == 0
    assert "can be simulated" in capsys.readouterr().out
    file.write_text(TEXT.replace("-v;", "-w;"))
    assert main(["check", str(file), "--model", "Decay"]) == 2
    assert re.search("decay.mo:6: Decay: .*'w'", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("-v;", "-w;", "decay.mo:6: Decay: .*'w'.*column 6"),
        ("tau = 0.5;", "tau = 0.5", "decay.mo:4: Decay: .*unexpected.*column 1"),
        ("-v;", "-absent(v);", "decay.mo:6: Decay: .*'absent'.*column 6"),
        ("model Decay", "model Other", "decay.mo:.* Decay: "),
    ],
)
def test_a_mistake_is_one_message_with_its_place(
    file: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    file.write_text(TEXT.replace(old, new))
    assert main(["run", str(file), "--model", "Decay"]) == 2
    message = capsys.readouterr().err
    assert message.startswith("modia3d: ")
    assert message.count("\n") == 1
    assert re.search(said, message), message


def test_options_of_modelica_are_for_modelica(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "scene.yaml"
    scenario.write_text("version: 1\n")
    assert main(["run", str(scenario), "--model", "Decay"]) == 2
    assert "--model" in capsys.readouterr().err


def test_libraries_that_are_found_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Plant").mkdir()
    (tmp_path / "Plant" / "package.mo").write_text('package Plant annotation (version="2.5"); end Plant;')
    monkeypatch.delenv("MODELICAPATH", raising=False)
    assert main(["modelica", "libraries"]) == 0
    assert "MODELICAPATH" in capsys.readouterr().out
    assert main(["modelica", "libraries", "--library", str(tmp_path)]) == 0
    assert f"Plant 2.5  {tmp_path / 'Plant'}" in capsys.readouterr().out
    monkeypatch.setenv("MODELICAPATH", str(tmp_path))
    assert main(["modelica", "libraries"]) == 0
    assert "Plant 2.5" in capsys.readouterr().out
