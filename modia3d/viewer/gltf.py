"""Animation as a binary glTF 2.0 file (https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html), for Blender and others.

Bodies are nodes whose positions, orientations and sizes are animated. A body that does not exist has the size 0. Lengths are in
metres, time begins at 0 with the first key frame, y is up.
"""

from __future__ import annotations

import json
import os
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.acausal.disk.whole_file import written_whole
from modiapy.model.errors import ModiaError

from .camera import turned_up
from .content import Body, Content, ShownFrame
from .objects import Part, SurfaceMaterial, parts_of

FLOAT, UINT32 = 5126, 5125
ARRAY, ELEMENTS = 34962, 34963
TRIANGLES, LINES = 4, 1

Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Takes coordinates with z up to those with y up."""


def write_gltf(animation: Content, file: str | os.PathLike[str]) -> Path:
    """Write the animation as one GLB file; texts are left out, with a warning.

    Raises:
        ModiaError: the file is no ``.glb``, or cannot be written.
    """
    target = Path(file)
    if target.suffix.lower() != ".glb":
        raise ModiaError("the name of a glTF file", path=os.fspath(target), found=repr(target.suffix), expected=".glb")
    content = glb(animation)
    try:
        with written_whole(target) as stream:
            stream.write(content)
    except OSError as error:
        raise ModiaError("the animation cannot be written", path=str(target), found=error.strerror or str(error)) from None
    return target


def glb(animation: Content) -> bytes:
    """Return the content of the file."""
    made = _Document(animation.title)
    time, rows = instants(animation.time)
    turn = _quaternion(Y_UP @ turned_up(animation.view.up))
    root = made.node({"name": "modia3d", "rotation": turn, "children": []})
    for body in animation.bodies:
        made.document["nodes"][root]["children"].append(made.body(body, time, rows))
    made.document["scenes"] = [{"nodes": [root]}]
    for sentence in made.lost:
        warnings.warn(sentence, stacklevel=3)
    return made.packed()


def instants(time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ascending times in the form of glTF, float32 from 0 on, and the corresponding rows of key frames.

    Of several rows at one instant, the first is kept, slightly earlier, and the last; at the beginning only the last.
    """
    rounded = (time - time[0]).astype(np.float32)
    first = np.flatnonzero(np.diff(rounded, prepend=-1.0))
    last = np.append(first[1:], len(rounded)) - 1
    rows = np.unique(np.concatenate([first[1:], last]))
    found = rounded[rows]
    for k in np.flatnonzero(np.diff(found) <= 0.0)[::-1]:
        found[k] = np.nextafter(found[k + 1], np.float32(-1.0))
    keep = np.concatenate([[True], np.diff(found) > 0.0])
    return found[keep], rows[keep]


