"""A robot format from outside of the package, which all ways to a robot know from then on; the options of `RobotOptions`."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d import Model3D, Object3D, Scene, UniformGravity
from modia3d.cli.main import main
from modia3d.files import RobotFormat, add_robot_format, import_mjcf, import_robot, import_urdf, read_scenario
from modia3d.files.importers import formats
from modia3d.files.importers.options import OPTIONS
from modia3d.files.importers.robot import Inertial, Link, Place, Robot, RobotJoint
from modia3d.files.schema import scenario_schema
from modiapy import ModelError, instantiate
from tools.guides import robot_options

pytestmark = pytest.mark.white_box

HEAD = "pendulum robot\n"
WITHOUT = {"floating": "A pendulum hangs.", "limits": "It swings freely."}
CELL = """\
modia3d: 1
include: {Robot: {file: swing.pend, positions: {swing: 500 mrad}}}
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: "-z"}}}}}}
  robot: {Robot: {}}
simulation: {stop_time: 0.01, interval: 0.001}
"""


def read_pendulum(file: Path, files: Any, options: Any, report: Any) -> Robot:
    """One link of a mass at a distance that hangs on a joint: ``mass distance``, in the second line of the file."""
    mass, distance = map(float, file.read_text().splitlines()[1].split())
    place = Place(str(file), "/pendulum")
    if mass <= 0.0:
        raise place.error("a pendulum without mass", found=f"{mass:g} kg", expected="more than 0")
    bob = Link("bob", place, Inertial(mass, np.array([distance, 0.0, 0.0]), 0.01 * mass * np.eye(3)))
    joint = RobotJoint("swing", "revolute", "ceiling", "bob", place, axis=(0.0, 1.0, 0.0))
    report.leave_out("the thread", "bob")
    return Robot("pendulum", "ceiling", {"ceiling": Link("ceiling", place), "bob": bob}, [joint])


@pytest.fixture
def pendulum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of the format, which is known as long as a test lasts."""
    monkeypatch.setattr(formats, "FORMATS", dict(formats.FORMATS))
    recognise = lambda file: file.read_bytes().startswith(HEAD.encode())  # noqa: E731
    add_robot_format(RobotFormat("Pendulum", (".pend",), recognise, read_pendulum, WITHOUT))
    (tmp_path / "swing.pend").write_text(f"{HEAD}2.0 0.5\n")
    return tmp_path / "swing.pend"


def acceleration(phi: float) -> float:
    """Of a mass at 0.5 m about its joint, with gravity along -z: (0.01 m + m d^2) w' = m g d cos(phi)."""
    return 9.81 * 0.5 * np.cos(phi) / (0.01 + 0.5**2)


def test_python_reads_it(pendulum: Path) -> None:
    model = import_robot(pendulum, positions={"swing": 0.5})
    assert model.report == ("left out: the thread (bob)",)
    result = instantiate(model).simulate(0.001, interval=0.001)
    assert result["swing.w"][-1] / 0.001 == pytest.approx(acceleration(0.5), rel=1e-3)
    part = import_robot(str(pendulum), scene=False, flanges="all")
    cell = Model3D(world=Object3D(feature=Scene(gravity=UniformGravity(n="-z"))), left=part)
    assert instantiate(cell).simulate(0.001)["left.swing.w"][-1] / 0.001 == pytest.approx(acceleration(0.0), rel=1e-3)


def test_scenarios_include_it(pendulum: Path) -> None:
    (pendulum.parent / "cell.yaml").write_text(CELL)
    scenario = read_scenario(pendulum.parent / "cell.yaml")
    assert scenario.report == ("swing.pend: left out: the thread (bob)",)
    result = scenario.instantiate().simulate(0.01, interval=0.001)
    assert result["robot.swing.phi"][0] == 0.5
    assert result["robot.swing.w"][1] / 0.001 == pytest.approx(acceleration(0.5), rel=1e-3)


