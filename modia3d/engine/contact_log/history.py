"""The memory of near pairs over one segment, as it is kept with results: `SegmentLayout.history` of the engine.

An entry is what one event, or the beginning of the segment, decided: a float64 array with one row for each pair whose memory it
wrote, of the columns EVENT_TIME [s], EVENT_PAIR (place of the pair in the segment's list of near pairs) and, from EVENT_MEMORY
on, all that the pair remembers. The first entry has the pairs that touch; that of a simulation which goes on has them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

EVENT_TIME, EVENT_PAIR, EVENT_MEMORY = 0, 1, 2


def entry(time: float, pairs: Sequence[int], table: np.ndarray) -> np.ndarray:
    """Return the record of an event at ``time`` [s] for these pairs, whose rows stand in ``table`` (n_pairs, columns)."""
    rows = np.empty((len(pairs), EVENT_MEMORY + table.shape[1]))
    rows[:, EVENT_TIME], rows[:, EVENT_PAIR], rows[:, EVENT_MEMORY:] = time, pairs, table[list(pairs)]
    return rows


def joined(history: Sequence[tuple[int, Any]], n_pairs: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all events of a segment in their order.

    Args:
        history: see `Trajectory.history`; perhaps from a file, so it is checked before kernels trust it.
        n_pairs, columns: number of near pairs and of the columns of their table.

    Returns:
        Number of the first stored point at which each row holds, int64 (n,), and the rows (n, EVENT_MEMORY + columns).

    Raises:
        ModelError: the history is that of other pairs.
    """
    entries = [np.asarray(rows, dtype=float).reshape(-1, EVENT_MEMORY + columns) for _, rows in history]
    firsts = np.repeat(np.array([first for first, _ in history], dtype=np.int64), [len(rows) for rows in entries])
    rows = np.concatenate([np.zeros((0, EVENT_MEMORY + columns)), *entries])
    pairs = rows[:, EVENT_PAIR]
    if not np.isin(pairs, np.arange(n_pairs)).all() or (np.diff(firsts) < 0).any() or (firsts < 0).any():
        found = f"{len(rows)} rows of pairs up to {pairs.max():g}"
        raise ModelError("the stored memory of contacts is damaged", found=found, expected=f"rows of {n_pairs} pairs in order")
    return firsts, rows
