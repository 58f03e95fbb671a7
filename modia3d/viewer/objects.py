"""Appearance of each shape: triangles or lines with a material, for the page and for glTF."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

from ..scene.shapes import CoordinateSystemShape, MeshShape, TextShape
from ..scene.visual import VisualMaterial
from .content import ShownFrame
from .mesh_materials import Piece, SurfaceMaterial, mesh_materials
from .shading import shaded, with_area
from .surfaces import lines, surface


@dataclass
class Part:
    """One piece of what is seen of a shape, in its frame.

    Attributes:
        points: float32 (n, 3) [m]. triangles: uint32 (m, 3); None: each two points are the ends of a line.
        normals: of triangles, float32 (n, 3).
        colors: red, green, blue in 0..1 for each point, float32 (n, 3); None: of the look.
        coordinates: in the texture, from its upper left corner, float32 (n, 2).
        look: colour and texture.
        text: what is written on it, black on transparent, in place of a texture.
    """

    points: np.ndarray
    triangles: np.ndarray | None
    look: SurfaceMaterial
    normals: np.ndarray | None = None
    colors: np.ndarray | None = None
    coordinates: np.ndarray | None = None
    text: str = ""


def parts_of(frame: ShownFrame) -> tuple[list[Part], list[str]]:
    """Return the visible parts of a frame's shape, and a list of the looks of a mesh that are lost, as sentences.

    Raises:
        ModelError: the shape is none of modia3d's.
    """
    shape = frame.shape
    if shape is None:
        return [], []
    look = _look(frame.material or VisualMaterial())
    lost: list[str] = []
    if isinstance(shape, MeshShape) and frame.material is None:
        pieces, lost = mesh_materials(shape)
        if pieces:
            return [_part(piece, look) for piece in pieces], lost
    triangles = surface(shape)
    if triangles is not None:
        points, normals, indices = shaded(*triangles)
        return [Part(points, indices, look, normals)], lost
    ends = lines(shape)
    if ends is not None:
        points, colors = ends
        white = SurfaceMaterial((1.0, 1.0, 1.0), look.opacity) if isinstance(shape, CoordinateSystemShape) else look
        return [Part(points.astype(np.float32), None, white, None, None if colors is None else colors.astype(np.float32))], []
    if isinstance(shape, TextShape):
        return [_text(shape, look)], []
    raise ModelError(f"the viewer cannot show a '{type(shape).__name__}'", path=frame.name, expected="a shape of modia3d")


def _look(material: VisualMaterial) -> SurfaceMaterial:
    return SurfaceMaterial(material.rgb, 1.0 - material.transparency, wireframe=material.wireframe)


def _part(piece: Piece, otherwise: SurfaceMaterial) -> Part:
    """Return the part for a piece; with vertex colours or textures, each corner of each triangle gets a point of its own."""
    look = piece.look or otherwise
    points, normals, triangles = shaded(piece.vertices, piece.faces)
    if piece.colors is None and piece.coordinates is None:
        return Part(points, triangles, look, normals)
    faces = piece.faces[with_area(piece.vertices, piece.faces)]
    corners, every = faces.ravel(), np.arange(faces.size, dtype=np.uint32).reshape(-1, 3)
    colors, coordinates = (
        None if values is None else values[corners].astype(np.float32) for values in (piece.colors, piece.coordinates)
    )
    return Part(piece.vertices[corners].astype(np.float32), every, look, normals[triangles.ravel()], colors, coordinates)


LETTER = 0.61
"""Width of a letter of a monospaced font by its height."""


def _text(shape: TextShape, look: SurfaceMaterial) -> Part:
    """Return a plate for a text, as wide as the text, which runs along the next axis in the cycle x, y, z."""
    wide, high = 0.5 * LETTER * len(shape.text) * shape.height, 0.5 * 1.5 * shape.height
    corners = np.array([(-wide, -high, 0.0), (wide, -high, 0.0), (wide, high, 0.0), (-wide, high, 0.0)])
    points = np.roll(corners, {"z": 0, "x": 1, "y": 2}[shape.axis], axis=1).astype(np.float32)
    normals = np.roll(np.array([[0.0, 0.0, 1.0]] * 4), {"z": 0, "x": 1, "y": 2}[shape.axis], axis=1).astype(np.float32)
    coordinates = np.array([(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)], dtype=np.float32)
    triangles = np.array([(0, 1, 2), (0, 2, 3)], dtype=np.uint32)
    return Part(points, triangles, SurfaceMaterial((0.0, 0.0, 0.0), look.opacity), normals, None, coordinates, shape.text)