class _Document:
    """A glTF document that grows, with its binary buffer."""

    def __init__(self, title: str) -> None:
        asset = {"version": "2.0", "generator": "modia3d"}
        lists = ("nodes", "meshes", "materials", "accessors", "bufferViews", "textures", "images", "samplers")
        self.document: dict[str, Any] = {"asset": asset, "scene": 0, "scenes": [], **{name: [] for name in lists}}
        self.document["animations"] = [{"name": title, "channels": [], "samplers": []}]
        self.lost: list[str] = []
        self._bytes = bytearray()
        self._materials: dict[SurfaceMaterial | None, int] = {}
        self._meshes: dict[tuple[str, Any], int | None] = {}

    def node(self, entry: dict[str, Any]) -> int:
        """Add a node and return its number."""
        return self._new("nodes", entry)

    def _new(self, kind: str, entry: dict[str, Any]) -> int:
        self.document[kind].append(entry)
        return len(self.document[kind]) - 1

    def body(self, body: Body, time: np.ndarray, rows: np.ndarray) -> int:
        """Add the node of a body with its frames and its motion; return its number."""
        position, quaternion = body.position[rows], body.quaternion[rows]
        there = body.exists[rows]
        filled = position[_nearest(there)] if there.any() else np.zeros_like(position)
        scale = np.ones((len(rows), 3)) if body.scale is None else body.scale[rows]
        scale = np.where(there[:, None], scale, 0.0)
        children = [self._frame(frame) for frame in body.frames]
        node = self.node({"name": f"{body.frames[0].name} (body)", "children": children})
        for path, values in (("translation", filled), ("rotation", quaternion), ("scale", scale)):
            self.document["nodes"][node][path] = values[0].tolist()
            if np.ptp(values, axis=0).max() > 0.0:
                step = path == "scale" and body.scale is None
                self._animate(node, path, time, values, "STEP" if step else "LINEAR")
        return node

    def _frame(self, frame: ShownFrame) -> int:
        entry: dict[str, Any] = {"name": frame.name}
        entry |= {"translation": frame.position.tolist(), "rotation": frame.quaternion.tolist()}
        mesh = self._mesh(frame)
        return self.node(entry if mesh is None else entry | {"mesh": mesh})

    def _mesh(self, frame: ShownFrame) -> int | None:
        key = repr(frame.shape), frame.material
        if key not in self._meshes:
            parts, lost = parts_of(frame)
            self.lost += [sentence for sentence in lost if sentence not in self.lost]
            if any(part.text for part in parts):
                self.lost.append(f"the text of '{frame.name}' is left out of the glTF file")
            primitives = [self._primitive(part) for part in parts if not part.text]
            self._meshes[key] = self._new("meshes", {"primitives": primitives}) if primitives else None
        return self._meshes[key]

    def _primitive(self, part: Part) -> dict[str, Any]:
        attributes = {"POSITION": self._accessor(part.points, "VEC3", ARRAY, bounds=True)}
        for name, values, kind in (
            ("NORMAL", part.normals, "VEC3"), ("COLOR_0", None if part.colors is None else _linear(part.colors), "VEC3"),
            ("TEXCOORD_0", part.coordinates, "VEC2"),
        ):  # fmt: skip
            if values is not None:
                attributes[name] = self._accessor(values, kind, ARRAY)
        look = (
            part.look if part.colors is None else SurfaceMaterial((1.0, 1.0, 1.0), part.look.opacity, texture=part.look.texture)
        )
        entry: dict[str, Any] = {"attributes": attributes, "material": self._material(look), "mode": LINES}
        if part.triangles is not None:
            entry |= {"indices": self._accessor(part.triangles.ravel(), "SCALAR", ELEMENTS), "mode": TRIANGLES}
        return entry

    def _material(self, look: SurfaceMaterial) -> int:
        if look not in self._materials:
            color = [*_linear(np.array(look.color)).tolist(), look.opacity]
            surface: dict[str, Any] = {"baseColorFactor": color, "metallicFactor": 0.1, "roughnessFactor": 0.6}
            if look.texture is not None:
                surface["baseColorTexture"] = {"index": self._texture(look.texture)}
            entry: dict[str, Any] = {"pbrMetallicRoughness": surface, "doubleSided": True}
            if look.opacity < 1.0:
                entry["alphaMode"] = "BLEND"
            self._materials[look] = self._new("materials", entry)
        return self._materials[look]

    def _texture(self, picture: bytes) -> int:
        kind = "image/png" if picture.startswith(b"\x89PNG") else "image/jpeg"
        image = self._new("images", {"bufferView": self._view(picture), "mimeType": kind})
        return self._new("textures", {"source": image})

    def _animate(self, node: int, path: str, time: np.ndarray, values: np.ndarray, interpolation: str) -> None:
        (animation,) = self.document["animations"]
        sampler = {
            "input": self._accessor(time, "SCALAR", bounds=True),
            "output": self._accessor(values.astype(np.float32), "VEC4" if path == "rotation" else "VEC3"),
            "interpolation": interpolation,
        }
        animation["samplers"].append(sampler)
        animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": {"node": node, "path": path}})

    def _accessor(self, values: np.ndarray, kind: str, target: int | None = None, *, bounds: bool = False) -> int:
        whole = values.dtype == np.uint32
        data = np.ascontiguousarray(values, dtype="<u4" if whole else "<f4")
        view = self._view(data.tobytes(), target)
        entry: dict[str, Any] = {
            "bufferView": view,
            "componentType": UINT32 if whole else FLOAT,
            "count": len(data),
            "type": kind,
        }
        if bounds:
            rows = data.reshape(len(data), -1)
            entry |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        return self._new("accessors", entry)

    def _view(self, data: bytes, target: int | None = None) -> int:
        self._bytes += b"\0" * (-len(self._bytes) % 4)
        view = {"buffer": 0, "byteOffset": len(self._bytes), "byteLength": len(data)} | ({"target": target} if target else {})
        self._bytes += data
        return self._new("bufferViews", view)

    def packed(self) -> bytes:
        """Return the GLB file."""
        data = bytes(self._bytes) + b"\0" * (-len(self._bytes) % 4)
        document = {key: value for key, value in self.document.items() if value != []}
        if not document["animations"][0]["channels"]:
            del document["animations"]
        text = json.dumps(document | {"buffers": [{"byteLength": len(data)}]}, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _nearest(there: np.ndarray) -> np.ndarray:
    """Return for each row the last existing row up to it, or the first existing one."""
    found = np.maximum.accumulate(np.where(there, np.arange(len(there)), -1))
    return np.where(found < 0, np.argmax(there), found)


def _linear(color: np.ndarray) -> np.ndarray:
    """Convert sRGB colours to linear light (IEC 61966-2-1)."""
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


def _quaternion(matrix: np.ndarray) -> list[float]:
    from scipy.spatial.transform import Rotation

    return [float(value) for value in Rotation.from_matrix(matrix).as_quat()]
