"""All forces of a table together: the wrench of every body, the potential energy."""

from __future__ import annotations

from numba import njit, types

from modia3d.dynamics.spatial import MATRIX, OPTIONS

from ..layout import BUSHING, KIND, POINT_GRAVITY, SPRING_DAMPER, WORLD_FORCE, WORLD_TORQUE
from . import bushing, point_gravity, spring_damper, world_force, world_torque


@njit(types.void(MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def wrenches_of_forces(table, R, p, v_W, w_W, wrenches):
    """Torque about its origin and force, in B, of every body.

    Args:
        table: the forces, see `modia3d.forces.layout`.
        R, p, v_W, w_W: poses and velocities of all bodies, see `modia3d.dynamics.kinematics`.
        wrenches: result, shape (n, 6) [N.m, N].
    """
    wrenches[:, :] = 0.0
    for k in range(table.shape[0]):
        kind = int(table[k, KIND])
        if kind == POINT_GRAVITY:
            point_gravity.add_wrenches(table, k, R, p, wrenches)
        elif kind == WORLD_FORCE:
            world_force.add_wrenches(table, k, R, p, wrenches)
        elif kind == WORLD_TORQUE:
            world_torque.add_wrenches(table, k, R, p, wrenches)
        elif kind == SPRING_DAMPER:
            spring_damper.add_wrenches(table, k, R, p, v_W, w_W, wrenches)
        elif kind == BUSHING:
            bushing.add_wrenches(table, k, R, p, v_W, w_W, wrenches)


@njit(types.float64(MATRIX, MATRIX, MATRIX), **OPTIONS)
def energy_of_forces(table, R, p):
    """Potential energy [J] of the elements that have one; constant forces and torques have none."""
    energy = 0.0
    for k in range(table.shape[0]):
        kind = int(table[k, KIND])
        if kind == POINT_GRAVITY:
            energy += point_gravity.energy(table, k, R, p)
        elif kind == SPRING_DAMPER:
            energy += spring_damper.energy(table, k, R, p)
        elif kind == BUSHING:
            energy += bushing.energy(table, k, R, p)
    return energy
