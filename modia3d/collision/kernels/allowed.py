"""Tests of a pair of shapes: whether it may collide, whether it is in a list."""

from __future__ import annotations

from modia3d.dynamics.basics.spatial import kernel

from ..filter import APART, BODIES, FAMILIES, FAMILY, FIRST, GROUP, JOINED


@kernel
def body_of(filter, i):
    """Number of the body of shape ``i``; 0: the world."""
    return filter[BODIES + i]


@kernel
def may_collide(filter, i, j):
    """Return whether shapes ``i`` and ``j`` may collide, see `filter.pair_filter`."""
    if body_of(filter, i) == body_of(filter, j):
        return False
    a, b = filter[filter[GROUP] + i], filter[filter[GROUP] + j]
    low, high = min(a, b), max(a, b)
    for k in range(filter[filter[FIRST] + high], filter[filter[FIRST] + high + 1]):
        if filter[filter[JOINED] + k] == low:
            return False
    f, g = filter[filter[FAMILY] + i], filter[filter[FAMILY] + j]
    return filter[filter[APART] + f * filter[FAMILIES] + g] == 0


@kernel
def is_listed(pairs, count, i, j):
    """Return whether the pair ``i < j`` is one of the first ``count`` rows of a list in ascending order."""
    low, high = 0, count
    while low < high:
        at = (low + high) // 2
        if pairs[at, 0] < i or (pairs[at, 0] == i and pairs[at, 1] < j):
            low = at + 1
        else:
            high = at
    return low < count and pairs[low, 0] == i and pairs[low, 1] == j


@kernel
def _sift(pairs, root, count):
    """Move the pair at ``root`` of a heap down to its place."""
    i, j = pairs[root, 0], pairs[root, 1]
    child = 2 * root + 1
    while child < count:
        right = child + 1
        if right < count and (
            pairs[right, 0] > pairs[child, 0] or (pairs[right, 0] == pairs[child, 0] and pairs[right, 1] > pairs[child, 1])
        ):
            child = right
        if pairs[child, 0] < i or (pairs[child, 0] == i and pairs[child, 1] <= j):
            break
        pairs[root, 0], pairs[root, 1] = pairs[child, 0], pairs[child, 1]
        root, child = child, 2 * child + 1
    pairs[root, 0], pairs[root, 1] = i, j


@kernel
def sort_pairs(pairs, count):
    """Sort the first ``count`` rows in ascending order."""
    for root in range(count // 2 - 1, -1, -1):
        _sift(pairs, root, count)
    for last in range(count - 1, 0, -1):
        i, j = pairs[0, 0], pairs[0, 1]
        pairs[0, 0], pairs[0, 1] = pairs[last, 0], pairs[last, 1]
        pairs[last, 0], pairs[last, 1] = i, j
        _sift(pairs, 0, last)
