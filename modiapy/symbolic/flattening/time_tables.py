"""Tables whose argument grows like time: each abscissa where the value or its slope jumps is a time event.

Kinks are counted, one by one, by an Integer that is compared with nothing but the instant of the next one. So the next event
is later than now whatever rounding does to ``kink + shift``, to periods or to scales: an instant that has come counts as
passed, and the one behind it is asked for. The polynomials are those between the kinks that the number names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...model.calculus import linear_in
from ...model.expression import ONE, TIME, ZERO, Apply, Const, Equation, Expr, Name, add, apply, div, sub
from ...model.tables import KINK, NEVER, PASSED, LookupTable
from ..flat.flat_model import Variable


@dataclass(frozen=True)
class Argument:
    """An argument ``slope*time + offset`` of a table.

    Attributes:
        u: the argument.
        instant: when it has a value.
        begin: before this value nothing counts; None if everything does.
        rises: whether it grows; None if it is known to.
    """

    u: Expr
    instant: Callable[[Expr], Expr]
    begin: Expr | None = None
    rises: Expr | None = None


def argument_of_time(u: Expr, stays: Callable[[Expr], bool]) -> Argument | None:
    """Return an argument that grows with time, at a rate that parameters may determine; None for any other.

    Args:
        u: the argument.
        stays: whether an expression depends on parameters only.
    """
    ab = linear_in(u, TIME.name)
    if ab is None or ab[0] == ZERO or not (stays(ab[0]) and stays(ab[1])):
        return None
    slope, offset = ab
    if type(slope) is Const and slope.value < 0.0:
        return None
    rises = None if type(slope) is Const else Apply(">", (slope, ZERO))
    return Argument(u, lambda kink: div(sub(kink, offset), slope), rises=rises)


class TimeTables:
    """The counters of kinks of one model.

    Args:
        variables, equations: receive those of the counters.
    """

    def __init__(self, variables: dict[str, Variable], equations: list[Any]) -> None:
        self._variables, self._equations = variables, equations
        self._counters: dict[tuple[str, Expr, Expr | None], Name] = {}

    def results(self, table: LookupTable, path: str, argument: Argument, place: tuple[str, str, str]) -> list[Expr]:
        """Return all results of a call of the table at ``path``; see `counter` for ``place``."""
        timed = table.timed(path, self.counter(path, argument, *place), argument.u)
        if argument.rises is None:
            return timed
        at_any_time = table.call(path, [argument.u])
        return [Apply("if", (argument.rises, one, other)) for one, other in zip(timed, at_any_time, strict=True)]

    def counter(self, path: str, argument: Argument, label: str, where: str, text: str) -> Name:
        """Return the Integer that says how many kinks of the table at ``path`` the argument has passed.

        Args:
            path: of the table.
            argument: of the call.
            label: the counter is called ``label.passed``, the next abscissa ``label.next``.
            where: path of the component that the call belongs to.
            text: of the equation, for descriptions.
        """
        key = (path, argument.u, argument.begin)
        if key not in self._counters:
            several = len(self._counters) or ""
            number = self._counters[key] = Name(f"{label}.passed{several}")
            self._count(path, argument, number, Name(f"{label}.next{several}"), where, text)
        return self._counters[key]

    def _count(self, path: str, argument: Argument, number: Name, following: Name, where: str, text: str) -> None:
        words, before = f"kinks passed in '{text}'", Apply("pre", (number,))
        self._variables[number.name] = Variable(number.name, init=NEVER, description=words, origin=where, type="Integer")
        self._variables[following.name] = Variable(following.name, description=f"next abscissa in '{text}'", origin=where)
        due: Expr = Apply(">=", (TIME, argument.instant(KINK.call(path, [before])[0])))
        if argument.rises is not None:
            due = Apply("and", (due, argument.rises))
        first = argument.u if argument.begin is None else apply("max", argument.u, argument.begin)
        later = Apply("if", (due, add(before, ONE), before))
        counted = Apply("if", (Apply("initial", ()), PASSED.call(path, [first])[0], later))
        self._equations.append(Equation(number, counted, where, words))
        self._equations.append(Equation(following, KINK.call(path, [number])[0], where, words))
