"""Expressions that are affine in some variables: coefficients, and the solution of one equation for one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from typing import Any

from ...model.calculus import linear_in
from ...model.expression import (
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
    postorder,
    sub,
)
from ...model.language import entry_of


def solve_linear(equation: Equation, unknown: str) -> Expr | None:
    """Return ``expr`` with ``unknown = expr``; None if the equation is not linear in ``unknown``."""
    for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if type(side) is Name and side.name == unknown and unknown not in names(other):
            return other
    ab = linear_in(sub(equation.lhs, equation.rhs), unknown)
    if ab is None or ab[0] == ZERO:
        return None
    a, b = ab
    return div(b, neg(a)) if type(a) is Apply and a.op == "neg" else div(neg(b), a)


def _is_linear(op: str, free: list[bool]) -> bool:
    """Return whether an operator on arrays is linear in all arguments that are not free of unknowns together."""
    if type(op) is Operator:
        function: Any = op.function
        return function.linear_from >= 0 and all(free[: function.linear_from])
    return entry_of(op).linear or any(free)


def coefficients(expr: Expr, unknowns: Set[str]) -> dict[str, Expr] | None:
    """Return the coefficients of ``unknowns`` in ``expr`` if it is affine in all of them together, else None."""
    return _coefficients(expr, unknowns, {})


def _coefficients(expr: Expr, unknowns: Set[str], done: dict[int, dict[str, Expr] | None]) -> dict[str, Expr] | None:
    """Return the same; ``done`` has those of branches of ``if``, by identity. Each operation passes on the sum of its
    factors.
    """
    if id(expr) in done:
        return done[id(expr)]
    done[id(expr)] = None
    order = postorder(expr, last_first=True)
    dependent: set[int] = set()
    for node in order:
        if (type(node) is Name and node.name in unknowns) or (
            type(node) is Apply and any(id(a) in dependent for a in node.args)
        ):
            dependent.add(id(node))
    result: dict[str, Expr] = {}
    factors: dict[int, Expr] = {id(expr): ONE}
    for node in reversed(order):
        if id(node) not in dependent or id(node) not in factors:
            continue
        factor = factors.pop(id(node))
        if type(node) is Name:
            result[node.name] = add(result.get(node.name, ZERO), factor)
            continue
        assert type(node) is Apply
        op, args = node.op, node.args
        free = [id(a) not in dependent for a in args]
        if op == "if" and free[0]:
            branches = [_coefficients(a, unknowns, done) for a in args[1:]]
            if branches[0] is None or branches[1] is None:
                return None
            for name in {**branches[0], **branches[1]}:
                chosen = apply("if", args[0], branches[0].get(name, ZERO), branches[1].get(name, ZERO))
                result[name] = add(result.get(name, ZERO), mul(factor, chosen))
            continue
        passed = _passed_on(node, factor, free)
        if passed is None:
            return None
        for a, f in passed:
            if id(a) in dependent:
                factors[id(a)] = add(factors[id(a)], f) if id(a) in factors else f
    done[id(expr)] = {name: c for name, c in result.items() if c != ZERO}
    return done[id(expr)]


def _passed_on(node: Apply, factor: Expr, free: list[bool]) -> list[tuple[Expr, Expr]] | None:
    """Return the operands of an operation with their coefficients, times that of the operation; None if it is not affine."""
    op, args = node.op, node.args
    if op in ("+", "-"):
        return [(args[0], factor), (args[1], factor if op == "+" else neg(factor))]
    if op == "neg":
        return [(args[0], neg(factor))]
    if op == "*" and (free[0] or free[1]):
        return [(args[1], mul(factor, args[0]))] if free[0] else [(args[0], mul(factor, args[1]))]
    if op == "/" and free[1]:
        return [(args[0], div(factor, args[1]))]
    if is_array_operator(op) and _is_linear(op, free):
        # linear, but the coefficient is a matrix: what stands here says no more than that
        return [(a, Apply("array", (factor,))) for a, is_free in zip(args, free, strict=True) if not is_free]
    return None


def summands(
    sides: Iterable[tuple[Expr, int]], split: Callable[[Expr], list[tuple[Expr, int]] | None]
) -> list[tuple[Expr, int]]:
    """Return the weighted terms that remain of a sum when its terms are split again and again, in order.

    Args:
        sides: the terms and their weights.
        split: terms that stand for one, with their weights; None if it is not split. Shared ones are split once.
    """
    parts: dict[int, list[tuple[Expr, int]] | None] = {}
    order: list[Expr] = []
    stack: list[tuple[Expr, bool]] = [(side, False) for side, _ in sides]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif id(node) not in parts:
            parts[id(node)] = inner = split(node)
            stack.append((node, True))
            stack.extend((term, False) for term, _ in inner or ())
    weights: dict[int, int] = {}
    for side, weight in sides:
        weights[id(side)] = weights.get(id(side), 0) + weight
    found = []
    for node in reversed(order):
        inner = parts[id(node)]
        if inner is None:
            found.append((node, weights[id(node)]))
        for term, factor in inner or ():
            weights[id(term)] = weights.get(id(term), 0) + factor * weights[id(node)]
    return found
