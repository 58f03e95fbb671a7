"""The engine's component functions in machine code: ``int32 f(int64* context, double* inputs, double* outputs)``.

`set_states` prepares mass matrix and bias forces of the prescribed joints once per evaluation, `generalized_forces` is then a
matrix-vector product. With `LONG` joints or more, where none is passive and no forces act inside (`kernels.forces`), it is one
pass of inverse dynamics instead, except for the columns of the mass matrix: forces cancel in it body by body, in the product
only at the end, and the rounding errors of a chain of 40 links would be 1e4 times as large, which costs integrators 8 times
the steps. Where the integrator supplies the accelerations (RESIDUALS mode), nothing is prepared. `finish` delivers the
derivatives of the states that the equations never see. All data come from the context (`slots`), so that a new structure needs
no new machine code.
"""

from __future__ import annotations

from modia3d.dynamics.basics.layout import FLOAT_COLUMNS, INT_COLUMNS
from modia3d.dynamics.hybrid import hybrid_finish, hybrid_prepare, passive_rates, sequence_indicators
from modia3d.dynamics.inverse_dynamics import inverse_dynamics
from modiapy.acausal.native import component_function, float64_array, int64_array, part
from modiapy.acausal.protocol import CONTEXT_SLOTS, Mode, Slot

from ..memory.accessors import working
from ..memory.slots import FLOATS, GRAVITY, INTS, MEMORY, N_BODIES, N_E, N_FORCES, N_Q, N_V
from . import motion as motion_kernels  # noqa: F401  (events need them: to be compiled with the rest, not while a simulation runs)

_X, _DER, _Z, _N_Z, _MODE = int(Slot.X), int(Slot.DER), int(Slot.Z), int(Slot.N_Z), int(Slot.MODE)
_INDICATORS, _RESIDUALS = int(Mode.INDICATORS), int(Mode.RESIDUALS)

LONG = 8
"""So many joints make rounding errors of the product matter; with fewer, another pass takes more time than it saves."""


@part
def forest_arrays(c):  # type: ignore[no-untyped-def]
    """The unchanging arrays of the forest: ints (n, columns), floats (n, columns), gravity (3,)."""
    n = c[N_BODIES]
    ints = int64_array(c[INTS], (n, INT_COLUMNS))
    floats = float64_array(c[FLOATS], (n, FLOAT_COLUMNS))
    return ints, floats, float64_array(c[GRAVITY], 3)


@part
def memory_arrays(c):  # type: ignore[no-untyped-def]
    """The arrays of `blocks.WORKING`."""
    q, v, tau, a, mass, bias, coupling, work, _ = working(c[MEMORY], c[N_BODIES], c[N_Q], c[N_V], c[N_E])
    return q, v, tau, a, mass, bias, coupling, work


@part
def gather(c, inputs, q, v):  # type: ignore[no-untyped-def]
    """All coordinates and speeds, from the equations and from the engine's own states."""
    nq, nv, n_e = c[N_Q], c[N_V], c[N_E]
    x = float64_array(c[_X], nq + nv - 2 * n_e)
    for i in range(n_e):
        q[i] = inputs[i]
        v[i] = inputs[n_e + i]
    for i in range(nq - n_e):
        q[n_e + i] = x[i]
    for i in range(nv - n_e):
        v[n_e + i] = x[nq - n_e + i]


@component_function
def set_states(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(phi.., w..) -> token: gathers all coordinates and speeds, prepares ``M a + h`` of the prescribed joints."""
    c = int64_array(context, CONTEXT_SLOTS)
    ints, floats, gravity = forest_arrays(c)
    q, v, tau, _, mass, bias, coupling, work = memory_arrays(c)
    gather(c, inputs, q, v)
    outputs[0] = 0.0
    if c[N_V] == c[N_E] and c[_MODE] & _RESIDUALS:
        return 0
    return hybrid_prepare(ints, floats, gravity, q, v, tau, float64_array(c[MEMORY], (0, 6)), mass, bias, coupling, work)


@component_function
def generalized_forces(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(token, a..) -> f..: what the prescribed joints must exert for the accelerations a, besides what ``tau`` exerts."""
    c = int64_array(context, CONTEXT_SLOTS)
    n_e = c[N_E]
    q, v, tau, _, mass, bias, _, work = memory_arrays(c)
    a, force = float64_array(inputs, 1 + n_e)[1:], float64_array(outputs, n_e)
    moving = 0  # none or one, while the iteration asks for the bias forces and the columns of M
    for i in range(n_e):
        moving += a[i] != 0.0
    if c[N_V] == n_e and c[N_FORCES] == 0 and ((moving > 1 and n_e >= LONG) or c[_MODE] & _RESIDUALS):
        ints, floats, gravity = forest_arrays(c)
        for i in range(n_e):  # inverse dynamics knows no joint that is parked
            force[i] = 0.0
        inverse_dynamics(ints, floats, gravity, q, v, a, force, work)
        for i in range(n_e):
            force[i] -= tau[i]
        return 0
    for i in range(n_e):
        force[i] = bias[i] - tau[i]
    for j in range(n_e):
        if a[j] != 0.0:
            for i in range(n_e):
                force[i] += mass[j, i] * a[j]
    return 0


@part
def deliver(c, ints, q, v, a):  # type: ignore[no-untyped-def]
    """Derivatives of the passive joints' states and the event indicators, from all accelerations."""
    passive_rates(ints, q, v, a, float64_array(c[_DER], c[N_Q] + c[N_V] - 2 * c[N_E]))
    if c[_N_Z] > 0 and c[_MODE] & _INDICATORS:
        sequence_indicators(ints, q, float64_array(c[_Z], c[_N_Z]))


@component_function
def finish(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(token, a..) -> done: derivatives of the passive joints' states, and the event indicators."""
    c = int64_array(context, CONTEXT_SLOTS)
    nv, n_e = c[N_V], c[N_E]
    outputs[0] = 0.0
    q, v, _, a, _, _, coupling, work = memory_arrays(c)
    a_e = float64_array(inputs, 1 + n_e)[1:]
    if nv == n_e:
        for i in range(n_e):
            a[i] = a_e[i]
        return 0
    ints, _, gravity = forest_arrays(c)
    hybrid_finish(ints, gravity, a_e, coupling, work, a)
    deliver(c, ints, q, v, a)
    return 0
