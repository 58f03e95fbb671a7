"""Values of a scenario: numbers, texts, lists, and calls of constructors, models, definitions and classes of Modelica."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from modiapy.model.array import Array
from modiapy.model.errors import Position
from modiapy.model.model import Map, Model, Var, indexed
from modiapy.model.places import KnownPlace, Places

from ..scene.rot import NAMES, rot
from . import registry
from .confine import CONFINED
from .loop_places import written
from .model_calls import CallReader, call_function, is_class, read_class
from .quantities import documented, is_text, measured, no_units, units_in
from .registry import Entry
from .steps import StepReader
from .yaml_tree import Node

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


class ValueReader(StepReader, CallReader):
    """Reader of the values in one file.

    Attributes:
        folders: in which files may be, that of this file first.
        files: other files that were read, and what they are.
        definitions: of the file and of what it includes, with the lines of their entries.
    """

    folders: Sequence[str]
    files: MutableMapping[Path, str]
    definitions: dict[str, tuple[Entry, Lines]]

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
            raise self.error(
                "the model is too large",
                node.value[key],
                found=f"more than {MAX_ENTRIES} entries",
                remedy="Definitions made of definitions multiply.",
            )

    def appended(self, key: str, node: Node) -> list[Any]:
        """Return the equations (texts, and `RULES` among ``equations``), or ``connect`` (lists of paths)."""
        connect = key == "connect"
        expected = "a list of lists of connectors, e.g. [[a.flange, b.flange]]" if connect else "a list of equations"
        if not isinstance(node.value, list):
            raise self.error(f"'{key}' is wrong", node, found=node.kind, expected=expected)
        values: list[Any] = []
        calls = RULES if key == "equations" else ("For",) if connect else ()
        for item in node.value:
            if isinstance(item.value, dict) and len(item.value) == 1 and next(iter(item.value)) in calls:
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
            return self.make(*read_class(self, node, self.folders, self.files), lines), lines
        known = registry.constructors() | {name: entry for name, (entry, _) in self.definitions.items()}
        name, arguments = self.single(node, "a value", known)
        entry = known[name]
        lines = dict(self.definitions[name][1]) if name in self.definitions else {}
        return self.make(entry, arguments, lines), lines

    def make(self, entry: Entry, node: Node, lines: Lines) -> Any:
        """Carry out a call; ``lines`` gets the lines of the arguments."""
        with self.calling(node, entry.name):
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

    def arguments(self, entry: Entry, node: Node, lines: Lines) -> tuple[list[Any], dict[str, Any]]:
        """Return the positional and keyword arguments of a constructor."""
        assert entry.fields is not None
        if isinstance(node.value, list):
            single_list = len(entry.fields) == 1 or entry.name in SINGLE_LISTS
            if single_list:
                return [self.argument(entry, entry.fields[0], node)[0]], {}
            if len(node.value) > len(entry.fields):
                raise self.error(
                    f"too many arguments for {entry.name}",
                    node,
                    found=str(len(node.value)),
                    expected=f"at most {len(entry.fields)}: {', '.join(entry.fields)}",
                )
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
            raise self.error("'rot' and 'rotation' stand side by side", node.value["rot"], remedy="Leave out one of them.")
        item = node.value["rot"]
        turns = self.mapping(item, "rot", NAMES)
        radian = partial(documented, rot, "angle")
        angles = {
            key: self.value(measured(self, angle, f"{key} of rot", radian if key != "quaternion" else no_units))[0]
            for key, angle in turns.items()
        }
        with self.placing(item):
            return rot(**angles)

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
            raise self.error(
                f"this is not {what}",
                node,
                found=f"the keys {', '.join(node.value)}" if isinstance(node.value, dict) else node.shown,
                expected="one key, the name of a constructor",
            )
        (name, arguments), *_ = node.value.items()
        if name not in known:
            raise self.error(
                f"'{name}' is not known here",
                node,
                expected=f"the name of {what}",
                remedy=registry.proposed(name, known),
            )
        return name, arguments
