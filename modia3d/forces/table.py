"""From the forces of a scene to the table that the kernels read, anew for each segment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..scene.gravity import PointGravity
from ..scene.solid import SolidFeature
from ..topology import inertia
from ..topology.forest import DELETED, Forest
from ..topology.graph import SceneGraph
from . import layout
from .base import ForceElement


@dataclass(frozen=True)
class SceneForce:
    """A force element with its frames found.

    Attributes:
        element: what the user wrote.
        frames: indices of its frames in the graph.
    """

    element: ForceElement
    frames: tuple[int, int]


def find_forces(objects: Mapping[str, object], graph: SceneGraph) -> tuple[SceneForce, ...]:
    """The force elements among the objects of a `Model3D`.

    Raises:
        ModelError: a frame is unknown.
    """

    def index(reference: str, name: str) -> int:
        return graph.frame_index(reference, name.rpartition(".")[0], user=name) if reference else graph.world

    return tuple(
        SceneForce(made, (index(made.frames[0], name), index(made.frames[1], name)))
        for name, made in objects.items()
        if isinstance(made, ForceElement)
    )


def has_forces(graph: SceneGraph, forces: tuple[SceneForce, ...]) -> bool:
    """Whether anything but uniform gravity acts inside the engine."""
    return bool(forces) or isinstance(graph.scene.gravity, PointGravity)


def force_table(forest: Forest, forces: tuple[SceneForce, ...]) -> np.ndarray:
    """The table (m, FORCE_COLUMNS) of a forest, see `layout`; elements at deleted frames are left out."""
    rows = [*_gravity_rows(forest), *_element_rows(forest, forces)]
    return np.array(rows).reshape(-1, layout.FORCE_COLUMNS)


def _row(forest: Forest, kind: int, frames: tuple[int, int], parameters: tuple[float, ...]) -> np.ndarray:
    row = np.zeros(layout.FORCE_COLUMNS)
    row[layout.KIND] = kind
    for frame, body, pose in zip(frames, (layout.BODY_1, layout.BODY_2), (layout.R_1, layout.R_2), strict=True):
        row[body] = forest.frame_body[frame]
        row[pose : pose + 9], row[pose + 9 : pose + 12] = forest.frame_R[frame], forest.frame_p[frame]
    row[layout.PARAMETERS : layout.PARAMETERS + len(parameters)] = parameters
    return row


def _element_rows(forest: Forest, forces: tuple[SceneForce, ...]) -> Iterator[np.ndarray]:
    for force in forces:
        if all(forest.frame_body[frame] != DELETED for frame in force.frames):
            yield _row(forest, force.element.kind, force.frames, force.element.parameters)


def _gravity_rows(forest: Forest) -> Iterator[np.ndarray]:
    """One row for each solid with mass: gravity of a point mass acts at the solid's centre of mass, whatever it is fixed to."""
    gravity, world = forest.graph.scene.gravity, forest.graph.world
    if not isinstance(gravity, PointGravity):
        return
    for frame, node in enumerate(forest.graph.frames):
        own = node.frame.feature.inertia() if isinstance(node.frame.feature, SolidFeature) else None
        if own is None or own.mass <= 0.0 or forest.frame_body[frame] < 0:
            continue
        moment = inertia.about_origin(own)[1:4]
        parameters = (gravity.mu, own.mass, *gravity.position, *(moment / own.mass).tolist())
        yield _row(forest, layout.POINT_GRAVITY, (frame, world), parameters)
