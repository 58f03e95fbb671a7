"""What flows together at a connection with ``semiLinear``: its specific value is known also where nothing flows.

Of connected ports, ``H = semiLinear(m, h, s)`` of each, ``sum(H) = 0`` and ``sum(m) = 0`` do not determine h where all m are
zero. One of these equations is replaced by what follows from all: h is the mean of the s of those ports from which it
flows; that of the first port where nothing does. Source: Modelica Language Specification 3.6, section 3.7.4.5.
"""

from __future__ import annotations

from functools import reduce

from ...model.expression import ZERO, Apply, Equation, Expr, Name, add, apply, div, mul, neg, rewrite, walk
from ...model.language import LANGUAGE
from ...model.parser import rule
from ...symbolic.flat.flat_model import FlatModel, WhenBranch, WhenEquation
from ...symbolic.terms.disjoint_sets import DisjointSets

SEMI_LINEAR = "semiLinear"
_EXPAND = rule(LANGUAGE[SEMI_LINEAR].expansion, LANGUAGE[SEMI_LINEAR].names)


def expanded(x: Expr, positive: Expr, negative: Expr) -> Expr:
    """``semiLinear(x, positive, negative)`` by ``if``."""
    return _EXPAND(x, positive, negative)


def settle_mixing(flat: FlatModel) -> None:
    """Replace one equation at each connection, and expand ``semiLinear`` everywhere."""
    given = [e for e in flat.equations if isinstance(e, Equation)]
    if not any(_is_semi_linear(node) for e in given for node in walk(e.lhs, e.rhs)):
        return
    ports = {e.lhs.name: e for e in given if type(e.lhs) is Name and _is_port(e.rhs)}
    sums = {frozenset(found): e for e in given if (found := _summed(e))}
    equal: DisjointSets[str] = DisjointSets()
    for e in given:
        if type(e.lhs) is Name and type(e.rhs) is Name:
            equal.unite(e.lhs.name, e.rhs.name)
    replaced: dict[int, Equation] = {}
    for members in sums:
        own = [ports[name] for name in sorted(members) if name in ports]
        if len(own) != len(members):
            continue
        flows = [_operands(e)[0] for e in own]
        values = [_operands(e)[1] for e in own]
        connected = len({equal.find(v.name) for v in values if type(v) is Name}) == 1
        if connected and frozenset(f.name for f in flows if type(f) is Name) in sums:
            replaced[id(own[-1])] = Equation(values[0], _mixed(own), own[-1].path, str(own[-1]))
    flat.equations = [_expanded(replaced.get(id(e), e)) if isinstance(e, Equation) else e for e in flat.equations]
    flat.initial_equations[:] = [_expanded(e) for e in flat.initial_equations]
    flat.whens = [_expanded_when(w) for w in flat.whens]


def _mixed(ports: list[Equation]) -> Expr:
    """The value of what flows together."""
    flows = [_operands(e)[0] for e in ports]
    inner = [_operands(e)[2] for e in ports]
    if len(ports) == 2:
        return apply("if", Apply(">=", (flows[0], ZERO)), inner[1], inner[0])
    weights = [apply("max", neg(f), ZERO) for f in flows]
    total = reduce(add, weights)
    mean = div(reduce(add, map(mul, weights, inner)), total)
    return Apply("noEvent", (apply("if", Apply(">", (total, ZERO)), mean, inner[0]),))


def _is_semi_linear(node: Expr) -> bool:
    return type(node) is Apply and node.op == SEMI_LINEAR


def _is_port(expr: Expr) -> bool:
    return type(expr) is Apply and expr.op == SEMI_LINEAR and type(expr.args[0]) is Name and type(expr.args[1]) is Name


def _operands(equation: Equation) -> tuple[Expr, ...]:
    assert type(equation.rhs) is Apply
    return equation.rhs.args


def _summed(equation: Equation) -> list[str]:
    """Names whose sum is zero; none if the equation says something else."""
    if equation.rhs is not ZERO:
        return []
    nodes = list(walk(equation.lhs))
    found = [node.name for node in nodes if type(node) is Name]
    plain = all(type(node) is Name or (type(node) is Apply and node.op == "+") for node in nodes)
    return found if plain and len(found) > 1 else []


def _expanded(equation: Equation) -> Equation:
    def change(node: Expr) -> Expr | None:
        return expanded(*(rewrite(a, change) for a in node.args)) if _is_semi_linear(node) else None  # type: ignore[attr-defined]

    lhs, rhs = rewrite(equation.lhs, change), rewrite(equation.rhs, change)
    unchanged = lhs is equation.lhs and rhs is equation.rhs
    return equation if unchanged else Equation(lhs, rhs, equation.path, str(equation))


def _expanded_when(when: WhenEquation) -> WhenEquation:
    branches = tuple(
        WhenBranch(b.conditions, tuple(map(_expanded, b.equations)), b.reinits, b.terminations) for b in when.branches
    )
    return WhenEquation(branches, when.path, when.text)
