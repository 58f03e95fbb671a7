"""Action programs: what a user writes (`ModelActions`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError

from ..engine.program import ProgramSource
from ..topology.graph import SceneGraph
from .schedule import ActionSchedule
from .timeline import Timeline, lay_out
from .values import ACTIONS, Action, Actions

Program = Callable[[Actions], None] | Sequence[Action]


@dataclass(frozen=True)
class ActionProgram(ProgramSource):
    """An action program of a `Model3D`.

    Attributes:
        program: a function that records actions on its argument, or the list of actions itself.
    """

    program: Program

    def recorded(self) -> tuple[Action, ...]:
        """The actions in their order.

        Raises:
            ModelError: the function failed, or an entry is not an action.
        """
        if callable(self.program):
            actions = Actions()
            try:
                self.program(actions)
            except ModelError as error:
                error.entry = len(actions.recorded) + 1
                error.message = f"action {error.entry} of the program: {error.message}"
                raise
            except Exception as error:
                number = len(actions.recorded) + 1
                raise ModelError(
                    f"the action program failed at action {number}", found=f"{type(error).__name__}: {error}"
                ) from error
            entries: Sequence[object] = actions.recorded
        elif isinstance(self.program, Sequence) and not isinstance(self.program, str):
            entries = self.program
        else:
            raise ModelError(
                "this is not an action program", found=repr(self.program), expected="a function or a list of actions"
            )
        for number, entry in enumerate(entries, start=1):
            if not isinstance(entry, tuple(ACTIONS.values())):
                raise ModelError(
                    f"entry {number} of the program is not an action", found=repr(entry), expected=", ".join(ACTIONS)
                )
        return tuple(entries)  # type: ignore[arg-type]

    def timeline(self) -> Timeline:
        """What the program means, see `lay_out`."""
        return lay_out(self.recorded())

    def schedule(self, name: str, graph: SceneGraph) -> ActionSchedule:
        """The program at work in a `Model3D`, see `ProgramSource`."""
        try:
            timeline = self.timeline()
        except ModelError as error:
            error.path = name
            raise
        return ActionSchedule(name, timeline, graph)
