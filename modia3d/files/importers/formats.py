"""Formats of robots' files; light to import.

A format is a file beside this one, whose function makes a `robot.Robot` of a file, and a line in `FORMATS`. From these follow
`modia3d.files.import_robot`, ``include`` of scenarios, ``modia3d import``, the JSON Schema and the messages. Formats from
outside are added by `add_robot_format`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from modiapy.model.errors import ModelError

from .options import OPTIONS, TEXTS, RobotOptions
from .xml_tree import root_tag

if TYPE_CHECKING:
    from .paths import Files
    from .report import Report
    from .robot import Robot

    Read = Callable[[Path, Files, RobotOptions, Report], Robot]


@dataclass(frozen=True)
class RobotFormat:
    """A format of robots' files.

    Attributes:
        name: what users call it.
        suffixes: how names of its files may end, each with its point.
        recognise: tells by the content whether a file is of this format.
        read: makes the robot of a file, with ``Files`` to find the files that it names, the options, and the ``Report`` to the
            user; raises `ModelError`.
        without: options of `import_robot` that it does not have, and what to do instead. All formats have ``roots``, as each
            scenario says where files may be.
    """

    name: str
    suffixes: tuple[str, ...]
    recognise: Callable[[Path], bool]
    read: Read
    without: Mapping[str, str] = field(default_factory=dict)

    def check(self, options: RobotOptions) -> None:
        """Refuse an option that the format does not have. Raises ModelError."""
        for name, remedy in self.without.items():
            if (value := getattr(options, name)) != getattr(RobotOptions(), name):
                known = ", ".join(other for other in OPTIONS if other not in self.without)
                raise ModelError(
                    f"{self.name} has no option '{name}'",
                    found=f"{name}={value!r}",
                    expected=f"options among {known}",
                    remedy=remedy,
                )


def _in_file(name: str) -> Read:
    """Return the function ``read`` of a file beside this one, which is imported when it is called."""
    return lambda *given: import_module(f".{name}", __package__).read(*given)  # type: ignore[no-any-return]


def _with_root(tag: str) -> Callable[[Path], bool]:
    """Return the recognition of XML by its root element."""
    return lambda file: root_tag(file) == tag


_FREE_JOINT = "MJCF says itself what floats: <freejoint/>."
FORMATS = {
    "URDF": RobotFormat("URDF", (".urdf", ".xml"), _with_root("robot"), _in_file("urdf")),
    "MJCF": RobotFormat("MJCF", (".mjcf", ".xml"), _with_root("mujoco"), _in_file("mjcf"), {"floating": _FREE_JOINT}),
}
"""All formats by name."""


def add_robot_format(format: RobotFormat) -> None:
    """Let `import_robot`, scenarios and the command line read robots in a format from outside of this package.

    Args:
        format: with a name of its own. What a file is, its own content says, so each format recognises its own files only.

    Raises:
        ModelError: there is another format of this name.
    """
    if format.name in FORMATS:
        raise ModelError(f"there is a robot format '{format.name}' already", expected="a new name")
    FORMATS[format.name] = format


def known_formats() -> str:
    """Return the names of all formats with their suffixes, for messages and texts."""
    return ", ".join(f"{one.name} ({', '.join(one.suffixes)})" for one in FORMATS.values())


def option_text(name: str) -> str:
    """Return the meaning of an option, and which formats do not have it."""
    others = ", ".join(one.name for one in FORMATS.values() if name in one.without)
    return f"{TEXTS[name][:1].upper()}{TEXTS[name][1:]}{f' Not in {others}.' * bool(others)}"


def format_of(file: Path) -> RobotFormat:
    """Return the format of a file, by its content; by its suffix where the content is none that a format recognises.

    Raises:
        ModelError: there is no such file, or it is in none of the formats.
    """
    by_content = next((one for one in FORMATS.values() if one.recognise(file)), None)
    by_suffix = [one for one in FORMATS.values() if file.suffix.lower() in one.suffixes]
    if by_content is None and len(by_suffix) != 1:
        with file.open("rb") as stream:
            begin = stream.read(60).decode(errors="replace").splitlines()
        raise ModelError(
            "this is no file of a robot", file=str(file), found=f"a file that begins with {(begin or [''])[0]!r}",
            expected=f"a robot in {known_formats()}",
        )  # fmt: skip
    return by_content or by_suffix[0]
