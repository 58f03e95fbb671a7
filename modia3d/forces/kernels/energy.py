"""The potential energy of all forces of a table; imported where somebody asks for it."""

from __future__ import annotations

from numba import njit, types

from modia3d.dynamics.basics.spatial import MATRIX, OPTIONS

from ..layout import BUSHING, KIND, MUTUAL_GRAVITY, POINT_GRAVITY, SPRING_DAMPER, USER_GRAVITY
from . import bushing, mutual_gravity, point_gravity, spring_damper, user_gravity


@njit(types.float64(MATRIX, MATRIX, MATRIX), **OPTIONS)
def energy_of_forces(table, R, p):
    """Potential energy [J] of the elements that have one; forces and torques from outside have none."""
    energy = 0.0
    for k in range(table.shape[0]):
        kind = int(table[k, KIND])
        if kind == POINT_GRAVITY:
            energy += point_gravity.energy(table, k, R, p)
        elif kind == SPRING_DAMPER:
            energy += spring_damper.energy(table, k, R, p)
        elif kind == BUSHING:
            energy += bushing.energy(table, k, R, p)
        elif kind == USER_GRAVITY:
            energy += user_gravity.energy(table, k, R, p)
        elif kind == MUTUAL_GRAVITY:
            energy += mutual_gravity.energy(table, k, R, p)
    return energy
