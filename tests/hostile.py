"""Edits of plain data, as a stranger might make them: every place takes values of other types, sizes and signs."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

NUMBERS = [-1, 0, 3, 10**6, 2**70, 10**400, 0.5, -1e300, float("nan"), float("inf")]
VALUES = [None, True, *NUMBERS, "", "x", [], [1, "x"], {}, {"x": 1}]
"""What takes the place of a value."""


def places(data: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all entries of nested lists and mappings, the containers too."""
    if here:
        yield here
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*here, key))


def edits(old: Any) -> list[Any]:
    """What may stand in the place of a value: of an array others, else `VALUES`."""
    if not isinstance(old, np.ndarray):
        more = [old + 1, -old - 1, old * 1000] if type(old) in (int, float) else []
        more += [old[:-1], [*old, *old]] if isinstance(old, list) and old else []
        return [*VALUES, *more]
    arrays = [np.zeros(0), old[:-1].copy(), np.concatenate([old, old]), np.full(7, -1), np.zeros(old.shape, np.float32)]
    arrays += [np.full(old.shape, value) for value in (-1.0, 2.0, 1e300, np.nan, np.inf)] + [np.zeros((*old.shape, 2))]
    return [*arrays, [], None, "x", 0.0]


REMOVED = object()
"""In the place of a value: the entry is taken out."""


def edited(data: Any, way: tuple[Any, ...], value: Any) -> Any:
    """A copy of the data with another value at one place."""
    new = copy.deepcopy(data)
    inner = new
    for key in way[:-1]:
        inner = inner[key]
    if value is REMOVED:
        del inner[way[-1]]
    else:
        inner[way[-1]] = value
    return new


def value_at(data: Any, way: tuple[Any, ...]) -> Any:
    """The entry at one place."""
    for key in way:
        data = data[key]
    return data
