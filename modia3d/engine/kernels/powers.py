"""Power of the whole system as a variable of the equations; imported where a model has a `PowerSensor` of it."""

from __future__ import annotations

from numba import njit

from modia3d.dynamics.basics.layout import PRESCRIBED, ROLE, V_INDEX
from modia3d.dynamics.basics.spatial import OPTIONS
from modia3d.forces.kernels.evaluate import powers_of_forces
from modiapy.acausal.native import component_function, float64_array, int64_array
from modiapy.acausal.protocol import CONTEXT_SLOTS

from ..memory.signal_arrays import body_motion, header, signal_arrays
from ..memory.slots import N_BODIES, N_E, N_FORCES, N_POINTS
from .forces import body_arrays, time_and_forces
from .sensors import signal_velocity
from .states import forest_arrays, memory_arrays


@njit(**OPTIONS)
def drive_power(ints, v, tau):  # type: ignore[no-untyped-def]
    """Of the flanges of those joints that exist; tau: what each flange exerts."""
    power = 0.0
    for i in range(ints.shape[0]):
        if ints[i, ROLE] == PRESCRIBED:
            power += tau[ints[i, V_INDEX]] * v[ints[i, V_INDEX]]
    return power


@component_function
def powers(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(ready, f.., tau..) -> power of joints' flanges, of forces from outside and from the equations, dissipated power."""
    c = int64_array(context, CONTEXT_SLOTS)
    h = header(c)
    ints, _, _ = forest_arrays(c)
    _, v, _, _, _, _, _, _ = memory_arrays(c)
    signals, _, _, _ = signal_arrays(c, h)
    R, p, v_W, w_W = body_motion(c, h)
    n_f = signals.shape[0]
    given, values = float64_array(inputs, 1 + n_f + c[N_E])[1:], float64_array(outputs, 3)
    values[0] = drive_power(ints, v, given[n_f:])
    values[1] = values[2] = 0.0
    for k in range(n_f):
        velocity = signal_velocity(signals, k, R, p, v_W, w_W)
        if velocity != 0.0:  # signals that were deleted are not finite
            values[1] += given[k] * velocity
    if c[N_FORCES] > 0:
        R_loaded, p_loaded, v_loaded, w_loaded, _, _ = body_arrays(c, c[N_BODIES] + c[N_POINTS])  # left by `set_states`
        time, table = time_and_forces(c)
        outside, values[2] = powers_of_forces(table, time, R_loaded, p_loaded, v_loaded, w_loaded)
        values[1] += outside
    return 0
