"""From the forces of a scene to the table that the kernels read, anew for each segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from modiapy.model.errors import ModelError

from ..topology.forest import DELETED, Forest
from ..topology.graph import SceneGraph, resolve
from . import layout
from .base import ForceElement
from .gravity import Row, check_gravity, gravity_rows, has_field
from .law import next_kink
from .spring_damper import SpringDamperForce


@dataclass(frozen=True)
class SceneForce:
    """A force element with its frames found.

    Attributes:
        name: path relative to the `Model3D`.
        element: what the user wrote.
        frames: indices of its frames in the graph; ``len(graph.frames) + i`` is the ``i``-th massless point.
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
        points: names of the massless points that something acts at; as bodies they have the numbers from n on.
        starts: where the search for each of all massless points begins, (3,) [m]; of a damped one what it is displaced from.
        damped: names of the damped massless points, see `damped_points`.
        damped_rows: float64 (m_d, POINT_COLUMNS), where they are, see `layout`.
    """

    rows: np.ndarray
    names: tuple[str, ...] = ()
    keep: tuple[SceneForce, ...] = ()
    points: tuple[str, ...] = ()
    starts: Mapping[str, np.ndarray] = field(default_factory=dict)
    damped: tuple[str, ...] = ()
    damped_rows: np.ndarray = field(default_factory=lambda: np.zeros((0, layout.POINT_COLUMNS)))

    def __len__(self) -> int:
        return len(self.rows)


NO_FORCES = ForceTable(np.zeros((0, layout.FORCE_COLUMNS)))


def find_forces(objects: Mapping[str, object], graph: SceneGraph, points: Collection[str] = ()) -> tuple[SceneForce, ...]:
    """The force elements among the objects of a `Model3D`; ``points`` are its massless points.

    Raises:
        ModelError: a frame is unknown, a function cannot be compiled.
    """
    places = dict(graph.index) | {name: len(graph.frames) + i for i, name in enumerate(points)}

    def index(reference: str, name: str) -> int:
        return places[resolve(places, reference, name.rpartition(".")[0], user=name)] if reference else graph.world

    check_gravity(graph)
    found = []
    for name, made in objects.items():
        if isinstance(made, ForceElement):
            found.append(SceneForce(name, made, (index(made.frames[0], name), index(made.frames[1], name))))
            _parameters(found[-1])  # functions are compiled here, where they fail by name
    return tuple(found)


def _parameters(force: SceneForce) -> tuple[float, ...]:
    try:
        return force.element.parameters
    except ModelError as error:
        error.path = force.name
        raise


def has_forces(graph: SceneGraph, forces: tuple[SceneForce, ...]) -> bool:
    """Whether anything but uniform gravity acts inside the engine."""
    return bool(forces) or has_field(graph)


def next_force_event(forces: Sequence[SceneForce], time: float) -> float:
    """Time of the next kink or jump of a force that is a table of time [s]."""
    return next_kink([law for force in forces for law in force.element.laws_of_time], time)


def force_table(forest: Forest, forces: tuple[SceneForce, ...], points: Mapping[str, np.ndarray] | None = None) -> ForceTable:
    """The table of a forest; elements at deleted frames are left out, and springs with a loose end, which carry no force.

    Args:
        forest: of the segment.
        forces: the force elements.
        points: all massless points, and where the search for each begins, (3,) [m].

    Raises:
        ModelError: an element acts at a massless point, but ``points`` are not known (cuts through the bodies).
    """
    if not has_forces(forest.graph, forces):
        return NO_FORCES
    n_frames = len(forest.graph.frames)
    acting = _acting(forest, forces)
    loaded = sorted({frame for force in acting for frame in force.frames if frame >= n_frames})
    number = {frame: forest.n + i for i, frame in enumerate(loaded)}
    rows, names = [], []
    for row in gravity_rows(forest):
        rows.append(_columns(forest, row, number))
        names.append(f"gravity of {forest.graph.frames[row[1][0]].name}")
    for force in acting:
        rows.append(_columns(forest, (force.element.kind, force.frames, _parameters(force)), number))
        names.append(force.name)
    declared = points or {}
    if loaded and not declared:
        what = "cut forces and torques of a system with massless points are not known"
        raise ModelError(what, remedy="Give the points mass.")
    present = tuple(list(declared)[frame - n_frames] for frame in loaded)
    damped = damped_points(forces, n_frames, declared)
    places = [[*declared[name], present.index(name) if name in present else -1] for name in damped]
    table = np.array(rows).reshape(-1, layout.FORCE_COLUMNS)
    return ForceTable(
        table, tuple(names), forces, present, declared, damped, np.array(places, dtype=float).reshape(-1, layout.POINT_COLUMNS)
    )


def damped_points(forces: Sequence[SceneForce], n_frames: int, points: Iterable[str]) -> tuple[str, ...]:
    """Those of all massless points at which dampers act, in structures where nothing is deleted: their positions are states."""
    dampers = [force for force in forces if isinstance(force.element, SpringDamperForce) and force.element.damping != 0.0]
    ends = {i for force in dampers for i in force.frames}
    return tuple(name for i, name in enumerate(points, n_frames) if i in ends)


def _acting(forest: Forest, forces: Sequence[SceneForce]) -> list[SceneForce]:
    """The elements that act: both frames exist, and at each massless point there are two or more of them."""
    n_frames = len(forest.graph.frames)
    acting = [f for f in forces if all(i >= n_frames or forest.frame_body[i] != DELETED for i in f.frames)]
    while True:
        count = Counter(i for force in acting for i in force.frames if i >= n_frames)
        kept = [force for force in acting if all(i < n_frames or count[i] > 1 for i in force.frames)]
        if len(kept) == len(acting):
            return kept
        acting = kept


def _columns(forest: Forest, made: Row, point_number: Mapping[int, int]) -> np.ndarray:
    kind, frames, parameters = made
    row = np.zeros(layout.FORCE_COLUMNS)
    row[layout.KIND] = kind
    for frame, body, pose in zip(frames, (layout.BODY_1, layout.BODY_2), (layout.R_1, layout.R_2), strict=True):
        if frame in point_number:
            row[body], row[pose : pose + 9] = point_number[frame], np.eye(3).ravel()
        else:
            row[body] = forest.frame_body[frame]
            row[pose : pose + 9], row[pose + 9 : pose + 12] = forest.frame_R[frame], forest.frame_p[frame]
    row[layout.PARAMETERS : layout.PARAMETERS + len(parameters)] = parameters
    return row
