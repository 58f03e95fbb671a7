"""The animation shows the simulated motion: decoded again from the HTML page, it must be the result's."""

import base64
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
import umsgpack

from modia3d import (
    ActionDelete,
    Beam,
    Box,
    Capsule,
    Cone,
    CoordinateSystem,
    Cylinder,
    Ellipsoid,
    GearWheel,
    Grid,
    Mesh,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Prismatic,
    Scene,
    Solid,
    Spring,
    Text,
    Visual,
)
from modia3d.viewer.animation import Animation, animate
from modia3d.viewer.html import write_html
from modia3d.viewer.meshcat_scene import changing, commands
from modiapy import ModelError, instantiate


def sliding_box() -> Any:
    """A box that slides along y with 0.5 m/s, and a plate at rest."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        plate=Object3D(parent="world", feature=Visual(shape=Box(2.0, 2.0, 0.1))),
        box=Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), solid_material="Aluminium")),
        slide=Prismatic(obj1="world", obj2="box", axis="y", v=0.5),
    )


@pytest.fixture(scope="module")
def animation() -> Animation:
    sim = instantiate(sliding_box())
    return animate(sim.simulate(2.0), sim.flat.components.items(), fps=20.0)


def decoded(page: str) -> list[dict[str, Any]]:
    """The viewer's commands in a page."""
    found = re.search(r'const scene = "([^"]+)"', page)
    assert found is not None
    data, commands, at = base64.b64decode(found[1]), [], 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        commands.append(umsgpack.unpackb(data[at + 4 : at + 4 + size]))
        at += 4 + size
    return commands


def test_frames_follow_the_motion(animation: Animation) -> None:
    box = next(item for item in animation.items if item.name == "box")
    assert len(animation.time) == 41
    assert box.position[:, 1] == pytest.approx(0.5 * animation.time, abs=5e-3)
    assert np.linalg.norm(box.quaternion, axis=1) == pytest.approx(1.0)


def test_page_is_self_contained_and_holds_the_animation(animation: Animation, tmp_path: Path) -> None:
    page = write_html(animation, tmp_path / "box.html").read_text()
    commands = decoded(page)
    objects = [c["path"] for c in commands if c["type"] == "set_object"]
    assert {path.split("/")[3] for path in objects} == {"plate", "box"}
    (clips,) = [c["animations"] for c in commands if c["type"] == "set_animation"]
    (clip,) = clips  # the plate does not move and needs no track
    assert clip["path"].endswith("/box")
    keys = next(t for t in clip["clip"]["tracks"] if t["name"] == ".position")["keys"]
    assert keys[-1]["time"] == 40
    assert keys[-1]["value"][1] == pytest.approx(1.0, abs=1e-6)
    assert not re.search(r'<(script|link)[^>]+(src|href)="', page)


def test_only_needed_key_frames_are_kept() -> None:
    values = np.array([[0.0], [0.0], [0.0], [1.0], [2.0], [2.0], [2.0]])
    assert changing(values).tolist() == [0, 2, 3, 4, 6]
    assert changing(np.zeros((5, 3))).tolist() == [0]


def test_nothing_to_see_is_said(tmp_path: Path) -> None:
    sim = instantiate(Model3D(world=Object3D(feature=Scene())))
    with pytest.raises(ModelError, match="nothing in the model is visible"):
        animate(sim.simulate(1.0), sim.flat.components.items())


def test_what_is_gone_at_all_frames_is_not_seen(tmp_path: Path) -> None:
    box = Object3D(fixed_to_parent=False, assembly_root=True, feature=Solid(shape=Box(1, 1, 1), solid_material="Steel"))
    program = ModelActions(lambda actions: ActionDelete(actions, "box"))
    sim = instantiate(Model3D(world=Object3D(feature=Scene()), box=box, actions=program))
    animation = animate(sim.simulate(1.0), sim.flat.components.items())
    assert np.isnan(animation.items[0].position).all()
    assert write_html(animation, tmp_path / "gone.html").is_file()


def test_unwritable_file_is_said(animation: Animation, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="cannot be written"):
        write_html(animation, tmp_path / "no" / "folder" / "box.html")


SHOWN = {
    "box": Box(),
    "hollow": Cylinder(inner_diameter=0.5),
    "cone": Cone(axis="x"),
    "ellipsoid": Ellipsoid(1.0, 2.0, 3.0),
    "capsule": Capsule(),
    "beam": Beam(),
    "spring": Spring(),
    "gear": GearWheel(),
    "axes": CoordinateSystem(2.0),
    "grid": Grid(length=4.0, distance=1.0, axis="y"),
    "text": Text(text="hello: world", height=0.2, axis="x"),
}


@pytest.fixture(scope="module")
def shown() -> dict[str, dict[str, Any]]:
    """The object that the viewer gets for each of `SHOWN`."""
    frames = {name: Object3D(parent="world", feature=Visual(shape, "RedTransparent")) for name, shape in SHOWN.items()}
    sim = instantiate(Model3D(world=Object3D(feature=Scene()), **frames))
    messages = list(commands(animate(sim.simulate(0.1), sim.flat.components.items())))
    return {m["path"].split("/")[3]: m["object"] for m in messages if m["type"] == "set_object"}


@pytest.mark.parametrize("name", SHOWN)
def test_every_shape_is_shown(shown: dict[str, dict[str, Any]], name: str) -> None:
    lowered = shown[name]
    (material,) = lowered["materials"]
    (geometry,) = lowered["geometries"]
    assert lowered["object"]["type"] == ("LineSegments" if name in ("axes", "grid") else "Mesh")
    assert (material["color"], material["opacity"]) == (0xFFFFFF if name in ("axes", "text") else 0xFF0000, 0.5)
    if name == "text":
        (texture,) = lowered["textures"]
        assert (texture["type"], texture["text"], material["map"]) == ("_text", "hello: world", texture["uuid"])
        assert 0.9 < 0.61 * 0.2 * len("hello: world") / geometry["width"] <= 1.0
    elif name != "box":
        position = geometry["data"]["attributes"]["position"]
        points = np.frombuffer(position["array"].data, np.float32).reshape(-1, 3)
        assert np.all(np.isfinite(points))
        if name == "ellipsoid":
            assert np.allclose(np.ptp(points, axis=0), (1.0, 2.0, 3.0), atol=0.01)
        if name == "axes":
            assert np.array_equal(points[1::2], 2.0 * np.eye(3))
        if name == "grid":
            assert points.shape == (20, 3)
            assert np.array_equal(np.ptp(points, axis=0), (4.0, 0.0, 4.0))


def test_a_mesh_is_shown(tmp_path: Path) -> None:
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "box.stl")
    frame = Object3D(parent="world", feature=Visual(Mesh(str(tmp_path / "box.stl"), scale=2.0)))
    sim = instantiate(Model3D(world=Object3D(feature=Scene()), frame=frame))
    page = write_html(animate(sim.simulate(0.1), sim.flat.components.items()), tmp_path / "mesh.html").read_text()
    (geometry,) = next(c for c in decoded(page) if c["type"] == "set_object")["object"]["geometries"]
    points = np.frombuffer(geometry["data"]["attributes"]["position"]["array"].data, np.float32).reshape(-1, 3)
    assert np.array_equal(np.ptp(points, axis=0), (2.0, 4.0, 6.0))
