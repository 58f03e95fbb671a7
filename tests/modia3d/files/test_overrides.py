"""Other values of a scenario by path: ``--set``, ``read_scenario(overrides=...)``, ``Scenario.with_values``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d.batch import Study, run_study
from modia3d.cli.main import main
from modia3d.files import read_scenario
from modiapy import ModelError

pytestmark = pytest.mark.white_box

SCENARIO = """\
modia3d: 1
definitions:
  Bar:
    Model:
      length: 1.0
      width: 0.05
      body: {Object3D: {feature: {Solid: {shape: {Box: [length, width, width]}, solid_material: Steel}}}}
      top: {Object3D: {parent: body, translation: ["-length/2", 0, 0]}}
model:
  k: 2.0
  kind: {Par: {value: A, choices: [A, B]}}
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: "-z"}}}}}}
  rod: {Bar: {length: 0.8}}
  hinge: {RevoluteWithFlange: {obj1: world, obj2: rod.top, axis: y, phi: {Var: {init: 0.3}}}}
simulation: {stop_time: 0.5, interval: 0.1}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rod.yaml"
    path.write_text(SCENARIO)
    return path


def swing(scenario: Any) -> Any:
    settings = scenario.settings
    return scenario.instantiate().simulate(settings.stop_time, interval=settings.interval)


@pytest.mark.parametrize(
    ("override", "old", "new"),
    [
        ("rod.length=0.4", "length: 0.8", "length: 0.4"),
        ("rod.length = k/5", "length: 0.8", "length: 0.4"),
        ("rod.width=0.3", "width: 0.05", "width: 0.3"),
        ("hinge.phi.init=-pi/4", "init: 0.3", "init: -pi/4"),
        ("simulation.stop_time=0.2", "stop_time: 0.5", "stop_time: 0.2"),
        ("rod.body.feature.shape={Box: [k/4, 0.05, 0.2]}", "[length, width, width]", "[0.5, 0.05, 0.2]"),
        ("rod.top.translation[2]=20 cm", '["-length/2", 0, 0]', '["-length/2", 0, 0.2]'),
        ("rod.top.translation=[-0.1, 0, 0.2]", '["-length/2", 0, 0]', "[-0.1, 0, 0.2]"),
    ],
)
def test_a_value_means_what_it_would_mean_in_the_file(file: Path, override: str, old: str, new: str) -> None:
    changed = swing(read_scenario(file, overrides=[override]))
    assert old in SCENARIO
    file.write_text(SCENARIO.replace(old, new))
    written = swing(read_scenario(file))
    np.testing.assert_array_equal(changed.time, written.time)
    np.testing.assert_array_equal(changed["hinge.phi"], written["hinge.phi"])
    file.write_text(SCENARIO)
    assert not np.array_equal(changed["hinge.phi"], swing(read_scenario(file))["hinge.phi"])


def test_the_last_of_several_values_holds(file: Path) -> None:
    scenario = read_scenario(file, overrides=["rod.length=3", "kind=B", "rod.length=0.4"])
    assert (scenario.model["rod"]["length"], scenario.model["kind"]["value"]) == (0.4, "B")
    assert scenario.overrides == {"rod.length": 0.4, "kind": "B"}


def test_values_in_python_are_those_of_a_study(file: Path, tmp_path: Path) -> None:
    scenario = read_scenario(file)
    other = scenario.with_values({"rod.length": 0.4, "simulation.stop_time": 0.3})
    assert scenario.model["rod"]["length"] == 0.8
    study = Study(
        scenario, {"a": {"list": [0.4], "path": "rod.length"}}, {"q": "final(hinge.phi)"}, simulation={"stop_time": 0.3}
    )
    (row,) = run_study(study, tmp_path / "study", workers=0).rows()
    assert row["q"] == pytest.approx(float(swing(other)["hinge.phi"][-1]), rel=1e-6)


def test_the_command_line_says_the_values(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(file), "--json", "--set", "simulation.stop_time=0.2", "--set", "rod.length=0.4"]) == 0
    assert json.loads(capsys.readouterr().out)["stop_time"] == 0.2


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("rod.lenght=1", "--set rod.lenght=1: rod.lenght: 'rod' has no 'lenght'.*'length'"),
        ("rod.length.x=1", "'rod.length' has no 'x'"),
        ("rod.top.translation[3]=1", r"translation\[3\]: there is no such element; found \[3\]; expected one of 3 elements"),
        ("rod.top.translation[2]=1 kg", "unit.*found '1 kg'.*in m"),
        ("rod.length=lang", "--set rod.length=lang: rod.length: unknown name 'lang'"),
        ("rod.length=[1", "--set rod.length=.*is not closed"),
        ("rod.length", "PATH=VALUE"),
        ("rod.length=", "PATH=VALUE"),
        ("=3", "no path of a parameter"),
        ("rod..length=3", "no path of a parameter"),
        ("kind=C", "kind.*'C'.*'A', 'B'"),
        ("hinge.phi=1", "hinge.phi.*variable.*hinge.phi.init"),
        ("simulation.stop_time=soon", "simulation.stop_time.*'soon'.*a number"),
        ("simulation.stop_time=-1", "simulation.stop_time.*-1.*at least 0 s"),
        ("simulation.stop=1", "'simulation'"),
        ("rod.body.feature.shape={Bxo: 1}", "'Bxo' is not known.*'Box'"),
        ("rod.body.feature.shape={Mesh: ../x.stl}", "outside of the permitted folders"),
    ],
)
def test_mistakes_are_told_with_what_was_given(
    file: Path, override: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (file.parent.parent / "x.stl").write_text("")
    assert main(["check", str(file), "--set", override]) == 2
    text = capsys.readouterr().err
    assert re.search(words, text), text


def test_a_variable_of_a_study_is_refused_alike(file: Path) -> None:
    with pytest.raises(ModelError, match=r"hinge.phi.*hinge.phi.init"):
        Study(read_scenario(file), {"hinge.phi": {"list": [1.0]}})
