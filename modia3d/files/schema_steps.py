"""The action program of a scenario as JSON Schema."""

from __future__ import annotations

import functools
from typing import Any, Protocol

from modia3d.actions.touching import CONTACT_CONDITIONS

from . import registry
from .basics.docstrings import field_texts, summary
from .schema_hints import MEASURED, TEXT, VALUE, Schema
from .steps import BLOCKS, PROGRAMS

PROGRAM = {"$ref": "#/definitions/program"}
_SOLIDS: Schema = {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}
_CONDITION: Schema = {
    "type": ["string", "boolean", "number", "object"],
    "properties": {"condition": {"type": ["string", "boolean", "number"]}, **dict.fromkeys(CONTACT_CONDITIONS, _SOLIDS)},
    "additionalProperties": False,
    "description": "An expression of signals, or names of two solids in contact: {in_contact: [finger, ball]}.",
}
PLAIN: dict[str, Schema] = {
    "condition": _CONDITION,
    "while": _CONDITION,
    "times": {"type": "integer", "minimum": 0},
    "pause": {**MEASURED, "minimum": 0},
    "timeout": {**MEASURED, "minimum": 0, "description": "At most so long [s]."},
}
"""Values of steps, which are written as they are: no expressions."""


_LOOP: Schema = {
    "type": "object",
    "properties": {
        "index": {**TEXT, "description": "A name that stands for a number in all texts of the steps."},
        "count": {"type": "integer", "minimum": 0},
        "do": PROGRAM,
        "first": {"type": "integer", "minimum": 0},
    },
    "required": ["index", "count", "do"],
    "additionalProperties": False,
    "description": "The steps once for each value of the index: 'parts[i].foot', 'pool.m{i}.foot', 0.1*i.",
}


class Maker(Protocol):
    """Maker of the schemas of constructors, see `schema.Maker`."""

    def arguments(self, entry: registry.Entry) -> Schema:
        """Return the schema of a constructor's arguments."""


def step_schemas(maker: Maker) -> dict[str, Schema]:
    """Return the definitions of programs, of one step, and of the arguments of each."""
    made = {f"arguments.{name}": _step(maker, name, entry) for name, entry in registry.actions().items()}
    step = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {"For": _LOOP} | {name: {"$ref": f"#/definitions/arguments.{name}"} for name in registry.actions()},
        "additionalProperties": False,
    }
    return {"program": {"type": ["array", "null"], "items": {"$ref": "#/definitions/step"}}, "step": step, **made}


def _step(maker: Maker, name: str, entry: registry.Entry) -> Schema:
    make = entry.make.func if isinstance(entry.make, functools.partial) else entry.make
    said: Schema = {"title": name, "description": summary(make)}
    if name in BLOCKS:
        texts = field_texts(make)
        made = {
            key: {**(PROGRAM if key in PROGRAMS else PLAIN[key]), **({"description": texts[field]} if field in texts else {})}
            for key, field in BLOCKS[name].items()
        }
        return {**said, "type": ["object", "null"], "properties": made, "additionalProperties": False}
    if name == "set":
        return {**said, "type": "object", "minProperties": 1, "additionalProperties": {"type": ["number", "boolean", "string"]}}
    if name == "parallel":
        return {**said, "type": "array", "items": PROGRAM, "minItems": 1}
    if name in ("spawn", "together"):
        return {**said, **PROGRAM}
    if name == "wait_until":
        solids: dict[str, Any] = dict.fromkeys(CONTACT_CONDITIONS, _SOLIDS)
        made = {"condition": _CONDITION["properties"]["condition"], **solids, "timeout": PLAIN["timeout"]}
        by_name = {"type": "object", "properties": made, "additionalProperties": False}
        return {
            **said,
            "anyOf": [by_name, {"type": ["string", "boolean", "number"]}, {"type": "array", "items": VALUE, "maxItems": 2}],
        }
    return maker.arguments(entry)
