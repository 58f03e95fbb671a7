"""Steps of a program that are neither actions nor blocks: they wait, decide, read, set flags, end the simulation.

Steps are numbered from 1 in the order of the file, including those inside of blocks: the number gives the line of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from modiapy.model.errors import ModelError
from modiapy.model.model import is_number

from .checks import time_value
from .conditions import Condition, Formula, Test
from .paths_values import path_names


class ActionRefused(Exception):
    """A structural action was refused. The exception is raised where the generator yielded it; the text gives the reason."""


class Step:
    """Base of all steps that are no actions."""

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        """Return the names of the signals in each of its conditions."""
        return ()

    def programs(self) -> tuple[Sequence[Any] | Callable[..., Any], ...]:
        """Return the programs inside it, in the order of their numbers."""
        return ()


class Numbered(NamedTuple):
    """Step or action with its number in the program; 0: it has none."""

    number: int
    step: Any


def listed(steps: Sequence[Any], first: int = 1) -> Generator[Numbered, Any, None]:
    """Generate the steps of a list; their numbers begin with ``first``, 0: they have none."""
    for step in steps:
        yield Numbered(first, step)
        first += size(step) if first else 0


def after(number: int, *before: object) -> int:
    """Number of the first step inside a step, behind the programs ``before`` in it; 0 if it has no number."""
    return number + 1 + sum(map(count, before)) if number else 0


def size(step: object) -> int:
    """Count the numbers of a step, including those of the steps inside of it."""
    return 1 + sum(count(program) for program in step.programs()) if isinstance(step, Step) else 1


def count(program: object) -> int:
    """Count the numbers of a program; a function has none."""
    return sum(map(size, program)) if isinstance(program, Sequence) else 0


def walk(program: object, first: int = 1) -> Iterator[tuple[int, Any]]:
    """Generate all steps of lists with their numbers, in the order of the file."""
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
        object.__setattr__(self, "condition", condition_of(self.condition))
        if self.timeout is not None:
            object.__setattr__(self, "timeout", time_value("timeout of wait_until", self.timeout))

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return (self.condition.names,)

    def __str__(self) -> str:
        return f"wait_until {self.condition}" + ("" if self.timeout is None else f", at most {self.timeout:g} s")


@dataclass(frozen=True)
class Decide(Step):
    """Decision of a block: whether ``condition`` holds now."""

    condition: Any
    text: ClassVar[str] = "if"

    def __post_init__(self) -> None:
        object.__setattr__(self, "condition", condition_of(self.condition))

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return (self.condition.names,)

    def __str__(self) -> str:
        return f"if {self.condition}"


@dataclass(frozen=True)
class Read(Step):
    """Evaluation of an ``expression`` of signals now. Outcome: its value, a number."""

    expression: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "expression", formula_of(self.expression))

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return (self.expression.names,)

    def __str__(self) -> str:
        return f"read {self.expression}"


@dataclass(frozen=True, init=False)
class Set(Step):
    """Set flags, which all programs read as ``flags.NAME``.

    Args:
        values, more: names and values: numbers, true or false, or expressions of signals and flags.
    """

    values: tuple[tuple[str, Formula], ...]

    def __init__(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        given = dict(values or {}) | more
        if not given or not all(isinstance(name, str) and name.isidentifier() for name in given):
            raise ModelError("'set' names no flags", found=repr(given), expected="a name and a value, e.g. ready: true")
        object.__setattr__(self, "values", tuple((name, formula_of(value)) for name, value in given.items()))

    def formulas(self) -> tuple[tuple[str, ...], ...]:
        return tuple(formula.names for _, formula in self.values)

    def __str__(self) -> str:
        return "set " + ", ".join(f"{name} = {formula}" for name, formula in self.values)


@dataclass(frozen=True)
class StopPath(Step):
    """Brake a path that another program moves, within its limits, and wait until it is at rest; without ``names`` all paths.

    The program that moves it then continues, with the outcome False.
    """

    names: Sequence[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", path_names(self.names))

    def __str__(self) -> str:
        return "stop_path" + ("" if self.names is None else " " + ", ".join(self.names))


@dataclass(frozen=True)
class End(Step):
    """End the simulation with a verdict.

    Attributes:
        verdict: text, ``result.verdict``.
        success: whether it is good: ``result.success``, and the exit status of the command line.
    """

    verdict: str
    success: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.verdict, str) or not isinstance(self.success, bool):
            raise ModelError(
                "the verdict of 'end' is wrong",
                found=f"{self.verdict!r}, {self.success!r}",
                expected="a text, and true or false",
            )

    def __str__(self) -> str:
        return f"end {self.verdict}" + ("" if self.success else " (no success)")


# -- checks of arguments --------------------------------------------------------------------------------------------------


def condition_of(given: str | float | Test | Mapping[str, Any] | Condition) -> Condition:
    """Make a condition from what a user writes. Raises ModelError."""
    return given if isinstance(given, Condition) else Condition(given)


def formula_of(given: str | float | Formula) -> Formula:
    """Make an expression from what a user writes. Raises ModelError."""
    if isinstance(given, Formula):
        return given
    if not isinstance(given, str) and not is_number(given):
        raise ModelError("this is not an expression", found=repr(given), expected="a number or a text")
    return Formula(str(given))
