"""Forces in joints and rigid connections as bodies of an animation: needles at the origin of the frame on which they act."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, nearest

from ..engine.exchange.cuts import all_cuts
from ..topology.graph import SceneGraph
from .contacts import needle
from .content import Body


def force_bodies(
    result: Any, systems: Iterable[tuple[str, SceneGraph]], patterns: Sequence[str], pick: np.ndarray, size: float
) -> list[Body]:
    """Return needles along ``cut_force``: of ``obj1`` of a joint on ``obj2``, or of the parent of an `Object3D` on this object.

    Args:
        result: of the simulation, with signals of the model.
        systems: paths and graphs of its multibody systems.
        patterns: names of joints, constraint elements and Object3Ds; ``*`` stands for any characters, ``?`` for one.
        pick: numbers of the time points that are shown, shape (nt,).
        size: of the scene [m].

    Raises:
        ModelError: a pattern fits nothing that has a ``cut_force``.
    """
    frames = {name: frame for path, graph in systems for name, frame in _acted_on(path, graph) if f"{name}.cut_force" in result}
    chosen: dict[str, None] = {}
    for pattern in patterns:
        found = [name for name in frames if fnmatchcase(name.replace("[", "("), pattern.replace("[", "("))]
        if not found:
            expected = "a joint, or an Object3D that is fixed to its parent"
            raise ModelError(
                "the argument 'forces' of the animation is wrong",
                found=repr(pattern),
                expected=expected,
                remedy=nearest(pattern, frames),
            )
        chosen |= dict.fromkeys(found)
    shown = []
    for name in chosen:
        rotation, point = (result[f"{frames[name]}.{quantity}"][pick] for quantity in ("R_abs", "r_abs"))
        force = np.einsum("tij,tj->ti", rotation, result[f"{name}.cut_force"][pick])
        shown.append((f"{name}.cut_force", force, point, np.nan_to_num(np.linalg.norm(force, axis=1))))
    largest = max((float(strength.max()) for *_, strength in shown), default=0.0)
    return [needle(*one, largest, size) for one in shown if one[-1].any()]


def _acted_on(path: str, graph: SceneGraph) -> Iterable[tuple[str, str]]:
    """Generate the names of joints, constraint elements and Object3Ds, each with the frame in whose axes its force is."""
    start = f"{path}." if path else ""
    for name, cut in all_cuts(graph).items():
        yield start + name, start + graph.frames[cut.frame].name
