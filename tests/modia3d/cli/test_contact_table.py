"""What the command line prints of contacts, and shows of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from modia3d.cli.main import main
from modia3d.cli.table import contact_summary, contact_table

from ..viewer.pages import head_of, motion, shown

pytestmark = pytest.mark.white_box

BALL = """\
modia3d: 1
description: a ball on the floor
model:
  world: {Object3D: {feature: {Scene: {}}}}
  floor: {Object3D: {parent: world, feature: {Solid: {shape: {Plane: {axis: y}}, collision: true, contact_material: Steel}}}}
  ball:
    Object3D:
      parent: world
      fixed_to_parent: false
      translation: [0, 0.11, 0]
      feature: {Solid: {shape: {Sphere: 0.2}, solid_material: Steel, collision: true}}
simulation: {stop_time: 0.5, interval: 0.05}
"""

ROWS = [
    {"pair": ["ball", "floor"], "begin": 0.4515236, "end": 0.4521, "largest_force": 812.345678, "impulse": 0.91234},
    {"pair": ["hand.finger", "ball"], "begin": 1.0, "end": None, "largest_force": 12.5, "impulse": 3.0},
]


def test_one_line_says_how_many_and_how_strong():
    expected = "2 contacts, 1 of them to the end, the largest force 812.346 N between ball and floor"
    assert contact_summary(ROWS) == expected
    assert contact_summary([ROWS[0] | {"largest_force": 0.0}]) == "1 contact"


def test_one_line_for_each_contact():
    lines = contact_table(ROWS).splitlines()
    assert lines[0].split() == ["begins", "[s]", "ends", "[s]", "force", "[N]", "impulse", "[N.s]", "between"]
    assert lines[1].split() == ["0.4515236", "0.4521", "812.346", "0.91234", "ball", "and", "floor"]
    assert lines[2].split() == ["1", "12.5", "3", "hand.finger", "and", "ball"]
    assert len({line.index(word) for line, word in zip(lines, ("between", "ball", "hand"), strict=True)}) == 1


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    file = tmp_path / "ball.yaml"
    file.write_text(BALL)
    return str(file)


def test_contacts_of_a_run(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", scenario, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    contacts = figures["contacts"]
    assert all(row["pair"] == ["floor", "ball"] for row in contacts)
    assert contacts[0]["begin"] == pytest.approx((2.0 * 0.01 / 9.81) ** 0.5, rel=1e-3)
    assert figures["compilations_after_start"] == 0
    assert main(["run", scenario]) == 0
    few = capsys.readouterr().out
    assert f"{len(contacts)} contacts" in few
    assert main(["run", scenario, "--contacts"]) == 0
    all_of_them = capsys.readouterr().out
    assert all_of_them.count("floor and ball") == few.count("floor and ball") + len(contacts)


@pytest.mark.parametrize("how", ["option", "scene", "neither"])
def test_contacts_in_the_animation(scenario: str, tmp_path: Path, how: str) -> None:
    """The needle is there while the ball touches, and where it does."""
    if how == "scene":
        text = Path(scenario).read_text().replace("{Scene: {}}", "{Scene: {visualize_contacts: true}}")
        Path(scenario).write_text(text)
    page = tmp_path / "ball.html"
    assert main(["run", scenario, "--html", str(page), *(["--contacts"] if how == "option" else [])]) == 0
    head = head_of(page.read_text())
    contact = {"mechanics.contact[floor,ball].force", "mechanics.contact[floor,ball].point"}
    assert shown(head) == {"floor", "ball", *(contact if how != "neither" else ())}
    if how != "neither":
        _, places = motion(head, "mechanics.contact[floor,ball].point")
        assert np.isnan(places[0]).all()
        assert abs(places[-1][2]) < 1e-5
