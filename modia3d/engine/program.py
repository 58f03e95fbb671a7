"""Interface of an action program for the engine. `modia3d.actions` provides the programs; the engine knows no more of them.

A program is carried out step by step while the simulation runs: `Schedule.begin` gives a `ScheduleRun`, which belongs to one
simulation. At every event the engine calls `ScheduleRun.advance`: all tasks
of the program (one, or several in parallel) go on as far as they can without time passing. It returns a structural action that
is due (the engine carries it out, then calls `complete`, or `refused`, and at the same time `advance` again), raises
`EndOfSimulation`, or returns None when all tasks wait: for a time (`next_event`), or for a condition (`watching`, `awaited`).

**Log.** `ScheduleRun.log()` is the list of all executed steps, plain data for `json.dumps`, the oldest first. An entry is a
mapping with ``time`` [s], ``task`` (number of the task, 0 is the program itself), ``kind``, ``step`` (text for the user) and
``outcome``:

- everything that the world decided is an ``outcome``: true or false of a condition (a timeout is false), the value of a read
  signal, True or the text of the refusal for a structural action, True or False of a path that was reached or interrupted;
- a step is logged when it is over, not when it begins; a condition that does not hold yet is not logged. So the log does not
  grow while a program waits;
- floats are exact in JSON.

**Order.** A task goes on until it waits, structural actions included, and those that it starts begin, before any waiting task
is asked. So the log, which holds the end of each wait, determines the order of all that happens.

**Replay.** `Schedule.replay(start_time, log)` begins anew and gives the program, from its log alone and without reading any
signal or changing any structure, in the state it had after the last logged step: generators run again and get the recorded
outcomes as answers; conditions are not evaluated, paths are planned again from the same numbers at the same times. After it
`paths`, `next_event`, `watching` and all that follows are as they were. A log of another
program is refused (ModelError). So a snapshot holds ``start_time`` and ``log()``, besides the engine's structure and states.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from modiapy.model.errors import ModelError

from ..topology.appearance import Edited
from ..topology.graph import SceneGraph
from ..topology.motion import Present
from ..topology.structure import Structure
from .memory.context import PATHS

ReadSignal = Callable[[str], Any]
"""Present value of any signal of the result, a number or an array, by its full path; KeyError where there is none."""


@dataclass(frozen=True)
class PackedPaths:
    """Reference paths as arrays for the kernel, rows of a path in the order of time.

    Attributes:
        paths: int64 (n_paths, 4): first output, number of joints, first row of `times`, number of rows.
        times: float64 (n_rows,): when each row begins [s]. The first row of a path stands for the rest before
            its first trajectory.
        coefficients: float64 (n_rows, degree + 1, width): of the powers of the time since then.
        n_signals: number of joints of all paths.
    """

    paths: np.ndarray = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    times: np.ndarray = field(default_factory=lambda: np.zeros(0))
    coefficients: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 0)))
    n_signals: int = 0

    def header(self) -> np.ndarray:
        """Return the record `PATHS` for the kernel, int64."""
        return self._header.copy()

    @cached_property
    def _header(self) -> np.ndarray:
        n_rows, depth, width = self.coefficients.shape
        tables = {"paths": self.paths, "times": self.times, "coefficients": self.coefficients}
        return np.array(PATHS.head(n_paths=len(self.paths), n_rows=n_rows, depth=depth, width=width, **tables), np.int64)


_NO_PATHS = PackedPaths()


class DueAction(Protocol):
    """A structural action that is due; its text is the cause of the segment that it begins."""

    @property
    def impulse(self) -> bool:
        """True if what still moves is brought to rest by a plastic impact."""

    def apply(self, structure: Structure, present: Present) -> Edited:
        """Return the structure afterwards, from what there is and the state of all frames and joints at this moment.

        All of several actions given together; `modia3d.actions.structural.apply` does that.

        Raises:
            ModelError: the action is refused; its path is relative to the `Model3D`.
        """


class ScheduleRun:
    """A program while it is carried out, in one simulation. This base class is the empty program."""

    @property
    def paths(self) -> PackedPaths:
        """The reference paths as arrays, in absolute time; another object when a path goes on with another trajectory."""
        return _NO_PATHS

    @property
    def watching(self) -> bool:
        """True if a task waits for a condition that may begin to hold between events."""
        return False

    def advance(self, time: float, signal: ReadSignal, present: Callable[[], Any]) -> DueAction | None:
        """Continue all tasks at ``time`` [s]; return a structural action that is due, None if all tasks wait.

        Args:
            signal: see `ReadSignal`.
            present: the `modia3d.engine.motion.configuration.Configuration` at this time, computed when it is asked for.

        Raises:
            EndOfSimulation: the program ends the simulation.
            ModelError: a step fails; its path is relative to the `Model3D`.
        """
        return None

    def complete(self) -> None:
        """Take note that the action which `advance` returned has been carried out."""

    def refused(self, error: ModelError) -> bool:
        """Refuse the action that `advance` returned; return whether the program goes on all the same.

        Raises:
            ModelError: a step fails, or the program raises another refusal; its path is relative to the `Model3D`.
        """
        return False

    def next_event(self, time: float) -> float:
        """Return the time of the first event after ``time`` [s]; `math.inf` if there is none."""
        return math.inf

    def awaited(self, time: float, signal: ReadSignal) -> bool:
        """Return whether a condition that a task waits for holds at ``time`` [s]. Changes nothing."""
        return False

    def unfinished(self, time: float) -> list[dict[str, Any]]:
        """Return the notes (see `acausal.protocol.Notes`) about paths that end with the simulation, at ``time`` [s]."""
        return []

    @property
    def n_executed(self) -> int:
        """Number of steps that `log` has."""
        return 0

    def log(self) -> list[dict[str, Any]]:
        """Return all executed steps, see above."""
        return []


class Schedule:
    """A program as it is known before it runs, the same in all simulations. This base class is the empty program.

    Attributes:
        name: of the program, relative to the `Model3D`.
        reference_names: names of the reference signals, relative to the program.
        jerk_limited: whether the accelerations of all reference paths are continuous.
        locked_joints: names of the joints that the program locks, as far as that is known before it runs.
        impulses: whether an action may need an impact.
        closes_loops: whether an action may close a loop.
    """

    def __init__(self) -> None:
        self.name = ""
        self.reference_names: tuple[str, ...] = ()
        self.jerk_limited = False
        self.locked_joints: frozenset[str] = frozenset()
        self.impulses = self.closes_loops = False

    def signals_read(self) -> frozenset[str] | None:
        """Return the names of the signals that the program reads, as the user wrote them; None where that is not known before
        it runs.
        """
        return frozenset()

    def flags(self) -> frozenset[str] | None:
        """Return the names of the flags that the program sets; None where that is not known before it runs."""
        return frozenset()

    def check_signals(self, exists: Callable[[str], bool], names: Callable[[], Sequence[str]]) -> None:
        """Refuse conditions about signals that cannot exist, when the model has been translated.

        Args:
            exists: whether there may be a signal of this full path.
            names: full paths of all signals, for messages.

        Raises:
            ModelError: names the signal and the nearest one; ``entry`` is the number of the step.
        """

    def begin(self, time: float) -> ScheduleRun:
        """Return the program at its beginning at ``time`` [s], the start of a simulation."""
        return ScheduleRun()

    def replay(self, start_time: float, log: Sequence[Mapping[str, Any]]) -> ScheduleRun:
        """Return the program that began at ``start_time`` [s], in the state after the last entry of ``log``, see above.

        Raises:
            ModelError: the log is not one of this program.
        """
        if log:
            raise ModelError("the snapshot has the log of a program, but the model has no program", found=f"{len(log)} steps")
        return self.begin(start_time)


class ProgramSource(ABC):
    """Source of a user's action program, as the engine sees it."""

    @abstractmethod
    def schedule(self, name: str, graph: SceneGraph, root: str = "") -> Schedule:
        """Return the schedule of the program that stands at ``name`` in the `Model3D` at the path ``root`` with this graph.

        Raises:
            ModelError: the program is wrong; its path is relative to the `Model3D`.
        """


def schedule_of(objects: Mapping[str, object], graph: SceneGraph, root: str = "") -> Schedule:
    """Return the schedule of the program among the objects of the `Model3D` at the path ``root``, the empty one if there is
    none.

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
    return program.schedule(name, graph, root)
