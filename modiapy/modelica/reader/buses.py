"""Variables of expandable connectors that nothing uses: they are not there.

Source: Modelica Language Specification 3.6, section 9.1.3: what an expandable connector declares comes into being by a
connection to something else than another expandable connector, or by an equation.
"""

from __future__ import annotations

from ...model.expression import Equation, Name, names
from ...symbolic.flat.flat_model import FlatModel
from ...symbolic.terms.disjoint_sets import DisjointSets
from .reading import Reading
from .terms.values import names_of, scalars


def leave_out_unused(reading: Reading) -> None:
    """Take variables of buses out that are connected to each other only."""
    declared = reading.trees["variables"].items()
    buses = {
        element.name
        for name, variable in declared
        if variable["from_expandable_connector"]
        for element in scalars(names_of(name, variable["dims"]))
    } & reading.flat.variables.keys()
    if not buses:
        return
    sets: DisjointSets[str] = DisjointSets()
    used = _used_elsewhere(reading.flat)
    between = []
    for k, equation in enumerate(reading.flat.equations):
        assert isinstance(equation, Equation)
        sides = equation.lhs, equation.rhs
        if type(sides[0]) is Name and type(sides[1]) is Name and {sides[0].name, sides[1].name} <= buses:
            sets.unite(sides[0].name, sides[1].name)
            between.append((k, sides[0].name))
        else:
            used |= (names(sides[0]) | names(sides[1])) & buses
    alive = {sets.find(name) for name in used & buses}
    gone = {k for k, name in between if sets.find(name) not in alive}
    reading.flat.equations = [e for k, e in enumerate(reading.flat.equations) if k not in gone]
    for name in buses:
        if sets.find(name) not in alive:
            del reading.flat.variables[name]


def _used_elsewhere(flat: FlatModel) -> set[str]:
    """Return the names that when-equations, initial equations and assertions refer to."""
    exprs = [a.condition for a in flat.assertions]
    exprs += [side for e in flat.initial_equations for side in (e.lhs, e.rhs)]
    for when in flat.whens:
        for branch in when.branches:
            exprs += branch.conditions
            exprs += [side for e in branch.equations for side in (e.lhs, e.rhs)]
            exprs += [side for pair in branch.reinits for side in pair]
    return set().union(*map(names, exprs)) if exprs else set()
