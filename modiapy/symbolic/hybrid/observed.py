"""Variables that nothing but results needs: their equations make no events, and are set apart from the others.

A model is observed by more variables than it consists of: what is drawn, what is compared, what is printed. Those that a
front end marks as `Variable.observed` (ModelingToolkit's word) are evaluated where results are stored, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ...model.expression import Apply, Const, Equation, Expr, Name, names
from ..flat.flat_model import FlatModel, Node, expressions
from ..terms.names import order_of
from .events import Events


def silenced(flat: FlatModel) -> FlatModel:
    """Return the model where the equations of observed variables that nothing else needs make no events; itself if there are
    none.
    """
    if not any(v.observed for v in flat.variables.values()):
        return flat
    defined = _defined(flat)
    needed = names(*_others(flat, {k for k, _ in defined.values()}))
    pending = [name for name in defined if name in needed]
    while pending:
        name = pending.pop()
        needed_by = defined.pop(name, None)
        if needed_by is not None:
            pending += [n for n in names(needed_by[1].rhs) if n in defined]
    equations: list[Node] = list(flat.equations)
    for k, equation in defined.values():
        equations[k] = replace(equation, rhs=Apply("noEvent", (equation.rhs,)))
    variables = {name: replace(v, observed=name in defined) if v.observed else v for name, v in flat.variables.items()}
    return replace(flat, equations=equations, variables=variables)


def _defined(flat: FlatModel) -> dict[str, tuple[int, Equation]]:
    """Return the observed variables that one equation defines, ``v = expression``; neither an initial value nor an input."""
    found: dict[str, tuple[int, Equation]] = {}
    twice: set[str] = set()
    for k, e in enumerate(flat.equations):
        name = _observed_by(e, flat)
        if name and isinstance(e, Equation):
            if name in found:
                twice.add(name)
            rhs = e.rhs if e.lhs == Name(name) else e.lhs
            found[name] = k, replace(e, lhs=Name(name), rhs=rhs, text=str(e))
    return {name: entry for name, entry in found.items() if name not in twice}


def _observed_by(equation: Node, flat: FlatModel) -> str:
    """Return the variable that an equation defines, if it is observed only; ""."""
    if isinstance(equation, Equation):
        for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
            variable = flat.variables.get(side.name) if type(side) is Name else None
            if variable is not None and variable.observed and variable.init is None and not variable.input:
                return "" if _is_alias(other) else variable.name
    return ""


def _is_alias(expr: Expr) -> bool:
    """Return whether alias elimination takes ``v = expr`` out, so that nothing has to be computed."""
    alone = expr.args[0] if type(expr) is Apply and expr.op == "neg" else expr
    return type(alone) in (Name, Const)


def _others(flat: FlatModel, without: set[int]) -> Iterator[Expr]:
    """Generate all expressions of a model but those of some equations."""
    for k, e in enumerate(flat.equations):
        if k not in without:
            yield from expressions(e)
    for e in flat.initial_equations:
        yield from expressions(e)
    for when in flat.whens:
        for branch in when.branches:
            yield from branch.conditions
            yield from (side for e in branch.equations for side in expressions(e))
            yield from (e for reinit in branch.reinits for e in reinit)
    yield from (assertion.condition for assertion in flat.assertions if not assertion.is_silent)


def set_apart(events: Events) -> tuple[Events, tuple[Equation, ...]]:
    """Return the equations that others need, and those of observed variables, in the order of their evaluation."""
    variables = events.flat.variables
    own = {
        e.lhs.name: e
        for e in events.equations
        if isinstance(e, Equation) and type(e.lhs) is Name and e.lhs.name in variables and variables[e.lhs.name].observed
    }
    if not own:
        return events, ()
    left: list[Node] = [e for e in events.equations if not _defines(e, own)]
    known = names(*(side for e in left for side in expressions(e)))
    for name in [name for name, e in own.items() if any(order_of(n) and n not in known for n in names(e.rhs))]:
        del own[name]  # a derivative that nothing else needs has to be found by index reduction
    order = _ordered(own)
    apart = {e.lhs.name for e in order if type(e.lhs) is Name}
    kept = [e for e in events.equations if not _defines(e, apart)]
    return replace(events, equations=kept), tuple(order)


def _defines(equation: Node, of: Iterable[str]) -> bool:
    return isinstance(equation, Equation) and type(equation.lhs) is Name and equation.lhs.name in of


def _ordered(own: dict[str, Equation]) -> Sequence[Equation]:
    """Return each after those whose variables it needs; without those that need each other, and what needs these."""
    waits: dict[str, int] = {}
    users: dict[str, list[str]] = {}
    for name, e in own.items():
        needed = [n for n in names(e.rhs) if n in own]
        waits[name] = len(needed)
        for n in needed:
            users.setdefault(n, []).append(name)
    order = [name for name, n in waits.items() if not n]
    for name in order:
        for user in users.get(name, ()):
            waits[user] -= 1
            if not waits[user]:
                order.append(user)
    return [own[name] for name in order]
