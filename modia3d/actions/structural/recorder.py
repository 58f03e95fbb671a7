"""Recorder of the actions of a program that is written as a Python function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from modiapy.model.arguments import arguments_checked
from modiapy.model.errors import ModelError

from .together import Together

Recorded = TypeVar("Recorded")
Vector = Sequence[float] | np.ndarray
Rows = Sequence[Vector] | np.ndarray

MOST_RECORDED = 100_000
"""Actions that a function may record before it returns or yields one."""

recording = arguments_checked(
    {
        "waitingPeriod": "Write ActionWait(actions, seconds) after it: the action is carried out at once, what follows waits.",
    },
    typed=True,
)
"""Decorator of the functions that record an action; it knows the arguments of Modia3D.jl that are not here."""


class Actions:
    """Recorder that a program function gets as its argument; ``recorded`` are the actions in their order.

    Every function that records an action returns it, so that a generator can write ``ok = yield ActionAttach(actions, ...)``.
    """

    def __init__(self) -> None:
        self.recorded: list[Any] = []

    def record(self, action: Recorded) -> Recorded:
        """Append an ``action``, or a step such as `WaitUntil`; returns it. Raises ModelError: too many of them."""
        if len(self.recorded) >= MOST_RECORDED:
            raise ModelError(
                "the program records actions without end",
                found=f"more than {MOST_RECORDED} before it returned",
                expected="a function that ends",
                remedy="What goes on as long as the simulation does is a generator (it yields its actions), or Repeat.",
            )
        self.recorded.append(action)
        return action

    @contextmanager
    def together(self) -> Iterator[None]:
        """Join all structural actions recorded in ``with actions.together():`` to one change, see `Together`."""
        outside, self.recorded = self.recorded, []
        try:
            yield
        finally:
            inside, self.recorded = self.recorded, outside
        self.record(Together(tuple(inside)))


class Unrecorded(Actions):
    """Replacement for a recorder for actions that are made one by one, as in a list."""

    def record(self, action: Recorded) -> Recorded:
        return action
