"""Tree of bounding boxes: shapes sorted into its leaves, and the boxes of its nodes, see `collision.tree`."""

from __future__ import annotations

from modia3d.dynamics.basics.spatial import kernel

from ..tree import BOX_COLUMNS, EMPTY, HIGH, HIGH_RATE, LEAF, LEAVES, LOW, LOW_RATE, MIXED, ORDER, SORTED
from .allowed import body_of
from .extents import is_plane

_FAR = float("inf")


@kernel
def _key(boxes, i, axis):
    """Return twice the middle of the box along an axis; zero for a box that is not a number, so that all can be ordered."""
    key = boxes[i, LOW + axis] + boxes[i, HIGH + axis]
    return key if abs(key) < _FAR else 0.0


@kernel
def _widest_axis(boxes, tree, begin, end):
    """Return the axis with the largest spread of the middles of the shapes from ``begin`` to ``end``."""
    axis, widest = 0, -1.0
    for k in range(3):
        low, high = _FAR, -_FAR
        for at in range(begin, end):
            key = _key(boxes, tree[ORDER + at], k)
            low, high = min(low, key), max(high, key)
        if high - low > widest:
            axis, widest = k, high - low
    return axis


@kernel
def _before(boxes, axis, i, key, j):
    """Return whether shape ``i`` is ordered before shape ``j``, whose key is given: no two are equal."""
    other = _key(boxes, i, axis)
    return other < key or (other == key and i < j)


@kernel
def _halve(boxes, tree, begin, end, half, axis):
    """Reorder the shapes from ``begin`` to ``end`` so that those before ``half`` are the first ones along an axis."""
    while end - begin > 1:
        pivot = tree[ORDER + (begin + end) // 2]
        key = _key(boxes, pivot, axis)
        i, j = begin, end - 1
        while i <= j:
            while _before(boxes, axis, tree[ORDER + i], key, pivot):
                i += 1
            while tree[ORDER + j] != pivot and not _before(boxes, axis, tree[ORDER + j], key, pivot):
                j -= 1
            if i <= j:
                tree[ORDER + i], tree[ORDER + j] = tree[ORDER + j], tree[ORDER + i]
                i += 1
                j -= 1
        if half <= j:
            end = j + 1
        elif half >= i:
            begin = i
        else:
            break


@kernel
def sort_shapes(shapes, boxes, tree):
    """Sort all shapes but planes into leaves, by their boxes."""
    count = 0
    for i in range(shapes.shape[0]):
        if not is_plane(shapes, i):
            tree[ORDER + count] = i
            count += 1
    leaves = 1
    while leaves * LEAF < count:
        leaves *= 2
    tree[SORTED], tree[LEAVES] = count, leaves
    nodes = 1
    while nodes < leaves:
        for k in range(nodes):
            begin, end = k * count // nodes, (k + 1) * count // nodes
            half = (2 * k + 1) * count // (2 * nodes)
            _halve(boxes, tree, begin, end, half, _widest_axis(boxes, tree, begin, end))
        nodes *= 2


@kernel
def leaf_begin(tree, node):
    """Return the position at which the shapes of a leaf begin; they end at the beginning of the next leaf."""
    leaves = tree[LEAVES]
    return (node - leaves) * tree[SORTED] // leaves


@kernel
def _widen(boxes, row, other):
    """Widen the box in a row by another one."""
    for k in range(3):
        boxes[row, LOW + k] = min(boxes[row, LOW + k], boxes[other, LOW + k])
        boxes[row, HIGH + k] = max(boxes[row, HIGH + k], boxes[other, HIGH + k])
        boxes[row, LOW_RATE + k] = min(boxes[row, LOW_RATE + k], boxes[other, LOW_RATE + k])
        boxes[row, HIGH_RATE + k] = max(boxes[row, HIGH_RATE + k], boxes[other, HIGH_RATE + k])


@kernel
def _common(a, b):
    """Return the common body of two nodes."""
    if a == EMPTY:
        return b
    return a if b == EMPTY or a == b else MIXED


@kernel
def bound_nodes(boxes, tree, filter, n_shapes):
    """Compute the boxes and bodies of all nodes from those of the shapes."""
    leaves, bodies = tree[LEAVES], ORDER + n_shapes
    for node in range(2 * leaves - 1, 0, -1):
        row = n_shapes + node
        for k in range(BOX_COLUMNS):
            boxes[row, k] = _FAR if k < HIGH or LOW_RATE <= k < HIGH_RATE else -_FAR
        body = EMPTY
        if node >= leaves:
            for at in range(leaf_begin(tree, node), leaf_begin(tree, node + 1)):
                i = tree[ORDER + at]
                _widen(boxes, row, i)
                body = _common(body, body_of(filter, i))
        else:
            for child in range(2 * node, 2 * node + 2):
                _widen(boxes, row, n_shapes + child)
                body = _common(body, tree[bodies + child])
        tree[bodies + node] = body
