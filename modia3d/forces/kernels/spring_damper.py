"""Spring and damper between two points: laws 0 spring, 1 damper; then 4 nominal length, 5 nominal force."""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import dot, kernel, negate, scale, subtract

from ..layout import BODY_1, BODY_2, PARAMETERS
from .frames import act, first_pose, point_velocity, second_pose
from .law import integral, law

LENGTH, FORCE = PARAMETERS + 4, PARAMETERS + 5


@kernel
def add_wrenches(table, k, R, p, v_W, w_W, wrenches):
    """Add what row ``k`` does to its bodies."""
    one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
    _, p_1 = first_pose(table, k, R, p)
    _, p_2 = second_pose(table, k, R, p)
    r = subtract(p_2, p_1)
    length = sqrt(dot(r, r))
    if length > 0.0:
        e = scale(1.0 / length, r)
        v_1, _ = point_velocity(one, p_1, p, v_W, w_W)
        v_2, _ = point_velocity(two, p_2, p, v_W, w_W)
        pull = table[k, FORCE] + law(table, k, 0, length - table[k, LENGTH])
        force = scale(pull + law(table, k, 1, dot(e, subtract(v_2, v_1))), e)
        act(one, p_1, force, (0.0, 0.0, 0.0), R, p, wrenches)
        act(two, p_2, negate(force), (0.0, 0.0, 0.0), R, p, wrenches)


@kernel
def energy(table, k, R, p):
    """Potential energy of row ``k`` [J], zero at the nominal length."""
    _, p_1 = first_pose(table, k, R, p)
    _, p_2 = second_pose(table, k, R, p)
    r = subtract(p_2, p_1)
    longer = sqrt(dot(r, r)) - table[k, LENGTH]
    return longer * table[k, FORCE] + integral(table, k, 0, longer)
