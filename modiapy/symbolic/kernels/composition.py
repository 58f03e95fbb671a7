"""Dependences of equations and of components composed to those of a whole segment.

See `structure.segment_incidence`.
"""

from __future__ import annotations

import numpy as np

from ...acausal.native import njit, types
from .block_kernel import divide
from .colour_kernel import greedy_colours

_INDICES = types.int64[::1]
_PAIRS = types.int64[:, ::1]


@njit(types.UniTuple(_INDICES, 2)(types.int64, _PAIRS), cache=True)
def _in_rows(n, pairs):  # type: ignore[no-untyped-def]
    """Return the pairs row by row: where each row begins, shape (n + 1,), and the columns."""
    starts, out = np.zeros(n + 1, np.int64), np.empty(pairs.shape[1], np.int64)
    for e in range(pairs.shape[1]):
        starts[pairs[0, e] + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    filled = starts[:n].copy()
    for e in range(pairs.shape[1]):
        i = pairs[0, e]
        out[filled[i]] = pairs[1, e]
        filled[i] += 1
    return starts, out


@njit(types.int64(_INDICES, *[types.int64] * 4, _INDICES, _INDICES, types.int64), cache=True)
def _append(members, first, last, offset, row, last_row, row_members, size):  # type: ignore[no-untyped-def]
    """Append those of ``members[first:last]``, counted from ``offset`` on, that a row does not have; how many it has then.

    Args:
        last_row: the last row that has each member.
        row_members: result; the row has ``size`` of them so far.
    """
    for e in range(first, last):
        member = members[e] + offset
        if last_row[member] != row:
            last_row[member] = row
            row_members[size] = member
            size += 1
    return size


@njit(_PAIRS(_INDICES, _INDICES, types.int64, _INDICES), cache=True)
def _by_columns(rows, columns, size, starts):  # type: ignore[no-untyped-def]
    """Return the entries column by column, shape (2, size); ``starts``, zero before, gets the first one of each column."""
    for e in range(size):
        starts[columns[e] + 1] += 1
    for j in range(starts.size - 1):
        starts[j + 1] += starts[j]
    filled, entries = starts[:-1].copy(), np.empty((2, size), np.int64)
    for e in range(size):
        at = filled[columns[e]]
        entries[0, at], entries[1, at] = rows[e], columns[e]
        filled[columns[e]] += 1
    return entries


@njit(_PAIRS(types.int64, *[_INDICES] * 6, _PAIRS, _PAIRS, _INDICES), cache=True)
def compose(n_outputs, own_starts, own, read_starts, read, var_starts, var, driven, shown, starts):  # type: ignore[no-untyped-def]
    """Return the rows and columns of the entries of df/dx, the diagonal included, states of the equations first, column by
    column.

    Args:
        n_outputs: of all calls of components' functions.
        own_starts, own: states of the equations that each of their derivatives depends on, and behind these each input of the
            calls, in compressed rows.
        read_starts, read: outputs that it depends on.
        var_starts, var: of the components' states among themselves.
        driven: pairs (state of a component, input that its derivative depends on), shape (2, m).
        shown: pairs (output, state of a component that it depends on), shape (2, m).
        starts: result, zero before: first entry of each column, shape (n + 1,).
    """
    n_var, total = var_starts.size - 1, starts.size - 1
    n = total - n_var
    by_starts, by = _in_rows(n_var, driven)
    of_starts, of = _in_rows(n_outputs, shown)
    row_of, row_of_output = np.full(total, -1, np.int64), np.full(n_outputs, -1, np.int64)
    outputs = np.empty(n_outputs, np.int64)
    room = own.size + var.size + 8 * total
    rows, columns = np.empty(room, np.int64), np.empty(room, np.int64)
    size = 0
    for i in range(total):
        if size + total > room:
            room = 2 * room + total
            more_rows, more_columns = np.empty(room, np.int64), np.empty(room, np.int64)
            for e in range(size):  # a slice in its place takes numba three seconds, for its message about shapes
                more_rows[e], more_columns[e] = rows[e], columns[e]
            rows, columns = more_rows, more_columns
        begin, n_found = size, 0
        columns[size] = i
        row_of[i] = i
        size += 1
        first, last = i, i + 1
        if i >= n:
            size = _append(var, var_starts[i - n], var_starts[i - n + 1], n, i, row_of, columns, size)
            first, last = by_starts[i - n], by_starts[i - n + 1]
        for b in range(first, last):
            k = i if i < n else n + by[b]
            size = _append(own, own_starts[k], own_starts[k + 1], 0, i, row_of, columns, size)
            n_found = _append(read, read_starts[k], read_starts[k + 1], 0, i, row_of_output, outputs, n_found)
        for f in range(n_found):
            size = _append(of, of_starts[outputs[f]], of_starts[outputs[f] + 1], n, i, row_of, columns, size)
        rows[begin:size] = i
    return _by_columns(rows, columns, size, starts)


@njit(types.int64(types.int64, types.int64, *[_INDICES] * 6, _PAIRS, _PAIRS, types.float64, _INDICES), cache=True)
def compose_in_order(n, n_outputs, own_starts, own, read_starts, read, var_starts, var, driven, shown, most, memory):  # type: ignore[no-untyped-def]
    """Compose as `compose` does, with colours and blocks of the columns: one call for all that an event asks for.

    Args:
        n: number of all states.
        most: see `colour_kernel.greedy_colours`.
        memory: result, shape (7 n + 4 + 2 entries,) or more: ``starts``, then results of `greedy_colours` and of
            `block_kernel.divide`, numbers of colours, of blocks and of their elements; rows of the entries, and behind them
            ``places`` of `block_kernel.divide`.

    Returns:
        Number of entries. Where memory has no room for them, nothing else is done.
    """
    starts = memory[: n + 1]
    for j in range(n + 1):
        starts[j] = 0
    found = compose(n_outputs, own_starts, own, read_starts, read, var_starts, var, driven, shown, starts)
    size, at = found.shape[1], n + 1
    behind = at + 5 * n + 3
    if memory.size < behind + 2 * size + n:
        return size
    rows, places = memory[behind : behind + size], memory[behind + size : behind + 2 * size + n]
    for e in range(size):
        rows[e] = found[0, e]
    colours, order, ends = memory[at : at + n], memory[at + n : at + 2 * n], memory[at + 2 * n : at + 3 * n]
    states, block_ends, counts = memory[at + 3 * n : at + 4 * n], memory[at + 4 * n : at + 5 * n], memory[at + 5 * n : behind]
    counts[0] = greedy_colours(starts, rows, max(100.0 * size, most), colours, order, ends)
    counts[1], counts[2] = divide(starts, rows, states, block_ends, places)
    return size
