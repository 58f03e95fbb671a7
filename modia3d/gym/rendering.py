"""`Renderer`: pictures of an episode by the page of the viewer, in a browser without a window or in one with it."""

from __future__ import annotations

import base64
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from modiapy.model.errors import ModelError
from modiapy.simulation.stepper import Stepper

from ..viewer.animation import Animation, live_scene
from ..viewer.chromium import Chromium
from ..viewer.html import page
from ..viewer.live import Window
from .prepared import Prepared

MODES = ("human", "rgb_array")

PIXELS = """(() => {
  page.scene.show(%s, %s);
  page.scene.viewer.render();
  const drawn = page.scene.viewer.renderer.domElement, copy = document.createElement("canvas");
  copy.width = %d; copy.height = %d;
  const pen = copy.getContext("2d");
  pen.drawImage(drawn, 0, 0, copy.width, copy.height);
  const bytes = pen.getImageData(0, 0, copy.width, copy.height).data, parts = [];
  for (let k = 0; k < bytes.length; k += 32768) parts.push(String.fromCharCode(...bytes.subarray(k, k + 32768)));
  return btoa(parts.join(""));
})()"""
"""Shows the bodies at their poses and returns the picture: red, green, blue and opacity of each pixel, in base64."""


class Renderer:
    """Pictures of the episodes of one environment.

    Args:
        mode: one of `MODES`.
        width, height: of pictures [pixels].
    """

    def __init__(self, mode: str, width: int, height: int) -> None:
        self._mode, self._width, self._height = mode, width, height
        self._scene: Animation | None = None
        self._fresh, self._pages, self._shown = True, 0, ""
        self._browser: Chromium | None = None
        self._window: Window | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def begin(self, prepared: Prepared, stepper: Stepper) -> None:
        """Begin an episode: what is drawn may have another size. Raises ModelError if nothing is visible."""
        components = prepared.sim.flat.components.items()
        self._scene = live_scene(stepper.result, components, title=prepared.sim.name, stop_time=prepared.stop_time)
        self._fresh = True

    def show(self, stepper: Stepper) -> None:
        """Show the present poses in the window, if there is one."""
        if self._mode != "human":
            return
        assert self._scene is not None
        if self._window is None:
            self._window = Window()
            self._window.show(self._scene)
            self._window.open()
        elif self._fresh:
            self._window.show(self._scene)
        self._fresh = False
        self._window.move(stepper.time, self._poses(stepper))

    def picture(self, stepper: Stepper) -> np.ndarray | None:
        """Return the picture of the present poses, shape (height, width, 3), uint8; None where a window shows them."""
        if self._mode == "human":
            return None
        browser = self._drawn()
        poses = [None if pose is None else pose.tolist() for pose in self._poses(stepper)]
        script = PIXELS % (repr(stepper.time), str(poses).replace("None", "null"), self._width, self._height)
        pixels = np.frombuffer(base64.b64decode(browser.evaluate(script)), np.uint8)
        return pixels.reshape(self._height, self._width, 4)[:, :, :3].copy()

    def close(self) -> None:
        """End the browser, or the server of the window."""
        for each in (self._browser, self._window):
            if each is not None:
                each.close()
        if self._folder is not None:
            self._folder.cleanup()
        self._browser = self._window = self._folder = None
        self._fresh, self._shown = True, ""

    def _drawn(self) -> Chromium:
        """Return the browser with the page of this episode."""
        assert self._scene is not None
        if self._browser is None:
            self._browser = Chromium(self._width, self._height)
            self._folder = tempfile.TemporaryDirectory(prefix="modia3d-page-")
        if self._fresh:
            assert self._folder is not None
            self._open(self._browser, self._folder.name, page(replace(self._scene, live=False)))
            self._fresh = False
        return self._browser

    def _open(self, browser: Chromium, folder: str, text: str) -> None:
        """Open a page, unless it is the one that is open."""
        if text == self._shown:
            return
        self._pages, self._shown = self._pages + 1, text
        file = Path(folder) / f"page{self._pages % 2}.html"  # one of the same address would not be loaded again
        file.write_text(text, encoding="utf-8")
        browser.open(f"{file.as_uri()}#bare")
        browser.evaluate("page.ready")

    def _poses(self, stepper: Stepper) -> list[np.ndarray | None]:
        """Return the position [m] and quaternion of each body, shape (7,); None: it does not exist now."""
        assert self._scene is not None
        return [_pose(stepper, body.frames[0].name) for body in self._scene.bodies]


def _pose(stepper: Stepper, name: str) -> np.ndarray | None:
    from scipy.spatial.transform import Rotation

    try:
        position, rotation = stepper[f"{name}.r_abs"], stepper[f"{name}.R_abs"]
    except ModelError:
        return None
    if not np.isfinite(position).all():
        return None
    return np.concatenate([position, Rotation.from_matrix(rotation).as_quat()])
