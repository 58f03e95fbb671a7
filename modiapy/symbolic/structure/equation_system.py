"""The equations that are matched, differentiated and sorted, with their incidence; differentiated ones are added to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import Equation, Expr, Name, names
from ..flat.flat_model import FlatModel, Node, expressions
from ..hybrid.discrete import solved_for
from ..hybrid.events import total_derivative
from ..terms.arrays import matchable
from ..terms.matching import match, underdetermined
from ..terms.names import base_of, derivative_of, integral_of, order_of

MAX_ORDER = 12
"""More derivatives of one equation than this are a fault of the model."""


@dataclass
class EquationSystem:
    """Equations and unknowns with their derivatives, as a sparse incidence.

    A *node* is an equation; a *row* is a scalar equation: the node itself, or one output of a call.

    Attributes:
        nodes: equations, those made by differentiation at the end.
        derivative, integral: node -> node of its derivative, of its antiderivative; -1 where there is none.
        incidence: node -> variables that occur in it.
        rows: node -> its rows.
        row_node, row_columns: row -> its node, the variables that it may be matched with.
        variables: names, derivatives included; `index` gives the number.
        up, down: variable -> its derivative, its antiderivative; -1 where there is none.
        assigned: names of variables that only an equation with them alone on one side may be solved for.
        set_at_events: those of them that have an equation of their own, see `solved_for`.
        settled: names of discrete variables that equations between such variables determine: no other equation is solved for
            them, so that none of these equations is ever differentiated.
    """

    flat: FlatModel
    assigned: frozenset[str] = frozenset()
    set_at_events: frozenset[str] = frozenset()
    settled: frozenset[str] = frozenset()
    nodes: list[Node] = field(default_factory=list)
    derivative: list[int] = field(default_factory=list)
    integral: list[int] = field(default_factory=list)
    incidence: list[list[int]] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)
    row_node: list[int] = field(default_factory=list)
    row_columns: list[list[int]] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    index: dict[str, int] = field(default_factory=dict)
    up: list[int] = field(default_factory=list)
    down: list[int] = field(default_factory=list)

    def add_variable(self, name: str) -> int:
        """Number of the variable ``name``; it and its antiderivatives are added if they are not there."""
        if name in self.index:
            return self.index[name]
        antiderivative = self.add_variable(integral_of(name)) if order_of(name) else -1
        number = self.index[name] = len(self.variables)
        self.variables.append(name)
        self.up.append(-1)
        self.down.append(antiderivative)
        if antiderivative >= 0:
            self.up[antiderivative] = number
        return number

    def add_node(self, node: Node, integral: int = -1) -> int:
        """Add an equation; ``integral`` is the one it was differentiated from."""
        number = len(self.nodes)
        self.nodes.append(node)
        self.derivative.append(-1)
        self.integral.append(integral)
        if integral >= 0:
            self.derivative[integral] = number
        self.incidence.append(self.occurring(expressions(node)))
        if isinstance(node, CallEquation):
            affine = self.occurring(node.inputs[k] for k in sorted(node.function.linear_in))
            columns = [[self.index[output.name], *affine] for output in node.outputs]
        else:
            columns = [self._solvable(node, number) if self.assigned or self.settled else self.incidence[number]]
            if self.flat.shapes:
                allowed = matchable(node, {self.variables[v] for v in columns[0]}, self.flat.shapes)
                columns = [[v for v in columns[0] if self.variables[v] in allowed]]
        self.rows.append(list(range(len(self.row_node), len(self.row_node) + len(columns))))
        self.row_node += [number] * len(columns)
        self.row_columns += columns
        return number

    def is_discrete(self, variable: int) -> bool:
        """Return whether a variable changes at events only, so that nothing that determines it has to be differentiated."""
        known = self.flat.variables.get(self.variables[variable])
        return known is not None and known.discrete

    def _solvable(self, node: Equation, number: int) -> list[int]:
        """Return the variables that an equation may be solved for, where some are computed by assignments or discrete equations
        only.
        """
        occurring = [self.variables[v] for v in self.incidence[number]]
        if not all(map(self.is_discrete, self.incidence[number])):
            occurring = [name for name in occurring if name not in self.settled]
        return sorted(self.index[name] for name in solved_for(node, occurring, self.assigned, self.set_at_events))

    def settle(self) -> frozenset[str]:
        """Return the variables that may be `settled`, of the equations so far."""
        discrete = [v for v in range(len(self.variables)) if self.is_discrete(v)]
        column = {v: k for k, v in enumerate(discrete)}
        rows = [
            [column[v] for v in columns]
            for node, columns in zip(self.row_node, self.row_columns, strict=True)
            if columns and all(v in column for v in self.incidence[node])
        ]
        loose = set(underdetermined(rows, match(rows, len(discrete)))[1])
        return frozenset(self.variables[v] for v, k in column.items() if k not in loose)

    def occurring(self, parts: Iterable[Expr]) -> list[int]:
        """Return the numbers of the variables (not inputs) that occur in expressions, sorted."""
        found = set()
        for part in parts:
            for name in names(part):
                variable = self.flat.variables.get(base_of(name))
                if variable is not None and not variable.input:
                    found.add(self.add_variable(name))
        return sorted(found)

    def differentiate(self, node: int, because: str) -> int:
        """Add the time derivative of an equation; returns its number.

        Raises:
            ModelError: a component function has no derivative, a function of the language has none, an input would have
                to be differentiated.
        """
        equation = self.nodes[node]
        try:
            if isinstance(equation, CallEquation):
                return self.add_node(self._call_derivative(equation, because), node)
            lhs, rhs = total_derivative(equation.lhs, self.flat), total_derivative(equation.rhs, self.flat)
        except ModelError as error:
            if because not in str(error):
                error.remedy = " ".join(filter(None, (error.remedy, f"It is needed because of {because}.")))
            raise
        path = equation.path
        return self.add_node(Equation(lhs, rhs, path, f"derivative of '{equation}'"), node)

    def _call_derivative(self, call: CallEquation, because: str) -> Node:
        if call.rate is not None:
            rate = Name(derivative_of(call.outputs[0].name))
            return Equation(rate, call.rate, call.component, f"derivative of '{call}'")
        if call.function.derivative is None:
            computed = ", ".join(f"'{name}'" for name in _computed_by(call, self.flat))
            raise ModelError(
                f"component function '{call.function.name}' of component '{call.component}' cannot be differentiated, which"
                f" computes {computed}; needed because of {because}",
                path=call.component,
                remedy="Do not prescribe what it computes: that makes a constraint.",
            )
        slopes = tuple(total_derivative(e, self.flat) for e in call.inputs)
        outputs = tuple(Name(derivative_of(o.name)) for o in call.outputs)
        return CallEquation(call.function.derivative, call.inputs + slopes, outputs, call.component)

    def order(self, node: int) -> int:
        """Return how often an equation is differentiated."""
        return 0 if self.derivative[node] < 0 else 1 + self.order(self.derivative[node])

    def columns(self, row: int) -> list[int]:
        """Return the highest derivatives that a row may be matched with."""
        return [v for v in self.row_columns[row] if self.up[v] < 0]


def _computed_by(call: CallEquation, flat: FlatModel) -> list[str]:
    """Return the outputs of a call, by the names that others have for them where they have one."""
    other: dict[str, str] = {}
    for e in flat.equations:
        if isinstance(e, Equation) and type(e.lhs) is Name and type(e.rhs) is Name:
            other[e.rhs.name] = e.lhs.name
    return [other.get(output.name, output.name) for output in call.outputs]


def _path(node: Node) -> str:
    return node.component if isinstance(node, CallEquation) else node.path
