"""The journey of a robot cell: a UR5 is included from URDF, gets drives, and takes five parts to their places by poses."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d.cli.main import main
from modiapy import read_result

pytestmark = pytest.mark.white_box

CELL = Path(__file__).parent / "ur5_cell"
PARTS = range(5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the cell, and the result of their run."""
    folder = tmp_path_factory.mktemp("cell")
    shutil.copytree(CELL, folder, dirs_exist_ok=True)
    assert main(["run", str(folder / "cell.yaml"), "--output", str(folder / "cell.h5")]) == 0
    return folder


@pytest.fixture(scope="module")
def result(folder: Path) -> Any:
    return read_result(folder / "cell.h5")


def test_every_part_comes_to_its_place(result: Any) -> None:
    assert (result.verdict, result.success) == ("five parts are placed", True)
    for k in PARTS:
        place = result[f"places[{k}].r_abs"][-1]
        assert place == pytest.approx([0.3 + 0.1 * k, -0.35, 0.8], abs=1e-9)
        assert result[f"pool.m{k}.body.r_abs"][-1] == pytest.approx(place + [0, 0, 0.03], abs=0.002)  # mating: 2 mm


def test_segments_say_what_happened(result: Any) -> None:
    causes = [record.cause for record in result.segments]
    expected = ["initialization"]
    for k in PARTS:
        expected += [
            f"ActionAdd pool.m{k}.foot at feeder",
            f"ActionReleaseAndAttach pool.m{k}.top -> arm.grip",
            f"ActionReleaseAndAttach pool.m{k}.foot -> places[{k}]",
        ]
    assert causes == expected


def test_parts_are_there_from_their_appearance_on_and_carried_by_the_hand(result: Any) -> None:
    starts = {record.cause: record.start for record in result.segments}
    for k in PARTS:
        position = result[f"pool.m{k}.body.r_abs"]
        there = np.isfinite(position).all(axis=1)
        assert there[result.time > starts[f"ActionAdd pool.m{k}.foot at feeder"]].all()
        assert not there[result.time < starts[f"ActionAdd pool.m{k}.foot at feeder"]].any()
        carried = result.time > starts[f"ActionReleaseAndAttach pool.m{k}.top -> arm.grip"]
        carried &= result.time < starts[f"ActionReleaseAndAttach pool.m{k}.foot -> places[{k}]"]
        apart = position[carried] - result["arm.grip.r_abs"][carried]
        assert np.linalg.norm(apart, axis=1) == pytest.approx(0.03, abs=1e-3)
        assert np.ptp(np.linalg.norm(apart, axis=1)) < 1e-9  # rigidly


def test_the_drives_hold_the_weight_at_rest(result: Any) -> None:
    """The torque of each gear is what gravity asks for, from masses and centres of the URDF file."""
    robot = ET.parse(CELL / "ur5.urdf").getroot()
    weights: list[tuple[str, float, np.ndarray]] = []
    for link in robot.iter("link"):
        if (inertial := link.find("inertial")) is not None:
            origin, mass = inertial.find("origin"), inertial.find("mass")
            assert mass is not None
            centre = np.array(origin.get("xyz", "").split(), dtype=float) if origin is not None else np.zeros(3)
            name = f"arm.ur5.{link.get('name')}"
            at = result[f"{name}.r_abs"][-1] + result[f"{name}.R_abs"][-1] @ centre
            weights.append((name, float(mass.get("value", "")), at))
    joints = [joint for joint in robot.iter("joint") if joint.get("type") == "revolute"]
    for k, joint in enumerate(joints):
        child, axis = joint.find("child"), joint.find("axis")
        assert child is not None
        assert axis is not None
        frame = f"arm.ur5.{child.get('link')}"
        turned = result[f"{frame}.R_abs"][-1] @ np.array(axis.get("xyz", "").split(), dtype=float)
        moved = [name for name, _, _ in weights]
        below = weights[moved.index(frame) :]
        forces = [np.cross(at - result[f"{frame}.r_abs"][-1], [0, 0, -9.81 * mass]) for _, mass, at in below]
        held = 101 * result[f"arm.drives[{k}].torque.tau"][-1]
        assert held == pytest.approx(-turned @ np.sum(forces, axis=0), abs=0.02)


