"""Initial equations of discrete variables: where parameters determine them they are the values before the first event."""

from __future__ import annotations

from dataclasses import replace

from ...model.expression import TIME, ZERO, Apply, Const, Equation, Expr, Name, substitute
from ...symbolic.flat.flat_model import FlatModel
from ...symbolic.terms.disjoint_sets import DisjointSets
from .reading import Reading


def settle_discrete(reading: Reading) -> None:
    """Take initial equations of discrete variables out where they, and equations as ``a = pre(b)``, give ``pre(b)`` a value.

    In the values the time is the initial one, see `settle_computed`. What is equal to nothing known begins with its start
    value.
    """
    flat = reading.flat
    discrete = {name for name, variable in flat.variables.items() if variable.type != "Real"}
    discrete |= {e.lhs.name for when in flat.whens for b in when.branches for e in b.equations if type(e.lhs) is Name}
    equal: DisjointSets[Expr] = DisjointSets()
    for equation in flat.equations:
        if isinstance(equation, Equation) and _is_discrete(equation.lhs, discrete) and _is_discrete(equation.rhs, discrete):
            equal.unite(equation.lhs, equation.rhs)
    left, given = [], list[tuple[Expr, Expr]]()
    for equation in flat.initial_equations:
        sides = (equation.lhs, equation.rhs), (equation.rhs, equation.lhs)
        if _is_discrete(equation.lhs, discrete) and _is_discrete(equation.rhs, discrete):
            equal.unite(equation.lhs, equation.rhs)
            continue
        known = [(v, e) for v, e in sides if _is_discrete(v, discrete) and reading.is_parametric(_at_begin(e, flat))]
        given += known[:1]
        left += [] if known else [equation]
    for variable, value in given:
        _give(reading, _before(variable, equal, discrete), value)
    flat.initial_equations[:] = left


def _before(variable: Expr, equal: DisjointSets[Expr], discrete: set[str]) -> list[str]:
    """The variables whose values before the first event are equal to a variable; itself if there are none."""
    root = equal.find(variable)
    members = [e for e in list(equal.parent) if equal.find(e) == root]
    found = [e.args[0].name for e in members if type(e) is Apply and type(e.args[0]) is Name]
    names_found = found or [e.name for e in members if type(e) is Name]
    return [name for name in names_found if name in discrete]


def _give(reading: Reading, names_given: list[str], given: Expr) -> None:
    flat = reading.flat
    value = _at_begin(given, flat)
    if value is not given:
        flat.start_time = _begin(flat)
    for name in names_given:
        if type(value) is not Const:
            reading.parameters.bindings[f"{name}.init"] = value
        flat.variables[name] = replace(flat.variables[name], init=reading.number(value), start=None)


def _is_discrete(side: Expr, discrete: set[str]) -> bool:
    """Whether an expression is a discrete variable, or its value before an event."""
    inner = side.args[0] if type(side) is Apply and side.op == "pre" else side
    return type(inner) is Name and inner.name in discrete


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
