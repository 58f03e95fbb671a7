"""Calculus on expressions: derivatives, coefficients of linear expressions."""

from __future__ import annotations

import math
from collections.abc import Callable

from .errors import ModelError
from .expression import (
    ONE,
    RELATIONS,
    ZERO,
    Apply,
    Const,
    Expr,
    Name,
    Operator,
    add,
    apply,
    div,
    is_array_operator,
    mul,
    names,
    neg,
    power,
    spine_of,
    sub,
    sum_of,
)

_OUTER: dict[str, Callable[[Expr], Expr]] = {
    "sin": lambda u: apply("cos", u),
    "cos": lambda u: neg(apply("sin", u)),
    "tan": lambda u: add(ONE, power(apply("tan", u), Const(2))),
    "asin": lambda u: div(ONE, apply("sqrt", sub(ONE, power(u, Const(2))))),
    "acos": lambda u: neg(div(ONE, apply("sqrt", sub(ONE, power(u, Const(2)))))),
    "atan": lambda u: div(ONE, add(ONE, power(u, Const(2)))),
    "sinh": lambda u: apply("cosh", u),
    "cosh": lambda u: apply("sinh", u),
    "tanh": lambda u: sub(ONE, power(apply("tanh", u), Const(2))),
    "exp": lambda u: apply("exp", u),
    "log": lambda u: div(ONE, u),
    "log10": lambda u: div(Const(1.0 / math.log(10.0)), u),
    "sqrt": lambda u: div(Const(0.5), apply("sqrt", u)),
    "abs": lambda u: apply("sign", u),
    "sign": lambda u: ZERO,
    "floor": lambda u: ZERO,
}


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
    if op == "neg":
        return neg(d(args[0]))
    if op == "*":
        return add(mul(d(args[0]), args[1]), mul(args[0], d(args[1])))
    if op == "/":
        top = sub(d(args[0]), mul(expr, d(args[1])))
        return div(top, args[1])
    if op == "**":
        base, exponent = args
        inner = mul(mul(exponent, power(base, sub(exponent, ONE))), d(base))
        slope = d(exponent)
        return inner if slope == ZERO else add(inner, mul(mul(expr, apply("log", base)), slope))
    if op in _OUTER:
        slope = d(args[0])
        return ZERO if slope == ZERO else mul(_OUTER[op](args[0]), slope)
    if op == "atan2":
        y, x = args
        square = add(power(x, Const(2)), power(y, Const(2)))
        return div(sub(mul(d(y), x), mul(y, d(x))), square)
    if op in ("min", "max"):
        a, b = args
        da, db = d(a), d(b)
        return da if da == db else apply("if", Apply("<" if op == "min" else ">", (a, b)), da, db)
    if op == "if":
        return apply("if", args[0], d(args[1]), d(args[2]))
    if op == "noEvent":
        slope = d(args[0])
        return slope if type(slope) is Const else apply("noEvent", slope)
    if op in ("positive", "after", "initial", "terminal", "mode", "memory", "flag", "not", "and", "or") or op in RELATIONS:
        return ZERO
    if type(op) is Operator and (along := getattr(op.function, "along", None)) is not None:
        return along(op, args, d)  # type: ignore[no-any-return]
    if op in ("@", "cross"):
        return add(apply(op, d(args[0]), args[1]), apply(op, args[0], d(args[1])))
    if is_array_operator(op):
        changes = [d(a) for a in args]
        if op.startswith("part "):
            return apply(op, *changes)
        return ZERO if all(map(vanishes, changes)) else apply(op, *changes)
    if type(op) is Operator:
        slopes = [(k, slope) for k, slope in enumerate(map(d, args)) if slope != ZERO]
        return sum_of(mul(op.function.partial(op, args, k), slope) for k, slope in slopes)
    raise ModelError(f"'{expr}' cannot be differentiated", expected="functions with a known derivative")


def vanishes(change: Expr) -> bool:
    """Whether a derivative is known to be zero."""
    return change == ZERO or (type(change) is Apply and change.op.startswith("part ") and vanishes(change.args[0]))


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
