"""Constants and equal variables that equations name at first sight, before events are extracted.

Alias elimination finds out more, but comes after events, which it would have to take apart again. Here it is enough that a
relation of constants makes no event, and that relations of equal variables share one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from ...acausal.protocol import CallEquation
from ...model.entry import Kind
from ...model.expression import Apply, Const, Equation, Expr, Name, Rewritten, names, neg, rewrite, tree_size, walk
from ...model.language import entry_of
from ..flat.flat_model import Variable
from ..terms.disjoint_sets import SignedSets

_OF_NUMBERS = (Kind.ARITHMETIC, Kind.FUNCTION, Kind.RELATION, Kind.LOGIC, Kind.CHOICE)

LARGEST = 50
"""Expressions of more operations are not asked whether they are constant."""


class SimpleEquations:
    """Constants and equal variables among real scalars.

    Args:
        equations: of the model; ``v = expression`` is what counts.
        variables: of the model.
        parameters: names; what depends on these only is constant.
        excluded: variables that events set, and arrays.

    Attributes:
        constants: names of variables that depend on parameters only.
    """

    def __init__(
        self,
        equations: Iterable[Equation | CallEquation],
        variables: Mapping[str, Variable],
        parameters: Collection[str],
        excluded: Collection[str],
    ) -> None:
        self.constants: set[str] = set()
        self._values: dict[str, Expr] = {}
        self._equal = SignedSets()
        self._done: Rewritten = {}
        self._variables, self._parameters, self._excluded = variables, parameters, excluded
        waiting: dict[str, list[tuple[str, Expr]]] = {}
        for name, other in self._explicit(equations):
            if tree_size(other) <= LARGEST:
                self._settle(name, other, waiting)

    def _explicit(self, equations: Iterable[Equation | CallEquation]) -> Iterator[tuple[str, Expr]]:
        for e in equations:
            if isinstance(e, Equation):
                for side, other in ((e.lhs, e.rhs), (e.rhs, e.lhs)):
                    if type(side) is Name and self._is_real(side.name):
                        yield side.name, other

    def _is_real(self, name: str) -> bool:
        variable = self._variables.get(name)
        return variable is not None and variable.type == "Real" and not variable.input and name not in self._excluded

    def _settle(self, first: str, value: Expr, waiting: dict[str, list[tuple[str, Expr]]]) -> None:
        """Record the value of ``first = value``, and its consequences; expressions that depend on a variable wait for it."""
        pending = [(first, value)]
        while pending:
            name, expr = pending.pop()
            if name in self.constants:
                continue
            other = expr.args[0] if type(expr) is Apply and expr.op == "neg" else expr
            if type(other) is Name and self._is_real(other.name):
                self._unite(name, other.name, 1 if other is expr else -1)
            unknown = next((n for n in sorted(names(expr)) if n not in self._parameters and n not in self.constants), None)
            if unknown is not None:
                waiting.setdefault(unknown, []).append((name, expr))
            elif all(type(node) is not Apply or entry_of(node.op).kind in _OF_NUMBERS for node in walk(expr)):
                self.constants.add(name)
                number = self._simplest(expr, {})
                if type(number) is Const:
                    self._values[name] = number
                pending += waiting.pop(name, [])

    def _unite(self, a: str, b: str, sign: int) -> None:
        (a, sign_a), (b, sign_b) = self._equal.find(a), self._equal.find(b)
        if a != b:
            self._equal.unite(a, b, sign_a * sign * sign_b)

    def simplest(self, expr: Expr) -> Expr:
        """Return ``expr`` with numbers in place of constants, and one of all variables that are equal."""
        return self._simplest(expr, self._done)

    def _simplest(self, expr: Expr, done: Rewritten) -> Expr:
        def change(node: Expr) -> Expr | None:
            if type(node) is not Name:
                return None
            if node.name in self._values:
                return self._values[node.name]
            name, sign = self._equal.find(node.name)
            if name in self._values:
                return self._values[name] if sign > 0 else neg(self._values[name])
            return None if name == node.name else Name(name) if sign > 0 else neg(Name(name))

        return rewrite(expr, change, done)
