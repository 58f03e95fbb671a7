"""Gravity of a point mass that does not move on a solid."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import sqrt

from ..basics.layout import BODY_1
from .declaration import NOTHING, Declaration, Row
from .kernel import act, add, apply, dot, first_pose, kernel, parameter3, scale, subtract

ROW = Row(numbers={"mu": 1, "mass": 1, "position": 3, "centre": 3})
MU, MASS, POSITION, CENTRE = ROW.column("mu"), ROW.column("mass"), ROW.offset("position"), ROW.offset("centre")


@kernel
def centre(table, k, at):
    """Return the centre of mass in world, and its position from the point mass."""
    R_W1, p_W1 = first_pose(table, k, at.R, at.p)
    c = add(p_W1, apply(R_W1, parameter3(table, k, CENTRE)))
    return c, subtract(c, parameter3(table, k, POSITION))


@kernel
def add_wrenches(table, k, at, wrenches):
    """Add the wrench of row ``k`` to its body."""
    c, r = centre(table, k, at)
    s = dot(r, r)
    force = scale(-table[k, MU] * table[k, MASS] / (s * sqrt(s)), r)
    act(int(table[k, BODY_1]), c, force, (0.0, 0.0, 0.0), at.R, at.p, wrenches)


@kernel
def energy(table, k, at):
    """Return the potential energy of row ``k`` [J], zero at infinity."""
    _, r = centre(table, k, at)
    return -table[k, MU] * table[k, MASS] / sqrt(dot(r, r))


POINT_GRAVITY = Declaration("PointGravity", row=ROW, wrench=add_wrenches, energy=energy, loss=NOTHING, outer_power=NOTHING)
