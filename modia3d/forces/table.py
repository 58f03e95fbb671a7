"""Table of the forces of a scene that the kernels read, made anew for each segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from modiapy.model.errors import ModelError

from ..topology.forest import DELETED, Forest
from ..topology.graph import SceneGraph, resolve
from .basics import layout
from .basics.law import Law
from .elements.base import ForceElement
from .elements.declaration import AtPoints, Declaration
from .gravity import ForceRow, check_gravity, gravity_declared, gravity_rows, has_field


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
    """Table of the force elements of a segment, one row each, as kernels read it.

    Attributes:
        rows: float64 (m, FORCE_COLUMNS), see `layout`.
        names: of each row, for messages.
        keep: the elements, which own the memory of tables.
        points: names of the massless points that something acts at; as bodies they have the numbers from n on.
        starts: where the search for each of all massless points begins, (3,) [m]; of a damped one what it is displaced from.
        damped: names of the damped massless points, see `damped_points`.
        damped_rows: float64 (m_d, POINT_COLUMNS), where they are, see `layout`.
        declared: what each row is.
        owned: memory that rows name by its address.
    """

    rows: np.ndarray
    names: tuple[str, ...] = ()
    keep: tuple[SceneForce, ...] = ()
    points: tuple[str, ...] = ()
    starts: Mapping[str, np.ndarray] = field(default_factory=dict)
    damped: tuple[str, ...] = ()
    damped_rows: np.ndarray = field(default_factory=lambda: np.zeros((0, layout.POINT_COLUMNS)))
    declared: tuple[Declaration, ...] = ()
    owned: object = None

    def __len__(self) -> int:
        return len(self.rows)

    def prepare(self, *what: str) -> None:
        """Compile kernels of the elements, "energy", "loss" or "outer_power", and write their addresses into the rows."""
        for row, declared in zip(self.rows, self.declared, strict=True):
            declared.prepare(*what)
            for each in what:
                row[ADDRESSES[each]] = declared.address(each)


ADDRESSES = {
    "wrench": layout.WRENCH, "energy": layout.ENERGY, "loss": layout.LOSS, "outer_power": layout.OUTER_POWER,
}  # fmt: skip
"""Columns of the kernels of an element."""

NO_FORCES = ForceTable(np.zeros((0, layout.FORCE_COLUMNS)))


def find_forces(objects: Mapping[str, object], graph: SceneGraph, points: Collection[str] = ()) -> tuple[SceneForce, ...]:
    """Return the force elements among the objects of a `Model3D`; ``points`` are its massless points.

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
    """Return whether anything but uniform gravity acts inside the engine."""
    return bool(forces) or has_field(graph)


def laws_of_time(forces: Sequence[SceneForce]) -> tuple[Law, ...]:
    """Return the laws of forces over time, see `next_kink`."""
    return tuple(law for force in forces for law in force.element.laws_of_time)


def force_table(forest: Forest, forces: tuple[SceneForce, ...], points: Mapping[str, np.ndarray] | None = None) -> ForceTable:
    """Return the table of a forest; elements at deleted frames are left out, and springs with a loose end, which carry no
    force.

    Args:
        forest: of the segment.
        forces: the force elements.
        points: all massless points, and where the search for each begins, (3,) [m].

    Raises:
        ModelError: an element acts at a massless point, but ``points`` are not known (cuts through the bodies).
    """
    if not has_forces(forest.graph, forces):
        return NO_FORCES
    prepare_forces(forest.graph, forces, "wrench")
    n_frames = len(forest.graph.frames)
    acting = _acting(forest, forces)
    loaded = sorted({frame for force in acting for frame in force.frames if frame >= n_frames})
    number = {frame: forest.n + i for i, frame in enumerate(loaded)}
    made: list[ForceRow] = [*gravity_rows(forest)]
    names = [f"gravity of {forest.graph.frames[frames[0]].name}" for _, frames, _ in made]
    made += [(force.element.declared, force.frames, _parameters(force)) for force in acting]
    names += [force.name for force in acting]
    rows = [_columns(forest, row, number) for row in made]
    declared = points or {}
    if loaded and not declared:
        what = "cut forces and torques of a system with massless points are not known"
        raise ModelError(what, remedy="Give the points mass.")
    present = tuple(list(declared)[frame - n_frames] for frame in loaded)
    damped = damped_points(forces, n_frames, declared)
    places = [[*declared[name], present.index(name) if name in present else -1] for name in damped]
    table = np.array(rows).reshape(-1, layout.FORCE_COLUMNS)
    damped_rows = np.array(places, dtype=float).reshape(-1, layout.POINT_COLUMNS)
    kinds = tuple(row[0] for row in made)
    return ForceTable(table, tuple(names), forces, present, declared, damped, damped_rows, kinds)


def prepare_forces(graph: SceneGraph, forces: Sequence[SceneForce], *what: str) -> None:
    """Compile kernels of all that may act in a system, so that no change of structure compiles anything."""
    for declared in (*gravity_declared(graph), *(force.element.declared for force in forces)):
        declared.prepare(*what)


def is_line(element: ForceElement) -> bool:
    """Return whether an element pulls along a line as massless points need it."""
    return element.declared.at_points is AtPoints.LINE


def spring_and_damper(element: ForceElement) -> tuple[Law, Law]:
    """Return the laws of such an element."""
    spring, damper = element.declared.row.laws_of(element)[:2]
    return spring, damper


def damped_points(forces: Sequence[SceneForce], n_frames: int, points: Iterable[str]) -> tuple[str, ...]:
    """Return all massless points at which dampers act, in structures where nothing is deleted: their positions are states."""
    dampers = [force for force in forces if is_line(force.element) and spring_and_damper(force.element)[1] != 0.0]
    ends = {i for force in dampers for i in force.frames}
    return tuple(name for i, name in enumerate(points, n_frames) if i in ends)


def _acting(forest: Forest, forces: Sequence[SceneForce]) -> list[SceneForce]:
    """Return the elements that act: both frames exist, and at each massless point there are two or more of them."""
    n_frames = len(forest.graph.frames)
    acting = [f for f in forces if all(i >= n_frames or forest.frame_body[i] != DELETED for i in f.frames)]
    while True:
        count = Counter(i for force in acting for i in force.frames if i >= n_frames)
        kept = [force for force in acting if all(i < n_frames or count[i] > 1 for i in force.frames)]
        if len(kept) == len(acting):
            return kept
        acting = kept


def _columns(forest: Forest, made: ForceRow, point_number: Mapping[int, int]) -> np.ndarray:
    declared, frames, parameters = made
    row = np.zeros(layout.FORCE_COLUMNS)
    row[layout.AT_POINTS] = declared.at_points
    for what, column in ADDRESSES.items():
        row[column] = declared.address(what)
    for frame, body, pose in zip(frames, (layout.BODY_1, layout.BODY_2), (layout.R_1, layout.R_2), strict=True):
        if frame in point_number:
            row[body], row[pose : pose + 9] = point_number[frame], np.eye(3).ravel()
        else:
            row[body] = forest.frame_body[frame]
            row[pose : pose + 9], row[pose + 9 : pose + 12] = forest.frame_R[frame], forest.frame_p[frame]
    row[layout.PARAMETERS : layout.PARAMETERS + len(parameters)] = parameters
    return row
