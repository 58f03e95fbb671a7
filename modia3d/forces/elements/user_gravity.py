"""Gravity field of a user on a solid, with or without a potential."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from ..basics.layout import BODY_1
from .declaration import NOTHING, Declaration, Row
from .kernel import act, add, apply, call_3_1, call_3_3, dot, first_pose, kernel, parameter3, point_velocity, scale

ROW = Row(numbers={"field": 1, "potential": 1, "mass": 1, "centre": 3})
FIELD, POTENTIAL, MASS, CENTRE = ROW.column("field"), ROW.column("potential"), ROW.column("mass"), ROW.offset("centre")
"""Addresses of the field and its potential (0: there is none), mass, centre of mass in frame 1."""


@kernel
def centre(table, k, at):
    """Return the centre of mass in world."""
    R_W1, p_W1 = first_pose(table, k, at.R, at.p)
    return add(p_W1, apply(R_W1, parameter3(table, k, CENTRE)))


@kernel
def add_wrenches(table, k, at, wrenches):
    """Add the wrench of row ``k`` to its body."""
    c = centre(table, k, at)
    force = scale(table[k, MASS], call_3_3(int(table[k, FIELD]), c))
    act(int(table[k, BODY_1]), c, force, (0.0, 0.0, 0.0), at.R, at.p, wrenches)


@kernel
def energy(table, k, at):
    """Return the potential energy of row ``k`` [J]; zero without a potential."""
    if table[k, POTENTIAL] == 0.0:
        return 0.0
    return table[k, MASS] * call_3_1(int(table[k, POTENTIAL]), centre(table, k, at))


@kernel
def power(table, k, at):
    """Return the power of the field [W], where it has no potential."""
    if table[k, POTENTIAL] != 0.0:
        return 0.0
    c = centre(table, k, at)
    v, _ = point_velocity(int(table[k, BODY_1]), c, at.p, at.v_W, at.w_W)
    return table[k, MASS] * dot(call_3_3(int(table[k, FIELD]), c), v)


USER_GRAVITY = Declaration("UserGravity", row=ROW, wrench=add_wrenches, energy=energy, loss=NOTHING, outer_power=power)
