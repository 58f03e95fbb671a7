"""Forces from the equations in machine code; imported where a model has some, or sensors.

`prepare_signals` comes after `set_states`: poses and velocities of all bodies, and what joints feel of a unit of each signal.
`signal_forces` is then the product ``B f``, and `finish_with_signals` does what `kernels.finish` does with signals besides.
"""

from __future__ import annotations

from numba import njit

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
from modia3d.dynamics.hybrid import hybrid_finish
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modia3d.dynamics.wrench_columns import passive_joints_give_way, wrench_to_root
from modia3d.forces.kernels.frames import frame_pose
from modia3d.forces.signal import FORCE, LINE
from modiapy.acausal.native import array_part, component_function, float64_array, int64_array
from modiapy.acausal.protocol import CONTEXT_SLOTS, Mode, Slot

from ..memory import signal_layout as layout
from ..memory.signal_arrays import body_motion, header, signal_arrays
from ..memory.slots import N_E, N_V
from ..memory.slots import N_FORCES as N_INNER_FORCES
from .states import deliver, forest_arrays, memory_arrays

_MODE, _RESIDUALS = int(Slot.MODE), int(Mode.RESIDUALS)
_HEADER_SIZE, _N_FORCES, _FORCES, _B = layout.HEADER_SIZE, layout.N_FORCES, layout.FORCES, layout.B
_COUPLING, _GIVEN, _POSES, _VELOCITIES = layout.COUPLING, layout.GIVEN, layout.POSES, layout.VELOCITIES
_KIND, _BODY_1, _BODY_2, _BODY_3, _INDEX = layout.KIND, layout.BODY_1, layout.BODY_2, layout.BODY_3, layout.INDEX
_R_1, _R_2, _R_3, _ROW_COLUMNS = layout.R_1, layout.R_2, layout.R_3, layout.ROW_COLUMNS


@kernel
def unit_wrench(table, k, R, p):  # type: ignore[no-untyped-def]
    """Of a unit of signal ``k``: torque and force on body 2 in world, and the point where the force acts."""
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
    """Torque about a body's origin and force, in B, of a torque and a force in world that acts at ``point``."""
    R_WB = load9(R, body, 0)
    moment = add(torque, cross(subtract(point, load3(p, body, 0)), force))
    return apply_transposed(R_WB, moment), apply_transposed(R_WB, force)


@njit(**OPTIONS)
def _signal_columns(ints, table, R, p, B, coupling, work):  # type: ignore[no-untyped-def]
    """``B`` and the rows of the signals in ``coupling``."""
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
    """(token) -> ready: poses and velocities of all bodies, what the joints feel of the signals."""
    c = int64_array(context, CONTEXT_SLOTS)
    h = header(c)
    ints, floats, _ = forest_arrays(c)
    q, v, _, _, _, _, coupling_e, work = memory_arrays(c)
    R, p, v_W, w_W = body_motion(c, h)
    outputs[0] = 0.0
    if c[N_V] == c[N_E] and c[_MODE] & _RESIDUALS and c[N_INNER_FORCES] == 0:  # set_states has prepared nothing
        start(ints, floats, q, v, work)
    body_poses(ints, floats, q, R, p)
    body_velocities(ints, floats, q, v, R, p, v_W, w_W, work)
    table, B, coupling, _ = signal_arrays(c, h)
    for i in range(coupling_e.shape[0]):
        for j in range(coupling_e.shape[1]):
            coupling[i, j] = coupling_e[i, j]
    _signal_columns(ints, table, R, p, B, coupling, work)
    return 0


@component_function
def signal_forces(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(ready, f..) -> g..: what the signals exert at the joints of the equations, ``B f``."""
    c = int64_array(context, CONTEXT_SLOTS)
    h = header(c)
    n_e, n_f = c[N_E], h[_N_FORCES]
    _, B, _, _ = signal_arrays(c, h)
    f, g = float64_array(inputs, 1 + n_f)[1:], float64_array(outputs, n_e)
    for i in range(n_e):
        total = 0.0
        for k in range(n_f):
            if B[i, k] != 0.0:  # signals that were deleted are not finite
                total += B[i, k] * f[k]
        g[i] = total
    return 0


@njit(**OPTIONS)
def accelerate(ints, floats, gravity, q, v, given, coupling, work, a, prepared):  # type: ignore[no-untyped-def]
    """All accelerations for ``given = (a_e, -f)``; those of the bodies stay in ``work``."""
    if not prepared:
        start(ints, floats, q, v, work)
    hybrid_finish(ints, gravity, given, coupling, work, a)


@array_part
def take_given(c, h, inputs, first):  # type: ignore[no-untyped-def]
    """``(a_e, -f)`` from the inputs, which begin with ``first`` others."""
    n_e, n_f = c[N_E], h[_N_FORCES]
    table, _, _, given = signal_arrays(c, h)
    values = float64_array(inputs, first + n_e + n_f)
    for i in range(n_e):
        given[i] = values[first + i]
    for k in range(n_f):
        deleted = table[k, _BODY_1] < -1.0 or table[k, _BODY_2] < -1.0
        given[n_e + k] = 0.0 if deleted else -values[first + n_e + k]
    return given


@array_part
def accelerations_for(c, h, given):  # type: ignore[no-untyped-def]
    """All accelerations for ``given``; also where `set_states` has prepared nothing."""
    ints, floats, gravity = forest_arrays(c)
    q, v, _, a, _, _, _, work = memory_arrays(c)
    _, _, coupling, _ = signal_arrays(c, h)
    prepared = c[N_V] > c[N_E] or not c[_MODE] & _RESIDUALS or c[N_INNER_FORCES] > 0
    accelerate(ints, floats, gravity, q, v, given, coupling, work, a, prepared)
    return a


@component_function
def finish_with_signals(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(ready, a.., f..) -> done: see `kernels.finish`."""
    c = int64_array(context, CONTEXT_SLOTS)
    h = header(c)
    n_e = c[N_E]
    outputs[0] = 0.0
    ints, _, _ = forest_arrays(c)
    q, v, _, a, _, _, _, _ = memory_arrays(c)
    given = take_given(c, h, inputs, 1)
    if c[N_V] == n_e:
        for i in range(n_e):
            a[i] = given[i]
        return 0
    accelerations_for(c, h, given)
    deliver(c, ints, q, v, a)
    return 0
