"""`set_states` for systems with massless points, their velocities, and their motion at many time points.

Compiled where there are some.
Where dampers act, the place of a point is a state of the equations, from a fixed place of the segment.
"""

from __future__ import annotations

from modia3d.forces.kernels.damped import SAVED
from modia3d.forces.kernels.massless import balance, settle_velocities
from modiapy.acausal.native import component_function, njit

from ..memory.accessors import over_time, segment, time_of_functions
from .forces import load_bodies, move_loaded
from .motion import MATRIX
from .states import gather, prepare_prescribed

FOLLOWING = 0.1
"""Time constant [s] with which states of points without dampers, where something was deleted, return to where these are."""


@component_function
def set_states_with_points(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (phi.., w.., points..) -> token: as `set_states_with_forces`, after a search for the points.

    It begins where they were, and of damped ones where their states say.
    """
    gather(context, inputs)
    outputs[0] = 0.0
    s = segment(context)
    if s.n_forces == 0:
        return prepare_prescribed(context)
    move_loaded(context)
    n, damped = s.n, s.damped
    if s.n_points > 0:
        for k in range(s.n_damped):
            i = int(damped[k, 3])
            for a in range(3 if i >= 0 else 0):
                s.p_loaded[n + i, a] = damped[k, a] + inputs[2 * s.n_e + 3 * k + a]
        time = time_of_functions(context)
        status = balance(s.forces, n, time, s.R_loaded, s.p_loaded, s.v_loaded, s.w_loaded, s.wrenches, s.search)
        if status != 0:
            return status
    status = load_bodies(context)
    if status != 0:
        return status
    return prepare_prescribed(context)


@component_function
def point_velocities(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (token) -> rates of the states of damped points, zero where one is not there.

    Where no dampers are left, the state follows the point, with the time constant `FOLLOWING`.
    """
    s = segment(context)
    n, damped, saved = s.n, s.damped, 12 * s.n_points + SAVED
    for k in range(s.n_damped):
        i = int(damped[k, 3])
        for a in range(3):
            outputs[3 * k + a] = 0.0
            if i >= 0:
                away = s.p_loaded[n + i, a] - s.search[saved, 3 * i + a]
                outputs[3 * k + a] = s.v_loaded[n + i, a] + away / FOLLOWING
    return 0


@njit(f"void(int64, {MATRIX}, int64, {MATRIX}, {MATRIX}, {MATRIX}, {MATRIX})", cache=True)
def point_motion(motion, table, n, damped, states, wrenches, work):  # type: ignore[no-untyped-def]
    """Compute the positions and velocities of the points, behind those of ``n`` bodies; where it begins stands in ``p[0]``.

    Args:
        motion: address of `OVER_TIME` of bodies and points.
        table: the forces.
        damped, states: table of the damped points; where they are from there, [nt, 3 times as many].
        wrenches, work: scratch, see `modia3d.forces.kernels.massless.balance`.
    """
    m = over_time(motion)
    time, R, p, v_W, w_W = m.time, m.R, m.p, m.v_W, m.w_W
    for i in range(m.n_t):
        if i > 0:
            for k in range(n, p.shape[1]):  # a slice in its place needs lists, for its message about shapes
                for a in range(3):
                    p[i, k, a] = p[i - 1, k, a]
        for k in range(len(damped)):
            point = int(damped[k, 3])
            for a in range(3 if point >= 0 else 0):
                p[i, n + point, a] = damped[k, a] + states[i, 3 * k + a]
        if balance(table, n, time[i], R[i], p[i], v_W[i], w_W[i], wrenches, work) == 0:
            settle_velocities(table, n, time[i], R[i], p[i], v_W[i], w_W[i], work)
