"""Instants and what happens there, as a user writes it: `When`, `Assert` and `Clock`.

`When` and `Assert` stand among the ``equations`` of a `Model`, a `Clock` is one of its entries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .arguments import as_written, condition_as_written
from .constructors import constructor
from .control import check_pairs, rewritten
from .errors import ModelError, nearest
from .model import is_number

LEVELS = ("error", "warning")


@dataclass(frozen=True)
class When:
    """Equations that hold at the instant when a condition becomes true.

    Attributes:
        condition: text of a Boolean expression, or a list of them: the body is active when any of them becomes true.
            ``initial()`` in the list makes it active at the beginning of the simulation, where no other condition does.
        equations: ``"variable = expression"``, ``"reinit(state, expression)"`` and ``"terminate('message')"``.
        elsewhen: pairs of a condition and equations; a pair is active only if none before it is.
    """

    condition: str | Sequence[str]
    equations: Sequence[str] = ()
    elsewhen: Sequence[tuple[str | Sequence[str], Sequence[str]]] = ()

    def __post_init__(self) -> None:
        check_pairs("When", "elsewhen", self.elsewhen)
        pairs = [(_conditions(condition), as_written(equations)) for condition, equations in self.elsewhen]
        rewritten(
            self,
            condition=_conditions(self.condition),
            equations=as_written(self.equations),
            elsewhen=tuple(pairs),
        )
        for condition, equations in self.branches:
            _check_branch(condition, equations)

    @property
    def branches(self) -> list[tuple[list[str], list[str]]]:
        """Conditions and equations of all branches, in the order of their priority."""
        given = [(self.condition, self.equations), *self.elsewhen]
        return [(list(c) if isinstance(c, list | tuple) else [c], e) for c, e in given]  # type: ignore[misc, list-item]

    def __str__(self) -> str:
        return f"When({self.condition!r})"

    def __repr__(self) -> str:
        elsewhen = f", elsewhen={list(self.elsewhen)!r}" if self.elsewhen else ""
        return f"When({self.condition!r}, {list(self.equations)!r}{elsewhen})"


def _conditions(given: Any) -> Any:
    return type(given)(map(condition_as_written, given)) if type(given) in (list, tuple) else condition_as_written(given)


def _check_branch(condition: Sequence[object], equations: object) -> None:
    if isinstance(equations, str) or not isinstance(equations, list | tuple) or not equations:
        raise ModelError(
            "When: the equations are not a list",
            found=repr(equations),
            expected='["variable = expression", "reinit(x, value)"]',
        )
    if any(isinstance(equation, When) for equation in equations):
        raise ModelError("When: a When stands inside a When", remedy="Join the conditions with 'and', or use elsewhen.")
    for text in [*condition, *equations]:
        if not isinstance(text, str):
            raise ModelError("When: a condition or an equation is not a text", found=repr(text), expected='such as "h < 0"')


@dataclass(frozen=True)
class Assert:
    """A condition that must hold; it is looked at when it changes and at all output points.

    Attributes:
        condition: text of a Boolean expression.
        message: what is said when it does not hold.
        level: "error" ends the simulation, "warning" goes on.
    """

    condition: str
    message: str
    level: str = "error"

    def __post_init__(self) -> None:
        rewritten(self, condition=condition_as_written(self.condition))
        for text in (self.condition, self.message):
            if not isinstance(text, str):
                expected = 'for example Assert("x > 0", "x must be positive")'
                raise ModelError("Assert: the condition or the message is not a text", found=repr(text), expected=expected)
        if self.level not in LEVELS:
            raise ModelError(
                f"Assert: unknown level '{self.level}'", expected=" or ".join(LEVELS), remedy=nearest(self.level, LEVELS)
            )

    def __str__(self) -> str:
        return f"Assert({self.condition!r})"

    def __repr__(self) -> str:
        level = "" if self.level == "error" else f", level={self.level!r}"
        return f"Assert({self.condition!r}, {self.message!r}{level})"


@dataclass(frozen=True, eq=False)
class ClockDefinition:
    """A periodic clock: it ticks ``n*factor`` intervals after the start of the simulation, n = 0, 1, 2, ...

    Attributes:
        interval: distance of ticks [s]; or another clock, of which every ``factor``-th tick is one of this clock.
        factor: a positive integer.
        phase: delay of the first tick [s]; a clock made of another one has the phase of that.
    """

    interval: float | ClockDefinition
    factor: int = 1
    phase: float = 0.0

    def __post_init__(self) -> None:
        derived = isinstance(self.interval, ClockDefinition)
        if not derived and not (is_number(self.interval) and 0.0 < self.interval < math.inf):  # type: ignore[operator]
            raise ModelError(
                "Clock: the interval is wrong", found=repr(self.interval), expected="a positive number or another clock"
            )
        if not is_number(self.factor) or not float(self.factor).is_integer() or self.factor < 1:
            raise ModelError("Clock: the factor is wrong", found=repr(self.factor), expected="a positive integer")
        if not is_number(self.phase) or not 0.0 <= self.phase < math.inf or (derived and self.phase):
            expected = "0, as it ticks with another clock" if derived else "a number that is not negative"
            raise ModelError("Clock: the phase is wrong", found=repr(self.phase), expected=expected)

    def ticks(self) -> tuple[float, float, int]:
        """Return the phase [s], interval [s] and factor: the n-th tick is ``phase + (n*factor)*interval`` after the start."""
        if not isinstance(self.interval, ClockDefinition):
            return self.phase, float(self.interval), int(self.factor)
        phase, interval, factor = self.interval.ticks()
        return phase, interval, factor * int(self.factor)


Clock = constructor(ClockDefinition, name="Clock")
