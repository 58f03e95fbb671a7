"""Steps of a program that are no actions: they wait, decide, repeat, run in parallel, end the simulation.

A program is a list of steps and actions, or a generator function that yields them and gets their outcomes. Steps with blocks
(`IfElse`, `Repeat`, `Try`, `Retry`) are generators themselves, written with the others: `Block.carry_out`.

Steps are numbered from 1 as they stand in a file, those inside of blocks included: that is how a step's line is found.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from modiapy.model.errors import ModelError

from .conditions import Condition, Formula, Test
from .values import Action, Actions, Wait

Program = Callable[..., Any] | Sequence["Step"]
"""A list of steps; a function that records actions on its argument; a generator function, with this argument or without."""


class ActionRefused(Exception):
    """A structural action was refused. Raised where the program's generator yielded it; the text says why."""


class Step:
    """Base of all steps that are no actions."""

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        """Names of the signals in each of its conditions."""
        return ()

    def programs(self) -> tuple[tuple[Any, ...] | Callable[..., Any], ...]:
        """The programs inside it, in the order of their numbers."""
        return ()


@dataclass(frozen=True)
class Numbered:
    """A step or action with its number in the program; 0: it has none."""

    number: int
    step: Any


def listed(steps: Sequence[Any], first: int = 1) -> Generator[Numbered, Any, None]:
    """A list of steps as a generator; the numbers begin with ``first``, 0: they have none."""
    for step in steps:
        yield Numbered(first, step)
        first += size(step) if first else 0


def after(number: int, *before: object) -> int:
    """Number of the first step inside a step, behind the programs ``before`` in it; 0 where it has none."""
    return number + 1 + sum(map(count, before)) if number else 0


def size(step: object) -> int:
    """How many numbers a step takes, those inside of it included."""
    return 1 + sum(count(program) for program in step.programs()) if isinstance(step, Step) else 1


def count(program: object) -> int:
    """How many numbers a program takes; a function has none."""
    return sum(map(size, program)) if isinstance(program, Sequence) else 0


def walk(program: object, first: int = 1) -> Iterator[tuple[int, Any]]:
    """All steps of lists with their numbers, as they stand in the file."""
    for step in program if isinstance(program, Sequence) else ():
        yield first, step
        inner = first + 1
        for block in step.programs() if isinstance(step, Step) else ():
            yield from walk(block, inner)
            inner += count(block)
        first += size(step)


# -- waiting, deciding ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WaitUntil(Step):
    """Wait until ``condition`` holds, or at most ``timeout`` [s]. Outcome: True, or False after the timeout.

    When the condition begins to hold is found to the precision of the integrator's root finding.
    """

    condition: Any
    timeout: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "condition", _condition(self.condition))
        if self.timeout is not None:
            object.__setattr__(self, "timeout", _number("timeout of wait_until", self.timeout))

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return (self.condition.names,)

    def __str__(self) -> str:
        return f"wait_until {self.condition}" + ("" if self.timeout is None else f", at most {self.timeout:g} s")


@dataclass(frozen=True)
class Decide(Step):
    """Whether ``condition`` holds now."""

    condition: Any
    text: ClassVar[str] = "if"

    def __post_init__(self) -> None:
        object.__setattr__(self, "condition", _condition(self.condition))

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return (self.condition.names,)

    def __str__(self) -> str:
        return f"if {self.condition}"


@dataclass(frozen=True)
class Read(Step):
    """Outcome: the present value of an expression of signals, a number."""

    expression: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "expression", _formula(self.expression))

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return (self.expression.names,)

    def __str__(self) -> str:
        return f"read {self.expression}"


@dataclass(frozen=True, init=False)
class Set(Step):
    """Set flags, which all programs read as ``flags.NAME``: numbers, true or false, or expressions of signals and flags."""

    values: tuple[tuple[str, Formula], ...]

    def __init__(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        given = dict(values or {}) | more
        if not given or not all(isinstance(name, str) and name.isidentifier() for name in given):
            raise ModelError("set without names of flags", found=repr(given), expected="a name and a value, e.g. ready: true")
        object.__setattr__(self, "values", tuple((name, _formula(value)) for name, value in given.items()))

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return tuple(formula.names for _, formula in self.values)

    def __str__(self) -> str:
        return "set " + ", ".join(f"{name} = {formula}" for name, formula in self.values)


@dataclass(frozen=True)
class StopPath(Step):
    """Brake a path that another program moves, within its limits, and wait until it is at rest; without ``names`` all paths.

    Whoever moves it goes on then, with the outcome False.
    """

    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.names is not None:
            names = (self.names,) if isinstance(self.names, str) else self.names
            object.__setattr__(self, "names", tuple(names))

    def __str__(self) -> str:
        return "stop_path" + ("" if self.names is None else " " + ", ".join(self.names))


@dataclass(frozen=True)
class End(Step):
    """End the simulation with a verdict: ``result.verdict``, ``result.success``, and the exit status of the command line."""

    verdict: str
    success: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.verdict, str) or not isinstance(self.success, bool):
            raise ModelError(
                "end without a verdict", found=f"{self.verdict!r}, {self.success!r}", expected="a text, and true or false"
            )

    def __str__(self) -> str:
        return f"end {self.verdict}" + ("" if self.success else " (no success)")


# -- blocks ---------------------------------------------------------------------------------------------------------------


class Block(Step):
    """A step that consists of others."""

    @abstractmethod
    def carry_out(self, number: int) -> Generator[Any, Any, Any]:
        """Its steps, one after the other; ``number`` is its own."""


