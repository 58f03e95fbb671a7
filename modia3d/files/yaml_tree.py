"""YAML text as a tree whose every node knows its line. YAML is data from strangers: nothing in it is executed.

Stricter than YAML itself where YAML surprises: no tags, anchors or aliases, no duplicate keys, keys are plain text, only
``true`` and ``false`` are booleans (``yes``, ``on`` are text), and ``1e-6`` is a number.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from modiapy.model.errors import ModiaError

MAX_DEPTH = 60
MAX_BYTES = 20_000_000
SHOWN = 80
"""So many letters of a value are shown in messages."""
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$", re.ASCII)
_PLAIN = {"": None, "~": None, "null": None, "true": True, "false": False, ".inf": float("inf"), "-.inf": float("-inf")}


class ScenarioError(ModiaError):
    """A scenario file cannot be read or does not say what a scenario must say; carries ``file`` and ``line``."""


@dataclass(slots=True)
class Node:
    """A value of the file: None, bool, int, float, str, a list of nodes or a dict of nodes; ``line`` counts from 1.

    In a mapping ``key_lines`` gives the line of each key.
    """

    value: Any
    line: int
    key_lines: dict[str, int] | None = None

    def plain(self) -> Any:
        """The value without line numbers."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    @property
    def kind(self) -> str:
        """What it is, in words for messages."""
        kinds = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", type(None): "nothing"}
        return kinds.get(type(self.value), "a number")

    @property
    def shown(self) -> str:
        """What it is and what it says, for messages."""
        text = repr(self.plain())
        return self.kind if self.value is None else f"{self.kind}: {text if len(text) <= SHOWN else text[:SHOWN] + '...'}"


def read_tree(file: Path) -> Node:
    """The tree of a YAML file.

    Raises:
        ScenarioError: the file cannot be read, is no YAML, or uses what the module's documentation excludes.
    """
    try:
        if file.stat().st_size > MAX_BYTES:
            raise ScenarioError("the file is too large", file=str(file), expected=f"at most {MAX_BYTES} bytes")
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ScenarioError("there is no such file", file=str(file)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError("the file cannot be read", file=str(file), found=str(error)) from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _build(yaml.parse(text, Loader=loader), str(file))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        found = (error.problem or "").removeprefix("found ")
        raise ScenarioError("this is not valid YAML", file=str(file), line=line, found=found) from None
    except yaml.reader.ReaderError as error:
        line = text[: text.find(chr(error.character))].count("\n") + 1
        raise ScenarioError("this is not valid YAML", file=str(file), line=line, found=error.reason) from None


class _Open:
    """A list or mapping whose end has not been read yet."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.key: str | None = None
        self.key_line = 0


def _build(events: Any, file: str) -> Node:
    stack: list[_Open] = []
    root: Node | None = None
    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent) and root is not None:
            raise ScenarioError("a second document begins here", file=file, line=line, expected="one document in the file")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ScenarioError(
                "anchors and aliases are not used in scenarios",
                file=file,
                line=line,
                remedy="Name the part under 'definitions'.",
            )
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag and event.tag != "!":
            raise ScenarioError(f"tag '{event.tag}' is not allowed", file=file, line=line)
        if isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
            continue
        if isinstance(event, yaml.ScalarEvent):
            plain = event.implicit[0] and not event.style
            node = Node(plain_scalar(event.value) if plain else event.value, line)
            _check_size(node, event.value, file)
        elif isinstance(event, yaml.MappingStartEvent):
            node = Node({}, line, {})
        elif isinstance(event, yaml.SequenceStartEvent):
            node = Node([], line)
        else:
            continue
        is_key = bool(stack) and isinstance(stack[-1].node.value, dict) and stack[-1].key is None
        if is_key:
            _open_key(stack[-1], event, line, file)
            continue
        if stack:
            _insert(stack[-1], node)
        else:
            root = node
        if isinstance(event, yaml.CollectionStartEvent):
            if len(stack) >= MAX_DEPTH:
                raise ScenarioError("nested too deeply", file=file, line=line, expected=f"at most {MAX_DEPTH} levels")
            stack.append(_Open(node))
    if root is None:
        raise ScenarioError("the file is empty", file=file)
    return root


def _open_key(owner: _Open, event: Any, line: int, file: str) -> None:
    if not isinstance(event, yaml.ScalarEvent):
        raise ScenarioError("a key must be plain text", file=file, line=line)
    if event.value in owner.node.value:
        raise ScenarioError(f"key '{event.value}' stands here twice", file=file, line=line)
    owner.key, owner.key_line = event.value, line


def _check_size(node: Node, text: str, file: str) -> None:
    """Refuse numbers that have no place in a float; infinity is written as such."""
    if isinstance(node.value, float) and math.isinf(node.value) and text not in _PLAIN:
        found = text if len(text) <= SHOWN else f"{len(text)} digits"
        raise ScenarioError("this number is too large", file=file, line=node.line, found=found, expected="at most 1.79e308")


def _insert(owner: _Open, node: Node) -> None:
    if isinstance(owner.node.value, list):
        owner.node.value.append(node)
    else:
        assert owner.key is not None
        assert owner.node.key_lines is not None
        owner.node.value[owner.key] = node
        owner.node.key_lines[owner.key] = owner.key_line
        owner.key = None


def plain_scalar(text: str) -> Any:
    """What unquoted text means: a number, true, false, nothing or the text itself."""
    if text in _PLAIN:
        return _PLAIN[text]
    if _NUMBER.match(text):
        value = float(text)
        return int(text) if text.lstrip("+-").isdigit() and math.isfinite(value) else value
    return text
