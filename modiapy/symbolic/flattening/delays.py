"""``delay(expression, time)`` in equations: its value becomes the output of a call of the component `Delays`."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from ...acausal.delays import PATH, VALUE, Delay, Delays
from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import TIME, Apply, Const, Equation, Expr, Name, names, rewrite, sub
from ..flat.flat_model import FlatModel, Variable, WhenEquation
from ..flat.rewriting import Rewriting
from ..terms.constants import is_constant

F = TypeVar("F", bound=FlatModel)


def with_written_delays(flat: F) -> F:
    """Return a model with delays as they were written: a part of another model, whose delays are one component."""
    delays = flat.components.get(PATH)
    if not isinstance(delays, Delays):
        return flat
    own = {delays.names(k)[3]: (delays.names(k)[:3], delay.fixed) for k, delay in enumerate(delays.delays)}
    inner = set(delays.followed)
    settled = [e for e in flat.equations if isinstance(e, Equation)]
    meant = {e.lhs.name: e.rhs for e in settled if type(e.lhs) is Name and e.lhs.name in inner}

    def written(node: Expr) -> Expr | None:
        if type(node) is not Name or node.name not in own:
            return None
        arguments, fixed = own[node.name]
        return Apply("delay", tuple(rewrite(meant[name], written) for name in arguments[: 2 if fixed else 3]))

    again = Rewriting(written)
    return replace(
        flat,
        equations=[again.equation(e) for e in settled if not (type(e.lhs) is Name and e.lhs.name in inner)],
        whens=list(map(again.when, flat.whens)),
        assertions=list(map(again.assertion, flat.assertions)),
        variables={name: v for name, v in flat.variables.items() if name not in inner and name not in own},
        components={path: made for path, made in flat.components.items() if path != PATH},
    )


def settle_delays(flat: FlatModel) -> None:
    """Take all delays out of a flat model; it is changed in place.

    Raises:
        ModelError: a delay time that changes, without a largest one; a delayed array; a delay within a delay time.
    """
    extraction = _Extraction(flat)
    for k, equation in enumerate(flat.equations):
        flat.equations[k] = extraction.equation(equation)
    for k, when in enumerate(flat.whens):
        flat.whens[k] = extraction.when(when)
    for k, assertion in enumerate(flat.assertions):
        flat.assertions[k] = replace(assertion, condition=extraction.expr(assertion.condition, assertion.path))
    if extraction.delays:
        flat.equations += extraction.equations
        flat.variables |= extraction.variables
        flat.components[PATH] = Delays(extraction.delays)


class _Extraction:
    def __init__(self, flat: FlatModel) -> None:
        self.flat = flat
        self.delays: list[Delay] = []
        self.equations: list[Equation | CallEquation] = []
        self.variables: dict[str, Variable] = {}
        self._known: dict[Apply, Name] = {}

    def equation(self, equation: Equation | CallEquation) -> Equation | CallEquation:
        if isinstance(equation, CallEquation):
            inputs = tuple(self.expr(e, equation.component) for e in equation.inputs)
            return equation if inputs == equation.inputs else replace(equation, inputs=inputs)
        return self._of_equation(equation)

    def _of_equation(self, equation: Equation) -> Equation:
        lhs, rhs = self.expr(equation.lhs, equation.path), self.expr(equation.rhs, equation.path)
        if lhs is equation.lhs and rhs is equation.rhs:
            return equation
        return Equation(lhs, rhs, equation.path, str(equation))

    def when(self, when: WhenEquation) -> WhenEquation:
        branches = []
        for branch in when.branches:
            conditions = tuple(self.expr(e, when.path) for e in branch.conditions)
            equations = tuple(map(self._of_equation, branch.equations))
            reinits = tuple((state, self.expr(value, when.path)) for state, value in branch.reinits)
            branches.append(replace(branch, conditions=conditions, equations=equations, reinits=reinits))
        return replace(when, branches=tuple(branches))

    def expr(self, expr: Expr, path: str) -> Expr:
        def change(node: Expr) -> Expr | None:
            if type(node) is not Apply or node.op != "delay":
                return None
            if node not in self._known:
                self._known[node] = self._delayed(node, path)
            return self._known[node]

        return rewrite(expr, change)

    def _delayed(self, node: Apply, path: str) -> Name:
        if len(node.args) == 1:
            raise ModelError(f"'{node}' does not say by how much", path=path, expected="delay(expression, time)")
        what, time = self.expr(node.args[0], path), self.expr(node.args[1], path)
        longest = time if len(node.args) == 2 else node.args[2]
        self._check(node, what, longest, path)
        text, k = str(node), len(self.delays)
        self.delays.append(Delay(text, path, len(node.args) == 2))
        u, now, most, y = Delays.names(k)
        for name, value in ((u, what), (now, time), (most, longest)):
            self.variables[name] = Variable(name, origin=path)
            self.equations.append(Equation(Name(name), value, path, text))
        self.variables[y] = Variable(y, origin=path)
        self.equations.append(CallEquation(VALUE, (Const(float(k)), sub(TIME, Name(now))), (Name(y),), PATH))
        return Name(y)

    def _check(self, node: Apply, what: Expr, longest: Expr, path: str) -> None:
        arrays = [name for name in sorted(names(what)) if name in self.flat.shapes]
        if arrays and type(what) is Name:
            raise ModelError(
                f"'{node}' delays an array",
                path=path,
                found=arrays[0],
                expected="a scalar",
                remedy="Delay its elements: [delay(x[0], T), ...].",
            )
        if not is_constant(longest, self.flat.parameters):
            raise ModelError(
                f"the {'largest ' if len(node.args) == 3 else ''}delay time of '{node}' changes",
                path=path,
                found=f"'{longest}'",
                expected="constants and parameters",
                remedy="" if len(node.args) == 3 else "Say how large it becomes: delay(x, time, largest_time).",
            )
