"""A scenario file in YAML becomes a `Scenario`.

The grammar is that of the Python constructors. A mapping with one key that is the name of a constructor, library model or
definition is a call: ``{Box: [1, 0.1, 0.1]}``, ``{Object3D: {parent: body}}``; a list holds positional arguments. A call of a
model or a definition merges the mapping into it, as ``Name | Map(...)`` does, and touches existing entries only. Strings are
names or expressions, as in Python.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from modiapy.model.errors import ModelError, ModiaError, Position
from modiapy.model.model import Model
from modiapy.model.places import without_places

from ..scene.constructors import read_palette
from . import registry
from .confine import confine
from .expectations import read_expectations
from .include import YAML, Inclusions, own_folder, part_of
from .inputs import files_of, read_inputs
from .overrides import assignments, units_at
from .quantities import measured, seconds
from .registry import Entry
from .scenario import Scenario, SimulationSettings
from .steps import read_steps
from .value_reader import Lines, ValueReader
from .yaml_tree import Node

VERSION = 1
TOP = ("modia3d", "description", "include", "palettes", "definitions", "model", "actions", "inputs", "simulation", "expect")


def read_scenario(
    file: str | os.PathLike[str], permitted: Sequence[str | os.PathLike[str]] = (), overrides: Sequence[str] = ()
) -> Scenario:
    """Read a scenario.

    Args:
        file: YAML file.
        permitted: folders whose files it may name (meshes, palettes, included files) besides those in its own folder.
        overrides: other values, as on the command line: ``["arm.gear.ratio=100", "simulation.stop_time=5"]``. The value is
            written as in the scenario.

    Raises:
        ScenarioError: with file and line, and the nearest valid key where a key is unknown.
    """
    with without_places():
        reader = Reader(Path(file), permitted)
        return reader.overridden(reader.scenario(), overrides)


class Reader(ValueReader):
    """One scenario while it is read. The steps of its program are read by `files.steps`."""

    def __init__(
        self, file: Path, permitted: Sequence[str | os.PathLike[str]] = (), inclusions: Inclusions | None = None
    ) -> None:
        self.file = file
        self.inclusions = inclusions or Inclusions([own_folder(file), *(os.fspath(folder) for folder in permitted)])
        self.folders = [*dict.fromkeys([own_folder(file), *self.inclusions.permitted])]
        self.files = self.inclusions.files
        self.definitions = {}

    def scenario(self) -> Scenario:
        """Return the whole file."""
        root = self.root("modia3d", "model", "simulation")
        description = root.value.get("description", Node("", 0))
        if not isinstance(description.value, str):
            raise self.error("'description' is wrong", description, found=description.kind, expected="text")
        self.names(root)
        settings = self.settings(root.value["simulation"])
        entries, lines = self.entries(root.value["model"], "the model")
        assert root.key_lines is not None
        lines[""] = root.key_lines["model"]
        actions, action_lines = self.actions(root.value.get("actions"))
        if action_lines:
            lines["actions"] = action_lines[0]
        confine(entries, self.folders)
        model = self.model(entries, actions, root)
        expect = tuple(read_expectations(self, root.value.get("expect", Node({}, 0, {}))))
        given = tuple(read_inputs(self, root.value.get("inputs"), self.folders, partial(units_at, model)))
        read, report = self.inclusions.files | files_of(given), tuple(self.inclusions.report)
        lines_of = lines, tuple(action_lines)
        return Scenario(self.file, description.value, model, settings, *lines_of, read, expect, report, given=given)

    def root(self, *needed: str) -> Node:
        """Return the tree of the file, with all keys that are ``needed``."""
        return self.tree("scenario", ("modia3d", VERSION), TOP, needed)

    def names(self, root: Node) -> None:
        """Read the known names of the file: included definitions, palettes, its own definitions."""
        self.inclusions.chain.append(self.file.resolve())
        if "include" in root.value:
            self.include(root.value["include"])
        self.palettes(root.value.get("palettes", Node([], 0)))
        for name, node in self.mapping(root.value.get("definitions", Node({}, 0, {})), "definitions").items():
            self.define(name, node)
        self.inclusions.chain.pop()

    def overridden(self, scenario: Scenario, overrides: Sequence[str]) -> Scenario:
        """Return the scenario with other values, written as ``PATH=VALUE``."""
        for path, node, place in assignments(overrides):
            try:
                value, _ = self.value(measured(self, node, path, partial(units_at, scenario.model, path)))
                confine(value, self.folders)
                scenario = scenario.with_values({path: value})
            except ModiaError as error:
                error.file, error.line = place, None
                raise
            scenario = replace(scenario, origins={**scenario.origins, path: Position(0, 0, place)})
        return scenario

    def model(self, entries: dict[str, Any], actions: list[Any], root: Node) -> Model:
        """Return the `Model3D` of the file; a `Model` of equations if it has neither objects nor a program."""
        from modia3d.actions.program import ModelActions
        from modia3d.engine.model3d import Model3D

        if actions:
            if "actions" in entries:
                raise self.error(
                    "'actions' stands twice: in the model and beside it", root.value["actions"], remedy="Keep one of them."
                )
            entries["actions"] = ModelActions(actions)
        model = Model3D(**entries) if actions or _has_objects(entries) else Model(**entries)
        model.places = self.places(root.value["model"], entries)
        return model

    # -- other files ---------------------------------------------------------------------------------------------------

    def include(self, node: Node) -> None:
        """Read ``include``: files whose definitions join, and mappings of names to files whose models become definitions."""
        for item in node.value if isinstance(node.value, list) else [node]:
            if isinstance(item.value, dict):
                for name, given in item.value.items():
                    self.check_name(name, given)
                    self.definitions[name] = self.included(name, given)
            else:
                self.join(item)

    def join(self, item: Node) -> None:
        """Take over the definitions of a file."""
        path = self.inclusions.find(self, item, self.folders)
        if path.suffix not in YAML:
            raise self.error(
                "this file has no definitions",
                item,
                found=str(item.value),
                expected=f"a scenario, or a name for the model of the file, such as {{Robot: {item.value}}}",
            )
        if path not in self.inclusions.read:
            other = Reader(path, (), self.inclusions)
            root = other.root("modia3d")
            other.names(root)
            if not other.definitions:
                raise self.error(
                    "there are no definitions in this file",
                    item,
                    found=str(item.value),
                    remedy=f"Its model becomes a definition by {{Name: {item.value}}}." if "model" in root.value else "",
                )
            self.inclusions.read[path] = other.definitions
        for name, definition in self.inclusions.read[path].items():
            if self.definitions.get(name) is not definition:
                self.check_name(name, item)
            self.definitions[name] = definition

    def included(self, name: str, node: Node) -> tuple[Entry, Lines]:
        """Return the model of a file, without its world, as ``name``; ``{file: ..., flanges: all}`` for robots."""
        from .importers.formats import known_formats
        from .importers.options import IN_FILES

        options = {"file": node}
        if isinstance(node.value, dict):
            options = dict(self.mapping(node, f"the file of '{name}'", ("file", *IN_FILES)))
        if "file" not in options:
            raise self.error("'file' is missing", node, expected="the name of a file")
        path = self.inclusions.find(self, options.pop("file"), self.folders)
        lines: Lines = {}
        if path.suffix in YAML:
            if options:
                raise self.error(
                    "these options are for robots",
                    node,
                    found=f"{', '.join(options)} beside a scenario",
                    expected=f"them beside a robot in {known_formats()}",
                    remedy="Leave them out.",
                )
            other = Reader(path, (), self.inclusions)
            root = other.root("modia3d", "model")
            other.names(root)
            entries, lines = other.entries(root.value["model"], "the model")
            places = other.places(root.value["model"], entries)
            entries, lines = part_of(entries, lines)
            model = Model(entries)
            model.places = places
        else:
            with self.placing(node):
                model = self.inclusions.robot(self, path, options, self.folders)
        confine(model, [own_folder(path), *self.inclusions.permitted])
        return Entry(name, model=model), lines

    # -- parts of the file ---------------------------------------------------------------------------------------------

    def palettes(self, node: Node) -> None:
        """Read files of materials; each material becomes a definition."""
        if not isinstance(node.value, list):
            raise self.error("'palettes' is wrong", node, found=node.shown, expected="a list of files")
        for item in node.value:
            file = self.file_named(item, "an entry of 'palettes'", self.folders)
            self.files[file] = "a palette of the scenario"
            with self.placing(item):
                made = read_palette(file)
            for name, material in made.items():
                if registry.is_taken(name) or name in self.definitions:
                    raise self.error(f"the palette '{item.value}' defines '{name}', which exists", item, remedy="Rename it.")
                self.definitions[name] = (Entry(name, model=material), {})

    def define(self, name: str, node: Node) -> None:
        """Read one entry of ``definitions``."""
        self.check_name(name, node)
        with self.within(name):
            value, lines = self.call(measured(self, node, f"'{name}'"))
        confine(value, self.folders)
        self.definitions[name] = (Entry(name, model=value), lines)

    def check_name(self, name: str, node: Node) -> None:
        """Refuse a name that no definition may have."""
        if registry.is_taken(name):
            raise self.error(f"'{name}' is the name of a constructor", node, remedy="Choose another name for the definition.")
        if not name[:1].isupper():
            raise self.error("the name of a definition is wrong", node, found=f"'{name}'", expected="a capital first letter")
        if name in self.definitions:
            raise self.error(f"there are two definitions '{name}'", node, remedy="Rename one of them.")

    def settings(self, node: Node) -> SimulationSettings:
        """Return the ``simulation`` part."""
        names = tuple(f.name for f in fields(SimulationSettings))
        given = self.mapping(node, "simulation", names)
        values = {key: measured(self, item, f"simulation.{key}", seconds).plain() for key, item in given.items()}
        if "stop_time" not in values:
            raise self.error("'stop_time' is missing", node, expected="the end of the simulation [s]")
        try:
            return SimulationSettings(**{key: float(value) if type(value) is int else value for key, value in values.items()})
        except ModelError as error:
            raise self.placed(error, given[error.path.partition(".")[2]]) from None

    def actions(self, node: Node | None) -> tuple[list[Any], list[Position]]:
        """Return the action program and the lines of its steps, see `files.steps`."""
        if node is None or node.value is None:
            return [], []
        return read_steps(self, node)


def _has_objects(entries: dict[str, Any]) -> bool:
    """Return whether a constructor of `modia3d` is called among entries, at any depth: there must be a world then."""
    return any(isinstance(e, dict) and ("_constructor" in e or _has_objects(e)) for e in entries.values())
