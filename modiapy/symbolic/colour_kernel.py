"""Colours of the columns of a large sparse matrix. This module imports numba; see `state_incidence.Incidence.colours`."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from ..acausal import native  # noqa: F401  (the folder of the cache)

_INDICES = types.int64[::1]


@njit(_INDICES(_INDICES, _INDICES), cache=True)
def greedy_colours(starts, rows):  # type: ignore[no-untyped-def]
    """The first colour that no earlier column with a common row has, for each column in turn, shape (n,).

    Args:
        starts: first entry of each column, shape (n + 1,).
        rows: of the entries, column by column.
    """
    n = starts.size - 1
    first = np.zeros(n + 1, np.int64)  # the same matrix row by row
    for i in rows:
        first[i + 1] += 1
    for i in range(n):
        first[i + 1] += first[i]
    filled, columns = first[:n].copy(), np.empty(rows.size, np.int64)
    for j in range(n):
        for e in range(starts[j], starts[j + 1]):
            columns[filled[rows[e]]] = j
            filled[rows[e]] += 1
    colours, taken = np.empty(n, np.int64), np.full(n + 1, -1, np.int64)
    for j in range(n):
        for e in range(starts[j], starts[j + 1]):
            for f in range(first[rows[e]], first[rows[e] + 1]):
                if columns[f] >= j:
                    break
                taken[colours[columns[f]]] = j
        colour = 0
        while taken[colour] == j:
            colour += 1
        colours[j] = colour
    return colours
