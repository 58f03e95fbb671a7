"""Timeline of a program, as far as it is known before it runs: the executor without a simulation.

Every structural action counts as carried out. The timeline ends where the program needs something that only the simulation
knows: a condition, the value of a signal, the way of a straight line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from modiapy.acausal.protocol import EndOfSimulation
from modiapy.model.errors import ModelError

from .conditions import Signals
from .executor import Executor
from .moves import Moves
from .paths import ReferencePath, ReferenceTrajectory
from .paths_values import AddPath
from .steps import walk

MAX_EVENTS = 2000
"""So many events a timeline has at most."""


class Unpredictable(ModelError):
    """Information that only the simulation has."""


@dataclass(frozen=True)
class TimedAction:
    """Structural action with its time [s]; ``number`` is its place in the program, counted from 1."""

    time: float
    number: int
    action: Any

    def __str__(self) -> str:
        return f"action {self.number} ({self.action})"


@dataclass(frozen=True)
class Timeline:
    """Timeline of a program: structural actions and paths, all at fixed times since the start of the simulation.

    Attributes:
        actions: in the order in which they are carried out.
        paths: the reference paths with their trajectories.
        time_events: times [s] at which something happens, in ascending order: actions, ends of waits, jumps of acceleration.
        end: when the program has ended [s], or where its timeline ends.
        complete: whether the whole program is known.
    """

    actions: tuple[TimedAction, ...] = ()
    paths: tuple[ReferencePath, ...] = ()
    time_events: tuple[float, ...] = ()
    end: float = 0.0
    complete: bool = True

    def __str__(self) -> str:
        rows = [(a.time, 1, f"{a.action}") for a in self.actions]
        for path in self.paths:
            rows += [
                (trajectory.start_time, 2, f"path until {trajectory.end_time:.9g} s: {', '.join(path.names)}")
                for trajectory in path.trajectories
            ]
        return "\n".join(f"{time:14.9g} s  {text}" for time, _, text in sorted(rows, key=lambda row: row[:2]))


def lay_out(steps: Sequence[Any]) -> Timeline:
    """Return the timeline of a list of steps.

    Structural actions are due when all actions before them have ended. `EventAfterPeriod` ends a given time after the previous
    structural action or the end of the previous period; paths and waits since then are included.

    Raises:
        ModelError: a path is unknown or of the wrong length, or paths need longer than the period around them; the message
            names the action by its number and text.
    """
    parts = [(number, step) for number, step in walk(steps)]
    known = not any(callable(program) for _, step in parts for program in getattr(step, "programs", tuple)())
    moves = declared_paths(steps)
    trajectories: list[list[ReferenceTrajectory]] = [[] for _ in moves.all]
    actions: list[TimedAction] = []
    events = {0.0}
    time = 0.0
    complete = False
    try:
        executor = Executor(steps if known else (), moves, time, _unknown_signals)
        for _ in range(MAX_EVENTS):
            while (task := executor.advance(time, _unknown, _unknown)) is not None:
                actions.append(TimedAction(time, task.entry, task.step))
                executor.complete(time)
            _note_motions(moves, trajectories)
            following = executor.next_event(time)
            if not following < math.inf:
                complete = known
                break
            events.add(following)
            time = following
    except EndOfSimulation:
        complete = True
    except Unpredictable:
        pass
    _note_motions(moves, trajectories)
    paths = [
        replace(ReferencePath(p.declared.names, p.declared.position, p.declared.limits), trajectories=tuple(done))
        for p, done in zip(moves.all, trajectories, strict=True)
    ]
    return Timeline(tuple(actions), tuple(paths), tuple(sorted(events)), time, complete)


def _note_motions(moves: Moves, trajectories: Sequence[list[ReferenceTrajectory]]) -> None:
    """Add new motions of paths to their ``trajectories``."""
    for path, done in zip(moves.all, trajectories, strict=True):
        if path.trajectory.segments and path.trajectory not in done[-1:]:
            done.append(path.trajectory)


def declared_paths(steps: Sequence[Any], scope: str = "") -> Moves:
    """Return the reference paths that a list declares. Raises ModelError, with the number of the action."""
    found: list[AddPath] = []
    for number, step in walk(steps):
        if isinstance(step, AddPath):
            try:
                Moves([*found, step])
            except ModelError as error:
                error.message, error.entry = f"action {number} ({step}): {error.message}", number
                raise
            found.append(step)
    return Moves(found, scope)


def _unknown(*_: object) -> Any:
    raise Unpredictable("only the simulation can tell")


def _unknown_signals(_read: object, flags: Any) -> Signals:
    return Signals(_unknown, "", flags)
