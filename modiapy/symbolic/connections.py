"""Connection sets: what the ``connect`` lists of all models mean as equations.

Rules of Modelica (specification 3.6, chapter 9): in a connection set all potential variables are equal and the flow variables
sum to zero, where a connector of the model that holds the ``connect`` itself is *outside* (its flow enters with a minus sign)
and a connector of one of its submodels is *inside*. A flow variable in no set as an inside connector is zero. An input is given
its value by exactly one source: the output of a submodel, or an input of the model itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..model.errors import ModelError, nearest
from ..model.expression import ZERO, Apply, Equation, Expr, Name, add, neg, rewrite
from ..model.model import EQUALITY, Var
from ..model.parser import parse, parse_statement
from .disjoint_sets import DisjointSets
from .instance import Instance, is_entry, join, locate, offered
from .overdetermined import ConnectionGraph, Edge, Forest, spanning_forest


@dataclass(frozen=True, slots=True)
class Node:
    """A variable as one side of a connector. ``inside`` is false for the model's own connectors, seen from within it.

    ``index`` is that of an element of an array of signals, ``[0]``, or "".
    """

    name: str
    inside: bool
    index: str = ""

    @property
    def expr(self) -> Expr:
        """The variable, or its element."""
        return Apply(self.index, (Name(self.name),)) if self.index else Name(self.name)


@dataclass(frozen=True, slots=True)
class _Link:
    """Two variables that a ``connect`` puts into one set; ``path`` and ``text`` are those of the ``connect``."""

    a: Node
    b: Node
    path: str
    text: str


@dataclass
class Connections:
    """The result: equations, and the inside nodes that are in some set (all others are not connected).

    Attributes:
        equations: of the sets, and of flow variables that nothing is connected to.
        connected: names of variables connected from outside the model that they belong to.
        graph, forest, records: of overdetermined connectors; paths of these records.
    """

    equations: list[Equation] = field(default_factory=list)
    connected: set[str] = field(default_factory=set)
    graph: ConnectionGraph = field(default_factory=ConnectionGraph)
    forest: Forest = field(default_factory=lambda: Forest(frozenset(), {}, ()))
    records: frozenset[str] = frozenset()


class _Sets(DisjointSets[Node]):
    """Sets of nodes, with the variables behind the nodes and the links that joined them."""

    def __init__(self) -> None:
        super().__init__()
        self.variables: dict[str, Var] = {}
        self.links: list[_Link] = []

    def join(self, link: _Link) -> None:
        """Unite the sets of both nodes; a link that joins nothing new is dropped."""
        if self.unite(link.a, link.b):
            self.links.append(link)

    def members(self) -> dict[Node, list[Node]]:
        """All sets by representative, members in the order of first appearance."""
        sets: dict[Node, list[Node]] = {}
        for node in self.parent:
            sets.setdefault(self.find(node), []).append(node)
        return sets


def connected_paths(tree: Instance) -> tuple[tuple[str, ...], ...]:
    """The connections of a model and of its submodels as written, with paths relative to the model."""
    start = len(tree.path) + 1 if tree.path else 0
    found: list[tuple[str, ...]] = []
    for instance in tree.walk():
        entries = list(instance.model.get("connect") or ())
        texts = (text for text in instance.model.get("equations") or () if isinstance(text, str))
        statements = (parse_statement(text, instance.path) for text in texts)
        entries += [statement[1] for statement in statements if statement is not None and statement[0] == "connect"]
        for entry in entries:
            if isinstance(entry, tuple | list) and all(isinstance(path, str) for path in entry):
                found.append(tuple(join(instance.path[start:], path) for path in entry))
    return tuple(found)


def connection_equations(tree: Instance) -> Connections:
    """Equations of all connections of a model.

    Raises:
        ModelError: a path that leads nowhere, connectors that do not match, a causal connection without exactly one source.
    """
    sets = _Sets()
    records = {i.path: i for i in tree.walk() if EQUALITY in i.model}
    graph = ConnectionGraph()
    connects: list[tuple[Instance, object]] = []
    for instance in tree.walk():
        connects += [(instance, entry) for entry in instance.model.get("connect") or ()]
        for equation in instance.model.get("equations") or ():
            statement = parse_statement(equation, instance.path) if isinstance(equation, str) else None
            if statement is not None and statement[0] == "connect":
                connects.append((instance, statement[1]))
            elif statement is not None:
                _add_to_graph(instance, statement, str(equation), graph, records)
    if records:
        for instance, entry in connects:
            graph.connections += _edges(instance, entry, records)
    forest = spanning_forest(graph)
    cut = {(edge.a, edge.b) for edge in forest.cut}
    for instance, entry in connects:
        _connect(instance, entry, sets, [edge for edge in _edges(instance, entry, records) if (edge.a, edge.b) in cut])
    connected = {node.name for node in sets.parent if node.inside}
    result = Connections(connected=connected, graph=graph, forest=forest, records=frozenset(records))
    for edge in forest.cut:
        result.equations += _equality_constraint(edge, records)
    members = sets.members()
    first_link = {sets.find(link.a): link for link in reversed(sets.links)}
    with_elements = {root for root, nodes in members.items() if any(node.index for node in nodes)}
    for link in sets.links:
        if not sets.variables[link.a.name].get("flow") and sets.find(link.a) not in with_elements:
            result.equations.append(_equation(link.a.expr, link.b.expr, link))
    for root, nodes in members.items():
        link = first_link[root]
        if sets.variables[root.name].get("flow"):
            total: Expr = ZERO
            for node in nodes:
                total = add(total, Name(node.name) if node.inside else neg(Name(node.name)))
            result.equations.append(_equation(total, ZERO, link))
        else:
            _check_sources(nodes, sets.variables, link)
            if root in with_elements:
                result.equations += _received(nodes, sets)
    result.equations += _unconnected_flows(tree, result.connected)
    return result


def _received(nodes: Sequence[Node], sets: _Sets) -> Iterator[Equation]:
    """Equations of a set with elements of arrays.

    What receives its value stands on the left, so that the equations for the elements of an array are found to be one for it.
    """
    source = next((node for node in nodes if not _receives(node, sets.variables)), nodes[0])
    for node in nodes:
        if node != source:
            link = next(link for link in sets.links if node in (link.a, link.b))
            yield _equation(node.expr, source.expr, link)


def _equation(lhs: Expr, rhs: Expr, link: _Link) -> Equation:
    return Equation(lhs, rhs, link.path, f"{lhs} = {rhs} [{link.text}]")


def _unconnected_flows(tree: Instance, connected: set[str]) -> Iterator[Equation]:
    for instance in tree.walk():
        for key, variable in instance.variables.items():
            name = join(instance.path, key)
            if variable.get("flow") and name not in connected:
                yield Equation(Name(name), ZERO, instance.path, f"{name} = 0 [not connected]")


def _add_to_graph(
    instance: Instance,
    statement: tuple[str, tuple[str, ...], float],
    text: str,
    graph: ConnectionGraph,
    records: Mapping[str, Instance],
) -> None:
    """Add ``Connections.root``, ``potential_root`` or ``branch``."""
    name, paths, number = statement
    nodes = [record_at(instance, path, text, records) for path in paths]
    if name == "Connections.root":
        graph.roots.append(nodes[0])
    elif name == "Connections.potential_root":
        graph.potential_roots[nodes[0]] = number
    else:
        graph.branches.append(Edge(nodes[0], nodes[1], instance.path, text))


def record_at(instance: Instance, path: str, text: str, records: Iterable[str]) -> str:
    """Full path of the overdetermined record that ``text`` in an instance names. Raises ModelError if it is none."""
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
    """Edges between the overdetermined records of the connectors in one tuple of a ``connect`` list."""
    if not records or not isinstance(entry, tuple | list) or not all(isinstance(p, str) for p in entry):
        return []
    first, *others = [join(instance.path, path) for path in entry]
    below = [r[len(first) :] for r in records if r == first or r.startswith(f"{first}.")]
    text = f"connect({', '.join(entry)})"
    return [Edge(first + rest, other + rest, instance.path, text) for other in others for rest in below]


def _equality_constraint(edge: Edge, records: Mapping[str, Instance]) -> Iterator[Equation]:
    """Equations in place of the equality of two overdetermined records."""
    given = records[edge.a].model[EQUALITY]
    if isinstance(given, str) or not isinstance(given, list | tuple):
        raise ModelError(f"'{EQUALITY}' is a list", path=edge.a, found=repr(given), expected='["a.c*b.s - a.s*b.c"]')
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


def _connect(instance: Instance, entry: object, sets: _Sets, cut: Sequence[Edge] = ()) -> None:
    """Add one tuple of a ``connect`` list; the records of the edges in ``cut`` are left out."""
    if not isinstance(entry, tuple | list) or len(entry) < 2 or not all(isinstance(p, str) for p in entry):
        raise ModelError(
            "a connection is a tuple of two or more paths",
            path=instance.path,
            found=repr(entry),
            expected='("a.flange_b", "b.flange_a")',
        )
    text = f"connect({', '.join(entry)})"
    ends = [_resolve(instance, path, text) for path in entry]
    first = ends[0]
    for path, end in zip(entry[1:], ends[1:], strict=True):
        _check_match(instance, entry[0], first, path, end, text)
        for key, (node, variable) in end.items():
            other, other_variable = first[key]
            if any(node.name.startswith(f"{e.b}.") and other.name.startswith(f"{e.a}.") for e in cut):
                continue
            if other == node:
                raise ModelError("a connector is connected to itself", path=instance.path, found=text)
            sets.variables[other.name] = other_variable
            sets.variables[node.name] = variable
            sets.join(_Link(other, node, instance.path, text))


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
    if not here.is_connector():
        connectors = [k for k, child in here.children.items() if child.is_connector()] + list(here.variables)
        raise ModelError(
            f"'{path}' in {text} is not a connector",
            path=instance.path,
            found="a model",
            expected=f"one of {', '.join(f'{path}.{k}' for k in connectors)}" if connectors else "a connector",
        )
    inside = not _is_own(instance, here)
    return {
        join(i.path, k)[len(here.path) + 1 :]: (Node(join(i.path, k), inside), v)
        for i in here.walk()
        for k, v in i.variables.items()
    }


def _element(instance: Instance, here: Instance, key: str, index: str, text: str) -> Node:
    """An element of an array of inputs or outputs."""
    if not _causality(here.variables[key]):
        raise ModelError(
            f"'{key}{index}' in {text} is an element of a variable that is neither input nor output",
            path=instance.path,
            expected="an element of an array of signals, or a whole connector",
        )
    return Node(join(here.path, key), not _is_own(instance, here), index)


def _is_own(instance: Instance, here: Instance) -> bool:
    """Whether ``here`` is the instance itself or (part of) one of its own connectors."""
    return here.owner() is instance or here is instance


def _check_match(instance: Instance, a: str, end_a: _End, b: str, end_b: _End, text: str) -> None:
    if end_a.keys() != end_b.keys():
        raise ModelError(
            f"'{a}' and '{b}' in {text} do not match",
            path=instance.path,
            found=f"'{a}' {_describe(end_a)}, '{b}' {_describe(end_b)}",
            expected="connectors with the same variables",
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


def _describe(end: _End) -> str:
    return "is a variable" if "" in end else f"has {', '.join(end)}"


def _check_sources(nodes: list[Node], variables: dict[str, Var], link: _Link) -> None:
    """A set with inputs or outputs has exactly one source; a variable without causality may stand for it."""
    causal = [node for node in nodes if _causality(variables[node.name])]
    if not causal:
        return
    sources = [node for node in causal if not _receives(node, variables)]
    listed = ", ".join(f"'{node.name}{node.index}'" for node in (sources or causal))
    if len(sources) > 1:
        raise ModelError(
            f"{len(sources)} sources are connected with each other",
            path=link.path,
            found=f"{listed} in {link.text}",
            expected="one",
        )
    if not sources and len(causal) == len(nodes):
        raise ModelError(
            "nothing gives these variables a value",
            path=link.path,
            found=f"{listed} in {link.text}",
            expected="one output of a submodel or one input of the model itself",
        )


def _receives(node: Node, variables: Mapping[str, Var]) -> bool:
    """Whether a causal variable gets its value by the connection."""
    return (_causality(variables[node.name]) == "output") != node.inside


def _causality(variable: Var) -> str:
    return "input" if variable.get("input") else "output" if variable.get("output") else ""
