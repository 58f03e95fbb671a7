"""The action program of a scenario: a list of actions and steps; some of these contain programs themselves.

A step is a mapping with one key, ``{ActionAttach: [a, b]}``; those of `modia3d.actions.blocks.STEPS`, which wait and decide,
are written ``wait_until: {condition: rev.phi > 1, timeout: 5}``, ``if: {condition: ..., then: [...], else: [...]}``,
``repeat: {times: 3, do: [...]}``, ``parallel: [[...], [...]]``, ``together: [...]`` and so on. ``For`` is no step:
it writes steps several times.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from modia3d.actions.touching import CONTACT_CONDITIONS
from modiapy.model.errors import Position

from . import registry
from .node_reader import NodeReader
from .quantities import measured, seconds
from .step_loops import unrolled
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


class StepReader(NodeReader):
    """Reader of the steps of a program, see `reader.Reader`; all raise a ScenarioError with the line."""

    @abstractmethod
    def single(self, node: Node, what: str, known: Iterable[str]) -> tuple[str, Node]:
        """Return the only key of a mapping, and its value."""

    @abstractmethod
    def make(self, entry: registry.Entry, node: Node, lines: dict[str, Position]) -> Any:
        """Call a constructor with the arguments of a node."""


def read_steps(reader: StepReader, node: Node, what: str = "actions") -> Steps:
    """Return a list of actions and steps.

    Raises:
        ScenarioError: with the line.
    """
    if not isinstance(node.value, list):
        raise reader.error(f"'{what}' is wrong", node, found=node.kind, expected="a list of actions")
    steps: list[Any] = []
    lines: list[Position] = []
    for item in node.value:
        if isinstance(item.value, dict) and list(item.value) == ["For"]:
            for program in unrolled(reader, item.value["For"]):
                repeated, inner = read_steps(reader, program, "do of For")
                steps += repeated
                lines += inner
            continue
        name, arguments = reader.single(item, "an action", registry.actions())
        step, inner = _step(reader, name, arguments)
        steps.append(step)
        lines += [item.line, *inner]
    return steps, lines


def _step(reader: StepReader, name: str, node: Node) -> tuple[Any, list[Position]]:
    entry = registry.actions()[name]
    make = entry.make
    assert make is not None
    if name in BLOCKS:
        return _block(reader, name, make, node)
    if name == "set":
        values = {key: measured(reader, item, key).plain() for key, item in reader.mapping(node, name).items()}
        with reader.calling(node, name):
            return make(values), []
    if name == "parallel":
        if not isinstance(node.value, list):
            raise reader.error("'parallel' is wrong", node, found=node.kind, expected="a list of programs, each a list")
        parts = [read_steps(reader, part, "a program of parallel") for part in node.value]
        with reader.calling(node, name):
            return make(*(steps for steps, _ in parts)), [line for _, lines in parts for line in lines]
    if name in ("spawn", "together"):
        steps, lines = read_steps(reader, node, name)
        with reader.calling(node, name):
            return make(tuple(steps)), [] if name == "together" else lines
    if name == "wait_until" and isinstance(node.value, dict):
        return _wait_until(reader, make, node), []
    return reader.make(entry, node, {}), []


def _wait_until(reader: StepReader, make: Callable[..., Any], node: Node) -> Any:
    """Return a condition, or what is asked about contact, and a timeout."""
    written = reader.mapping(node, "wait_until", ("condition", *CONTACT_CONDITIONS, "timeout"))
    given = {key: measured(reader, item, key, seconds).plain() for key, item in written.items()}
    more = {"timeout": given.pop("timeout")} if "timeout" in given else {}
    with reader.calling(node, "wait_until"):
        return make(given, **more)


def _block(reader: StepReader, name: str, make: Callable[..., Any], node: Node) -> tuple[Any, list[Position]]:
    fields = BLOCKS[name]
    written = reader.mapping(node, name, fields)
    given: dict[str, Any] = {}
    lines: list[Position] = []
    for key, field in fields.items():
        if (item := written.get(key)) is None:
            continue
        if key in PROGRAMS:
            given[field], inner = read_steps(reader, item, f"{key} of {name}")
            lines += inner
        else:
            given[field] = measured(reader, item, f"{key} of {name}", seconds).plain()
    with reader.calling(node, name):
        return make(**given), lines
