"""Gravity field of a user on a solid: 0 address of the field, 1 of its potential (0: none), 2 mass, 3..5 centre in frame 1."""

from __future__ import annotations

from modia3d.dynamics.basics.spatial import add, apply, kernel, scale

from ..layout import BODY_1, PARAMETERS
from .calls import call_3_1, call_3_3
from .frames import act, first_pose, parameter3


@kernel
def add_wrenches(table, k, R, p, wrenches):
    """Add what row ``k`` does to its body."""
    R_W1, p_W1 = first_pose(table, k, R, p)
    c = add(p_W1, apply(R_W1, parameter3(table, k, 3)))
    force = scale(table[k, PARAMETERS + 2], call_3_3(int(table[k, PARAMETERS]), c))
    act(int(table[k, BODY_1]), c, force, (0.0, 0.0, 0.0), R, p, wrenches)


@kernel
def energy(table, k, R, p):
    """Potential energy of row ``k`` [J]; zero without a potential."""
    if table[k, PARAMETERS + 1] == 0.0:
        return 0.0
    R_W1, p_W1 = first_pose(table, k, R, p)
    c = add(p_W1, apply(R_W1, parameter3(table, k, 3)))
    return table[k, PARAMETERS + 2] * call_3_1(int(table[k, PARAMETERS + 1]), c)