def test_the_command_line_imports_it(pendulum: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = pendulum.parent / "swing.yaml"
    assert main(["import", str(pendulum), "-o", str(scene), "--position", "swing=500 mrad"]) == 0
    assert "left out: the thread (bob)" in capsys.readouterr().err
    assert main(["run", str(scene), "--stop-time", "0.001"]) == 0
    assert "phi: {Var: {init: 0.5}}" in scene.read_text() or "phi: 0.5" in scene.read_text()


def test_schema_and_messages_name_it(pendulum: Path) -> None:
    schema = json.dumps(scenario_schema()["properties"]["include"])
    assert "Pendulum (.pend)" in schema
    assert "Not in MJCF, Pendulum." in schema
    (pendulum.parent / "robot.txt").write_text("something else\n")
    with pytest.raises(ModelError, match=r"no file of a robot; found .*'something else'; .*MJCF.*Pendulum \(\.pend\)"):
        import_robot(pendulum.parent / "robot.txt")
    with pytest.raises(ModelError, match=r"Pendulum has no option 'floating'.*A pendulum hangs\."):
        import_robot(pendulum, floating=True)
    with pytest.raises(ModelError, match=r"Pendulum has no option 'limits'; found limits=False"):
        import_robot(pendulum, limits=False)
    pendulum.write_text(f"{HEAD}0 1\n")
    with pytest.raises(ModelError, match=r"swing.pend: /pendulum: a pendulum without mass"):
        import_robot(pendulum)
    with pytest.raises(ModelError, match="'Pendulum' already"):
        add_robot_format(formats.FORMATS["Pendulum"])


def test_a_suffix_decides_where_the_content_does_not(pendulum: Path) -> None:
    """So that the reader of the format says what is wrong with the file."""
    pendulum.with_suffix(".urdf").write_text("<robot")
    with pytest.raises(ModelError, match="not well-formed XML"):
        import_robot(pendulum.with_suffix(".urdf"))
    pendulum.with_suffix(".xml").write_text("<sdf version='1.9'/>")  # of two formats
    with pytest.raises(ModelError, match=r"no file of a robot; found .*<sdf version"):
        import_robot(pendulum.with_suffix(".xml"))
    with pytest.raises(ModelError, match=r"nowhere\.urdf: there is no such file"):
        import_robot(pendulum.with_name("nowhere.urdf"))


ARM = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""
WRONG = [
    ("flanges", "nedeed", "flanges of the options of a robot is wrong; found 'nedeed'.*'needed'"),
    ("flanges", 3, "flanges of the options of a robot is wrong; found 3; expected none, needed, all, or a list"),
    ("floating", "yes please", "floating of the options of a robot is wrong; found 'yes please'; expected true or false"),
    ("limits", 1, "limits of the options of a robot is wrong; found 1; expected true or false"),
    ("positions", {"hinge": "far"}, "positions of the options of a robot is wrong.*numbers by names of joints"),
    ("roots", ["meshes"], "roots of the options of a robot is wrong.*folders by their names"),
    ("contact_material", "Stel", "unknown solid material 'Stel'.*Steel"),
]


@pytest.mark.parametrize(("name", "value", "words"), WRONG)
def test_wrong_values_are_refused_alike_in_python_and_in_yaml(tmp_path: Path, name: str, value: Any, words: str) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    given: dict[str, Any] = {name: value}
    with pytest.raises(ModelError, match=words):
        import_urdf(tmp_path / "arm.urdf", **given)
    robot = json.dumps({"Robot": {"file": "arm.urdf", **given}})
    (tmp_path / "cell.yaml").write_text(CELL.replace("{Robot: {file: swing.pend, positions: {swing: 500 mrad}}}", robot))
    with pytest.raises(ModelError, match=words) as caught:
        read_scenario(tmp_path / "cell.yaml")
    assert "cell.yaml:2:" in str(caught.value)


def test_signatures_and_texts_are_those_of_the_options(tmp_path: Path) -> None:
    for function, without in ((import_robot, set()), (import_urdf, set()), (import_mjcf, {"floating"})):
        parameters = inspect.signature(function).parameters
        assert list(parameters) == ["file", *(name for name in OPTIONS if name not in without)]
        described = re.findall(r"^    (\w+): \w", inspect.getdoc(function) or "", re.MULTILINE)
        assert described[: len(parameters)] == list(parameters)
        assert parameters["contact_material"].default == "Steel"
    (tmp_path / "arm.urdf").write_text(ARM)
    with pytest.raises(ModelError, match=r"import_urdf has no option 'flange'.*'flanges'"):
        import_urdf(tmp_path / "arm.urdf", flange="all")  # type: ignore[arg-type]


def test_the_table_of_the_guide_is_that_of_the_options() -> None:
    guide = Path(__file__).parents[4] / "docs" / "import.md"
    assert robot_options() in guide.read_text(), "python -m tools.guides writes it"
