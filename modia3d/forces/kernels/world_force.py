"""Force from outside: laws 0..2 of time are its components in frame 2."""

from __future__ import annotations

from modia3d.dynamics.basics.spatial import apply, kernel

from ..layout import BODY_1
from .frames import act, first_pose, second_pose
from .law import law3


@kernel
def add_wrenches(table, k, time, R, p, wrenches):
    """Add what row ``k`` does to its body."""
    _, point = first_pose(table, k, R, p)
    R_W2, _ = second_pose(table, k, R, p)
    act(int(table[k, BODY_1]), point, apply(R_W2, law3(table, k, time)), (0.0, 0.0, 0.0), R, p, wrenches)
