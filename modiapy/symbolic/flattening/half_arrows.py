"""Half arrows: connectors with a direction, of which a connection joins one that leaves with one that enters."""

from __future__ import annotations

from ...model.errors import ModelError
from ...model.model import HALF_ARROW
from ..terms.names import join
from .connection_sets import ConnectionSets, Node
from .instance import Instance

_OPPOSITE = {"in": "out", "out": "in"}


def check_half_arrows(tree: Instance, sets: ConnectionSets) -> None:
    """Refuse connections that make no bond of connectors with half arrows, and such connectors without a connection.

    A connector of the whole model may be open.

    Raises:
        ModelError: three or more are connected, two that both leave or both enter, one is open, a direction is unknown.
    """
    ends: dict[str, Instance] = {}
    for instance in tree.walk():
        if (direction := instance.model.get(HALF_ARROW)) is not None:
            if direction not in _OPPOSITE:
                raise ModelError(
                    f"'{HALF_ARROW}' is no direction", path=instance.path, found=repr(direction), expected='"in" or "out"'
                )
            ends |= {join(instance.path, key): instance for key, var in instance.variables.items() if var.get("flow")}
    for nodes in sets.members().values():
        found = [node for node in nodes if node.name in ends]
        if found:
            _check_bond(found, nodes, ends, sets)
    for name, instance in ends.items():
        owner = instance.owner()
        if owner.parent is not None and Node(name, inside=True) not in sets.parent:
            raise ModelError(
                f"nothing is connected with '{instance.path}'",
                path=owner.path,
                expected="another end: a bond has two",
                remedy="Connect it, or give the element fewer bonds.",
            )


def _check_bond(found: list[Node], nodes: list[Node], ends: dict[str, Instance], sets: ConnectionSets) -> None:
    given = [ends[node.name].model[HALF_ARROW] for node in found]
    seen = [way if node.inside else _OPPOSITE[way] for node, way in zip(found, given, strict=True)]
    if len(nodes) <= 2 and (len(found) == 1 or seen[0] != seen[1]):
        return
    names = [f"'{ends[node.name].path}'" for node in found]
    link = next(link for link in sets.links if link.a in nodes)
    if len(nodes) > 2:
        raise ModelError(
            "more than two ends are connected with each other",
            path=link.path,
            found=f"{', '.join(names)} in {link.text}",
            expected="two",
            remedy="Put a junction between them: J0 where the efforts are equal, J1 where the flows are.",
        )
    raise ModelError(
        f"two half arrows do not make a bond: {names[0]} and {names[1]}",
        path=link.path,
        found=f"both {'enter' if seen[0] == 'in' else 'leave'} their element in {link.text}",
        expected="one that leaves an element, BondOut, and one that enters the other, BondIn",
    )
