"""Storage of the columns of a joint's motion subspace in the records of a body's row of ``work`` (see `layout.W_SPEEDS`)."""

from __future__ import annotations

from .layout import SPEED_COLUMNS, W_S
from .spatial import kernel, load3, store3


@kernel
def store_column(work, i, j, angular, linear):
    """Write column ``j`` of the motion subspace of body ``i``."""
    at = W_S + SPEED_COLUMNS * j
    store3(work, i, at, angular)
    store3(work, i, at + 3, linear)


@kernel
def column(work, i, j):
    """Return the column ``j`` of the motion subspace of body ``i``: angular and linear."""
    at = W_S + SPEED_COLUMNS * j
    return load3(work, i, at), load3(work, i, at + 3)
