"""``include``: definitions of other files, scenarios and robots as definitions; where they may be, and where mistakes stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d.cli.main import main
from modia3d.files import read_scenario
from modiapy import ModiaError

from ..scene.test_mesh import brick

pytestmark = pytest.mark.white_box

HEAD = "modia3d: 1\n"
WORLD = '  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: "-z"}}}}}}\n'
LINKS = """\
modia3d: 1
definitions:
  Link:
    Model:
      length: 1.0
      body: {Object3D: {feature: {Solid: {shape: {Box: ["length", 0.05, 0.05]}, solid_material: Aluminium}}}}
      start: {Object3D: {parent: body, translation: ["-length/2", 0, 0]}}
      end: {Object3D: {parent: body, translation: ["length/2", 0, 0]}}
"""
ARM = f"""\
modia3d: 1
include: parts/links.yaml
definitions:
  Grip: {{Link: {{length: 0.2}}}}
model:
{WORLD}\
  base: {{Object3D: {{parent: world}}}}
  upper: {{Link: {{length: 0.6}}}}
  hand: {{Grip: {{}}}}
  hinge: {{Revolute: {{obj1: base, obj2: upper.start, axis: y, phi: {{Var: {{init: 0.3}}}}}}}}
  wrist: {{Revolute: {{obj1: upper.end, obj2: hand.start, axis: y}}}}
simulation: {{stop_time: 9}}
"""
CELL = f"""\
modia3d: 1
include:
  - arms/parts/links.yaml
  - {{Arm: arms/arm.yaml}}
model:
{WORLD}\
  table: {{Object3D: {{parent: world, translation: [1, 0, 0]}}}}
  left: {{Arm: {{base: {{translation: [0, 1, 0]}}}}}}
  right: {{Arm: {{base: {{parent: table}}, hand: {{length: 0.3}}}}}}
simulation: {{stop_time: 0.5, interval: 0.1}}
"""


def write(folder: Path, **files: str) -> Path:
    """Files by their names, in which ``__`` stands for a slash; the path of the first one."""
    paths = [folder / f"{name.replace('__', '/')}.yaml" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return paths[0]


def cell(folder: Path, **changed: str) -> Path:
    return write(folder, **{"cell": CELL, "arms__arm": ARM, "arms__parts__links": LINKS} | changed)


def test_an_included_arm_moves_as_one_that_is_written_out(tmp_path: Path) -> None:
    arms = "".join(
        f"  {name}: {{Object3D: {{parent: world, translation: {place}}}}}\n"
        f"  {name}_upper: {{Link: {{length: 0.6}}}}\n  {name}_hand: {{Link: {{length: {hand}}}}}\n"
        f"  {name}_hinge: {{Revolute: {{obj1: {name}, obj2: {name}_upper.start, axis: y, phi: {{Var: {{init: 0.3}}}}}}}}\n"
        f"  {name}_wrist: {{Revolute: {{obj1: {name}_upper.end, obj2: {name}_hand.start, axis: y}}}}\n"
        for name, place, hand in (("left", "[0, 1, 0]", 0.2), ("right", "[1, 0, 0]", 0.3))
    )
    flat = write(tmp_path, flat=f"{LINKS}model:\n{WORLD}{arms}simulation: {{stop_time: 0.5, interval: 0.1}}\n")
    results: list[Any] = []
    for file in (cell(tmp_path), flat):
        scenario = read_scenario(file)
        results.append(scenario.instantiate().simulate(0.5, interval=0.1))
    included, written = results
    for arm in ("left", "right"):
        for joint in ("hinge", "wrist"):
            np.testing.assert_allclose(included[f"{arm}.{joint}.phi"], written[f"{arm}_{joint}.phi"], rtol=1e-9)
        np.testing.assert_allclose(included[f"{arm}.hand.body.r_abs"], written[f"{arm}_hand.body.r_abs"], rtol=1e-9)
    assert abs(included["left.wrist.phi"][-1] - included["right.wrist.phi"][-1]) > 1e-3


def test_a_definition_that_arrives_on_two_ways_is_one(tmp_path: Path) -> None:
    middle = f"{HEAD}include: links.yaml\ndefinitions: {{Long: {{Link: {{length: 2}}}}}}\n"
    model = f"model:\n{WORLD}  a: {{Long: {{}}}}\n  b: {{Link: {{}}}}\nsimulation: {{stop_time: 0}}\n"
    file = write(tmp_path, cell=f"{HEAD}include: [links.yaml, middle.yaml]\n{model}", links=LINKS, middle=middle)
    scenario = read_scenario(file)
    assert [scenario.model[name]["length"] for name in "ab"] == [2, 1.0]
    assert {path.name for path in scenario.files} == {"links.yaml", "middle.yaml"}


URDF = """\
<robot name="arm">
  <link name="base_link"/>
  <link name="upper">
    <inertial>
      <mass value="2"/><origin xyz="0.3 0 0"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><geometry><mesh filename="MESH"/></geometry></visual>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base_link"/><child link="upper"/><axis xyz="0 1 0"/><limit lower="-3" upper="3"/><dynamics damping="0.5"/>
  </joint>
