"""Classes of Modelica source in scenarios: values beside them, permitted folders, mistakes with their places."""

import json
from pathlib import Path

import jsonschema
import pytest

from modia3d import Model3D
from modia3d.cli.main import main
from modia3d.files import read_scenario, write_scenario
from modia3d.files.schema import scenario_schema
from modia3d.files.yaml_tree import read_tree
from modiapy import ModelError, ModiaError, instantiate
from modiapy.modelica.reader.component import LoadedModel

from .servo import SOURCE
from .test_on_joints import arm, run

pytestmark = pytest.mark.white_box

YAML = """\
modia3d: 1
definitions:
  Drive: {modelica: {file: drives/Servo.mo, model: Servo.Drive}, J: 0.002}
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  link:
    Object3D:
      feature:
        Solid:
          shape: {Box: [0.5, 0.1, 0.1]}
          mass_properties: {MassProperties: {mass: 3.0, Ixx: 0.01, Iyy: 0.12, Izz: 0.12}}
  axis: {Object3D: {parent: link, translation: [-0.25, 0, 0]}}
  hand: {Object3D: {parent: link, translation: [0.25, 0, 0], lockable: true}}
  cargo:
    Object3D:
      feature:
        Solid:
          shape: {Box: [0.5, 0.1, 0.1]}
          mass_properties: {MassProperties: {mass: 2.0, Ixx: 0.01, Iyy: 0.08, Izz: 0.08}}
      translation: [0.75, 0, 0]
  cargo_lock: {Object3D: {parent: cargo, translation: [-0.25, 0, 0], rotation: [pi, 0, 0], lockable: true}}
  joint: {RevoluteWithFlange: {obj1: world, obj2: axis, axis: z, phi: {Var: {init: 0.0}}, w: {Var: {init: 0.0}}}}
  drive:
    modelica: {file: drives/Servo.mo, model: Servo.Drive, libraries: []}
    ratio: 20
    rotor: {J: 2000 g.m^2/1000}
  other: {Drive: {ratio: 40}}
  load: {rotational.Inertia: {J: 0.5}}
  equations: [drive.w_ref = 1.5 + sin(4*time), other.w_ref = 1]
  connect:
    - [drive.flange, joint.flange]
    - [other.flange, load.flange_a]
actions:
  - ActionAttach: [cargo_lock, hand]
  - EventAfterPeriod: 0.5
  - ActionRelease: cargo_lock
  - EventAfterPeriod: 0.3
  - ActionLock: [joint, impulse]
  - EventAfterPeriod: 0.2
  - ActionUnlock: joint
simulation: {stop_time: 1.6, tolerance: 1e-10}
expect:
  segments(): 5
  final(load.w): {value: 1.0, tolerance: 0.2}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario with two drives, the file of these beside it."""
    pytest.importorskip("rumoca")
    (tmp_path / "cell" / "drives").mkdir(parents=True)
    (tmp_path / "cell" / "drives" / "Servo.mo").write_text(SOURCE, encoding="utf-8")
    file = tmp_path / "cell" / "cell.yaml"
    file.write_text(YAML.replace("2000 g.m^2/1000", "0.002"), encoding="utf-8")
    return file


def test_it_is_what_python_says(scenario: Path, drive: LoadedModel) -> None:
    in_python = run(arm(drive))
    read = read_scenario(scenario)
    result = read.instantiate().simulate(1.6, tolerance=1e-10)
    assert [r.cause for r in result.segments] == [r.cause for r in in_python.segments]
    for k in range(1, 6):
        assert result.segment(k)["joint.phi"][-1] == pytest.approx(in_python.segment(k)["joint.phi"][-1], abs=1e-5)
    assert result.statistics["compilations_after_start"] == 0


def test_on_the_command_line(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(scenario)]) == 0
    capsys.readouterr()
    options = ["--json", "--stop-time", "0.4", "--tolerance", "1e-6", "--set", "other.ratio=10"]
    assert main(["run", str(scenario), *options]) == 0
    assert len(json.loads(capsys.readouterr().out)["segments"]) == 2
    assert read_scenario(scenario, overrides=options[-1:]).instantiate().parameter("other.gear.ratio") == 10
    assert main(["run", str(scenario), "--set", "other.ratioo=10"]) == 2
    assert "'other' has no 'ratioo'" in capsys.readouterr().err


