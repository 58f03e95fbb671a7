"""Elements that act between two frames: both ends must be frames that can move relative to each other."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping

from modiapy.model.errors import ModelError

from ..topology.graph import SceneGraph, resolve
from .elements.base import ForceElement
from .line_force import LineEnd
from .signal import SignalForce


def check_ends(objects: Mapping[str, object], graph: SceneGraph, points: Collection[str], path: str) -> None:
    """Refuse elements from a frame to itself; warn of those between frames of one rigid body, which move nothing.

    Args:
        objects: of a `Model3D`, whose full path is ``path``.
        graph: its frames. points: its massless points.

    Raises:
        ModelError: both ends of an element are one frame.
    """
    known = dict.fromkeys([*graph.index, *points])
    for name, made in objects.items():
        references = _two_ends(made)
        if not references:
            continue
        one, two = (resolve(known, r, name.rpartition(".")[0], user=name) for r in references)
        if one == two:
            raise ModelError(
                "both ends are the same frame",
                path=name,
                found=f"'{one}' twice",
                expected="two different Object3Ds",
            )
        if one in graph.index and two in graph.index:
            nodes = [graph.frames[graph.index[end]] for end in (one, two)]
            if nodes[0].group == nodes[1].group:
                full = f"{path}.{name}" if path else name
                text = f"{full}: '{one}' and '{two}' are fixed to each other, so that it moves nothing"
                remedy = "It loads only what fixes them: connect other Object3Ds, or put a joint between them."
                warnings.warn(f"{text}. {remedy}", stacklevel=2)


def _two_ends(made: object) -> tuple[str, str] | None:
    """Return the names of the two frames that an element acts between; None if it is no such element."""
    if isinstance(made, ForceElement):
        return made.frames if made.acts_between else None
    if isinstance(made, SignalForce) and made.obj1:
        return made.obj1, made.obj2
    return (made.obj, made.other) if isinstance(made, LineEnd) else None
