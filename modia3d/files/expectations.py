"""``expect:`` of scenarios and studies: quantities with what they are expected to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from modiapy.simulation.results.expectations import Expectation
from modiapy.simulation.results.quantities import Quantity

from .node_reader import NodeReader
from .quantities import measured
from .yaml_tree import Node

KEYS = tuple(f.name for f in fields(Expectation) if f.name != "quantity")


def read_expectations(
    reader: NodeReader, node: Node, known: Sequence[str] = (), constants: tuple[str, ...] = ()
) -> list[Expectation]:
    """Return the entries of ``expect``.

    Args:
        reader: of the file.
        node: the mapping.
        known: names of quantities that may stand in the place of an expression.
        constants: names that may stand outside of reductions.

    Raises:
        ScenarioError: with the line.
    """
    found = []
    for text, item in reader.mapping(node, "expect").items():
        at = Node(item.value, (node.key_lines or {}).get(text, item.line), item.key_lines)
        what = f"expect of '{text}'"
        if isinstance(item.value, dict):
            reader.check_keys(at, KEYS, what)
            given = {key: measured(reader, one, what).plain() for key, one in item.value.items()}
        else:
            given = {"value": measured(reader, item, what).plain()}
        for key, value in given.items():
            allowed: tuple[type, ...] = (int, float, str, bool) if key == "value" else (int, float)
            if not isinstance(value, allowed) or (key != "value" and isinstance(value, bool)):
                raise reader.error(f"{key} of '{text}' is wrong", at, found=repr(value), expected="a number")
        if isinstance(given.get("value"), bool):
            given["value"] = float(given["value"])
        with reader.placing(at):
            found.append(Expectation(text, **given))
            if text not in known:
                Quantity(text, constants)
    return found
