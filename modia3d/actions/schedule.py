"""Action program for the engine, see `modia3d.engine.program`: the executor, and checks before it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from modiapy.model.errors import ModelError
from modiapy.simulation.results.signals import relative_name

from ..engine.program import PackedPaths, ReadSignal, Schedule, ScheduleRun
from ..topology.appearance import Edited
from ..topology.graph import SceneGraph
from ..topology.motion import Present
from ..topology.neighbours import touching_frames
from ..topology.structure import Structure
from .changes import apply, close_loops, locked_joints
from .conditions import FLAGS, Signals, candidates, nearest_signal
from .executor import Executor
from .moves import MovedPath, Moves
from .paths_values import AddPath, MoveLinear, PtpJointSpace
from .steps import Set, walk
from .structural.base import StructuralAction
from .timeline import declared_paths, lay_out
from .touching import SIGNAL, solids_of
from .values import Together


def parts_of(step: object) -> Sequence[StructuralAction]:
    """Return the structural actions of a step, which are one change."""
    return step.actions if isinstance(step, Together) else (step,) if isinstance(step, StructuralAction) else ()


class DueAction:
    """Structural actions of a program, to be carried out now as one change.

    Attributes:
        step: of the program, which consists of them.
        graph: in which they are carried out.
        scope: path of the model in which the program stands; names of frames are looked up there first.
        impulse: see `modia3d.engine.program.DueAction`.
    """

    def __init__(self, step: object, graph: SceneGraph, scope: str) -> None:
        self.step, self.graph, self.scope = step, graph, scope
        self._actions = parts_of(step)
        self.impulse = any(action.impulsive for action in self._actions)

    def __str__(self) -> str:
        return str(self.step)

    def apply(self, structure: Structure, present: Present) -> Edited:
        """See `modia3d.engine.program.DueAction`."""
        return apply(self._actions, self.graph, structure, present, self.scope)


class ActionSchedule(Schedule):
    """A program in a `Model3D`.

    Args:
        name: of the program, relative to the `Model3D`.
        program: a list of steps, or a generator function.
        paths: that it declares.
        graph: of the `Model3D`. root: its full path.
    """

    def __init__(
        self,
        name: str,
        program: tuple[Any, ...] | Callable[..., Any],
        paths: Sequence[AddPath],
        graph: SceneGraph,
        root: str = "",
    ) -> None:
        super().__init__()
        self.name, self.graph, self.program, self.declared = name, graph, program, paths
        self.scope = name.rpartition(".")[0]
        self._full_scope = relative_name(root, self.scope) if self.scope else root
        self._known: Callable[[], Sequence[str]] = tuple
        self._steps = list(walk(program))
        self.reference_names = (Moves(paths) if callable(program) else declared_paths(program)).names
        self.jerk_limited = bool(paths) and all(path.j_max is not None for path in paths)
        self._check_steps()
        if not callable(program):
            self._timeline = lay_out(program)
        actions = [action for _, step in self._steps for action in parts_of(step)]
        self.locked_joints = locked_joints(actions, graph, self.scope)
        self.impulses = callable(program) or self._has_functions or any(action.impulsive for action in actions)
        self.closes_loops = close_loops([parts_of(step) for _, step in self._steps], graph, self.scope)

    # -- checks before it runs --------------------------------------------------------------------------------------------

    @property
    def _has_functions(self) -> bool:
        """True if some of its steps are not known before it runs."""
        inner = (part for _, step in self._steps for part in getattr(step, "programs", tuple)())
        return callable(self.program) or any(map(callable, inner))

    def _check_steps(self) -> None:
        """Check names of frames and joints, paths and the lengths of their positions."""
        moves = Moves(self.declared, self.scope)
        for number, step in self._steps:
            try:
                for name in (name for row in getattr(step, "formulas", tuple)() for name in row):
                    if (solids := solids_of(name)) is not None:
                        self.contact_signal(*solids, user=self.name)
                for action in parts_of(step):
                    for field, name in action.names().items():
                        find = self.graph.joint_index if field in action.joints else self.graph.frame_index
                        find(name, self.scope, user=self.name)
                if isinstance(step, PtpJointSpace):
                    moves.check_rows(moves.find(step.names), step)
                if isinstance(step, PtpJointSpace | MoveLinear):
                    self._check_frames(step, moves)
            except ModelError as error:
                error.message, error.entry = f"action {number} ({step}): {error.message}", number
                raise

    def _check_frames(self, step: PtpJointSpace | MoveLinear, moves: Moves) -> None:
        """Check the frames of poses, and the joints that move them there."""
        path = moves.find(step.names).declared
        for wanted in step.poses if isinstance(step, PtpJointSpace) else (step,):
            from .ik import check_names

            check_names(self.name, (wanted.frame, wanted.relative_to), path.joints or path.names, self.graph, self.scope)

    def flags(self) -> frozenset[str] | None:
        """See `Schedule`."""
        return None if self._has_functions else frozenset(n for _, s in self._steps if isinstance(s, Set) for n, _ in s.values)

    def check_signals(self, exists: Callable[[str], bool], names: Callable[[], Sequence[str]]) -> None:
        """See `Schedule.check_signals`."""
        self._known = names
        flags = {name for _, step in self._steps if isinstance(step, Set) for name, _ in step.values}
        for number, step in self._steps:
            for name in (name for row in getattr(step, "formulas", tuple)() for name in row):
                if solids_of(name) is not None:
                    continue
                flag = name.removeprefix(FLAGS) if name.startswith(FLAGS) else None
                if flag is not None and not self._has_functions and flag not in flags:
                    known, what = [FLAGS + other for other in flags], "flag"
                elif flag is None and not any(map(exists, candidates(name, self._full_scope))):
                    known, what = [*names(), *(FLAGS + other for other in flags)], "signal"
                else:
                    continue
                raise ModelError(
                    f"action {number} ({step}): there is no {what} '{name}'",
                    path=self.name,
                    expected="a flag that a step of the program sets"
                    if what == "flag"
                    else "a variable or signal of the model",
                    remedy=nearest_signal(name, known, self._full_scope),
                    entry=number,
                )

    def signals_read(self) -> frozenset[str] | None:
        """See `Schedule`."""
        rows = (row for _, step in self._steps for row in getattr(step, "formulas", tuple)())
        if self._has_functions:
            return None
        asked = [(name, solids_of(name)) for row in rows for name in row]
        return frozenset(name if solids is None else SIGNAL.format(*solids) for name, solids in asked)

    def contact_signal(self, one: str, two: str, user: str = "") -> str:
        """Name of the signal in the `Model3D` that says whether the solids of two frames touch each other.

        Raises:
            ModelError: a frame does not exist or has no solid with collision; they can never touch each other.
        """
        return SIGNAL.format(*touching_frames(self.graph, (one, two), self.scope, user=user))

    # -- at work ----------------------------------------------------------------------------------------------------------

    def view(self, read: ReadSignal, flags: Mapping[str, float]) -> Signals:
        """Return all signals with the names of the program; ``flags`` are those that it has set."""
        return Signals(read, self._full_scope, flags, self._known, self.contact_signal)

    def begin(self, time: float) -> ActionRun:
        """See `Schedule`."""
        return ActionRun(self, time)

    def replay(self, start_time: float, log: Sequence[Mapping[str, Any]]) -> ActionRun:
        """See `Schedule`."""
        run = self.begin(start_time)
        run.replay(log)
        return run

    @property
    def length(self) -> str:
        """Return the duration of the program, if it is known before the run."""
        if callable(self.program) or not self._timeline.complete:
            return ""
        return f"; the program takes {self._timeline.end:.9g} s"


class _Located:
    """Context that adds this path to errors without one. Entered at every event."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, ModelError):
            error.path = error.path or self._path


