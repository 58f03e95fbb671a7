"""YAML text as a tree whose every node knows its line and column. YAML is data from strangers: nothing in it is executed.

Stricter than YAML itself where YAML surprises: no tags, anchors or aliases, no duplicate keys, keys are plain text, only
``true`` and ``false`` are booleans, ``1e-6`` is a number, and what people and versions of YAML take for different things
(``yes``, ``010``, ``1:30``) is refused. What to write instead is said by `yaml_mistakes`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from modiapy.model.errors import ModiaError, Position

from .basics.content import content_of
from .yaml_mistakes import explained, folded, hidden_spaces, surprising

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
    """A value of the file: None, bool, int, float, str, a list of nodes or a dict of nodes; ``line`` is where it begins.

    In a mapping ``key_lines`` gives the place of each key.
    """

    value: Any
    line: int
    key_lines: dict[str, Position] | None = None

    def misplaced(self, key: str) -> str:
        """Return the remedy for an unknown key that stands beside one without a value, as a lack of indentation makes it; else
        "".
        """
        keys = list(self.value)
        before = keys[: keys.index(key)]
        empty = next((k for k in reversed(before) if self.value[k].value is None), None)
        return f"Indent it, if it belongs to '{empty}', which is empty." if empty is not None else ""

    def plain(self) -> Any:
        """Return the value without line numbers."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    @property
    def kind(self) -> str:
        """Kind of the node, in words for messages."""
        kinds = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", type(None): "nothing"}
        return kinds.get(type(self.value), "a number")

    @property
    def shown(self) -> str:
        """Kind of the node and its content, for messages."""
        text = repr(self.plain())
        return self.kind if self.value is None else f"{self.kind}: {text if len(text) <= SHOWN else text[:SHOWN] + '...'}"


def read_tree(file: Path) -> Node:
    """Return the tree of a YAML file.

    Raises:
        ScenarioError: the file cannot be read, is no YAML, or uses what the module's documentation excludes.
    """
    return tree_of(_text(file), file)


