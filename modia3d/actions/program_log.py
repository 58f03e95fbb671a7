"""Log of a program: the executed steps with their outcomes, from which a replay continues. See `modia3d.engine.program`."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from modiapy.model.errors import ModelError


class ProgramLog:
    """Log of one run.

    Attributes: entries: the executed steps, the oldest first. replaying: whether outcomes come from another log.
    """

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.replaying = False
        self._script: deque[Mapping[str, Any]] = deque()

    def begin_replay(self, script: Sequence[Mapping[str, Any]]) -> None:
        """Take outcomes from another log."""
        self._script, self.replaying = deque(script), True

    def note(self, time: float, task: int, kind: str, step: object, outcome: Any) -> None:
        """Append a step that has ended. In a replay: ModelError if the other log has another step."""
        entry = {"time": time, "task": task, "kind": kind, "step": str(step), "outcome": outcome}
        if self.replaying:
            logged: Mapping[str, Any] = self._script.popleft() if self._script else {}
            for key, value in entry.items():
                found = logged.get(key)
                if found is not value and found != value:
                    raise misfit(f"{key} {found!r} where this program has {value!r}")
        self.entries.append(entry)

    # -- of the log that is replayed --------------------------------------------------------------------------------------

    @property
    def left(self) -> int:
        """Number of steps that remain in the replayed log."""
        return len(self._script)

    def next_time(self) -> float:
        """Return the time at which the next step ended [s]. Raises ModelError."""
        time = self._script[0].get("time")
        if not isinstance(time, float):
            raise misfit(f"the time {time!r}")
        return time

    def next_task(self) -> int:
        """Number of the task of the next step; -1 if there is none."""
        task = self._script[0].get("task")
        return task if isinstance(task, int) else -1

    def recorded(self) -> Any:
        """Return the outcome of the next step; None if there is none."""
        return self._script[0].get("outcome") if self._script else None


def misfit(found: str) -> ModelError:
    """Return the error for a log that does not belong to the program."""
    return ModelError(
        "the log does not fit the action program",
        found=found,
        expected="the log of this program",
        remedy="Was the program changed?",
    )
