"""Forces from the equations in machine code; imported where a model has some, or sensors.

`prepare_signals` comes after `set_states`: poses and velocities of all bodies, and what joints feel of a unit of each signal.
`signal_forces` is then the product ``B f``.
"""

from __future__ import annotations

from modia3d.dynamics.articulated import start
from modia3d.dynamics.basics.spatial import (
    OPTIONS,
    add,
    apply_transposed,
    cross,
    dot,
    kernel,
    load3,
    load9,
    negate,
    scale,
    subtract,
)
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modia3d.dynamics.wrench_columns import passive_joints_give_way, wrench_to_root
from modia3d.forces.kernels.frames import frame_pose
from modia3d.forces.signal import FORCE, LINE
from modiapy.acausal.native import component_function, float64_array, njit

from ..memory import signal_layout as layout
from ..memory.accessors import exchanged, segment
from .states import prepares

_KIND, _BODY_1, _BODY_2, _BODY_3, _INDEX = layout.KIND, layout.BODY_1, layout.BODY_2, layout.BODY_3, layout.INDEX
_R_2, _R_3 = layout.R_2, layout.R_3


@kernel
def unit_wrench(table, k, R, p):  # type: ignore[no-untyped-def]
    """Return the effect of a unit of signal ``k``: torque and force on body 2 in world, and the point where the force acts."""
    none = (0.0, 0.0, 0.0)
    _, p_2 = frame_pose(table, k, _BODY_2, _R_2, R, p)
    kind = int(table[k, _KIND])
    if kind == LINE:
        _, p_3 = frame_pose(table, k, _BODY_3, _R_3, R, p)
        r = subtract(p_2, p_3)
        length = dot(r, r) ** 0.5
        return none, scale(1.0 / length, r) if length > 0.0 else none, p_2
    R_W3, _ = frame_pose(table, k, _BODY_3, _R_3, R, p)
    axis = int(table[k, _INDEX])
    e = (R_W3[axis], R_W3[3 + axis], R_W3[6 + axis])
    if kind == FORCE:
        return none, e, p_2
    return e, none, p_2


@kernel
def wrench_on(body, torque, force, point, R, p):  # type: ignore[no-untyped-def]
    """Return the torque about a body's origin and force, in B, of a torque and a force in world that acts at ``point``."""
    R_WB = load9(R, body, 0)
    moment = add(torque, cross(subtract(point, load3(p, body, 0)), force))
    return apply_transposed(R_WB, moment), apply_transposed(R_WB, force)


@njit(**OPTIONS)
def _signal_columns(ints, table, R, p, B, coupling, work):  # type: ignore[no-untyped-def]
    """Compute ``B`` and the rows of the signals in ``coupling``."""
    n_e, n_f = B.shape
    B[:, :] = 0.0
    coupling[n_e:, :] = 0.0
    for k in range(n_f):
        one, two = int(table[k, _BODY_1]), int(table[k, _BODY_2])
        if one < -1 or two < -1:
            continue
        torque, force, point = unit_wrench(table, k, R, p)
        if two >= 0:
            n, f = wrench_on(two, torque, force, point, R, p)
            wrench_to_root(ints, two, n, f, k, B, coupling, work)
        if one >= 0:
            n, f = wrench_on(one, negate(torque), negate(force), point, R, p)
            wrench_to_root(ints, one, n, f, k, B, coupling, work)
    passive_joints_give_way(ints, B, coupling, work)


@component_function
def prepare_signals(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (token) -> ready: poses and velocities of all bodies, what the joints feel of the signals."""
    s = segment(context)
    e = exchanged(s.signals)
    outputs[0] = 0.0
    if not prepares(context):
        start(s.ints, s.floats, s.q, s.v, s.work)
    body_poses(s.ints, s.floats, s.q, e.R, e.p)
    body_velocities(s.ints, s.floats, s.q, s.v, e.R, e.p, e.v_W, e.w_W, s.work)
    _signal_columns(s.ints, e.forces, e.R, e.p, e.B, s.coupling, s.work)
    return 0


@component_function
def signal_forces(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Compute (ready, f..) -> g..: what the signals exert at the joints of the equations, ``B f``."""
    e = exchanged(segment(context).signals)
    f, g, B = float64_array(inputs, 1 + e.n_f)[1:], float64_array(outputs, e.n_e), e.B
    for i in range(e.n_e):
        total = 0.0
        for k in range(e.n_f):
            if B[i, k] != 0.0:  # signals that were deleted are not finite
                total += B[i, k] * f[k]
        g[i] = total
    return 0
