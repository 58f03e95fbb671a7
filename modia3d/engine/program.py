"""What the engine asks of an action program. `modia3d.actions` provides the programs; the engine knows this interface only."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from modiapy.model.errors import ModelError

from ..topology.graph import SceneGraph
from ..topology.motion import Present
from ..topology.structure import Structure
from .slots import PATH_COLUMNS, TIME_COLUMNS


@dataclass(frozen=True)
class PackedPaths:
    """Reference paths as arrays for the kernel, rows of a path in the order of time.

    Attributes:
        paths: int64 (n_paths, 4): first output, number of joints, first row of `times`, number of rows.
        times: float64 (n_rows, 6): the four breakpoints [s], ds/dt of the cruise, d2s/dt2 of the ramps. The first row
            of a path stands for the rest before its first leg.
        positions: float64 (n_rows, 2, width): start and end.
        n_signals: number of joints of all paths.
    """

    paths: np.ndarray = field(default_factory=lambda: np.zeros((0, PATH_COLUMNS), np.int64))
    times: np.ndarray = field(default_factory=lambda: np.zeros((0, TIME_COLUMNS)))
    positions: np.ndarray = field(default_factory=lambda: np.zeros((0, 2, 0)))
    n_signals: int = 0


class DueAction(Protocol):
    """A structural action that is due; its text is the cause of the segment that it begins."""

    @property
    def impulse(self) -> bool:
        """Whether what still moves is brought to rest by a plastic impact."""

    def apply(self, structure: Structure, present: Present) -> Structure:
        """The structure afterwards, from what there is and the state of all frames and joints at this moment.

        Raises:
            ModelError: the action is refused; its path is relative to the `Model3D`.
        """


class Schedule:
    """A program while it is carried out. This base class is the empty program.

    Attributes:
        name: of the program, relative to the `Model3D`.
        reference_names: names of the reference signals, relative to the program.
        paths: the reference paths as arrays, in absolute time.
        locked_joints: names of the joints that the program locks.
        impulses: whether an action may need an impact.
    """

    def __init__(self) -> None:
        self.name = ""
        self.reference_names: tuple[str, ...] = ()
        self.paths = PackedPaths()
        self.locked_joints: frozenset[str] = frozenset()
        self.impulses = False

    def begin(self, time: float) -> None:
        """Begin the program at ``time`` [s], the start of the simulation."""

    def due(self, time: float) -> DueAction | None:
        """The next structural action if it is to be carried out at ``time`` [s]."""
        return None

    def complete(self) -> None:
        """The action that was due has been carried out."""

    def next_event(self, time: float) -> float:
        """Time of the first event after ``time`` [s]; `math.inf` if there is none."""
        return math.inf

    def check_end(self, time: float, path: str) -> None:
        """Refuse, by a SimulationError that names ``path``, that the simulation ends at ``time`` [s]."""


class ProgramSource(ABC):
    """What a user's action program is for the engine."""

    @abstractmethod
    def schedule(self, name: str, graph: SceneGraph) -> Schedule:
        """The schedule of the program that stands at ``name`` in a `Model3D` with this graph.

        Raises:
            ModelError: the program is wrong; its path is relative to the `Model3D`.
        """


def schedule_of(objects: Mapping[str, object], graph: SceneGraph) -> Schedule:
    """The schedule of the program among the objects of a `Model3D`, the empty one if there is none.

    Raises:
        ModelError: there are two programs, or the program is wrong.
    """
    programs = {name: made for name, made in objects.items() if isinstance(made, ProgramSource)}
    if not programs:
        return Schedule()
    if len(programs) > 1:
        names = ", ".join(programs)
        raise ModelError("a Model3D has at most one action program", found=names, expected="one ModelActions")
    ((name, program),) = programs.items()
    return program.schedule(name, graph)
