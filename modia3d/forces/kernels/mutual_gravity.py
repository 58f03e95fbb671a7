"""Gravity between two solids: 0 gravitational constant times both masses, 1..3 and 4..6 centres of mass in frames 1 and 2."""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import add, apply, dot, kernel, negate, scale, subtract

from ..layout import BODY_1, BODY_2, PARAMETERS
from .frames import act, first_pose, parameter3, second_pose


@kernel
def centres(table, k, R, p):
    """Both centres of mass in world."""
    R_1, p_1 = first_pose(table, k, R, p)
    R_2, p_2 = second_pose(table, k, R, p)
    return add(p_1, apply(R_1, parameter3(table, k, 1))), add(p_2, apply(R_2, parameter3(table, k, 4)))


@kernel
def add_wrenches(table, k, R, p, wrenches):
    """Add what row ``k`` does to its bodies."""
    c_1, c_2 = centres(table, k, R, p)
    r = subtract(c_2, c_1)
    s = dot(r, r)
    force = scale(table[k, PARAMETERS] / (s * sqrt(s)), r)
    act(int(table[k, BODY_1]), c_1, force, (0.0, 0.0, 0.0), R, p, wrenches)
    act(int(table[k, BODY_2]), c_2, negate(force), (0.0, 0.0, 0.0), R, p, wrenches)


@kernel
def energy(table, k, R, p):
    """Potential energy of row ``k`` [J], zero at infinite distance."""
    c_1, c_2 = centres(table, k, R, p)
    r = subtract(c_2, c_1)
    return -table[k, PARAMETERS] / sqrt(dot(r, r))
