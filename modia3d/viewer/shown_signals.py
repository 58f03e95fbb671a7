"""Signals for the page: chosen by patterns, thinned such that the plot stays the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError
from modiapy.simulation.results.exports import columns

from .content import ShownSignal

MAX_SIGNALS = 60
"""As many signals a page holds."""

BUCKETS = 1000
"""Pixels of a plot, about: of the points in one of them four are kept."""


def shown_signals(result: Any, patterns: Sequence[str]) -> list[ShownSignal]:
    """Return the signals that match, elements of vectors and matrices on their own.

    Args:
        result: of the simulation.
        patterns: names; ``*`` stands for any characters, ``?`` for one.

    Raises:
        ModelError: a pattern fits no signal, or too many.
    """
    shown = _elements(result, patterns)
    if len(shown) > MAX_SIGNALS:
        raise ModelError("too many signals for the page", found=f"{len(shown)}", expected=f"at most {MAX_SIGNALS}")
    return shown


def joint_signals(result: Any, names: Iterable[str], most: int = 24) -> list[ShownSignal]:
    """Return those of the names that are signals of the result, at most so many."""
    known = set(result.signals())
    return _elements(result, [name for name in names if name in known])[:most]


def _elements(result: Any, names: Sequence[str]) -> list[ShownSignal]:
    """Return the signals; of a vector or a matrix each element."""
    every = columns(result, names)
    return [_thinned(element, result.unit(name), result.time, np.asarray(values, float)) for name, element, values in every]


def _thinned(name: str, unit: str, time: np.ndarray, values: np.ndarray) -> ShownSignal:
    """Return of the points in each of `BUCKETS` intervals the first, last, lowest and highest (M4, Jugel et al. 2014)."""
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
