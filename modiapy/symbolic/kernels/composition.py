"""Dependences of equations and of components composed to those of a whole segment.

See `structure.segment_incidence`.
"""

from __future__ import annotations

import numpy as np

from ...acausal.native import njit, types

_INDICES = types.int64[::1]


@njit(types.UniTuple(_INDICES, 2)(types.int64, _INDICES, _INDICES), cache=True)
def _in_rows(n, rows, columns):  # type: ignore[no-untyped-def]
    """Pairs row by row: where each row begins, shape (n + 1,), and the columns."""
    starts, out = np.zeros(n + 1, np.int64), np.empty(rows.size, np.int64)
    for i in rows:
        starts[i + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    filled = starts[:n].copy()
    for e in range(rows.size):
        out[filled[rows[e]]] = columns[e]
        filled[rows[e]] += 1
    return starts, out


@njit(types.int64[:, ::1](types.int64, *[_INDICES] * 15), cache=True)
def compose(  # type: ignore[no-untyped-def]
    n_outputs, own_starts, own, read_starts, read, in_starts, in_own, in_read_starts, in_read, var_starts, var, driven,
    driven_by, shown, shown_states, starts,
):  # fmt: skip
    """Rows and columns of the entries of df/dx, the diagonal included, states of the equations first, column by column.

    Args:
        n_outputs: of all calls of components' functions.
        own_starts, own: states that each derivative of the equations depends on, in compressed rows.
        read_starts, read: outputs that it depends on.
        in_starts, in_own, in_read_starts, in_read: the same of each input of the calls.
        var_starts, var: of the components' states among themselves.
        driven, driven_by: pairs (state of a component, input that its derivative depends on).
        shown, shown_states: pairs (output, state of a component that it depends on).
        starts: result, zero before: first entry of each column, shape (n + 1,).
    """
    n, n_var = own_starts.size - 1, var_starts.size - 1
    total = n + n_var
    by_starts, by = _in_rows(n_var, driven, driven_by)
    of_starts, of = _in_rows(n_outputs, shown, shown_states)
    column_of, output_of = np.full(total, -1, np.int64), np.full(n_outputs, -1, np.int64)  # the last row that has them
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
        begin, found = size, 0
        columns[size] = i
        column_of[i] = i
        size += 1
        if i < n:
            for e in range(own_starts[i], own_starts[i + 1]):
                if column_of[own[e]] != i:
                    column_of[own[e]] = i
                    columns[size] = own[e]
                    size += 1
            for e in range(read_starts[i], read_starts[i + 1]):
                if output_of[read[e]] != i:
                    output_of[read[e]] = i
                    outputs[found] = read[e]
                    found += 1
        else:
            for e in range(var_starts[i - n], var_starts[i - n + 1]):
                if column_of[n + var[e]] != i:
                    column_of[n + var[e]] = i
                    columns[size] = n + var[e]
                    size += 1
            for b in range(by_starts[i - n], by_starts[i - n + 1]):
                k = by[b]
                for e in range(in_starts[k], in_starts[k + 1]):
                    if column_of[in_own[e]] != i:
                        column_of[in_own[e]] = i
                        columns[size] = in_own[e]
                        size += 1
                for e in range(in_read_starts[k], in_read_starts[k + 1]):
                    if output_of[in_read[e]] != i:
                        output_of[in_read[e]] = i
                        outputs[found] = in_read[e]
                        found += 1
        for f in range(found):
            for e in range(of_starts[outputs[f]], of_starts[outputs[f] + 1]):
                j = n + of[e]
                if column_of[j] != i:
                    column_of[j] = i
                    columns[size] = j
                    size += 1
        rows[begin:size] = i
        for e in range(begin, size):
            starts[columns[e] + 1] += 1
    for j in range(total):
        starts[j + 1] += starts[j]
    filled, entries = starts[:total].copy(), np.empty((2, size), np.int64)
    for e in range(size):
        at = filled[columns[e]]
        entries[0, at], entries[1, at] = rows[e], columns[e]
        filled[columns[e]] += 1
    return entries
