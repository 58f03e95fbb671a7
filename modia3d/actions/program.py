"""Action programs as a user writes them (`ModelActions`)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from modiapy.model.constructors import constructor
from modiapy.model.errors import ModelError

from ..engine.program import ProgramSource
from ..topology.graph import SceneGraph
from .blocks import Program, called, checked
from .paths_values import AddPath
from .schedule import ActionSchedule
from .steps import walk


@dataclass(frozen=True)
class ActionProgram(ProgramSource):
    """An action program of a `Model3D`.

    Attributes:
        program: a list of actions and steps; a function that records them on its argument; or a generator function (with this
            argument or without), which yields them and gets their outcomes. See ``docs/programs.md``.
        closes_loops: whether its actions may attach what is connected already; then the equations are prepared for closed
            loops. None: if its steps do so, carried out one after the other; those that are decided on while it runs do not
            count.
    """

    program: Program
    closes_loops: bool | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not callable(self.program):
            checked(self.program, "the program")
        if self.closes_loops not in (None, True, False):
            raise ModelError(
                "closes_loops of ModelActions is wrong", found=repr(self.closes_loops), expected="True, False or None"
            )

    in_equations: ClassVar[str] = "A program is not called; its reference signals are '<program>.<name>.position' and so on."

    def prepared(self) -> tuple[tuple[Any, ...] | Callable[..., Any], tuple[AddPath, ...]]:
        """Return the program for execution, a list or a generator function, and the reference paths it declares.

        A generator function is run up to its first step that is not `addReferencePath`, to find the paths.

        Raises:
            ModelError: the function failed, or an entry is not an action.
        """
        made = called(self.program)[0] if callable(self.program) else checked(self.program, "the program")
        if isinstance(made, Generator):
            return self.program, tuple(_declared(made))  # type: ignore[return-value]
        return made, tuple(step for _, step in walk(made) if isinstance(step, AddPath))

    def schedule(self, name: str, graph: SceneGraph, root: str = "") -> ActionSchedule:
        """Return the program for a `Model3D`, see `ProgramSource`."""
        try:
            program, paths = self.prepared()
            schedule = ActionSchedule(name, program, paths, graph, root)
        except ModelError as error:
            error.path = error.path or name
            raise
        if self.closes_loops is not None:
            schedule.closes_loops = self.closes_loops
        return schedule


ModelActions = constructor(
    ActionProgram,
    name="ModelActions",
    remedies={
        "actions": "program=...: a list of actions, or a function.",
        "world": "The program belongs to the Model3D in which it stands; leave it out.",
    },
)


def _declared(running: Generator[Any, Any, Any]) -> list[AddPath]:
    """Return the paths that a generator yields before anything else."""
    found: list[AddPath] = []
    try:
        for step in running:
            if not isinstance(step, AddPath):
                break
            found.append(step)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError("the action program failed before its first step", found=f"{type(error).__name__}: {error}") from error
    finally:
        running.close()
    return found
