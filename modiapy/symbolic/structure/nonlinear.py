"""Nonlinear equations: closed-form solution of single ones where that is exact, directional derivatives of torn systems.

The derivative of a torn system in a direction is a second sequence of assignments as long as the first (forward mode of
algorithmic differentiation: A. Griewank, A. Walther, Evaluating Derivatives (2008), chapter 3), so that the code for the
Jacobian grows with the number of equations and not with its square.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from ...acausal.protocol import CallEquation
from ...model.calculus import differentiate
from ...model.entry import Kind
from ...model.expression import (
    ONE,
    ZERO,
    Apply,
    Const,
    Equation,
    Expr,
    Name,
    Operator,
    Rewritten,
    add,
    apply,
    div,
    mul,
    names,
    power,
    rewrite,
    sub,
    substitute,
    sum_of,
)
from ...model.language import PART, entry_of
from ...model.parser import rule
from ..sorted.parts import Assignment, Call, NonlinearBlock, defined_by
from ..terms.affine import coefficients
from ..terms.arrays import Shape, shape_at, shape_of
from ..terms.constants import READS
from ..terms.names import argument_of, directional_of, moved_value

RELATIVE_STEP = sys.float_info.epsilon ** (1.0 / 3.0)
"""Step of central differences of a function without derivative, relative to its inputs (or 1, where they are smaller)."""


MOST_OPENED = 500
"""Opened variables of a block, whose matrix is full; in a larger one only those are opened that are nonlinear themselves."""


def nonlinear_block(
    unknowns: Sequence[str],
    body: Sequence[Assignment | Call],
    residuals: Sequence[Expr],
    equations: Sequence[Equation],
    shapes: Mapping[str, Shape],
) -> NonlinearBlock:
    """Return the block with its derivatives.

    Args:
        unknowns: torn. body: what follows from them in sequence. residuals: what is zero, from ``equations``.
        shapes: of arrays, by name.

    Raises:
        ModelError: a function of the language has no derivative.
    """
    varying = set(unknowns)
    if _needs_differences(body, varying):
        moves, slopes = _differences_of_all(unknowns, body, residuals)
        return NonlinearBlock(tuple(unknowns), tuple(body), tuple(residuals), tuple(equations), tuple(moves), tuple(slopes))
    body, rest = _Arguments(varying, shapes).named(body, residuals)
    derivatives: list[Assignment | Call] = []
    bends: set[str] = set()
    inside: set[str] = set()
    for step in body:
        if isinstance(step, Assignment):
            direction = directional_derivative(step.expr, varying)
            if bent := names(direction) & varying:
                bends.add(step.variable)
                inside |= bent
            varying.add(step.variable)
            derivatives.append(Assignment(directional_of(step.variable), direction, step.equation))
        else:
            moving = {k: bent for k, e in enumerate(step.call.inputs) if (bent := names(e) & varying)}
            outputs = {output.name for output in step.call.outputs}
            for k in moving.keys() - step.call.function.linear_in:
                bends |= outputs
                inside |= moving[k]
            derivatives += _of_call(step.call, varying)
            varying |= outputs
    ends = tuple(directional_derivative(r, varying) for r in rest)
    inside.update(*(names(end) & varying for end in ends))
    opened = bends | inside if len(bends | inside) <= MOST_OPENED else bends
    return NonlinearBlock(
        tuple(unknowns),
        tuple(body),
        rest,
        tuple(equations),
        tuple(derivatives),
        ends,
        tuple(name for step in body for name in defined_by(step) if name in opened),
    )


class _Arguments:
    """Arguments of functions as assignments before those that need them, so that they may be opened.

    With ``exp((u - v)/Vt)`` and an input u that has jumped, v alone is no guide to where the exponential was.

    Args:
        varying: names of the unknowns.
        shapes: of arrays, by name.
    """

    def __init__(self, varying: Set[str], shapes: Mapping[str, Shape]) -> None:
        self._varying, self._shapes = set(varying), shapes
        self._known: dict[Expr, Name] = {}
        self._done: Rewritten = {}
        self._body: list[Assignment | Call] = []

    def named(
        self, body: Sequence[Assignment | Call], residuals: Sequence[Expr]
    ) -> tuple[list[Assignment | Call], tuple[Expr, ...]]:
        """Return the same system, with names of arguments in place of these."""
        for step in body:
            if isinstance(step, Assignment):
                self._body.append(replace(step, expr=self._in(step.expr)))
            else:
                inputs = tuple(map(self._in, step.call.inputs))
                self._body.append(Call(replace(step.call, inputs=inputs)))
            self._varying.update(defined_by(step))
        ends = tuple(map(self._in, residuals))
        return self._body, ends

    def _in(self, expr: Expr) -> Expr:
        return rewrite(expr, self._change, self._done)

    def _change(self, node: Expr) -> Expr | None:
        if type(node) is not Apply or not (node.op == "**" or entry_of(node.op).kind is Kind.FUNCTION):
            return None
        args = [self._name(a) or self._in(a) for a in node.args]
        same = all(a is old for a, old in zip(args, node.args, strict=True))
        return node if same else apply(node.op, *args)

    def _name(self, argument: Expr) -> Name | None:
        """Return the argument's name, if it is affine in what varies: it has a value in branches that are not chosen, too."""
        if type(argument) is not Apply or not (moving := names(argument) & self._varying):
            return None
        if argument not in self._known:
            if coefficients(argument, moving) is None:
                return None
            shape = shape_of(argument, self._shapes)
            alike = sorted(name for name in moving if shape_at(name, self._shapes) == shape)
            if not alike:
                return None
            name = argument_of(alike[0], len(self._known) + 1)
            self._known[argument] = Name(name)
            self._varying.add(name)
            self._body.append(Assignment(name, argument))
        return self._known[argument]


