"""Elements and bonds of a model: ends of bonds are connectors with a ``half_arrow``, a connection of two of them is a bond."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from modiapy.model.model import Par
from modiapy.symbolic.flattening.connections import connects_of
from modiapy.symbolic.flattening.instance import Instance
from modiapy.symbolic.terms.disjoint_sets import DisjointSets
from modiapy.symbolic.terms.names import join

from .type_names import type_name

BONDS = ("Bond", "eBond", "fBond", "PBond", "ePBond", "fPBond")
"""Components that are bonds themselves."""


@dataclass(frozen=True)
class Port:
    """An end of bonds.

    Attributes:
        path: of the connector.
        element: path of the component that it belongs to.
        enters: whether the half arrow points into the component.
    """

    path: str
    element: str
    enters: bool


@dataclass
class Joined:
    """Ends of bonds that are connected with each other: a bond, if there are two.

    Attributes:
        ends: at elements; ends of models around these, and of bonds that are components, are passed.
        name: of the component that it is.
        declared: end at which this component has a causal stroke, "tail" or "head"; "" if that is not said.
    """

    ends: list[Port] = field(default_factory=list)
    name: str = ""
    declared: str = ""


def bonds_of(tree: Instance) -> tuple[dict[str, Instance], list[Joined]]:
    """Return the elements of a model by path, in the order of declaration, and what joins their ends."""
    ports = {i.path: Port(i.path, i.owner().path, _half_arrow(i) == "in") for i in tree.walk() if _half_arrow(i)}
    below: dict[str, list[str]] = {}
    for path in ports:
        parts = path.split(".")
        for k in range(len(parts)):
            below.setdefault(".".join(parts[: k + 1]), []).append(path)
    sets: DisjointSets[str] = DisjointSets()
    passed: set[str] = set()
    components: dict[str, Instance] = {}
    for instance in tree.walk():
        for one, two in _connected(instance):
            for path in below.get(one, ()):
                other = two + path[len(one) :]
                if other in ports:
                    sets.unite(path, other)
                    passed |= {p for p in (path, other) if ports[p].element == instance.path}
        if type_name(instance.model) in BONDS:
            a, b = join(instance.path, "a"), join(instance.path, "b")
            sets.unite(a, b)
            passed |= {a, b}
            components[instance.path] = instance
    found: dict[str, Joined] = {}
    for path, port in ports.items():
        joined = found.setdefault(sets.find(path), Joined())
        if path not in passed:
            joined.ends.append(port)
        elif port.element in components:
            joined.name = port.element
            joined.declared = str(components[port.element].values.get("stroke", ""))
    elements = dict.fromkeys(end.element for joined in found.values() for end in joined.ends)
    return {i.path: i for i in tree.walk() if i.path in elements}, [j for j in found.values() if len(j.ends) > 1]


def _half_arrow(instance: Instance) -> str:
    """Return "in" or "out" of an end of a bond, "" of anything else."""
    given = instance.model.get("half_arrow")
    return str(given.get("value") if isinstance(given, Par) else given or "")


def _connected(instance: Instance) -> Iterator[tuple[str, str]]:
    """Generate the pairs of full paths that the connections of a model join."""
    for entry in connects_of(instance):
        if isinstance(entry, tuple | list):
            first, *others = (join(instance.path, str(path)) for path in entry)
            yield from ((first, other) for other in others)