def test_values_have_units_and_follow_each_other(scenario: Path) -> None:
    scenario.write_text(YAML.replace("rotor: {J: 2000 g.m^2/1000}", "J: 30 kg.cm^2"))
    simulation = read_scenario(scenario).instantiate()
    assert simulation.parameter("drive.rotor.J") == pytest.approx(0.003)
    assert simulation.parameter("other.rotor.J") == 0.002
    assert simulation.parameter("other.controller.limit") == 1.0
    scenario.write_text(YAML.replace("rotor: {J: 2000 g.m^2/1000}", "J: 30 kg"))
    with pytest.raises(ModiaError, match=r"measures something else.*expected a quantity in kg.m2"):
        read_scenario(scenario)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "drives/Servo.mo, model: Servo.Drive}",
            "../Servo.mo}",
            "'file' of 'modelica' is outside of the permitted folders.*--permit",
        ),
        ("drives/Servo.mo, model: Servo.Drive}", "drives/Servi.mo}", "there is no file .*Servi.mo"),
        (
            "model: Servo.Drive}",
            "modul: Servo.Drive}",
            "unknown key 'modul' in 'modelica'; expected one of file, model",
        ),
        ("model: Servo.Drive}", "model: 3}", "'model' of 'modelica' is wrong; found a number: 3; expected the name of a class"),
        (
            "libraries: []",
            "libraries: /usr",
            "'libraries' of 'modelica' is wrong; found text: '/usr'; expected a list",
        ),
        ("libraries: []", "libraries: [/usr]", "'libraries' of 'modelica' is outside of the permitted folders.*'/usr'"),
        (
            "file: drives/Servo.mo, model: Servo.Drive, ",
            "model: Servo.Drive, ",
            "'file' of 'modelica' is wrong.*the name of a file",
        ),
        ("ratio: 20", "ratoi: 20", "unknown key 'ratoi' in Servo.Drive; expected one of .*ratio"),
        ("J: 0.002}\n", "_flat: 1}\n", "unknown key '_flat'"),
        ("rotor: {J: 2000 g.m^2/1000}", "gear: {flange_a: {tau: {Var: {flow: true}}, phi2: 1}}", "unknown key 'phi2'"),
    ],
)
def test_mistakes_are_told_with_their_line(scenario: Path, old: str, new: str, message: str) -> None:
    text = YAML.replace(old, new, 1)
    assert text != YAML
    scenario.write_text(text)
    (scenario.parent.parent / "Servo.mo").write_text(SOURCE)
    with pytest.raises(ModiaError, match=message) as caught:
        read_scenario(scenario)
    assert caught.value.file == str(scenario)
    written = next(k for k, line in enumerate(text.splitlines(), 1) if new.strip() in line)
    assert caught.value.line == written


def test_folders_are_permitted(scenario: Path) -> None:
    scenario.write_text(YAML.replace("drives/Servo.mo", "../shared/Servo.mo").replace("2000 g.m^2/1000", "0.002"))
    shared = scenario.parent.parent / "shared"
    shared.mkdir()
    (shared / "Servo.mo").write_text(SOURCE)
    with pytest.raises(ModiaError, match="outside of the permitted folders"):
        read_scenario(scenario)
    assert "drive" in read_scenario(scenario, [shared]).model


def test_a_file_of_a_package_brings_the_package(scenario: Path) -> None:
    """So all of the package must be permitted, not only the folder of the file."""
    drives = scenario.parent / "drives"
    (scenario.parent.parent / "cell" / "package.mo").write_text("within ; package cell end cell;")
    (drives / "package.mo").write_text("within cell; package drives end drives;")
    (drives / "M.mo").write_text("within cell.drives; model M Real x = time; end M;")
    inner = drives / "inner.yaml"
    entries = "  world: {Object3D: {feature: {Scene: {}}}}\n  m: {modelica: {file: M.mo, model: cell.drives.M}}\n"
    inner.write_text(f"modia3d: 1\nmodel:\n{entries}simulation: {{stop_time: 1}}\n")
    with pytest.raises(ModiaError, match=r"the package of modelica.*outside.*--permit .*cell\."):
        read_scenario(inner)
    assert "x" in read_scenario(inner, [scenario.parent]).model["m"]


def test_what_modelica_source_does_wrong_has_its_own_place(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = scenario.parent / "drives" / "Servo.mo"
    file.write_text(SOURCE.replace("connect(spring.flange_b, flange);", "connect(spring.flange_c, flange);"))
    assert main(["run", str(scenario)]) == 2
    told = capsys.readouterr().err
    line = next(k for k, text in enumerate(file.read_text().splitlines(), 1) if "flange_c" in text)
    assert f"{file}:{line}" in told
    assert "column" in told


def test_without_the_compiler_it_is_said_what_to_install(scenario: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "rumoca" else found(name, *more))
    with pytest.raises(ModiaError, match=r"rumoca is not installed.*pip install 'modia3d\[modelica\]'") as caught:
        read_scenario(scenario)
    assert caught.value.file == str(scenario)


def test_editors_know_it(scenario: Path) -> None:
    for made in (scenario_schema(), scenario_schema(scenario)):
        schema = jsonschema.Draft7Validator(made)
        data = read_tree(scenario).plain()
        assert not list(schema.iter_errors(data))
        data["model"]["drive"]["modelica"]["modul"] = "Drive"
        assert list(schema.iter_errors(data))
        del data["model"]["drive"]["modelica"]["modul"], data["model"]["drive"]["modelica"]["file"]
        assert list(schema.iter_errors(data))


def test_it_is_not_written_as_yaml(tmp_path: Path, drive: LoadedModel) -> None:
    with pytest.raises(ModelError, match="drive: a class of Modelica source cannot be written as YAML"):
        write_scenario(arm(drive) | Model3D(actions=None), tmp_path / "arm.yaml")
    assert instantiate(arm(drive)).parameter("drive.ratio") == 20
