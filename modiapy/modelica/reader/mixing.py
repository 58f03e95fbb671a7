"""Mixing of flows by ``semiLinear``: specific values are known also where nothing flows.

Of connected ports, ``H = semiLinear(m, h, s)`` of each, ``sum(H) = 0`` and ``sum(m) = 0`` do not determine h where all m are
zero. So it is with s within a component that stores nothing. One of these equations is replaced by what follows from all: the
value is the mean of those from which something flows; where nothing does, one of those. Flows that are equal but for their
sign have one direction then, so that a value is handed through several components from one end. Source: Modelica Language
Specification 3.6, section 3.7.4.5.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import reduce

from ...model.expression import ZERO, Apply, Const, Equation, Expr, Name, add, apply, div, mul, neg, rewrite, walk
from ...model.language import LANGUAGE
from ...model.parser import rule
from ...symbolic.flat.flat_model import FlatModel, WhenBranch, WhenEquation
from ...symbolic.terms.disjoint_sets import DisjointSets, SignedSets

SEMI_LINEAR = "semiLinear"
_REST = Const(1e-60)
"""Weight of what is there where nothing flows: it is lost in rounding beside any other."""
_EXPAND = rule(LANGUAGE[SEMI_LINEAR].expansion, LANGUAGE[SEMI_LINEAR].names)


def expanded(x: Expr, positive: Expr, negative: Expr) -> Expr:
    """Return ``semiLinear(x, positive, negative)`` by ``if``."""
    return _EXPAND(x, positive, negative)


@dataclass(frozen=True)
class _Node:
    """Node where several ports meet: a connection, or a component that stores nothing.

    Attributes:
        ports: their equations ``H = semiLinear(m, h, s)``.
        value: what has one value there: h of a connection, s of a component.
        others: the other specific values of the ports.
        inflows: what comes from each of them, as factor and name.
    """

    ports: tuple[Equation, ...]
    value: Expr
    others: tuple[Expr, ...]
    inflows: tuple[tuple[int, str], ...]


def settle_mixing(flat: FlatModel) -> None:
    """Replace one equation at each node, and expand ``semiLinear`` everywhere."""
    given = [e for e in flat.equations if isinstance(e, Equation)]
    if not any(_is_semi_linear(node) for e in given for node in walk(e.lhs, e.rhs)):
        return
    equal: DisjointSets[str] = DisjointSets()
    for e in given:
        if type(e.lhs) is Name and type(e.rhs) is Name:
            equal.unite(e.lhs.name, e.rhs.name)
    sums = _sums(given)
    nodes = _nodes(given, sums, equal)
    directions = _directions(given, sums)
    settled = {equal.find(n.value.name) for n in nodes if type(n.value) is Name}
    replaced = {
        id(port): Equation(node.value, _mixed(node, directions, settled, equal), port.path, str(port))
        for node, port in _assigned(nodes)
    }
    flat.equations = [_expanded(replaced.get(id(e), e)) if isinstance(e, Equation) else e for e in flat.equations]
    flat.initial_equations[:] = [_expanded(e) for e in flat.initial_equations]
    flat.whens = [_expanded_when(w) for w in flat.whens]


def _sums(given: Sequence[Equation]) -> list[tuple[str, ...]]:
    """Return the names whose sum is zero; without those that are zero themselves."""
    zero = {e.lhs.name for e in given if type(e.lhs) is Name and e.rhs == ZERO}
    found = [tuple(sorted(set(_summed(e)) - zero)) for e in given]
    return list(dict.fromkeys(names for names in found if len(names) > 1))


def _nodes(given: Sequence[Equation], sums: Sequence[tuple[str, ...]], equal: DisjointSets[str]) -> list[_Node]:
    ports = {e.lhs.name: e for e in given if type(e.lhs) is Name and _is_port(e.rhs)}
    found: list[_Node] = []
    for members in sums:
        own = tuple(ports[name] for name in members if name in ports)
        flows, outer, inner = (tuple(_operands(e)[k] for e in own) for k in range(3))
        names = [f.name for f in flows if type(f) is Name]
        if len(own) != len(members) or tuple(sorted(names)) not in sums:
            continue
        if len({equal.find(v.name) for v in outer if type(v) is Name}) == 1:
            found.append(_Node(own, outer[0], inner, tuple((-1, name) for name in names)))
        elif len(set(inner)) == 1 and type(inner[0]) is Name:
            found.append(_Node(own, inner[0], outer, tuple((1, name) for name in names)))
    return found


def _assigned(nodes: Sequence[_Node]) -> list[tuple[_Node, Equation]]:
    """Return each node with a port of its own whose equation it replaces; without those for which none is left."""
    taken: dict[int, tuple[_Node, Equation]] = {}

    def find(node: _Node, seen: set[int]) -> bool:
        for port in reversed(node.ports):
            if id(port) not in seen:
                seen.add(id(port))
                if id(port) not in taken or find(taken[id(port)][0], seen):
                    taken[id(port)] = node, port
                    return True
        return False

    for node in nodes:
        find(node, set())
    return list(taken.values())


def _directions(given: Sequence[Equation], sums: Sequence[tuple[str, ...]]) -> SignedSets:
    """Return the flows that are equal but for their sign, by equations ``a = b`` and ``a + b = 0``."""
    found = SignedSets()
    pairs = [(*names, -1) for names in sums if len(names) == 2]
    pairs += [(e.lhs.name, e.rhs.name, 1) for e in given if type(e.lhs) is Name and type(e.rhs) is Name]
    for a, b, sign in pairs:
        (first, of_a), (second, of_b) = found.find(a), found.find(b)
        if first != second:
            found.unite(second, first, sign * of_a * of_b)
    return found


def _mixed(node: _Node, directions: SignedSets, settled: Set[str], equal: DisjointSets[str]) -> Expr:
    """Return the value of what flows together."""
    forward, inflows = [], []
    for factor, name in node.inflows:
        first, sign = directions.find(name)
        forward.append(factor * sign > 0)
        inflows.append(Name(first) if forward[-1] else neg(Name(first)))
    flowing = [Apply(">=", (Name(directions.find(name)[0]), ZERO)) for _, name in node.inflows]
    if len(node.ports) == 2:
        one, other = node.others if forward[0] else node.others[::-1]
        return apply("if", flowing[0], one, other)
    weights = [
        apply("if", condition, *((apply("max", inflow, ZERO), ZERO)[:: 1 if same else -1]))
        for condition, inflow, same in zip(flowing, inflows, forward, strict=True)
    ]
    ends = [v for v in node.others if type(v) is not Name or equal.find(v.name) not in settled]
    still = ends[0] if ends else div(reduce(add, node.others), Const(len(node.others)))
    weighted = reduce(add, map(mul, weights, node.others))
    return div(add(weighted, mul(_REST, still)), add(reduce(add, weights), _REST))


def _is_semi_linear(node: Expr) -> bool:
    return type(node) is Apply and node.op == SEMI_LINEAR


def _is_port(expr: Expr) -> bool:
    return type(expr) is Apply and expr.op == SEMI_LINEAR and type(expr.args[0]) is Name and type(expr.args[1]) is Name


def _operands(equation: Equation) -> tuple[Expr, ...]:
    assert type(equation.rhs) is Apply
    return equation.rhs.args


def _summed(equation: Equation) -> list[str]:
    """Return the names whose sum is zero; none if the equation says something else."""
    if equation.rhs != ZERO:
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
