"""Arrays of submodels become submodels ``R[0]``, ``R[1]``, ...; loops over them become their equations and connections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ...model.array import Array, substituted
from ...model.control import For
from ...model.limits import count_copies
from ...model.model import Model
from ..terms.names import join

_OF_ELEMENT = re.compile(r"\]\s*\.")
"""Something of an element of an array of submodels."""

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
        isinstance(e, For) and _over_elements(e) for e in model.get("equations") or ()
    )
    if not arrays and not loops:
        return model
    made = model.copy()
    for key in model:
        dict.pop(made, key)
    for key, entry in model.items():
        if key in ("connect", "equations") and isinstance(entry, list | tuple):
            made[key] = [one for item in entry for one in _unrolled(item, key == "connect", path, count)]
        elif key in arrays:
            number = count_copies(count(entry["count"], f"Array({entry['count']!r}, ...)", join(path, key)), join(path, key))
            made.update({f"{key}[{k}]": element for k, element in entry.elements(number, join(path, key)).items()})
        else:
            made[key] = entry
    return made


def _over_elements(loop: For) -> bool:
    return any(
        _over_elements(item) if isinstance(item, For) else isinstance(item, str)
        and (item.lstrip().startswith("connect") or _OF_ELEMENT.search(item) is not None)
        for item in loop.equations
    )  # fmt: skip


def _unrolled(item: Any, connections: bool, path: str, count: Count) -> Iterator[Any]:
    if not isinstance(item, For) or not (connections or _over_elements(item)):
        yield item
        return
    text = str(item)
    first, number = count(item.first, text, path), count_copies(count(item.count, text, path), path, _REPETITIONS)
    for k in range(first, first + number):
        for inner in item.equations:
            yield from _unrolled(substituted(inner, item.index, k), connections, path, count)
