"""Overdetermined connectors: the virtual connection graph (Modelica Language Specification 3.6, section 9.4).

A record of a connector is overdetermined if its variables depend on each other, such as the nine elements of a rotation matrix.
Setting two such records equal in a loop of connections gives too many equations. Therefore the loops of the graph are cut: its
nodes are the overdetermined records, its edges the connections, which may be cut, and the branches, which may not. Each
tree that remains has one root. A connection that is cut gives the (fewer) equations of an equality constraint in place of
equalities.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...model.errors import ModelError
from ..terms.disjoint_sets import DisjointSets


@dataclass(frozen=True)
class Edge:
    """A branch or connection between two records; ``path`` is that of the model where it stands, ``text`` what was written."""

    a: str
    b: str
    path: str = ""
    text: str = ""

    def __str__(self) -> str:
        text = self.text or f"{self.a} and {self.b}"
        return f"{self.path}: {text}" if self.path else text


@dataclass
class ConnectionGraph:
    """The virtual connection graph.

    Attributes:
        branches: edges that must stay.
        connections: edges that may be cut, in the order in which they are kept if possible.
        roots: records that must be roots.
        potential_roots: records that may be roots, with their priority; the lowest number is chosen.
    """

    branches: list[Edge] = field(default_factory=list)
    connections: list[Edge] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)
    potential_roots: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ConnectionForest:
    """Trees of the graph; as text one line for each record, with the one nearer to the root, and what was broken.

    Attributes:
        roots: the root of each tree.
        parent: of each node that is not a root, towards the root.
        cut: connections that are not part of a tree.
        graph: what the trees were made of.
    """

    roots: frozenset[str]
    parent: dict[str, str]
    cut: tuple[Edge, ...]
    graph: ConnectionGraph = field(default_factory=ConnectionGraph)

    def is_root(self, node: str) -> bool:
        """Return whether a record is a root."""
        return node in self.roots

    def root_of(self, node: str) -> str:
        """Return the root of the tree that a record belongs to."""
        while node in self.parent:
            node = self.parent[node]
        return node

    def why_cut(self, edge: Edge) -> str:
        """Return why a connection was broken."""
        a, b = self.root_of(edge.a), self.root_of(edge.b)
        return f"it closes a loop in the tree of {a}" if a == b else f"it joins the roots {a} and {b}"

    def __str__(self) -> str:
        below: dict[str, list[str]] = {}
        for node, parent in self.parent.items():
            below.setdefault(parent, []).append(node)
        made_by = {frozenset((e.a, e.b)): str(e) for e in (*self.graph.connections, *self.graph.branches)}
        lines: list[str] = []
        for root in sorted(self.roots):
            definite = root in self.graph.roots
            kind = "root" if definite else f"potential root of priority {self.graph.potential_roots[root]:g}, chosen"
            lines.append(f"{root}: {kind}")
            pending = below.get(root, [])[::-1]
            while pending:
                node = pending.pop()
                near = self.parent[node]
                lines.append(f"  {node} from {near}: {made_by[frozenset((node, near))]}")
                pending += below.get(node, [])[::-1]
        lines += [f"broken: {edge}: {self.why_cut(edge)}" for edge in self.cut]
        return "\n".join(lines) or "no overdetermined connectors"


_ANCHOR = 0
"""A node to which all definite roots are tied, so that a path between two of them is a loop (all other nodes are texts)."""


def spanning_forest(graph: ConnectionGraph) -> ConnectionForest:
    """Cut connections so that trees remain, each with exactly one root.

    Raises:
        ModelError: branches form a loop, or join two definite roots; records without any root.
    """
    sets: DisjointSets[str | int] = DisjointSets()
    for root in dict.fromkeys(graph.roots):
        sets.unite(_ANCHOR, root)
    for k, edge in enumerate(graph.branches):
        if not sets.unite(edge.a, edge.b):
            raise _rigid(graph, k)
    joined: DisjointSets[str] = DisjointSets()
    kept: list[Edge] = list(graph.branches)
    cut: list[Edge] = []
    for edge in graph.connections:
        if not joined.unite(edge.a, edge.b):
            continue  # the records are equal already through other connections
        (kept if sets.unite(edge.a, edge.b) else cut).append(edge)
    return _rooted(graph, kept, cut)


def _rigid(graph: ConnectionGraph, k: int) -> ModelError:
    """Return the refusal of the branch with the number k, which with those before it closes a loop or joins two roots."""
    edge, neighbours = graph.branches[k], _neighbours(graph.branches[:k])
    parent: dict[str, str] = {}
    _walk([edge.a], neighbours, parent, {edge.a: None})
    text = edge.text or f"branch({edge.a}, {edge.b})"
    if edge.b == edge.a or edge.b in parent:
        way = [edge.b]
        while way[-1] != edge.a:
            way.append(parent[way[-1]])
        return ModelError(
            "branches of overdetermined connectors form a loop",
            path=edge.path,
            found=f"{text}, beside branches along {', '.join(reversed(way))}",
            expected="a connection in every loop, which can be broken",
            remedy="Leave out one Connections.branch of the loop.",
        )
    across: dict[str, str] = {}
    _walk([edge.b], neighbours, across, {edge.b: None})
    roots = [next(r for r in graph.roots if r == side or r in found) for side, found in ((edge.a, parent), (edge.b, across))]
    return ModelError(
        "branches alone join two roots of overdetermined connectors",
        path=edge.path,
        found=f"{text}, between Connections.root({roots[0]}) and Connections.root({roots[1]})",
        expected="a connection between two roots, which can be broken",
        remedy="Make one of them Connections.potential_root.",
    )


def _neighbours(edges: Iterable[Edge]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for edge in edges:
        found.setdefault(edge.a, []).append(edge.b)
        found.setdefault(edge.b, []).append(edge.a)
    return found


def _rooted(graph: ConnectionGraph, kept: Sequence[Edge], cut: Sequence[Edge]) -> ConnectionForest:
    neighbours = _neighbours(kept)
    for node in (*(n for edge in cut for n in (edge.a, edge.b)), *graph.roots, *graph.potential_roots):
        neighbours.setdefault(node, [])
    roots = dict.fromkeys(graph.roots)
    parent: dict[str, str] = {}
    _walk(roots, neighbours, parent, roots)
    for node in sorted(graph.potential_roots, key=graph.potential_roots.__getitem__):
        if node not in parent and node not in roots:
            roots[node] = None
            _walk([node], neighbours, parent, roots)
    lost = [node for node in neighbours if node not in parent and node not in roots]
    if lost:
        part: dict[str, str] = {}
        _walk(lost[:1], neighbours, part, dict.fromkeys(lost[:1]))
        together = [lost[0], *part]
        raise ModelError(
            "overdetermined connectors have no root",
            path=lost[0],
            found=f"{', '.join(together[:6])}{' ...' if len(together) > 6 else ''}, connected with each other only",
            expected="one root in every part that is connected",
            remedy="Connect a component that has Connections.root(R), or write Connections.potential_root(R) in one of these.",
        )
    return ConnectionForest(frozenset(roots), parent, tuple(cut), graph)


def _walk(start: Iterable[str], neighbours: dict[str, list[str]], parent: dict[str, str], roots: dict[str, None]) -> None:
    """Walk breadth first from the roots, noting parents."""
    pending = list(start)
    for node in pending:
        for other in neighbours.get(node, ()):
            if other not in parent and other not in roots:
                parent[other] = node
                pending.append(other)
