"""Rows of the table of shapes, from the shapes of a scene. One function for each class makes its core.

A smoothing radius rounds edges and corners: the core is the shape without the part that is nearer to its surface than this
radius, so that the faces stay where they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from modiapy.model.errors import ModelError

from ..scene.shapes import (
    BeamShape,
    BoxShape,
    CapsuleShape,
    ConeShape,
    CylinderShape,
    EllipsoidShape,
    MeshShape,
    PlaneShape,
    SphereShape,
)
from .hull import Hull, convex_hull, shrunk
from .tables import (
    BODY,
    FACES,
    HALF,
    INNER,
    KIND,
    MIDDLE,
    N_POINTS,
    NEIGHBOURS,
    P_BS,
    POINTS,
    R_BS,
    REACH,
    ROUND,
    SHAPE_COLUMNS,
    SIZE,
    Kind,
)


@dataclass(frozen=True)
class Core:
    """A core in the frame of its kind.

    Attributes:
        kind, size: see `Kind` [m].
        rounding: radius by which it is rounded [m].
        low, high: corners of its bounding box, without the rounding [m].
        inner: a point well inside [m].
        turn: by how many places the kind's axes x, y, z are shifted in the frame of the shape.
        origin: of the kind's frame in that of the shape [m].
        hull: of a hull.
    """

    kind: Kind
    size: tuple[float, ...]
    rounding: float
    low: tuple[float, ...]
    high: tuple[float, ...]
    inner: tuple[float, ...] = (0.0, 0.0, 0.0)
    turn: int = 0
    origin: tuple[float, ...] = (0.0, 0.0, 0.0)
    hull: Hull | None = None


@dataclass(frozen=True)
class ShapeRows:
    """Rows of the table of shapes.

    Attributes:
        table: shape (n, SHAPE_COLUMNS); one row, or one for each convex part.
        kept: memory that rows point to; it must live as long as they are used.
    """

    table: np.ndarray
    kept: list[np.ndarray] = field(default_factory=list)


_Z = {"z": 0, "x": 1, "y": 2}
_X = {"x": 0, "y": 1, "z": 2}


def _fitting(name: str, radius: float, inner_radius: float) -> float:
    """Check that a smoothing radius leaves a core, and return it. Raises ModelError otherwise."""
    if radius >= inner_radius:
        raise ModelError(
            f"smoothing_radius of a Solid with the shape {name} is too large",
            found=f"{radius!r} m",
            expected=f"less than {inner_radius:.6g} m, the radius of the largest ball inside",
        )
    return radius


def _symmetric(kind: Kind, size: tuple[float, ...], half: tuple[float, ...], rounding: float, turn: int = 0) -> Core:
    low = tuple(-x for x in half)
    return Core(kind, size, rounding, low, half, turn=turn)


def _sphere(shape: SphereShape, radius: float) -> list[Core]:
    return [_symmetric(Kind.POINT, (), (0.0, 0.0, 0.0), 0.5 * shape.diameter)]


def _capsule(shape: CapsuleShape, radius: float) -> list[Core]:
    half = 0.5 * shape.length
    return [_symmetric(Kind.LINE, (half,), (0.0, 0.0, half), 0.5 * shape.diameter, _Z[shape.axis])]


def _box(shape: BoxShape, radius: float) -> list[Core]:
    edges = shape.length_x, shape.length_y, shape.length_z
    r = _fitting("Box", radius, 0.5 * min(edges))
    half = tuple(0.5 * edge - r for edge in edges)
    return [_symmetric(Kind.BOX, half, half, r)]


def _ellipsoid(shape: EllipsoidShape, radius: float) -> list[Core]:
    half = 0.5 * shape.length_x, 0.5 * shape.length_y, 0.5 * shape.length_z
    return [_symmetric(Kind.ELLIPSOID, half, half, 0.0)]


def _cylinder(shape: CylinderShape, radius: float) -> list[Core]:
    r = _fitting("Cylinder", radius, 0.5 * min(shape.diameter, shape.length))
    across, along = 0.5 * shape.diameter - r, 0.5 * shape.length - r
    return [_symmetric(Kind.CYLINDER, (across, along), (across, across, along), r, _Z[shape.axis])]


def _beam(shape: BeamShape, radius: float) -> list[Core]:
    r = _fitting("Beam", radius, 0.5 * min(shape.width, shape.thickness))
    end, half, thick = 0.5 * shape.width - r, 0.5 * shape.length, 0.5 * shape.thickness - r
    return [_symmetric(Kind.BEAM, (half, end, thick), (half + end, end, thick), r, _X[shape.axis])]


def _cone(shape: ConeShape, radius: float) -> list[Core]:
    """Return the core of a cone: base, top and side move inwards by the radius; a pointed cone loses its tip."""
    base, top, length = 0.5 * shape.diameter, 0.5 * shape.top_diameter, shape.length
    slope = (base - top) / length
    slant = math.hypot(1.0, slope)
    r = _fitting("Cone", radius, min(0.5 * length, max(base, top) / (slant + abs(slope))))
    if r > 0.0:
        base, top, length = base - (slope + slant) * r, top + (slope - slant) * r, length - 2.0 * r
        if top < 0.0:
            top, length = 0.0, base / slope
        elif base < 0.0:
            raise_by, base = -base / -slope, 0.0
            return [_frustum(base, top, length - raise_by, r, r + raise_by, shape.axis)]
    return [_frustum(base, top, length, r, r, shape.axis)]


def _frustum(base: float, top: float, length: float, rounding: float, height: float, axis: str) -> Core:
    """Return a frustum whose base is at a height in the frame of the shape."""
    wide = max(base, top)
    middle = 0.25 * length * (base**2 + 2.0 * base * top + 3.0 * top**2) / (base**2 + base * top + top**2)
    origin = tuple(np.roll([0.0, 0.0, height], _Z[axis]).tolist())
    return Core(
        Kind.CONE,
        (base, top, length),
        rounding,
        (-wide, -wide, 0.0),
        (wide, wide, length),
        (0.0, 0.0, middle),
        _Z[axis],
        origin,
    )


def _mesh(shape: MeshShape, radius: float) -> list[Core]:
    return [_hull_core(points, shape.file, radius) for points in shape.convex_points()]


def _hull_core(points: np.ndarray, name: str, radius: float) -> Core:
    if radius > 0.0:
        points = shrunk(points, radius, name)
    hull = convex_hull(points, name)
    low, high = hull.points.min(axis=0), hull.points.max(axis=0)
    return Core(Kind.HULL, (), radius, tuple(low.tolist()), tuple(high.tolist()), tuple(hull.centroid.tolist()), hull=hull)


def _plane(shape: PlaneShape, radius: float) -> list[Core]:
    return [Core(Kind.PLANE, (), 0.0, (-math.inf,) * 3, (math.inf, math.inf, 0.0), (0.0, 0.0, 0.0), _Z[shape.axis])]


CORES: dict[type, Callable[[Any, float], list[Core]]] = {
    SphereShape: _sphere,
    CapsuleShape: _capsule,
    BoxShape: _box,
    EllipsoidShape: _ellipsoid,
    CylinderShape: _cylinder,
    BeamShape: _beam,
    ConeShape: _cone,
    MeshShape: _mesh,
    PlaneShape: _plane,
}
"""What makes the cores of a shape, from the shape and a smoothing radius: all that is to be said of a new kind."""


def shape_rows(
    shape: Any, R: ArrayLike | None = None, p: ArrayLike = (0.0, 0.0, 0.0), body: int = -1, smoothing_radius: float = 0.0
) -> ShapeRows:
    """Return the rows of a shape.

    Args:
        shape: a shape of `modia3d.scene.shapes`.
        R, p: its pose in the body: rotation from the frame of the shape, shape (3, 3), and origin [m]. None: no rotation.
        body: number in the forest; negative: the world.
        smoothing_radius: by which edges are rounded, where the shape has some [m].

    Raises:
        ModelError: a smoothing radius that leaves nothing of the shape; a flat mesh.
    """
    rotation, origin = np.eye(3) if R is None else np.asarray(R, dtype=float).reshape(3, 3), np.asarray(p, dtype=float)
    cores = CORES[type(shape)](shape, smoothing_radius)
    table, kept = np.zeros((len(cores), SHAPE_COLUMNS)), []
    for row, core in zip(table, cores, strict=True):
        row[KIND], row[BODY], row[ROUND] = core.kind, body, core.rounding
        # The kind's axes in the frame of the shape: x, y, z are permuted cyclically.
        row[R_BS : R_BS + 9] = (rotation @ np.roll(np.eye(3), core.turn, axis=0)).ravel()
        row[P_BS : P_BS + 3] = origin + rotation @ np.array(core.origin)
        row[SIZE : SIZE + len(core.size)] = core.size
        row[INNER : INNER + 3] = core.inner
        _write_extent(row, core)
        if core.hull is not None:
            row[N_POINTS] = len(core.hull.points)
            row[POINTS], row[NEIGHBOURS] = core.hull.points.ctypes.data, core.hull.neighbours.ctypes.data
            row[FACES] = core.hull.faces.ctypes.data
            kept += [core.hull.points, core.hull.neighbours, core.hull.faces]
    return ShapeRows(table, kept)


def _write_extent(row: np.ndarray, core: Core) -> None:
    """Write the bounding box with the rounding, and the ball about its middle."""
    if core.kind == Kind.PLANE:
        row[HALF : HALF + 3], row[REACH] = math.inf, math.inf
        return
    low, high = np.array(core.low), np.array(core.high)
    middle = 0.5 * (low + high)
    row[MIDDLE : MIDDLE + 3], row[HALF : HALF + 3] = middle, 0.5 * (high - low) + core.rounding
    if core.hull is not None:
        reach = float(np.linalg.norm(core.hull.points - middle, axis=1).max())
    else:
        reach = float(np.linalg.norm(0.5 * (high - low)))
    row[REACH] = reach + core.rounding
