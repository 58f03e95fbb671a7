"""Pictures, videos, notebooks: the page in a browser without a window, or a word where there is none."""

import html
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from modia3d import Box, Model3D, Object3D, Scene, Solid, Visual, VisualMaterial
from modia3d.viewer.animation import Animation, animate
from modia3d.viewer.chromium import find_chromium
from modia3d.viewer.html import page
from modiapy import Model, ModelError, ModiaError, Var, instantiate

pytestmark = pytest.mark.white_box

browser = pytest.mark.skipif(find_chromium() is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def animation() -> Animation:
    """A box that falls for a second, before a wall that is 5 m high."""
    box = Solid(shape=Box(0.5, 0.5, 0.5), solid_material="Steel", visual_material=VisualMaterial(color="Red"))
    model = Model3D(
        world=Object3D(feature=Scene()),
        wall=Object3D(parent="world", feature=Visual(Box(2.0, 0.1, 5.0)), translation=(0.0, 1.0, 2.5)),
        box=Object3D(fixed_to_parent=False, assembly_root=True, translation=(0.0, 0.0, 4.75), feature=box),
    )
    sim = instantiate(model)
    result = pickle.loads(pickle.dumps(sim.simulate(1.0)))
    animation = animate(result, sim.flat.components.items())
    animation.result = result  # type: ignore[attr-defined]
    return animation


def test_what_nobody_sees_cannot_be_animated() -> None:
    result = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"])).simulate(1.0)
    with pytest.raises(ModelError, match="nothing in the model is visible"):
        result.animate()


@browser
def test_a_picture_shows_the_instant(animation: Animation, tmp_path: Path) -> None:
    from PIL import Image

    heights = []
    for time in (0.0, 1.0):
        animation.write_png(tmp_path / "a.png", time=time, width=320, height=200)
        with Image.open(tmp_path / "a.png") as picture:
            assert picture.size == (320, 200)
            red, green, blue = np.moveaxis(np.asarray(picture.convert("RGB")).astype(int), -1, 0)
        rows, _ = np.nonzero((red > 80) & (green + blue < 0.5 * red))
        assert len(rows) > 50
        heights.append(rows.mean())
    assert heights[1] - heights[0] > 60.0  # of 200 rows the wall takes most


@browser
def test_a_video_has_as_many_pictures_as_it_should(animation: Animation, tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    from PIL import Image

    file = animation.write_video(tmp_path / "box.gif", fps=5.0, speed=0.5, width=160, height=120)
    with Image.open(file) as video:
        assert (video.n_frames, video.size) == (11, (160, 120))
    assert animation.write_video(tmp_path / "box.mp4", fps=2.0, width=160, height=120).read_bytes()[4:8] == b"ftyp"


def test_what_cannot_be_drawn_is_said(animation: Animation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModiaError, match=r"expected \.mp4 or \.webm or \.gif"):
        animation.write_video(tmp_path / "box.avi")
    with pytest.raises(ModiaError, match="the video is too long"):
        animation.write_video(tmp_path / "box.mp4", speed=1e-6)
    with pytest.raises(ModiaError, match=r"expected \.png"):
        animation.write_png(tmp_path / "box.jpg")
    with pytest.raises(
        ModiaError, match=r"the instant of a picture is outside the simulated time; found 99 s; expected a time from 0 s to "
    ):
        animation.write_png(tmp_path / "box.png", time=99.0)
    monkeypatch.setenv("MODIA_CHROMIUM", "there-is-no-such-browser")
    with pytest.raises(ModiaError, match=r"pictures and videos need a browser(.|\n)*apt install chromium"):
        animation.write_png(tmp_path / "box.png")
    assert list(tmp_path.iterdir()) == []


def test_in_a_notebook_the_page_is_a_frame_of_its_own(animation: Animation) -> None:
    shown = animation._repr_html_()
    assert shown == animation.result.animate()._repr_html_()  # type: ignore[attr-defined]
    found = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*"></iframe>', shown)
    assert found is not None
    assert html.unescape(found[1]) == page(animation)


@browser
def test_the_moving_picture_of_the_readme_moves(tmp_path: Path) -> None:
    """``python -m tools.pictures mosar``, of something that takes less time than the walking robot."""
    from PIL import Image

    from tools import pictures

    (tmp_path / "fall.yaml").write_text(FALL)
    pictures.film(tmp_path / "fall.yaml", tmp_path / "fall.gif")
    heights = []
    with Image.open(tmp_path / "fall.gif") as film:
        assert (film.n_frames, film.size) == (4, (pictures.WIDTH, pictures.HEIGHT))
        assert film.info["loop"] == 0
        assert film.info["duration"] == int(1e3 * pictures.STEP / pictures.SPEED)
        for k in range(film.n_frames):
            film.seek(k)
            red, green, blue = np.moveaxis(np.asarray(film.convert("RGB")).astype(int), -1, 0)
            heights.append(np.nonzero((red > 80) & (green + blue < 0.5 * red))[0].mean())
    assert np.all(np.diff(heights) > 5.0)


FALL = """\
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {g: 1.0, n: "-z"}}}}}}
  wall: {Object3D: {parent: world, translation: [0, 0.5, 1], feature: {Visual: {shape: {Box: [1, 0.1, 2]}}}}}
  stone:
    Object3D:
      fixed_to_parent: false
      assembly_root: true
      translation: [0, 0, 1.5]
      feature:
        Solid:
          shape: {Box: [0.4, 0.4, 0.4]}
          solid_material: Steel
          visual_material: {VisualMaterial: {color: Red}}
simulation: {stop_time: 1.3}
"""
