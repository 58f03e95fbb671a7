"""`rot`: turns one after the other, as numbers and as expressions, in Python and in scenarios."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from modia3d import Model3D, Object3D, Scene, rot
from modia3d.files import read_scenario
from modia3d.scene.basics.rotations import rotation_matrix
from modiapy import ModelError, ModiaError
from modiapy.symbolic.flattening.evaluate import evaluate

pytestmark = pytest.mark.white_box

WORLD = Object3D(feature=Scene())


def pose(**entries: Any) -> np.ndarray:
    """R (3, 3) of the frame ``a`` in the world, whose texts are evaluated."""
    return rotation_matrix(evaluate(Model3D(world=WORLD, **entries)).objects["a"].rotation)


@pytest.mark.parametrize("order", ["x", "y", "z", "xy", "xz", "yz", "xyz", "zyx", "yx", "zxy", "zx"])
def test_turns_follow_each_other_about_the_turned_axes(order: str) -> None:
    angles = dict(zip(order, (0.3, -1.2, 2.5), strict=False))
    expected = Rotation.from_euler(order.upper(), list(angles.values())).as_matrix()
    np.testing.assert_allclose(rotation_matrix(rot(**angles)), expected, atol=1e-15)
    texts = {name: f"p_{name} + 0.1" for name in angles}
    parameters = {f"p_{name}": value - 0.1 for name, value in angles.items()}
    np.testing.assert_allclose(pose(a=Object3D(parent="world", rotation=rot(**texts)), **parameters), expected, atol=1e-14)


def test_axis_and_quaternion() -> None:
    axis = np.array([1.0, -2.0, 0.5])
    expected = Rotation.from_rotvec(0.7 * axis / np.linalg.norm(axis)).as_matrix()
    np.testing.assert_allclose(rotation_matrix(rot(axis=axis.tolist(), angle=0.7)), expected, atol=1e-15)
    found = pose(a=Object3D(parent="world", rotation=rot(axis=axis.tolist(), angle="2*alpha")), alpha=0.35)
    np.testing.assert_allclose(found, expected, atol=1e-15)
    x, y, z, w = Rotation.from_matrix(expected).as_quat()
    np.testing.assert_allclose(rotation_matrix(rot(quaternion=[3 * w, 3 * x, 3 * y, 3 * z])), expected, atol=1e-15)
    np.testing.assert_allclose(
        rotation_matrix(rot(axis="-z", angle=math.pi / 2)), [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], atol=1e-15
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "nothing"),
        ({"w": 1.0}, "rot has no 'w'"),
        ({"x": 1.0, "axis": "x", "angle": 1.0}, "several"),
        ({"axis": "x"}, "two arguments"),
        ({"angle": 1.0}, "two arguments"),
        ({"axis": [0, 0, 0], "angle": 1.0}, "axis of rot"),
        ({"x": [1.0]}, r"x of rot is not an angle; found \[1.0\]"),
        ({"x": math.inf}, "x of rot is not an angle"),
        ({"quaternion": [0, 0, 0, 0]}, "not a quaternion"),
        ({"quaternion": [1, 0, 0]}, "not a quaternion"),
    ],
)
def test_mistakes_are_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        rot(**given)
    with pytest.raises(ModelError, match=r"'rot'.*rotation=rot\(y="):
        Object3D(rot={"y": 1.0})  # type: ignore[call-arg]


SCENARIO = """\
modia3d: 1
definitions:
  Part: {Model: {alpha: 0.2, frame: {Object3D: {parent: world, rot: {z: alpha}}}}}
model:
  world: {Object3D: {feature: {Scene: {}}}}
  a: {Object3D: {parent: world, rot: {y: 90 deg}}}
  b: {Object3D: {parent: world, rot: {z: 90 deg, x: pi/2}}}
  c: {Part: {alpha: 0.5}}
  d: {Part: {frame: {rot: {axis: [0, 0, 2], angle: 180 deg}}}}
simulation: {stop_time: 0}
"""


def read(folder: Path, text: str) -> Any:
    file = folder / "frames.yaml"
    file.write_text(text)
    return read_scenario(file)


def test_frames_of_a_scenario(tmp_path: Path) -> None:
    objects = evaluate(read(tmp_path, SCENARIO).model).objects
    expected = {
        "a": rot(y=math.pi / 2), "b": rot(z=math.pi / 2, x=math.pi / 2), "c.frame": [0, 0, 0.5], "d.frame": rot(z=math.pi),
    }  # fmt: skip
    for name, value in expected.items():
        np.testing.assert_allclose(rotation_matrix(objects[name].rotation), rotation_matrix(value), atol=1e-15)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{y: 90 deg}", "{w: 90 deg}", "frames.yaml:6:39: a: unknown key 'w' in rot"),
        ("{y: 90 deg}", "{y: 90 cm}", "frames.yaml:6:42: a: the unit of y of rot measures something else"),
        ("{y: 90 deg}", "{y: true}", "frames.yaml:6:.*y of rot is not an angle"),
        ("{y: 90 deg}", "90 deg", "frames.yaml:6:38: a: rot is wrong.*mapping"),
        ("rot: {y: 90 deg}", "rot: {y: 1}, rotation: [0, 0, 0]", "frames.yaml:6:.*'rot' and 'rotation'"),
        ("{y: 90 deg}", "{y: beta}", "frames.yaml:6:.*unknown name 'beta'"),
        ("rot: {axis: [0, 0, 2], angle: 180 deg}", "rot: {axis: [0, 0, 2]}", "frames.yaml:9:.*two arguments"),
    ],
)
def test_mistakes_of_a_scenario_have_places(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in SCENARIO
    with pytest.raises(ModiaError) as caught:
        read(tmp_path, SCENARIO.replace(old, new)).instantiate()
    assert re.search(words, str(caught.value)), caught.value
