"""The action program of a `Model3D` while it is carried out: which action is due, when something happens next."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping

from modiapy.model.errors import ModelError, SimulationError

from ..actions.paths import PackedPaths, pack_paths
from ..actions.program import ActionProgram, TimedAction, Timeline, lay_out
from ..topology.graph import SceneGraph


class Schedule:
    """The timeline of a program, counted from the start of the simulation.

    Attributes:
        name: of the `ModelActions`, relative to the `Model3D`; "" if there is none.
        timeline: what the program means.
        paths: the reference paths as arrays, in absolute time.
    """

    def __init__(self, name: str, timeline: Timeline) -> None:
        self.name, self.timeline = name, timeline
        self.paths: PackedPaths
        self.begin(0.0)

    @property
    def scope(self) -> str:
        """Path of the model in which the program stands."""
        return self.name.rpartition(".")[0]

    def begin(self, time: float) -> None:
        """Begin the program at ``time`` [s]."""
        self.start = time
        self.paths = pack_paths(self.timeline.paths, time)
        self._events = [time + t for t in self.timeline.time_events]
        self._done = 0

    def due(self, time: float) -> TimedAction | None:
        """The next structural action if it is to be carried out at ``time`` [s]."""
        actions = self.timeline.actions
        if self._done == len(actions) or self.start + actions[self._done].time > time:
            return None
        return actions[self._done]

    def complete(self) -> None:
        """The next structural action has been carried out."""
        self._done += 1

    def next_event(self, time: float) -> float:
        """Time of the first event after ``time`` [s]; `math.inf` if there is none."""
        k = bisect_right(self._events, time)
        return self._events[k] if k < len(self._events) else math.inf

    def check_end(self, time: float, path: str) -> None:
        """Refuse that the simulation ends at ``time`` [s] in the middle of a path of the program at ``path``."""
        leg = self.timeline.leg_at(time - self.start)
        if leg is not None:
            raise SimulationError(
                "the simulation ended in the middle of a path",
                time=time,
                path=path,
                found=f"a path from {self.start + leg.start_time:.9g} s to {self.start + leg.end_time:.9g} s at {time:.9g} s",
                expected="a stop time at which all joints have reached their target",
                remedy=f"The program takes {self.timeline.end:.9g} s.",
            )


def schedule_of(objects: Mapping[str, object], graph: SceneGraph, model: str) -> Schedule:
    """The schedule of the program among the objects of a `Model3D`, an empty one if there is none.

    Args:
        objects: what the constructors in the `Model3D` returned.
        graph: of these objects; the frames of all actions are looked up in it.
        model: full path of the `Model3D`, for messages.

    Raises:
        ModelError: there are two programs, or the program is wrong; names the program and the action.
    """
    programs = {name: made for name, made in objects.items() if isinstance(made, ActionProgram)}
    if not programs:
        return Schedule("", Timeline())
    if len(programs) > 1:
        raise ModelError(
            "a Model3D has at most one action program", path=model, found=", ".join(programs), expected="one ModelActions"
        )
    ((name, program),) = programs.items()
    path = f"{model}.{name}" if model else name
    try:
        schedule = Schedule(name, lay_out(program.recorded()))
    except ModelError as error:
        error.path = path
        raise
    for timed in schedule.timeline.actions:
        for frame in vars(timed.action).values():
            if frame is not None:
                graph.frame_index(frame, schedule.scope, user=f"{path}, action {timed.number} ({timed.action})")
    return schedule
