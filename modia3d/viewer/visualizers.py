"""Visualizers of Modelica models as bodies of an animation: shapes and vectors that variables place.

Source of their meaning: Modelica Standard Library 4.1, ``Modelica.Mechanics.MultiBody.Visualizers.Advanced``, ``Shape`` and
``Vector``. A shape begins at ``r + transpose(R.T)*r_shape`` and extends along ``lengthDirection``; vectors of other quantities
than positions are as long as it suits the scene: the largest of a quantity is a fifth of its size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

from ..scene.shapes import (
    BeamShape,
    BoxShape,
    ConeShape,
    CylinderShape,
    EllipsoidShape,
    GearWheelShape,
    Mark,
    MeshShape,
    Shape,
    SpringShape,
)
from ..scene.visual import VisualMaterial
from .content import Body, ShownFrame

LONGEST = 0.2
"""Length of the longest vector of a quantity, in sizes of the scene."""

THICKNESS, HEAD, WIDE = 0.006, 4.0, 2.5
"""Diameter of a shaft in sizes of the scene; length and diameter of a head in diameters of the shaft."""

_POSITION = "RelativePosition"
_UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
_SMALL = 1e-9
"""Relative change of a size that is none."""

Values = Callable[[str], np.ndarray]
"""Gives a quantity of a visualizer over the key frames, shape (nt, n)."""


def upwards(result: Any) -> np.ndarray | None:
    """Return the direction against gravity given by a visualizer, shape (3,); None if there is none."""
    for one in _visualizers(result, "gravity"):
        n = np.array([v for v in one["values"]["n"] if not isinstance(v, str)], dtype=float)
        if n.shape == (3,) and n.any():
            return -n / np.linalg.norm(n)
    return None


def shape_bodies(result: Any, pick: np.ndarray) -> list[Body]:
    """Return all shapes with a size.

    Args:
        result: of the simulation. pick: numbers of the time points that are shown, shape (nt,).
    """
    found = [_shape(one["path"], one["what"], _values(result, one, pick)) for one in _visualizers(result, "shape")]
    return [body for body in found if body is not None]


def vector_bodies(result: Any, pick: np.ndarray, size: float) -> list[Body]:
    """Return all vectors that are not always zero; ``size`` of the scene [m]. Otherwise as `shape_bodies`."""
    vectors = [(one["path"], one["what"], _values(result, one, pick)) for one in _visualizers(result, "vector")]
    largest: dict[str, float] = {}
    for _, what, values in vectors:
        strength = np.linalg.norm(values("coordinates"), axis=1)
        largest[what] = max(largest.get(what, 0.0), float(np.nanmax(strength, initial=0.0)))
    scale = {what: 1.0 if what == _POSITION else LONGEST * size / most for what, most in largest.items() if most > 0.0}
    return [body for path, what, values in vectors if what in scale for body in _vector(path, values, scale[what], size)]


def _visualizers(result: Any, kind: str) -> Iterable[Mapping[str, Any]]:
    return (one for one in result.origin.get("visualizers", ()) if one["kind"] == kind)


def _values(result: Any, visualizer: Mapping[str, Any], pick: np.ndarray) -> Values:
    def of(quantity: str) -> np.ndarray:
        given = visualizer["values"][quantity]
        columns = [result[e][pick] if isinstance(e, str) else np.full(len(pick), float(e)) for e in given]
        return np.column_stack(columns)

    return of


# -- shapes -------------------------------------------------------------------------------------------------------------


def _shape(path: str, what: str, values: Values) -> Body | None:
    """Return a body whose x axis goes along the length, y along the width."""
    sizes = np.hstack([values("length"), values("width"), values("height")])
    extra = float(values("extra")[0, 0])
    to_world = _turned(values)
    position = values("r") + _apply(to_world, values("r_shape"))
    material = VisualMaterial(color=_color(values))
    file = Path(what)
    if file.suffix:
        mesh = _mesh(file)
        frame = ShownFrame(path, np.zeros(3), _UPRIGHT, mesh, material)
        axes = _axes(values("lengthDirection"), values("widthDirection"))
        return None if mesh is None else Body(position, _quaternions(to_world @ axes), [frame])
    along, aside = values("lengthDirection"), values("widthDirection")
    reference = np.nanmax(np.abs(sizes), axis=0)
    if not reference.any():
        return None
    reference = np.maximum(reference, 1e-3 * reference.max())
    scale = sizes / reference
    axes = _axes(along * np.where(scale[:, :1] < 0.0, -1.0, 1.0), aside)
    made = _made(what, reference, extra)
    if made is None:
        return None
    shape, middle, stretch = made
    scale = np.abs(scale) * stretch
    fixed = np.ptp(scale, axis=0).max() < _SMALL and np.allclose(scale[0], 1.0, atol=1e-6)
    frame = ShownFrame(path, np.array([middle, 0.0, 0.0]), _UPRIGHT, shape, material)
    return Body(position, _quaternions(to_world @ axes), [frame], None if fixed else scale)


def _made(what: str, sizes: np.ndarray, extra: float) -> tuple[Shape | Mark, float, np.ndarray] | None:
    """Return the shape along x, the position of its origin on that axis, and the remaining scale factors.

    None stands for an unknown shape.
    """
    length, width, height = map(float, sizes)
    none = np.ones(3)
    oval = np.array([1.0, 1.0, height / width])
    half = 0.5 * length
    if what == "box":
        return BoxShape(length, width, height), half, none
    if what == "sphere":
        return EllipsoidShape(length, width, height), half, none
    if what == "beam":
        return BeamShape(length, width, height, "x"), half, none
    if what in ("cylinder", "pipe", "pipecylinder"):
        inner = 0.0 if what == "cylinder" else min(max(extra, 0.0), 0.999) * width
        return CylinderShape(width, length, "x", inner), half, oval
    if what == "cone":
        return ConeShape(width, length, "x", max(extra, 0.0) * width), 0.0, oval
    if what == "gearwheel":
        return GearWheelShape(width, length, min(max(int(abs(extra)), 3), 1000), "x"), half, oval
    if what == "spring":
        windings = min(abs(extra) or 5.0, 1000.0)
        return SpringShape(length, width, min(height, 0.9 * width), windings, "x"), 0.0, none
    return None


def _mesh(file: Path) -> MeshShape | None:
    """Return the mesh in a file of a library; None if it cannot be read."""
    try:
        return MeshShape(str(file)) if file.is_file() else None
    except ModelError:
        return None


# -- vectors ------------------------------------------------------------------------------------------------------------


def _vector(path: str, values: Values, scale: float, size: float) -> Sequence[Body]:
    """Return the shaft and head of an arrow."""
    to_world = _turned(values)
    vector = scale * _apply(to_world, values("coordinates"))
    length = np.linalg.norm(vector, axis=1)
    there = np.isfinite(length) & (length > 1e-6 * size)
    if not there.any():
        return ()
    direction = np.where(there[:, None], vector, [1.0, 0.0, 0.0])
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    tail = values("r") - np.where(values("headAtOrigin") > 0.5, vector, 0.0)
    tail = np.where(there[:, None], tail, np.nan)
    thickness = THICKNESS * size
    head = np.minimum(HEAD * thickness, 0.5 * length)
    turned = _quaternions(_axes(direction, np.roll(direction, 1, axis=1) * [1.0, 1.0, -1.0] + [1e-6, 2e-6, 3e-6]))
    material = VisualMaterial(color=_color(values))
    shaft = ShownFrame(f"{path}.shaft", np.array([0.5, 0.0, 0.0]), _UPRIGHT, CylinderShape(1.0, 1.0, "x"), material)
    tip = ShownFrame(f"{path}.head", np.zeros(3), _UPRIGHT, ConeShape(1.0, 1.0, "x"), material)
    straight = np.maximum(length - head, 1e-9)
    return (
        Body(
            tail, turned, [shaft], np.column_stack([straight, np.full_like(length, thickness), np.full_like(length, thickness)])
        ),
        Body(
            tail + direction * straight[:, None],
            turned,
            [tip],
            np.column_stack([head, head * WIDE / HEAD, head * WIDE / HEAD]),
        ),
    )


# -- directions ---------------------------------------------------------------------------------------------------------


def _turned(values: Values) -> np.ndarray:
    """Return the matrices that take coordinates of the object to those of the world, shape (nt, 3, 3)."""
    return np.swapaxes(values("R.T").reshape(-1, 3, 3), 1, 2)


def _apply(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    product: np.ndarray = np.einsum("tij,tj->ti", matrices, vectors)
    return product


def _axes(along: np.ndarray, aside: np.ndarray) -> np.ndarray:
    """Return the matrices whose columns are the axes: the first along one direction, the second as near as possible to
    another.
    """
    x = along / np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
    x = np.where(np.linalg.norm(along, axis=1)[:, None] > 0.0, x, [1.0, 0.0, 0.0])
    z = np.cross(x, aside)
    lost = np.linalg.norm(z, axis=1) < 1e-6 * np.maximum(np.linalg.norm(aside, axis=1), 1e-300)
    other = np.where(np.abs(x[:, :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    z = np.where(lost[:, None], np.cross(x, other), z)
    z /= np.linalg.norm(z, axis=1)[:, None]
    return np.stack([x, np.cross(z, x), z], axis=2)


def _quaternions(matrices: np.ndarray) -> np.ndarray:
    """Return x y z w, each in the half space of the one before."""
    from scipy.spatial.transform import Rotation

    found = Rotation.from_matrix(matrices).as_quat()
    turned = np.einsum("ij,ij->i", found[1:], found[:-1]) < 0.0
    signed: np.ndarray = found * np.cumprod(np.where(np.concatenate([[False], turned]), -1.0, 1.0))[:, None]
    return signed


def _color(values: Values) -> tuple[float, float, float]:
    red, green, blue = np.clip(values("color")[0] / 255.0, 0.0, 1.0).tolist()
    return red, green, blue
