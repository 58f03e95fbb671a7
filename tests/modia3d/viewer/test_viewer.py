"""The animation shows the simulated motion: decoded again from the HTML page, it must be the result's."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

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
    SpringShape,
    Text,
    Visual,
)
from modia3d.viewer.animation import Animation, animate
from modia3d.viewer.html import write_html
from modia3d.viewer.objects import parts_of
from modia3d.viewer.packing import changing
from modiapy import ModelError, instantiate

from .pages import head_of, motion, shown

pytestmark = pytest.mark.white_box


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


def test_key_frames_follow_the_motion(animation: Animation) -> None:
    (body,) = [body for body in animation.bodies if body.frames[0].name == "box"]
    assert animation.time[[0, -1]].tolist() == [0.0, 2.0]
    assert body.position[:, 1] == pytest.approx(0.5 * animation.time, abs=1e-12)
    assert np.linalg.norm(body.quaternion, axis=1) == pytest.approx(1.0)


def test_page_is_self_contained_and_holds_the_animation(animation: Animation, tmp_path: Path) -> None:
    page = write_html(animation, tmp_path / "box.html").read_text()
    head = head_of(page)
    assert shown(head) == {"plate", "box"}
    time, poses = motion(head, "box")
    assert poses[:, 1] == pytest.approx(0.5 * time, abs=1e-5)
    time, poses = motion(head, "plate")
    assert len(poses) == 1  # it does not move
    assert not re.search(r'<(script|link|img)[^>]+(src|href)="(?!data:)', page)
    assert page == write_html(animation, tmp_path / "again.html").read_text()


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
    assert not animation.bodies[-1].exists[-2:].any()
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
    "spring": SpringShape(),
    "gear": GearWheel(),
    "axes": CoordinateSystem(2.0),
    "grid": Grid(length=4.0, distance=1.0, axis="y"),
    "text": Text(text="hello: world", height=0.2, axis="x"),
}


@pytest.mark.parametrize("name", SHOWN)
def test_every_shape_is_shown(name: str) -> None:
    frame = Object3D(parent="world", feature=Visual(SHOWN[name], "RedTransparent"))
    sim = instantiate(Model3D(world=Object3D(feature=Scene()), frame=frame))
    (seen,) = animate(sim.simulate(0.1), sim.flat.components.items()).seen
    (part,), lost = parts_of(seen)
    assert lost == []
    assert part.look.opacity == 0.5
    assert part.look.color == {"axes": (1.0, 1.0, 1.0), "text": (0.0, 0.0, 0.0)}.get(name, (1.0, 0.0, 0.0))
    assert (part.triangles is None) == (name in ("axes", "grid"))
    assert np.all(np.isfinite(part.points))
    if part.triangles is not None:
        assert part.normals is not None
        p, q, r = (part.points[part.triangles[:, k]].astype(float) for k in range(3))
        area = np.cross(q - p, r - p)
        for corner in range(3):  # outwards, as the triangles are
            assert np.einsum("ij,ij->i", area, part.normals[part.triangles[:, corner]]).min() > 0.0
    if name == "text":
        assert part.text == "hello: world"
        np.testing.assert_allclose(np.ptp(part.points, axis=0), (0.0, 0.61 * 0.2 * len("hello: world"), 0.3), atol=1e-6)
    if name == "box":
        assert np.array_equal(np.ptp(part.points, axis=0), (1.0, 1.0, 1.0))
        assert sorted(set(map(tuple, np.round(part.normals).astype(int).tolist()))) == sorted(
            tuple(int(sign) * (k == axis) for k in range(3)) for axis in range(3) for sign in (-1, 1)
        )
    if name == "ellipsoid":
        assert np.allclose(np.ptp(part.points, axis=0), (1.0, 2.0, 3.0), atol=0.01)
        exact = part.points / np.square(0.5 * np.array([1.0, 2.0, 3.0]))
        exact /= np.linalg.norm(exact, axis=1)[:, None]
        assert np.abs(part.normals - exact).max() < 0.1  # smooth: no edge between triangles
    if name == "axes":
        assert np.array_equal(part.points[1::2], 2.0 * np.eye(3))
    if name == "grid":
        assert part.points.shape == (20, 3)
        assert np.array_equal(np.ptp(part.points, axis=0), (4.0, 0.0, 4.0))


def test_a_mesh_is_shown(tmp_path: Path) -> None:
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "box.stl")
    frame = Object3D(parent="world", feature=Visual(Mesh(str(tmp_path / "box.stl"), scale=2.0)))
    sim = instantiate(Model3D(world=Object3D(feature=Scene()), frame=frame))
    head = head_of(write_html(animate(sim.simulate(0.1), sim.flat.components.items()), tmp_path / "mesh.html").read_text())
    (geometry,) = head["geometries"]
    assert np.array_equal(np.ptp(geometry["points"].reshape(-1, 3), axis=0), (2.0, 4.0, 6.0))
