"""Animation as one self-contained page: meshcat's viewer, the player of ``page/`` and the scene; no network needed."""

from __future__ import annotations

import html
import json
import os
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.acausal.disk.whole_file import written_whole
from modiapy.model.errors import ModiaError

from .camera import turned_up
from .content import Body, Content, ShownFrame
from .objects import Part, parts_of
from .packing import Block, add_poses, length_step, packed

SCRIPTS = ("data", "scene", "plot", "tree", "marks", "player", "start")
"""Files of ``page/`` in the order in which the page has them."""


def write_html(animation: Content, file: str | os.PathLike[str]) -> Path:
    """Write the animation into one file that any browser opens.

    Returns:
        The path of the file. It is replaced only when the new one is complete.

    Raises:
        ModiaError: the file cannot be written.
    """
    text, target = page(animation), Path(file)
    try:
        with written_whole(target) as stream:
            stream.write(text.encode())
    except OSError as error:
        raise ModiaError("the animation cannot be written", path=str(target), found=error.strerror or str(error)) from None
    return target


def page(animation: Content) -> str:
    """Return the page. The same animation gives the same text."""
    block = Block()
    head = json.dumps(_head(animation, block), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    data = f'const VIEWER = "{_viewer()}";\nconst BLOCK = "{block.packed()}";\nconst HEAD = {head};'
    scripts = "\n".join(f"<script>\n{text}\n</script>" for text in (data, *(_part(f"{name}.js") for name in SCRIPTS)))
    body = _part("page.html")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(animation.title)}</title>\n'
        f'<link rel="icon" href="data:,">\n<style>\n{_part("page.css")}</style></head>\n'
        f"<body>\n{body}\n{scripts}\n</body></html>\n"
    )


def _part(name: str) -> str:
    return (Path(__file__).parent / "page" / name).read_text(encoding="utf-8")


@lru_cache(1)
def _viewer() -> str:
    import meshcat

    return packed((Path(meshcat.__file__).parent / "viewer" / "dist" / "main.min.js").read_bytes())


def _head(animation: Content, block: Block) -> dict[str, Any]:
    """Return the header data of the page, with arrays as places in the block."""
    step = length_step(animation.bodies, animation.view.size)
    objects = _Objects(block)
    bodies = [_body(body, block, step, objects) for body in animation.bodies]
    for sentence in objects.lost:
        warnings.warn(sentence, stacklevel=4)
    signals = [
        {"name": s.name, "unit": s.unit, "time": block.add("d", s.time), "values": block.add("f", s.values)}
        | ({"aliases": list(s.aliases)} if s.aliases else {})
        for s in animation.signals
    ]
    return {
        "title": animation.title,
        "time": block.add("d", animation.time),
        "step": step,
        "bodies": bodies,
        "geometries": objects.geometries,
        "looks": objects.looks,
        "textures": objects.textures,
        "marks": [[mark.time, mark.kind, mark.text] for mark in animation.marks],
        "signals": signals,
        "view": _view(animation),
        "axes": list(animation.axes),
        "paths": list(animation.paths),
        "plotted": list(animation.plotted),
        "lost": objects.lost,
        "live": animation.live,
    }


def _body(body: Body, block: Block, step: float, objects: _Objects) -> dict[str, Any]:
    frames = [
        {"name": frame.name, "position": frame.position.tolist(), "quaternion": frame.quaternion.tolist()}
        | ({"parts": objects.add(frame)} if frame.shape is not None else {})
        | ({"hidden": True} if frame.hidden else {})
        for frame in body.frames
    ]
    return {"frames": frames, **add_poses(block, body, step)}


def _view(animation: Content) -> dict[str, Any]:
    view, turn = animation.view, turned_up(animation.view.up)
    given = {
        name: None if at is None else (turn @ at).tolist()
        for name, at in (("position", view.position), ("target", view.target))
    }
    plain = {
        "low": view.low.tolist(),
        "high": view.high.tolist(),
        "points": view.points.round(6).tolist(),
        "turn": turn.ravel().tolist(),
        "follow": view.follow,
    }
    return {**plain, **given, "field_of_view": view.field_of_view, "floor": view.floor}


class _Objects:
    """Geometries, looks and textures of all shapes, each stored once."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self.geometries: list[dict[str, Any]] = []
        self.looks: list[dict[str, Any]] = []
        self.textures: list[str] = []
        self.lost: list[str] = []
        self._made: dict[Any, list[list[int]]] = {}

    def add(self, frame: ShownFrame) -> list[list[int]]:
        """Add the parts of a shape; return the numbers of geometry and look of each part."""
        kind = type(frame.shape), repr(frame.shape), frame.material
        if kind not in self._made:
            parts, lost = parts_of(frame)
            self.lost += [sentence for sentence in lost if sentence not in self.lost]
            self._made[kind] = [[_place(self.geometries, self._geometry(p)), _place(self.looks, self._look(p))] for p in parts]
        return self._made[kind]

    def _geometry(self, part: Part) -> dict[str, Any]:
        add = self._block.add
        found: dict[str, Any] = {"points": add("f", part.points)}
        if part.triangles is not None:
            small = part.triangles.size == 0 or int(part.triangles.max()) < 65536
            found["triangles"] = add("H" if small else "I", part.triangles)
        for name, kind, values, factor in (
            ("normals", "h", part.normals, 32767.0), ("colors", "f", part.colors, 1.0),
            ("coordinates", "f", part.coordinates, 1.0),
        ):  # fmt: skip
            if values is not None:
                found[name] = add(kind, np.round(values * factor) if kind == "h" else values)
        return found

    def _look(self, part: Part) -> dict[str, Any]:
        look = part.look
        found: dict[str, Any] = {"color": [round(c, 5) for c in look.color], "opacity": round(look.opacity, 5)}
        if look.wireframe:
            found["wireframe"] = True
        if look.texture is not None:
            import base64

            kind = "png" if look.texture.startswith(b"\x89PNG") else "jpeg"
            url = f"data:image/{kind};base64,{base64.b64encode(look.texture).decode('ascii')}"
            found["texture"] = _place(self.textures, url)
        return found | ({"text": part.text} if part.text else {})


def _place(known: list[Any], entry: Any) -> int:
    """Return the position of an entry in a list; add it if it is missing."""
    if entry not in known:
        known.append(entry)
    return known.index(entry)
