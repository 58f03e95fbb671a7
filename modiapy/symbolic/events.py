"""Derivatives become names, relations and ``after(t)`` become numbered events.

What makes an event is taken out of the equations: a relation or ``positive(e)`` becomes ``Apply("mode", (Const(k),))`` with
the k-th indicator, ``after(t)`` and a comparison of ``time`` with parameters become ``Apply("after", (Const(k),))``. Equal
ones share a number. Inside ``noEvent`` and between parameters relations are evaluated as they stand. ``==`` and ``!=``
between changing quantities are refused: they have no sign change that an integrator could find.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, replace

from ..acausal.protocol import CallEquation
from ..model.errors import ModelError, nearest
from ..model.expression import (
    ONE,
    RELATIONS,
    TIME,
    ZERO,
    Apply,
    Const,
    Equation,
    Expr,
    Name,
    apply,
    differentiate,
    div,
    linear_in,
    neg,
    rewrite,
    sub,
    walk,
)
from .flat_model import FlatModel
from .sorted_model import base_and_order, derivative_name

DISCRETE = frozenset(("mode", "after", "initial"))
"""Operators whose value changes at events only, although they have no variable argument."""

_REFUSED = {"pre": "left limits of variables", "reinit": "re-initialization of states", "when": "when clauses"}


@dataclass
class Events:
    """Equations without relations and ``der``, and what was taken out of them (see `SortedModel`)."""

    equations: list[Equation | CallEquation] = field(default_factory=list)
    indicators: list[Expr] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)
    time_events: list[Expr] = field(default_factory=list)


def is_constant(expr: Expr, parameters: Container[str]) -> bool:
    """Whether ``expr`` depends on nothing but parameters: neither on variables nor on time, modes of relations or events."""
    for node in walk(expr):
        if type(node) is Name:
            if node.name not in parameters:
                return False
        elif type(node) is Apply and node.op in DISCRETE:
            return False
    return True


def extract_events(flat: FlatModel) -> Events:
    """Replace ``der(...)`` by names and take the events out of all equations.

    Raises:
        ModelError: an unknown name, an operator of a later stage of the language, a derivative of an input, an ``==`` of
            changing quantities.
    """
    return _Extraction(flat).run()


def total_derivative(expr: Expr, flat: FlatModel) -> Expr:
    """Time derivative of ``expr``, where the derivative of a variable ``x`` is the name ``der(x)``.

    Raises:
        ModelError: an input would have to be differentiated, or a function without derivative.
    """

    def leaf(node: Expr) -> Expr | None:
        if type(node) is Apply:
            return ZERO if node.op in DISCRETE else None
        if type(node) is not Name or node.name in flat.parameters:
            return ZERO
        if node.name == TIME.name:
            return ONE
        variable = flat.variables.get(node.name)
        if variable is not None and variable.input:
            raise ModelError(
                f"the derivative of the input '{node.name}' is needed, but only its value is known",
                path=variable.origin,
                remedy="Filter the input, or prescribe it by an equation that can be differentiated.",
            )
        return Name(derivative_name(node.name))

    return differentiate(expr, leaf)


class _Extraction:
    def __init__(self, flat: FlatModel) -> None:
        self.flat = flat
        self.events = Events()
        self.modes: dict[tuple[str, Expr], Apply] = {}
        self.times: dict[Expr, Apply] = {}
        self.path = self.text = ""

    def run(self) -> Events:
        for equation in self.flat.equations:
            self.text = str(equation)
            if isinstance(equation, CallEquation):
                self.path = equation.component
                for output in equation.outputs:
                    self._known(output)
                changed: Equation | CallEquation = replace(equation, inputs=tuple(self._expr(e) for e in equation.inputs))
            else:
                self.path = equation.path
                changed = Equation(self._expr(equation.lhs), self._expr(equation.rhs), equation.path, self.text)
            self.events.equations.append(changed)
        return self.events

    def _expr(self, expr: Expr, events: bool = True) -> Expr:
        return rewrite(expr, lambda node: self._change(node, events))

    def _change(self, node: Expr, events: bool) -> Expr | None:
        if type(node) is Name:
            self._known(node)
            return None
        if type(node) is not Apply:
            return None
        op, args = node.op, node.args
        if op in _REFUSED:
            raise ModelError(f"'{op}' in '{self.text}': {_REFUSED[op]} are not supported yet", path=self.path)
        if op == "der":
            return total_derivative(self._expr(args[0], events), self.flat)
        if op == "noEvent":
            return self._expr(args[0], False)
        if op == "after":
            return self._after(self._expr(args[0], events))
        if op == "positive":
            return self._relation(">", self._expr(args[0], events), ZERO, events)
        if op in RELATIONS:
            return self._relation(op, self._expr(args[0], events), self._expr(args[1], events), events)
        return None

    def _known(self, node: Name) -> None:
        base = base_and_order(node.name)[0]
        if base not in self.flat.variables and base not in self.flat.parameters and base != TIME.name:
            raise ModelError(
                f"unknown name '{base}' in '{self.text}'",
                path=self.path,
                remedy=nearest(base, [*self.flat.variables, *self.flat.parameters]),
            )

    def _relation(self, op: str, left: Expr, right: Expr, events: bool) -> Expr:
        difference = sub(left, right)
        if not events or is_constant(difference, self.flat.parameters):
            return apply(op, left, right)
        if op in ("==", "!="):
            raise ModelError(
                f"'{op}' between changing quantities in '{self.text}'",
                path=self.path,
                expected="<, <=, > or >=",
                remedy="Write noEvent(...) around it if no event is wanted.",
            )
        ascending = self._switching_time(difference)
        if ascending is not None:
            time, rises = ascending
            after = self._after(time)
            return after if rises == (op in (">", ">=")) else apply("not", after)
        key = (op, difference)
        if key not in self.modes:
            self.modes[key] = Apply("mode", (Const(len(self.modes)),))
            self.events.indicators.append(difference)
            self.events.relations.append(op)
        return self.modes[key]

    def _switching_time(self, difference: Expr) -> tuple[Expr, bool] | None:
        """When ``difference = a*time + b`` (a a number, b of parameters) changes its sign, and whether it rises."""
        ab = linear_in(difference, TIME.name)
        if ab is None or type(ab[0]) is not Const or ab[0].value == 0.0 or not is_constant(ab[1], self.flat.parameters):
            return None
        return neg(div(ab[1], ab[0])), ab[0].value > 0.0

    def _after(self, time: Expr) -> Expr:
        if time not in self.times:
            self.times[time] = Apply("after", (Const(len(self.times)),))
            self.events.time_events.append(time)
        return self.times[time]
