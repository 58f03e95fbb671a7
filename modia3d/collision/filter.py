"""Pairs of shapes that may collide, as one array that kernels evaluate in constant time (no numba).

Three rules exclude a pair: shapes of one body are rigidly connected; groups of shapes that a joint connects directly are
*joined*; and sets of shapes are named that do not collide with each other. For the last rule each shape belongs to a *family*:
shapes that are in the same sets. A matrix says which families do not collide, so nothing grows with the number of pairs of
shapes.

The array: six places (below), bodies of all shapes (the world: 0, body k: k + 1), their groups (counted alike), their families,
for each group the beginning of its list of joined groups with a smaller number (in a tree its parent: one at most), these
lists, and the matrix.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

GROUP, FAMILY, FIRST, JOINED, APART = 0, 1, 2, 3, 4
"""Places of the header: where groups, families, beginnings, joined groups and the matrix begin."""
FAMILIES = 5
"""Place of the header: number of families."""
BODIES = 6
"""Where the bodies begin: length of the header."""


def pair_filter(
    bodies: ArrayLike,
    joined: ArrayLike = (),
    apart: Sequence[tuple[ArrayLike, ArrayLike]] = (),
    groups: ArrayLike | None = None,
) -> np.ndarray:
    """Return the filter array for `near_pairs` and related kernels.

    Args:
        bodies: of each shape; negative: the world.
        joined: pairs of groups that do not collide because a joint connects them; negative: the world.
        apart: pairs of sets of shapes; none of the first set collides with one of the second. A set is a mask (bool, one for
            each shape) or numbers of shapes.
        groups: of each shape; negative: the world. Groups stay what they are where several of them become one body. None: the
            bodies.
    """
    numbers = np.maximum(np.asarray(bodies, dtype=np.int64).ravel(), -1) + 1
    group = numbers if groups is None else np.maximum(np.asarray(groups, dtype=np.int64).ravel(), -1) + 1
    n_shapes = len(numbers)
    pairs = np.maximum(np.asarray(joined, dtype=np.int64).reshape(-1, 2), -1) + 1
    low, high = pairs.min(axis=1, initial=1 << 60), pairs.max(axis=1, initial=0)
    n_groups = max(int(group.max(initial=0)), int(high.max(initial=0))) + 1
    order = np.lexsort((low, high))
    first = np.searchsorted(high[order], np.arange(n_groups + 1))
    family, matrix = _families(n_shapes, apart)
    parts = [numbers, group, family, first, low[order], matrix.ravel()]
    begins = BODIES + np.cumsum([len(part) for part in parts[:-1]])
    return np.concatenate([begins, [len(matrix)], *parts]).astype(np.int64)


def _families(n_shapes: int, apart: Sequence[tuple[ArrayLike, ArrayLike]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the family of each shape, and the matrix of families that do not collide, shape (n_families, n_families)."""
    sets = np.zeros((2, len(apart), n_shapes), dtype=bool)
    for k, pair in enumerate(apart):
        for side, chosen in zip(sets[:, k], pair, strict=True):
            index = np.asarray(chosen)
            side[index if index.dtype == bool else index.astype(np.int64)] = True
    if not sets.size:
        return np.zeros(n_shapes, dtype=np.int64), np.zeros((1, 1), dtype=np.int64)
    packed = np.packbits(sets.reshape(-1, n_shapes).T, axis=1)
    _, example, family = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    first, second = sets[:, :, example].astype(np.float32)
    met = first.T @ second > 0.0
    return family.ravel(), (met | met.T).astype(np.int64)


def named(name: str, names: Sequence[str], groups: Sequence[str]) -> np.ndarray:
    """Return the mask of the shapes of a name: those of a contact group, or at a frame or within a submodel.

    Args:
        name: of a contact group, of a frame, or of a submodel: the first parts of the names of frames.
        names: full name of the frame of each shape.
        groups: contact group of each shape, "" for none.
    """
    within = f"{name}."
    return np.array([g == name or n == name or n.startswith(within) for n, g in zip(names, groups, strict=True)], dtype=bool)