@dataclass(frozen=True)
class IfElse(Block):
    """Carry out ``then`` if ``condition`` holds now, else ``otherwise`` (in YAML ``else``)."""

    condition: Any
    then: tuple[Any, ...] = ()
    otherwise: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "condition", _condition(self.condition))
        _set_blocks(self, "if", "then", "otherwise")

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return (self.condition.names,)

    def programs(self) -> tuple[tuple[Any, ...], ...]:
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
    """Carry out ``do`` a number of ``times``, or as long as a condition holds before (``while_``, in YAML ``while``)."""

    do: tuple[Any, ...]
    times: int | None = None
    while_: Any = None

    def __post_init__(self) -> None:
        _set_blocks(self, "repeat", "do")
        if (self.times is None) == (self.while_ is None):
            raise ModelError("how often is to be repeated?", found="times and while" if self.times else "neither times nor while",
                             expected="one of them")
        if self.times is None:
            object.__setattr__(self, "while_", _condition(self.while_))
        else:
            _count("times of repeat", self.times)
        if not self.do:
            raise ModelError("repeat without anything to do", expected="steps in 'do'")

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return () if self.while_ is None else (self.while_.names,)

    def programs(self) -> tuple[tuple[Any, ...], ...]:
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
    """Carry out ``do``; where an action in it is refused, leave it and carry out ``on_refused``. Outcome: whether all was done."""

    do: tuple[Any, ...]
    on_refused: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        _set_blocks(self, "try", "do", "on_refused")

    def programs(self) -> tuple[tuple[Any, ...], ...]:
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
    """Carry out ``do``; where an action in it is refused, wait ``pause`` [s] and begin anew, ``times`` in all.

    What the last one says about its refusal goes on (to `Try`, or it ends the simulation). Outcome: how often it was tried.
    """

    do: tuple[Any, ...]
    times: int = 3
    pause: float = 0.0

    def __post_init__(self) -> None:
        _set_blocks(self, "retry", "do")
        _count("times of retry", self.times)
        object.__setattr__(self, "pause", _number("pause of retry", self.pause))

    def programs(self) -> tuple[tuple[Any, ...], ...]:
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
    """Run programs side by side and wait until all have ended. Outcome: the list of what they return.

    Where one of them lets a refusal through, the others are left, paths that they move brake, and the refusal goes on.
    """

    parts: tuple[Any, ...]

    def __init__(self, *parts: Program) -> None:
        object.__setattr__(self, "parts", tuple(_program("parallel", part) for part in parts))

    def programs(self) -> tuple[tuple[Any, ...] | Callable[..., Any], ...]:
        return self.parts

    def __str__(self) -> str:
        return f"parallel, {len(self.parts)} programs"


@dataclass(frozen=True)
class Spawn(Step):
    """Start a program beside this one, which goes on at once. Outcome: its number, for `Join`."""

    program: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "program", _program("spawn", self.program))

    def programs(self) -> tuple[tuple[Any, ...] | Callable[..., Any], ...]:
        return (self.program,)

    def __str__(self) -> str:
        return f"spawn {getattr(self.program, '__name__', 'a program')}"


@dataclass(frozen=True)
class Join(Step):
    """Wait until a program that `Spawn` started has ended. Outcome: what it returned."""

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

_ALLOWED = (Action, *STEPS.values(), *ONLY_IN_PYTHON)


# -- checks ---------------------------------------------------------------------------------------------------------------


def checked(steps: object, what: str) -> tuple[Any, ...]:
    """A list of steps as a tuple. Raises ModelError: it is none, or an entry is no step."""
    if not isinstance(steps, Sequence) or isinstance(steps, str):
        raise ModelError(f"{what} is no program", found=repr(steps), expected="a function or a list of actions and steps")
    for number, step in enumerate(steps, start=1):
        if not isinstance(step, _ALLOWED):
            raise ModelError(f"entry {number} of {what} is not an action", found=repr(step), expected="an action or a step")
    return tuple(steps)


def begun(program: object) -> tuple[Generator[Any, Any, Any], Actions]:
    """A program that is about to begin, as a generator, and the recorder that it got (see `Actions.pending`).

    Raises:
        ModelError: it is no program, or the function that records it fails.
    """
    actions = Actions()
    if not callable(program):
        return listed(checked(program, "the program")), actions
    import inspect

    try:
        made = program(actions) if inspect.signature(program).parameters else program()
    except ModelError as error:
        error.entry = len(actions.recorded) + 1
        error.message = f"action {error.entry} of the program: {error.message}"
        raise
    except Exception as error:
        number = len(actions.recorded) + 1
        raise ModelError(
            f"the action program failed at action {number}", found=f"{type(error).__name__}: {error}"
        ) from error
    if isinstance(made, Generator):
        return made, actions
    if made is not None and not actions.recorded:
        return listed(checked(made, "what the program returned")), Actions()
    return listed(checked(actions.recorded, "the program")), Actions()


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


def _condition(given: str | float | Test | Condition) -> Condition:
    return given if isinstance(given, Condition) else Condition(given)


def _formula(given: str | float | Formula) -> Formula:
    if isinstance(given, Formula):
        return given
    if not isinstance(given, str | bool | int | float):
        raise ModelError("this is not an expression", found=repr(given), expected="a number or a text")
    return Formula(str(given))


def _number(name: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0.0 <= value < math.inf:
        raise ModelError(f"{name} must be a time [s]", found=repr(value), expected="a number, not negative")
    return float(value)


def _count(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ModelError(name, found=repr(value), expected="a whole number, at least 1")

