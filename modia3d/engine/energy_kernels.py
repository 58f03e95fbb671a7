"""Energies as variables of the equations; imported where a model has an `EnergySensor`."""

from __future__ import annotations

from numba import carray, cfunc

from modia3d.dynamics.energy import kinetic_energy, potential_energy
from modia3d.forces.kernels.evaluate import energy_of_forces
from modia3d.forces.layout import FORCE_COLUMNS
from modiapy.acausal.native import COMPONENT_SIGNATURE, float64_array
from modiapy.acausal.protocol import CONTEXT_SLOTS

from .kernels import forest_arrays
from .signal_kernels import body_motion, header
from .slots import FORCES, N_FORCES


@cfunc(COMPONENT_SIGNATURE, cache=True)
def energies(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(ready) -> kinetic and potential energy."""
    c = carray(context, CONTEXT_SLOTS)
    _, floats, gravity = forest_arrays(c)
    R, p, v_W, w_W = body_motion(c, header(c))
    values = carray(outputs, 2)
    values[0] = kinetic_energy(floats, R, v_W, w_W)
    values[1] = potential_energy(floats, gravity, R, p)
    if c[N_FORCES] > 0:
        values[1] += energy_of_forces(float64_array(c[FORCES], (c[N_FORCES], FORCE_COLUMNS)), R, p)
    return 0