def test_another_gear_is_told_by_the_motors(folder: Path, result: Any, capsys: pytest.CaptureFixture[str]) -> None:
    other = folder / "other.h5"
    arguments = ["--set", "arm.gear.ratio=60", "--stop-time", "4", "--output", str(other), "--json"]
    assert main(["run", str(folder / "cell.yaml"), *arguments]) == 0
    told = json.loads(capsys.readouterr().out)
    notes = [note["text"] for note in told["segments"][-1]["notes"]]
    assert any("ends with the simulation" in text for text in notes)  # the stop time lies within a path
    changed = read_result(other)
    until = changed.time[-1]
    for k in (0, 1, 2, 3, 5):  # the fifth joint keeps the tool upright
        speeds = [np.abs(one[f"arm.drives[{k}].motor.w"][one.time <= until]).max() for one in (result, changed)]
        assert speeds[1] / speeds[0] == pytest.approx(60 / 101, rel=0.02)
    assert main(["compare", str(folder / "cell.h5"), str(folder / "cell.h5")]) == 0
    assert main(["compare", str(folder / "cell.h5"), str(other), "arm.drives[0].motor.w"]) == 1
    assert "motor.w" in capsys.readouterr().out


def test_check_and_plot(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(folder / "cell.yaml")]) == 0
    assert "can be simulated" in capsys.readouterr().out
    figure = folder / "motors.svg"
    assert main(["plot", str(folder / "cell.h5"), "arm.drives[*].motor.w", "arm.grip.r_abs", "-o", str(figure)]) == 0
    drawing = figure.read_text()
    assert "<svg" in drawing


MISTAKES = {
    "misspelt key": (
        "parts.yaml",
        "lockable: true",
        "lockabel: true",
        r"parts.yaml:10:\d+: Part.top: .*Did you mean 'lockable'",
    ),
    "wrong unit": (
        "cell.yaml",
        "20 cm, 35 cm",
        "20 kg, 35 cm",
        r"cell.yaml:14:52: feeder.translation: .*'20 kg'.*quantity in m",
    ),
    "unit without a blank": (
        "cell.yaml",
        "-30 cm, 0",
        "-30cm, 0",
        r"cell.yaml:13:\d+: arm.ur5.base_link.translation: .*-30 cm",
    ),
    "joint of another name": ("arm.yaml", "ur5.elbow.fl", "ur5.elbow_joint.fl", r"arm.yaml:19.* leads nowhere.*mean 'elbow'"),
    "a loop too far": ("cell.yaml", "count: 6", "count: 7", r"cell.yaml:18:.*'actions.q6.position'.*one of q0, q1"),
    "no such drive": (
        "cell.yaml",
        "arm.drives[i].w_ref",
        "arm.drive[i].w_ref",
        r"cell.yaml:18:.*'arm.drive\[0\].w_ref'.*drives",
    ),
    "no such frame": ("cell.yaml", "frame: arm.grip,", "frame: arm.gripper,", r"cell.yaml:33:\d+: .*'arm.gripper'.*'arm.grip'"),
    "too few parts": ("cell.yaml", "size: 5", "size: 4", r"cell.yaml:32:\d+: .*'pool.m4.foot'"),
    "no such file": ("arm.yaml", "ur5.urdf", "ur10.urdf", r"arm.yaml:7:\d+: .*no file .*ur10.urdf"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_found_before_the_run(mistake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, old, new, words = MISTAKES[mistake]
    assert_refused("check", tmp_path, file, old, new, capsys, words)


RUN = {
    "out of reach": (
        "0.1*i, -35 cm, 2 cm",
        "0.9, -35 cm, 2 cm",
        r"cell.yaml:38:\d+: .*cannot be reached.*places\[0\].*at best",
    ),
    "wrong face": (
        '"pool.m{i}.top", arm',
        '"pool.m{i}.foot", arm',
        r"cell.yaml:37:\d+: .*do not mate.*angle between the z axis",
    ),
    "attached twice": (
        'ActionReleaseAndAttach: ["pool.m{i}.top", arm.grip]',
        'ActionAttach: ["pool.m{i}.top", arm.grip]',
        r"cell.yaml:43:\d+: .*one over the lock arm.grip - pool.m0.top, one over feeder - pool.m0.foot.*Name a frame",
    ),
}


@pytest.mark.parametrize("mistake", RUN)
def test_mistakes_in_the_program_are_named_when_they_happen(
    mistake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, words = RUN[mistake]
    assert_refused("run", tmp_path, "cell.yaml", old, new, capsys, words)


def assert_refused(
    command: str, folder: Path, file: str, old: str, new: str, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    shutil.copytree(CELL, folder, dirs_exist_ok=True)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    assert main([command, str(folder / "cell.yaml")]) == 2
    message = capsys.readouterr().err
    assert re.search(words, message), message
    assert "Traceback" not in message
