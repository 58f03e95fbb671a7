"""Energies as variables of the equations; imported where a model has an `EnergySensor`."""

from __future__ import annotations

from modia3d.dynamics.energy import kinetic_energy, potential_energy
from modia3d.forces.kernels.evaluate import energy_of_forces
from modiapy.acausal.native import component_function, float64_array

from ..memory.accessors import exchanged, segment, time_of_functions


@component_function
def energies(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Compute (ready) -> kinetic and potential energy."""
    s = segment(context)
    bodies = exchanged(s.signals)
    values = float64_array(outputs, 2)
    values[0] = kinetic_energy(s.floats, bodies.R, bodies.v_W, bodies.w_W)
    values[1] = potential_energy(s.floats, s.gravity, bodies.R, bodies.p)
    if s.n_forces > 0:  # motion as `set_states` left it
        values[1] += energy_of_forces(s.forces, time_of_functions(context), s.R_loaded, s.p_loaded, s.v_loaded, s.w_loaded)
    return 0
