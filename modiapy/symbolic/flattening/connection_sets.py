"""Connection sets, and the signals that they make: sets that buses join through the levels of a model."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...model.errors import ModelError, nearest
from ...model.expression import Apply, Equation, Expr, Name
from ...model.model import Var
from ..terms.disjoint_sets import DisjointSets


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
class Link:
    """Two variables that a ``connect`` puts into one set; ``path`` and ``text`` are those of the ``connect``."""

    a: Node
    b: Node
    path: str
    text: str


@dataclass
class Unsettled:
    """A signal on buses that no connection gives a value. An equation may do so; otherwise it is refused, or dropped.

    Attributes:
        names: the variables of buses that carry it.
        equations: that its connections mean.
        error: why it is refused; None if nothing reads it.
    """

    names: frozenset[str]
    equations: list[Equation]
    error: ModelError | None


class ConnectionSets(DisjointSets[Node]):
    """Sets of nodes, with the variables behind the nodes and the links that joined them.

    Args:
        on_buses: all signals of buses by full path; these have no direction of their own.
    """

    def __init__(self, on_buses: Mapping[str, Var] | None = None) -> None:
        super().__init__()
        self.on_buses = on_buses or {}
        self.variables: dict[str, Var] = {}
        self.links: list[Link] = []

    def join(self, link: Link) -> None:
        """Unite the sets of both nodes; a link that joins nothing new is dropped."""
        if self.unite(link.a, link.b):
            self.links.append(link)

    def members(self) -> dict[Node, list[Node]]:
        """Return all sets by representative, members in the order of first appearance."""
        sets: dict[Node, list[Node]] = {}
        for node in self.parent:
            sets.setdefault(self.find(node), []).append(node)
        return sets

    def signals(self) -> tuple[list[Equation], list[Unsettled]]:
        """Return the equations of all sets but those of flow variables, and the signals of buses that have no source among
        them.

        Raises:
            ModelError: inputs and outputs without exactly one source; variables of different types on a bus.
        """
        signals = list(self._signals())
        carried = {name for signal in signals for name in signal.buses if signal.sources}
        alone = (name for name, variable in self.on_buses.items() if name not in self.variables and not _is_bound(variable))
        unsettled = [Unsettled(frozenset((name,)), [], None) for name in alone]
        placed: list[tuple[int, Equation]] = []
        for signal in signals:
            error = signal.error(carried)
            if signal.buses and not signal.sources and not signal.free:
                equations = [equation for _, equation in sorted(signal.equations(), key=_place)]
                unsettled.append(Unsettled(frozenset(signal.buses), equations, error))
            elif error is not None:
                raise error
            else:
                placed += signal.equations()
        return [equation for _, equation in sorted(placed, key=_place)], unsettled

    def _signals(self) -> Iterable[JoinedSets]:
        """Return the sets of variables that are no flows; those of one signal on buses together."""
        nodes = [node for node in self.parent if not self.variables[node.name].get("flow")]
        joined: DisjointSets[Node] = DisjointSets()
        for node in nodes:
            other = Node(node.name, not node.inside)
            if node.name in self.on_buses and not node.index and other in self.parent:
                joined.unite(self.find(node), self.find(other))
        groups: dict[Node, JoinedSets] = {}
        for node in nodes:
            groups.setdefault(joined.find(self.find(node)), JoinedSets(self)).nodes.append(node)
        for place, link in enumerate(self.links):
            if (signal := groups.get(joined.find(self.find(link.a)))) is not None:
                signal.links.append((place, link))
        return groups.values()


def _place(placed: tuple[int, Equation]) -> int:
    return placed[0]


def _is_bound(variable: Var) -> bool:
    return variable.get("value") is not None


class JoinedSets:
    """Nodes that connections make equal: one connection set, or all sets that signals of buses join.

    Attributes:
        nodes: the members.
        links: the connections that made it, with their numbers in the order in which they are written.
    """

    def __init__(self, sets: ConnectionSets) -> None:
        self.sets = sets
        self.nodes: list[Node] = []
        self.links: list[tuple[int, Link]] = []

    @functools.cached_property
    def causal(self) -> list[Node]:
        """Return the nodes that are inputs and outputs."""
        return [node for node in self.nodes if causality(self.sets.variables[node.name])]

    @functools.cached_property
    def sources(self) -> list[Node]:
        """Nodes that give the others their value."""
        return [node for node in self.nodes if self._gives(node)]

    @functools.cached_property
    def buses(self) -> list[str]:
        """Names of signals of buses."""
        return [node.name for node in self.nodes if node.name in self.sets.on_buses]

    @functools.cached_property
    def free(self) -> bool:
        """True if there is a variable without direction, which may stand for a source."""
        return any(node.name not in self.sets.on_buses and node not in self.causal for node in self.nodes)

    def _gives(self, node: Node) -> bool:
        variable = self.sets.variables[node.name]
        if node.name in self.sets.on_buses:
            return bool(node.index) or _is_bound(variable)
        return bool(causality(variable)) and not _receives(node, variable)

    def equations(self) -> Iterator[tuple[int, Equation]]:
        """Generate the equations of its connections, with numbers for their order.

        In a set with elements of arrays what receives its value stands on the left, so that the equations for the elements of
        an array are found to be one for it.
        """
        find = self.sets.find
        with_elements = {find(node) for node in self.nodes if node.index}
        known: DisjointSets[str] = DisjointSets()
        for place, link in self.links:
            if find(link.a) not in with_elements and (not self.buses or known.unite(link.a.name, link.b.name)):
                yield place, equation_of(link.a.expr, link.b.expr, link)  # buses may lead from one to the other twice
        for root in with_elements:
            nodes = [node for node in self.nodes if find(node) == root]
            free = (node for node in nodes if node not in self.causal)
            source = next((node for node in nodes if self._gives(node)), next(free, nodes[0]))
            for node in nodes:
                if node != source:
                    yield len(self.sets.links), equation_of(node.expr, source.expr, self._link(node))

    def _link(self, node: Node) -> Link:
        """Return the first connection of a node."""
        return next(link for _, link in self.links if node in (link.a, link.b))

    def error(self, carried: Collection[str]) -> ModelError | None:
        """Return the error where nothing gives it a value; None if something does or nothing needs one.

        Args:
            carried: the signals of buses that have a source.

        Raises:
            ModelError: several sources, different types.
        """
        if self.buses:
            self._check_types()
        if len(self.sources) > 1:
            raise ModelError(
                f"{len(self.sources)} sources are connected with each other",
                path=self._link(self.sources[-1]).path,
                found=self._listed(self.sources),
                expected="one",
                remedy=self._remedy_for_many(),
            )
        if self.sources or self.free or not self.causal:
            return None
        return ModelError(
            "nothing gives these variables a value",
            path=self._link(self.causal[0]).path,
            found=self._listed(self.causal),
            expected="one output of a submodel or one input of the model itself",
            remedy=self._remedy(carried),
        )

    def _listed(self, nodes: Sequence[Node]) -> str:
        """Return the nodes by full path, with the connections that brought them."""
        if not self.buses:
            listed = ", ".join(f"'{node.name}{node.index}'" for node in nodes)
            return f"{listed} in {self.links[0][1].text}"
        words = []
        for node in nodes:
            link = self._link(node)
            words.append(f"'{node.name}{node.index}' in {link.text}{f' of {link.path}' if link.path else ''}")
        return ", ".join(words)

    def _remedy_for_many(self) -> str:
        if any(node.index and node.name in self.buses for node in self.sources):
            return "An array on a bus has one source, which gives all its elements."
        return "Give each of them a signal of its own on the bus." if self.buses else ""

    def _remedy(self, carried: Collection[str]) -> str:
        if not self.buses:
            return ""
        name = self.buses[0]
        bus, _, key = name.rpartition(".")
        others = [other.rpartition(".")[2] for other in carried if other.rpartition(".")[0] == bus]
        general = f"Connect an output with '{name}', or let an input of the whole model be its source."
        return f"{nearest(key, others)} {general}".strip()

    def _check_types(self) -> None:
        """Refuse members of different types; a signal of a bus that somebody declared counts too."""
        nodes = sorted(self.nodes, key=lambda node: node.name in self.sets.on_buses)
        first, *others = [(node, kind_of(self.sets.variables[node.name])) for node in nodes]
        for node, kind in others:
            if kind != first[1]:
                raise ModelError(
                    "variables of different types are connected with each other",
                    path=self._link(node).path,
                    found=f"{self._listed([first[0]])} is {first[1]}, {self._listed([node])} is {kind}",
                    expected="one type",
                )


def kind_of(variable: Var) -> str:
    """Return the type of a variable as it is written, "Real" by default."""
    kind = variable.get("type") or "Real"
    return kind if isinstance(kind, str) else f"({', '.join(map(str, kind))})"


def causality(variable: Var) -> str:
    """Return the direction of a variable: "input", "output" or ""."""
    return "input" if variable.get("input") else "output" if variable.get("output") else ""


def _receives(node: Node, variable: Var) -> bool:
    """Return whether a causal variable gets its value by the connection."""
    return (causality(variable) == "output") != node.inside


def equation_of(lhs: Expr, rhs: Expr, link: Link) -> Equation:
    """Return an equation that a connection means."""
    return Equation(lhs, rhs, link.path, f"{lhs} = {rhs} [{link.text}]")
