"""Gravity of a point mass on a solid: 0 mu, 1 mass, 2..4 position of the point mass, 5..7 centre of mass in frame 1."""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import add, apply, dot, kernel, scale, subtract

from ..layout import BODY_1, PARAMETERS
from .frames import act, first_pose, parameter3


@kernel
def centre(table, k, R, p):
    """Centre of mass in world, and its position from the point mass."""
    R_W1, p_W1 = first_pose(table, k, R, p)
    c = add(p_W1, apply(R_W1, parameter3(table, k, 5)))
    return c, subtract(c, parameter3(table, k, 2))


@kernel
def add_wrenches(table, k, R, p, wrenches):
    """Add what row ``k`` does to its body."""
    c, r = centre(table, k, R, p)
    s = dot(r, r)
    force = scale(-table[k, PARAMETERS] * table[k, PARAMETERS + 1] / (s * sqrt(s)), r)
    act(int(table[k, BODY_1]), c, force, (0.0, 0.0, 0.0), R, p, wrenches)


@kernel
def energy(table, k, R, p):
    """Potential energy of row ``k`` [J], zero at infinity."""
    _, r = centre(table, k, R, p)
    return -table[k, PARAMETERS] * table[k, PARAMETERS + 1] / sqrt(dot(r, r))
