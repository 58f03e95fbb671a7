"""Calculus on expressions: derivatives, coefficients of linear expressions."""

from __future__ import annotations

import functools
from collections.abc import Callable

from .entry import Entry
from .errors import ModelError
from .expression import (
    ONE,
    ZERO,
    Apply,
    Const,
    Expr,
    Name,
    Operator,
    apply,
    div,
    mul,
    names,
    neg,
    spine_of,
    sum_of,
)
from .language import PART, entry_of
from .parser import parse, rule


def differentiate(expr: Expr, leaf: Callable[[Expr], Expr | None]) -> Expr:
    """Derivative of ``expr`` where ``leaf`` gives the derivative of a name (or of a ``der(...)`` node).

    With ``leaf = lambda n: ONE if n == x else ZERO`` it is the partial derivative with respect to x; with
    ``leaf = lambda n: der(n)`` for variables and ZERO for parameters it is the total derivative with respect to time.

    What operations share is differentiated once, and its derivative shared.

    Raises:
        ModelError: a function or operator has no derivative.
    """
    done: dict[int, Expr] = {}

    def d(node: Expr) -> Expr:
        if type(node) is not Apply:
            return _derivative(node, leaf, d)
        if id(node) not in done:
            first, spine = spine_of(node, done)
            if not spine:
                done[id(node)] = _derivative(node, leaf, d)
                return done[id(node)]
            slope = d(first)
            for part in spine:
                slope = done[id(part)] = apply(part.op, slope, d(part.args[1]))
        return done[id(node)]

    return d(expr)


def _derivative(expr: Expr, leaf: Callable[[Expr], Expr | None], d: Callable[[Expr], Expr]) -> Expr:
    """That of one operation, by those of its operands, which ``d`` gives."""
    if type(expr) is Const:
        return ZERO
    own = leaf(expr)
    if own is not None:
        return own
    if type(expr) is Name:
        return ZERO
    assert type(expr) is Apply
    op, args = expr.op, expr.args
    if type(op) is Operator:
        return _of_function(expr, op, d)
    entry = entry_of(op)
    if entry.derivative:
        operands, build = _derivative_rule(entry)
        changes = [d(args[k]) for k in operands]
        return ZERO if all(change == ZERO for change in changes) else build(*args, *changes, expr)
    if entry.linear:
        changes = [d(a) for a in args]
        return ZERO if entry is not PART and all(map(vanishes, changes)) else apply(op, *changes)
    raise ModelError(f"'{expr}' cannot be differentiated", expected="functions with a known derivative")


@functools.cache
def _derivative_rule(entry: Entry) -> tuple[tuple[int, ...], Callable[..., Expr]]:
    """Operands whose derivatives are needed, and what makes the derivative of the operands, of these, and of the whole."""
    used = names(parse(entry.derivative))
    needed = tuple(k for k, name in enumerate(entry.names) if f"d{name}" in used)
    return needed, rule(entry.derivative, (*entry.names, *(f"d{entry.names[k]}" for k in needed), "result"))


def _of_function(expr: Apply, op: Operator, d: Callable[[Expr], Expr]) -> Expr:
    """Derivative of a call of a function of the model."""
    if (along := getattr(op.function, "along", None)) is not None:
        return along(op, expr.args, d)  # type: ignore[no-any-return]
    if op.of_arrays:
        changes = [d(a) for a in expr.args]
        return ZERO if all(map(vanishes, changes)) else apply(op, *changes)
    slopes = [(k, slope) for k, slope in enumerate(map(d, expr.args)) if slope != ZERO]
    return sum_of(mul(op.function.partial(op, expr.args, k), slope) for k, slope in slopes)


def vanishes(change: Expr) -> bool:
    """Whether a derivative is known to be zero."""
    return change == ZERO or (type(change) is Apply and entry_of(change.op) is PART and vanishes(change.args[0]))


def partial(expr: Expr, name: str) -> Expr:
    """Partial derivative of ``expr`` with respect to the variable ``name`` (``time`` and all other names are constant)."""

    def leaf(node: Expr) -> Expr | None:
        if type(node) is Apply and type(node.op) is Operator and not node.op.function.differentiable:
            if name not in names(node):
                return ZERO
            raise ModelError(f"'{node}' has no known partial derivatives", path=str.__str__(node.op))
        return (ONE if node.name == name else ZERO) if type(node) is Name else None

    return differentiate(expr, leaf)


def linear_in(expr: Expr, name: str) -> tuple[Expr, Expr] | None:
    """``(a, b)`` with ``expr == a*name + b`` and a, b free of ``name``; None if the expression is not linear in it."""
    done: dict[int, tuple[Expr, Expr] | None] = {}

    def split(node: Expr) -> tuple[Expr, Expr] | None:
        if type(node) is Name:
            return (ONE, ZERO) if node.name == name else (ZERO, node)
        if type(node) is not Apply:
            return ZERO, node
        if id(node) not in done:
            first, spine = spine_of(node, done)
            if not spine:
                done[id(node)] = _linear(node, split)
                return done[id(node)]
            ab = split(first)
            for part in spine:
                ab = done[id(part)] = _linear_sum(part, ab, split(part.args[1]))
        return done[id(node)]

    return split(expr)


_Split = Callable[[Expr], tuple[Expr, Expr] | None]


def _linear(expr: Apply, split: _Split) -> tuple[Expr, Expr] | None:
    parts = [split(a) for a in expr.args]
    if all(p is not None and p[0] == ZERO for p in parts):
        return ZERO, expr
    if any(p is None for p in parts):
        return None
    ab: list[tuple[Expr, Expr]] = [p for p in parts if p is not None]
    op = expr.op
    if op == "neg":
        return neg(ab[0][0]), neg(ab[0][1])
    if op == "*":
        if ab[0][0] == ZERO:
            return mul(ab[0][1], ab[1][0]), mul(ab[0][1], ab[1][1])
        if ab[1][0] == ZERO:
            return mul(ab[0][0], ab[1][1]), mul(ab[0][1], ab[1][1])
    if op == "/" and ab[1][0] == ZERO:
        return div(ab[0][0], ab[1][1]), div(ab[0][1], ab[1][1])
    if op == "if" and ab[0][0] == ZERO:
        return apply("if", ab[0][1], ab[1][0], ab[2][0]), apply("if", ab[0][1], ab[1][1], ab[2][1])
    return None


def _linear_sum(expr: Apply, a: tuple[Expr, Expr] | None, b: tuple[Expr, Expr] | None) -> tuple[Expr, Expr] | None:
    """That of a sum or difference, by those of its operands."""
    if a is None or b is None:
        return None
    return (ZERO, expr) if a[0] == ZERO and b[0] == ZERO else (apply(expr.op, a[0], b[0]), apply(expr.op, a[1], b[1]))
