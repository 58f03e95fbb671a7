"""Common part of commands that show or write an animation: options, files, the window that follows a simulation."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import click

from modiapy.model.errors import ModiaError

from .options import Seconds, with_options

SUFFIXES = {"html": (), "gltf": (".glb",), "png": (".png",), "video": (".mp4", ".webm", ".gif")}
"""How files may end, by the option that names them; html: in any way."""

_OPTIONS = (
    click.option("--html", metavar="FILE", help="Write the animation as one self-contained HTML file."),
    click.option("--gltf", metavar="FILE", help="Write the animation as glTF (.glb), for Blender and others."),
    click.option("--png", metavar="FILE", help="Draw one instant of it, see --at; needs Chromium."),
    click.option("--video", metavar="FILE", help="Draw all of it: .mp4, .webm or .gif; needs Chromium."),
    click.option("--at", type=Seconds(), metavar="S", help="Instant of --png [s] instead of the first one."),
    click.option("--speed", type=float, metavar="X", help="Simulated time per time of --video (1)."),
    click.option("--signals", metavar="NAMES", multiple=True, help="Plot these in the page: 'arm.*.phi'; instead of joints."),
    click.option("--path", "paths", metavar="OBJECT3D", multiple=True, help="Show the path of an Object3D."),
    click.option("--axes", metavar="OBJECT3D", multiple=True, help="Show the axes of an Object3D."),
    click.option("--forces", metavar="NAMES", multiple=True, help="Show forces in joints and rigid connections: 'arm.*'."),
    click.option("--listen", metavar="ADDRESS", help="Address of the window instead of this machine only."),
)


def animation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of animations; they come to it as names of `AnimationOptions`."""
    return with_options(command, _OPTIONS)


@dataclass(frozen=True)
class AnimationOptions:
    """Options of an animation."""

    html: str | None
    gltf: str | None
    png: str | None
    video: str | None
    at: float | None
    speed: float | None
    signals: Sequence[str]
    paths: Sequence[str]
    axes: Sequence[str]
    forces: Sequence[str]
    listen: str | None

    @classmethod
    def taken(cls, given: dict[str, Any], *, window: bool | None = None) -> AnimationOptions:
        """Return the options, which are taken out of those that are given.

        Args:
            given: all options of a command by name.
            window: whether there is one; None: where no file is asked for.

        Raises:
            ModiaError: a file has another suffix, or an option says something of what is not asked for.
        """
        options = cls(**{field.name: given.pop(field.name) for field in fields(cls)})
        for kind, file in options.files.items():
            suffix = os.path.splitext(file)[1].lower()
            if SUFFIXES[kind] and suffix not in SUFFIXES[kind]:
                raise ModiaError(f"--{kind} is wrong", path=file, found=f"'{suffix}'", expected=" or ".join(SUFFIXES[kind]))
        options._check_use(not options.files if window is None else window)
        return options

    def _check_use(self, window: bool) -> None:
        """Refuse options without effect. Raises ModiaError."""
        shown = bool(self.files) or window
        uses: tuple[tuple[str, Any, Any, str], ...] = (
            ("at", self.at, self.png, "--png FILE"),
            ("speed", self.speed, self.video, "--video FILE"),
            ("listen", self.listen, window, "a window: --view"),
            ("signals", self.signals, window or self.html, "a page: --html FILE or --view"),
            ("path", self.paths, shown, "an animation: --html FILE or --view"),
            ("axes", self.axes, shown, "an animation: --html FILE or --view"),
            ("forces", self.forces, shown, "an animation: --html FILE or --view"),
        )
        for name, given, used, expected in uses:
            if given not in (None, ()) and not used:
                raise ModiaError(f"--{name} has no effect", expected=expected)
        if self.speed is not None and not 0.0 < self.speed < float("inf"):
            raise ModiaError("--speed is wrong", found=f"{self.speed:g}", expected="a positive number")

    @property
    def files(self) -> dict[str, str]:
        """The files that are asked for, by kind."""
        return {kind: file for kind in SUFFIXES if (file := getattr(self, kind)) is not None}

    def animation(self, result: Any, components: Mapping[str, Any], title: str, contacts: bool) -> Any:
        """Return the `Animation` of a result; ``contacts``: they are shown whatever the scene says."""
        from ..viewer.animation import animate

        return animate(
            result,
            components.items(),
            title=title,
            contacts=contacts or None,
            signals=self.signals,
            paths=self.paths,
            axes=self.axes,
            forces=self.forces,
        )

    def write(self, animation: Any, kind: str, file: str) -> None:
        """Write one of the files."""
        if kind == "png":
            animation.write_png(file, time=self.at)
        elif kind == "video":
            animation.write_video(file, speed=1.0 if self.speed is None else self.speed)
        else:
            getattr(animation, f"write_{kind}")(file)


class LiveView:
    """A window that follows a simulation and shows its animation in the end.

    Args:
        options: of the command.
        say: tells the user where the window is.
    """

    def __init__(self, options: AnimationOptions, say: Callable[[str], None]) -> None:
        from ..viewer.live import Window

        self._window = Window(options.listen or "127.0.0.1")
        say(f"viewer: {self._window.url}")
        self._window.open()

    def follow(self, simulation: Any, *, title: str, stop_time: float) -> Callable[[float], None]:
        """Return the function to be called while the simulation runs."""
        from ..viewer.live import Follower

        return Follower(self._window, simulation, title=title, stop_time=stop_time).progress

    def finish(self, animation: Any) -> None:
        """Show the animation; on a terminal until the user has seen it."""
        self._window.show(animation)
        if sys.stdin.isatty():
            input("Press Enter to close the viewer. ")
        self.close()

    def close(self) -> None:
        """End the server and its window."""
        self._window.close()
