"""The engine's functions for plain linear equation iteration: no mass matrix, one inverse dynamics for every column."""

from __future__ import annotations

from modia3d.dynamics.inverse_dynamics import inverse_dynamics
from modia3d.engine.kernels import forest_arrays, memory_arrays
from modia3d.engine.slots import N_E
from modiapy.acausal.native import component_function, float64_array, int64_array
from modiapy.acausal.protocol import CONTEXT_SLOTS


@component_function
def set_states(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(phi.., w..) -> token: stores coordinates and speeds."""
    c = int64_array(context, CONTEXT_SLOTS)
    q, v = memory_arrays(c)[:2]
    for i in range(c[N_E]):
        q[i] = inputs[i]
        v[i] = inputs[c[N_E] + i]
    outputs[0] = 0.0
    return 0


@component_function
def generalized_forces(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(token, a..) -> f.."""
    c = int64_array(context, CONTEXT_SLOTS)
    ints, floats, gravity = forest_arrays(c)
    memory = memory_arrays(c)
    a, force = float64_array(inputs, 1 + c[N_E])[1:], float64_array(outputs, c[N_E])
    return inverse_dynamics(ints, floats, gravity, memory[0], memory[1], a, force, memory[-1])
