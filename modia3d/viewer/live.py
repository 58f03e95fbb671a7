"""The animation in a live meshcat window: a server on this machine and the default browser."""

from __future__ import annotations

from typing import Any

from .animation import Animation
from .meshcat_scene import commands


class _Lowered:
    """A command message that is ready to be sent."""

    def __init__(self, message: dict[str, Any]) -> None:
        self._message = message

    def lower(self) -> dict[str, Any]:
        return self._message


def show(animation: Animation, *, open_browser: bool = True) -> Any:
    """Start a meshcat server, send it the scene and open the browser.

    Returns:
        meshcat's ``Visualizer``; ``.url()`` is the address. The server lives as long as the process.
    """
    import meshcat

    visualizer = meshcat.Visualizer()
    for message in commands(animation):
        visualizer.window.send(_Lowered(message))
    if open_browser:
        visualizer.open()
    return visualizer
