"""Operators of clocked equations, as they stand in expressions until `expansion` replaces them.

``sample(u, c)`` is ``Apply("clocked sample", (u, c))`` and so on; a variable of the type ``Clock`` is its name. Source:
Modelica Language Specification 3.6, chapter 16.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....model.expression import Apply, Const, Expr, Name, Text
from ..terms.context import Evaluation, Locals
from ..terms.refusals import Refusal
from ..terms.values import Value, each

SAMPLE, HOLD, PREVIOUS, NO_CLOCK = "clocked sample", "clocked hold", "clocked previous", "noClock"
SUB, SUPER, SHIFT, BACK = "subSample", "superSample", "shiftSample", "backSample"
INTERVAL, FIRST, CLOCK = "clocked interval", "firstTick", "Clock"
CONVERSIONS = frozenset({SUB, SUPER, SHIFT, BACK})
BORDERS = CONVERSIONS | {SAMPLE, HOLD, NO_CLOCK}
"""Operators whose first operand belongs to another partition."""
ALL = BORDERS | {PREVIOUS, INTERVAL, FIRST, CLOCK}
_NAMED = "__rumoca_named_arg"


def _named(tree: Any) -> Any:
    """Return the value of an argument, which may have a name."""
    call = tree.get("FunctionCall")
    name = call["name"] if call is not None else ""
    text = name if isinstance(name, str) else str(name.get("name", ""))
    return call["args"][0] if _NAMED in text else tree


def _over_first(op: str, most: int) -> Callable[..., Value]:
    """Return an operator of one value and of whole numbers."""

    def function(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
        if not 1 <= len(args) <= most:
            raise Refusal(f"'{op}' has the wrong number of arguments: {len(args)}")
        value, *numbers = (interpreter.value(_named(a), local) for a in args)
        known = tuple(interpreter.known(n) for n in numbers)
        return each(lambda e: e if type(e) is Const else Apply(op, (e, *known)), value)

    return function


def clocked_sample(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value | None:
    """Return ``sample(u)`` and ``sample(u, clock)``; None if this is ``sample(start, interval)``."""
    if len(args) == 1:
        return each(lambda e: Apply(SAMPLE, (e,)), interpreter.value(args[0], local))
    second = interpreter.value(args[1], local)
    if not is_clock(second, interpreter.reading.clocks):
        return None
    return each(lambda e: Apply(SAMPLE, (e, second)), interpreter.value(args[0], local))


def _of_own_clock(op: str) -> Callable[..., Value]:
    def function(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
        if not args:
            return Apply(op, ())
        value = interpreter.value(args[0], local)
        return Apply(op, (value.flat[0] if isinstance(value, np.ndarray) else value,))

    return function


def _clock(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
    values = [interpreter.value(_named(a), local) for a in args]
    return Apply(CLOCK, tuple(Text(v) if isinstance(v, str) else v for v in values))


def is_clock(value: Value, clocks: set[str]) -> bool:
    """Return whether a value is a clock.

    Args:
        clocks: names of variables that are.
    """
    if type(value) is Name:
        return value.name in clocks
    return type(value) is Apply and (value.op == CLOCK or (value.op in CONVERSIONS and is_clock(value.args[0], clocks)))


def has_clocks(expr: Expr) -> bool:
    """Return whether an operation itself is one of clocks."""
    return type(expr) is Apply and expr.op in ALL


OPERATORS: dict[str, Callable[..., Value]] = {
    "Hold": _over_first(HOLD, 1),
    "Previous": _over_first(PREVIOUS, 1),
    "NoClock": _over_first(NO_CLOCK, 1),
    "SubSample": _over_first(SUB, 2),
    "SuperSample": _over_first(SUPER, 2),
    "ShiftSample": _over_first(SHIFT, 3),
    "BackSample": _over_first(BACK, 3),
    "Interval": _of_own_clock(INTERVAL),
    "FirstTick": _of_own_clock(FIRST),
    "Clock": _clock,
}
"""By the front end's name of the function."""
