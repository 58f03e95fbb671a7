"""Connection sets: what the ``connect`` lists of all models mean as equations.

Rules of Modelica (specification 3.6, chapter 9): in a connection set all potential variables are equal and the flow variables
sum to zero, where a connector of the model that holds the ``connect`` itself is *outside* (its flow enters with a minus sign)
and a connector of one of its submodels is *inside*. A flow variable in no set as an inside connector is zero. An input is given
its value by exactly one source: the output of a submodel, or an input of the model itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...model.errors import ModelError, nearest
from ...model.expression import ZERO, Apply, Equation, Expr, Name, Text, add, evaluate, names, neg, rewrite, walk
from ...model.model import EQUALITY, EXPANDABLE, Var, is_number
from ...model.parser import parse, parse_statement
from ..terms.names import join
from .connection_sets import ConnectionSets, Link, Node, Unsettled, causality, equation_of
from .half_arrows import check_half_arrows
from .instance import Instance, is_entry, locate, offered
from .overdetermined import ConnectionForest, ConnectionGraph, Edge, spanning_forest


@dataclass
class Connections:
    """The result: equations, and the inside nodes that are in some set (all others are not connected).

    Attributes:
        equations: of the sets, and of flow variables that nothing is connected to.
        connected: names of variables connected from outside the model that they belong to.
        graph, forest, records: of overdetermined connectors; paths of these records.
        unsettled: signals of buses, see `settle`.
    """

    equations: list[Equation] = field(default_factory=list)
    connected: set[str] = field(default_factory=set)
    graph: ConnectionGraph = field(default_factory=ConnectionGraph)
    forest: ConnectionForest = field(default_factory=lambda: ConnectionForest(frozenset(), {}, ()))
    records: frozenset[str] = frozenset()
    unsettled: list[Unsettled] = field(default_factory=list)

    def settle(self, mentioned: Collection[str]) -> set[str]:
        """Decide on the signals of buses that no connection gives a value.

        Args:
            mentioned: the signals that equations mention, which may give them a value.

        Returns:
            Signals that nobody gives a value or reads; they are declared in a bus, but not there.

        Raises:
            ModelError: a signal is read that has no source.
        """
        unused: set[str] = set()
        for signal in self.unsettled:
            if not signal.names.isdisjoint(mentioned):
                self.equations += signal.equations
            elif signal.error is not None:
                raise signal.error
            else:
                unused |= signal.names
        return unused


def connects_of(instance: Instance) -> Iterator[object]:
    """Generate the connections of one model as written: entries of ``connect``, and those among the equations."""
    yield from instance.model.get("connect") or ()
    for text in instance.model.get("equations") or ():
        statement = parse_statement(text, instance.path) if isinstance(text, str) else None
        if statement is not None and statement[0] == "connect":
            yield statement[1]


def connected_paths(tree: Instance) -> tuple[tuple[str, ...], ...]:
    """Return the connections of a model and of its submodels as written, with paths relative to the model."""
    start = len(tree.path) + 1 if tree.path else 0
    found: list[tuple[str, ...]] = []
    for instance in tree.walk():
        for entry in connects_of(instance):
            if isinstance(entry, tuple | list) and all(isinstance(path, str) for path in entry):
                found.append(tuple(join(instance.path[start:], path) for path in entry))
    return tuple(found)


def signals_on_buses(tree: Instance) -> dict[str, Var]:
    """Return the variables of buses, by full path, to which only connections give a direction."""
    return {
        join(instance.path, key): variable
        for instance in tree.walk()
        if EXPANDABLE in instance.model
        for key, variable in instance.variables.items()
        if not any(variable.get(role) for role in ("input", "output", "potential", "flow"))
    }


def connection_equations(tree: Instance) -> Connections:
    """Return the equations of all connections of a model.

    Raises:
        ModelError: a path that leads nowhere, connectors that do not match, a causal connection without exactly one source.
    """
    sets = ConnectionSets(signals_on_buses(tree))
    records = {i.path: i for i in tree.walk() if EQUALITY in i.model}
    graph = ConnectionGraph()
    connects: list[tuple[Instance, object]] = []
    for instance in tree.walk():
        connects += [(instance, entry) for entry in connects_of(instance)]
        for equation in instance.model.get("equations") or ():
            statement = parse_statement(equation, instance.path) if isinstance(equation, str) else None
            if statement is not None and statement[0] != "connect":
                _add_to_graph(instance, statement, str(equation), graph, records)
    if records:
        for instance, entry in connects:
            graph.connections += _edges(instance, entry, records)
    try:
        forest = spanning_forest(graph)
    except ModelError:  # perhaps because a connection leads nowhere: this is what is wrong then
        for instance, entry in connects:
            _connect(instance, entry, ConnectionSets({}))
        raise
    cut = {(edge.a, edge.b) for edge in forest.cut}
    for instance, entry in connects:
        _connect(instance, entry, sets, [edge for edge in _edges(instance, entry, records) if (edge.a, edge.b) in cut])
    check_half_arrows(tree, sets)
    connected = {node.name for node in sets.parent if node.inside}
    result = Connections(connected=connected, graph=graph, forest=forest, records=frozenset(records))
    for edge in forest.cut:
        result.equations += _equality_constraint(edge, records)
    equations, result.unsettled = sets.signals()
    result.equations += equations
    result.equations += _flow_balances(sets)
    result.equations += _unconnected_flows(tree, result.connected)
    return result


def _flow_balances(sets: ConnectionSets) -> Iterator[Equation]:
    """Generate the flow variables of a set sum to zero."""
    first_link = {sets.find(link.a): link for link in reversed(sets.links)}
    for root, nodes in sets.members().items():
        if sets.variables[root.name].get("flow"):
            total: Expr = ZERO
            for node in nodes:
                total = add(total, Name(node.name) if node.inside else neg(Name(node.name)))
            yield equation_of(total, ZERO, first_link[root])


def _unconnected_flows(tree: Instance, connected: set[str]) -> Iterator[Equation]:
    for instance in tree.walk():
        for key, variable in instance.variables.items():
            name = join(instance.path, key)
            if variable.get("flow") and name not in connected:
                yield Equation(Name(name), ZERO, instance.path, f"{name} = 0 [not connected]")


def _add_to_graph(
    instance: Instance,
    statement: tuple[str, tuple[str, ...], Expr],
    text: str,
    graph: ConnectionGraph,
    records: Mapping[str, Instance],
) -> None:
    """Add ``Connections.root``, ``potential_root`` or ``branch``."""
    name, paths, priority = statement
    nodes = [record_at(instance, path, text, records) for path in paths]
    if name == "Connections.root":
        graph.roots.append(nodes[0])
    elif name == "Connections.potential_root":
        graph.potential_roots[nodes[0]] = _priority(priority, instance, text)
    else:
        graph.branches.append(Edge(nodes[0], nodes[1], instance.path, text))


def _priority(expr: Expr, instance: Instance, text: str) -> float:
    """Return the value of a priority, an expression of parameters."""
    found = {name: locate(instance, name) for name in names(expr)}
    values = {name: place.instance.values.get(place.key) for name, place in found.items() if place is not None}
    if not all(is_number(values.get(name)) for name in found) or any(type(node) is Text for node in walk(expr)):
        expected = "a number, or an expression of parameters; the lowest is preferred"
        raise ModelError(f"'{expr}' in '{text}' is no priority", path=instance.path, expected=expected)
    return evaluate(expr, {name: float(value) for name, value in values.items() if value is not None})


def record_at(instance: Instance, path: str, text: str, records: Iterable[str]) -> str:
    """Return the full path of the overdetermined record that ``text`` in an instance names. Raises ModelError if it is none."""
    node = join(instance.path, path)
    if node not in records:
        start = len(instance.path) + 1 if instance.path else 0
        known = [r[start:] for r in records if r.startswith(f"{instance.path}." if instance.path else "")]
        raise ModelError(
            f"'{path}' in '{text}' is not an overdetermined record",
            path=instance.path,
            expected=f"one of {', '.join(known)}" if known else f"a record with '{EQUALITY}'",
            remedy=nearest(path, known),
        )
    return node


def _edges(instance: Instance, entry: object, records: Iterable[str]) -> list[Edge]:
    """Return the edges between the overdetermined records of the connectors in one tuple of a ``connect`` list."""
    if not records or not isinstance(entry, tuple | list) or not all(isinstance(p, str) for p in entry):
        return []
    first, *others = [join(instance.path, path) for path in entry]
    below = [r[len(first) :] for r in records if r == first or r.startswith(f"{first}.")]
    text = f"connect({', '.join(entry)})"
    return [Edge(first + rest, other + rest, instance.path, text) for other in others for rest in below]


def _equality_constraint(edge: Edge, records: Mapping[str, Instance]) -> Iterator[Equation]:
    """Generate the equations in place of the equality of two overdetermined records."""
    given = records[edge.a].model[EQUALITY]
    if isinstance(given, str) or not isinstance(given, list | tuple):
        raise ModelError(f"'{EQUALITY}' is not a list", path=edge.a, found=repr(given), expected='["a.c*b.s - a.s*b.c"]')
    for text in given:
        sides = {"a": records[edge.a], "b": records[edge.b]}

        def change(node: Expr, text: str = text, sides: Mapping[str, Instance] = sides) -> Expr | None:
            if type(node) is not Name:
                return None
            side, _, rest = node.name.partition(".")
            place = locate(sides[side], rest) if side in sides and rest else None
            if place is None or place.scope is not sides[side] or place.key not in place.instance.variables:
                raise ModelError(f"'{node}' in '{text}' is no variable of the record", path=edge.a, expected="a.NAME or b.NAME")
            variable = Name(join(place.instance.path, place.key))
            return Apply(place.index, (variable,)) if place.index else variable

        residual = rewrite(parse(text, edge.a), change)
        yield Equation(residual, ZERO, edge.path, f"{residual} = 0 [equality constraint of {edge.text}]")


def _connect(instance: Instance, entry: object, sets: ConnectionSets, cut: Sequence[Edge] = ()) -> None:
    """Add one tuple of a ``connect`` list; the records of the edges in ``cut`` are left out."""
    if not isinstance(entry, tuple | list) or len(entry) < 2 or not all(isinstance(p, str) for p in entry):
        raise ModelError(
            "a connection is not a tuple of two or more paths",
            path=instance.path,
            found=repr(entry),
            expected='("a.flange_b", "b.flange_a")',
        )
    text = f"connect({', '.join(entry)})"
    ends = [_resolve(instance, path, text) for path in entry]
    first = ends[0]
    for path, other_end in zip(entry[1:], ends[1:], strict=True):
        end = _named_alike(other_end, first)
        _check_match(instance, entry[0], first, path, end, text)
        for key, (node, variable) in end.items():
            other, other_variable = first[key]
            if any(node.name.startswith(f"{e.b}.") and other.name.startswith(f"{e.a}.") for e in cut):
                continue
            if other == node:
                raise ModelError("a connector is connected to itself", path=instance.path, found=text)
            sets.variables[other.name] = other_variable
            sets.variables[node.name] = variable
            sets.join(Link(other, node, instance.path, text))


_ALIKE = "A potential and a flow variable may have other names where both sides have the same units."

_End = dict[str, tuple[Node, Var]]
"""Variables of one end of a connection by name relative to the connector ("" for a variable that is connected itself)."""


def _resolve(instance: Instance, path: str, text: str) -> _End:
    here = instance
    parts = path.split(".")
    for i, part in enumerate(parts):
        base, bracket, rest = part.partition("[")
        if part in here.children:
            here = here.children[part]
        elif bracket and base in here.variables and i == len(parts) - 1:
            return {"": (_element(instance, here, base, bracket + rest, text), here.variables[base])}
        elif part in here.variables and i == len(parts) - 1:
            inside = not _is_own(instance, here)
            return {"": (Node(join(here.path, part), inside), here.variables[part])}
        else:
            known = [k for k in here.model if is_entry(k) and (k in here.children or k in here.variables)]
            prefix = ".".join(parts[:i])
            raise ModelError(
                f"'{path}' in {text} leads nowhere",
                path=instance.path,
                found=f"no connector, variable or submodel '{part}'{f' in {prefix}' if prefix else ''}",
                expected=f"one of {', '.join(known)}" if known else "",
                remedy=offered(here.model.get(part)) or nearest(part, known),
            )
    check_connector(instance, path, here, text)
    inside = not _is_own(instance, here)
    return {
        join(i.path, k)[len(here.path) + 1 :]: (Node(join(i.path, k), inside), v)
        for i in here.walk()
        for k, v in i.variables.items()
    }


def check_connector(instance: Instance, path: str, here: Instance, text: str) -> None:
    """Refuse a model that a connection leads to, unless it is a connector."""
    if not here.is_connector():
        connectors = [k for k, child in here.children.items() if child.is_connector()] + list(here.variables)
        raise ModelError(
            f"'{path}' in {text} is not a connector",
            path=instance.path,
            found="a model",
            expected=f"one of {', '.join(f'{path}.{k}' for k in connectors)}" if connectors else "a connector",
        )


def _element(instance: Instance, here: Instance, key: str, index: str, text: str) -> Node:
    """Return an element of an array of inputs or outputs."""
    if not causality(here.variables[key]) and EXPANDABLE not in here.model:
        raise ModelError(
            f"'{key}{index}' in {text} is an element of a variable that is neither input nor output",
            path=instance.path,
            expected="an element of an array of signals, or a whole connector",
        )
    return Node(join(here.path, key), not _is_own(instance, here), index)


def _is_own(instance: Instance, here: Instance) -> bool:
    """Return whether ``here`` is the instance itself or (part of) one of its own connectors."""
    return here.owner() is instance or here is instance


def _check_match(instance: Instance, a: str, end_a: _End, b: str, end_b: _End, text: str) -> None:
    if end_a.keys() != end_b.keys():
        raise ModelError(
            f"'{a}' and '{b}' in {text} do not match",
            path=instance.path,
            found=f"'{a}' {_describe(end_a)}, '{b}' {_describe(end_b)}",
            expected="connectors with the same variables",
            remedy=_ALIKE if all(len(end) == 2 for end in (end_a, end_b)) else "",
        )
    for key, (node, variable) in end_a.items():
        other, other_variable = end_b[key]
        if bool(variable.get("flow")) != bool(other_variable.get("flow")):
            flow, potential = (node, other) if variable.get("flow") else (other, node)
            raise ModelError(
                f"'{a}' and '{b}' in {text} do not match",
                path=instance.path,
                found=f"'{flow.name}' is a flow variable, '{potential.name}' is not",
                expected="connectors with the same variables",
            )


def _named_alike(end: _End, like: _End) -> _End:
    """Return an end by the names of another one of the same physical kind: one potential and one flow variable, of the same
    units.
    """
    if end.keys() == like.keys() or not _pair(end) or set(_pair(end)) != set(_pair(like)):
        return end
    return {_pair(like)[kind]: end[key] for kind, key in _pair(end).items()}


def _pair(end: _End) -> dict[tuple[str, str], str]:
    """Return the names of the potential and of the flow variable by role and unit; nothing if it is no such pair, or has no
    units.
    """
    roles = {key: "flow" if v.get("flow") else "potential" if v.get("potential") else "" for key, (_, v) in end.items()}
    if sorted(roles.values()) != ["flow", "potential"] or not all(v.get("unit") for _, v in end.values()):
        return {}
    return {(roles[key], str(v["unit"]).replace("*", ".")): key for key, (_, v) in end.items()}


def _describe(end: _End) -> str:
    if "" in end:
        return "is a variable"
    texts = (f"{key} [{unit}]" if (unit := v.get("unit")) else key for key, (_, v) in end.items())
    return f"has {', '.join(texts) or 'no signals'}"
