"""Expressions ``homotopy(actual, simplified)``: what stands for them in the simulation and in the initialization problem.

The simulation has the actual ones. In the initialization problem they go over from the simplified ones (`HOMOTOPY` is 0) to
the actual ones (1), with ``p*actual + (1 - p)*simplified`` between. Source: M. Sielemann, F. Casella, M. Otter et al., Robust
initialization of differential-algebraic equations using homotopy, Modelica Conference 2011.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...acausal.protocol import CallEquation
from ...model.expression import ONE, ZERO, Apply, Equation, Expr, Name, add, apply, mul, rewrite, sub, walk
from ..flat.flat_model import FlatModel, Variable
from ..flat.rewriting import Rewriting

HOMOTOPY = "homotopy()"
"""The input of an initialization problem that says how far it has gone over; no name of a user's can be this one."""


def has_homotopy(flat: FlatModel) -> bool:
    """Return whether an equation or initial equation, control expanded, has a ``homotopy``."""
    return any(_occurs(expr) for e in (*flat.equations, *flat.initial_equations) for expr in _sides(e))


def with_actual(flat: FlatModel) -> FlatModel:
    """Return the model with the actual expressions everywhere."""
    return _with(flat, lambda actual, simplified: actual)


def going_over(flat: FlatModel) -> FlatModel:
    """Return the model whose equations go over from the simplified to the actual expressions with the input `HOMOTOPY`."""
    part = Name(HOMOTOPY)
    ends, begins = (Apply("noEvent", (Apply(op, (part, end)),)) for op, end in ((">=", ONE), ("<=", ZERO)))

    def between(actual: Expr, simplified: Expr) -> Expr:
        mixed = add(mul(part, actual), mul(sub(ONE, part), simplified))
        return apply("if", ends, actual, apply("if", begins, simplified, mixed))

    changed = _with(flat, between)
    own = Variable(HOMOTOPY, start=1.0, input=True)
    return replace(changed, variables={**changed.variables, HOMOTOPY: own})


def _with(flat: FlatModel, means: Callable[[Expr, Expr], Expr]) -> FlatModel:
    def change(node: Expr) -> Expr | None:
        if type(node) is not Apply or node.op != "homotopy":
            return None
        actual, simplified = (rewrite(a, change) for a in node.args)
        return means(actual, simplified)

    other = Rewriting(change)

    def equation(e: Equation | CallEquation) -> Equation | CallEquation:
        if not any(map(_occurs, _sides(e))):
            return e
        return replace(e, inputs=tuple(map(other.expr, e.inputs))) if isinstance(e, CallEquation) else other.equation(e)

    return replace(
        flat,
        equations=[equation(e) for e in flat.equations],
        initial_equations=[e for given in flat.initial_equations if isinstance(e := equation(given), Equation)],
        whens=[other.when(w) for w in flat.whens],
        assertions=[other.assertion(a) for a in flat.assertions],
    )


def _sides(equation: Equation | CallEquation) -> tuple[Expr, ...]:
    return equation.inputs if isinstance(equation, CallEquation) else (equation.lhs, equation.rhs)


def _occurs(expr: Expr) -> bool:
    return any(type(node) is Apply and node.op == "homotopy" for node in walk(expr))
