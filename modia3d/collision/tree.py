"""Memory of the search for shapes near each other: bounding boxes, and a balanced tree of them (no numba).

The tree halves the shapes at the median along the axis with the largest spread of their boxes. So it is as good for sizes of
1e-6 m beside 1e3 m as for equal ones, where a grid is not, and for bodies spread in space, where sweep and prune along one axis
compares n^(5/3) pairs. The result depends only on the boxes, never on the order that is kept between calls: a run that
continues from a snapshot finds the same, bit for bit.

Nodes are numbered as in a heap: 1 is the root, ``2 k`` and ``2 k + 1`` are the halves of node k.
"""

from __future__ import annotations

import numpy as np

LEAF = 4
"""Shapes of a leaf, at most."""
STACK = 512
"""Numbers of the stack of a search: pairs of nodes, at most three more for each level."""

# Boxes: float64 (n_shapes, then nodes; BOX_COLUMNS).
LOW = 0
"""Lower corner in world (3), then the upper one (3) [m]."""
HIGH = 3
LOW_RATE = 6
"""Least velocity of the lower faces along x, y, z (3), then the largest of the upper ones (3) [m/s]."""
HIGH_RATE = 9
BOX_COLUMNS = 12

# The tree: int64, a header, then the shapes in the order of the leaves, the body that all shapes of a node have, the stack.
SORTED = 0
"""Number of shapes that have been sorted."""
LEAVES = 1
"""A power of two."""
VISITS = 2
"""Pairs of nodes that the last search looked at, and the first one after the shapes were sorted."""
VISITS_AT_FIRST = 3
ORDER = 4

EMPTY, MIXED = -2, -1
"""Body of a node without shapes; of one with several bodies."""


def leaves_of(n_shapes: int) -> int:
    """Number of leaves: the smallest power of two that suffices."""
    leaves = 1
    while leaves * LEAF < n_shapes:
        leaves *= 2
    return leaves


def search_memory(n_shapes: int) -> tuple[np.ndarray, np.ndarray]:
    """Allocate the boxes and the tree for a number of shapes, in the state before the first call."""
    leaves = leaves_of(n_shapes)
    return np.zeros((n_shapes + 2 * leaves, BOX_COLUMNS)), np.zeros(ORDER + n_shapes + 2 * leaves + STACK, dtype=np.int64)