def directional_derivative(expr: Expr, varying: Set[str]) -> Expr:
    """Return the directional derivative of ``expr``; that of the name ``x`` in ``varying`` is the name `directional_of` of
    x.
    """

    def leaf(node: Expr) -> Expr | None:
        if type(node) is Name:
            return Name(directional_of(node.name)) if node.name in varying else ZERO
        if type(node) is Apply and type(node.op) is Operator and not node.op.function.differentiable:
            derivatives = [directional_derivative(a, varying) for a in node.args]
            if node.op.of_arrays:
                return _difference_along(node, derivatives)
            return sum_of(mul(_central_difference(node, k), s) for k, s in enumerate(derivatives) if s != ZERO)
        return ZERO if type(node) is Apply and node.op in READS else None

    return differentiate(expr, leaf)


def _central_difference(node: Apply, k: int) -> Expr:
    """Return the partial derivative of a function without derivative with respect to its argument k."""
    before, value, after = node.args[:k], node.args[k], node.args[k + 1 :]
    step = mul(Const(RELATIVE_STEP), apply("max", ONE, apply("abs", value)))
    high, low = (Apply(node.op, (*before, moved, *after)) for moved in (add(value, step), sub(value, step)))
    return div(sub(high, low), mul(Const(2.0), step))


def _difference_along(node: Apply, derivatives: Sequence[Expr]) -> Expr:
    """Return the derivative of a function of arrays without derivative in the direction ``derivatives`` of its arguments."""

    def is_zero(expr: Expr) -> bool:
        return expr == ZERO or (type(expr) is Apply and entry_of(expr.op) is PART and is_zero(expr.args[0]))

    def length(expr: Expr) -> Expr:
        is_array = type(expr) is Apply and entry_of(expr.op) is PART
        return Apply("sum", (apply("abs", expr),)) if is_array else apply("abs", expr)

    moving = [k for k, s in enumerate(derivatives) if not is_zero(s)]
    if not moving:
        return ZERO
    size = apply("max", ONE, sum_of(length(node.args[k]) for k in moving))
    direction = apply("max", Const(sys.float_info.min), sum_of(length(derivatives[k]) for k in moving))
    step = div(mul(Const(RELATIVE_STEP), size), direction)
    ends = []
    for move in (add, sub):
        args = [
            move(a, mul(step, s)) if k in moving else a for k, (a, s) in enumerate(zip(node.args, derivatives, strict=True))
        ]
        ends.append(Apply(node.op, tuple(args)))
    return div(sub(*ends), mul(Const(2.0), step))