</robot>
"""
ROBOT_CELL = f"""\
modia3d: 1
include: {{Robot: {{file: robots/arm.urdf, flanges: all, positions: {{hinge: 200 mrad}}}}}}
model:
{WORLD}\
  robot: {{Robot: {{}}}}
  motor: {{rotational.ConstantTorque: {{tau_constant: -3.0}}}}
  connect: [[motor.flange, robot.hinge.flange]]
simulation: {{stop_time: 0.2}}
"""


def robot_cell(folder: Path, text: str = ROBOT_CELL, mesh: str = "brick.stl") -> Path:
    (folder / "robots").mkdir(exist_ok=True)
    brick(folder / "robots" / "brick.stl")
    (folder / "robots" / "arm.urdf").write_text(URDF.replace("MESH", mesh))
    return write(folder, cell=text)


def test_a_robot_in_urdf_is_a_definition(tmp_path: Path) -> None:
    """The acceleration at the start by hand: (I + m r^2) w' = tau + m g r cos(phi), about y, with g along -z."""
    scenario = read_scenario(robot_cell(tmp_path))
    result = scenario.instantiate().simulate(0.01, interval=0.001)
    expected = (-3.0 + 2.0 * 9.81 * 0.3 * np.cos(0.2)) / (0.1 + 2.0 * 0.3**2)
    assert result["robot.hinge.phi"][0] == 0.2
    assert result["robot.hinge.w"][1] / 0.001 == pytest.approx(expected, rel=0.01)  # damping over a millisecond
    seen = scenario.inputs(scenario.instantiate())
    assert str((tmp_path / "robots" / "brick.stl").resolve()) in seen
    assert str((tmp_path / "robots" / "arm.urdf").resolve()) in seen


def test_a_mesh_is_looked_for_beside_the_file_that_names_it(tmp_path: Path) -> None:
    """Both folders have a brick.stl; a change that is written in the cell means the one beside the cell."""
    part = "{Object3D: {fixed_to_parent: false, feature: {Solid: {shape: {Mesh: brick.stl}, solid_material: Steel}}}}"
    parts = f"{HEAD}definitions:\n  Part: {part}\n"
    model = f"model:\n{WORLD}  a: {{Part: {{}}}}\n  b: {{Part: {{feature: {{shape: {{file: brick.stl}}}}}}}}\n"
    file = write(tmp_path, cell=f"{HEAD}include: parts/parts.yaml\n{model}simulation: {{stop_time: 0}}\n", parts__parts=parts)
    brick(tmp_path / "brick.stl")
    brick(tmp_path / "parts" / "brick.stl")
    objects = read_scenario(file).instantiate().flat.objects
    found = {name: objects[name].feature.shape.path for name in "ab"}
    assert found == {"a": tmp_path / "parts" / "brick.stl", "b": tmp_path / "brick.stl"}


