"""Arrays of submodels become submodels ``R[0]``, ``R[1]``, ...; loops and sums over them become their equations and
connections.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...model.array import Array, substituted
from ...model.control import For, If
from ...model.limits import count_copies
from ...model.model import Model, Var
from ...model.scoping import EnclosingText, levels_of
from ..terms.names import join

_OF_ELEMENT = re.compile(r"\]\s*\.")
"""Something of an element of an array of submodels."""

_SUM = re.compile(r"\bsum\(((?:(?!\bsum\(|\bfor\b).)+)\bfor\s+([^\W\d]\w*)\s+in\s+range\(([^()]*)\)\s*\)")
"""The innermost ``sum(R[i].v for i in range(n))``."""

_PLAIN = re.compile(r"[\w.\[\]]+")
"""A number or a variable, which needs no parentheses."""

_REPETITIONS = "the number of repetitions"

Count = Callable[[Any, str, str], int]
"""Value of a number of elements; with the text that it stands in and its path for messages."""


def expanded(model: Model, path: str, count: Count) -> Model:
    """Return a model with submodels in the place of arrays, and without loops over them; itself where it has none of both.

    Args:
        model: what the user wrote.
        path: of the model.
        count: evaluates numbers of elements and of repetitions.

    Raises:
        ModelError: a number of elements is none.
    """
    arrays = {key: entry for key, entry in model.items() if isinstance(entry, Array)}
    loops = any(isinstance(e, For) for e in model.get("connect") or ()) or any(
        isinstance(e, For | If) and _over_elements(e) for e in model.get("equations") or ()
    )
    sums = any(
        _has_sum(e.get("value") if isinstance(e, Var) else e) for k, e in model.items() if k in _TEXTS or isinstance(e, Var)
    )
    if not arrays and not loops and not sums:
        return model
    made = model.copy()
    for key in model:
        dict.pop(made, key)
    for key, entry in model.items():
        if key in ("connect", "equations") and isinstance(entry, list | tuple):
            unrolled = [one for item in entry for one in _unrolled(item, key == "connect", path, count)]
            made[key] = [_added_up(item, path, count) for item in unrolled]
        elif key == "initial_equations" or (isinstance(entry, Var) and _has_sum(entry.get("value"))):
            made[key] = _added_up(entry, path, count)
        elif key in arrays:
            number = count_copies(count(entry["count"], f"Array({entry['count']!r}, ...)", join(path, key)), join(path, key))
            made.update({f"{key}[{k}]": element for k, element in entry.elements(number, join(path, key)).items()})
        else:
            made[key] = entry
    return made


def _over_elements(entry: For | If) -> bool:
    """Return whether a loop is over elements of an array of submodels, or one of the loops in a choice."""
    if isinstance(entry, If):
        sides = [*(equations for _, equations in entry.branches), entry.otherwise]
        return any(isinstance(item, For | If) and _over_elements(item) for side in sides for item in side)
    return any(
        _over_elements(item) if isinstance(item, For) else isinstance(item, str)
        and (item.lstrip().startswith("connect") or _OF_ELEMENT.search(item) is not None)
        for item in entry.equations
    )  # fmt: skip


def _unrolled(item: Any, connections: bool, path: str, count: Count) -> Iterator[Any]:
    def each(items: Sequence[Any]) -> list[Any]:
        return [one for inner in items for one in _unrolled(inner, connections, path, count)]

    if isinstance(item, If):
        elseif = [(condition, each(equations)) for condition, equations in item.elseif]
        yield dataclasses.replace(item, equations=each(item.equations), elseif=elseif, otherwise=each(item.otherwise))
        return
    if not isinstance(item, For) or not (connections or _over_elements(item)):
        yield item
        return
    text = str(item)
    first, number = count(item.first, text, path), count_copies(count(item.count, text, path), path, _REPETITIONS)
    for k in range(first, first + number):
        for inner in item.equations:
            yield from _unrolled(substituted(inner, item.index, k), connections, path, count)


_TEXTS = ("equations", "initial_equations")


def _has_sum(value: Any) -> bool:
    return _SUM.search(str(value)) is not None


def _added_up(value: Any, path: str, count: Count) -> Any:
    """Return equations with each ``sum(R[i].v for i in range(n))`` written out; 0 where there is nothing to add."""
    if isinstance(value, str):
        levels = levels_of(value)
        while match := _SUM.search(value):
            body, index, number = match[1].strip(), match[2], EnclosingText(match[3], levels)
            copies = count_copies(count(number, match[0], path), path, f"the number of terms in '{match[0]}'")
            term = body if _PLAIN.fullmatch(body) else f"({body})"
            terms = " + ".join(substituted(term, index, k) for k in range(copies)) or "0"
            total = terms if copies < 2 and _PLAIN.fullmatch(terms) else f"({terms})"
            value = f"{value[: match.start()]}{total}{value[match.end() :]}"
        return EnclosingText(value, levels) if levels else value
    if type(value) in (list, tuple):
        return type(value)(_added_up(item, path, count) for item in value)
    if isinstance(value, For | If):
        parts = {f.name: _added_up(getattr(value, f.name), path, count) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **parts)
    if isinstance(value, Var):
        made = value.copy()
        dict.__setitem__(made, "value", _added_up(value["value"], path, count))
        return made
    return value
