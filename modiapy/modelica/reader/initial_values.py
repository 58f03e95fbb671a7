"""Initial equations of discrete variables: where parameters determine them they are the values before the first event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Any

from ...model.expression import TIME, ZERO, Apply, Const, Equation, Expr, Name, rewrite, substitute
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
    left: list[Equation] = []
    for equation in flat.initial_equations:
        if _is_discrete(equation.lhs, discrete) and _is_discrete(equation.rhs, discrete):
            equal.unite(equation.lhs, equation.rhs)
        else:
            left.append(equation)
    known = _parametric(reading)
    while new := [found for equation in left if (found := _value(reading, equation, discrete, known)) is not None]:
        for equation, variable, value in new:
            known[variable] = value
            _give(reading, _before(variable, equal, discrete), value)
            left.remove(equation)
    flat.initial_equations[:] = left


def _parametric(reading: Reading) -> dict[Expr, Expr]:
    """Return the variables that equations make equal to an expression of parameters, with that expression."""
    equal: DisjointSets[Expr] = DisjointSets()
    values: dict[Expr, Expr] = {}
    for e in reading.flat.equations:
        if isinstance(e, Equation) and type(e.lhs) is Name and e.lhs.name not in reading.parameters.computed:
            if reading.is_parametric(e.rhs):
                values[e.lhs] = e.rhs
            elif type(e.rhs) is Name:
                equal.unite(e.lhs, e.rhs)
    by_root = {equal.find(variable): value for variable, value in values.items()}
    return values | {member: by_root[root] for member in list(equal.parent) if (root := equal.find(member)) in by_root}


def _value(
    reading: Reading, equation: Equation, discrete: set[str], known: Mapping[Expr, Expr]
) -> tuple[Equation, Expr, Expr] | None:
    """Return the discrete variable to which an initial equation gives a value that is known, or follows from such; and the
    value.
    """
    for variable, expr in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if _is_discrete(variable, discrete) and variable not in known:
            value = rewrite(expr, known.get) if known else expr
            if reading.is_parametric(_at_begin(value, reading.flat)):
                return equation, variable, value
    return None


def _before(variable: Expr, equal: DisjointSets[Expr], discrete: set[str]) -> list[str]:
    """Return the variables whose values before the first event are equal to a variable; itself if there are none."""
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
    """Return whether an expression is a discrete variable, or its value before an event."""
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
    settled: set[str] = set()
    while new := [
        *_known(reading, flat.initial_equations, constant),
        *_known(reading, flat.equations, reading.parameters.computed),
    ]:
        for equation, name, value in new:
            if value is not equation.rhs:
                flat.start_time = _begin(flat)
            reading.parameters.numbers[name] = reading.number(value)
            if type(value) is not Const:
                reading.parameters.bindings[name] = value
            flat.variables.pop(name, None)
            settled.add(name)
        gone = {id(equation) for equation, _, _ in new}
        flat.initial_equations[:] = [e for e in flat.initial_equations if id(e) not in gone]
        flat.equations = [e for e in flat.equations if id(e) not in gone]
    rates = {Apply("der", (Name(name),)) for name in settled}
    flat.equations = [e for e in flat.equations if not (isinstance(e, Equation) and e.lhs in rates and e.rhs is ZERO)]


def _known(reading: Reading, equations: Iterable[Any], wanted: Set[str]) -> list[tuple[Equation, str, Expr]]:
    """Return the equations that give one of the wanted parameters a value that is known, with its name and the value."""
    found: dict[str, tuple[Equation, str, Expr]] = {}
    for equation in equations:
        name = equation.lhs.name if isinstance(equation, Equation) and type(equation.lhs) is Name else ""
        if name in wanted and name not in found and name not in reading.parameters.numbers:
            value = _at_begin(equation.rhs, reading.flat)
            if reading.is_parametric(value):
                found[name] = equation, name, value
    return list(found.values())


def _begin(flat: FlatModel) -> float:
    return flat.defaults.get("start_time", 0.0)


def _at_begin(expr: Expr, flat: FlatModel) -> Expr:
    """Return an expression at the initial time."""
    return substitute(expr, {TIME.name: Const(_begin(flat))})
