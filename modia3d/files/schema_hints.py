"""Annotations of Python as JSON Schema: what a field may be."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from modiapy.model.functions import UserFunction

from ..scene.rot import AXES, rot
from .basics.docstrings import field_texts
from .basics.quantity_text import QUANTITY

Schema = dict[str, Any]

MEASURED: Schema = {"type": ["number", "string"], "pattern": QUANTITY.pattern}
"""A number that may have a unit, and no expression."""

NUMBER = {"$ref": "#/definitions/number"}
TRUTH = {"$ref": "#/definitions/truth"}
VALUE = {"$ref": "#/definitions/value"}
TEXT: Schema = {"type": "string"}
EXPRESSION = {"$ref": "#/definitions/expression"}


def alternatives(*schemas: Schema) -> Schema:
    """Return the schema of what fits any of the schemas."""
    different: list[Schema] = []
    for schema in schemas:
        for one in schema["anyOf"] if set(schema) == {"anyOf"} else [schema]:
            if one not in different:
                different.append(one)
    return VALUE if VALUE in different else different[0] if len(different) == 1 else {"anyOf": different}


def of_hint(hint: Any, calls: Callable[[type], Schema | None]) -> Schema:
    """Return the schema of a value with an annotation; ``calls`` says how objects of a class are written."""
    if type(hint).__name__ == "TypeAliasType" or isinstance(hint, typing.NewType):
        return of_hint(getattr(hint, "__value__", None) or hint.__supertype__, calls)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        known = [of_hint(one, calls) for one in args if not _only_in_python(one)]
        return alternatives(*known) if known else VALUE
    if origin is typing.Literal:
        return {"enum": list(args)}
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return alternatives({"type": "object", "additionalProperties": of_hint(args[-1], calls)}, EXPRESSION)
    if isinstance(origin, type) and issubclass(origin, Sequence | Set):
        items = [one for one in args if one is not Ellipsis]
        inner = alternatives(*(of_hint(one, calls) for one in items)) if items else VALUE
        return alternatives({"type": "array", "items": inner}, EXPRESSION)
    if hint is np.ndarray:
        return alternatives({"type": "array", "items": VALUE}, EXPRESSION)
    if isinstance(hint, type) and (found := calls(hint)) is not None:
        return found
    return VALUE


_PLAIN: Mapping[Any, Schema] = {
    str: TEXT,
    bool: TRUTH,
    float: NUMBER,
    int: NUMBER,
    type(None): {"type": "null"},
}


def _only_in_python(hint: Any) -> bool:
    """Return whether values of an annotation cannot be written in a file."""
    return typing.get_origin(hint) is Callable or hint is UserFunction


ROT: Schema = {
    "type": "object",
    "properties": {
        **{key: {**VALUE, "description": text} for key, text in field_texts(rot).items() if key != "angles"},
        **{key: {**NUMBER, "description": "Angle about this axis [rad], after those that stand before it."} for key in AXES},
    },
    "minProperties": 1,
    "additionalProperties": False,
    "description": "Turns in the place of rotation, one after the other.",
}
