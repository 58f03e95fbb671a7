"""An `Animation` as commands of meshcat's viewer; the static page and the live window speak the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

from .animation import Animation
from .item import Item, extent, scene_size
from .surfaces import lines, surface

HIDDEN = np.array([0.0, 0.0, -1.0e4])
"""Where an object is put while it does not exist."""

VIEW = np.array([0.3, 0.34, 0.55])
"""Where the camera stands, in its own coordinates (x right, y up, z to the viewer) and in sizes of the scene."""

TEXTURE = 256
"""Pixels of the edges of the viewer's textures of text."""

_TURN = {
    "x": np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "y": np.eye(3),
    "z": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
}
"""Rotation that takes meshcat's cylinder axis (y) to the shape's axis."""


def commands(animation: Animation) -> Iterator[dict[str, Any]]:
    """The scene and its animation as meshcat's command messages, in the order in which they are to be sent."""
    from meshcat.animation import Animation as Clips
    from meshcat.animation import AnimationClip, AnimationTrack
    from meshcat.commands import SetAnimation, SetObject, SetProperty, SetTransform
    from meshcat.path import Path

    root = Path(("meshcat", "modia3d"))
    for name, value in (("top_color", (0.93, 0.95, 0.98)), ("bottom_color", (0.75, 0.79, 0.85))):
        yield SetProperty(name, value, Path(("Background",))).lower()
    clips: dict[Any, AnimationClip] = {}
    framed: set[str] = set()
    for index, item in enumerate(animation.items):
        frame = root.append(item.name.replace("/", "_"))
        thing, turn = _object(item)
        shape = frame.append(f"shape{index}")
        yield SetObject(thing, path=shape).lower()
        local = np.eye(4)
        local[:3, :3] = turn
        yield SetTransform(local, shape).lower()
        if item.name in framed:
            continue
        framed.add(item.name)
        position = np.where(np.isfinite(item.position), item.position, HIDDEN)
        yield SetTransform(_matrix(position[0], item.quaternion[0], item.scale), frame).lower()
        tracks = {}
        moving = [("position", "vector3", position), ("quaternion", "quaternion", item.quaternion)]
        moving += [] if item.scale is None else [("scale", "vector3", item.scale)]
        for key, jstype, values in moving:
            keep = changing(values)
            if len(keep) > 1:
                tracks[key] = AnimationTrack(key, jstype, keep.tolist(), values[keep].tolist())
        if tracks:
            clips[frame] = AnimationClip(tracks, fps=animation.fps)
    if clips:
        yield SetAnimation(Clips(clips, default_framerate=animation.fps), play=True, repetitions=1).lower()
    yield from _camera(animation)


def changing(values: np.ndarray) -> np.ndarray:
    """Indices of the key frames that are needed so that linear interpolation gives the same animation at rest.

    A key frame is dropped where its value equals both neighbours' values. Shape (nt, k) in, shape (m,) out.
    """
    if len(values) < 2 or np.all(values == values[0]):
        return np.array([0])
    same = np.all(np.abs(np.diff(values, axis=0)) < 1e-9, axis=1)
    inner = ~(same[:-1] & same[1:])
    return np.flatnonzero(np.concatenate(([True], inner, [True])))


def _object(item: Item) -> tuple[Any, np.ndarray]:
    """The object that shows a shape, and the rotation that takes it to the frame of the shape."""
    from meshcat import geometry

    shape = item.shape
    kind = type(shape).__name__
    if kind == "BoxShape":
        box = geometry.Box([shape.length_x, shape.length_y, shape.length_z])
        return geometry.Mesh(box, _material(item)), np.eye(3)
    if kind == "SphereShape":
        return geometry.Mesh(geometry.Sphere(0.5 * shape.diameter), _material(item)), np.eye(3)
    if kind == "CylinderShape" and shape.inner_diameter == 0.0:
        cylinder = geometry.Cylinder(height=shape.length, radius=0.5 * shape.diameter)
        return geometry.Mesh(cylinder, _material(item)), _TURN[shape.axis]
    triangles, ends = surface(shape), lines(shape)
    if triangles is not None:
        smooth = kind in ("EllipsoidShape", "CapsuleShape", "SpringShape")
        return geometry.Mesh(geometry.TriangularMeshGeometry(*triangles), _material(item, flat=not smooth)), np.eye(3)
    if ends is not None:
        points, colors = (None if part is None else part.T.astype(np.float32) for part in ends)
        material = geometry.LineBasicMaterial(color=_color(item), opacity=_opacity(item), vertexColors=colors is not None)
        return geometry.LineSegments(geometry.PointsGeometry(points, colors), material), np.eye(3)
    if kind == "TextShape":
        return _text(item)
    raise ModelError(f"the viewer cannot show a '{kind}'", path=item.name, expected="a shape of modia3d")


def _text(item: Item) -> tuple[Any, np.ndarray]:
    """A square plate with the text as its texture, which the viewer draws: black letters, 0.61 times as wide as high."""
    from meshcat import geometry

    class Plate(geometry.Geometry):  # type: ignore[misc]
        def lower(self, object_data: dict[str, Any]) -> dict[str, Any]:
            return {"uuid": self.uuid, "type": "PlaneGeometry", "width": width, "height": width}

    shape = item.shape
    pixels = min(int(TEXTURE / (0.61 * len(shape.text))), TEXTURE // 2)
    width = shape.height * TEXTURE / pixels
    texture = geometry.GenericTexture({"type": "_text", "text": shape.text, "font_size": pixels, "font_face": "monospace"})
    material = geometry.MeshBasicMaterial(map=texture, color=0xFFFFFF, opacity=_opacity(item), transparent=True)
    return geometry.Mesh(Plate(), material), np.roll(np.eye(3), {"z": 0, "x": 1, "y": 2}[shape.axis], axis=0)


def _color(item: Item) -> int:
    if item.shape.__class__.__name__ == "CoordinateSystemShape":
        return 0xFFFFFF
    red, green, blue = (round(255 * part) for part in item.material.rgb)
    return (red << 16) | (green << 8) | blue


def _opacity(item: Item) -> float:
    return 1.0 - item.material.transparency


def _material(item: Item, *, flat: bool = False) -> Any:
    """``flat``: every triangle with its own normal, so that edges stay sharp."""
    from meshcat.geometry import MeshPhongMaterial

    more = {"flatShading": True} if flat else {}
    return MeshPhongMaterial(color=_color(item), opacity=_opacity(item), wireframe=item.material.wireframe, **more)


def _matrix(position: np.ndarray, quaternion: np.ndarray, scale: np.ndarray | None) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(quaternion).as_matrix()
    if scale is not None:
        matrix[:3, :3] *= scale[0]
    matrix[:3, 3] = position
    return matrix


def _camera(animation: Animation) -> Iterator[dict[str, Any]]:
    """Shift the scene so that its middle is where meshcat's camera looks, and step back until all of it is seen."""
    from meshcat.commands import SetProperty, SetTransform
    from meshcat.path import Path

    corners = extent(animation.items)
    if corners is None:
        return  # nothing exists at any frame
    low, high = corners
    shift = np.eye(4)
    shift[:3, 3] = -0.5 * (low + high)
    for name in ("meshcat", "Axes"):
        yield SetTransform(shift, Path((name,))).lower()
    yield SetProperty("visible", False, Path(("Grid",))).lower()
    size = scene_size(corners)
    camera = Path(("Cameras", "default", "rotated", "<object>"))
    yield SetProperty("position", (size * VIEW).tolist(), camera).lower()
