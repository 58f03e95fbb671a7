"""Signals for the page, chosen by patterns and thinned so that the plot stays the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError
from modiapy.simulation.results.exports import chosen, columns

from .content import ShownSignal

MAX_SIGNALS = 60
"""As many signals a page holds."""

BUCKETS = 1000
"""Pixels of a plot, about: of the points in one of them four are kept."""


def shown_signals(result: Any, patterns: Sequence[str]) -> list[ShownSignal]:
    """Return the signals that match patterns; elements of vectors and matrices are separate signals.

    Args:
        result: of the simulation.
        patterns: names; ``*`` stands for any characters, ``?`` for one.

    Raises:
        ModelError: a pattern fits no signal, or too many.
    """
    check_signals(result, patterns)
    return _elements(result, patterns)


def check_signals(result: Any, patterns: Sequence[str]) -> None:
    """Refuse patterns that fit no signal, or too many, by names and sizes only: no values are read or computed.

    Raises:
        ModelError: as of `shown_signals`.
    """
    names = chosen(result, patterns)
    count = len(names)
    if count <= MAX_SIGNALS:
        count = sum(math.prod(result.shape(name)) for name in names)
    if count > MAX_SIGNALS:
        raise ModelError(
            "too many signals for the page",
            found=f"{count} that {', '.join(patterns)} stands for",
            expected=f"at most {MAX_SIGNALS}, elements of vectors counted",
        )


def joint_signals(result: Any, names: Iterable[str], most: int = 24) -> list[ShownSignal]:
    """Return those names that are signals of the result, up to a maximum number."""
    known = set(result.signals())
    return _elements(result, [name for name in names if name in known])[:most]


def _elements(result: Any, names: Sequence[str]) -> list[ShownSignal]:
    """Return the signals, with vectors and matrices split into elements.

    Signals that are always equal become one, with the other names. A changing signal without a unit equals one with a unit.
    """
    found: dict[tuple[str, bytes], ShownSignal] = {}
    units: dict[bytes, str] = {}
    for name, element, given in columns(result, names):
        unit, values = result.unit(name), np.asarray(given, float) + 0.0
        key = np.ascontiguousarray(values).tobytes()
        if values.min(initial=math.inf) < values.max(initial=-math.inf):
            unit = unit or units.get(key, "")
            units.setdefault(key, unit)
            if unit and ("", key) in found:  # the one that has no unit came first
                found[unit, key] = replace(found.pop(("", key)), unit=unit)
                units[key] = unit
        same = (unit, key)
        if same in found:
            found[same] = replace(found[same], aliases=(*found[same].aliases, element))
        else:
            found[same] = _thinned(element, unit, result.time, values)
    return list(found.values())


def _thinned(name: str, unit: str, time: np.ndarray, values: np.ndarray) -> ShownSignal:
    """Return the first, last, lowest and highest point of each of `BUCKETS` intervals (M4, Jugel et al. 2014)."""
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
