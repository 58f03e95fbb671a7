"""Initial equations of discrete variables: where parameters determine them they are the values before the first event."""

from __future__ import annotations

from dataclasses import replace

from ...model.expression import TIME, ZERO, Apply, Const, Equation, Expr, Name, substitute
from ...symbolic.flat.flat_model import FlatModel
from .reading import Reading


def settle_discrete(reading: Reading) -> None:
    """Take initial equations ``v = e`` and ``pre(v) = e`` of discrete variables out, e being an expression of parameters.

    In e, the time is the initial one, see `settle_computed`.
    """
    flat = reading.flat
    discrete = {name for name, variable in flat.variables.items() if variable.type != "Real"}
    discrete |= {e.lhs.name for when in flat.whens for b in when.branches for e in b.equations if type(e.lhs) is Name}
    left = []
    for equation in flat.initial_equations:
        name, given = _of_discrete(equation, discrete)
        value = _at_begin(given, flat)
        if not name or not reading.is_parametric(value):
            left.append(equation)
            continue
        if value is not given:
            flat.start_time = _begin(flat)
        if type(value) is not Const:
            reading.parameters.bindings[f"{name}.init"] = value
        flat.variables[name] = replace(flat.variables[name], init=reading.number(value), start=None)
    flat.initial_equations[:] = left


def settle_computed(reading: Reading) -> None:
    """Make parameters of variables that initialization computes from parameters and the initial time alone.

    The initial time is that of the experiment, else 0, and may not be another one then.
    """
    flat = reading.flat
    constant = {
        e.lhs.args[0].name
        for e in flat.equations
        if isinstance(e, Equation)
        and type(e.lhs) is Apply
        and e.lhs.op == "der"
        and type(e.lhs.args[0]) is Name
        and e.rhs is ZERO
    }
    settled = set()
    left = []
    for equation in flat.initial_equations:
        name = equation.lhs.name if type(equation.lhs) is Name else ""
        value = _at_begin(equation.rhs, flat)
        if name not in constant or not reading.is_parametric(value):
            left.append(equation)
            continue
        if value is not equation.rhs:
            flat.start_time = _begin(flat)
        settled.add(name)
        reading.parameters.numbers[name] = reading.number(value)
        if type(value) is not Const:
            reading.parameters.bindings[name] = value
        del flat.variables[name]
    if settled:
        gone = {Apply("der", (Name(name),)) for name in settled}
        flat.equations = [e for e in flat.equations if not (isinstance(e, Equation) and e.lhs in gone and e.rhs is ZERO)]
        flat.initial_equations[:] = left


def _begin(flat: FlatModel) -> float:
    return flat.defaults.get("start_time", 0.0)


def _at_begin(expr: Expr, flat: FlatModel) -> Expr:
    """An expression at the initial time."""
    return substitute(expr, {TIME.name: Const(_begin(flat))})


def _of_discrete(equation: Equation, discrete: set[str]) -> tuple[str, Expr]:
    for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        inner = side.args[0] if type(side) is Apply and side.op == "pre" else side
        if type(inner) is Name and inner.name in discrete:
            return inner.name, other
    return "", equation.rhs