def _needs_differences(body: Sequence[Assignment | Call], unknowns: Iterable[str]) -> bool:
    """Return whether functions work together that are not all affine: one may use data that another has prepared, unseen
    here.
    """
    varying = set(unknowns)
    calls = [step.call for step in body if isinstance(step, Call)]
    if len(calls) < 2:
        return False
    for step in body:
        if isinstance(step, Call):
            moving = {k for k, e in enumerate(step.call.inputs) if names(e) & varying}
            if not moving <= step.call.function.linear_in:
                return True
            varying.update(output.name for output in step.call.outputs)
        elif names(step.expr) & varying:
            varying.add(step.variable)
    return False


def _differences_of_all(
    unknowns: Sequence[str], body: Sequence[Assignment | Call], residuals: Sequence[Expr]
) -> tuple[list[Assignment | Call], list[Expr]]:
    """Return the central differences of the whole sequence, one side after the other."""
    step = Name(f"{directional_of(unknowns[0])}step")
    reach: Expr = ZERO
    for name in unknowns:
        size = mul(Name(directional_of(name)), apply("max", ONE, apply("abs", Name(name))))
        reach = size if reach == ZERO else apply("max", reach, size)
    derivatives: list[Assignment | Call] = [Assignment(step.name, mul(Const(RELATIVE_STEP), reach))]
    sides = []
    for mark, move in (("+", add), ("-", sub)):
        moved: dict[str, Expr] = {}
        for name in unknowns:
            moved[name] = Name(moved_value(name, mark))
            derivatives.append(Assignment(moved_value(name, mark), move(Name(name), mul(step, Name(directional_of(name))))))
        for s in body:
            if isinstance(s, Assignment):
                derivatives.append(Assignment(moved_value(s.variable, mark), substitute(s.expr, moved), s.equation))
                moved[s.variable] = Name(moved_value(s.variable, mark))
            else:
                inputs = tuple(substitute(e, moved) for e in s.call.inputs)
                outputs = tuple(Name(moved_value(o.name, mark)) for o in s.call.outputs)
                derivatives.append(Call(CallEquation(s.call.function, inputs, outputs, s.call.component)))
                moved |= dict(zip((o.name for o in s.call.outputs), outputs, strict=True))
        sides.append([substitute(r, moved) for r in residuals])
    width = mul(Const(2.0), step)
    return derivatives, [div(sub(high, low), width) for high, low in zip(*sides, strict=True)]


def _of_call(call: CallEquation, varying: Set[str]) -> list[Assignment | Call]:
    """Return the derivative of a component function: exact where it is affine or has a derivative, else by central
    differences.
    """
    directions = [directional_derivative(e, varying) for e in call.inputs]
    moving = {k for k, d in enumerate(directions) if d != ZERO}

    def called(function_inputs: Iterable[Expr], mark: str, function: CallEquation = call) -> tuple[Call, list[Expr]]:
        outputs = tuple(Name(moved_value(o.name, mark)) for o in call.outputs)
        return Call(CallEquation(function.function, tuple(function_inputs), outputs, call.component)), list(outputs)

    if not moving:
        return [Assignment(directional_of(o.name), ZERO) for o in call.outputs]
    if moving <= call.function.linear_in:
        ahead, high = called(map(add, call.inputs, directions), "+")
        return [ahead, *_differences(call, high, call.outputs, ONE)]
    if call.function.derivative is not None:
        derivative = CallEquation(call.function.derivative, (), (), call.component)
        at_rest = [ZERO] * len(directions)
        ahead, high = called([*call.inputs, *directions], "+", derivative)
        still, low = called([*call.inputs, *at_rest], "-", derivative)
        return [ahead, still, *_differences(call, high, low, ONE)]
    largest: Expr = Const(sys.float_info.min)
    for k in sorted(moving):
        size = apply("max", ONE, apply("abs", call.inputs[k]))
        largest = apply("max", largest, div(apply("abs", directions[k]), size))
    step = Name(f"{directional_of(call.outputs[0].name)}step")
    moves = [mul(step, d) for d in directions]
    ahead, high = called(map(add, call.inputs, moves), "+")
    behind, low = called(map(sub, call.inputs, moves), "-")
    width = Assignment(step.name, div(Const(RELATIVE_STEP), largest))
    return [width, ahead, behind, *_differences(call, high, low, mul(Const(2.0), step))]


