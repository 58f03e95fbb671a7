"""Event indicators of the limits of joints in machine code."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

import math

from modiapy.acausal.native import part

from .kinds.joint_limit import JointLimit
from .kinds.unilateral import indicator
from .tables.limit_table import LOCKED, LOWER, SIDE, UPPER

_gap, _push, _indicator = part(JointLimit.gap), part(JointLimit.push), part(indicator)


@part
def limit_indicators(table, i, q, k, force):
    """Return two indicators of the joint in row ``i``: while it moves, the distances to both limits; while a limit holds it,
    what presses on it. ``k`` is the index of its coordinate in ``q``, -1 where it is not there; ``force`` is what holds it.
    """
    if table[i, LOCKED] != 0.0:
        side = table[i, SIDE]
        return _indicator(True, 0.0, _push(side, force)) if side != 0.0 else 1.0, 1.0
    if k < 0:
        return 1.0, 1.0
    below, above = _gap(-1.0, q[k], table[i, LOWER]), _gap(1.0, q[k], table[i, UPPER])
    return (
        _indicator(False, below, 0.0) if table[i, LOWER] > -math.inf else 1.0,
        _indicator(False, above, 0.0) if table[i, UPPER] < math.inf else 1.0,
    )
