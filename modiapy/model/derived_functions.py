"""Functions of the language that are written in terms of others. All events come from what they are made of.

Source of the definitions: Modelica Language Specification 3.6, sections 3.7.1 and 3.7.4.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from .expression import ONE, ZERO, Apply, Expr, apply, div, mul, neg, sub


def floor(x: Expr) -> Expr:
    """The largest integer that is not greater than ``x``; the operator from which all others here have their events."""
    return apply("floor", x)


def quotient(x: Expr, y: Expr) -> Expr:
    """``div(x, y)``: x/y without its fraction. The sign makes no event, as the value is 0 on both sides of it."""
    ratio = div(x, y)
    return mul(apply("sign", ratio), floor(apply("abs", ratio)))


def semi_linear(x: Expr, positive: Expr, negative: Expr) -> Expr:
    """``semiLinear(x, positive, negative)``: x times one of two slopes."""
    return apply("if", Apply(">=", (x, ZERO)), mul(positive, x), mul(negative, x))


def _folded(op: str) -> Callable[..., Expr]:
    return lambda *args: functools.reduce(functools.partial(apply, op), args)


DERIVED_FUNCTIONS: dict[str, tuple[int, float, Callable[..., Expr]]] = {
    "ceil": (1, 1, lambda x: neg(floor(neg(x)))),
    "integer": (1, 1, floor),
    "div": (2, 2, quotient),
    "mod": (2, 2, lambda x, y: sub(x, mul(floor(div(x, y)), y))),
    "rem": (2, 2, lambda x, y: sub(x, mul(quotient(x, y), y))),
    "semiLinear": (3, 3, semi_linear),
    "homotopy": (2, 2, lambda actual, simplified: Apply("if", (ONE, actual, simplified))),
    "min": (2, math.inf, _folded("min")),
    "max": (2, math.inf, _folded("max")),
}
"""Name -> smallest and largest number of arguments, the expression that it stands for."""
