"""Entries of large sparse matrices in order, and colours of their columns. See `state_incidence`."""

from __future__ import annotations

import numpy as np

from ...acausal.native import njit, types

_INDICES = types.int64[::1]
_BITS = 62
"""Colours that are told apart by the bits of one number."""


@njit(types.int64(*[_INDICES] * 4), cache=True)
def _few_colours(starts, rows, used, colours):  # type: ignore[no-untyped-def]
    """Return the colours of the columns by the bits of ``used``, zero before, those in each row; -1 where they are too few,
    else 0.
    """
    for j in range(starts.size - 1):
        taken = 0
        for e in range(starts[j], starts[j + 1]):
            taken |= used[rows[e]]
        colour = 0
        while taken & 1:
            taken >>= 1
            colour += 1
        if colour == _BITS:
            return -1
        colours[j] = colour
        for e in range(starts[j], starts[j + 1]):
            used[rows[e]] |= 1 << colour
    return 0


@njit(types.int64(*[_INDICES] * 7), cache=True)
def _many_colours(starts, rows, first, filled, columns, taken, colours):  # type: ignore[no-untyped-def]
    """Return the same, however many they are, by the columns in each row: ``first[i]`` is where those of row i begin."""
    n = starts.size - 1
    for j in range(n):
        for e in range(starts[j], starts[j + 1]):
            columns[filled[rows[e]]] = j
            filled[rows[e]] += 1
    leader = 0  # the first column of a run with the same rows: what it cannot have, the following ones cannot have either
    for j in range(n):
        begin, size = starts[j], starts[j + 1] - starts[j]
        alike = j > 0 and size > 0 and size == begin - starts[j - 1]
        for e in range(size if alike else 0):
            if rows[begin + e] != rows[begin - size + e]:
                alike = False
                break
        colour = 0
        if alike:
            colour = colours[j - 1] + 1
        else:
            leader = j
            for e in range(begin, begin + size):
                for f in range(first[rows[e]], first[rows[e] + 1]):
                    if columns[f] >= j:
                        break
                    taken[colours[columns[f]]] = leader
        while taken[colour] == leader:
            colour += 1
        colours[j] = colour
    return 0


@njit(types.int64(*[_INDICES] * 2, types.float64, *[_INDICES] * 3), cache=True)
def greedy_colours(starts, rows, most, colours, order, ends):  # type: ignore[no-untyped-def]
    """Return the colours of the columns, where those of one colour have no row in common: the first that is free, for each in
    turn.

    Args:
        starts: first entry of each column, shape (n + 1,).
        rows: of the entries, column by column.
        most: sum of the squares of the numbers of entries in rows; beyond, nothing is done where colours are many.
        colours: result, colour of each column, shape (n,).
        order: result, the columns colour by colour, shape (n,).
        ends: result, where each colour ends there, shape (n,), of which there are as many as colours.

    Returns:
        Number of colours; -1 where nothing is done.
    """
    n = starts.size - 1
    first = np.zeros(n + 1, np.int64)
    if _few_colours(starts, rows, first, colours) != 0:
        for i in range(n + 1):
            first[i] = 0
        for i in rows:
            first[i + 1] += 1
        work = 0.0
        for i in range(n):
            work += first[i + 1] ** 2
            first[i + 1] += first[i]
        if work >= most:
            return -1
        _many_colours(
            starts, rows, first, first[:n].copy(), np.empty(rows.size, np.int64), np.full(n + 1, -1, np.int64), colours
        )
    n_colours = 0
    for colour in colours:
        n_colours = max(n_colours, colour + 1)
    begins = np.zeros(n_colours + 1, np.int64)
    for colour in colours:
        begins[colour + 1] += 1
    for k in range(n_colours):
        begins[k + 1] += begins[k]
    for j in range(n):
        order[begins[colours[j]]] = j
        begins[colours[j]] += 1
    for k in range(n_colours):
        ends[k] = begins[k]
    return n_colours


@njit(types.UniTuple(_INDICES, 3)(types.int64, _INDICES, _INDICES), cache=True)
def in_order(n, rows, columns):  # type: ignore[no-untyped-def]
    """Return the entries in any order, which may occur several times, sorted by column, then by row, each once.

    Returns:
        First entry of each column, shape (n + 1,), rows and columns of the entries.
    """
    m = rows.size
    by_row, place = np.empty(m, np.int64), np.zeros(n + 1, np.int64)
    for i in rows:
        place[i + 1] += 1
    for i in range(n):
        place[i + 1] += place[i]
    for e in range(m):
        by_row[place[rows[e]]] = e
        place[rows[e]] += 1
    place[:] = 0
    for j in columns:
        place[j + 1] += 1
    for j in range(n):
        place[j + 1] += place[j]
    begin, order = place[:n].copy(), np.empty(m, np.int64)
    for k in range(m):
        e = by_row[k]
        order[begin[columns[e]]] = rows[e]
        begin[columns[e]] += 1
    starts, rows_out, columns_out = np.zeros(n + 1, np.int64), np.empty(m, np.int64), np.empty(m, np.int64)
    size = 0
    for j in range(n):
        for k in range(place[j], place[j + 1]):
            if k == place[j] or order[k] != order[k - 1]:
                rows_out[size], columns_out[size] = order[k], j
                size += 1
        starts[j + 1] = size
    return starts, rows_out[:size].copy(), columns_out[:size].copy()


@njit(types.boolean(_INDICES, _INDICES), cache=True)
def are_rows(starts, columns):  # type: ignore[no-untyped-def]
    """Return whether these are compressed rows of a square matrix, with at least one row."""
    n = starts.size - 1
    if n < 1 or starts[0] != 0 or starts[n] != columns.size:
        return False
    for i in range(n):
        if starts[i + 1] < starts[i]:
            return False
    inside = 0
    for j in columns:
        inside += 0 <= j < n
    return inside == columns.size
