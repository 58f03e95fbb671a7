"""Blocks of states that depend on each other, in machine code. See `incidence.Incidence.blocks`."""

from __future__ import annotations

import numpy as np

from ...acausal.native import array_part, njit, types

_INDICES = types.int64[::1]


@array_part
def _strong_components(starts, rows, order, ends):  # type: ignore[no-untyped-def]
    """Write the blocks to the ends of ``order`` and ``ends``; where in ``ends`` the first one is.

    What depends on each other, directly or through others, is a block. Source: R. Tarjan, Depth-first search and linear graph
    algorithms, SIAM J. Comput. 1 (1972).
    """
    n = starts.size - 1
    number, lowest = np.full(n, -1, np.int64), np.empty(n, np.int64)
    stacked, stack, path, entry = np.zeros(n, np.bool_), np.empty(n, np.int64), np.empty(n, np.int64), starts[:n].copy()
    counted = height = blocks = 0
    first = n  # of `order` that is filled: from its end on, because dependent states are complete first
    for root in range(n):
        if number[root] >= 0:
            continue
        depth = 0
        path[0] = root
        while depth >= 0:
            j = path[depth]
            if number[j] < 0:
                number[j] = lowest[j] = counted
                counted += 1
                stack[height] = j
                height += 1
                stacked[j] = True
            deeper = False
            while entry[j] < starts[j + 1]:
                i = rows[entry[j]]
                if number[i] < 0:
                    depth += 1
                    path[depth] = i
                    deeper = True
                    break
                if stacked[i]:
                    lowest[j] = min(lowest[j], lowest[i])
                entry[j] += 1
            if deeper:
                continue
            if lowest[j] == number[j]:
                ends[n - 1 - blocks] = first
                blocks += 1
                while True:
                    height -= 1
                    i = stack[height]
                    stacked[i] = False
                    first -= 1
                    order[first] = i
                    if i == j:
                        break
            depth -= 1
    return n - blocks


@njit(types.UniTuple(types.int64, 2)(*[_INDICES] * 5), cache=True)
def divide(starts, rows, states, ends, places):  # type: ignore[no-untyped-def]
    """Return the matrix as block triangular: its diagonal blocks are the strong components of the dependences.

    Args:
        starts: first entry of each column, shape (n + 1,).
        rows: of the entries, column by column: row i depends on column j.
        states: result, the states block by block, those first on which others depend, shape (n,).
        ends: result, where each block ends, shape (n,), of which there are as many as blocks.
        places: result, where each entry stands in the diagonal blocks, which follow each other row by row, and -1 outside of
            them; behind that the same of the diagonal, shape (entries + n,).

    Returns:
        Numbers of blocks, and of their elements.
    """
    n = starts.size - 1
    block = np.empty(n, np.int64)
    first = _strong_components(starts, rows, states, ends)
    blocks = n - first
    for b in range(blocks):
        ends[b] = ends[first + b]
    within, begins = np.empty(n, np.int64), np.zeros(blocks + 1, np.int64)
    begin = 0
    for b in range(blocks):
        for k in range(begin, ends[b]):
            block[states[k]], within[states[k]] = b, k - begin
        begins[b + 1] = begins[b] + (ends[b] - begin) ** 2
        begin = ends[b]
    for j in range(n):
        b = block[j]
        width = ends[b] - (ends[b - 1] if b > 0 else 0)
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            places[e] = begins[b] + within[i] * width + within[j] if block[i] == b else -1
        places[rows.size + j] = begins[b] + within[j] * width + within[j]
    return blocks, begins[blocks]
