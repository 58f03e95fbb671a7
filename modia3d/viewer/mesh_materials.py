"""Colours and textures in files of meshes: COLLADA, OBJ with its MTL, glTF. Everything that is lost is reported."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..scene.basics.checks import Vector3
from ..scene.shapes import MeshShape
from ..scene.shapes.mesh_lost import lost_looks, names_pictures

LARGEST = 2048
"""Pixels of the edges of a texture, at most; larger ones are scaled."""

OTHER_TEXTURES = ("normalTexture", "metallicRoughnessTexture", "emissiveTexture", "occlusionTexture")


@dataclass(frozen=True)
class SurfaceMaterial:
    """Colour of a surface.

    Attributes:
        color: red, green, blue in 0..1.
        opacity: 1: nothing is seen through it.
        wireframe: only edges are seen.
        texture: a picture as bytes of a PNG or JPEG file; its colours are multiplied by ``color``.
    """

    color: Vector3
    opacity: float = 1.0
    wireframe: bool = False
    texture: bytes | None = None


@dataclass
class Piece:
    """Part of a mesh with one look.

    Attributes:
        vertices: (n, 3) [m]. faces: (m, 3).
        look: None: the file does not say.
        colors: in 0..1 of each vertex, (n, 3).
        coordinates: in the texture of each vertex, from its upper left corner, (n, 2).
    """

    vertices: np.ndarray
    faces: np.ndarray
    look: SurfaceMaterial | None
    colors: np.ndarray | None = None
    coordinates: np.ndarray | None = None


def mesh_materials(shape: MeshShape) -> tuple[list[Piece], list[str]]:
    """Return the pieces of a mesh with the looks of its file, and a list of what is lost, as sentences.

    There are no pieces if the file contains no looks.
    """
    if shape.path.suffix.lower() == ".stl":
        return [], []
    lost: list[str] = []
    meshes, readable = shape.pieces()
    pieces = [_piece(mesh, shape.file, lost) for mesh in meshes]
    missing = lost_looks(shape.path)
    textured = any(piece.look is not None and piece.look.texture is not None for piece in pieces)
    if not readable:
        missing = missing or [f"the looks of the mesh '{shape.path.name}' are lost: they cannot be read"]
    elif not missing and not textured and names_pictures(shape.path):
        missing = [f"the textures of the mesh '{shape.path.name}' are lost: they cannot be read"]
    lost += missing
    told = any(piece.look is not None or piece.colors is not None for piece in pieces)
    return pieces if told else [], lost


def _piece(mesh: Any, file: str, lost: list[str]) -> Piece:
    vertices, faces, visual = np.asarray(mesh.vertices), np.asarray(mesh.faces), mesh.visual
    if visual.kind == "face":
        corners = np.arange(3 * len(faces)).reshape(-1, 3)
        return _colored(vertices[faces.ravel()], corners, np.repeat(visual.face_colors, 3, axis=0) / 255.0)
    if visual.kind == "vertex":
        return _colored(vertices, faces, visual.vertex_colors / 255.0)
    material = getattr(visual, "material", None)
    if material is None:
        return Piece(vertices, faces, None)
    for name in OTHER_TEXTURES:
        if getattr(material, name, None) is not None:
            _note(lost, f"the {name} of the mesh '{file}' is not shown")
    picture = getattr(material, "baseColorTexture", None)
    picture = getattr(material, "image", None) if picture is None else picture
    coordinates = getattr(visual, "uv", None)
    if picture is not None and coordinates is None:
        _note(lost, f"a texture of the mesh '{file}' is not shown: it has no texture coordinates")
    color, opacity = _color(material, plain=picture is None)
    if picture is None or coordinates is None:
        return Piece(vertices, faces, SurfaceMaterial(color, opacity))
    flipped = np.column_stack([coordinates[:, 0], 1.0 - coordinates[:, 1]])
    return Piece(vertices, faces, SurfaceMaterial(color, opacity, texture=_png(picture)), coordinates=flipped)


def _colored(vertices: np.ndarray, faces: np.ndarray, colors: np.ndarray) -> Piece:
    """Return a piece with the colours of its vertices in 0..1: red, green, blue and opacity."""
    opacity = float(colors[:, 3].min())
    if len(colors) and np.ptp(colors, axis=0).max() == 0.0:
        return Piece(vertices, faces, SurfaceMaterial(_vector(colors[0]), opacity))
    return Piece(vertices, faces, SurfaceMaterial((1.0, 1.0, 1.0), opacity), colors[:, :3])


def _color(material: Any, *, plain: bool) -> tuple[Vector3, float]:
    """Return colour and opacity of a material; beside a texture only that of glTF, which is a factor of it."""
    factor = getattr(material, "baseColorFactor", None)
    if factor is None and plain:
        factor = getattr(material, "diffuse", None)
    opacity = _dissolved(material)
    if factor is None:
        return (1.0, 1.0, 1.0), opacity
    values = np.asarray(factor)
    values = values / 255.0 if values.dtype.kind in "ui" else values.astype(float)
    return _vector(values), opacity * float(values[3]) if len(values) > 3 else opacity


def _dissolved(material: Any) -> float:
    """Return the opacity of a material: ``d`` of MTL, or 1 minus its ``Tr``; 1 if neither is a number."""
    given = getattr(material, "kwargs", None) or {}
    try:
        value = float(np.ravel(given["d"])[0]) if "d" in given else 1.0 - float(np.ravel(given.get("tr", 0.0))[0])
    except ValueError:
        return 1.0
    return min(max(value, 0.0), 1.0)


def _vector(values: np.ndarray) -> Vector3:
    red, green, blue = (float(min(max(value, 0.0), 1.0)) for value in values[:3])
    return red, green, blue


def _png(picture: Any) -> bytes:
    """Convert a picture of the package Pillow to a PNG file."""
    drawn = picture.convert("RGBA" if "A" in picture.getbands() or picture.mode == "P" else "RGB")
    drawn.thumbnail((LARGEST, LARGEST))
    with io.BytesIO() as file:
        drawn.save(file, "PNG")
        return file.getvalue()


def _note(lost: list[str], sentence: str) -> None:
    if sentence not in lost:
        lost.append(sentence)
