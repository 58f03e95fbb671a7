"""A scenario file in YAML becomes a `Scenario`.

The grammar is that of the Python constructors. A mapping with one key that is the name of a constructor, library model or
definition is a call: ``{Box: [1, 0.1, 0.1]}``, ``{Object3D: {parent: body}}``; a list holds positional arguments. A call of a
model or a definition merges the mapping into it, as ``Name | Map(...)`` does, and touches existing entries only. Strings are
names or expressions, as in Python.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from modiapy.model.array import Array
from modiapy.model.errors import ModelError, ModiaError, Position
from modiapy.model.model import Map, Model, Var, indexed
from modiapy.model.places import KnownPlace, Places, without_places

from ..scene.basics.paths import permitted_path
from ..scene.constructors import read_palette
from ..scene.rot import NAMES, rot
from . import registry
from .confine import CONFINED, confine
from .expectations import read_expectations
from .include import OPTIONS, YAML, Inclusions, own_folder, part_of
from .inputs import files_of, read_inputs
from .loop_places import written
from .model_calls import CallReader, call_function, is_class, read_class
from .overrides import assignments, units_at
from .quantities import documented, is_text, measured, no_units, units_in
from .registry import Entry
from .scenario import Scenario, SimulationSettings
from .steps import StepReader, read_steps
from .yaml_tree import Node, ScenarioError, read_tree

VERSION = 1
TOP = ("modia3d", "description", "include", "palettes", "definitions", "model", "actions", "inputs", "simulation", "expect")
APPENDED = ("equations", "initial_equations", "connect")
"""Entries of a modification that are added to those of the model."""
RULES = ("When", "Assert", "If", "For")
"""Calls that may stand among the equations."""
SINGLE_LISTS = ("ptpJointSpace",)
"""Calls of several arguments where a list is the first one, and not the list of all."""

Lines = dict[str, Position]
"""Line of each entry of a value, by the path relative to the value."""

MAX_ENTRIES = 500_000
"""More entries of a model, those of its submodels included, are not meant."""


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


class Reader(StepReader, CallReader):
    """One scenario while it is read. The steps of its program are read by `files.steps`."""

    def __init__(
        self, file: Path, permitted: Sequence[str | os.PathLike[str]] = (), inclusions: Inclusions | None = None
    ) -> None:
        self.file = file
        self.inclusions = inclusions or Inclusions([own_folder(file), *(os.fspath(folder) for folder in permitted)])
        self.folders = [*dict.fromkeys([own_folder(file), *self.inclusions.permitted])]
        self.definitions: dict[str, tuple[Entry, Lines]] = {}

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
        root = read_tree(self.file)
        if not isinstance(root.value, dict):
            raise self.error("this is not a scenario", root, found=root.kind, expected=f"a mapping with {', '.join(TOP)}")
        self.check_keys(root, TOP, "a scenario")
        for key in needed:
            if key not in root.value:
                raise self.error(f"'{key}' is missing", root, expected=f"a scenario has {key}")
        version = root.value["modia3d"]
        if type(version.value) is not int or version.value != VERSION:
            raise self.error("this version of the format is unknown", version, found=version.shown, expected=str(VERSION))
        return root

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
        """Return the `Model3D` of the file."""
        from modia3d.actions.program import ModelActions
        from modia3d.engine.model3d import Model3D

        if actions:
            if "actions" in entries:
                raise self.error("'actions' stands in the model and beside it", root.value["actions"])
            entries["actions"] = ModelActions(actions)
        model = Model3D(**entries)
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
            expected = f"a scenario, or a name for the model of the file, such as {{Robot: {item.value}}}"
            raise self.error("this file has no definitions", item, found=str(item.value), expected=expected)
        if path not in self.inclusions.read:
            other = Reader(path, (), self.inclusions)
            root = other.root("modia3d")
            other.names(root)
            if not other.definitions:
                remedy = f"Its model becomes a definition by {{Name: {item.value}}}." if "model" in root.value else ""
                raise self.error("there are no definitions in this file", item, found=str(item.value), remedy=remedy)
            self.inclusions.read[path] = other.definitions
        for name, definition in self.inclusions.read[path].items():
            if self.definitions.get(name) is not definition:
                self.check_name(name, item)
            self.definitions[name] = definition

    def included(self, name: str, node: Node) -> tuple[Entry, Lines]:
        """Return the model of a file, without its world, as ``name``; ``{file: ..., flanges: all}`` for robots."""
        options = dict(node.value) if isinstance(node.value, dict) else {"file": node}
        if isinstance(node.value, dict):
            self.check_keys(node, ("file", *OPTIONS), f"the file of '{name}'")
            if "file" not in options:
                raise self.error("'file' is missing", node, expected="the name of a file")
        path = self.inclusions.find(self, options.pop("file"), self.folders)
        lines: Lines = {}
        if path.suffix in YAML:
            if options:
                raise self.error("these options are for robots in URDF or MJCF", node, found=", ".join(options))
            other = Reader(path, (), self.inclusions)
            root = other.root("modia3d", "model")
            other.names(root)
            entries, lines = other.entries(root.value["model"], "the model")
            places = other.places(root.value["model"], entries)
            entries, lines = part_of(entries, lines)
            model = Model(entries)
            model.places = places
        else:
            try:
                model = self.inclusions.robot(self, path, options, self.folders)
            except ModiaError as error:
                raise self.placed(error, node) from None
        confine(model, [own_folder(path), *self.inclusions.permitted])
        return Entry(name, model=model), lines

    # -- parts of the file ---------------------------------------------------------------------------------------------

    def palettes(self, node: Node) -> None:
        """Read files of materials; each material becomes a definition."""
        if not isinstance(node.value, list) or not all(isinstance(item.value, str) for item in node.value):
            raise self.error("'palettes' is wrong", node, found=node.shown, expected="a list of files")
        for item in node.value:
            try:
                file = permitted_path("an entry of palettes", str(item.value), self.folders)
                self.inclusions.files[file] = "a palette of the scenario"
                made = read_palette(file)
            except ModiaError as error:
                raise self.placed(error, item) from None
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
            raise self.error(f"definition '{name}'", node, expected="a name with a capital first letter")
        if name in self.definitions:
            raise self.error(f"there are two definitions '{name}'", node, remedy="Rename one of them.")

    def settings(self, node: Node) -> SimulationSettings:
        """Return the ``simulation`` part."""
        names = tuple(f.name for f in fields(SimulationSettings))
        values = {}
        for key, given in self.mapping(node, "simulation").items():
            if key not in names:
                raise self.unknown(key, node, names, "simulation")
            item = measured(self, given, f"simulation.{key}", lambda: ("s",))
            if type(item.value) not in (int, float):
                raise self.error(f"simulation.{key} is wrong", item, found=item.shown, expected="a number")
            values[key] = float(item.value)
        if "stop_time" not in values:
            raise self.error("'stop_time' is missing", node, expected="the end of the simulation [s]")
        try:
            return SimulationSettings(**values)
        except ModelError as error:
            raise self.placed(error, node.value[error.path.partition(".")[2]]) from None

    def actions(self, node: Node | None) -> tuple[list[Any], list[Position]]:
        """Return the action program and the lines of its steps, see `files.steps`."""
        if node is None or node.value is None:
            return [], []
        return read_steps(self, node)

    # -- values --------------------------------------------------------------------------------------------------------

    def entries(self, node: Node, what: str) -> tuple[dict[str, Any], Lines]:
        """Return the entries of a model: parameters, variables, submodels, ``equations`` and ``connect``."""
        values: dict[str, Any] = {}
        lines: Lines = {}
        for key, item in self.mapping(node, what).items():
            if key.startswith("_"):
                raise self.error(f"'{key}' cannot be set", item, remedy="Names that begin with '_' belong to the program.")
            inner: Lines = {}
            if key in APPENDED:
                values[key] = self.appended(key, item)
            else:
                with self.within(key):
                    number = item if key == "description" else measured(self, item, f"'{key}'")
                    values[key], inner = self.value(number)
            self.locate(lines, node, key, inner)
        return values, lines

    def locate(self, lines: Lines, node: Node, key: str, inner: Lines) -> None:
        """Add the line of an entry, and those of the entries inside it, to ``lines``.

        Raises:
            ScenarioError: there are too many; definitions made of definitions multiply.
        """
        assert node.key_lines is not None
        line = node.key_lines[key]
        lines[key] = Position(line, getattr(line, "column", 0), str(self.file))
        lines.update({f"{key}.{path}": line for path, line in inner.items()})
        if len(lines) > MAX_ENTRIES:
            found, remedy = f"more than {MAX_ENTRIES} entries", "Definitions made of definitions multiply."
            raise self.error("the model is too large", node.value[key], found=found, remedy=remedy)

    def appended(self, key: str, node: Node) -> list[Any]:
        """Return the equations (texts, and `RULES` among ``equations``), or ``connect`` (lists of paths)."""
        connect = key == "connect"
        expected = "a list of lists of connectors, e.g. [[a.flange, b.flange]]" if connect else "a list of equations"
        if not isinstance(node.value, list):
            raise self.error(f"'{key}' is wrong", node, found=node.kind, expected=expected)
        values: list[Any] = []
        for item in node.value:
            if key == "equations" and isinstance(item.value, dict) and len(item.value) == 1 and next(iter(item.value)) in RULES:
                values.append(self.call(item)[0])
                continue
            if connect and isinstance(item.value, dict) and list(item.value) == ["For"]:
                values.append(self.call(item)[0])
                continue
            texts = [item] if not connect else item.value if isinstance(item.value, list) else []
            if len(texts) <= connect or not all(isinstance(t.value, str) for t in texts):
                raise self.error(f"an entry of '{key}' is wrong", item, found=item.shown, expected=expected)
            values.append(tuple(item.plain()) if connect else item.value)
        return values

    def places(self, node: Node, values: Mapping[str, Any]) -> Places:
        """Return where the equations, connections and binding equations of a model or of a modification stand."""
        places: dict[str, KnownPlace] = {}
        for key, item in (node.value or {}).items():
            value = values.get(key)
            if key in APPENDED:
                texts = written(values[key], item.value, connect=key == "connect")
                places |= {text: self.place(part) for text, part in texts}
            elif isinstance(bound := value.get("value") if isinstance(value, Var) else value, str):
                places[f"{key} = {bound}"] = self.place(item)
        return places

    def place(self, node: Node) -> KnownPlace:
        """Return where a node stands."""
        return KnownPlace(str(self.file), node.line)

    def value(self, node: Node) -> tuple[Any, Lines]:
        """Return a number, text, list or call."""
        if isinstance(node.value, dict):
            return self.call(node)
        if isinstance(node.value, list):
            return [self.value(item)[0] for item in node.value], {}
        return node.value, {}

    def call(self, node: Node) -> tuple[Any, Lines]:
        """Return a call of a constructor, a model or a definition; a class of Modelica source."""
        if is_class(node):
            lines: Lines = {}
            return self.make(*read_class(self, node, self.folders, self.inclusions.files), lines), lines
        known = registry.constructors() | {name: entry for name, (entry, _) in self.definitions.items()}
        name, arguments = self.single(node, "a value", known)
        entry = known[name]
        lines = dict(self.definitions[name][1]) if name in self.definitions else {}
        return self.make(entry, arguments, lines), lines

    def make(self, entry: Entry, node: Node, lines: Lines) -> Any:
        """Carry out a call; ``lines`` gets the lines of the arguments."""
        try:
            if entry.make is None:
                return entry.model | self.modifications(node, entry.model, entry.name, lines)
            if entry.merged:
                return call_function(self, entry, node, lines)
            if entry.fields is None:
                values, inner = self.entries(node, entry.name)
                lines.update(inner)
                made = entry.make(**values)
                if isinstance(made, Model):
                    made.places = self.places(node, values)
                return made
            args, keywords = self.arguments(entry, node, lines)
            return entry.make(*args, **keywords)
        except ScenarioError:
            raise
        except ModiaError as error:
            raise self.placed(error, node) from None
        except TypeError as error:
            found = str(error).partition("__init__() ")[2] or str(error)
            raise self.error(f"the arguments of {entry.name} do not fit", node, found=found) from None

    def arguments(self, entry: Entry, node: Node, lines: Lines) -> tuple[list[Any], dict[str, Any]]:
        """Return the positional and keyword arguments of a constructor."""
        assert entry.fields is not None
        if isinstance(node.value, list):
            single_list = len(entry.fields) == 1 or entry.name in SINGLE_LISTS
            if single_list:
                return [self.argument(entry, entry.fields[0], node)[0]], {}
            if len(node.value) > len(entry.fields):
                expected = f"at most {len(entry.fields)}: {', '.join(entry.fields)}"
                raise self.error(f"too many arguments for {entry.name}", node, found=str(len(node.value)), expected=expected)
            return [self.argument(entry, *pair)[0] for pair in zip(entry.fields, node.value, strict=False)], {}
        if not isinstance(node.value, dict):
            single = self.number(entry, entry.fields[0], node) if entry.fields else node
            return ([] if node.value is None else [single.value]), {}
        if len(node.value) == 1 and next(iter(node.value)) not in entry.fields and self.is_call(node):
            return [self.call(node)[0]], {}
        self.check_keys(node, registry.with_rot(entry.fields), entry.name)
        keywords: dict[str, Any] = {}
        for key, item in node.value.items():
            if key == "rot" and key not in entry.fields:
                keywords["rotation"] = self.rotation(node)
                self.locate(lines, node, key, {})
                continue
            keywords[key], inner = self.argument(entry, key, item)
            self.locate(lines, node, key, inner)
        return [], keywords

    def argument(self, entry: Entry, field: str, node: Node) -> tuple[Any, Lines]:
        """Return one argument of a constructor."""
        with self.within("" if entry.make is Array else field):
            number = self.number(entry, field, node)
            return self.plain_mapping(node, field) if field in entry.mappings else self.value(number)

    def rotation(self, node: Node) -> Any:
        """Return the rotation that ``rot`` says, which stands in the place of ``rotation``."""
        if "rotation" in node.value:
            raise self.error("'rot' and 'rotation' are given", node.value["rot"], remedy="Leave out one of them.")
        item = node.value["rot"]
        if not isinstance(item.value, dict):
            raise self.error("'rot' is wrong", item, found=item.shown, expected="a mapping such as {y: 90 deg}")
        self.check_keys(item, NAMES, "rot")
        radian = partial(documented, rot, "angle")
        angles = {
            key: self.value(measured(self, angle, f"{key} of rot", radian if key != "quaternion" else no_units))[0]
            for key, angle in item.value.items()
        }
        try:
            return rot(**angles)
        except ModiaError as error:
            raise self.placed(error, item) from None

    def number(self, entry: Entry, field: str, node: Node) -> Node:
        """Return an argument of a constructor, with numbers in the place of quantities with units."""
        if entry.name in ("Var", "Par") or is_text(entry.make, field):
            return node  # a Var and a Par are converted as a whole, where their unit is known
        return measured(self, node, f"{field} of {entry.name}", lambda: documented(entry.make, field))

    def plain_mapping(self, node: Node, what: str) -> tuple[Any, Lines]:
        """Return the names and values, of an argument that is no call; a text where the argument may be one."""
        if isinstance(node.value, str):
            return self.value(node)
        values = {}
        for key, item in self.mapping(node, what).items():
            plain = isinstance(item.value, dict) and not self.is_call(item)
            values[key] = self.plain_mapping(item, key)[0] if plain else self.value(item)[0]
        return values, {}

    def modifications(self, node: Node, base: Any, what: str, lines: Lines, outer: Sequence[str] = ()) -> Map:
        """Return a mapping that is merged into ``base`` and has entries of it only. ``outer``: see `units_in`."""
        values = Map()
        known = registry.modifiable(base)
        for key, item in self.mapping(node, what).items():
            inner: Lines = {}
            if key in APPENDED and isinstance(base, Model):
                values[key] = self.appended(key, item)
            elif key == "rot" and "rot" in known and "rot" not in base:
                values["rotation"] = self.rotation(node)
            elif key not in known and not isinstance(base.get(indexed(key)[0]), Array):
                raise self.unknown(key, node, known, what)
            elif isinstance(item.value, dict) and not self.is_call(item) and isinstance(registry.entry_of(base, key), dict):
                entry = registry.entry_of(base, key)
                with self.within(key):
                    values[key] = self.modifications(item, entry, f"{what}.{key}", inner, units_in(base, key, outer))
            else:
                with self.within(key):
                    number = measured(self, item, f"{what}.{key}", partial(units_in, base, key, outer))
                    values[key], inner = self.value(number)
            self.locate(lines, node, key, inner)
        if CONFINED.get(base.get("_constructor")) in values:
            values["folders"] = list(self.folders)
        values.places = self.places(node, values)
        return values

    def is_call(self, node: Node) -> bool:
        """Return whether a mapping is the call of something known."""
        return is_class(node) or (
            len(node.value) == 1
            and (next(iter(node.value)) in registry.constructors() or next(iter(node.value)) in self.definitions)
        )

    # -- checks --------------------------------------------------------------------------------------------------------

    def single(self, node: Node, what: str, known: Iterable[str]) -> tuple[str, Node]:
        """Name and arguments of a call."""
        if not isinstance(node.value, dict) or len(node.value) != 1:
            found = f"the keys {', '.join(node.value)}" if isinstance(node.value, dict) else node.shown
            raise self.error(f"this is not {what}", node, found=found, expected="one key, the name of a constructor")
        (name, arguments), *_ = node.value.items()
        if name not in known:
            details = {"expected": f"the name of {what}", "remedy": registry.proposed(name, known)}
            raise self.error(f"'{name}' is not known here", node, **details)
        return name, arguments
