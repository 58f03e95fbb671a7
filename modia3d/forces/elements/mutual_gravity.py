"""Gravity between two solids."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import sqrt

from ..basics.layout import BODY_1, BODY_2
from .declaration import NOTHING, Declaration, Row
from .kernel import act, add, apply, dot, first_pose, kernel, negate, parameter3, scale, second_pose, subtract

ROW = Row(numbers={"strength": 1, "centre_1": 3, "centre_2": 3})
STRENGTH, CENTRE_1, CENTRE_2 = ROW.column("strength"), ROW.offset("centre_1"), ROW.offset("centre_2")
"""Gravitational constant times both masses, centres of mass in frames 1 and 2."""


@kernel
def centres(table, k, at):
    """Return both centres of mass in world."""
    R_1, p_1 = first_pose(table, k, at.R, at.p)
    R_2, p_2 = second_pose(table, k, at.R, at.p)
    return add(p_1, apply(R_1, parameter3(table, k, CENTRE_1))), add(p_2, apply(R_2, parameter3(table, k, CENTRE_2)))


@kernel
def add_wrenches(table, k, at, wrenches):
    """Add the wrenches of row ``k`` to its bodies."""
    c_1, c_2 = centres(table, k, at)
    r = subtract(c_2, c_1)
    s = dot(r, r)
    force = scale(table[k, STRENGTH] / (s * sqrt(s)), r)
    act(int(table[k, BODY_1]), c_1, force, (0.0, 0.0, 0.0), at.R, at.p, wrenches)
    act(int(table[k, BODY_2]), c_2, negate(force), (0.0, 0.0, 0.0), at.R, at.p, wrenches)


@kernel
def energy(table, k, at):
    """Return the potential energy of row ``k`` [J], zero at infinite distance."""
    c_1, c_2 = centres(table, k, at)
    r = subtract(c_2, c_1)
    return -table[k, STRENGTH] / sqrt(dot(r, r))


MUTUAL_GRAVITY = Declaration("GravityPool", row=ROW, wrench=add_wrenches, energy=energy, loss=NOTHING, outer_power=NOTHING)