def _differences(call: CallEquation, high: Sequence[Expr], low: Sequence[Expr], width: Expr) -> list[Assignment]:
    return [Assignment(directional_of(o.name), div(sub(h, l), width)) for o, h, l in zip(call.outputs, high, low, strict=True)]


# -- closed form --------------------------------------------------------------------------------------------------------


def invert(equation: Equation, unknown: str) -> Expr | None:
    """Return ``expr`` with ``unknown = expr`` if the equation has at most one solution, known in closed form, else None.

    The unknown must occur once, below sums, products, quotients, odd powers and functions with an inverse, or
    twice in ``u*abs(u)``. Where there is no solution, the expression is not a number.
    """
    sides = (equation.lhs, equation.rhs) if unknown in names(equation.lhs) else (equation.rhs, equation.lhs)
    inside, value = sides
    if unknown in names(value):
        return None
    while not (type(inside) is Name and inside.name == unknown):
        if type(inside) is not Apply:
            return None
        step = _peel(inside, value, unknown)
        if step is None:
            return None
        inside, value = step
    return value


def _peel(node: Apply, value: Expr, unknown: str) -> tuple[Expr, Expr] | None:
    """Return ``(inside, value)``: the same equation ``node = value`` with one operator less on the left."""
    square = _signed_square(node, unknown)
    if square is not None:
        inside, factor = square
        value = div(value, factor)
        return inside, mul(apply("sign", value), apply("sqrt", apply("abs", value)))
    holders = [k for k, a in enumerate(node.args) if unknown in names(a)]
    if len(holders) != 1:
        return None
    k = holders[0]
    if type(node.op) is Operator:
        inverse = node.op.function.inverse_of(node.op, node.args, k, value)
        return None if inverse is None else (node.args[k], inverse)
    other = node.args[1 - k] if len(node.args) == 2 else ZERO
    entry = entry_of(node.op)
    if entry.inverse:
        return node.args[0], rule(entry.inverse, entry.names)(value)
    if node.op == "+":
        return node.args[k], sub(value, other)
    if node.op == "-":
        return node.args[k], add(value, other) if k == 0 else sub(other, value)
    if node.op == "*":
        return node.args[k], div(value, other)
    if node.op == "/":
        return node.args[k], mul(value, other) if k == 0 else div(other, value)
    if node.op == "**" and k == 0 and type(other) is Const and other.value % 2.0 == 1.0 and other.value > 0.0:
        root = power(apply("abs", value), Const(1.0 / other.value))
        return node.args[0], mul(apply("sign", value), root)
    return None


_FACTORS = 16
"""A product of more factors is not searched for a square with a sign."""


def _signed_square(node: Apply, unknown: str) -> tuple[Expr, Expr] | None:
    """Return ``(u, factor)`` where the node is the product ``factor*u*abs(u)``, in any order, and only u has the unknown."""
    if node.op != "*":
        return None
    factors: list[Expr] = [node]
    while any(type(f) is Apply and f.op == "*" for f in factors):
        if len(factors) > _FACTORS:
            return None
        factors = [a for f in factors for a in (f.args if type(f) is Apply and f.op == "*" else (f,))]
    inside = [f for f in factors if unknown in names(f)]
    if len(inside) != 2:
        return None
    outside: Expr = ONE
    for f in factors:
        if unknown not in names(f):
            outside = mul(outside, f)
    for u, v in (inside, inside[::-1]):
        if v == Apply("abs", (u,)):
            return u, outside
    return None
