"""The diagram of a flat model, as of Modelica source: components by paths of variables, lines by equal ones of connectors."""

from __future__ import annotations

from modiapy.model.expression import Equation, Name
from modiapy.symbolic.flat.flat_model import FlatModel, Variable

from .net import Box, Net


def flat_net(flat: FlatModel) -> Net:
    """Return the net of a flat model.

    A part of a path that has potentials or flows is a connector. A line is an equation that makes two variables of different
    components equal, and comes from a connection, or has potentials or an output.
    """
    connectors = _connectors(flat)
    tree = _Tree(connectors)
    for name in flat.variables:
        tree.net(_owner(name, connectors))
    for equation in flat.equations:
        if isinstance(equation, Equation) and type(equation.lhs) is Name and type(equation.rhs) is Name:
            one, two = (flat.variables.get(side.name) for side in (equation.lhs, equation.rhs))
            if one is None or two is None or one.flow or two.flow:
                continue
            if "connect(" in equation.text or one.output or two.output or (one.potential and two.potential):
                tree.connect(*((two, one) if two.output else (one, two)), equation.text)
    return tree.root


def _connectors(flat: FlatModel) -> frozenset[str]:
    """Return the paths of connectors: potentials and flows are in them."""
    return frozenset(name.rpartition(".")[0] for name, v in flat.variables.items() if v.flow or v.potential) - {""}


def _owner(name: str, connectors: frozenset[str]) -> tuple[str, ...]:
    """Return the path of the component that a variable belongs to."""
    path = name.rpartition(".")[0]
    parts = path.split(".") if path else []
    for k in range(len(parts)):
        if ".".join(parts[: k + 1]) in connectors:
            return tuple(parts[:k])
    return tuple(parts)


class _Tree:
    """Nets by paths, made where they are asked for."""

    def __init__(self, connectors: frozenset[str]) -> None:
        self.root = Net()
        self._connectors = connectors
        self._lines: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()

    def net(self, path: tuple[str, ...]) -> Net:
        """Return the net of a component."""
        net = self.root
        for part in path:
            box = net.find((part,)) or net.boxes[net.box(Box(part))]
            box.inner = box.inner if box.inner is not None else Net()
            net = box.inner
        return net

    def connect(self, one: Variable, two: Variable, text: str) -> None:
        """Add the line of two equal variables, once for two connectors, where both are below."""
        paths = [_owner(v.name, self._connectors) for v in (one, two)]
        ports = [self._port(v, path) for v, path in zip((one, two), paths, strict=True)]
        if paths[0] == paths[1] or not (ports[0] and ports[1]):
            return
        ends = [(*path, port) for path, port in zip(paths, ports, strict=True)]
        key = (ends[0], ends[1])
        if key in self._lines or key[::-1] in self._lines:
            return
        self._lines.add(key)
        common = 0
        while common < min(map(len, paths)) and paths[0][common] == paths[1][common]:
            common += 1
        net = self.net(paths[0][:common])
        numbers = []
        for end in ends:
            own = len(end) - 1 == common
            kind = "connector" if own else "component"
            box = net.find((end[common],)) or net.boxes[net.box(Box(end[common], kind=kind))]
            rest = ".".join(end[common + 1 :])
            numbers.append((next(k for k, b in enumerate(net.boxes) if b is box), rest))
        signal = one.output or not any(map(self._is_physical, (one, two)))
        net.connect(numbers[0], numbers[1], "signal" if signal else "connection", text)

    def _port(self, variable: Variable, path: tuple[str, ...]) -> str:
        """Return the name of the connector, relative to its component; of a signal its own."""
        rest = variable.name[len(".".join(path)) + 1 if path else 0 :]
        return rest.partition(".")[0] if self._is_physical(variable) else rest

    def _is_physical(self, variable: Variable) -> bool:
        """Return whether a variable stands in a connector."""
        return variable.name.rpartition(".")[0] in self._connectors
