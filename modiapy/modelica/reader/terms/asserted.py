"""Assertions of functions: collected while calls are read, with the conditions under which these stand.

A function may be read twice (what cannot be expanded is written out to be compiled), so that what it asserts counts only when
it has been read to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ....model.expression import Const, Expr, apply


class Asserted(NamedTuple):
    """An assertion of a function for the arguments of one call.

    Attributes:
        condition: must hold.
        message: if not, with function and place.
        level: "error" or "warning".
        text: the condition as written.
    """

    condition: Expr
    message: str
    level: str
    text: str


class FunctionAssertions:
    """Assertions of the calls that are read.

    Args:
        claim: gets each that counts.

    Attributes:
        guards: conditions under which what is read now is evaluated.
    """

    def __init__(self, claim: Callable[[Asserted], None]) -> None:
        self._claim = claim
        self.guards: list[Expr] = []
        self._open: list[list[Asserted]] = []

    def add(self, asserted: Asserted) -> None:
        """Add an assertion of the function that is read now; its conditions are considered."""
        condition = asserted.condition
        for guard in reversed(self.guards):
            condition = apply("or", apply("not", guard), condition)
        if not (type(condition) is Const and condition.value):
            self._give(asserted._replace(condition=condition))

    @contextmanager
    def under(self, condition: Expr) -> Iterator[None]:
        """Read within the block what is evaluated under a condition."""
        if type(condition) is Const:
            yield
            return
        self.guards.append(condition)
        try:
            yield
        finally:
            self.guards.pop()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read a function within the block; what it asserts is forgotten where that ends by a refusal."""
        self._open.append([])
        try:
            yield
        except BaseException:
            self._open.pop()
            raise
        for asserted in self._open.pop():
            self._give(asserted)

    @contextmanager
    def apart(self, claim: Callable[[Asserted], None]) -> Iterator[None]:
        """Pass the assertions of the block to ``claim``, without the conditions outside of it."""
        outer = self._claim, self.guards, self._open
        self._claim, self.guards, self._open = claim, [], []
        try:
            yield
        finally:
            self._claim, self.guards, self._open = outer

    def _give(self, asserted: Asserted) -> None:
        if self._open:
            self._open[-1].append(asserted)
        else:
            self._claim(asserted)
