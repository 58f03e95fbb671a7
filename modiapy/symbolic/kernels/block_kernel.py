"""Blocks of states that depend on each other, in machine code. This module imports numba; see `incidence.Incidence.blocks`."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from ...acausal import native  # noqa: F401  (the folder of the cache)

_INDICES = types.int64[::1]


@njit(types.UniTuple(_INDICES, 2)(_INDICES, _INDICES), cache=True)
def coupled_blocks(starts, rows):  # type: ignore[no-untyped-def]
    """The strong components of the dependences: what depends on each other, directly or through others, is a block.

    Args:
        starts: first entry of each column, shape (n + 1,).
        rows: of the entries, column by column: row i depends on column j.

    Returns:
        The states block by block, those first on which others depend, shape (n,); where each block ends, shape (blocks,).
        Source: R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972).
    """
    n = starts.size - 1
    number, lowest = np.full(n, -1, np.int64), np.empty(n, np.int64)
    stacked, stack, path, entry = np.zeros(n, np.bool_), np.empty(n, np.int64), np.empty(n, np.int64), starts[:n].copy()
    order, ends = np.empty(n, np.int64), np.empty(n, np.int64)
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
    return order, ends[n - blocks :].copy()
