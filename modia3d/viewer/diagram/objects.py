"""The object diagram of a model: components with their connectors, connections, and what the components consist of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modiapy.model.model import EQUALITY
from modiapy.symbolic.flattening.connections import Connections, connection_equations, connects_of
from modiapy.symbolic.flattening.instance import Instance
from modiapy.symbolic.terms.names import join

from .multibody import tree_of
from .net import Box, Net
from .type_names import type_name


def object_net(tree: Instance, levels: int | None = None) -> Net:
    """Return the net of a model that is evaluated.

    Args:
        tree: its instances.
        levels: so many levels of submodels are shown; None: all.

    Raises:
        ModelError: connections are wrong.
    """
    return _Objects(connection_equations(tree)).net(tree, levels)


@dataclass
class _End:
    """An end of a connection: the number of a box, the port, and whether values leave there (None: neither in nor out)."""

    box: int
    port: str
    gives: bool | None


class _Objects:
    """The nets of a model and its submodels; ``connections`` of all of them."""

    def __init__(self, connections: Connections) -> None:
        self._forest = connections.forest
        self._cut = {(edge.path, edge.text, edge.a, edge.b): edge for edge in connections.forest.cut}

    def net(self, instance: Instance, levels: int | None) -> Net:
        """Return the net of one model."""
        net = Net()
        numbers: dict[str, int] = {}
        own = instance.component.reserved_names if instance.component is not None else ()
        for key, child in instance.children.items():
            if not child.is_connector() and key not in own:
                numbers[key] = net.box(self._component(key, child, levels))
        for entry in connects_of(instance):
            if isinstance(entry, tuple | list) and len(entry) > 1:
                ends = [self._end(net, numbers, instance, str(path)) for path in entry]
                for path, end in zip(entry[1:], ends[1:], strict=True):
                    self._connect(net, instance, (str(entry[0]), ends[0]), (str(path), end), entry)
        if instance.component is not None and (bodies := tree_of(instance.component)) is not None:
            net.box(Box("multibody system", "spanning tree", "tree", inner=bodies))
        return net

    def _component(self, key: str, child: Instance, levels: int | None) -> Box:
        """Return the box of a submodel, with what it consists of if that is wanted."""
        note = child.model.get("description")
        box = Box(key, type_name(child.model), note=note if isinstance(note, str) else "", more=self._roots(child))
        if levels is None or levels > 1:
            inner = self.net(child, None if levels is None else levels - 1)
            box.inner = inner if any(b.kind != "connector" for b in inner.boxes) else None
        return box

    def _roots(self, instance: Instance) -> tuple[str, ...]:
        """Return the lines that say which records of a component are roots of overdetermined connectors."""
        below = [node for node in sorted(self._forest.roots) if node.startswith(f"{instance.path}.")]
        graph = self._forest.graph
        start = len(instance.path) + 1
        return tuple(f"{'root' if node in graph.roots else 'chosen root'}: {node[start:]}" for node in below)

    def _end(self, net: Net, numbers: dict[str, int], instance: Instance, path: str) -> _End:
        """Return the end of a connection that a path of a model means; what is the model's own gets a box of its own."""
        head, _, rest = path.partition(".")
        inside = head in instance.children and not instance.children[head].is_connector()
        name = head if head in instance.children else head.partition("[")[0]
        if not inside and name not in numbers:
            own = instance.children.get(name)
            numbers[name] = net.box(Box(name, type_name(own.model) if own is not None else "", "connector"))
        role = _role(instance, path)
        gives = None if role is None else (role == "output") == inside
        return _End(numbers[name], rest if head == name else path[len(name) :], gives)

    def _connect(
        self, net: Net, instance: Instance, first: tuple[str, _End], second: tuple[str, _End], entry: Sequence[object]
    ) -> None:
        """Add the line of one connection: red where it was broken, with an arrow where values have a direction."""
        (one, a), (two, b) = first, second
        if a.gives is False or b.gives is True:
            (one, a), (two, b) = (two, b), (one, a)
        text = f"connect({', '.join(map(str, entry))})"
        full = [join(instance.path, str(path)) for path in (first[0], second[0])]
        broken = [
            edge
            for edge in self._cut.values()
            if edge.path == instance.path and edge.text == text and _below(edge.a, full[0]) and _below(edge.b, full[1])
        ]
        note = f"{one} - {two}" + "".join(f"; broken: {self._forest.why_cut(edge)}" for edge in broken)
        kind = "cut" if broken else "connection" if a.gives is None else "signal"
        net.connect((a.box, a.port), (b.box, b.port), kind, note)


def _below(record: str, path: str) -> bool:
    return record == path or record.startswith(f"{path}.")


def _role(instance: Instance, path: str) -> str | None:
    """Return "input" or "output" of what a path leads to: a signal, or a connector of signals of one direction."""
    here = instance
    *parents, key = path.split(".")
    for part in parents:
        if part not in here.children:
            return None
        here = here.children[part]
    variables: Mapping[str, object] = here.variables
    found = [variables.get(key, variables.get(key.partition("[")[0]))]
    if key in here.children:
        found = [v for i in here.children[key].walk() if EQUALITY not in i.model for v in i.variables.values()]
    roles = {role if v.get(role) else None for v in found if isinstance(v, Mapping) for role in ("input", "output")}
    return next(iter(roles - {None})) if len(roles - {None}) == 1 else None
