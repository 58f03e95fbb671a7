"""Compressed rows of the engine's sparsity in machine code, see `sparsity`."""

from __future__ import annotations

import numpy as np

from modiapy.acausal.native import njit, types

from ...dynamics.basics.layout import FREE, KIND, ORIENTATION, PARENT, PRESCRIBED, Q_INDEX, ROLE, V_INDEX
from ...dynamics.basics.spatial import INTS, inlined, kernel
from ...dynamics.joints.kinds import Q_SIZE, V_SIZE

_INDICES = types.int64[::1]


@kernel
def _first_of(group, k):  # type: ignore[no-untyped-def]
    """Return the leader of what is coupled with a body or point; ways become shorter."""
    while group[k] != k:
        group[k] = group[group[k]]
        k = group[k]
    return k


@inlined
def _couple(ints, coupled, near, group, touched):  # type: ignore[no-untyped-def]
    """Find ``group`` (see `rows`), and mark what more than uniform gravity acts on, or what is coupled to others."""
    for k in range(group.size):
        parent = ints[k, PARENT] if k < ints.shape[0] else -1
        group[k] = k if parent < 0 else group[parent]
    for c in range(coupled.shape[0]):
        leader = -1
        for i in range(coupled.shape[1]):
            if coupled[c, i] < 0:
                continue
            touched[coupled[c, i]] = True
            other = _first_of(group, coupled[c, i])
            if leader >= 0:
                group[max(leader, other)] = min(leader, other)
            leader = other if leader < 0 else min(leader, other)
    for k in range(group.size):
        group[k] = group[group[k]]  # leaders come before those that they lead
    for c in range(near.shape[0]):
        for i in range(2):
            if near[c, i] >= 0:
                touched[near[c, i]] = True


@inlined
def _measure(ints, group, lone, touched, size, first, count):  # type: ignore[no-untyped-def]
    """Compute which bodies move alone, how many coordinates each has, and ``first`` and ``count`` of the groups."""
    for body in range(ints.shape[0]):
        lone[body] = ints[body, KIND] == FREE and not touched[body]
        if ints[body, PARENT] >= 0:
            lone[ints[body, PARENT]] = False
        if ints[body, ROLE] != PRESCRIBED:
            size[body] = Q_SIZE[ints[body, KIND]] - (1 if ints[body, ORIENTATION] > 0 else 0)
            count[group[body]] += size[body] + V_SIZE[ints[body, KIND]]
    for k in range(1, group.size):
        first[k] = first[k - 1] + count[k - 1]


@inlined
def _write_lone(columns, at, i, q, v, n_q):  # type: ignore[no-untyped-def]
    """Compute the columns of state ``i`` of a body that moves alone, from ``at`` on.

    r: itself and v; orientation: itself and w; v: itself, orientation and w; w: itself.
    """
    if i < 3:
        columns[at], columns[at + 1] = q + i, v + i
        return
    if i < n_q + 3:
        for k in range(3, n_q):
            columns[at] = q + k
            at += 1
        if i >= n_q:
            columns[at] = v + i - n_q
            at += 1
    for k in range(3, 6):
        columns[at] = v + k
        at += 1


@njit(types.int64(INTS, *[types.int64] * 4, *[INTS] * 2, _INDICES), cache=True)
def rows(ints, nq, n_e, n_x, n_groups, coupled, near, memory):  # type: ignore[no-untyped-def]
    """Return the compressed rows, and the states of each group one group behind the other.

    Args:
        ints, nq, n_e, n_x: of the forest.
        n_groups: number of bodies and massless points.
        coupled: rows of bodies, and of massless points behind them, that depend on each other; negative: none.
        near: pairs of bodies that may touch each other, shape (m, 2).
        memory: results, one behind the other: of each body and point the first of those that are coupled with it, by trees
            too; the first state of each group among the states group by group, and how many it has; these states (n_x,);
            first entry of each row (n_x + 1,); columns of the entries.

    Returns:
        Number of entries; no columns are written where memory has no room for them.
    """
    group, first, count = memory[:n_groups], memory[n_groups : 2 * n_groups], memory[2 * n_groups : 3 * n_groups]
    at = 3 * n_groups + n_x
    order, lengths, columns = memory[3 * n_groups : at], memory[at : at + n_x + 1], memory[at + n_x + 1 :]
    for k in range(n_groups):
        first[k], count[k] = 0, 0
    lengths[0] = 0
    n = ints.shape[0]
    touched, lone, size = np.zeros(group.size, np.bool_), np.zeros(group.size, np.bool_), np.zeros(n, np.int64)
    _couple(ints, coupled, near, group, touched)
    _measure(ints, group, lone, touched, size, first, count)
    filled = first.copy()
    for part in range(2):
        for body in range(n):
            if ints[body, ROLE] == PRESCRIBED:
                continue
            q, v, g = ints[body, Q_INDEX] - n_e, ints[body, V_INDEX] + nq - 2 * n_e, group[body]
            n_q, n_v = size[body], V_SIZE[ints[body, KIND]]
            for i in range(n_q if part == 0 else n_v):
                state = q + i if part == 0 else v + i
                order[filled[g]] = state
                filled[g] += 1
                lengths[state + 1] = count[g]
                if lone[body]:  # see `_write_lone`
                    turning = n_q  # orientation and w are n_q - 3 + 3 states
                    if part == 0:
                        lengths[state + 1] = 2 if i < 3 else turning
                    else:
                        lengths[state + 1] = 1 + turning if i < 3 else 3
    for state in range(n_x):
        lengths[state + 1] += lengths[state]
    if lengths[n_x] > columns.size:
        return lengths[n_x]
    for body in range(n):
        if ints[body, ROLE] == PRESCRIBED:
            continue
        q, v, g = ints[body, Q_INDEX] - n_e, ints[body, V_INDEX] + nq - 2 * n_e, group[body]
        n_q, n_v = size[body], V_SIZE[ints[body, KIND]]
        for i in range(n_q + n_v):
            at = lengths[q + i if i < n_q else v + i - n_q]
            if lone[body]:
                _write_lone(columns, at, i, q, v, n_q)
                continue
            for k in range(count[g]):
                columns[at + k] = order[first[g] + k]
    return lengths[n_x]