class ActionRun(ScheduleRun):
    """Running program of a `Model3D`.

    Args: schedule: what is known of it. time: when it begins [s].
    """

    def __init__(self, schedule: ActionSchedule, time: float) -> None:
        self._schedule, self._time, self._located = schedule, time, _Located(schedule.name)
        self._moves = Moves(schedule.declared, schedule.scope, time)
        self._executor = Executor(schedule.program, self._moves, time, schedule.view)

    @property
    def paths(self) -> PackedPaths:
        """See `ScheduleRun`."""
        return self._moves.packed

    @property
    def watching(self) -> bool:
        """See `ScheduleRun`."""
        return self._executor.watching

    def advance(self, time: float, signal: ReadSignal, present: Callable[[], Any]) -> DueAction | None:
        """See `ScheduleRun`."""
        self._time = time
        with self._located:
            task = self._executor.advance(time, signal, present)
        return None if task is None else DueAction(task.step, self._schedule.graph, self._schedule.scope)

    def complete(self) -> None:
        """See `ScheduleRun`."""
        self._executor.complete(self._time)

    def refused(self, error: ModelError) -> bool:
        """See `ScheduleRun`."""
        task = self._executor.due
        assert task is not None
        error.message, error.entry = f"{task.label} is refused: {error.message}", task.entry or None
        with self._located:
            return self._executor.refused(self._time, str(error))

    def next_event(self, time: float) -> float:
        """See `ScheduleRun`."""
        return self._executor.next_event(time)

    def awaited(self, time: float, signal: ReadSignal) -> bool:
        """See `ScheduleRun`."""
        with self._located:
            return self._executor.awaited(signal)

    def unfinished(self, time: float) -> list[dict[str, Any]]:
        """See `ScheduleRun`."""
        return [] if self._executor.finished else [self._cut_off(path, time) for path in self._moves.moving(time)]

    def _cut_off(self, path: MovedPath, time: float) -> dict[str, Any]:
        """Return the note about a path that had not reached its target at the end of the simulation."""
        trajectory, names = path.trajectory, list(path.declared.names)
        action = f" (action {trajectory.number})" if trajectory.number else ""
        begin, end = trajectory.start_time, trajectory.end_time
        text = f"the path of {', '.join(names)}{action} ends with the simulation, not at its target, which it reaches"
        text += f" at {end:.9g} s{self._schedule.length}"
        return {"kind": "unfinished path", "time": time, "text": text, "names": names, "begin": begin, "end": end}

    @property
    def n_executed(self) -> int:
        """See `ScheduleRun`."""
        return len(self._executor.log.entries)

    def log(self) -> list[dict[str, Any]]:
        """See `ScheduleRun`."""
        return self._executor.log.entries.copy()

    def replay(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Continue to the state after the last entry of ``log``. Raises ModelError: the log belongs to another program."""
        with self._located:
            self._executor.replay(log)
