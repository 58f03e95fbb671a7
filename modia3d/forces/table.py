"""From the forces of a scene to the table that the kernels read, anew for each segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

from ..topology.forest import DELETED, Forest
from ..topology.graph import SceneGraph
from . import layout
from .base import ForceElement
from .gravity import Row, check_pool, gravity_rows, has_field
from .law import next_kink


@dataclass(frozen=True)
class SceneForce:
    """A force element with its frames found.

    Attributes:
        name: path relative to the `Model3D`.
        element: what the user wrote.
        frames: indices of its frames in the graph.
    """

    name: str
    element: ForceElement
    frames: tuple[int, int]


@dataclass(frozen=True, eq=False)
class ForceTable:
    """The forces of a segment.

    Attributes:
        rows: float64 (m, FORCE_COLUMNS), see `layout`.
        names: of each row, for messages.
        keep: the elements, which own the memory of tables.
    """

    rows: np.ndarray
    names: tuple[str, ...] = ()
    keep: tuple[SceneForce, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)


NO_FORCES = ForceTable(np.zeros((0, layout.FORCE_COLUMNS)))


def find_forces(objects: Mapping[str, object], graph: SceneGraph) -> tuple[SceneForce, ...]:
    """The force elements among the objects of a `Model3D`.

    Raises:
        ModelError: a frame is unknown.
    """

    def index(reference: str, name: str) -> int:
        return graph.frame_index(reference, name.rpartition(".")[0], user=name) if reference else graph.world

    check_pool(graph)
    return tuple(
        SceneForce(name, made, (index(made.frames[0], name), index(made.frames[1], name)))
        for name, made in objects.items()
        if isinstance(made, ForceElement)
    )


def has_forces(graph: SceneGraph, forces: tuple[SceneForce, ...]) -> bool:
    """Whether anything but uniform gravity acts inside the engine."""
    return bool(forces) or has_field(graph)


def next_force_event(forces: Sequence[SceneForce], time: float) -> float:
    """Time of the next kink or jump of a force that is a table of time [s]."""
    return next_kink([law for force in forces for law in force.element.laws_of_time], time)


def force_table(forest: Forest, forces: tuple[SceneForce, ...]) -> ForceTable:
    """The table of a forest; elements at deleted frames are left out."""
    rows, names = [], []
    for row in gravity_rows(forest):
        rows.append(_columns(forest, row))
        names.append(f"gravity of {forest.graph.frames[row[1][0]].name}")
    for force in forces:
        if all(forest.frame_body[frame] != DELETED for frame in force.frames):
            try:
                rows.append(_columns(forest, (force.element.kind, force.frames, force.element.parameters)))
            except ModelError as error:
                error.path = force.name
                raise
            names.append(force.name)
    return ForceTable(np.array(rows).reshape(-1, layout.FORCE_COLUMNS), tuple(names), forces)


def _columns(forest: Forest, made: Row) -> np.ndarray:
    kind, frames, parameters = made
    row = np.zeros(layout.FORCE_COLUMNS)
    row[layout.KIND] = kind
    for frame, body, pose in zip(frames, (layout.BODY_1, layout.BODY_2), (layout.R_1, layout.R_2), strict=True):
        row[body] = forest.frame_body[frame]
        row[pose : pose + 9], row[pose + 9 : pose + 12] = forest.frame_R[frame], forest.frame_p[frame]
    row[layout.PARAMETERS : layout.PARAMETERS + len(parameters)] = parameters
    return row
