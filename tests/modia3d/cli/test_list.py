"""``modia3d list``: whatever a scenario may name is listed, with what it means."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from modia3d.cli.list import KINDS, known_names
from modia3d.cli.main import main
from modia3d.files import registry

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["list", *arguments]) == 0
    return capsys.readouterr().out


def test_every_name_of_a_scenario_is_listed_once_with_a_text() -> None:
    every = list(known_names())
    names = [one.name for one in every]
    short = {name.rpartition(".")[2] for name in names}
    assert [name for name in (*registry.constructors(), *registry.actions()) if name.rpartition(".")[2] not in short] == []
    assert len({(one.kind, one.name) for one in every}) == len(every)
    assert {one.kind for one in every} == set(KINDS)
    assert [one.name for one in every if not one.text] == ["Bus"]


def test_a_kind_a_library_and_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    joints = listed(capsys, "joints")
    assert "Rotation of obj2 relative to obj1 about an axis" in joints
    assert "Box" not in joints
    assert "rotational.Damper" in listed(capsys, "rotational")
    found = [line.split()[0] for line in listed(capsys, "Damper").splitlines()]
    assert found[:3] == ["planar.Damper", "rotational.Damper", "translational.Damper"]
    assert "arguments: obj1, obj2, axis" in listed(capsys, "Revolute")
    assert "density 2700" in listed(capsys, "Aluminium")
    counted = listed(capsys).splitlines()
    assert [line.split()[0] for line in counted] == list(KINDS)
    assert sum(int(line.split()[1]) for line in counted) == len(list(known_names()))


def test_json_has_the_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    (box,) = json.loads(listed(capsys, "Box", "--json"))
    assert box["arguments"] == ["length_x", "length_y", "length_z"]
    assert box["kind"] == "shapes"
    assert {"ActionAttach", "wait_until"} <= {one["name"] for one in json.loads(listed(capsys, "actions", "--json"))}


def test_an_unknown_name_proposes_another(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "Revolut"]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "Did you mean 'Revolute'?" in message


def test_a_shell_completes_names() -> None:
    asked = {"_MODIA3D_COMPLETE": "bash_complete", "COMP_WORDS": "modia3d list Revolute", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-m", "modia3d"], env=os.environ | asked, capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert "plain,RevoluteWithFlange" in done.stdout.splitlines()
