"""The JSON Schema of scenario files, made from the constructors: editors complete and check with it.

What a scenario may contain is not written here again: the names are those of `registry`, fields and types those of the
constructors' dataclasses and signatures, texts those of their docstrings. A definition of the file itself may stand wherever
a call may; in a file without definitions of its own every name of a call must be known.
"""

from __future__ import annotations

import functools
import os
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

from modiapy.model.attributes import PAR_ATTRIBUTES, VAR_ATTRIBUTES
from modiapy.model.fields import field_hints
from modiapy.model.model import Model, Par, Var
from modiapy.model.places import without_places
from modiapy.simulation.results.expectations import Expectation

from . import registry
from .basics.docstrings import field_texts, summary
from .expectations import KEYS
from .importers.formats import known_formats, option_text
from .importers.options import IN_FILES, OPTIONS
from .inputs import KEYS as INPUT_KEYS
from .inputs import KINDS, GivenInput
from .model_calls import KEY, TEXTS
from .reader import TOP, VERSION, Reader
from .registry import Entry
from .scenario import SimulationSettings
from .schema_hints import EXPRESSION, MEASURED, ROT, TEXT, VALUE, Schema, alternatives, of_hint
from .schema_steps import step_schemas
from .value_reader import APPENDED, RULES, SINGLE_LISTS

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The version of JSON Schema that editors know best."""

LIST_OF_TEXTS: Schema = {"type": "array", "items": TEXT}
_OWN = "^[^a-z0-9_. ][^. ]*$"
"""Names that a definition may have."""


def scenario_schema(
    file: str | os.PathLike[str] | None = None, permitted: Sequence[str | os.PathLike[str]] = ()
) -> dict[str, Any]:
    """Return the JSON Schema (draft 7) of scenario files.

    Args:
        file: a scenario; the schema is one for this file: it knows the definitions in it and refuses all other names. Without
            it every name with a capital first letter may be a definition, in files that have definitions.
        permitted: folders whose files it may name, as for `read_scenario`.

    Raises:
        ScenarioError: the file is no scenario.
    """
    maker = Maker(None if file is None else _definitions(Path(file), permitted))
    parts: dict[str, Schema] = {
        "modia3d": {"const": VERSION, "description": "Version of the format."},
        "description": {**TEXT, "description": "Free text."},
        "include": _include(),
        "palettes": {**LIST_OF_TEXTS, "description": "Files of materials (TOML), which become definitions."},
        "definitions": {
            "type": "object",
            "propertyNames": {"allOf": [{"pattern": _OWN}, {"not": {"enum": list(registry.constructors())}}]},
            "additionalProperties": alternatives({"$ref": "#/definitions/call"}, _MODELICA),
            "description": "Parts of your own: capital first letter, no name of a constructor or library model.",
        },
        "model": {"$ref": "#/definitions/entries", "description": "Entries of the Model3D."},
        "actions": {"$ref": "#/definitions/program", "description": "The action program."},
        "inputs": inputs_schema(),
        "simulation": settings_schema(maker),
        "expect": expect_schema(),
    }
    assert parts.keys() == set(TOP)
    return {
        "$schema": DRAFT,
        "title": "Scenario of modia3d",
        "type": "object",
        "properties": parts,
        "required": ["modia3d"],
        "additionalProperties": False,
        "if": {"required": ["definitions"], "not": {"required": ["model"]}},
        "else": {"required": ["model", "simulation"]},
        **({} if maker.closed else _WITHOUT_DEFINITIONS),
        "definitions": maker.definitions(),
    }


_WITHOUT_DEFINITIONS: Schema = {
    "allOf": [
        {
            "if": {"not": {"anyOf": [{"required": [key]} for key in ("definitions", "palettes", "include")]}},
            "then": {"properties": {"model": {"$ref": "#/definitions/known_calls"}}},
        }
    ]
}


def _include() -> Schema:
    """Return the files, or files under names, a robot with options."""
    options: dict[str, Schema] = {
        name: {**OPTIONS[name].metadata["kind"].schema, "description": option_text(name)} for name in IN_FILES
    }
    file = {**TEXT, "description": f"A scenario, or a robot in {known_formats()}."}
    robot = {"type": "object", "properties": {"file": file, **options}, "required": ["file"], "additionalProperties": False}
    named = {"type": "object", "propertyNames": {"pattern": _OWN}, "additionalProperties": alternatives(TEXT, robot)}
    one = alternatives(TEXT, named)
    return {
        **alternatives(one, {"type": "array", "items": one}),
        "description": "Files whose definitions join; under a name: a scenario or robot whose model is a definition.",
    }


_MODELICA: Schema = {"$ref": "#/definitions/modelica"}


def _modelica() -> Schema:
    """Return a class of Modelica source, with values of its parameters beside it."""
    kinds: dict[str, Schema] = {
        key: {**(LIST_OF_TEXTS if key == "libraries" else TEXT), "description": TEXTS[key]} for key in TEXTS
    }
    of_class = {"type": "object", "properties": kinds, "required": ["file"], "additionalProperties": False}
    return {"type": "object", "properties": {KEY: of_class}, "required": [KEY], "propertyNames": {"pattern": "^[^_]"}}


def _definitions(file: Path, permitted: Sequence[str | os.PathLike[str]]) -> dict[str, Entry]:
    """Return the definitions of a scenario."""
    reader = Reader(file, permitted)
    with without_places():
        reader.names(reader.root("modia3d"))
    return {name: entry for name, (entry, _) in reader.definitions.items()}


def settings_schema(maker: Maker | None = None, required: bool = True) -> Schema:
    """Return ``simulation`` of a scenario or of a study."""
    texts = field_texts(SimulationSettings)
    limits: dict[str, Schema] = {
        "tolerance": {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "interval": {"exclusiveMinimum": 0},
    }
    made = {f.name: {**MEASURED, "description": texts[f.name], **limits.get(f.name, {})} for f in fields(SimulationSettings)}
    needed = {"required": [f.name for f in fields(SimulationSettings) if f.default is MISSING]} if required else {}
    return {"type": "object", "properties": made, **needed, "additionalProperties": False}


def inputs_schema() -> Schema:
    """Return ``inputs`` of a scenario."""
    texts = field_texts(GivenInput) | {"file": "CSV: a first line with names (time, u, ...), then numbers."}
    numbers: Schema = {"type": "array", "items": MEASURED}
    values: Schema = {"type": "array", "items": alternatives(MEASURED, numbers)}
    made: dict[str, Schema] = {"file": TEXT, "times": numbers, "values": values}
    made |= {key: {"enum": list(known)} for key, known in KINDS.items()}
    one: Schema = {
        "type": "object",
        "properties": {key: {**made[key], "description": texts[key]} for key in INPUT_KEYS},
        "oneOf": [{"required": ["file"]}, {"required": ["times", "values"]}],
        "additionalProperties": False,
    }
    return {
        "anyOf": [
            {**TEXT, "description": texts["file"]},
            {"type": "object", "additionalProperties": alternatives(MEASURED, values, one)},
        ],
        "description": "Values of the model's inputs over time, from a file or by name.",
    }


def expect_schema() -> Schema:
    """Return ``expect`` of a scenario or of a study."""
    texts = field_texts(Expectation)
    value = {"type": ["number", "string", "boolean"]}
    made: dict[str, Schema] = {key: {**(MEASURED if key != "value" else value), "description": texts[key]} for key in KEYS}
    one = {"type": "object", "properties": made, "additionalProperties": False}
    return {
        "type": "object",
        "additionalProperties": alternatives(value, one),
        "description": "Quantities of the simulation, such as final(x), and what they are expected to be.",
    }


class Maker:
    """Makes the definitions of the schema; each constructor and library model has one.

    Attributes:
        own: definitions of a scenario.
        closed: whether they are all that there are.
    """

    def __init__(self, own: Mapping[str, Entry] | None = None) -> None:
        self.closed, self.own = own is not None, own or {}
        self.known = registry.constructors() | dict(self.own)
        self.made: dict[str, Schema] = {}
        self.of_model: dict[int, str] = {}
        self.names: dict[type, list[str]] = {}
        for name, entry in self.known.items():
            cls = getattr(entry.make, "dataclass", None)
            if cls is not None:
                self.names.setdefault(cls, []).append(name)

    def definitions(self) -> dict[str, Schema]:
        """Return all of them by name."""
        calls = {name: self.arguments_of(name) for name in self.known}
        single = {"type": "object", "minProperties": 1, "maxProperties": 1}
        any_own: Schema = {"patternProperties": {_OWN: {}}}
        expression = {"type": "string", "description": "An expression of parameters and variables."}
        own = {"type": ["object", "null"], "description": "Changes of a definition."}
        model = {key: self.appended(key) for key in APPENDED}
        return {
            "expression": expression,
            "number": {"anyOf": [{"type": ["number", "string"]}, self.call_of(("enclosing",))]},
            "truth": {"anyOf": [{"type": ["boolean", "string"]}, {"enum": [0, 1]}, self.call_of(("enclosing",))]},
            "value": {
                "anyOf": [
                    {"type": ["number", "string", "boolean", "null"]},
                    {"type": "array", "items": VALUE},
                    {"$ref": "#/definitions/call"},
                    _MODELICA,
                ]
            },
            "modelica": _modelica(),
            "known": {"enum": list(self.known)},
            "own": own,
            "variable": {"anyOf": [VALUE, self.attributes(Var, VAR_ATTRIBUTES)]},
            "parameter": {"anyOf": [VALUE, self.attributes(Par, PAR_ATTRIBUTES)]},
            "call": {**single, "properties": calls, **({} if self.closed else any_own), "additionalProperties": False},
            "entries": {
                "type": ["object", "null"],
                "properties": model,
                "propertyNames": {"pattern": "^[^_]"},
                "additionalProperties": VALUE,
            },
            "known_calls": self.known_calls(),
            **step_schemas(self),
            **self.made,
        }

    def known_calls(self) -> Schema:
        """Return the schema that all calls in a value are of known names, also of a library (``electric.Resistor``); arguments
        are looked into where they are values by name.
        """
        again = {"$ref": "#/definitions/known_calls"}
        inner = {
            name: {
                "anyOf": [
                    {"properties": {key: {} for key in entry.mappings}, "additionalProperties": again},
                    {"not": {"type": "object"}},
                ]
            }
            for name, entry in self.known.items()
            if entry.model is None
        }
        called = {"pattern": rf"{_OWN}|\."}
        call = {"type": "object", "minProperties": 1, "maxProperties": 1, "propertyNames": called}
        known = {"propertyNames": {"$ref": "#/definitions/known"}, "properties": inner}
        return {"if": call, "then": known, "else": {"additionalProperties": again, "items": again}}

    # -- calls -------------------------------------------------------------------------------------------------------------

    def call_of(self, names: Iterable[str]) -> Schema:
        """Return a call of one of the constructors, or of a definition of the file."""
        names = [*names, *self.own]
        key = f"one.{'.'.join(names)}"
        if key not in self.made:
            own = [] if self.closed else [{"allOf": [{"pattern": _OWN}, {"not": {"$ref": "#/definitions/known"}}]}]
            self.made[key] = {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "propertyNames": {"anyOf": [{"enum": names}, *own]},
                "additionalProperties": {"$ref": "#/definitions/own"},
            }
            self.made[key]["properties"] = {name: self.arguments_of(name) for name in names}
        return {"$ref": f"#/definitions/{key}"}

    def object_of(self, cls: type) -> Schema | None:
        """Return how an object of a class is written: a call of the constructor of it or of a class derived from it, or a
        name.
        """
        if issubclass(cls, Var | Par | Model):
            names = ["Var"] if issubclass(cls, Var) else []
            return self.call_of(names) if names else VALUE
        names = [name for known, given in self.names.items() if issubclass(known, cls) for name in given]
        return alternatives(self.call_of(names), EXPRESSION) if names else None

    def hint(self, hint: Any) -> Schema:
        """Return the schema of a field of this type."""
        return of_hint(hint, self.object_of)

    def arguments_of(self, name: str) -> Schema:
        """Return the reference to the arguments of a constructor or library model."""
        entry = self.known[name]
        if entry.model is not None:
            return {"$ref": f"#/definitions/{self.model(entry.model, name)}"}
        key = f"arguments.{name}"
        if key not in self.made:
            self.made[key] = {}
            self.made[key] = self.arguments(entry)
        return {"$ref": f"#/definitions/{key}"}

    def arguments(self, entry: Entry) -> Schema:
        """Return the arguments of a constructor: by name, by position, or the first one alone."""
        make = entry.make.func if isinstance(entry.make, functools.partial) else entry.make
        documented = getattr(make, "dataclass", make)
        said = {"title": entry.name, "description": summary(make)} if summary(make) else {"title": entry.name}
        if entry.name == "Bus" or entry.fields is None:
            return {"$ref": "#/definitions/entries", **said}
        hints = _hints(make)
        texts = field_texts(documented) | field_texts(make)
        if entry.merged:
            texts = {key: f"Argument of: {summary(make)}" for key in entry.fields} | texts
        made = {
            key: {**self.field(entry, key, hints.get(key, Any)), **({"description": texts[key]} if key in texts else {})}
            for key in entry.fields
        }
        if "rot" in registry.with_rot(entry.fields):
            made["rot"] = ROT
        by_name = {"type": "object", "properties": made, "additionalProperties": VALUE if entry.merged else False}
        ways: list[Schema] = [by_name]
        if made:
            first = self.field(entry, entry.fields[0], hints.get(entry.fields[0], Any))
            ways.append({"allOf": [first, {"not": {"type": "array"}}]} if not _single(entry) else first)
        if not _single(entry):
            items = [self.field(entry, key, hints.get(key, Any)) for key in entry.fields]
            ways.append({"type": "array", **({"items": items} if items else {}), "maxItems": len(items)})
        return {**said, "anyOf": [*ways, {"type": "null"}]}

    def field(self, entry: Entry, key: str, hint: Any) -> Schema:
        """Return the schema of an argument."""
        if key in entry.mappings:
            return {"type": ["object", "string", "null"]}
        if key in APPENDED or key in ("elsewhen", "elseif", "otherwise"):
            return {"type": "array"} if key != "equations" else {"type": "array", "items": self.equation()}
        return self.hint(hint)

    def attributes(self, made: type, names: Iterable[str]) -> Schema:
        """Return the attributes of a variable or parameter."""
        texts = field_texts(made)
        fields = {name: {**VALUE, "description": texts.get(name, "")} for name in names}
        return {"type": "object", "properties": fields, "additionalProperties": False}

    # -- models ------------------------------------------------------------------------------------------------------------

    def model(self, model: Model, name: str) -> str:
        """Name of the definition of what may be changed in a library model."""
        if id(model) not in self.of_model:
            self.of_model[id(model)] = key = f"changes.{name}"
            self.made[key] = {}
            self.made[key] = self.changes(model, name)
        return self.of_model[id(model)]

    def changes(self, base: Any, name: str) -> Schema:
        """Return the entries of a model, variable or constructed object that a modification may name."""
        made = {key: self.appended(key) for key in APPENDED} if isinstance(base, Model) else {}
        cls = base.get("_constructor")
        hints = field_hints(cls) if cls is not None else {}
        for key in registry.modifiable(base):
            if key == "rot" and "rotation" in hints:
                made[key] = ROT
                continue
            typed = key in hints and not isinstance(base.get(key), dict)
            made[key] = self.hint(hints[key]) if typed else self.entry(base.get(key), f"{name}.{key}")
        text = str(base.get("description", ""))
        said = {"title": name, "description": text} if text and isinstance(base, Model) else {"title": name}
        return {**said, "type": ["object", "null"], "properties": made, "additionalProperties": False}

    def entry(self, value: Any, name: str) -> Schema:
        """Return the schema of what may stand for an entry of a library model, in a modification of it."""
        if isinstance(value, Var):
            return _said({"$ref": "#/definitions/variable"}, value)
        if isinstance(value, Model):
            return {"anyOf": [VALUE, {"$ref": f"#/definitions/{self.model(value, name)}"}]}
        if isinstance(value, Par) and "_constructor" not in value:
            return _said({"$ref": "#/definitions/parameter"}, value)
        if isinstance(value, dict):
            return {"anyOf": [VALUE, self.changes(value, name)]}
        return VALUE

    def appended(self, key: str) -> Schema:
        """Return ``equations``, ``initial_equations``, ``connect``."""
        if key == "connect":
            return {
                "type": "array",
                "items": alternatives({"type": "array", "items": TEXT, "minItems": 1}, self.call_of(("For",))),
                "description": "Lists of connectors that are connected: [[a.flange, b.flange]].",
            }
        items = self.equation() if key == "equations" else TEXT
        return {"type": "array", "items": items, "description": "Texts, 'left = right'."}

    def equation(self) -> Schema:
        """Return a text, or what may stand among equations."""
        return alternatives(TEXT, self.call_of(RULES))


def _single(entry: Entry) -> bool:
    """Return whether a list is the only argument, not the list of all."""
    return len(entry.fields or ()) == 1 or entry.name in SINGLE_LISTS


def _hints(make: Any) -> Mapping[str, Any]:
    """Return the annotations of the arguments; none where a name is for type checkers only."""
    cls = getattr(make, "dataclass", None) or (make if isinstance(make, type) and is_dataclass(make) else None)
    if cls is not None:
        return field_hints(cls)
    if hasattr(make, "hints"):
        return make.hints  # type: ignore[no-any-return]
    try:
        return typing.get_type_hints(make)
    except NameError:
        return {}


def _said(schema: Schema, value: Mapping[str, Any]) -> Schema:
    """Return a schema with what a variable or parameter says of itself."""
    unit = f" [{value['unit']}]" if value.get("unit") else ""
    text = f"{value.get('description', '')}{unit}".strip()
    return {**schema, "description": text} if text else schema
