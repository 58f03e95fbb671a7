"""``include`` of scenarios: where other files may be, robots among them, and what of a model becomes a definition."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from modiapy.model.errors import FieldError, Position
from modiapy.model.model import Model

from ..scene.scene_feature import SceneFeature
from .node_reader import NodeReader
from .quantities import measured
from .yaml_tree import Node

YAML = (".yaml", ".yml")
DEEPEST = 30
"""Files that include each other, one inside the other."""


@dataclass
class Inclusions:
    """Files that a scenario includes.

    Attributes:
        permitted: folders whose files may be named besides those in the folder of the file that names them.
        chain: files that are being read, the innermost last.
        read: what was made of each file that was read for its definitions.
        files: all files, and what they are.
        report: what became of included robots.
    """

    permitted: Sequence[str]
    chain: list[Path] = field(default_factory=list)
    read: dict[Path, Any] = field(default_factory=dict)
    files: dict[Path, str] = field(default_factory=dict)
    report: list[str] = field(default_factory=list)

    def find(self, reader: NodeReader, node: Node, folders: Sequence[str]) -> Path:
        """Return the file that an entry of ``include`` names.

        Raises:
            ScenarioError: there is none, it may not be read, it includes itself.
        """
        path = reader.file_named(node, "an entry of 'include'", folders)
        if path in self.chain:
            raise reader.error(
                "a file includes itself",
                node,
                found=" -> ".join(file.name for file in (*self.chain[self.chain.index(path) :], path)),
                remedy="Move what both need to a third file.",
            )
        if len(self.chain) >= DEEPEST:
            raise reader.error("files are included too deeply", node, expected=f"at most {DEEPEST} levels")
        self.files[path] = "a file that the scenario includes"
        return path

    def robot(self, reader: NodeReader, path: Path, options: Mapping[str, Node], folders: Sequence[str]) -> Model:
        """Return the model of a robot, which stands in the world of the scenario.

        Args:
            reader: of the scenario.
            path: of the robot's file.
            options: by name, see `RobotOptions`.
            folders: in which the roots may be.

        Raises:
            ModiaError: the file is wrong; an option is, with its place.
        """
        from .importers.formats import format_of
        from .importers.import_robot import imported_from
        from .importers.options import RobotOptions

        given = {key: self._option(reader, key, node, folders) for key, node in options.items()}
        try:
            chosen = RobotOptions(**given, scene=False)
        except FieldError as error:
            raise reader.placed(error, options[error.field]) from None
        chosen = replace(chosen, roots={folder: folder for folder in self.permitted} | dict(chosen.roots))
        model = imported_from(path, format_of(path), chosen)
        self.report += [f"{path.name}: {line}" for line in model.report]
        return model

    def _option(self, reader: NodeReader, key: str, node: Node, folders: Sequence[str]) -> Any:
        """Return the value of an option: positions may have units, roots are permitted folders."""
        if key == "positions" and isinstance(node.value, dict):
            return {name: measured(reader, item, f"the position of '{name}'").plain() for name, item in node.value.items()}
        if key == "roots" and isinstance(node.value, dict):
            return {name: reader.file_named(item, f"root '{name}'", folders, "folder") for name, item in node.value.items()}
        return node.plain()


def part_of(entries: Mapping[str, Any], lines: Mapping[str, Position]) -> tuple[dict[str, Any], dict[str, Position]]:
    """Return the entries of a `Model3D` and their lines, without the world, for a model that stands in the world of another
    one.
    """
    worlds = [
        name
        for name, entry in entries.items()
        if isinstance(entry, dict)
        and isinstance(entry.get("feature"), dict)
        and entry["feature"].get("_constructor") is SceneFeature
    ]
    kept = {name: entry for name, entry in entries.items() if name not in worlds}
    return kept, {path: line for path, line in lines.items() if path.partition(".")[0] not in worlds}


def own_folder(file: str | os.PathLike[str]) -> str:
    """Return the folder of a file, links followed."""
    return os.path.dirname(os.path.realpath(file))
