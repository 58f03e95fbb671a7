"""Steps that contain others: branches, loops, attempts, parallel programs; valid entries of a program, and its beginning.

A program is a list of steps and actions, or a generator function that yields them and gets their outcomes. Steps with blocks
(`IfElse`, `Repeat`, `Try`, `Retry`) are generators themselves, written with the others: `Block.carry_out`.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

from modiapy.model.errors import ModelError

from .checks import count_value, time_value
from .steps import (
    ActionRefused,
    Decide,
    End,
    Numbered,
    Read,
    Set,
    Step,
    StopPath,
    WaitUntil,
    after,
    condition_of,
    listed,
)
from .values import Action, Actions, Wait

Program = Callable[..., Any] | Sequence[Any]
"""A list of steps and actions, a function that records them on its argument, or a generator function with or without it."""


# -- blocks ---------------------------------------------------------------------------------------------------------------


class Block(Step):
    """Step that consists of others."""

    @abstractmethod
    def carry_out(self, number: int) -> Generator[Any, Any, Any]:
        """Carry out the steps of the block, one after the other; ``number`` is the number of the block."""


@dataclass(frozen=True)
class IfElse(Block):
    """Carry out ``then`` if ``condition`` holds now, else ``otherwise`` (in YAML ``else``)."""

    condition: Any
    then: Sequence[Any] = ()
    otherwise: Sequence[Any] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "condition", condition_of(self.condition))
        _set_blocks(self, "if", "then", "otherwise")
        if not self.then and not self.otherwise:
            raise ModelError("'if' has no steps", expected="steps in 'then' or in 'else'")

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return (self.condition.names,)

    def programs(self) -> tuple[Sequence[Any], ...]:
        return self.then, self.otherwise

    def carry_out(self, number: int) -> Generator[Any, Any, None]:
        if (yield Numbered(number, Decide(self.condition))):
            yield from listed(self.then, after(number))
        else:
            yield from listed(self.otherwise, after(number, self.then))

    def __str__(self) -> str:
        return f"if {self.condition}"


@dataclass(frozen=True)
class Repeat(Block):
    """Repetition of ``do``, a number of ``times``, or as long as a condition holds before (``while_``, in YAML ``while``)."""

    do: Sequence[Any]
    times: int | None = None
    while_: Any = None

    def __post_init__(self) -> None:
        _set_blocks(self, "repeat", "do")
        if (self.times is None) == (self.while_ is None):
            raise ModelError(
                "'repeat' does not say how often",
                found="neither times nor while" if self.times is None else "times and while",
                expected="one of them",
            )
        if self.times is None:
            object.__setattr__(self, "while_", condition_of(self.while_))
        else:
            object.__setattr__(self, "times", count_value("times of repeat", self.times))
        if not self.do:
            raise ModelError("'repeat' has no steps", expected="steps in 'do'")

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return () if self.while_ is None else (self.while_.names,)

    def programs(self) -> tuple[Sequence[Any], ...]:
        return (self.do,)

    def carry_out(self, number: int) -> Generator[Any, Any, None]:
        done = 0
        while done < self.times if self.times is not None else (yield Numbered(number, Decide(self.while_))):
            yield from listed(self.do, after(number))
            done += 1

    def __str__(self) -> str:
        return f"repeat {self.times} times" if self.times is not None else f"repeat while {self.while_}"


@dataclass(frozen=True)
class Try(Block):
    """Attempt to carry out ``do``. If an action in it is refused, the rest is skipped, and ``on_refused`` is carried out.

    Outcome: whether all of ``do`` was done.
    """

    do: Sequence[Any]
    on_refused: Sequence[Any] = ()

    def __post_init__(self) -> None:
        _set_blocks(self, "try", "do", "on_refused")

    def programs(self) -> tuple[Sequence[Any], ...]:
        return self.do, self.on_refused

    def carry_out(self, number: int) -> Generator[Any, Any, bool]:
        try:
            yield from listed(self.do, after(number))
        except ActionRefused:
            yield from listed(self.on_refused, after(number, self.do))
            return False
        return True

    def __str__(self) -> str:
        return "try"


@dataclass(frozen=True)
class Retry(Block):
    """Attempt to carry out ``do``. If an action in it is refused, wait ``pause`` [s] and begin anew, ``times`` in all.

    The refusal of the last attempt is raised (for an enclosing `Try`, or it ends the simulation). Outcome: the number of
    attempts.
    """

    do: Sequence[Any]
    times: int = 3
    pause: float = 0.0

    def __post_init__(self) -> None:
        _set_blocks(self, "retry", "do")
        object.__setattr__(self, "times", count_value("times of retry", self.times))
        object.__setattr__(self, "pause", time_value("pause of retry", self.pause))

    def programs(self) -> tuple[Sequence[Any], ...]:
        return (self.do,)

    def carry_out(self, number: int) -> Generator[Any, Any, int]:
        for tried in range(1, self.times + 1):
            try:
                yield from listed(self.do, after(number))
                return tried
            except ActionRefused:
                if tried == self.times:
                    raise
            yield Numbered(number, Wait(self.pause))
        return self.times

    def __str__(self) -> str:
        return f"retry at most {self.times} times"


# -- several programs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, init=False)
class Parallel(Step):
    """Programs (``parts``) that run in parallel until all have ended. Outcome: the list of their return values.

    If one of them does not catch a refusal, the others are abandoned, paths that they move brake, and the refusal is raised.
    """

    parts: tuple[Any, ...]

    def __init__(self, *parts: Program) -> None:
        if not parts:
            raise ModelError("'parallel' has no programs", expected="a list of actions for each program")
        object.__setattr__(self, "parts", tuple(_program("parallel", part) for part in parts))

    def programs(self) -> tuple[tuple[Any, ...] | Callable[..., Any], ...]:
        return self.parts

    def __str__(self) -> str:
        return f"parallel, {len(self.parts)} programs"


@dataclass(frozen=True)
class Spawn(Step):
    """Start of a ``program`` in parallel to this one, which continues at once. Outcome: its number, for `Join`."""

    program: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "program", _program("spawn", self.program))

    def programs(self) -> tuple[tuple[Any, ...] | Callable[..., Any], ...]:
        return (self.program,)

    def __str__(self) -> str:
        return f"spawn {getattr(self.program, '__name__', 'a program')}"


@dataclass(frozen=True)
class Join(Step):
    """Wait until a program that `Spawn` started has ended: ``task`` is its number. Outcome: its return value."""

    task: int

    def __str__(self) -> str:
        return f"join {self.task}"


STEPS: Mapping[str, type] = {
    "wait_until": WaitUntil,
    "if": IfElse,
    "repeat": Repeat,
    "try": Try,
    "retry": Retry,
    "parallel": Parallel,
    "spawn": Spawn,
    "set": Set,
    "stop_path": StopPath,
    "end": End,
}
"""Name in a scenario -> type of the step."""

ONLY_IN_PYTHON = (Decide, Read, Join)
"""Steps of generators, whose outcome a list cannot use."""

_STEPS = (*STEPS.values(), *ONLY_IN_PYTHON)


def checked(steps: object, what: str) -> tuple[Any, ...]:
    """Check a list of steps and return it as a tuple. Raises ModelError: it is none, or an entry is no step."""
    if not isinstance(steps, Sequence) or isinstance(steps, str):
        raise ModelError(f"{what} is not a program", found=repr(steps), expected="a function or a list of actions and steps")
    for number, step in enumerate(steps, start=1):
        if not isinstance(step, Action) and not isinstance(step, _STEPS):
            raise ModelError(f"entry {number} of {what} is not an action", found=repr(step), expected="an action or a step")
    return tuple(steps)


def begun(program: Any) -> tuple[Generator[Any, Any, Any], Actions | None]:
    """Begin a program; return it as a generator, with the recorder that it got (None if it needs none).

    Raises:
        ModelError: it is no program, or the function that records it fails.
    """
    if not callable(program):
        return listed(checked(program, "the program")), None
    made, actions = called(program)
    return (made, actions) if isinstance(made, Generator) else (listed(made), None)


def called(program: Callable[..., Any]) -> tuple[Generator[Any, Any, Any] | tuple[Any, ...], Actions]:
    """Call a program function; return its generator, or the steps that it records or returns, and its recorder.

    Raises ModelError.
    """
    actions = Actions()
    try:
        made = program(actions) if inspect.signature(program).parameters else program()
    except ModelError as error:
        error.entry = len(actions.recorded) + 1
        error.message = f"action {error.entry} of the program: {error.message}"
        raise
    except Exception as error:
        number = len(actions.recorded) + 1
        raise ModelError(f"the action program failed at action {number}", found=f"{type(error).__name__}: {error}") from error
    if isinstance(made, Generator):
        return made, actions
    if made is not None and not actions.recorded:
        return checked(made, "what the program returned"), actions
    return checked(actions.recorded, "the program"), actions


def answered(running: Generator[Any, Any, Any], outcome: Any) -> Any:
    """Send the outcome of the last step to a generator, and return what it yields next.

    Raises:
        ModelError: what it yields from, a list for instance, takes no outcomes.
    """
    inner: Any = running
    while isinstance(inner, GeneratorType) and inner.gi_yieldfrom is not None:
        inner = inner.gi_yieldfrom
    if outcome is not None and not hasattr(inner, "send"):
        raise ModelError(
            "the program uses 'yield from' on an object that is not a generator",
            found=f"yield from a {type(inner).__name__}",
            expected="yield from a generator, or a yield for each step",
            remedy="Write 'for step in ...: yield step' for a list.",
        )
    return running.send(outcome)


def _program(what: str, program: object) -> Any:
    if callable(program):
        return program
    if isinstance(program, Generator):
        raise ModelError(
            f"a program of {what} is running already", found=repr(program), expected="the function itself, without calling it"
        )
    return checked(program, f"a program of {what}")


def _set_blocks(step: object, name: str, *fields: str) -> None:
    for field in fields:
        object.__setattr__(step, field, checked(getattr(step, field), f"'{field.replace('otherwise', 'else')}' of {name}"))
