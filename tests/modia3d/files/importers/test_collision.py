"""Collision geometry of robots' files: what becomes of it, and which of it may touch what."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from modia3d.files import import_mjcf, import_urdf, read_scenario, write_scenario
from modia3d.files.importers.report import ImportedModel
from modia3d.scene.solid import SolidFeature
from modia3d.topology.build import build_graph
from modia3d.topology.neighbours import separate_groups
from modia3d.topology.structure import Structure
from modia3d.viewer.animation import animate
from modiapy import ModelError, instantiate
from modiapy.symbolic.flattening.evaluate import evaluate

from .robots import plain
from .test_robots import robot

pytestmark = pytest.mark.white_box

INERTIA = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
URDF = f"""<robot name="r">
  <link name="base">{INERTIA}<collision><geometry><box size="1 2 3"/></geometry></collision></link>
  <link name="arm">{INERTIA}
    <visual><geometry><sphere radius="0.1"/></geometry></visual>
    <collision name="shell"><origin xyz="0 0 0.5" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.1" length="2"/></geometry></collision>
    <collision><geometry><sphere radius="0.3"/></geometry></collision>
  </link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
</robot>"""


def written(folder: Path, text: str) -> Path:
    file = folder / "robot.xml"
    file.write_text(text)
    return file


def colliding(model: ImportedModel) -> dict[str, SolidFeature]:
    """Solids that collide, by the names of their frames."""
    objects = evaluate(model).objects
    features = {name: getattr(made, "feature", None) for name, made in objects.items()}
    return {name: solid for name, solid in features.items() if isinstance(solid, SolidFeature) and solid.collision}


def pairs(model: ImportedModel) -> set[frozenset[str]]:
    """Names of frames that may touch each other, as the scene, its joints and groups say."""
    graph = build_graph(evaluate(model).objects)
    apart = {frozenset(pair) for pair in separate_groups(graph, Structure()).tolist()}
    groups = {frozenset(pair) for pair in graph.scene.no_contact}
    solids = [(node, node.frame.feature) for node in graph.frames if isinstance(node.frame.feature, SolidFeature)]
    found = set()
    for (a, one), (b, two) in itertools.combinations(solids, 2):
        filtered = frozenset((one.contact_group, two.contact_group)) in groups
        joined = a.group == b.group or frozenset((a.group, b.group)) in apart
        if one.collision and two.collision and not filtered and not joined:
            found.add(frozenset((a.name, b.name)))
    return found


def test_urdf_shapes_collide_without_mass_and_unseen(tmp_path: Path) -> None:
    file = written(tmp_path, URDF)
    model = import_urdf(file, contacts=True, contact_material="Rubber")
    solids = colliding(model)
    assert list(solids) == ["base_collision", "shell", "arm_collision"]
    assert [type(solid.shape).__name__ for solid in solids.values()] == ["BoxShape", "CylinderShape", "SphereShape"]
    assert all(solid.inertia() is None and solid.contact_material == "Rubber" for solid in solids.values())
    frame = evaluate(model).objects["shell"]
    assert frame.parent == "arm"
    assert frame.translation == (0.0, 0.0, 0.5)
    assert frame.rotation == pytest.approx((0.0, np.pi / 2, 0.0))
    assert "contact: 3 shapes of contact_material 'Rubber' collide (box 1, cylinder 1, sphere 1)" in model.report
    assert not any("<collision>" in line for line in model.report)
    assert pairs(model) == set()
    plain_model = import_urdf(file)
    assert colliding(plain_model) == {}
    assert any("left out: <collision>" in line for line in plain_model.report)


def test_what_collides_is_drawn_on_request(tmp_path: Path) -> None:
    for show, seen in ((False, 1), (True, 4)):
        model = import_urdf(written(tmp_path, URDF), contacts=True, show_contacts=show)
        simulation = instantiate(model)
        shown = animate(simulation.simulate(0.1), simulation.flat.components.items()).seen
        assert len(shown) == seen


def test_a_material_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"'Stel'(.|\n)*Did you mean 'Steel'"):
        import_urdf(written(tmp_path, URDF), contacts=True, contact_material="Stel")


def test_it_is_written_as_a_scenario(tmp_path: Path) -> None:
    for model in (
        import_urdf(written(tmp_path, URDF), contacts=True),
        import_mjcf(written(tmp_path, MJCF), contacts=True),
    ):
        write_scenario(model, tmp_path / "robot.yaml")
        assert plain(read_scenario(tmp_path / "robot.yaml").model) == plain(model)


@pytest.mark.parametrize("name", ["arm with gripper", "quadruped of impossible parts"])
def test_robots_of_others_collide_but_with_their_neighbours(name: str) -> None:
    model = robot(name, contacts=True, visuals=False)
    may = pairs(model)
    assert len(colliding(model)) in (17, 41)
    if name == "arm with gripper":
        parts = {frozenset(part.split("_collision")[0] for part in pair) for pair in may}
        assert frozenset(("panda_link0", "panda_link3")) in parts
        assert frozenset(("panda_link3", "panda_link4")) not in parts
        assert frozenset(("panda_leftfinger", "panda_rightfinger")) in parts


MJCF = """<mujoco>
  <default><geom size="0.1"/></default>
  <worldbody>
    <geom name="ground" type="plane" size="1 1 1" pos="0 0 -0.5" euler="10 0 0"/>
    <body name="a"><freejoint/><geom name="a1"/><geom name="a2" contype="2" conaffinity="0"/>
      <body name="b" pos="1 0 0"><joint name="ab"/><geom name="b1" group="3"/>
        <body name="c" pos="1 0 0"><joint name="bc1"/><joint name="bc2" axis="0 1 0"/><geom name="c1"/>
          <geom name="seen" contype="0" conaffinity="0"/></body>
      </body>
    </body>
    <body name="d" pos="0 3 0"><joint name="hinge"/><geom name="d1" contype="4" conaffinity="3"/>
      <body name="e" pos="1 0 0"><joint name="de"/><geom name="e1" contype="0" conaffinity="0"/></body>
    </body>
    <body name="f" pos="0 5 0"><freejoint/><geom name="f1"/></body>
  </worldbody>
  <contact><exclude body1="a" body2="f"/><exclude body1="c" body2="d"/><pair geom1="e1" geom2="f1"/>
  <pair geom1="a1" geom2="f1"/></contact>
