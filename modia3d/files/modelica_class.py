"""``modelica: {file: drive.mo, model: Drive}`` in a scenario: a class of Modelica source as a component."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from pathlib import Path

from modiapy.model.errors import ModelError, ModiaError
from modiapy.model.model import Model

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
    given = reader.mapping(said, f"'{KEY}'")
    reader.check_keys(said, TEXTS, f"'{KEY}'")
    values = {"file": None, "model": "", "libraries": []} | {key: item.plain() for key, item in given.items()}
    for key, expected in _EXPECTED.items():
        items = values[key] if key == "libraries" and isinstance(values[key], list) else [values[key]]
        if not all(isinstance(item, str) for item in items) or (key == "libraries") != isinstance(values[key], list):
            raise reader.error(f"'{key}' of '{KEY}' is wrong", given.get(key, said), found=repr(values[key]), expected=expected)
    try:
        file = permitted_path(f"file of {KEY}", values["file"], folders)
        within = [permitted_path(f"libraries of {KEY}", name, folders, kind="folder") for name in values["libraries"]]
        _check_package(file, folders)
        files[file] = "the Modelica source of the scenario"
        name = values["model"] or file.stem
        entry = Entry(name, model=_load(file, name, within if "libraries" in given else None))
    except ModiaError as error:
        raise reader.placed(error, said) from None
    return entry, Node({key: item for key, item in node.value.items() if key != KEY}, node.line, node.key_lines)


_EXPECTED = {"file": "the name of a file .mo", "model": "the name of a class", "libraries": "a list of folders"}


def _load(file: Path, name: str, libraries: Sequence[Path] | None) -> Model:
    from modiapy.modelica.load import load_file

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
