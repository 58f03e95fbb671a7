"""Task: one of the programs that the executor runs in parallel."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from modiapy.model.errors import ModelError

from .values import Actions

MAX_STEPS = 10_000
"""So many steps of one task without time passing are considered an endless loop."""


@dataclass
class Task:
    """Program that is being carried out, with its clock and its present step.

    Attributes:
        number: 0 for the program itself.
        clock: time up to which it has been carried out [s].
        parent: number of the task that waits for it; -1: none.
        stack: generators, the innermost last, each with the recorder that its function got.
        entry: number of the step that is carried out; 0: it has none.
        step: the step that is carried out; None where it has ended.
        wake: when a step that waits for a time is over [s].
        mark: when the present period began [s], see `AfterPeriod`.
        children: numbers of the tasks that `Parallel` waits for.
        result: what the program returned.
        answer: what the step it waits for is answered with, where the engine has given it.
        count, since: how many steps it took since when, to find endless loops.
    """

    number: int
    clock: float
    parent: int = -1
    stack: list[tuple[Generator[Any, Any, Any], Actions | None]] = field(default_factory=list)
    entry: int = 0
    step: Any = None
    wake: float = math.inf
    mark: float = 0.0
    children: tuple[int, ...] = ()
    result: Any = None
    answer: Any = None
    count: int = 0
    since: float = -math.inf

    @property
    def ended(self) -> bool:
        """True if nothing is left to do."""
        return not self.stack

    @property
    def label(self) -> str:
        """The step as it is named in messages."""
        return f"action {self.entry} ({self.step})" if self.entry else f"the step '{self.step}'"

    def close(self) -> None:
        """Give up the program: its ``finally`` blocks run, but no further step. Raises ModelError: it fails."""
        while self.stack:
            generator, _ = self.stack.pop()
            try:
                generator.close()
            except ModelError:
                raise
            except Exception as error:
                raise ModelError(
                    f"a program that is left failed in {self.label}",
                    found=f"{type(error).__name__}: {error}",
                    expected="a program that takes no more steps when a refusal in another one leaves it",
                    remedy="Yield nothing in its 'finally', and raise nothing there.",
                ) from error

    def count_step(self, time: float) -> None:
        """Count a step at ``time`` [s]. Raises ModelError: too many of them at one time."""
        if self.since != time:
            self.since, self.count = time, 0
        self.count += 1
        if self.count > MAX_STEPS:
            raise ModelError(
                f"{self.label} is carried out again and again, and no time passes",
                found=f"more than {MAX_STEPS} steps at one time",
                expected="a loop that waits",
                remedy="Put ActionWait or wait_until into the loop.",
                entry=self.entry or None,
            )
