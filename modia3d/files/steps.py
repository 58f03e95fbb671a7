"""The action program of a scenario: a list of actions and steps; some of these contain programs themselves.

A step is a mapping with one key, ``{ActionAttach: [a, b]}``; those of `modia3d.actions.blocks.STEPS`, which wait and decide,
are written ``wait_until: {condition: rev.phi > 1, timeout: 5}``, ``if: {condition: ..., then: [...], else: [...]}``,
``repeat: {times: 3, do: [...]}``, ``parallel: [[...], [...]]``, ``together: [...]`` and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from modia3d.actions.touching import CONTACT_CONDITIONS
from modiapy.model.errors import ModiaError, Position

from . import registry
from .yaml_tree import Node

BLOCKS = {
    "if": {"condition": "condition", "then": "then", "else": "otherwise"},
    "repeat": {"times": "times", "while": "while_", "do": "do"},
    "try": {"do": "do", "on_refused": "on_refused"},
    "retry": {"do": "do", "times": "times", "pause": "pause"},
}
"""Steps with programs under some keys: key in the file -> field of the step."""

PROGRAMS = ("then", "else", "do", "on_refused")
"""Keys under which a program stands."""

Steps = tuple[list[Any], list[Position]]
"""Steps, and the lines of all of them in the order of their numbers."""


class Reader(Protocol):
    """What reads the nodes of a scenario, see `reader.Reader`; all raise a ScenarioError with the line."""

    file: Path

    def error(self, message: str, node: Node, **details: Any) -> Exception:
        """The error about a node."""

    def single(self, node: Node, what: str, known: Iterable[str]) -> tuple[str, Node]:
        """The only key of a mapping, and its value."""

    def mapping(self, node: Node, what: str) -> dict[str, Node]:
        """The entries of a mapping."""

    def check_keys(self, node: Node, known: Iterable[str], what: str) -> None:
        """Refuse other keys than the known ones."""

    def make(self, entry: registry.Entry, node: Node, context: Any) -> Any:
        """Call a constructor with the arguments of a node."""


def read_steps(reader: Reader, node: Node, what: str = "actions") -> Steps:
    """A list of actions and steps.

    Raises:
        ScenarioError: with the line.
    """
    if not isinstance(node.value, list):
        raise reader.error(f"'{what}' is wrong", node, found=node.kind, expected="a list of actions")
    steps: list[Any] = []
    lines: list[Position] = []
    for item in node.value:
        name, arguments = reader.single(item, "an action", registry.actions())
        step, inner = _step(reader, name, arguments)
        steps.append(step)
        lines += [item.line, *inner]
    return steps, lines


def _step(reader: Reader, name: str, node: Node) -> tuple[Any, list[Position]]:
    entry = registry.actions()[name]
    make = entry.make
    assert make is not None
    if name in BLOCKS:
        return _block(reader, name, make, node)
    if name == "set":
        return _made(reader, node, lambda: make({key: item.plain() for key, item in reader.mapping(node, name).items()})), []
    if name == "parallel":
        if not isinstance(node.value, list):
            raise reader.error("'parallel' is wrong", node, found=node.kind, expected="a list of programs, each a list")
        parts = [read_steps(reader, part, "a program of parallel") for part in node.value]
        made = _made(reader, node, lambda: make(*(steps for steps, _ in parts)))
        return made, [line for _, lines in parts for line in lines]
    if name in ("spawn", "together"):
        steps, lines = read_steps(reader, node, name)
        return _made(reader, node, lambda: make(tuple(steps))), [] if name == "together" else lines
    if name == "wait_until" and isinstance(node.value, dict):
        return _wait_until(reader, make, node), []
    return reader.make(entry, node, {}), []


def _wait_until(reader: Reader, make: Callable[..., Any], node: Node) -> Any:
    """A condition, or what is asked about contact, and a timeout."""
    reader.check_keys(node, ("condition", *CONTACT_CONDITIONS, "timeout"), "wait_until")
    given = {key: item.plain() for key, item in node.value.items()}
    more = {"timeout": given.pop("timeout")} if "timeout" in given else {}
    return _made(reader, node, lambda: make(given, **more))


def _block(reader: Reader, name: str, make: Callable[..., Any], node: Node) -> tuple[Any, list[Position]]:
    fields = BLOCKS[name]
    reader.mapping(node, name)
    if node.value is not None:
        reader.check_keys(node, fields, name)
    given: dict[str, Any] = {}
    lines: list[Position] = []
    for key, field in fields.items():
        item = (node.value or {}).get(key)
        if item is None:
            continue
        if key in PROGRAMS:
            given[field], inner = read_steps(reader, item, f"{key} of {name}")
            lines += inner
        else:
            given[field] = item.plain()
    return _made(reader, node, lambda: make(**given)), lines


def _made(reader: Reader, node: Node, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except ModiaError as error:
        error.file, error.line = error.file or str(reader.file), error.line or node.line
        raise
    except TypeError as error:
        raise reader.error("the arguments do not fit", node, found=str(error)) from None
