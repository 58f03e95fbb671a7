"""Event indicators of the limits of joints in machine code."""

from __future__ import annotations

import math

from modiapy.acausal.native import part

from ..tables.limit_table import LOCKED, LOWER, REST, SIDE, UPPER


@part
def limit_indicators(table, i, q, k, force):
    """Two indicators of the joint in row ``i``: while it moves, the distances to both limits; while a limit holds it, what
    presses on it. ``k`` is the index of its coordinate in ``q``, -1 where it is not there; ``force`` is what holds it.
    """
    if table[i, LOCKED] != 0.0:
        return REST - table[i, SIDE] * force if table[i, SIDE] != 0.0 else 1.0, 1.0
    if k < 0:
        return 1.0, 1.0
    below = q[k] - table[i, LOWER] if table[i, LOWER] > -math.inf else 1.0
    above = table[i, UPPER] - q[k] if table[i, UPPER] < math.inf else 1.0
    return below, above
