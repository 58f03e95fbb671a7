"""Signals of arrays of submodels: ``R.v`` is the vector of ``R[0].v``, ``R[1].v``, ..."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

_INDEX = re.compile(r"\[([\d,]+)\]")


def elements_of(name: str, signals: Iterable[str]) -> tuple[tuple[int, ...], list[str]] | None:
    """Return the signals of the elements for a name without indices of submodels.

    Args:
        name: such as ``R.v`` or, of arrays in each other, ``rows.R.v``; some indices may be given, ``rows[0].R.v``.
        signals: all names.

    Returns:
        The shape of the array, and the names of its elements row by row; None where they do not fill an array.
    """
    found: dict[tuple[int, ...], str] = {}
    index = r"((?:\[\d+(?:,\d+)*\])?)"
    inner = name.removeprefix("der(").rstrip(")") if name.startswith("der(") else name
    pattern = re.compile(rf"{index}\.".join(map(re.escape, inner.split("."))) + index)
    for signal in signals:
        if "[" in signal and (match := pattern.fullmatch(signal)) is not None:
            places = [_INDEX.fullmatch(group) for group in match.groups() if group]
            found[tuple(int(k) for place in places if place is not None for k in place[1].split(","))] = signal
    found.pop((), None)
    if not found or len({len(place) for place in found}) != 1:
        return None
    shape = tuple((np.max(np.array(list(found)), axis=0) + 1).tolist())
    if len(found) != np.prod(shape):
        return None
    return shape, [found[place] for place in np.ndindex(shape)]
