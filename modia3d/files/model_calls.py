"""Models that are made while a scenario is read.

``modelica: {file: drive.mo, model: Drive}`` is a class of Modelica source as a component,
``{electric.polyphase.Resistor: {m: 6, R: 2}}`` what a function of a library returns.
"""

from __future__ import annotations

import math
import typing
from abc import abstractmethod
from collections.abc import MutableMapping, Sequence
from pathlib import Path
from typing import Any

from modiapy.model.arguments import check_arguments
from modiapy.model.errors import ModelError, Position
from modiapy.model.fields import admits_str
from modiapy.model.model import Map, Model

from ..scene.basics.paths import permitted_path
from .node_reader import NodeReader
from .registry import Entry
from .yaml_tree import Node

KEY = "modelica"
"""Of a mapping that stands for a component; the other keys are parameters and submodels of the class."""

TEXTS = {
    "file": "The file of the class (.mo).",
    "model": "Name of the class; by default that of the file.",
    "libraries": "Folders of Modelica libraries; by default those of MODELICAPATH.",
}
"""What may be said of the class."""


def is_class(node: Node) -> bool:
    """Return whether a mapping stands for a class of Modelica source."""
    return isinstance(node.value, dict) and KEY in node.value


def read_class(reader: NodeReader, node: Node, folders: Sequence[str], files: MutableMapping[Path, str]) -> tuple[Entry, Node]:
    """Return the class as a component with the values of the source, and the changes that stand beside it.

    Args:
        reader: of the scenario.
        node: the mapping that has the `KEY`.
        folders: in which the file, the package it belongs to, and libraries that are named must be.
        files: receives the file.

    Raises:
        ModiaError: a key is wrong, a file may not be read, the source is wrong (with its own file and line).
    """
    said = node.value[KEY]
    given = reader.mapping(said, f"'{KEY}'", TEXTS)
    model, within = given.get("model", Node("", said.line)), given.get("libraries", Node([], said.line))
    if not isinstance(model.value, str):
        raise reader.error(f"'model' of '{KEY}' is wrong", model, found=model.shown, expected="the name of a class")
    if not isinstance(within.value, list):
        raise reader.error(f"'libraries' of '{KEY}' is wrong", within, found=within.shown, expected="a list of folders")
    file = reader.file_named(given.get("file", said), f"'file' of '{KEY}'", folders)
    libraries = [reader.file_named(item, f"'libraries' of '{KEY}'", folders, "folder") for item in within.value]
    with reader.placing(said):
        _check_package(file, folders)
        files[file] = "the Modelica source of the scenario"
        name = model.value or file.stem
        entry = Entry(name, model=_load(file, name, libraries if "libraries" in given else None))
    return entry, Node({key: item for key, item in node.value.items() if key != KEY}, node.line, node.key_lines)


def _load(file: Path, name: str, libraries: Sequence[Path] | None) -> Model:
    from modiapy.modelica import load_file

    return load_file(file, name, libraries=libraries).as_entry()


def _check_package(file: Path, folders: Sequence[str]) -> None:
    """Check that a file in the folders of a package brings all of the package."""
    from modiapy.modelica.frontend.libraries import library_of

    library = library_of(file)
    if library is None:
        return
    try:
        permitted_path(f"the package of {KEY}", str(library.path), folders, kind="folder")
    except ModelError as error:
        error.remedy = f"Permit the folder of the package: --permit {library.path}."
        raise


LARGEST = 300
"""Number of phases, inputs, segments, ... of a function's model; the product of all numbers at most ten times that."""


class CallReader(NodeReader):
    """Reader of the arguments of functions, see `reader.Reader`."""

    @abstractmethod
    def arguments(self, entry: Entry, node: Node, lines: dict[str, Position]) -> tuple[list[Any], dict[str, Any]]:
        """Return the positional and keyword arguments."""

    @abstractmethod
    def modifications(self, node: Node, base: Any, what: str, lines: dict[str, Position]) -> Map:
        """Return the modifications that are merged into a model."""


def call_function(reader: CallReader, entry: Entry, node: Node, lines: dict[str, Position]) -> Model:
    """Return the model that a function of a library makes, with what is given besides the function's arguments.

    Raises:
        ModiaError: an argument is not of its kind, too large, or missing.
    """
    assert entry.make is not None
    assert entry.fields is not None
    own, rest = node, Node({}, node.line, node.key_lines)
    if isinstance(node.value, dict):
        own = Node({key: item for key, item in node.value.items() if key in entry.fields}, node.line, node.key_lines)
        rest = Node({key: item for key, item in node.value.items() if key not in entry.fields}, node.line, node.key_lines)
    args, keywords = reader.arguments(entry, own, lines)
    given = dict(zip(entry.fields, args, strict=False)) | keywords
    hints = typing.get_type_hints(entry.make)
    check_arguments(entry.name, given, hints)
    sizes = []
    for key, value in given.items():
        if isinstance(value, str) and not admits_str(hints[key]):
            raise reader.error(
                f"{key} of {entry.name} is wrong",
                node,
                found=f"'{value}'",
                expected="a number: the function is called when the file is read",
            )
        sizes += [value] if type(value) is int and value > 1 else []
    if max(sizes, default=1) > LARGEST or math.prod(sizes) > 10 * LARGEST:
        raise reader.error(
            f"{entry.name} is too large", node, found=" and ".join(map(str, sizes)), expected=f"numbers up to {LARGEST}"
        )
    try:
        model = entry.make(*args, **keywords)
    except (ValueError, ArithmeticError, LookupError) as error:
        raise reader.error(f"the arguments of {entry.name} do not fit", node, found=str(error)) from None
    return model | reader.modifications(rest, model, entry.name, lines)
