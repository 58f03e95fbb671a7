"""Expressions for readers: equal ones that are written as one would on paper."""

from __future__ import annotations

from ...model.expression import Apply, Expr, add, neg, postorder, sub


def signs_collected(expr: Expr) -> Expr:
    """Return ``a - -b`` as ``a + b``, ``-(-a + b)`` as ``a - b``: what is left where aliases with a sign were put in."""
    done: dict[int, Expr] = {}
    for node in postorder(expr):
        if type(node) is not Apply or not node.args:
            done[id(node)] = node
            continue
        args = tuple(done[id(a)] for a in node.args)
        if node.op == "+" and len(args) == 2:
            done[id(node)] = _sum(*args)
        elif node.op == "-" and len(args) == 2:
            done[id(node)] = sub(*args)
        elif node.op == "neg":
            done[id(node)] = _negated(args[0])
        else:
            done[id(node)] = Apply(node.op, args)
    return done[id(expr)]


def _sum(a: Expr, b: Expr) -> Expr:
    if (first := _opposite(a)) is not None and _opposite(b) is None:
        return sub(b, first)
    return add(a, b)


def _negated(a: Expr) -> Expr:
    if type(a) is Apply and a.op == "-":
        return sub(a.args[1], a.args[0])
    if type(a) is Apply and a.op == "+" and (first := _opposite(a.args[0])) is not None:
        return sub(first, a.args[1])
    return neg(a)


def _opposite(a: Expr) -> Expr | None:
    return a.args[0] if type(a) is Apply and a.op == "neg" else None
