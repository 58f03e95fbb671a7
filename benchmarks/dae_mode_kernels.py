"""The engine's functions for plain linear equation iteration: no mass matrix, one inverse dynamics for every column."""

from __future__ import annotations

from numba import carray, cfunc

from modia3d.dynamics.inverse_dynamics import inverse_dynamics
from modia3d.engine.kernels import _forest, _memory
from modia3d.engine.slots import N_E
from modiapy.acausal.native import COMPONENT_SIGNATURE
from modiapy.acausal.protocol import CONTEXT_SLOTS


@cfunc(COMPONENT_SIGNATURE, cache=True)
def set_states(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(phi.., w..) -> token: stores coordinates and speeds."""
    c = carray(context, CONTEXT_SLOTS)
    q, v = _memory(c)[:2]
    for i in range(c[N_E]):
        q[i] = inputs[i]
        v[i] = inputs[c[N_E] + i]
    outputs[0] = 0.0
    return 0


@cfunc(COMPONENT_SIGNATURE, cache=True)
def generalized_forces(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(token, a..) -> f.."""
    c = carray(context, CONTEXT_SLOTS)
    ints, floats, gravity = _forest(c)
    q, v, _, _, _, _, _, work = _memory(c)
    a, force = carray(inputs, 1 + c[N_E])[1:], carray(outputs, c[N_E])
    return inverse_dynamics(ints, floats, gravity, q, v, a, force, work)
