"""Files of meshes read by trimesh, checked before: a file may declare more than it holds, and have broken looks."""

from __future__ import annotations

import contextlib
import functools
import io
import re
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

from ..basics.checks import Vector3
from .mesh_dae import Unreadable, check_collada, geometry_alone, unit_of, with_looks_that_can_be_read
from .mesh_gltf import gltf_alone

MAX_NUMBERS = 20_000_000
"""Vertices and indices of triangles that a file may declare; formats may do so without holding them."""


@functools.lru_cache(maxsize=64)
def load_mesh(path: Path, changed_ns: int, scale: Vector3) -> Any:
    """Return the mesh of a file; ``changed_ns``, the time of its last change, makes a changed file a new one."""
    try:
        import trimesh
        from trimesh.resolvers import FilePathResolver
    except ImportError:
        raise ModelError(
            "meshes need the package trimesh", found="it is not installed", remedy="pip install modia3d[mesh]"
        ) from None
    suffix = path.suffix.lower()
    options: dict[str, Any] = {".obj": {"skip_materials": True}, ".dae": {"ignore_broken": False}}.get(suffix, {})
    try:
        content = _checked_content(path.read_bytes(), suffix)
        if suffix == ".dae":
            scale = _collada_scale(content, scale)
            content = geometry_alone(content)
        elif suffix in (".gltf", ".glb"):
            content = gltf_alone(content)
        with io.BytesIO(content) as file:
            resolver = FilePathResolver(str(path))  # it refuses what is outside of the file's folder
            mesh = trimesh.load_mesh(file, file_type=suffix[1:], resolver=resolver, **options)
        mesh.merge_vertices(merge_tex=True, merge_norm=True)
        faces, points = len(mesh.faces), np.asarray(mesh.vertices)
    except Unreadable as error:
        raise ModelError(f"the mesh '{path}' cannot be read", found=str(error), expected=f"a whole {suffix} file") from None
    except Exception as error:  # whatever the readers of the formats raise
        text = "text that is not UTF-8" if "charset_normalizer" in str(error) else f"{type(error).__name__}: {error}"
        remedy = "Open it in another program and export it again."
        raise ModelError(
            f"the mesh '{path}' cannot be read", found=text, expected=f"a whole {suffix} file", remedy=remedy
        ) from None
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        found = "coordinates that are not finite" if points.shape[-1:] == (3,) else f"points of {points.shape[-1]} coordinates"
        raise ModelError(f"the mesh '{path}' cannot be read", found=found, expected="three finite numbers for each point")
    if faces == 0:
        raise ModelError(f"the mesh '{path}' is empty", found="no triangles", expected="a surface of triangles")
    if not 0 <= mesh.faces.min() <= mesh.faces.max() < len(points):
        raise ModelError(
            f"the mesh '{path}' cannot be read", found="triangles of points that are not there", expected="whole triangles"
        )
    mesh.apply_scale(scale)
    if mesh.is_watertight and mesh.is_winding_consistent and mesh.volume < 0.0:
        mesh.invert()
    return mesh


def load_pieces(path: Path, scale: Vector3) -> tuple[list[Any], bool]:
    """See `MeshShape.pieces`."""
    suffix = path.suffix.lower()
    try:
        content = _checked_content(path.read_bytes(), suffix)
        if suffix == ".dae":
            scale = _collada_scale(content, scale)
            alone = _parts(geometry_alone(content), path, ignore_broken=False)
        else:
            alone = _parts(gltf_alone(content) if suffix in (".gltf", ".glb") else content, path, skip_materials=True)
    except Exception as error:  # whatever the readers of the formats raise
        raise ModelError(f"the looks of the mesh '{path}' cannot be read", found=f"{type(error).__name__}: {error}") from None
    pieces = alone
    with contextlib.suppress(Exception):  # whatever the readers raise
        seen = _parts(with_looks_that_can_be_read(content)[0] if suffix == ".dae" else content, path)
        if sum(len(piece.faces) for piece in seen) == sum(len(piece.faces) for piece in alone):
            pieces = seen
    for piece in pieces:
        piece.apply_scale(scale)
    return pieces, pieces is not alone


def _parts(content: bytes, path: Path, **options: Any) -> list[Any]:
    """Return the objects in the content of a file."""
    import trimesh
    from trimesh.resolvers import FilePathResolver

    with io.BytesIO(content) as file:
        scene = trimesh.load_scene(file, file_type=path.suffix.lower()[1:], resolver=FilePathResolver(str(path)), **options)
    return [piece for piece in scene.dump() if isinstance(piece, trimesh.Trimesh) and len(piece.faces)]


def _checked_content(content: bytes, suffix: str) -> bytes:
    """Return the content of a file, text as UTF-8. Raises Unreadable where it declares more than it can hold."""
    if suffix in (".gltf", ".glb"):
        declared = sum(int(count) for count in re.findall(rb'"count"\s*:\s*(\d{1,18})', content))
        if declared > MAX_NUMBERS:
            raise Unreadable(f"{declared} vertices and indices are declared, at most {MAX_NUMBERS} are read")
    elif suffix == ".dae":
        check_collada(content)
    elif suffix == ".obj" or not _is_binary_stl(content):
        return _as_utf8(content)
    return content


def _is_binary_stl(content: bytes) -> bool:
    """Return whether an STL file is a binary one. Raises Unreadable where it is neither that nor text."""
    begins = content.lstrip()[:5].lower() == b"solid"
    if len(content) < 84 or (begins and b"facet" in content[:1000]):
        return False
    declared = int.from_bytes(content[80:84], "little")
    if len(content) == 84 + 50 * declared:
        return True
    held = (len(content) - 84) / 50.0
    raise Unreadable(f"{declared} triangles are declared and {held:.6g} are there, and it is no text that begins with 'solid'")


def _as_utf8(content: bytes) -> bytes:
    """Return the text in UTF-8; comments and names are often in older encodings."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1").encode()
    return content


def _collada_scale(content: bytes, scale: Vector3) -> Vector3:
    """Return the scale with the file's unit of length."""
    meter = unit_of(content)
    return scale[0] * meter, scale[1] * meter, scale[2] * meter
