"""The animation shows the simulated motion: decoded again from the HTML page, it must be the result's."""

import base64
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import umsgpack

from modia3d import Box, Model3D, NoGravity, Object3D, Prismatic, Scene, Solid, Visual
from modia3d.viewer.animation import Animation, animate
from modia3d.viewer.html import write_html
from modia3d.viewer.meshcat_scene import changing
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


def test_unwritable_file_is_said(animation: Animation, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="cannot be written"):
        write_html(animation, tmp_path / "no" / "folder" / "box.html")
