"""Calculus on expressions: derivatives, coefficients of linear expressions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

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
    postorder,
    sum_of,
)
from .language import PART, entry_of
from .parser import parse, rule


def differentiate(expr: Expr, leaf: Callable[[Expr], Expr | None]) -> Expr:
    """Return the derivative of ``expr`` where ``leaf`` gives the derivative of a name (or of a ``der(...)`` node).

    With ``leaf = lambda n: ONE if n == x else ZERO`` it is the partial derivative with respect to x; with
    ``leaf = lambda n: der(n)`` for variables and ZERO for parameters it is the total derivative with respect to time.

    What operations share is differentiated once, and its derivative shared.

    Raises:
        ModelError: a function or operator has no derivative.
    """
    done: dict[int, tuple[Expr, Expr]] = {}

    def d(whole: Expr) -> Expr:
        stack: list[tuple[Expr, Expr | None]] = [(whole, None)]
        while stack:
            node, own = stack.pop()
            if id(node) in done:
                continue
            if own is not _INSIDE:
                own = ZERO if type(node) is Const else leaf(node)
                inside = _differentiated(node) if own is None else ()
                if missing := [(a, None) for a in reversed(inside) if id(a) not in done]:
                    stack.append((node, _INSIDE))
                    stack += missing
                    continue
            done[id(node)] = (node, _derivative(node, d) if own is None or own is _INSIDE else own)
        return done[id(whole)][1]

    return d(expr)


_INSIDE = Name("")
"""In place of a derivative: those of the operands are known now."""


def _differentiated(node: Expr) -> Sequence[Expr]:
    """Return the operands whose derivatives are needed in any case."""
    if type(node) is not Apply:
        return ()
    if type(node.op) is Operator:
        return () if hasattr(node.op.function, "along") else node.args
    entry = entry_of(node.op)
    return [node.args[k] for k in _derivative_rule(entry)[0]] if entry.derivative else node.args if entry.linear else ()


def _derivative(expr: Expr, d: Callable[[Expr], Expr]) -> Expr:
    """Return the derivative of one operation from those of its operands, which ``d`` gives; 0 for a name."""
    if type(expr) is not Apply:
        return ZERO
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
    """Return the operands whose derivatives are needed, and what makes the derivative of the operands, of these, and of the
    whole.
    """
    used = names(parse(entry.derivative))
    needed = tuple(k for k, name in enumerate(entry.names) if f"d{name}" in used)
    return needed, rule(entry.derivative, (*entry.names, *(f"d{entry.names[k]}" for k in needed), "result"))


def _of_function(expr: Apply, op: Operator, d: Callable[[Expr], Expr]) -> Expr:
    """Return the derivative of a call of a function of the model."""
    if (along := getattr(op.function, "along", None)) is not None:
        return along(op, expr.args, d)  # type: ignore[no-any-return]
    if op.of_arrays:
        changes = [d(a) for a in expr.args]
        return ZERO if all(map(vanishes, changes)) else apply(op, *changes)
    slopes = [(k, slope) for k, slope in enumerate(map(d, expr.args)) if slope != ZERO]
    return sum_of(mul(op.function.partial(op, expr.args, k), slope) for k, slope in slopes)


def vanishes(change: Expr) -> bool:
    """Return whether a derivative is known to be zero."""
    return change == ZERO or (type(change) is Apply and entry_of(change.op) is PART and vanishes(change.args[0]))


def partial(expr: Expr, name: str) -> Expr:
    """Return the partial derivative of ``expr`` with respect to the variable ``name`` (``time`` and all other names are
    constant).
    """

    def leaf(node: Expr) -> Expr | None:
        if type(node) is Apply and type(node.op) is Operator and not node.op.function.differentiable:
            if name not in names(node):
                return ZERO
            raise ModelError(f"'{node}' has no known partial derivatives", path=str.__str__(node.op))
        return (ONE if node.name == name else ZERO) if type(node) is Name else None

    return differentiate(expr, leaf)


Split = dict[int, tuple[Expr, tuple[Expr, Expr] | None]]
"""By identity: an expression (kept alive, so that nothing else gets its identity) and what `linear_in` says of it."""


def linear_in(expr: Expr, name: str, done: Split | None = None) -> tuple[Expr, Expr] | None:
    """Return ``(a, b)`` with ``expr == a*name + b`` and a, b free of ``name``; None if the expression is not linear in it.

    ``done`` has what was asked before, with the same name.
    """
    done = {} if done is None else done
    for node in postorder(expr, done=done):
        if type(node) is Apply:
            parts = [done[id(a)][1] for a in node.args]
            free = all(p is not None and (p[0] is ZERO or p[0] == ZERO) for p in parts)
            done[id(node)] = node, ((ZERO, node) if free else _linear(node, parts))
        else:
            done[id(node)] = node, ((ONE, ZERO) if type(node) is Name and node.name == name else (ZERO, node))
    return done[id(expr)][1]


def _linear(expr: Apply, parts: list[tuple[Expr, Expr] | None]) -> tuple[Expr, Expr] | None:
    """Return the affine form of an operation that depends on the name, from those of its operands."""
    if any(p is None for p in parts):
        return None
    ab: list[tuple[Expr, Expr]] = [p for p in parts if p is not None]
    op = expr.op
    if op in ("+", "-"):
        return apply(op, ab[0][0], ab[1][0]), apply(op, ab[0][1], ab[1][1])
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
