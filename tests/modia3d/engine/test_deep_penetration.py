"""Contacts that are too soft for their load are told once for each pair, with what helps."""

import re

import numpy as np
import pytest

from modia3d import (
    ActionDelete,
    ActionWait,
    Box,
    ContactPair,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Plane,
    Prismatic,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
    WorldForce,
)
from modia3d.cli.main import main
from modiapy import ModelError, instantiate

pytestmark = pytest.mark.white_box

SIDE, PAD = 0.04, 0.01
RUBBER = {"Rubber, Rubber": ContactPair(0.0, 0.8)}


def gripper(factor, force=15.0, side=SIDE, **scene):
    """Two pads on slides squeeze a cube."""
    pad = Solid(Box(PAD, 0.03, 0.03), "Rubber", collision=True)
    return Model3D(
        world=Object3D(
            feature=Scene(
                gravity=NoGravity(), elastic_contact_reduction_factor=factor, contact_pairs=RUBBER,
                maximum_contact_damping=100.0, **scene,
            )
        ),
        cube=Object3D(parent="world", fixed_to_parent=False, feature=Solid(Box(side, side, side), "Rubber", collision=True)),
        left=Object3D(feature=pad),
        right=Object3D(feature=pad),
        j_left=Prismatic("world", "left", "x", s=-0.5 * (side + PAD) - 1e-4),
        j_right=Prismatic("world", "right", "x", s=0.5 * (side + PAD) + 1e-4),
        push_left=WorldForce("left", force=(force, 0.0, 0.0)),
        push_right=WorldForce("right", force=(-force, 0.0, 0.0)),
    )  # fmt: skip


def deep(result):
    """Notes of deep penetrations."""
    return [note for note in result.notes if note["kind"] == "deep penetration"]


def test_pads_that_pass_through_a_cube_are_told_once_for_each_pair(caplog):
    result = instantiate(gripper(1e-4)).simulate(0.3, tolerance=1e-7)
    notes = deep(result)
    assert sorted(tuple(sorted(note["pair"])) for note in notes)[:2] == [("cube", "left"), ("cube", "right")]
    assert len({tuple(note["pair"]) for note in notes}) == len(notes)
    for note in notes:
        assert note["part"] > 0.05
        assert note["part"] == pytest.approx(note["depth"] / PAD, rel=1e-12)
        assert 0.0 < note["time"] <= 0.3
        assert "elastic_contact_reduction_factor=" in note["text"]
    assert result.statistics["events_by_kind"]["deep penetration"] == len(notes)


def test_with_the_factor_that_is_told_nothing_is_told():
    """It is found from the depth where the load is borne: what is deeper by a part needs a stiffness as that part to 1.5."""
    soft = deep(instantiate(ball(1e-2, 0.02)).simulate(1.0, tolerance=1e-7))
    assert soft
    factor = float(re.search(r"factor=([\d.e+-]+)", soft[0]["text"])[1])
    assert 1e-2 < factor < 1.0
    assert not deep(instantiate(ball(factor, 0.02)).simulate(1.0, tolerance=1e-7))


def ball(factor=1e-4, radius=0.05, root=False, **scene):
    """A steel ball comes to rest on a floor."""
    return Model3D(
        world=Object3D(
            feature=Scene(
                gravity=UniformGravity(9.81, "-z"), elastic_contact_reduction_factor=factor, contact_pairs=RUBBER,
                maximum_contact_damping=100.0, **scene,
            )
        ),
        floor=Object3D(parent="world", feature=Solid(Plane("z"), contact_material="Rubber", collision=True)),
        ball=Object3D(
            parent="world", fixed_to_parent=False, assembly_root=root, translation=(0.0, 0.0, radius),
            feature=Solid(Sphere(2.0 * radius), "Steel", contact_material="Rubber", collision=True),
        ),
    )  # fmt: skip


def test_the_depth_is_that_of_hertz_and_the_part_can_be_set():
    """At rest ``f = K d^1.5`` with K of two pieces of rubber and the radius of the ball."""
    found = instantiate(ball(1e-3, deep_penetration=1e-3)).simulate(2.0, tolerance=1e-8)
    (note,) = deep(found)
    rest = 0.05 - found["ball.r_abs"][-1, 2]
    assert note["depth"] == pytest.approx(rest, rel=0.7)
    assert note["depth"] >= 0.99 * rest
    assert note["part"] == pytest.approx(note["depth"] / 0.1)
    part = note["part"]
    assert not deep(instantiate(ball(1e-3, deep_penetration=1.01 * part)).simulate(2.0, tolerance=1e-8))
    assert deep(instantiate(ball(1e-3, deep_penetration=0.99 * part)).simulate(2.0, tolerance=1e-8))


def test_hard_contacts_are_not_told():
    assert not deep(instantiate(ball(1.0)).simulate(1.0, tolerance=1e-8))


def test_it_is_told_in_the_segment_where_it_was_and_not_again():
    """Also where a segment ends while solids penetrate each other."""

    def program(actions):
        ActionWait(actions, 0.2)
        ActionDelete(actions, "bystander")
        ActionWait(actions, 0.2)
        ActionDelete(actions, "ball")

    model = ball(1e-5, root=True) | Model3D(
        bystander=Object3D(
            parent="world",
            fixed_to_parent=False,
            assembly_root=True,
            translation=(5.0, 0.0, 1.0),
            feature=Solid(Sphere(0.1), "Steel"),
        ),
        actions=ModelActions(program),
    )
    result = instantiate(model).simulate(0.6, tolerance=1e-8)
    told = [len([n for n in record.info.get("notes", ()) if n["kind"] == "deep penetration"]) for record in result.segments]
    assert sum(told) == 1
    assert np.isfinite(deep(result)[0]["time"])


@pytest.mark.parametrize("value", [0.0, -0.1, float("nan"), None])
def test_the_part_is_positive(value):
    with pytest.raises(ModelError, match="deep_penetration"):
        Scene(deep_penetration=value)


SCENARIO = """\
modia3d: 1
description: a heavy ball sinks into the floor
model:
  world: {{Object3D: {{feature: {{Scene: {{elastic_contact_reduction_factor: 1.0e-5, deep_penetration: {part}}}}}}}}}
  floor:
    Object3D:
      parent: world
      feature: {{Solid: {{shape: {{Plane: {{axis: y}}}}, collision: true, contact_material: Steel}}}}
  ball:
    Object3D:
      parent: world
      fixed_to_parent: false
      translation: [0, 0.1, 0]
      feature: {{Solid: {{shape: {{Sphere: 0.2}}, solid_material: Steel, collision: true}}}}
simulation: {{stop_time: 0.3}}
"""


def test_the_command_line_tells_it(tmp_path, capsys):
    path = tmp_path / "ball.yaml"
    for part, count in ((1e-3, 1), (2.0, 0)):
        path.write_text(SCENARIO.format(part=part), encoding="utf-8")
        main(["run", str(path)])
        out = capsys.readouterr().out
        assert out.count("penetrate each other by") == count
        assert out.count("or a smaller load") == count
