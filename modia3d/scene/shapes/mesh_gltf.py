"""glTF documents, as text or in a GLB container: their geometry alone, whatever becomes of its looks."""

from __future__ import annotations

import json
import struct
from typing import Any

JSON_CHUNK = 0x4E4F534A
HEADER = struct.Struct("<4sII")
CHUNK = struct.Struct("<II")
LOOKS = ("materials", "textures", "images", "samplers", "skins", "animations", "cameras")


def gltf_alone(content: bytes) -> bytes:
    """Return the document without materials and pictures, its triangles with their points only; as it is, if it is none."""
    try:
        if content[:4] != b"glTF":
            return json.dumps(_bare(json.loads(content))).encode()
        length, kind = CHUNK.unpack_from(content, HEADER.size)
        start = HEADER.size + CHUNK.size
        if kind != JSON_CHUNK:
            return content
        text = json.dumps(_bare(json.loads(content[start : start + length]))).encode()
        text += b" " * (-len(text) % 4)
        rest = content[start + length :]
        whole = HEADER.pack(b"glTF", HEADER.unpack_from(content)[1], start + len(text) + len(rest))
        return whole + CHUNK.pack(len(text), JSON_CHUNK) + text + rest
    except (ValueError, struct.error, AttributeError, TypeError, RecursionError):
        return content  # trimesh says why


def missing_references(content: bytes) -> list[str]:
    """Return the missing objects to which materials, textures and pictures of a document refer, e.g. ``texture 3``."""
    try:
        document = json.loads(_json_of(content))
        counts = {kind: len(document.get(f"{kind}s", ())) for kind in ("material", "texture", "image")}
        named = [("material", part.get("material")) for mesh in document.get("meshes", ()) for part in mesh["primitives"]]
        for material in document.get("materials", ()):
            looks = [*material.values(), *material.get("pbrMetallicRoughness", {}).values()]
            named += [("texture", look.get("index")) for look in looks if isinstance(look, dict)]
        named += [("image", texture.get("source")) for texture in document.get("textures", ())]
        return list(dict.fromkeys(f"{kind} {i}" for kind, i in named if i is not None and not 0 <= i < counts[kind]))
    except (ValueError, KeyError, TypeError, AttributeError, struct.error):
        return []


def _json_of(content: bytes) -> bytes:
    if content[:4] != b"glTF":
        return content
    length, _ = CHUNK.unpack_from(content, HEADER.size)
    start = HEADER.size + CHUNK.size
    return content[start : start + length]


def _bare(document: dict[str, Any]) -> dict[str, Any]:
    for name in LOOKS:
        document.pop(name, None)
    for node in document.get("nodes", ()):
        for name in ("skin", "camera"):
            node.pop(name, None)
    for mesh in document.get("meshes", ()):
        for part in mesh.get("primitives", ()):
            part.pop("material", None)
            attributes = part.get("attributes", {})
            part["attributes"] = {name: place for name, place in attributes.items() if name == "POSITION"}
    return document
