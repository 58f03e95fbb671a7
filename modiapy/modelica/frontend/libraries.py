"""Modelica libraries on disk: packages in folders and files, found in given folders or along MODELICAPATH."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from ...model.errors import ModelError

VARIABLE = "MODELICAPATH"
_VERSION = re.compile(r'(?<![A-Za-z])version\s*=\s*"([^"]*)"')


@dataclass(frozen=True)
class Library:
    """Library: a package at the top level of a folder.

    Attributes:
        name: of the package, e.g. "Modelica".
        version: as its annotation says; "" if it says none.
        path: its folder (with ``package.mo``), or its file.
    """

    name: str
    version: str
    path: Path

    @property
    def file(self) -> Path:
        """The file of the package itself."""
        return self.path / "package.mo" if self.path.is_dir() else self.path


def searched_folders(given: Iterable[str | PathLike[str]] | None = None) -> list[Path]:
    """Return the folders in which libraries are looked for: those given, else those of the environment variable MODELICAPATH.

    Raises:
        ModelError: a given folder does not exist.
    """
    if given is None:
        return [Path(entry) for entry in os.environ.get(VARIABLE, "").split(os.pathsep) if entry and Path(entry).is_dir()]
    folders = [Path(entry).expanduser() for entry in given]
    for folder in folders:
        if not folder.exists():
            raise ModelError("there is no such folder of Modelica libraries", found=repr(str(folder)), file=str(folder))
    return folders


def find_libraries(given: Iterable[str | PathLike[str]] | None = None) -> dict[str, Library]:
    """Return all libraries in the searched folders by name; the first one found wins.

    Args:
        given: folders that contain libraries, or folders and files that are libraries; None means MODELICAPATH.

    Raises:
        ModelError: a given folder does not exist.
    """
    found: dict[str, Library] = {}
    for folder in searched_folders(given):
        inside = [folder] if _is_library(folder) else sorted(filter(_is_library, folder.iterdir()), key=_newest_first)
        for path in inside:
            library = _library(path)
            found.setdefault(library.name, library)
    return found


def library_of(file: Path) -> Library | None:
    """Return the library that a file is a part of by its folders; None for a file of its own."""
    folder = file.resolve().parent
    if not (folder / "package.mo").is_file():
        return None
    while (folder.parent / "package.mo").is_file():
        folder = folder.parent
    return _library(folder)


def _is_library(path: Path) -> bool:
    return (path / "package.mo").is_file() if path.is_dir() else path.suffix == ".mo"


def _newest_first(path: Path) -> tuple[str, list[int]]:
    """Return the key that sorts folders such as ``Modelica 4.1.0`` by name, the newest version first."""
    name, _, version = path.name.partition(" ")
    return name, [-int(number) for number in re.findall(r"\d+", version)]


def _library(path: Path) -> Library:
    file = path / "package.mo" if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ModelError("a Modelica library cannot be read", found=str(error), file=str(file)) from error
    name = path.name.partition(" ")[0] if path.is_dir() else path.stem
    version = _VERSION.search(text)
    return Library(name, version[1] if version else "", path)
