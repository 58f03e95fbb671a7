"""Clauses of `When` and assertions: their way to the flat model, and from there to ordinary equations.

The variable ``v`` of a when clause with the branches (c0, e0), (c1, e1) gets the equation
``v = e0 if active0 else e1 if active1 else pre(v)``, where a branch is active at the instant when one of its conditions
becomes true. The conditions are Boolean variables of their own, so that their value before the event is remembered.
Source of the semantics: Modelica Language Specification 3.6, section 8.3.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from ...model.errors import ModelError, nearest
from ...model.expression import ONE, Apply, Const, Equation, Expr, Name, Text, apply, names, walk
from ...model.language import SUBSCRIPT, entry_of
from ...model.parser import parse, parse_equation
from ...model.when import Assert, When
from ..flat.flat_model import Assertion, FlatModel, Variable, WhenBranch, WhenEquation
from ..terms.names import join

INITIAL = Apply("initial", ())

Resolve = Callable[[Expr, str], Expr]
"""Gives an expression of the equation with this text with all names by full path."""

Several = Callable[[Equation], Iterable[Equation]]
"""Gives an equation for each result of ``(a, b) = f(u)``, with all names by full path."""


def flat_when(when: When, path: str, resolve: Resolve, several: Several) -> WhenEquation:
    """Return a `When` of the model at ``path`` with all names by full path.

    Raises:
        ModelError: a condition or equation that cannot be read.
    """
    branches = []
    for conditions, texts in when.branches:
        equations, reinits, terminations = [], [], []
        for text in texts:
            if text.strip().startswith("terminate"):
                terminations.append(_termination(text, path))
            elif text.strip().startswith("reinit"):
                reinits.append(_reinit(text, path, resolve))
            else:
                equations += _assignments(text, path, resolve, several)
        resolved = tuple(resolve(parse(c, path), c) for c in conditions)
        branches.append(WhenBranch(resolved, tuple(equations), tuple(reinits), tuple(terminations)))
    return WhenEquation(tuple(branches), path, str(when))


def flat_assertion(given: Assert, path: str, resolve: Resolve) -> Assertion:
    """Return an `Assert` of the model at ``path`` with all names by full path."""
    condition = resolve(parse(given.condition, path), given.condition)
    return Assertion(condition, given.message, given.level, path, given.condition)


def _assignments(text: str, path: str, resolve: Resolve, several: Several) -> list[Equation]:
    """Return ``v = e``, or for each variable of ``(a, b) = f(u)`` and ``[a, b] = [e, f]``."""
    equation = parse_equation(text, path)
    lhs, rhs = equation.lhs, equation.rhs
    if type(lhs) is Apply and lhs.op == "results":
        assignments = list(several(equation))
    elif _is_list(lhs) and _is_list(rhs) and len(lhs.args) == len(rhs.args):
        assignments = [
            Equation(resolve(a, text), resolve(b, text), path, text) for a, b in zip(lhs.args, rhs.args, strict=True)
        ]
    else:
        assignments = [Equation(resolve(lhs, text), resolve(rhs, text), path, text)]
    if not all(type(e.lhs) is Name or (type(e.lhs) is Apply and entry_of(e.lhs.op) is SUBSCRIPT) for e in assignments):
        raise ModelError(
            f"'{text}' in a when clause is not an assignment",
            path=path,
            expected="variable = expression, x[0] = expression, (a, b) = f(u), [a, b] = [expression, expression], "
            "reinit(state, expression), or terminate('message')",
        )
    return assignments


def _is_list(side: Expr) -> TypeGuard[Apply]:
    return type(side) is Apply and side.op == "array"


def join_elements(equations: Sequence[Equation], shapes: Mapping[str, tuple[int, ...]]) -> list[Equation]:
    """Return the assignments ``x[k] = e`` of a branch as one to the vector x, whose other elements stay.

    Raises:
        ModelError: x is not a vector, it is not one element that is set, or an element is set twice.
    """
    joined: dict[Expr, Equation] = {}
    seen: set[tuple[Expr, int]] = set()
    rest = []
    for equation in equations:
        lhs = equation.lhs
        if type(lhs) is not Apply:
            rest.append(equation)
            continue
        vector, index = lhs.args[0], lhs.op[1:-1]
        shape = shapes.get(vector.name, ()) if type(vector) is Name else ()
        if len(shape) != 1 or not index.lstrip("-").isdigit():
            raise ModelError(
                f"'{equation}' in a when clause sets a part of an array",
                path=equation.path,
                found=f"'{vector}' of shape {shape}" if shape else f"'{vector}' is a scalar",
                expected="a variable, or one element of a vector, on the left",
                remedy=f"Assign the whole array, e.g. {vector} = [...] with pre({vector})." if shape else "",
            )
        k, present = int(index), joined[vector].rhs if vector in joined else Apply("pre", (vector,))
        if (vector, k % shape[0]) in seen:
            raise ModelError(f"'{lhs}' is set twice in one branch", path=equation.path, found=f"'{joined[vector]}; {equation}'")
        seen.add((vector, k % shape[0]))
        after = () if k == -1 else (Apply(f"[{k + 1}:]", (present,)),)
        whole = Apply("concat", (Apply(f"[:{k}]", (present,)), equation.rhs, *after))
        text = f"{joined[vector]}; {equation}" if vector in joined else str(equation)
        joined[vector] = Equation(vector, whole, equation.path, text)
    return [*rest, *joined.values()]


def _termination(text: str, path: str) -> str:
    expr = parse(text, path)
    if type(expr) is Apply and expr.op == "terminate" and type(expr.args[0]) is Text:
        return expr.args[0].value
    raise ModelError(f"'{text}' in a when clause has no message", path=path, expected="terminate('message')")


def _reinit(text: str, path: str, resolve: Resolve) -> tuple[Expr, Expr]:
    expr = parse(text, path)
    if not (type(expr) is Apply and expr.op == "reinit" and names(expr.args[0])):
        raise ModelError(f"'{text}' in a when clause names no state", path=path, expected="reinit(state, expression)")
    state = resolve(expr.args[0], text)
    element = type(state) is Apply and entry_of(state.op) is SUBSCRIPT and ":" not in state.op and type(state.args[0]) is Name
    if type(state) is not Name and not element:
        raise ModelError(f"'{expr.args[0]}' in '{text}' is not a variable", path=path, expected="a state or an element of one")
    return state, resolve(expr.args[1], text)


# -- expansion ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reinit:
    """The variable ``state`` becomes ``value`` at the end of an iteration in which ``active`` holds."""

    state: Expr
    active: Expr
    value: Expr
    path: str
    text: str


@dataclass
class Expansion:
    """Equations, new variables, re-initialisations and ends of the simulation that stand for when clauses.

    ``assigned`` are the variables that they set.
    """

    equations: list[Equation] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)
    reinits: list[Reinit] = field(default_factory=list)
    terminations: list[Assertion] = field(default_factory=list)
    assigned: dict[str, WhenEquation] = field(default_factory=dict)


def expand_whens(flat: FlatModel) -> Expansion:
    """Return the ordinary equations for all when clauses.

    Raises:
        ModelError: a variable set by two when clauses, a parameter or an unknown name on a left side.
    """
    result = Expansion()
    differentiated = _differentiated(flat) if flat.whens else set()
    for when in flat.whens:
        _Expander(flat, when, result, differentiated).run()
    return result


def _differentiated(flat: FlatModel) -> set[str]:
    """Return the names of variables ``x`` of which ``der(x)`` occurs in an equation."""
    sides = [side for e in flat.equations if isinstance(e, Equation) for side in (e.lhs, e.rhs)]
    return {
        node.args[0].name for node in walk(*sides) if type(node) is Apply and node.op == "der" and type(node.args[0]) is Name
    }


class _Expander:
    def __init__(self, flat: FlatModel, when: WhenEquation, result: Expansion, differentiated: set[str]) -> None:
        self.flat, self.when, self.result, self.differentiated = flat, when, result, differentiated

    def run(self) -> None:
        values: dict[str, list[tuple[Expr, Equation]]] = {}
        before: Expr = Const(0.0)
        for branch in self.when.branches:
            becomes_true = self._active(branch.conditions)
            active = becomes_true if before == Const(0.0) else apply("and", becomes_true, apply("not", before))
            before = becomes_true if before == Const(0.0) else apply("or", before, becomes_true)
            self._assign(branch, active, values)
            for message in branch.terminations:
                self._terminate(message, active)
            for state, value in branch.reinits:
                for name in names(state):
                    self._check_variable(name, f"reinit({state}, {value})")
                self.result.reinits.append(Reinit(state, active, value, self.when.path, f"reinit({state}, {value})"))
        for name, choices in values.items():
            expr: Expr = Apply("pre", (Name(name),))
            for active, equation in reversed(choices):
                expr = apply("if", active, equation.rhs, expr)
            text = "; ".join(str(equation) for _, equation in choices)
            self.result.equations.append(Equation(Name(name), expr, self.when.path, f"{self.when.text}: {text}"))
            self.result.assigned[name] = self.when

    def _terminate(self, message: str, active: Expr) -> None:
        """Append a Boolean that becomes true and stays so until the event has been handled; then the simulation ends."""
        name = Name(join(self.when.path, f"terminate({message!r}) in {self.when.text}"))
        text = f"{self.when.text}: terminate({message!r})"
        self.result.variables[name.name] = Variable(name.name, origin=self.when.path, type="Boolean")
        value = apply("if", active, ONE, Apply("pre", (name,)))
        self.result.equations.append(Equation(name, value, self.when.path, text))
        self.result.assigned[name.name] = self.when
        self.result.terminations.append(Assertion(Apply("not", (name,)), message, "terminate", self.when.path, text))

    def _assign(self, branch: WhenBranch, active: Expr, values: dict[str, list[tuple[Expr, Equation]]]) -> None:
        seen = set()
        for equation in join_elements(branch.equations, self.flat.shapes):
            assert type(equation.lhs) is Name
            name = equation.lhs.name
            self._check_variable(name, str(equation))
            other = self.result.assigned.get(name)
            if name in seen or other is not None:
                where = f"{other.path}: {other.text}" if other and other.path else other.text if other else self.when.text
                raise ModelError(
                    f"'{name}' is set by two when clauses" if other is not None else f"'{name}' is set twice in one branch",
                    path=self.when.path,
                    found=f"'{equation}' in {self.when.text}, and {where}",
                    expected="one when clause that sets it",
                    remedy="Join them with elsewhen, which says what holds if both become active at once.",
                )
            if name in self.differentiated:
                raise ModelError(
                    f"'{name}' is set in '{equation}', but its derivative occurs",
                    path=self.when.path,
                    found=f"'{equation}' in {self.when.text}",
                    expected="a variable that changes at events only",
                    remedy=f"Give the state a new value by reinit({name.rpartition('.')[2]}, {equation.rhs}).",
                )
            seen.add(name)
            values.setdefault(name, []).append((active, equation))

    def _check_variable(self, name: str, text: str) -> None:
        if name not in self.flat.variables:
            what = "is a parameter" if name in self.flat.parameters else "is not a variable"
            raise ModelError(
                f"'{name}' in '{text}' {what}",
                path=self.when.path,
                expected="a variable",
                remedy=nearest(name, self.flat.variables),
            )

    def _active(self, conditions: Sequence[Expr]) -> Expr:
        """Return whether one of the conditions becomes true; at the initial event only ``initial()`` does.

        A condition about impulses is true in the iterations in which they act: each of them is an impact of its own, also where
        one follows the other at one instant.
        """
        active: Expr | None = None
        for condition in conditions:
            if condition == INITIAL:
                own: Expr = INITIAL
            else:
                name = self._memorable(condition)
                acts = any(n in self.flat.variables and self.flat.variables[n].impulse for n in names(condition))
                own = apply("and", name if acts else Apply("edge", (name,)), apply("not", INITIAL))
            active = own if active is None else apply("or", active, own)
        assert active is not None
        return active

    def _memorable(self, condition: Expr) -> Name:
        """Return a Boolean variable that is equal to the condition."""
        name = join(self.when.path, f"when({condition})")
        if name not in self.result.variables:
            self.result.variables[name] = Variable(name, origin=self.when.path, type="Boolean")
            self.result.equations.append(Equation(Name(name), condition, self.when.path, f"{self.when.text}"))
        return Name(name)
