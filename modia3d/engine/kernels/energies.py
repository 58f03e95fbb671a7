"""Energies as variables of the equations; imported where a model has an `EnergySensor`."""

from __future__ import annotations

from modia3d.dynamics.energy import kinetic_energy, potential_energy
from modia3d.forces.kernels.evaluate import energy_of_forces
from modiapy.acausal.native import component_function, float64_array, int64_array
from modiapy.acausal.protocol import CONTEXT_SLOTS

from ..memory.signal_arrays import body_motion, header
from ..memory.slots import N_BODIES, N_FORCES, N_POINTS
from .forces import body_arrays, time_and_forces
from .states import forest_arrays


@component_function
def energies(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(ready) -> kinetic and potential energy."""
    c = int64_array(context, CONTEXT_SLOTS)
    _, floats, gravity = forest_arrays(c)
    R, p, v_W, w_W = body_motion(c, header(c))
    values = float64_array(outputs, 2)
    values[0] = kinetic_energy(floats, R, v_W, w_W)
    values[1] = potential_energy(floats, gravity, R, p)
    if c[N_FORCES] > 0:
        R_loaded, p_loaded, v_loaded, w_loaded, _, _ = body_arrays(c, c[N_BODIES] + c[N_POINTS])  # left by `set_states`
        time, table = time_and_forces(c)
        values[1] += energy_of_forces(table, time, R_loaded, p_loaded, v_loaded, w_loaded)
    return 0
