"""Places of equations and connections, also of those that a ``For`` repeats: errors quote these with numbers for the index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from modiapy.model.array import substituted
from modiapy.model.control import For
from modiapy.model.places import connection_text

from .yaml_tree import Node

MOST = 1000
"""So many repetitions are written out; of more, and of an unknown number, the texts count as they are written."""


def written(entries: Sequence[Any], nodes: Sequence[Node], *, connect: bool) -> Iterator[tuple[str, Node]]:
    """Generate the texts as errors quote them, and the nodes where they stand.

    Args:
        entries: equations or connections.
        nodes: of which they were made.
        connect: whether lists are connections.
    """
    for entry, node in zip(entries, nodes, strict=True):
        yield connection_text(entry) if connect else str(entry), node
        if isinstance(entry, For):
            yield from _repeated(entry, node, connect)


def _repeated(loop: For, node: Node, connect: bool) -> Iterator[tuple[str, Node]]:
    """Generate the entries inside ``{For: {index: i, count: 3, equations: [...]}}`` or ``{For: [i, 3, [...]]}``."""
    arguments = node.value["For"].value
    rows = arguments["equations"].value if isinstance(arguments, dict) else arguments[2].value
    yield from written(loop.equations, rows, connect=connect)
    if isinstance(loop.count, int) and isinstance(loop.first, int) and loop.count <= MOST:
        for k in range(loop.first, loop.first + loop.count):
            yield from written(substituted(list(loop.equations), loop.index, k), rows, connect=connect)
