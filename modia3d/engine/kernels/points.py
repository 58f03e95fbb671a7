"""`set_states` for systems with massless points, their velocities, and their motion at many time points.

Compiled where there are some.
Where dampers act, the place of a point is a state of the equations, from a fixed place of the segment.
"""

from __future__ import annotations

from numba import njit

from modia3d.dynamics.hybrid import hybrid_prepare
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modia3d.forces.basics.layout import POINT_COLUMNS
from modia3d.forces.kernels.damped import SAVED
from modia3d.forces.kernels.evaluate import wrenches_of_forces
from modia3d.forces.kernels.massless import balance, settle_velocities
from modiapy.acausal.native import component_function, float64_array, int64_array
from modiapy.acausal.protocol import CONTEXT_SLOTS

from ..memory.slots import DAMPED, MEMORY, N_BODIES, N_DAMPED, N_E, N_FORCES, N_POINTS
from .forces import body_arrays, time_and_forces
from .motion import CUBE, MATRIX, VECTOR
from .states import forest_arrays, gather, memory_arrays

FOLLOWING = 0.1
"""Time constant [s] with which states of points without dampers, where something was deleted, return to where these are."""


@component_function
def set_states_with_points(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(phi.., w.., points..) -> token: as `set_states_with_forces`, after a search for the points.

    It begins where they were, and of damped ones where their states say.
    """
    c = int64_array(context, CONTEXT_SLOTS)
    ints, floats, gravity = forest_arrays(c)
    q, v, tau, _, mass, bias, coupling, work = memory_arrays(c)
    gather(c, inputs, q, v)
    outputs[0] = 0.0
    if c[N_FORCES] == 0:
        return hybrid_prepare(ints, floats, gravity, q, v, tau, float64_array(c[MEMORY], (0, 6)), mass, bias, coupling, work)
    n, m = c[N_BODIES], c[N_POINTS]
    R, p, v_W, w_W, wrenches, behind = body_arrays(c, n + m)
    body_poses(ints, floats, q, R, p)
    body_velocities(ints, floats, q, v, R, p, v_W, w_W, work)
    time, table = time_and_forces(c)
    if m > 0:
        damped = float64_array(c[DAMPED], (c[N_DAMPED], POINT_COLUMNS))
        for k in range(c[N_DAMPED]):
            i = int(damped[k, 3])
            for a in range(3 if i >= 0 else 0):
                p[n + i, a] = damped[k, a] + inputs[2 * c[N_E] + 3 * k + a]
        status = balance(table, n, time, R, p, v_W, w_W, wrenches, float64_array(behind, (12 * m + 6, 3 * m)))
        if status != 0:
            return status
    status = wrenches_of_forces(table, time, R, p, v_W, w_W, wrenches)
    if status != 0:
        return status
    of_bodies = float64_array(behind - 48 * (n + m), (n, 6))
    return hybrid_prepare(ints, floats, gravity, q, v, tau, of_bodies, mass, bias, coupling, work)


@component_function
def point_velocities(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(token) -> rates of the states of damped points, zero where one is not there.

    Where no dampers are left, the state follows the point, with the time constant `FOLLOWING`.
    """
    c = int64_array(context, CONTEXT_SLOTS)
    n, m = c[N_BODIES], c[N_POINTS]
    _, p, v_W, _, _, behind = body_arrays(c, n + m)
    damped = float64_array(c[DAMPED], (c[N_DAMPED], POINT_COLUMNS))
    work = float64_array(behind, (12 * m + 6, 3 * m))
    for k in range(c[N_DAMPED]):
        i = int(damped[k, 3])
        for a in range(3):
            outputs[3 * k + a] = 0.0
            if i >= 0:
                away = p[n + i, a] - work[12 * m + SAVED, 3 * i + a]
                outputs[3 * k + a] = v_W[n + i, a] + away / FOLLOWING
    return 0


@njit(f"void({MATRIX}, int64, {MATRIX}, {MATRIX}, {VECTOR}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX}, {MATRIX})", cache=True)
def point_motion(table, n, damped, states, time, R, p, v_W, w_W, wrenches, work):  # type: ignore[no-untyped-def]
    """Positions and velocities of the points at time[nt] (arrays [nt, n + m, ...]); where it begins stands in ``p[0]``.

    ``damped`` is the table of damped points, ``states`` [nt, 3 times as many] are where they are from there.
    """
    for i in range(len(time)):
        if i > 0:
            p[i, n:] = p[i - 1, n:]
        for k in range(len(damped)):
            point = int(damped[k, 3])
            for a in range(3 if point >= 0 else 0):
                p[i, n + point, a] = damped[k, a] + states[i, 3 * k + a]
        if balance(table, n, time[i], R[i], p[i], v_W[i], w_W[i], wrenches, work) == 0:
            settle_velocities(table, n, time[i], R[i], p[i], v_W[i], w_W[i], work)
