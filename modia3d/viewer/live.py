"""Animation in a window of the browser, from a server on this machine: during the simulation and afterwards."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.model.errors import ModiaError

from .animation import Animation, has_systems, live_poses, live_scene
from .content import Content
from .html import page

ADDRESS = "127.0.0.1"
"""Where nobody but this machine gets to."""

PAUSE_S = 0.1
"""At least so long nothing is sent after something was [s]."""

FIRST_S = 1.0
"""So long after its beginning nothing is shown of a simulation [s]: to make the scene takes longer than many a whole one."""

SHARE = 0.03
"""At most so much of the time of a simulation goes into what is seen of it."""


class Window:
    """Server in a process of its own, with one page; it lives until `close`, or as long as this process.

    Attributes: url: address for the browser.
    """

    def __init__(self, address: str = ADDRESS) -> None:
        root = os.fspath(Path(__file__).parents[2])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "modia3d.viewer.live_server", address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": paths},
            start_new_session=True,  # Ctrl-C is for the simulation
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().decode().strip()
        if not self.url:
            self.close()
            raise ModiaError(
                "the viewer cannot be started",
                found=f"no server that listens on {address}",
                expected="an address of this machine",
            )

    def show(self, animation: Content) -> None:
        """Show an animation in place of the present one. Raises ModiaError if the server has ended."""
        self._send(b"P", page(animation).encode())

    def move(self, time: float, poses: Iterable[np.ndarray | None]) -> None:
        """Show the bodies of a page that follows a simulation at another instant. Raises ModiaError as `show`.

        Args:
            time: [s].
            poses: of each body its position [m] and quaternion, shape (7,); None: it does not exist.
        """
        rows = [None if pose is None else [float(f"{value:.6g}") for value in pose] for pose in poses]
        self._send(b"S", json.dumps({"time": time, "poses": rows}).encode())

    def open(self) -> None:
        """Open the default browser."""
        webbrowser.open(self.url, new=2)

    def close(self) -> None:
        """End the server and its process."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended before
            self._process.stdin.close()
        self._process.wait()

    def _send(self, kind: bytes, content: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(kind + len(content).to_bytes(8, "big") + content)
            self._process.stdin.flush()
        except OSError as error:
            raise ModiaError("the viewer does not answer", path=self.url, found=str(error)) from None


class Follower:
    """View of a simulation while it runs; ``simulate(progress=...)`` calls `progress`.

    Args:
        window: where it is shown.
        simulation: the `SimulationModel`.
        title: of the window.
        stop_time: until when it runs [s].
        clock: tells how much time passes [s].
    """

    def __init__(
        self,
        window: Window,
        simulation: Any,
        *,
        title: str,
        stop_time: float,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._clock = clock
        self._window, self._simulation = window, simulation
        self._title, self._stop_time = title, stop_time
        self._scene: Animation | None = None
        self._next = clock() + FIRST_S

    def progress(self, now: float) -> None:
        """Show the present poses of the bodies, unless the last update was too recent.

        Raises ModelError if nothing is visible.
        """
        began = self._clock()
        if began < self._next:
            return
        result = self._simulation.last.result
        if result is None or not len(result.time):
            return
        if self._scene is None:
            components = self._simulation.flat.components.items()
            if self._simulation.flat.visualizers and not has_systems(components):
                return  # they are seen when the simulation has ended
            self._scene = live_scene(result, components, title=self._title, stop_time=self._stop_time)
            self._window.show(self._scene)
        self._window.move(now, live_poses(result, self._scene))
        spent = self._clock() - began
        self._next = began + spent + max(PAUSE_S, spent / SHARE)


def show(animation: Animation, *, address: str = ADDRESS, open_browser: bool = True) -> Window:
    """Start a server, give it the animation and open the browser.

    Args:
        animation: what is shown.
        address: where the server listens; by default this machine only. Whoever can reach another one sees the scene.
        open_browser: whether the default browser is opened.

    Raises:
        ModiaError: the server cannot listen there.
    """
    window = Window(address)
    window.show(animation)
    if open_browser:
        window.open()
    return window
