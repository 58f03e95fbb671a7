"""Recorder of the actions of a program that is written as a Python function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import numpy as np

from modiapy.model.arguments import arguments_checked
from modiapy.model.errors import ModelError

from .together import Together

P = ParamSpec("P")
R = TypeVar("R")
Recorded = TypeVar("Recorded")
Vector = Sequence[float] | np.ndarray
Rows = Sequence[Vector] | np.ndarray

MOST_RECORDED = 100_000
"""Actions that a function may record before it returns or yields one."""


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


_checked = arguments_checked(
    {
        "waitingPeriod": "Write ActionWait(actions, seconds) after it: the action is carried out at once, what follows waits.",
    },
    typed=True,
)
"""Decorator that knows the arguments of Modia3D.jl that are not here."""


def recording(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that records an action: arguments that it does not have, or of another kind, are a `ModelError`."""
    checked = _checked(function)
    first, *others = inspect.signature(function).parameters.values()
    needed = [first.name, *(one.name for one in others if one.default is one.empty)]

    @functools.wraps(checked)
    def recorded(*args: P.args, **kwargs: P.kwargs) -> R:
        recorder: Any = args[0] if args else kwargs.get(first.name)
        if not isinstance(recorder, Actions) and kwargs.keys() <= {first.name, *(one.name for one in others)}:
            name = function.__name__
            raise ModelError(
                f"{name} is called without the recorder of the program",
                found="no argument" if recorder is None else repr(recorder)[:80],
                expected="the argument of the program function as its first argument",
                remedy=f"Write {name}({', '.join(needed)}) in def program(actions), and ModelActions(program).",
            )
        return checked(*args, **kwargs)

    return recorded
