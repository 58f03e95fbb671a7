"""``modia3d import``: a robot's file becomes a scenario that can be checked and run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from modia3d.cli.main import main

from ..files.importers.robots import PACKAGE, robot_folder

pytestmark = pytest.mark.white_box

ARM = """<robot name="r">
<link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous">
<parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><dynamics damping="0.1"/></joint>
</robot>"""


def test_an_imported_robot_can_be_checked_and_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robot, scene = robot_folder() / "robots" / "solo_description" / "robots" / "solo12.urdf", tmp_path / "solo.yaml"
    assert main(["import", str(robot), "-o", str(scene), "--root", f"{PACKAGE}={robot_folder()}", "--floating"]) == 0
    streams = capsys.readouterr()
    assert f"scenario: {scene}" in streams.out
    assert "left out: <collision>" in streams.err
    assert list((tmp_path / "solo_meshes").iterdir())
    assert main(["check", str(scene)]) == 0
    assert main(["run", str(scene), "--stop-time", "0.05"]) == 0
    assert "18" in capsys.readouterr().out


def test_flanges_keep_the_damping(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    assert main(["import", str(tmp_path / "arm.urdf")]) == 0
    streams = capsys.readouterr()
    assert streams.out.startswith("modia3d: 1\n")
    assert "damping of joints without a flange" in streams.err
    assert main(["import", str(tmp_path / "arm.urdf"), "--flanges", "hinge", "-o", str(tmp_path / "arm.yaml")]) == 0
    assert "damping" not in capsys.readouterr().err
    assert "rotational.Damper: {d: 0.1}" in (tmp_path / "arm.yaml").read_text()
    assert main(["check", str(tmp_path / "arm.yaml")]) == 0


def test_mjcf_is_recognised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = '<body name="a"><joint name="j" axis="0 1 0"/><geom type="box" size="1 1 1" pos="1 0 0"/></body>'
    (tmp_path / "arm.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    assert main(["import", str(tmp_path / "arm.xml"), "-o", str(tmp_path / "arm.yaml")]) == 0
    assert main(["check", str(tmp_path / "arm.yaml")]) == 0
    assert main(["import", str(tmp_path / "arm.xml"), "--floating"]) == 2
    assert "freejoint" in capsys.readouterr().err


def test_collision_geometry_is_kept_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ball = '<link name="arm"><collision><geometry><sphere radius="0.1"/></geometry></collision>'
    (tmp_path / "arm.urdf").write_text(ARM.replace('<link name="arm">', ball))
    for arguments, material in ((["--contacts"], "Steel"), (["--contacts", "Rubber", "--show-contacts"], "Rubber")):
        assert main(["import", str(tmp_path / "arm.urdf"), *arguments]) == 0
        streams = capsys.readouterr()
        assert f"contact: 1 shape of contact_material '{material}' collides (sphere 1)" in streams.err
        assert f"contact_material: {material}" in streams.out
        assert ("transparency" in streams.out) == (material == "Steel")
    assert main(["import", str(tmp_path / "arm.urdf"), "--contacts", "Rubbr"]) == 2
    assert "Did you mean 'Rubber'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        (("continuous", "screw"), [], [":4: /robot/joint[hinge]: unknown joint type"]),
        (('value="1"', 'value="-1"'), [], [":3: /robot/link[arm]/inertial/mass: the mass is negative"]),
        (("</robot>", ""), [], ["not well-formed XML"]),
        (("robot", "machine"), [], ["/machine: this is no URDF file"]),
        (("", ""), ["--root", "mine"], ["--root is wrong", "NAME=FOLDER"]),
        (("", ""), ["--flanges", "hing"], ["'hing' in flanges", "Did you mean 'hinge'?"]),
        (("", ""), ["-o", "/no/such/folder/x.yaml"], ["cannot be written"]),
    ],
)
def test_a_mistake_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], arguments: list[str], words: list[str]
) -> None:
    (tmp_path / "arm.urdf").write_text(ARM.replace(*change) if change[0] else ARM)
    assert main(["import", str(tmp_path / "arm.urdf"), *arguments]) == 2
    message = capsys.readouterr().err
    assert message.startswith("modia3d: ")
    assert message.count("\n") == 1
    for word in words:
        assert word in message


def test_an_entity_bomb_does_not_hurt_a_real_process(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' for k in range(12))
    (tmp_path / "bomb.urdf").write_text(f'<!DOCTYPE r [<!ENTITY e0 "boom">{levels}]><robot name="&e12;"/>')
    command = [sys.executable, "-m", "modia3d", "import", str(tmp_path / "bomb.urdf")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "entities are not read" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_scenario_does_not_overwrite_the_robot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robot = tmp_path / "arm.urdf"
    robot.write_text(ARM)
    assert main(["import", str(robot), "-o", str(robot)]) == 2
    assert "--output would overwrite the robot's file" in capsys.readouterr().err
    assert robot.read_text() == ARM
