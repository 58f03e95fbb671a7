"""Rules of the language as functions on expressions: ``"cos(x)*dx"`` becomes the constructors that build it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .expression import CONSTANTS, SIMPLIFYING, Apply, Const, Expr, Name, apply, substitute


def built(rule: Expr, operands: Sequence[str]) -> Callable[..., Expr]:
    """Return a function that puts expressions in place of the ``operands`` of a rule, by the constructors that simplify."""
    rule = substitute(rule, {name: Const(value) for name, value in CONSTANTS.items()})
    known: dict[str, Any] = {f"_{function.__name__}": function for function in SIMPLIFYING.values()}
    known["_apply"] = apply

    def code(node: Expr) -> str:
        if type(node) is Const:
            known[label := f"_{len(known)}"] = node
            return label
        if type(node) is Name:
            return node.name
        assert type(node) is Apply
        args = ", ".join(map(code, node.args))
        simplify = SIMPLIFYING.get(node.op)
        return f"_apply({node.op!r}, {args})" if simplify is None else f"_{simplify.__name__}({args})"

    function: Callable[..., Expr] = eval(f"lambda {', '.join(operands)}: {code(rule)}", known)
    return function
