"""Power of forces from outside, and what springs, dampers and bushings take out of the bodies for good.

The latter is ``-(P + E')``, P the power of an element's forces on both bodies, E the energy it stores: of a damper force times
velocity. Imported where somebody asks for it.
"""

from __future__ import annotations

from numba import njit, types

from modia3d.dynamics.basics.spatial import (
    MATRIX,
    OPTIONS,
    add,
    apply,
    apply_transposed,
    dot,
    kernel,
    multiply,
    subtract,
    transpose,
)

from ..layout import (
    BODY_1,
    BODY_2,
    BUSHING,
    KIND,
    PARAMETERS,
    SPRING_DAMPER,
    USER_GRAVITY,
    WORLD_FORCE,
    WORLD_TORQUE,
)
from .bushing import MODE, NOMINAL_FORCE, NOMINAL_TORQUE, angles_of, pull, torque_on, turning_axes
from .calls import call_3_3
from .frames import first_pose, parameter3, point_velocity, second_pose
from .law import law, law3


@kernel
def damper_loss(table, k, R, p, v_W, w_W):
    """What the damper of a `SpringDamperPtP` takes [W]."""
    _, p_1 = first_pose(table, k, R, p)
    _, p_2 = second_pose(table, k, R, p)
    v_1, _ = point_velocity(int(table[k, BODY_1]), p_1, p, v_W, w_W)
    v_2, _ = point_velocity(int(table[k, BODY_2]), p_2, p, v_W, w_W)
    r = subtract(p_2, p_1)
    length = dot(r, r) ** 0.5
    if length == 0.0:
        return 0.0
    rate = dot(r, subtract(v_2, v_1)) / length
    return law(table, k, 1, rate) * rate


@kernel
def stored(table, k, first, nominal, position):
    """Forces of three springs with nominal ones: the slope of their energy."""
    x, y, z = parameter3(table, k, nominal)
    return (
        x + law(table, k, first, position[0]),
        y + law(table, k, first + 1, position[1]),
        z + law(table, k, first + 2, position[2]),
    )


@kernel
def angle_rates(mode, R, w):
    """Derivatives of the angles of a bushing, for the angular velocity ``w`` of frame 2 relative to frame 1, in frame 1."""
    if mode == 0.0:
        return w[0] * R[4] - w[1] * R[1], w[1] * R[8] - w[2] * R[5], w[2] * R[0] - w[0] * R[6]
    _, y, _, dual_x, dual_z = turning_axes(angles_of(mode, R))
    return dot(dual_x, w), dot(y, w), dot(dual_z, w)


@kernel
def bushing_loss(table, k, R, p, v_W, w_W):
    """What a bushing takes [W]: its dampers, and what angles without ``work_conjugate`` give and take."""
    one, two, mode = int(table[k, BODY_1]), int(table[k, BODY_2]), table[k, MODE]
    R_1, p_1 = first_pose(table, k, R, p)
    R_2, p_2 = second_pose(table, k, R, p)
    v_2, w_2 = point_velocity(two, p_2, p, v_W, w_W)
    v_1, w_1 = point_velocity(one, p_2, p, v_W, w_W)
    position, v = apply_transposed(R_1, subtract(p_2, p_1)), apply_transposed(R_1, subtract(v_2, v_1))
    R_12, w = multiply(transpose(R_1), R_2), apply_transposed(R_1, subtract(w_2, w_1))
    force = pull(table, k, 0, NOMINAL_FORCE, position, v)
    loss = dot(subtract(force, stored(table, k, 0, NOMINAL_FORCE, position)), v)
    moments = stored(table, k, 6, NOMINAL_TORQUE, angles_of(mode, R_12))
    return loss + dot(torque_on(table, k, R_12, w), w) - dot(moments, angle_rates(mode, R_12, w))


@kernel
def outer_power(kind, table, k, time, R, p, v_W, w_W):
    """Power of a `WorldForce` or `WorldTorque`, or of a user's gravity that has no potential."""
    R_1, p_1 = first_pose(table, k, R, p)
    R_2, _ = second_pose(table, k, R, p)
    one = int(table[k, BODY_1])
    if kind == USER_GRAVITY:
        centre = add(p_1, apply(R_1, parameter3(table, k, 3)))
        v, _ = point_velocity(one, centre, p, v_W, w_W)
        return table[k, PARAMETERS + 2] * dot(call_3_3(int(table[k, PARAMETERS]), centre), v)
    v, w = point_velocity(one, p_1, p, v_W, w_W)
    return dot(apply(R_2, law3(table, k, time)), v if kind == WORLD_FORCE else w)


@njit(types.UniTuple(types.float64, 2)(MATRIX, types.float64, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def powers_of_forces(table, time, R, p, v_W, w_W):
    """Power [W] of what acts from outside, and what springs, dampers and bushings take; arguments as `wrenches_of_forces`."""
    outside, taken = 0.0, 0.0
    for k in range(table.shape[0]):
        kind = int(table[k, KIND])
        if kind == SPRING_DAMPER:
            taken += damper_loss(table, k, R, p, v_W, w_W)
        elif kind == BUSHING:
            taken += bushing_loss(table, k, R, p, v_W, w_W)
        elif kind in (WORLD_FORCE, WORLD_TORQUE) or (kind == USER_GRAVITY and table[k, PARAMETERS + 1] == 0.0):
            outside += outer_power(kind, table, k, time, R, p, v_W, w_W)
    return outside, taken