@pytest.mark.parametrize(
    ("name", "old", "new", "place", "words"),
    [
        ("arms__parts__links", "Solid: {shape", "Solid: {shpae", "links.yaml:6:43: ", "'shpae'.*'shape'"),
        ("arms__arm", "obj1: base", "obj1: bsae", "arm.yaml:10:3: left.hinge", "bsae"),
        ("arms__arm", "length: 0.6", "length: lenght", "arm.yaml:8:18: left.upper.length", "lenght"),
        ("cell", "length: 0.3", "lenght: 0.3", "cell.yaml:9:", "'lenght'.*'length'"),
        ("cell", "Arm: arms/arm", "Arm: arms/amr", "cell.yaml:4:11: ", "no file"),
        ("cell", "{Arm: arms", "{arm: arms", "cell.yaml:4:", "capital"),
        ("cell", "{Arm: arms", "{Box: arms", "cell.yaml:4:", "constructor"),
        ("cell", "{Arm: arms/arm.yaml}", "arms/arm.yaml", "cell.yaml:8:", "'Arm' is not known"),
        ("cell", "{Arm: arms/arm.yaml}", "3", "cell.yaml:4:5: ", "name of a file"),
        ("cell", "{Arm: arms/arm.yaml}", "{Arm: {file: arms/arm.yaml, flanges: all}}", "cell.yaml:4:", "for robots"),
        ("cell", "{Arm: arms/arm.yaml}", "{Arm: {fiel: arms/arm.yaml}}", "cell.yaml:4:12: ", "'file'"),
        ("cell", "{Arm: arms/arm.yaml}", "{Link: arms/arm.yaml}", "cell.yaml:4:", "two definitions 'Link'"),
        ("arms__arm", "include: parts/links", "include: parts/../arm", "arm.yaml:2:10: ", "arm.yaml -> arm.yaml"),
        (
            "arms__parts__links",
            "modia3d: 1\n",
            "modia3d: 1\ninclude: ../arm.yaml\n",
            "arm.yaml:2:10: ",
            "links.yaml -> arm.yaml -> links.yaml",
        ),
        ("arms__arm", "modia3d: 1\n", "", "arm.yaml", "'modia3d' is missing"),
        ("cell", "arms/parts/links.yaml", "robot.urdf", "cell.yaml:3:5: ", "no definitions.*{Robot: robot.urdf}"),
    ],
)
def test_mistakes_are_told_where_they_stand(tmp_path: Path, name: str, old: str, new: str, place: str, words: str) -> None:
    texts = {"cell": CELL, "arms__arm": ARM, "arms__parts__links": LINKS}
    assert old in texts[name]
    (tmp_path / "robot.urdf").write_text(URDF)
    file = cell(tmp_path, **{name: texts[name].replace(old, new, 1)})
    with pytest.raises(ModiaError, match=words) as caught:
        read_scenario(file).instantiate()
    assert place in str(caught.value)


def test_the_example_of_the_guide(tmp_path: Path) -> None:
    guide = Path(__file__).parents[3] / "docs" / "scenarios.md"
    (text,) = [text for text in re.findall(r"```yaml\n(.*?)```", guide.read_text(), re.DOTALL) if "include:" in text]
    brick(tmp_path / "robots" / "brick.stl")
    (tmp_path / "robots" / "ur5.urdf").write_text(URDF.replace("MESH", "brick.stl"))
    file = write(tmp_path, cell=text, parts__links=LINKS, parts__arm=ARM.replace("parts/", ""))
    simulation = read_scenario(file).instantiate()
    assert simulation.simulate(0.0)["arm.hand.end.r_abs"][0, 2] < 0.9
    assert "robot.hinge" in simulation.flat.objects


def test_circles_are_told_with_their_way(tmp_path: Path) -> None:
    parts = {
        name: f"{HEAD}include: {other}.yaml\ndefinitions: {{X{name}: {{Model: {{}}}}}}\n" for name, other in ("ab", "bc", "ca")
    }
    file = write(tmp_path, cell=f"{HEAD}include: a.yaml\nmodel: {{}}\nsimulation: {{stop_time: 1}}\n", **parts)
    with pytest.raises(ModiaError, match=r"c.yaml:2:10: a file includes itself; found a.yaml -> b.yaml -> c.yaml -> a.yaml"):
        read_scenario(file)


@pytest.mark.parametrize("how", ["file", "link", "mesh", "root"])
def test_files_outside_need_permission(tmp_path: Path, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    inside, outside = tmp_path / "cell", tmp_path / "elsewhere"
    inside.mkdir()
    outside.mkdir()
    brick(outside / "brick.stl")
    file = robot_cell(
        inside, mesh={"mesh": "../../elsewhere/brick.stl", "root": "package://arm/brick.stl"}.get(how, "brick.stl")
    )
    if how == "root":
        file.write_text(ROBOT_CELL.replace("flanges: all", "flanges: all, roots: {arm: ../elsewhere}"))
    if how in ("file", "link"):
        (inside / "robots" / "arm.urdf").rename(outside / "arm.urdf")
        (inside / "robots" / "brick.stl").rename(outside / "brick.stl")
    if how == "link":
        (inside / "robots" / "arm.urdf").symlink_to(outside / "arm.urdf")
    if how == "file":
        file.write_text(ROBOT_CELL.replace("robots/arm.urdf", "../elsewhere/arm.urdf"))
    assert main(["check", str(file)]) == 2
    assert "outside of the permitted folders" in capsys.readouterr().err
    assert main(["check", str(file), "--permit", str(outside)]) == 0
