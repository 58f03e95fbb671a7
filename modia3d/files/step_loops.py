"""Loops (``For``) in the action program of a scenario: the steps are written once for each value of an index."""

from __future__ import annotations

import re
from collections.abc import Iterator

from modiapy.model.array import substituted
from modiapy.model.errors import ModelError
from modiapy.model.expression import evaluate, names
from modiapy.model.parser import parse

from .node_reader import NodeReader
from .yaml_tree import Node

KEYS = ("index", "count", "do", "first")
MOST = 10_000
"""More repetitions are not meant: all steps are there from the start. ``repeat`` has no such limit."""
_ARITHMETIC = re.compile(r"[-+*/(). \d]*\d[-+*/(). \d]*$")


def unrolled(reader: NodeReader, node: Node) -> Iterator[Node]:
    """Generate the steps of ``For``: {index: i, count: 3, do: [...]}, a list for each value of the index.

    In all texts the index stands for a number: ``"parts[i].foot"``, ``"pool.m{i}.foot"``, ``0.1*i``.

    Raises:
        ScenarioError: with the line.
    """
    given = reader.mapping(node, "For", KEYS)
    for key in KEYS[:3]:
        if key not in given:
            raise reader.error(f"'{key}' is missing in For", node, expected=f"a mapping with {', '.join(KEYS[:3])}")
    index, count, first = given["index"], given["count"], given.get("first", Node(0, node.line))
    if not isinstance(index.value, str) or not index.value.isidentifier():
        raise reader.error("the index of For is no name", index, found=index.shown, expected="a name such as i")
    for key, item in (("count", count), ("first", first)):
        if type(item.value) is not int or not 0 <= item.value <= MOST:
            raise reader.error(f"'{key}' of For is wrong", item, found=item.shown, expected=f"an integer from 0 to {MOST}")
    for k in range(first.value, first.value + count.value):
        yield _with_number(given["do"], index.value, k)


def _with_number(node: Node, index: str, number: int) -> Node:
    if isinstance(node.value, str):
        text = substituted(node.value, index, number)
        return node if text == node.value else Node(_worked_out(text), node.line)
    if isinstance(node.value, list):
        return Node([_with_number(item, index, number) for item in node.value], node.line)
    if isinstance(node.value, dict):
        names_of = {key: key.replace(f"{{{index}}}", str(number)) for key in node.value}
        lines = {names_of[key]: line for key, line in (node.key_lines or {}).items()}
        return Node({names_of[key]: _with_number(item, index, number) for key, item in node.value.items()}, node.line, lines)
    return node


def _worked_out(text: str) -> str | float | int:
    """Return the number that a text of arithmetic is; the text itself where it is none."""
    if not _ARITHMETIC.match(text):
        return text
    try:
        expr = parse(text)
        value = evaluate(expr, {}) if not names(expr) else None
    except (ModelError, ArithmeticError, KeyError, ValueError):
        return text
    if value is None:
        return text
    return int(value) if value.is_integer() and not set("./") & set(text) else value
