"""All forces of a table together: the wrench of every body."""

from __future__ import annotations

from math import isfinite

from numba import njit, types

from modia3d.dynamics.basics.spatial import MATRIX, OPTIONS, kernel

from ..layout import (
    BUSHING,
    FAILED,
    KIND,
    MUTUAL_GRAVITY,
    POINT_GRAVITY,
    SPRING_DAMPER,
    USER_GRAVITY,
    WORLD_FORCE,
    WORLD_TORQUE,
)
from . import bushing, mutual_gravity, point_gravity, spring_damper, user_gravity, world_force, world_torque


@kernel
def add_wrenches(table, k, time, R, p, v_W, w_W, wrenches):
    """Add what row ``k`` does to its bodies."""
    kind = int(table[k, KIND])
    if kind == POINT_GRAVITY:
        point_gravity.add_wrenches(table, k, R, p, wrenches)
    elif kind == WORLD_FORCE:
        world_force.add_wrenches(table, k, time, R, p, wrenches)
    elif kind == WORLD_TORQUE:
        world_torque.add_wrenches(table, k, time, R, p, wrenches)
    elif kind == SPRING_DAMPER:
        spring_damper.add_wrenches(table, k, R, p, v_W, w_W, wrenches)
    elif kind == BUSHING:
        bushing.add_wrenches(table, k, R, p, v_W, w_W, wrenches)
    elif kind == USER_GRAVITY:
        user_gravity.add_wrenches(table, k, R, p, wrenches)
    elif kind == MUTUAL_GRAVITY:
        mutual_gravity.add_wrenches(table, k, R, p, wrenches)


@kernel
def all_finite(values):
    """Whether all elements are numbers."""
    total = 0.0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            total += 0.0 * values[i, j]
    return isfinite(total)


@njit(types.int64(MATRIX, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def wrenches_of_forces(table, time, R, p, v_W, w_W, wrenches):
    """Torque about its origin and force, in B, of every body.

    Args:
        table: the forces, see `modia3d.forces.layout`.
        time: [s].
        R, p, v_W, w_W: poses and velocities of all bodies, see `modia3d.dynamics.kinematics`.
        wrenches: result, shape (n, 6) [N.m, N].

    Returns:
        0, or ``FAILED + k`` if the force of row ``k`` is no number.
    """
    wrenches[:, :] = 0.0
    for k in range(table.shape[0]):
        add_wrenches(table, k, time, R, p, v_W, w_W, wrenches)
    if all_finite(wrenches):
        return 0
    for k in range(table.shape[0]):
        wrenches[:, :] = 0.0
        add_wrenches(table, k, time, R, p, v_W, w_W, wrenches)
        if not all_finite(wrenches):
            return FAILED + k
    return FAILED
