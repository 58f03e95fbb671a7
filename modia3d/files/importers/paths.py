"""Paths of the files that a robot's file names: in its own folder or in folders that the user gives, nowhere else."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from modiapy.acausal.disk.whole_file import written_whole
from modiapy.model.errors import ModelError
from modiapy.model.model import Par

from ...scene import constructors as make
from ...scene.basics.paths import permitted_path
from ...scene.shapes.mesh import FORMATS
from ...scene.shapes.mesh_files import named_files
from .robot import SourceLocation

NO_VISUALS = "out what is only seen: --no-visuals, visuals=False"


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
        self._sources: dict[Path, Path] = {}

    def find(self, name: str, place: SourceLocation, *, seen: bool = True) -> Path:
        """Return the file called ``name``: ``package://NAME/...``, ``model://NAME/...``, ``file://...`` or a path.

        Messages name what leaves out the file if it is only ``seen``.

        Raises:
            ModelError: at ``place``: no such package or file, or a file outside of the permitted folders.
        """
        scheme, separator, rest = name.partition("://")
        if not separator:
            scheme, rest = "", name
        if scheme in ("package", "model"):
            package, _, rest = rest.partition("/")
            base = self._package(package, rest, name, place, seen)
            folders = [base]
        elif scheme in ("", "file"):
            base, folders = self.folder, [self.folder, *self.roots.values()]
            rest = rest.removeprefix("localhost") if scheme else rest
        else:
            raise place.error("the file is not on this machine", found=f"'{name}'", expected="package://, file:// or a path")
        rest = rest.lstrip("/") if scheme in ("package", "model") else rest
        path = base / (rest if not scheme or _is_file(base / rest) else unquote(rest))
        return self.permitted(place, path, seen=seen, folders=folders)

    def permitted(self, place: SourceLocation, path: Path, *, seen: bool = False, folders: Sequence[Path] = ()) -> Path:
        """Return a file in one of the folders, by default the robot's folder and the roots.

        Messages say that leaving out what is only ``seen`` may help.

        Raises:
            ModelError: at ``place``: there is no such file, or it is elsewhere.
        """
        try:
            folders = folders or [self.folder, *self.roots.values()]
            return permitted_path("the file of a mesh", str(path), list(map(str, folders)))
        except ModelError as error:
            remedy = ""
            if "outside" in error.message:
                folder = Path(os.path.realpath(path)).parent
                remedy = f"Give its folder as a root: --root {_root(folder.name or 'files', folder)}"
            if seen:
                remedy += f"{', or leave' if remedy else 'Leave'} {NO_VISUALS}"
            raise place.error(
                error.message, found=error.found, expected=error.expected, remedy=remedy and f"{remedy}."
            ) from None

    def mesh(self, path: Path, scale: Sequence[float]) -> Par | None:
        """Return the mesh in a file, ``scale`` times as large along x, y, z; None where its format is not known."""
        if path.suffix.lower() not in FORMATS:
            return None
        factor = scale[0] if len(set(scale)) == 1 and scale[0] > 0.0 else list(scale)
        return make.Mesh(file=self.used(path), **({} if factor == 1.0 else {"scale": factor}))

    def used(self, path: Path) -> str:
        """Return the path that the model shall name: the file itself, or its copy, beside which stand those that it names
        itself.
        """
        if self.copies is None:
            return str(path)
        if path not in self._copied:
            named = [file for file in named_files(path) if file != path]
            folder, target, number = self.copies, self.copies / path.name, 2
            while any(self._is_taken(file, folder / file.relative_to(path.parent)) for file in named) or self._is_taken(
                path, target
            ):
                folder = self.copies / f"{path.stem}_{number}" if named else self.copies
                target = folder / (path.name if named else f"{path.stem}_{number}{path.suffix}")
                number += 1
            for source, copy in ((path, target), *((file, folder / file.relative_to(path.parent)) for file in named)):
                self._copy(source, copy)
                self._sources[copy] = source
            self._copied[path] = target
        return str(self._copied[path])

    def _is_taken(self, source: Path, target: Path) -> bool:
        """Return whether another file is copied to ``target``."""
        return self._sources.get(target, source) != source

    def _copy(self, source: Path, target: Path) -> None:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.resolve() != source:
                with written_whole(target) as stream, source.open("rb") as content:
                    shutil.copyfileobj(content, stream)
        except OSError as error:
            raise ModelError("a mesh cannot be copied", path=str(target), found=error.strerror or str(error)) from None

    def _package(self, package: str, rest: str, name: str, place: SourceLocation, seen: bool) -> Path:
        """Return the folder of a package."""
        if package in self.roots:
            return self.roots[package]
        if not package:
            raise place.error(
                "the name of the package is missing", found=f"'{name}'", expected="package://NAME/FILE",
                remedy=f"Leave {NO_VISUALS}." if seen else "",
            )  # fmt: skip
        above = [self.folder, *self.folder.parents]
        likely = [folder for folder in above if folder.name == package] + [folder / package for folder in above]
        near = next((str(folder) for folder in likely if _is_file(folder / unquote(rest))), "FOLDER")
        remedy = f"Say where it is: --root {_root(package, near)}, roots={{'{package}': '{near}'}}"
        raise place.error(
            f"the folder of package '{package}' is not known", found=f"'{name}'",
            expected=f"one of the packages {', '.join(self.roots)}" if self.roots else "its folder as a root",
            remedy=f"{remedy}; or leave {NO_VISUALS}." if seen else f"{remedy}.",
        )  # fmt: skip


def _is_file(path: Path) -> bool:
    """Return whether there is such a file; names that no file can have are none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _root(name: str, folder: str | os.PathLike[str]) -> str:
    """Return the argument of ``--root`` as a shell takes it."""
    return shlex.quote(f"{name}={folder}")
