"""Base of all readers of YAML files: nodes are checked, and errors name the place where something is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from modiapy.model.errors import ModiaError, nearest

from ..scene.basics.paths import permitted_path
from .yaml_mistakes import hint
from .yaml_tree import Node, ScenarioError, read_tree


class NodeReader:
    """One file while it is read.

    Attributes:
        file: where it is.
    """

    file: Path

    @cached_property
    def trail(self) -> list[str]:
        """Names on the way to the object that is being read, e.g. ``["arm", "joint2"]``."""
        return []

    def tree(self, what: str, version: tuple[str, int], known: Sequence[str], needed: Sequence[str]) -> Node:
        """Return the tree of the file, a mapping.

        Args:
            what: what the file is, for messages: "scenario".
            version: key and number of the version of the format. known: the keys that it may have. needed: those it must have.
        """
        root = read_tree(self.file)
        if not isinstance(root.value, dict):
            raise self.error(f"this is not a {what}", root, found=root.kind, expected=f"a mapping with {', '.join(known)}")
        self.check_keys(root, known, f"a {what}")
        for key in needed:
            if key not in root.value:
                raise self.error(f"'{key}' is missing", root, expected=f"a {what} with {', '.join(needed)}")
        written, number = root.value[version[0]], version[1]
        if type(written.value) is not int or written.value != number:
            raise self.error("this version of the format is unknown", written, found=written.shown, expected=str(number))
        return root

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """Read the entry ``name`` of what was being read within the block."""
        self.trail.append(name)
        try:
            yield
        finally:
            self.trail.pop()

    def path(self, inner: str = "") -> str:
        """Return the full path of the object that is being read, or of something inside it."""
        return ".".join(filter(None, [*self.trail, inner]))

    def mapping(self, node: Node, what: str, known: Iterable[str] | None = None) -> dict[str, Node]:
        """Return the entries of a mapping (none if nothing is written); ``known`` are the only keys that it may have."""
        if node.value is None:
            return {}
        if not isinstance(node.value, dict):
            raise self.error(
                f"{what} is wrong",
                node,
                found=node.shown,
                expected="a mapping" if known is None else f"a mapping with keys among {', '.join(known)}",
            )
        self.check_keys(node, node.value if known is None else known, what)
        return node.value

    def file_named(self, node: Node, what: str, folders: Sequence[str], kind: str = "file") -> Path:
        """Return the file (or folder, as ``kind`` says) that a node names, in one of the folders."""
        if not isinstance(node.value, str):
            raise self.error(f"{what} is wrong", node, found=node.shown, expected=f"the name of a {kind}")
        with self.placing(node):
            return permitted_path(what, node.value, folders, kind=kind)

    def check_keys(self, node: Node, known: Iterable[str], what: str) -> None:
        """Refuse unknown keys of a mapping."""
        for key in node.value:
            if key not in known:
                raise self.unknown(key, node, known, what)

    def unknown(self, key: str, node: Node, known: Iterable[str], what: str) -> ScenarioError:
        """Return the error for an unknown key."""
        assert node.key_lines is not None
        return ScenarioError(
            f"unknown key '{key}' in {what}",
            path=self.path(),
            file=str(self.file),
            line=node.key_lines[key],
            expected=f"one of {', '.join(known)}",
            remedy=node.misplaced(key) or nearest(key, known),
        )

    def error(self, message: str, node: Node, **details: Any) -> ScenarioError:
        """Return an error at a node."""
        details = {"path": self.path(), "remedy": hint(node.plain(), details.get("expected", ""))} | details
        return ScenarioError(message, file=str(self.file), line=node.line or None, **details)

    @contextmanager
    def placing(self, node: Node) -> Iterator[None]:
        """Give errors of what is made of a node its place, and the path of the object, if they have none."""
        try:
            yield
        except ModiaError as error:
            raise self.placed(error, node) from None

    @contextmanager
    def calling(self, node: Node, name: str) -> Iterator[None]:
        """Do what `placing` does where a function is called by ``name``, also if the arguments do not fit it."""
        with self.placing(node):
            try:
                yield
            except TypeError as error:
                found = str(error).partition("__init__() ")[2] or str(error)
                raise self.error(f"the arguments of {name} do not fit", node, found=found) from None

    def placed(self, error: ModiaError, node: Node) -> ModiaError:
        """Return an error of what was made of a node, with the place and the path of the object if it has none."""
        if not error.file:
            error.path = self.path(error.path)
            error.file, error.line = str(self.file), node.line or None
        return error
