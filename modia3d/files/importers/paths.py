"""Paths of the files that a robot's file names: in its own folder or in folders that the user gives, nowhere else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlparse

from modiapy.acausal.whole_file import written_whole
from modiapy.model.errors import ModelError

from ...scene.basics.paths import permitted_path
from .robot import SourceLocation


class Files:
    """Finds meshes.

    Args:
        file: the robot's file.
        roots: folder of each package, by name; files in all of them may be read.
        copies: folder to which the meshes are copied; None: they are used where they are.
    """

    def __init__(self, file: Path, roots: Mapping[str, str | os.PathLike[str]], copies: Path | None) -> None:
        self.folder = Path(os.path.realpath(file)).parent
        self.roots = {name: Path(folder).resolve() for name, folder in roots.items()}
        for name, folder in self.roots.items():
            if not folder.is_dir():
                raise ModelError(f"the folder of package '{name}' does not exist", found=str(folder), expected="a folder")
        self.copies = copies
        self._copied: dict[Path, Path] = {}

    def find(self, name: str, place: SourceLocation) -> Path:
        """Return the file called ``name``: ``package://NAME/...``, ``model://NAME/...``, ``file://...`` or a path.

        Raises:
            ModelError: at ``place``: no such package or file, or a file outside of the permitted folders.
        """
        try:
            url = urlparse(name)
        except ValueError as error:
            raise place.error("this is no name of a file", found=f"'{name}': {error}") from None
        if url.scheme in ("package", "model"):
            base = self._package(url.netloc, name, place)
            path = base / unquote(url.path).lstrip("/")
            folders = [str(base)]
        elif url.scheme in ("", "file"):
            path = self.folder / (unquote(url.path) if url.scheme else name)
            folders = [str(self.folder), *map(str, self.roots.values())]
        else:
            raise place.error("the file is not on this machine", found=f"'{name}'", expected="package://, file:// or a path")
        try:
            return permitted_path("the file of a mesh", str(path), folders)
        except ModelError as error:
            outside = "outside" in error.found
            remedy = "Give its folder as a root: --root NAME=FOLDER, roots={NAME: folder}." if outside else ""
            raise place.error(error.message, found=error.found, expected=error.expected, remedy=remedy) from None

    def used(self, path: Path) -> str:
        """Return the path that the model shall name: the file itself, or its copy."""
        if self.copies is None:
            return str(path)
        if path not in self._copied:
            target, number = self.copies / path.name, 2
            while target in self._copied.values():
                target, number = self.copies / f"{path.stem}_{number}{path.suffix}", number + 1
            try:
                self.copies.mkdir(parents=True, exist_ok=True)
                if target.resolve() != path:
                    with written_whole(target) as stream, path.open("rb") as source:
                        shutil.copyfileobj(source, stream)
            except OSError as error:
                raise ModelError("a mesh cannot be copied", path=str(target), found=error.strerror or str(error)) from None
            self._copied[path] = target
        return str(self._copied[path])

    def _package(self, package: str, name: str, place: SourceLocation) -> Path:
        if package in self.roots:
            return self.roots[package]
        near = next((str(folder) for folder in self.folder.parents if folder.name == package), "FOLDER")
        raise place.error(
            f"the folder of package '{package}' is not known", found=f"'{name}'",
            expected=f"one of the packages {', '.join(self.roots)}" if self.roots else "its folder as a root",
            remedy=f"Say where it is: --root {package}={near}, roots={{'{package}': '{near}'}}.",
        )  # fmt: skip
