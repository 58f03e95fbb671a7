"""The engine's component functions in machine code: ``int32 f(int64* context, double* inputs, double* outputs)``.

`set_states` prepares mass matrix and bias forces of the prescribed joints once per evaluation, or leaves those of the last one
where nothing has moved since. `generalized_forces` is then a matrix-vector product. With `LONG` joints or more, where none is
passive and no forces act inside (`kernels.forces`), it is one pass of inverse dynamics instead, except for the columns of the
mass matrix: forces cancel in it body by body, in the product only at the end, and the rounding errors of a chain of 40 links
would be 1e4 times as large, which costs integrators 8 times the steps. Where the integrator supplies the accelerations
(RESIDUALS mode), nothing is prepared. All data come from the context (`memory.context`), so that a new structure needs no new
machine code.
"""

from __future__ import annotations

from modia3d.dynamics.basics.layout import ROLE
from modia3d.dynamics.hybrid import hybrid_prepare
from modia3d.dynamics.inverse_dynamics import inverse_dynamics
from modiapy.acausal.native import component_function, float64_array, part
from modiapy.acausal.protocol import Mode

from ..memory.accessors import segment
from . import motion as motion_kernels  # noqa: F401  (events need them: to be compiled with the rest, not while a simulation runs)

_RESIDUALS = int(Mode.RESIDUALS)

LONG = 8
"""So many joints make rounding errors of the product matter; with fewer, another pass takes more time than it saves."""

MANY = 8
"""With more speeds than this for each prescribed joint, states that move no body are few, and it is not asked for them."""


@part
def gather(context, inputs):  # type: ignore[no-untyped-def]
    """Compute all coordinates and speeds, from the equations and from the engine's own states."""
    s = segment(context)
    n_q, n_v, n_e = s.n_q, s.n_v, s.n_e
    for i in range(n_e):
        s.q[i] = inputs[i]
        s.v[i] = inputs[n_e + i]
    for i in range(n_q - n_e):
        s.q[n_e + i] = s.x[i]
    for i in range(n_v - n_e):
        s.v[n_e + i] = s.x[n_q - n_e + i]


@part
def prepare_prescribed(context):  # type: ignore[no-untyped-def]
    """Return ``M a + h`` of the prescribed joints, with what forces do to the bodies."""
    s = segment(context)
    wrenches = s.wrenches[: s.n]
    return hybrid_prepare(s.ints, s.floats, s.gravity, s.q, s.v, s.tau, wrenches, s.mass, s.bias, s.coupling, s.work)


@part
def is_prepared(context):  # type: ignore[no-untyped-def]
    """Return whether `prepare_prescribed` would find what it has found last; what it depends on is noted.

    A column of a Jacobian by differences is often that of a state that moves no body.
    """
    s = segment(context)
    known, first_v, first_tau = s.prepared, 1 + s.n_q, 1 + s.n_q + s.n_v
    first_role, changed = first_tau + s.n_v, 0
    for i in range(s.n_q):
        changed += known[1 + i] != s.q[i]
        known[1 + i] = s.q[i]
    for i in range(s.n_v):
        changed += known[first_v + i] != s.v[i]
        changed += known[first_tau + i] != s.tau[i]
        known[first_v + i], known[first_tau + i] = s.v[i], s.tau[i]
    for i in range(s.n):
        changed += known[first_role + i] != s.ints[i, ROLE]
        known[first_role + i] = s.ints[i, ROLE]
    return known[0] != 0.0 and changed == 0


@part
def prepares(context):  # type: ignore[no-untyped-def]
    """Return whether `set_states` prepares anything."""
    s = segment(context)
    return s.n_v > s.n_e or not s.mode & _RESIDUALS or s.n_forces > 0 or s.loops != 0


@component_function
def set_states(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (phi.., w..) -> token: gathers all coordinates and speeds, prepares ``M a + h`` of the prescribed joints."""
    gather(context, inputs)
    outputs[0] = 0.0
    s = segment(context)
    if not prepares(context):
        return 0
    if s.n_v > MANY * s.n_e or s.loops != 0 or s.signals != 0:
        return prepare_prescribed(context)
    if is_prepared(context):
        return 0
    status = prepare_prescribed(context)
    s.prepared[0] = 1.0 if status == 0 else 0.0
    return status


@component_function
def generalized_forces(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (token, a..) -> f..: what the prescribed joints must exert for the accelerations a, besides what ``tau``
    exerts.
    """
    s = segment(context)
    n_e, bias, mass, tau = s.n_e, s.bias, s.mass, s.tau
    a, force = float64_array(inputs, 1 + n_e)[1:], float64_array(outputs, n_e)
    moving = 0  # none or one, while the iteration asks for the bias forces and the columns of M
    for i in range(n_e):
        moving += a[i] != 0.0
    if s.n_v == n_e and s.n_forces == 0 and ((moving > 1 and n_e >= LONG) or s.mode & _RESIDUALS):
        for i in range(n_e):  # inverse dynamics knows no joint that is parked
            force[i] = 0.0
        inverse_dynamics(s.ints, s.floats, s.gravity, s.q, s.v, a, force, s.work)
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
