"""Signals for the page: chosen by patterns, thinned such that the plot stays the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, nearest

from .content import ShownSignal

MAX_SIGNALS = 60
"""As many signals a page holds."""

BUCKETS = 1000
"""Pixels of a plot, about: of the points in one of them four are kept."""


def shown_signals(result: Any, patterns: Sequence[str]) -> list[ShownSignal]:
    """The signals that match, elements of vectors and matrices on their own.

    Args:
        result: of the simulation.
        patterns: names; ``*`` stands for any characters, ``?`` for one.

    Raises:
        ModelError: a pattern fits no signal, or too many.
    """
    names = result.signals()
    chosen: dict[str, None] = {}
    for pattern in patterns:
        found = [name for name in names if _fits(pattern, name)]
        if not found and pattern.endswith("]"):  # one element of a vector
            whole = pattern.rpartition("[")[0]
            found = [pattern] if whole in names else []
        if not found:
            raise ModelError(f"there is no signal '{pattern}' in the result", remedy=nearest(pattern, names))
        chosen.update(dict.fromkeys(found))
    shown = [signal for name in chosen for signal in _elements(result, name)]
    if len(shown) > MAX_SIGNALS:
        raise ModelError("too many signals for the page", found=f"{len(shown)}", expected=f"at most {MAX_SIGNALS}")
    return shown


def joint_signals(result: Any, names: Iterable[str], most: int = 24) -> list[ShownSignal]:
    """Those of the names that are signals of the result, at most so many."""
    known = set(result.signals())
    return [signal for name in names if name in known for signal in _elements(result, name)][:most]


def _fits(pattern: str, name: str) -> bool:
    parts = (".*" if part == "*" else "." if part == "?" else re.escape(part) for part in re.split(r"([*?])", pattern))
    return re.fullmatch("".join(parts), name) is not None


def _elements(result: Any, name: str) -> list[ShownSignal]:
    """The signal; of a vector or a matrix each element, or the one with the index that the name has."""
    whole = name if name in result else name.rpartition("[")[0]
    values = np.asarray(result[whole], dtype=float)
    rows = values.reshape(len(values), -1).T
    places = [f"[{','.join(map(str, place))}]" if place else "" for place in np.ndindex(values.shape[1:])]
    unit = _unit(result, whole)
    every = [(f"{whole}{place}", row) for place, row in zip(places, rows, strict=True)]
    chosen = every if whole == name else [(full, row) for full, row in every if full == name]
    if not chosen:
        raise ModelError(f"there is no signal '{name}' in the result", expected=f"an index into {values.shape[1:]}")
    return [_thinned(full, unit, result.time, row) for full, row in chosen]


def _unit(result: Any, name: str) -> str:
    unit = getattr(result, "unit", None)
    return str(unit(name)) if callable(unit) else ""


def _thinned(name: str, unit: str, time: np.ndarray, values: np.ndarray) -> ShownSignal:
    """Of the points in each of `BUCKETS` intervals the first, the last, the lowest and the highest (M4, Jugel et al. 2014)."""
    if len(time) <= 4 * BUCKETS:
        return ShownSignal(name, unit, time, values)
    bucket = np.minimum((time - time[0]) / (time[-1] - time[0]) * BUCKETS, BUCKETS - 1).astype(int)
    first = np.flatnonzero(np.diff(bucket, prepend=-1))
    last = np.append(first[1:], len(time)) - 1
    order = np.lexsort((np.nan_to_num(values, nan=np.inf), bucket))  # within each bucket by value, NaN last
    lowest = order[first]
    order = np.lexsort((np.nan_to_num(values, nan=-np.inf), bucket))
    keep = np.unique(np.concatenate([first, last, lowest, order[last]]))
    return ShownSignal(name, unit, time[keep], values[keep])
