"""Expressions that are affine in some variables: coefficients, and the solution of one equation for one of them."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from ..model.calculus import linear_in
from ..model.expression import (
    ONE,
    ZERO,
    Apply,
    Equation,
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
    sub,
    walk,
)


def solve_linear(equation: Equation, unknown: str) -> Expr | None:
    """``expr`` with ``unknown = expr``; None if the equation is not linear in ``unknown``."""
    for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if type(side) is Name and side.name == unknown and unknown not in names(other):
            return other
    ab = linear_in(sub(equation.lhs, equation.rhs), unknown)
    if ab is None or ab[0] == ZERO:
        return None
    a, b = ab
    return div(b, neg(a)) if type(a) is Apply and a.op == "neg" else div(neg(b), a)


def _is_linear(op: str, free: list[bool]) -> bool:
    """Whether an operator on arrays is linear in all arguments that are not free of unknowns together."""
    if type(op) is Operator:
        function: Any = op.function
        return function.linear_from >= 0 and all(free[: function.linear_from])
    return op not in ("@", "cross") or any(free)


def coefficients(expr: Expr, unknowns: Set[str]) -> dict[str, Expr] | None:
    """Coefficients of ``unknowns`` in ``expr`` if it is affine in all of them together, else None."""
    nodes = list(walk(expr))
    dependent: set[int] = set()
    for node in reversed(nodes):
        if (type(node) is Name and node.name in unknowns) or (
            type(node) is Apply and any(id(a) in dependent for a in node.args)
        ):
            dependent.add(id(node))
    result: dict[str, Expr] = {}
    stack: list[tuple[Expr, Expr]] = [(expr, ONE)]
    while stack:
        node, factor = stack.pop()
        if id(node) not in dependent:
            continue
        if type(node) is Name:
            result[node.name] = add(result.get(node.name, ZERO), factor)
            continue
        assert type(node) is Apply
        op, args = node.op, node.args
        free = [id(a) not in dependent for a in args]
        if op in ("+", "-"):
            stack += [(args[1], factor if op == "+" else neg(factor)), (args[0], factor)]
        elif op == "neg":
            stack.append((args[0], neg(factor)))
        elif op == "*" and (free[0] or free[1]):
            stack.append((args[1], mul(factor, args[0])) if free[0] else (args[0], mul(factor, args[1])))
        elif op == "/" and free[1]:
            stack.append((args[0], div(factor, args[1])))
        elif is_array_operator(op) and _is_linear(op, free):
            # linear, but the coefficient is a matrix: what stands here says no more than that
            stack += [(a, Apply("array", (factor,))) for a, is_free in zip(args, free, strict=True) if not is_free]
        elif op == "if" and free[0]:
            branches = [coefficients(a, unknowns) for a in args[1:]]
            if branches[0] is None or branches[1] is None:
                return None
            for name in {**branches[0], **branches[1]}:
                chosen = apply("if", args[0], branches[0].get(name, ZERO), branches[1].get(name, ZERO))
                result[name] = add(result.get(name, ZERO), mul(factor, chosen))
        else:
            return None
    return {name: c for name, c in result.items() if c != ZERO}