def tree_of(text: str, file: Path) -> Node:
    """Return the tree of a text in YAML; ``file`` is where it stands, for messages.

    Raises:
        ScenarioError: it is no YAML, or uses what the module's documentation excludes.
    """
    if habit := hidden_spaces(text):
        raise _error(file, Position(habit.line, habit.column), habit.message, found=habit.found, remedy=habit.remedy)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Builder(file, text).tree(yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        habit = explained(text, error)
        raise _error(file, Position(habit.line, habit.column), habit.message, found=habit.found, remedy=habit.remedy) from None
    except yaml.reader.ReaderError as error:
        at = text.find(chr(error.character))
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        raise _error(
            file, Position(line, column), "a character that YAML does not allow", found=f"the character U+{error.character:04X}"
        ) from None


def _error(file: Path, position: int | None, message: str, **details: Any) -> ScenarioError:
    return ScenarioError(message, file=str(file), line=position, **details)


def _text(file: Path) -> str:
    """Return the text of a file, without a mark of byte order."""
    data = content_of(file, MAX_BYTES, ScenarioError)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        position = Position(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        found = "UTF-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else f"the byte 0x{data[error.start]:02X}"
        raise _error(
            file,
            position,
            "the file cannot be read: it is no UTF-8",
            found=found,
            remedy="Save the file as UTF-8 in the editor.",
        ) from None


_NOWHERE = Position(0)


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not been read yet; ``key`` waits for its value."""

    node: Node
    flow: bool
    key: str | None = None
    key_line: Position = _NOWHERE


class _Builder:
    """Makes the tree from the events of YAML's parser."""

    def __init__(self, file: Path, text: str) -> None:
        self.file, self.lines = file, text.split("\n")
        self.stack: list[_Open] = []
        self.root: Node | None = None

    def tree(self, events: Iterable[Any]) -> Node:
        """Return the tree.

        Raises:
            ScenarioError: what is allowed in YAML, but not here.
        """
        for event in events:
            if isinstance(event, yaml.CollectionEndEvent):
                self.stack.pop()
                continue
            line = Position(event.start_mark.line + 1, event.start_mark.column + 1)
            if isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
                raise self.error(line, "a second document begins here", expected="one document in the file")
            self.refuse_references(event, line)
            if not isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
                continue
            owner = self.stack[-1] if self.stack else None
            if owner is not None and isinstance(owner.node.value, dict) and owner.key is None:
                self.open_key(owner, event, line)
                continue
            node = self.node(event, line)
            if owner is None:
                self.root = node
            else:
                self.insert(owner, node)
            if isinstance(event, yaml.CollectionStartEvent):
                if len(self.stack) >= MAX_DEPTH:
                    raise self.error(line, "this is nested too deeply", expected=f"at most {MAX_DEPTH} levels")
                self.stack.append(_Open(node, bool(event.flow_style)))
        if self.root is None:
            raise self.error(None, "the file is empty")
        return self.root

    def error(self, line: int | None, message: str, **details: Any) -> ScenarioError:
        """Return an error at a place of the file."""
        return _error(self.file, line, message, **details)

    def refuse_references(self, event: Any, line: Position) -> None:
        """Refuse anchors, aliases and tags."""
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            sign, kind = ("*", "alias") if isinstance(event, yaml.AliasEvent) else ("&", "anchor")
            raise self.error(
                line,
                "anchors and aliases are not used in scenarios",
                found=f"'{sign}{event.anchor}', which is an {kind} in YAML",
                remedy="Name the part under 'definitions' and write {Name: {...changes...}} where it is used; "
                "a text that begins so stands in quotes.",
            )
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag and event.tag != "!":
            raise self.error(
                line, f"tag '{event.tag}' is not allowed", remedy="Leave it out; a text that begins with ! stands in quotes."
            )

    def node(self, event: Any, line: Position) -> Node:
        """Return the node that an event begins."""
        if isinstance(event, yaml.MappingStartEvent):
            return Node({}, line, {})
        if isinstance(event, yaml.SequenceStartEvent):
            return Node([], line)
        if not event.implicit[0] or event.style:
            return Node(event.value, line)
        if found := surprising(event.value):
            raise self.error(line, found[0], found=f"'{event.value}'", remedy=found[1])
        self.refuse_folded(event)
        node = Node(plain_scalar(event.value), line)
        if isinstance(node.value, float) and math.isinf(node.value) and event.value not in _PLAIN:
            raise self.error(
                line,
                "this number is too large",
                found=event.value if len(event.value) <= SHOWN else f"{len(event.value)} digits",
                expected="at most 1.79e308",
            )
        return node

    def refuse_folded(self, event: Any) -> None:
        """Refuse lines that were meant as entries of a mapping or list, and are one text to YAML."""
        first, last = event.start_mark.line, event.end_mark.line
        owner = self.stack[-1] if self.stack else None
        own_line = owner is None or (owner.key is not None and first + 1 > owner.key_line)
        if event.end_mark.column == 0:
            last -= 1
        if last <= first and not own_line:
            return
        for row in range(first if own_line else first + 1, last + 1):
            if found := folded(self.lines[row], row == first):
                column = len(self.lines[row]) - len(self.lines[row].lstrip()) + 1
                shown = self.lines[row].strip()[:SHOWN]
                raise self.error(Position(row + 1, column), found[0], found=f"'{shown}'", remedy=found[1])

    def open_key(self, owner: _Open, event: Any, line: Position) -> None:
        """Open the key of an entry whose value comes next."""
        if not isinstance(event, yaml.ScalarEvent):
            begin = "{" if isinstance(event, yaml.MappingStartEvent) else "["
            raise self.error(
                line,
                "a key must be plain text",
                found=f"'{begin}'",
                remedy=f'Text that begins with {begin} stands in quotes: "...".',
            )
        if event.value in owner.node.value:
            assert owner.node.key_lines is not None
            found = f"'{event.value}' in line {owner.node.key_lines[event.value]} and here"
            raise self.error(
                line,
                f"key '{event.value}' stands here twice",
                found=found,
                remedy="Keep one of them, or give one another name.",
            )
        if event.value == "<<" and not event.style:
            raise self.error(
                line,
                "'<<' of YAML is not used in scenarios",
                remedy="Name the part under 'definitions' and write {Name: {...changes...}} where it is used.",
            )
        owner.key, owner.key_line = event.value, line

    def insert(self, owner: _Open, node: Node) -> None:
        """Insert an entry of a list or mapping."""
        if isinstance(owner.node.value, list):
            owner.node.value.append(node)
            return
        assert owner.key is not None
        assert owner.node.key_lines is not None
        if node.value is None and owner.flow and (found := folded(owner.key, True)):
            raise self.error(owner.key_line, found[0], found=f"'{owner.key}'", remedy=found[1])
        owner.node.value[owner.key] = node
        owner.node.key_lines[owner.key] = owner.key_line
        owner.key = None


def plain_scalar(text: str) -> Any:
    """Return the value of unquoted text: a number, true, false, nothing or the text itself."""
    if text in _PLAIN:
        return _PLAIN[text]
    if _NUMBER.match(text):
        value = float(text)
        return int(text) if text.lstrip("+-").isdigit() and math.isfinite(value) else value
    return text
