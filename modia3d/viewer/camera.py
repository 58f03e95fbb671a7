"""First view of the camera: the extent of everything visible, or the camera of the scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, nearest

from ..scene.camera import Camera
from ..scene.gravity import UniformGravity
from ..scene.scene_feature import SceneFeature
from ..scene.shapes import CoordinateSystemShape, GridShape, PlaneShape, TextShape
from .content import Body, ShownFrame, View
from .surfaces import lines, surface

INSTANTS = 300
"""At about so many of the key frames extents are looked for."""

DIRECTIONS = 60
"""In so many directions the farthest point is seen."""

FAR = 6.0
"""A body that goes farther from where the scene begins, in sizes of it, is followed, or lost sight of."""

SMALLEST = 1e-6
"""Size of a scene that consists of points [m]."""


def view_of(bodies: Sequence[Body], scene: SceneFeature) -> View:
    """Return the view of a scene.

    Raises:
        ModelError: the camera is to follow what does not exist.
    """
    camera = scene.camera or Camera()
    up = _up(scene, camera)
    turn = turned_up(up)
    frames = [frame for body in bodies for frame in body.frames]
    if camera.follow and camera.follow not in (names := [frame.name for frame in frames]):
        raise ModelError(
            f"the camera cannot follow '{camera.follow}': there is no such Object3D",
            found="no such Object3D",
            remedy=nearest(camera.follow, names),
        )
    found = [(body, box) for body in bodies if (box := _box(body, turn)) is not None]
    boxes = [box for _, box in found]
    if not boxes:
        low, high = -np.ones(3), np.ones(3)
        return View(up, low, high, np.array([low, high]), camera.position, camera.target, camera.follow, camera.field_of_view)
    low, high, far = _seen(boxes)
    follow = camera.follow
    if not follow and camera.position is None and camera.target is None:
        follow = _followed([body for body, _ in found], boxes, far)
    floor: float | None = None
    if _has_floor(scene, camera, frames):
        near = [box for box, away in zip(boxes, far, strict=True) if not away]
        floor = min((float(np.nanmin(box[0][:, 2])) for box in near), default=float(low[2]))
    if float(np.linalg.norm(high - low)) < SMALLEST:
        low, high = low - 0.5, high + 0.5
    points = _extreme(
        [low, high] if far.all() else [part for box, away in zip(boxes, far, strict=True) if not away for part in box]
    )
    return View(up, low, high, points, camera.position, camera.target, follow, camera.field_of_view, floor)


def _has_floor(scene: SceneFeature, camera: Camera, frames: Iterable[ShownFrame]) -> bool:
    if camera.floor is not None:
        return camera.floor
    planes = any(isinstance(frame.shape, PlaneShape | GridShape) for frame in frames)
    return isinstance(scene.gravity, UniformGravity) and not planes


def _up(scene: SceneFeature, camera: Camera) -> np.ndarray:
    if camera.up is not None:
        up = np.array(camera.up, dtype=float)
    elif isinstance(scene.gravity, UniformGravity) and any(scene.gravity.acceleration):
        up = -np.array(scene.gravity.acceleration)
    else:
        up = np.array([0.0, 0.0, 1.0])
    return up / np.linalg.norm(up)


def turned_up(up: np.ndarray) -> np.ndarray:
    """Return the smallest rotation that takes ``up`` to z, as a matrix, shape (3, 3)."""
    x, y, z = up
    if z < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    v = np.array([[0.0, 0.0, -x], [0.0, 0.0, -y], [x, y, 0.0]])  # cross product matrix of up x z
    return np.eye(3) + v + v @ v / (1.0 + z)


Box = tuple[np.ndarray, np.ndarray]
"""Lower and upper corner of a box over some instants, shape (n, 3) each; NaN where a body does not exist."""


def _box(body: Body, turn: np.ndarray) -> Box | None:
    """Return the box around all shapes of a body, in turned coordinates; None if it has no shape or never exists."""
    from scipy.spatial.transform import Rotation

    corners = [corner for frame in body.frames if (corner := _corners(frame)) is not None]
    pick = np.unique(np.linspace(0, len(body.position) - 1, INSTANTS).astype(int))
    if not corners or body.scale is not None or not body.exists[pick].any():
        return None
    points = np.concatenate(corners)
    world = Rotation.from_quat(body.quaternion[pick]).as_matrix() @ points.T + body.position[pick, :, None]
    seen = turn @ world
    return seen.min(axis=2), seen.max(axis=2)


def _corners(frame: ShownFrame) -> np.ndarray | None:
    """Return the corners of the box around a shape, in the coordinates of the body, shape (8, 3)."""
    from scipy.spatial.transform import Rotation

    shape: Any = frame.shape
    if shape is None or isinstance(shape, PlaneShape | GridShape | CoordinateSystemShape | TextShape):
        return None
    if hasattr(shape, "bounding_box"):
        low, high = map(np.array, shape.bounding_box)
    else:
        made = surface(shape) or lines(shape)
        if made is None:
            return None
        low, high = made[0].min(axis=0), made[0].max(axis=0)
    corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    return Rotation.from_quat(frame.quaternion).apply(corners) + frame.position


def _seen(boxes: Iterable[Box]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the corners of everything visible, and for each body whether it moves far away from the initial scene."""
    lows, highs = (np.array([box[k] for box in boxes]) for k in (0, 1))
    first = np.array([int(np.argmax(np.isfinite(low[:, 0]))) for low in lows])
    rows = np.arange(len(lows))
    low, high = lows[rows, first].min(axis=0), highs[rows, first].max(axis=0)
    size = max(float(np.linalg.norm(high - low)), SMALLEST)
    away = np.maximum(np.nanmax(highs, axis=1) - high, low - np.nanmin(lows, axis=1)).max(axis=1)
    far = away > FAR * size
    low = np.array([low, *(np.nanmin(row, axis=0) for row in lows[~far])]).min(axis=0)
    high = np.array([high, *(np.nanmax(row, axis=0) for row in highs[~far])]).max(axis=0)
    return low, high, far


def _extreme(corners: Sequence[np.ndarray]) -> np.ndarray:
    """Select from corners of boxes, lower and upper ones in turn, those that are farthest in some directions, shape (n, 3)."""
    low, high = (np.concatenate([np.reshape(part, (-1, 3)) for part in corners[k::2]]) for k in (0, 1))
    there = np.isfinite(low[:, 0])
    k = np.arange(DIRECTIONS) + 0.5
    z, angle = 1.0 - 2.0 * k / DIRECTIONS, np.pi * (1.0 + 5.0**0.5) * k  # evenly on the sphere: Vogel's spiral
    found = []
    for direction in np.column_stack([np.sqrt(1.0 - z**2) * np.cos(angle), np.sqrt(1.0 - z**2) * np.sin(angle), z]):
        corner = np.where(direction > 0.0, high[there], low[there])
        found.append(corner[np.argmax(corner @ direction)])
    return np.unique(np.array(found), axis=0)


def _followed(bodies: Sequence[Body], boxes: Sequence[Box], far: np.ndarray) -> str:
    """Return a frame of the body to follow if all moving bodies go far away: the one that exists longest."""
    moving = np.array([bool((np.nanmax(box[0], axis=0) > np.nanmin(box[0], axis=0)).any()) for box in boxes])
    if not far.any() or (moving & ~far).any():
        return ""
    lasting = np.array([np.count_nonzero(np.isfinite(box[0][:, 0])) for box in boxes])
    frames = bodies[int(np.argmax(np.where(far, lasting, 0)))].frames
    return next(frame.name for frame in frames if frame.shape is not None)
