"""Initial equations that say what a discrete variable was before the beginning: ``pre(n) = 3`` is its ``init``."""

from __future__ import annotations

from dataclasses import replace

from ...model.errors import ModelError
from ...model.expression import Apply, Equation, Expr, Name
from ..flat.flat_model import FlatModel
from ..terms.constants import constant_value, is_constant


def settle_initial_memory(flat: FlatModel) -> None:
    """Take initial equations of the form ``pre(n) = constant`` out and give the constants to the variables.

    Raises:
        ModelError: the variable has another ``init``.
    """
    left = []
    for equation in flat.initial_equations:
        found = _memory(equation, flat) if isinstance(equation, Equation) else None
        if found is None:
            left.append(equation)
            continue
        name, value = found
        variable = flat.variables[name]
        if variable.init is not None and variable.init != value:
            raise ModelError(
                "two values before the beginning contradict each other",
                path=name,
                found=f"init={variable.init!r} and '{equation}'",
                expected="one of them",
            )
        flat.variables[name] = replace(variable, init=value)
    flat.initial_equations[:] = left


def _memory(equation: Equation, flat: FlatModel) -> tuple[str, float] | None:
    """Return the variable and its value before the beginning, where the equation is of this form."""
    for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        name = _remembered(side)
        if name in flat.variables and name not in flat.shapes and is_constant(other, flat.parameters):
            return name, float(constant_value(other, flat.parameters))
    return None


def _remembered(expr: Expr) -> str:
    """Return the variable of which an expression is the value before an event; "" if it is something else."""
    is_pre = type(expr) is Apply and expr.op in ("pre", "previous") and type(expr.args[0]) is Name
    return expr.args[0].name if is_pre else ""  # type: ignore[attr-defined]
