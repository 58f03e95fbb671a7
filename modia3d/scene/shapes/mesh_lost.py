"""Looks of a mesh that are lost, as sentences: files that are not there, materials that are broken."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from .mesh_dae import with_looks_that_can_be_read
from .mesh_files import PICTURE
from .mesh_gltf import missing_references

PICTURES = re.compile(rb"[^\s\"'<>/\\:]+" + PICTURE.encode() + rb"\b", re.I)


def lost_looks(path: Path) -> list[str]:
    """Return the looks that a mesh's file, or the material files of an OBJ file, name but that do not exist, as sentences.

    Raises:
        OSError: the file cannot be read.
    """
    suffix, content = path.suffix.lower(), path.read_bytes()
    lost: list[str] = []
    if suffix == ".obj":
        files = _material_files(path, content)
        lost = [f"the colours of the mesh '{path.name}' are lost: there is no '{f.name}'" for f in files if not f.is_file()]
    elif suffix == ".dae":
        broken = _broken_materials(content)
        lost = [f"the look of the material '{name}' of the mesh '{path.name}' is lost: it is broken" for name in broken]
    elif suffix in (".gltf", ".glb"):
        lost = [f"the looks of the mesh '{path.name}' are lost: it has no {name}" for name in missing_references(content)]
    pictures = _pictures(path, content)
    there = {file.name for folder in (path.parent, *path.parent.glob("*/")) for file in folder.glob("*")} if pictures else set()
    lost += [f"a texture of the mesh '{path.name}' is lost: there is no '{name}'" for name in pictures if name not in there]
    return lost


def names_pictures(path: Path) -> bool:
    """Return whether a mesh's file, or the material files of an OBJ file, name pictures."""
    return bool(_pictures(path, path.read_bytes()))


def _pictures(path: Path, content: bytes) -> list[str]:
    """Return the names of pictures, without folders."""
    if path.suffix.lower() in (".glb", ".stl"):
        return []
    if path.suffix.lower() == ".obj":
        content = b"\n".join(file.read_bytes() for file in _material_files(path, content) if file.is_file())
    return list(dict.fromkeys(unquote(name.decode(errors="replace")) for name in PICTURES.findall(content)))


def _material_files(path: Path, content: bytes) -> list[Path]:
    """Return the files that an OBJ file names for its materials, in its own folder."""
    names = [name.strip().decode(errors="replace") for name in re.findall(rb"^\s*mtllib\s+(.+)$", content, re.M)]
    return [path.parent / Path(name).name for name in names]


def _broken_materials(content: bytes) -> list[str]:
    """Return the materials of a COLLADA document that cannot be read; none of a file that is no such document."""
    try:
        return with_looks_that_can_be_read(content)[1]
    except Exception:  # whatever the reader raises; of such a file the mesh itself cannot be read
        return []
