"""All forces of a table together: wrenches of the bodies, energy, powers. What a row does is called by its address."""

from __future__ import annotations

from math import isfinite, nan

from modia3d.dynamics.basics.spatial import MATRIX, OPTIONS, kernel
from modiapy.acausal.native import njit, types

from ..basics.layout import ABSENT, ENERGY, FAILED, LOSS, OUTER_POWER, WRENCH
from .calls import call_element


@kernel
def add_wrenches(table, k, time, R, p, v_W, w_W, wrenches):
    """Add the wrenches of row ``k`` to its bodies."""
    call_element(int(table[k, WRENCH]), table, k, time, R, p, v_W, w_W, wrenches)


@kernel
def value_of(column, table, k, time, R, p, v_W, w_W):
    """Return the energy or power of row ``k``; NaN where its kernel has not been compiled."""
    address = table[k, column]
    if address == ABSENT:
        return 0.0
    if address == 0.0:
        return nan
    return call_element(int(address), table, k, time, R, p, v_W, w_W, p)


@kernel
def all_finite(values):
    """Return whether all elements are numbers."""
    total = 0.0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            total += 0.0 * values[i, j]
    return isfinite(total)


@njit(types.int64(MATRIX, types.float64, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def wrenches_of_forces(table, time, R, p, v_W, w_W, wrenches):
    """Return the torque about its origin and force, in B, of every body.

    Args:
        table: the forces, see `modia3d.forces.basics.layout`.
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


@njit(types.float64(MATRIX, types.float64, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def energy_of_forces(table, time, R, p, v_W, w_W):
    """Return the potential energy [J]; arguments as `wrenches_of_forces`. The addresses must be there
    (`ForceTable.prepare`).
    """
    energy = 0.0
    for k in range(table.shape[0]):
        energy += value_of(ENERGY, table, k, time, R, p, v_W, w_W)
    return energy


@njit(types.UniTuple(types.float64, 2)(MATRIX, types.float64, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def powers_of_forces(table, time, R, p, v_W, w_W):
    """Return the power [W] of what acts from outside, and what the elements take out of the bodies for good, as
    `energy_of_forces`.
    """
    outside, taken = 0.0, 0.0
    for k in range(table.shape[0]):
        taken += value_of(LOSS, table, k, time, R, p, v_W, w_W)
        outside += value_of(OUTER_POWER, table, k, time, R, p, v_W, w_W)
    return outside, taken
