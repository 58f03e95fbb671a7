"""JSON Schema of study files, generated from the classes of a study: editors complete and check with it."""

from __future__ import annotations

import typing
from typing import Any

from modiapy.model.fields import field_hints

from ..files.basics.docstrings import field_texts, summary
from ..files.schema import DRAFT, LIST_OF_TEXTS, expect_schema, settings_schema
from ..files.schema_hints import MEASURED, Schema
from .design import METHODS, Sampling
from .factors import DISTRIBUTIONS, GRID, KINDS, LIST
from .study import KEEP, Limits
from .study_file import TOP, VERSION

_TEXT: Schema = {"type": "string"}


def study_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 7) of study files."""
    one = {"oneOf": [{"required": ["scenario"]}, {"required": ["scenarios"]}]}
    files = {"anyOf": [_TEXT, {**LIST_OF_TEXTS, "minItems": 1}]}
    parts: dict[str, Schema] = {
        "modia3d_study": {"const": VERSION, "description": "Version of the format."},
        "description": {**_TEXT, "description": "Free text."},
        "scenario": {**files, "description": "File of the scenario, seen from the folder of the study."},
        "scenarios": {**files, "description": "Several of them; patterns such as */*.yaml stand for all files that fit."},
        "simulation": settings_schema(required=False),
        "factors": {"type": "object", "additionalProperties": _factor(), "description": "Values of parameters over the runs."},
        "derived": {
            "type": "object",
            "additionalProperties": {"type": ["number", "string"]},
            "description": "Paths of parameters that are expressions of the factors.",
        },
        "sampling": _fields(Sampling, method={"enum": list(METHODS)}),
        "quantities": {
            "type": "object",
            "additionalProperties": _TEXT,
            "description": "Names and expressions, such as final(x).",
        },
        "expect": expect_schema(),
        "limits": _fields(Limits),
        "results": {"enum": list(KEEP), "description": "Of which runs whole results are kept."},
        "animations": {"type": "array", "items": {"type": "integer"}, "description": "Numbers of runs that are animated."},
    }
    assert parts.keys() == set(TOP)
    return {
        "$schema": DRAFT,
        "title": "Study of modia3d",
        "type": "object",
        "properties": parts,
        "required": ["modia3d_study"],
        **one,
        "additionalProperties": False,
    }


def _factor() -> Schema:
    """Return the schema of one factor: a path, and its values of one of the kinds."""
    texts = {GRID: "[from, to, number of points]", LIST: "[value, ...], each with every value of other grids and lists"}
    texts |= {name: kind.expected for name, kind in DISTRIBUTIONS.items()} | {"choice": "[value, ...], each as likely"}
    kinds: dict[str, Schema] = {
        kind: {"type": "array", "description": texts[kind], "minItems": 1, **({} if kind in (LIST, "choice") else _NUMBERS)}
        for kind in KINDS
        if kind != "distribution"
    }
    path = {"anyOf": [_TEXT, LIST_OF_TEXTS], "description": "Of the parameter, or of several; by default the factor's name."}
    scipy = {"distribution": {**_TEXT, "description": "Name of a continuous distribution of scipy.stats."}, "path": path}
    known = {"type": "object", "properties": {"path": path, **kinds}, "additionalProperties": False, "maxProperties": 2}
    other = {"type": "object", "properties": scipy, "required": ["distribution"], "additionalProperties": {"type": "number"}}
    return {"anyOf": [known, other]}


_NUMBERS: Schema = {"items": MEASURED}


def _fields(cls: type, **changed: Schema) -> Schema:
    """Return the schema of the fields of a dataclass."""
    texts, made = field_texts(cls), {}
    for name, hint in field_hints(cls).items():
        types = [_JSON[one] for one in (typing.get_args(hint) or (hint,))]
        made[name] = {**changed.get(name, {"type": types[0] if len(types) == 1 else types}), "description": texts[name]}
    return {"type": "object", "properties": made, "additionalProperties": False, "description": summary(cls)}


_JSON = {int: "integer", float: "number", str: "string", type(None): "null"}
