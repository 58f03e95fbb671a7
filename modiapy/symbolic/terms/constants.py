"""Expressions that depend on parameters only."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping

from ...model.expression import Apply, Expr, Name, evaluate, is_array_operator, walk
from ...model.language import names_with

READS = names_with("reads")
"""Operators that read memory of the simulation: their value changes at events only, although they have no variable argument."""


def is_constant(expr: Expr, parameters: Container[str]) -> bool:
    """Return whether ``expr`` depends on nothing but parameters: neither on variables nor on time, modes of relations or
    events.
    """
    for node in walk(expr):
        if type(node) is Name:
            if node.name not in parameters:
                return False
        elif type(node) is Apply and (node.op in READS or is_array_operator(node.op)):
            return False
    return True


def constant_value(expr: Expr, parameters: Mapping[str, float]) -> float:
    """Return the value of an expression that `is_constant`; NaN where it has none, such as ``1/p`` with p = 0."""
    try:
        return evaluate(expr, parameters)
    except (ValueError, ArithmeticError):
        return math.nan
