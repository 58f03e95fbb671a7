"""An action program while it is carried out: which action is due, when something happens next."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

from modiapy.model.errors import ModelError, SimulationError

from ..engine.program import Schedule
from ..topology.graph import SceneGraph
from ..topology.motion import Present
from ..topology.structure import Structure
from .paths import pack_paths
from .structural import apply
from .timeline import TimedAction, Timeline
from .values import LockJoint, impulsive


@dataclass(frozen=True)
class DueAction:
    """A structural action of a program, to be carried out now.

    Attributes:
        timed: the action.
        graph: in which it is carried out.
        scope: path of the model in which the program stands; names of frames are looked up there first.
    """

    timed: TimedAction
    graph: SceneGraph
    scope: str

    @property
    def impulse(self) -> bool:
        """See `modia3d.engine.program.DueAction`."""
        return impulsive(self.timed.action)

    def __str__(self) -> str:
        return str(self.timed.action)

    def apply(self, structure: Structure, present: Present) -> Structure:
        """See `modia3d.engine.program.DueAction`; the message of a refusal names the action."""
        try:
            return apply(self.timed.action, self.graph, structure, present, self.scope)
        except ModelError as error:
            error.message, error.entry = f"{self.timed} is refused: {error.message}", self.timed.number
            raise


class ActionSchedule(Schedule):
    """The timeline of a program, counted from the start of the simulation."""

    def __init__(self, name: str, timeline: Timeline, graph: SceneGraph) -> None:
        super().__init__()
        self.name, self.timeline, self.graph = name, timeline, graph
        self.scope = name.rpartition(".")[0]
        self.reference_names = tuple(n for path in timeline.paths for n in path.names)
        for timed in timeline.actions:
            for field, name in vars(timed.action).items():
                if name is not None and field != "on_contact":
                    self._check_name(field, name, timed)
        locked = (timed.action.joint for timed in timeline.actions if isinstance(timed.action, LockJoint))
        self.locked_joints = frozenset(graph.joints[graph.joint_index(name, self.scope)].name for name in locked)
        self.impulses = any(impulsive(timed.action) for timed in timeline.actions)
        self.begin(0.0)

    def _check_name(self, field: str, name: str, timed: TimedAction) -> None:
        find = self.graph.joint_index if field == "joint" else self.graph.frame_index
        try:
            find(name, self.scope, user=f"{self.name}, {timed}")
        except ModelError as error:
            error.entry = timed.number
            raise

    def begin(self, time: float) -> None:
        """Begin the program at ``time`` [s]."""
        self.start = time
        self.paths = pack_paths(self.timeline.paths, time)
        self._events = [time + t for t in self.timeline.time_events]
        self._done = 0

    def due(self, time: float) -> DueAction | None:
        """The next structural action if it is to be carried out at ``time`` [s]."""
        actions = self.timeline.actions
        if self._done == len(actions) or self.start + actions[self._done].time > time:
            return None
        return DueAction(actions[self._done], self.graph, self.scope)

    def complete(self) -> None:
        """The action that was due has been carried out."""
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
                entry=leg.number,
                found=f"a path from {self.start + leg.start_time:.9g} s to {self.start + leg.end_time:.9g} s at {time:.9g} s",
                expected="a stop time at which all joints have reached their target",
                remedy=f"The program takes {self.timeline.end:.9g} s.",
            )
