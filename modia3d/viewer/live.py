"""The animation in a live meshcat window: a server on this machine and the default browser."""

from __future__ import annotations

import os
import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import Any

from modiapy.model.errors import ModiaError

from .animation import Animation
from .meshcat_scene import commands

ADDRESS = "127.0.0.1"
"""Where nobody but this machine gets to."""

PATIENCE_MS = 20_000
"""So long an answer of the server is waited for."""


class Window:
    """A server of its own process with one scene; it lives until `close`, or as long as this process.

    Attributes:
        url: where a browser finds it.
    """

    def __init__(self, address: str) -> None:
        import zmq

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
        where = self._process.stdout.readline().decode().split()
        if len(where) != 2:
            self.close()
            raise ModiaError(
                "the viewer cannot be started",
                found=f"no server that listens on {address}",
                expected="an address of this machine",
            )
        commands_url, self.url = where
        self._socket: Any = zmq.Context.instance().socket(zmq.REQ)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.RCVTIMEO, PATIENCE_MS)
        self._socket.connect(commands_url)

    def send(self, message: dict[str, Any]) -> None:
        """Send one of meshcat's commands."""
        import umsgpack
        import zmq

        try:
            self._socket.send_multipart([message["type"].encode(), message["path"].encode(), umsgpack.packb(message)])
            self._socket.recv()
        except zmq.ZMQError as error:
            raise ModiaError("the viewer does not answer", path=self.url, found=str(error)) from None

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def show(animation: Animation, *, address: str = ADDRESS, open_browser: bool = True) -> Window:
    """Start a server, send it the scene and open the browser.

    Args:
        animation: what is shown.
        address: where the server listens; by default this machine only. Whoever can reach another one sees the scene.
        open_browser: whether the default browser is opened.

    Raises:
        ModiaError: the server cannot listen there.
    """
    window = Window(address)
    for message in commands(animation):
        window.send(message)
    if open_browser:
        webbrowser.open(window.url, new=2)
    return window
