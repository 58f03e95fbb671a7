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
    """Trees of the graph.

    Attributes:
        roots: the root of each tree.
        parent: of each node that is not a root, towards the root.
        cut: connections that are not part of a tree.
    """

    roots: frozenset[str]
    parent: dict[str, str]
    cut: tuple[Edge, ...]

    def is_root(self, node: str) -> bool:
        """Return whether a record is a root."""
        return node in self.roots


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
    for edge in graph.branches:
        if not sets.unite(edge.a, edge.b):
            raise ModelError(
                "branches of overdetermined connectors form a loop, or join two roots",
                path=edge.path,
                found=edge.text or f"branch({edge.a}, {edge.b})",
                expected="a connection in every loop, which can be cut",
            )
    joined: DisjointSets[str] = DisjointSets()
    kept: list[Edge] = list(graph.branches)
    cut: list[Edge] = []
    for edge in graph.connections:
        if not joined.unite(edge.a, edge.b):
            continue  # the records are equal already through other connections
        (kept if sets.unite(edge.a, edge.b) else cut).append(edge)
    return _rooted(graph, kept, cut)


def _rooted(graph: ConnectionGraph, kept: Sequence[Edge], cut: Sequence[Edge]) -> ConnectionForest:
    neighbours: dict[str, list[str]] = {}
    for edge in [*kept, *cut]:
        neighbours.setdefault(edge.a, [])
        neighbours.setdefault(edge.b, [])
    for edge in kept:
        neighbours[edge.a].append(edge.b)
        neighbours[edge.b].append(edge.a)
    for node in (*graph.roots, *graph.potential_roots):
        neighbours.setdefault(node, [])
    roots = dict.fromkeys(graph.roots)
    parent: dict[str, str] = {}
    _walk(roots, neighbours, parent, roots)
    for node in sorted(graph.potential_roots, key=lambda n: graph.potential_roots[n]):
        if node not in parent and node not in roots:
            roots[node] = None
            _walk([node], neighbours, parent, roots)
    lost = [node for node in neighbours if node not in parent and node not in roots]
    if lost:
        raise ModelError(
            "overdetermined connectors have no root",
            path=lost[0],
            found=f"{', '.join(lost[:6])}{' ...' if len(lost) > 6 else ''}, connected with each other only",
            expected="Connections.root(...) or Connections.potential_root(...) in one of the components",
        )
    return ConnectionForest(frozenset(roots), parent, tuple(cut))


def _walk(start: Iterable[str], neighbours: dict[str, list[str]], parent: dict[str, str], roots: dict[str, None]) -> None:
    """Walk breadth first from the roots, noting parents."""
    pending = list(start)
    for node in pending:
        for other in neighbours[node]:
            if other not in parent and other not in roots:
                parent[other] = node
                pending.append(other)
