"""glTF: what another program reads is where the simulation had it."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from modia3d import (
    ActionDelete,
    Box,
    EventAfterPeriod,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Revolute,
    Scene,
    Solid,
    Sphere,
    Text,
    UniformGravity,
    Visual,
    VisualMaterial,
)
from modia3d.viewer.animation import animate
from modiapy import ModiaError, instantiate

pytestmark = pytest.mark.white_box


def program(actions: Any) -> None:
    EventAfterPeriod(actions, 1.0)
    ActionDelete(actions, "ball")


def turning() -> Any:
    """A blue box that turns about z with 1 rad/s, 0.5 m off the axis; a ball flies along y and is deleted after 1 s."""
    look = VisualMaterial(color="#4080c0", transparency=0.25)
    ball = Solid(shape=Sphere(0.2), solid_material="Steel")
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        arm=Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), solid_material="Steel")),
        box=Object3D(parent="arm", translation=(0.5, 0.0, 0.0), feature=Visual(Box(0.2, 0.4, 0.6), look)),
        joint=Revolute("world", "arm", axis="z", w=1.0),
        ball=Object3D(fixed_to_parent=False, assembly_root=True, velocity=(0.0, 0.5, 0.0), feature=ball),
        actions=ModelActions(program),
    )


def document(file: Path) -> tuple[dict[str, Any], bytes]:
    """The JSON and the binary chunk of a GLB file, whose sizes have to be right."""
    content = file.read_bytes()
    magic, version, size = struct.unpack_from("<4sII", content)
    assert (magic, version, size) == (b"glTF", 2, len(content))
    length = struct.unpack_from("<I", content, 12)[0]
    rest = struct.unpack_from("<I", content, 20 + length)[0]
    assert 28 + length + rest == len(content)
    return json.loads(content[20 : 20 + length]), content[28 + length :]


def values(made: dict[str, Any], data: bytes, number: int) -> np.ndarray:
    accessor = made["accessors"][number]
    view = made["bufferViews"][accessor["bufferView"]]
    columns = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    return np.frombuffer(data, "<f4", accessor["count"] * columns, view["byteOffset"]).reshape(-1, columns)


def track(made: dict[str, Any], data: bytes, body: str, path: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Times, values and interpolation of an animated property of the body that holds a frame."""
    frame = next(k for k, node in enumerate(made["nodes"]) if node["name"] == body)
    owner = next(k for k, node in enumerate(made["nodes"]) if frame in node.get("children", ()))
    (animation,) = made["animations"]
    (channel,) = [c for c in animation["channels"] if c["target"] == {"node": owner, "path": path}]
    sampler = animation["samplers"][channel["sampler"]]
    return values(made, data, sampler["input"])[:, 0], values(made, data, sampler["output"]), sampler["interpolation"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sim = instantiate(turning())
    animation = animate(sim.simulate(2.0, interval=0.05), sim.flat.components.items())
    return animation.write_gltf(tmp_path_factory.mktemp("gltf") / "turning.glb")


def test_bodies_move_as_they_were_simulated(written: Path) -> None:
    made, data = document(written)
    time, rotation, interpolation = track(made, data, "box", "rotation")
    assert interpolation == "LINEAR"
    assert time[0] == 0.0
    assert (np.diff(time) > 0.0).all()
    np.testing.assert_allclose(Rotation.from_quat(rotation).apply([0.5, 0.0, 0.0]), 0.5 * np.column_stack([
        np.cos(time), np.sin(time), 0.0 * time]), atol=1e-5)  # fmt: skip


def test_what_is_deleted_has_no_size_from_then_on(written: Path) -> None:
    made, data = document(written)
    time, scale, interpolation = track(made, data, "ball", "scale")
    assert interpolation == "STEP"
    for instant, size in ((0.0, 1.0), (0.999, 1.0), (1.0, 0.0), (1.5, 0.0)):
        assert (scale[np.searchsorted(time, np.float32(instant), side="right") - 1] == size).all()
    time, position, _ = track(made, data, "ball", "translation")
    alive = time <= 1.0
    np.testing.assert_allclose(position[alive, 1], 0.5 * time[alive], atol=1e-6)


def test_another_program_reads_it(written: Path) -> None:
    """Trimesh: shapes with their sizes and places at the first instant, y upwards; colours are of linear light there."""
    scene = trimesh.load_scene(written)
    np.testing.assert_allclose(scene.bounds[1] - scene.bounds[0], [0.6 + 0.1, 0.6, 0.4], atol=1e-5)
    boxes = [piece for piece in scene.dump() if np.allclose(sorted(piece.extents), [0.2, 0.4, 0.6])]
    (box,) = boxes
    np.testing.assert_allclose(box.centroid, [0.5, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(box.extents, [0.2, 0.6, 0.4], atol=1e-6)
    assert box.is_volume or trimesh.Trimesh(box.vertices, box.faces, process=True).volume == pytest.approx(0.048, rel=1e-5)
    factor = np.asarray(box.visual.material.baseColorFactor) / 255.0
    srgb = np.where(factor[:3] <= 0.0031308, 12.92 * factor[:3], 1.055 * factor[:3] ** (1 / 2.4) - 0.055)
    np.testing.assert_allclose(srgb, np.array([0x40, 0x80, 0xC0]) / 255.0, atol=0.03)
    assert factor[3] == pytest.approx(0.75, abs=0.01)


def test_up_is_against_gravity_and_texts_are_left_out_with_a_word(tmp_path: Path) -> None:
    world = Object3D(feature=Scene(gravity=UniformGravity(n="-x")))
    mast = Object3D(parent="world", feature=Visual(Box(3.0, 0.1, 0.1)))
    label = Object3D(parent="world", feature=Visual(Text("mast")))
    sim = instantiate(Model3D(world=world, mast=mast, label=label))
    animation = animate(sim.simulate(0.1), sim.flat.components.items())
    with pytest.warns(UserWarning, match="text of 'label' is left out"):
        file = animation.write_gltf(tmp_path / "mast.glb")
    np.testing.assert_allclose(trimesh.load_scene(file).extents, [0.1, 3.0, 0.1], atol=1e-6)
    with pytest.raises(ModiaError, match=r"expected \.glb"):
        animation.write_gltf(tmp_path / "mast.obj")
