"""`set_states` for systems with massless points, and their motion at many time points; compiled where there are some."""

from __future__ import annotations

from numba import njit

from modia3d.dynamics.hybrid import hybrid_prepare
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modia3d.forces.kernels.evaluate import wrenches_of_forces
from modia3d.forces.kernels.massless import balance
from modiapy.acausal.native import component_function, float64_array, int64_array
from modiapy.acausal.protocol import CONTEXT_SLOTS

from .force_kernels import body_arrays, time_and_forces
from .kernels import forest_arrays, gather, memory_arrays
from .motion_kernels import CUBE, MATRIX, VECTOR
from .slots import MEMORY, N_BODIES, N_FORCES, N_POINTS


@component_function
def set_states_with_points(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(phi.., w..) -> token: as `set_states_with_forces`, after a search for the points that begins where they were."""
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
        status = balance(table, n, time, R, p, v_W, w_W, wrenches, float64_array(behind, (6 * m + 4, 3 * m)))
        if status != 0:
            return status
    status = wrenches_of_forces(table, time, R, p, v_W, w_W, wrenches)
    if status != 0:
        return status
    of_bodies = float64_array(behind - 48 * (n + m), (n, 6))
    return hybrid_prepare(ints, floats, gravity, q, v, tau, of_bodies, mass, bias, coupling, work)


@njit(f"void({MATRIX}, int64, {VECTOR}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX}, {MATRIX})", cache=True)
def point_motion(table, n, time, R, p, v_W, w_W, wrenches, work):  # type: ignore[no-untyped-def]
    """Positions and velocities of the points at time[nt] (arrays [nt, n + m, ...]); where it begins stands in ``p[0]``."""
    for i in range(len(time)):
        if i > 0:
            p[i, n:] = p[i - 1, n:]
        balance(table, n, time[i], R[i], p[i], v_W[i], w_W[i], wrenches, work)