</mujoco>"""


def mujocos_pairs(text: str) -> set[frozenset[str]]:
    """Pairs of geoms that MuJoCo lets collide, found by putting both in one place: all others are far away."""
    names = ["ground", "a1", "a2", "b1", "c1", "seen", "d1", "e1", "f1"]
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)  # its boxes would not follow
    data = mujoco.MjData(model)
    found = set()
    for one, two in itertools.combinations(names, 2):
        mujoco.mj_kinematics(model, data)
        for k, name in enumerate(names):
            data.geom(name).xpos[:] = (0, 0, 0) if name in (one, two) else (100.0 * (k + 1), 0, 100.0)
            data.geom(name).xmat[:] = np.eye(3).ravel()
        for body in range(model.nbody):
            data.xipos[body] = data.xpos[body] = data.geom_xpos[max(model.body_geomadr[body], 0)]
        mujoco.mj_collision(model, data)
        found |= {frozenset(model.geom(int(g)).name for g in data.contact[i].geom) for i in range(data.ncon)}
    return found


@pytest.mark.parametrize("flag", ["", '<option><flag filterparent="disable"/></option>'])
def test_the_same_geoms_collide_as_in_mujoco(tmp_path: Path, flag: str) -> None:
    text = MJCF.replace("</mujoco>", f"{flag}</mujoco>")
    model = import_mjcf(written(tmp_path, text), contacts=True)
    expected = mujocos_pairs(text)
    assert {frozenset(("ground", "a1")), frozenset(("ground", "d1")), frozenset(("e1", "f1"))} <= expected
    assert (frozenset(("b1", "c1")) in expected) == bool(flag)
    assert pairs(model) == expected


def test_planes_and_what_is_left_out_of_mjcf(tmp_path: Path) -> None:
    model = import_mjcf(written(tmp_path, MJCF), contacts=True)
    ground = evaluate(model).objects["ground"]
    assert type(ground.feature.shape).__name__ == "PlaneShape"
    assert ground.rotation == pytest.approx((np.radians(10.0), 0.0, 0.0))
    assert ground.parent == "world"
    report = "\n".join(model.report)
    assert "left out: friction, condim, solref, solimp, margin and gap of geoms (ground, a1" in report
    assert "left out: parameters of <pair> (2 pairs)" in report
    visuals = [name for name in model if name.endswith("_visual") or "_visual_" in name]
    assert len(visuals) == 7  # neither the plane nor b1, which is in the group 3
    without = import_mjcf(written(tmp_path, MJCF))
    assert colliding(without) == {}
    assert len([name for name in without if "_visual" in name]) == 8
    part: dict[str, Any] = {"scene": False, "contacts": True}
    assert any("no_contact=[('geoms_" in line for line in import_mjcf(written(tmp_path, MJCF), **part).report)
    switched_off = MJCF.replace("</mujoco>", '<option><flag contact="disable"/></option></mujoco>')
    off = import_mjcf(written(tmp_path, switched_off), contacts=True)
    assert colliding(off) == {}
    assert "contact: no shape of the file collides" in off.report


@pytest.mark.parametrize(("pair", "told"), [("a b", True), ("b a", True), ("a c", False), ("floor a", False), ("b c", True)])
@pytest.mark.parametrize("filtered", [True, False])
def test_pairs_of_neighbours_are_told(tmp_path: Path, pair: str, told: bool, filtered: bool) -> None:
    """Neighbours that are named as a pair collide in MuJoCo, and not here, unless all neighbours do."""
    chain = """<worldbody><geom name="floor" type="plane" size="1 1 1"/><body pos="0 0 1"><joint/><geom name="a" size=".1"/>
<body pos="1 0 0"><joint/><geom name="b" size=".1"/><body pos="1 0 0"><body><joint/><geom name="c" size=".1"/></body></body>
</body></body></worldbody>"""
    one, two = pair.split()
    flag = "" if filtered else '<option><flag filterparent="disable"/></option>'
    file = tmp_path / "robot.xml"
    file.write_text(f'<mujoco>{flag}{chain}<contact><pair geom1="{one}" geom2="{two}"/></contact></mujoco>')
    lines = [line for line in import_mjcf(file, contacts=True).report if "<pair> of neighbours" in line]
    assert len(lines) == (told and filtered)
    assert all(sorted(pair.split()) == sorted(line.partition("(")[2].rstrip(")").split(" and ")) for line in lines)
