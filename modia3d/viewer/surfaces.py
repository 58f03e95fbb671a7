"""Triangles and lines of all shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..scene.shapes import (
    BeamShape,
    BoxShape,
    CapsuleShape,
    ConeShape,
    CoordinateSystemShape,
    CylinderShape,
    EllipsoidShape,
    GearWheelShape,
    GridShape,
    MeshShape,
    PlaneShape,
    SphereShape,
    SpringShape,
)

SEGMENTS = 48
"""Of a full circle."""

PLANE = 20.0
"""Length of the edges of the square that is drawn for a plane, which has no end [m]."""

Surface = tuple[np.ndarray, np.ndarray]
"""Vertices, shape (n, 3) [m], and triangles, shape (m, 3), counterclockwise seen from outside."""


def surface(shape: Any, segments: int = SEGMENTS) -> Surface | None:
    """Return the triangles of a shape in its frame; None if it is not made of triangles here."""
    if isinstance(shape, MeshShape):
        mesh = shape.surface()
        return np.asarray(mesh.vertices), np.asarray(mesh.faces)
    if isinstance(shape, SphereShape):
        return _ellipsoid(0.5 * np.full(3, shape.diameter), segments)
    if isinstance(shape, EllipsoidShape):
        return _ellipsoid(0.5 * np.array([shape.length_x, shape.length_y, shape.length_z]), segments)
    if isinstance(shape, BoxShape):
        return _box(shape)
    makers: dict[type, Any] = {
        CylinderShape: _cylinder, ConeShape: _cone, CapsuleShape: _capsule, BeamShape: _beam, GearWheelShape: _gear,
        SpringShape: _spring, PlaneShape: _plane,
    }  # fmt: skip
    if type(shape) not in makers:
        return None
    vertices, faces = makers[type(shape)](shape, segments)
    return _along(shape.axis, vertices), faces


def lines(shape: Any) -> tuple[np.ndarray, np.ndarray | None] | None:
    """Return the ends of the lines of a shape, two rows each, shape (2 n, 3) [m].

    In addition their colors, or None for the color of the material.
    """
    if isinstance(shape, CoordinateSystemShape):
        ends = np.zeros((6, 3))
        ends[1::2] = shape.length * np.eye(3)
        return ends, np.repeat(np.array([[0.9, 0.1, 0.1], [0.1, 0.65, 0.1], [0.1, 0.2, 0.9]]), 2, axis=0)
    if isinstance(shape, GridShape):
        half = 0.5 * shape.length
        steps = int(half / shape.distance + 1e-9)
        points = [[(at, -half, 0.0), (at, half, 0.0)] for at in shape.distance * np.arange(-steps, steps + 1)]
        one = np.array(points).reshape(-1, 3)
        return _along(shape.axis, np.concatenate([one, one[:, [1, 0, 2]]])), None
    return None


def _box(shape: BoxShape) -> Surface:
    square = 0.5 * np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]) * (shape.length_x, shape.length_y)
    half = 0.5 * shape.length_z
    return _loft(_rings([(0.0 * square, -half), (square, -half), (square, half), (0.0 * square, half)]))


def _along(axis: str, vertices: np.ndarray) -> np.ndarray:
    """Turn the points of a shape along z to ``axis``: x, y, z are permuted cyclically."""
    return np.roll(vertices, {"z": 0, "x": 1, "y": 2}[axis], axis=1)


def _loft(rings: np.ndarray, *, closed: bool = False) -> Surface:
    """Return the surface through rings of points, shape (k, m, 3), each counterclockwise seen from the next; triangles without
    area are left out. ``closed``: from the last ring back to the first.
    """
    k, m, _ = rings.shape
    i = np.arange(k if closed else k - 1)[:, None]
    j = np.arange(m)[None, :]
    i_next, j_next = (i + 1) % k, (j + 1) % m
    a, b, c, d = i * m + j, i * m + j_next, i_next * m + j_next, i_next * m + j
    faces = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    vertices = rings.reshape(-1, 3)
    p, q, r = (vertices[faces[:, n]] for n in range(3))
    keep = np.any(p != q, axis=1) & np.any(q != r, axis=1) & np.any(r != p, axis=1)
    return vertices, faces[keep]


def _circle(segments: int) -> np.ndarray:
    """Return the points of the unit circle, shape (segments, 2)."""
    angle = 2.0 * np.pi * np.arange(segments) / segments
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _rings(outlines: list[tuple[np.ndarray, float]]) -> np.ndarray:
    """Place outlines in planes z = const: points, shape (m, 2), and z; return the rings."""
    return np.array([np.column_stack([points, np.full(len(points), z)]) for points, z in outlines])


def _prism(outline: np.ndarray, hole: np.ndarray, thickness: float) -> Surface:
    """Return an outline with a hole (as many points; all zero: no hole), extruded along z."""
    half = 0.5 * thickness
    rings = [(hole, -half), (outline, -half), (outline, half), (hole, half)]
    return _loft(_rings(rings), closed=bool(np.any(hole)))


def _ellipsoid(radii: np.ndarray, segments: int) -> Surface:
    latitude = np.linspace(-0.5 * np.pi, 0.5 * np.pi, segments // 2 + 1)
    scale = np.cos(latitude)
    scale[[0, -1]] = 0.0
    vertices, faces = _loft(_rings([(s * _circle(segments), z) for s, z in zip(scale, np.sin(latitude), strict=True)]))
    return vertices * radii, faces


def _cylinder(shape: CylinderShape, segments: int) -> Surface:
    circle = 0.5 * _circle(segments)
    return _prism(shape.diameter * circle, shape.inner_diameter * circle, shape.length)


def _cone(shape: ConeShape, segments: int) -> Surface:
    circle = 0.5 * _circle(segments)
    ends = [(0.0, 0.0), (shape.diameter, 0.0), (shape.top_diameter, shape.length), (0.0, shape.length)]
    return _loft(_rings([(diameter * circle, z) for diameter, z in ends]))


def _capsule(shape: CapsuleShape, segments: int) -> Surface:
    quarter = np.linspace(0.0, 0.5 * np.pi, segments // 4 + 1)
    radius = 0.5 * shape.diameter
    top = [(radius * np.cos(a), 0.5 * shape.length + radius * np.sin(a)) for a in quarter[:-1]]
    top.append((0.0, 0.5 * shape.length + radius))
    profile = [(r, -z) for r, z in reversed(top)] + top
    return _loft(_rings([(r * _circle(segments), z) for r, z in profile]))


def _beam(shape: BeamShape, segments: int) -> Surface:
    """Return the surface of a beam: the length is along z, the width along x, the thickness along y."""
    arc = np.linspace(-0.5 * np.pi, 0.5 * np.pi, segments // 2 + 1)
    end = np.stack([0.5 * shape.length + 0.5 * shape.width * np.cos(arc), 0.5 * shape.width * np.sin(arc)], axis=1)
    outline = np.concatenate([end, -end])
    vertices, faces = _prism(outline, np.zeros_like(outline), shape.thickness)
    return np.roll(vertices, -1, axis=1), faces


def _plane(shape: PlaneShape, segments: int) -> Surface:
    """Return the visible part of a plane: a square plate below it."""
    square = 0.5 * PLANE * np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
    ends = [(0.0, -1e-3 * PLANE), (1.0, -1e-3 * PLANE), (1.0, 0.0), (0.0, 0.0)]
    return _loft(_rings([(part * square, z) for part, z in ends]))


def _gear(shape: GearWheelShape, segments: int) -> Surface:
    """Return the teeth as trapezoids: root, flank, tip, flank."""
    per_tooth = max(6, 2 * (segments // (2 * shape.teeth)))
    place = np.arange(per_tooth * shape.teeth) % per_tooth / per_tooth
    height = np.clip(2.0 - np.abs(8.0 * place - 4.0), -1.0, 1.0)
    radius = 0.5 * shape.diameter * (1.0 + 2.0 * height / shape.teeth)
    circle = _circle(len(place))
    return _prism(radius[:, None] * circle, 0.5 * shape.inner_diameter * circle, shape.length)


def _spring(shape: SpringShape, segments: int) -> Surface:
    """Return the wire as a tube along a screw line, closed at both ends."""
    radius, turn = 0.5 * shape.coil_diameter, 2.0 * np.pi * shape.windings
    angle = np.linspace(0.0, turn, max(2, int(np.ceil(0.5 * segments * shape.windings)) + 1))
    radial = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1)
    tangent = np.stack([-radius * np.sin(angle), radius * np.cos(angle), np.full_like(angle, shape.length / turn)], axis=1)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    middle = radius * radial
    middle[:, 2] = shape.length * angle / turn
    section = 0.5 * shape.wire_diameter * _circle(12)
    rings = section[None, :, :1] * radial[:, None] + section[None, :, 1:] * np.cross(tangent, radial)[:, None]
    rings = np.concatenate([np.zeros_like(rings[:1]), rings, np.zeros_like(rings[:1])])
    return _loft(rings + np.concatenate([middle[:1], middle, middle[-1:]])[:, None])
