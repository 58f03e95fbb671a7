"""Power of the whole system as a variable of the equations; imported where a model has a `PowerSensor` of it."""

from __future__ import annotations

from modia3d.dynamics.basics.layout import PRESCRIBED, ROLE, V_INDEX
from modia3d.dynamics.basics.spatial import OPTIONS
from modia3d.forces.kernels.evaluate import powers_of_forces
from modiapy.acausal.native import component_function, float64_array, njit

from ..memory.accessors import exchanged, segment, time_of_functions
from .sensors import signal_velocity


@njit(**OPTIONS)
def drive_power(ints, v, tau):  # type: ignore[no-untyped-def]
    """Return the power at the flanges of those joints that exist; tau: what each flange exerts."""
    power = 0.0
    for i in range(ints.shape[0]):
        if ints[i, ROLE] == PRESCRIBED:
            power += tau[ints[i, V_INDEX]] * v[ints[i, V_INDEX]]
    return power


@component_function
def powers(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Compute (ready, f.., tau..) -> power of joints' flanges, of forces from outside and the equations, dissipated power."""
    s = segment(context)
    e = exchanged(s.signals)
    n_f = e.n_f
    given, values = float64_array(inputs, 1 + n_f + s.n_e)[1:], float64_array(outputs, 3)
    values[0] = drive_power(s.ints, s.v, given[n_f:])
    values[1] = values[2] = 0.0
    for k in range(n_f):
        velocity = signal_velocity(e.forces, k, e.R, e.p, e.v_W, e.w_W)
        if velocity != 0.0:  # signals that were deleted are not finite
            values[1] += given[k] * velocity
    if s.n_forces > 0:  # motion as `set_states` left it
        time = time_of_functions(context)
        outside, values[2] = powers_of_forces(s.forces, time, s.R_loaded, s.p_loaded, s.v_loaded, s.w_loaded)
        values[1] += outside
    return 0
