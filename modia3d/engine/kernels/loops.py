"""Closed loops and locked joints in machine code; imported by models that may have some.

`close_loops` comes after `set_states` (and `prepare_signals`): passive joints meet what rows they can, which changes
``M a + h`` of the prescribed ones; what is left to these is the relation of `constraint_relation`.
"""

from __future__ import annotations

from modia3d.constraints.kernels.loop_accelerations import eliminate_rows
from modia3d.constraints.kernels.loop_arrays import loop_arrays
from modia3d.constraints.kernels.loop_projection import (
    STATUS_OPEN,
    close_positions,
    close_speeds,
    measure_loops,
    prepare_loops,
    remove_from_speeds,
)
from modia3d.constraints.kernels.loop_relation import factorise_mass, find_basis, relation, take_locked_joints
from modia3d.constraints.kernels.passages import follow_rank, keep_present_speeds
from modia3d.dynamics.basics.layout import LOCKED, PASSIVE, ROLE, V_INDEX
from modiapy.acausal.native import PROJECTION_SIGNATURE, WITHOUT_OBJECTS, cfunc, component_function, float64_array, part

from ..memory.accessors import exchanged, segment


@part
def n_states_seen(loops):  # type: ignore[no-untyped-def]
    """Return how far into the states of the equations the coordinates of prescribed joints reach."""
    L = loop_arrays(loops)
    last = 0
    for i in range(L.n_e):
        last = max(last, L.q_state[i] + 1, L.v_state[i] + 1)
    return last


@component_function
def close_loops(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (token) -> closed: see above."""
    s = segment(context)
    outputs[0] = 0.0
    if s.loops == 0:
        return 0
    loops = s.loops
    L = loop_arrays(loops)
    if L.n_cuts > 0:
        eliminate_rows(s.ints, s.floats, s.gravity, s.q, s.v, s.mass, s.bias, s.coupling, s.work, L.change, loops)
        if s.n_f > 0:
            B = exchanged(s.signals).B
            for i in range(s.n_e):
                for r in range(L.m):
                    factor = L.reduced[i, r] * L.inverse[r]
                    for k in range(s.n_f):
                        B[i, k] += factor * L.reduced[s.n_e + k, r]
    if s.n_e > 0:
        factorise_mass(s.mass, loops)
        take_locked_joints(loops)
        L.rank[0] = find_basis(loops)
    return 0


@component_function
def constraint_relation(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (closed, a.., T..) -> r..: what vanishes where accelerations and constraint forces are those of the
    constraints.
    """
    s = segment(context)
    n_e = s.n_e
    if s.loops == 0:
        for i in range(n_e):
            outputs[i] = inputs[1 + n_e + i]
        return 0
    values, rank = float64_array(inputs, 1 + 2 * n_e), loop_arrays(s.loops).rank[0]
    relation(rank, values[1 : 1 + n_e], values[1 + n_e :], float64_array(outputs, n_e), s.loops)
    return 0


@part
def take_states(context, x_inv, x_var):  # type: ignore[no-untyped-def]
    """Compute all coordinates and speeds from the states; those that are none from the last evaluation."""
    s = segment(context)
    L = loop_arrays(s.loops)
    n_e = s.n_e
    for i in range(n_e):
        L.q[i] = L.q_factor[i] * x_inv[L.q_state[i]] if L.q_state[i] >= 0 else s.q[i]
        L.v[i] = L.v_factor[i] * x_inv[L.v_state[i]] if L.v_state[i] >= 0 else s.v[i]
    for i in range(s.n_q - n_e):
        L.q[n_e + i] = x_var[i]
    for i in range(s.n_v - n_e):
        L.v[n_e + i] = x_var[s.n_q - n_e + i]


@part
def let_locked_give_way(context, role):  # type: ignore[no-untyped-def]
    """Set this role for joints that rows lock and whose coordinates are states; return their number."""
    s = segment(context)
    L = loop_arrays(s.loops)
    count = 0
    for body in range(L.ints.shape[0]):
        k = L.ints[body, V_INDEX]
        if k < s.n_e and L.locked[k] != 0 and L.q_state[k] >= 0:
            L.ints[body, ROLE] = role
            count += 1
    return count


@part
def close_all(context, x_inv, x_var):  # type: ignore[no-untyped-def]
    """Return `close_positions`; where that is possible in no other way, joints that are locked give way, too.

    Two of them in one loop leave nothing else that could: neither for the integrator's error of their coordinates, nor for the
    difference quotients of a Jacobian.
    """
    s = segment(context)
    take_states(context, x_inv, x_var)
    status = close_positions(s.floats, s.loops)
    if status != STATUS_OPEN or let_locked_give_way(context, PASSIVE) == 0:
        return status
    take_states(context, x_inv, x_var)
    status = close_positions(s.floats, s.loops)
    let_locked_give_way(context, LOCKED)
    if status == 0 and prepare_loops(s.floats, s.loops) < 0:
        return STATUS_OPEN
    return status


@part
def give_states(context, x_inv, x_var):  # type: ignore[no-untyped-def]
    """Compute all coordinates and speeds to the states."""
    s = segment(context)
    L = loop_arrays(s.loops)
    n_e = s.n_e
    for i in range(n_e):
        if L.q_state[i] >= 0:
            x_inv[L.q_state[i]] = L.q[i] / L.q_factor[i]
        if L.v_state[i] >= 0:
            x_inv[L.v_state[i]] = L.v[i] / L.v_factor[i]
    for i in range(s.n_q - n_e):
        x_var[i] = L.q[n_e + i]
    for i in range(s.n_v - n_e):
        x_var[s.n_q - n_e + i] = L.v[n_e + i]


@part
def project_error(context, e_inv, e_var):  # type: ignore[no-untyped-def]
    """Take away what of the estimated errors of coordinates and speeds leaves the constraints."""
    s = segment(context)
    loops = s.loops
    L = loop_arrays(loops)
    n_e = s.n_e
    for part_of in range(2):
        at = 0 if part_of == 0 else s.n_q - n_e
        for i in range(n_e):
            state, factor = (L.q_state[i], L.q_factor[i]) if part_of == 0 else (L.v_state[i], L.v_factor[i])
            L.v[i] = factor * e_inv[state] if state >= 0 else 0.0
        for i in range(s.n_v - n_e):
            L.v[n_e + i] = e_var[at + i]
        remove_from_speeds(s.floats, loops)
        for i in range(n_e):
            state, factor = (L.q_state[i], L.q_factor[i]) if part_of == 0 else (L.v_state[i], L.v_factor[i])
            if state >= 0:
                e_inv[state] = L.v[i] / factor
        for i in range(s.n_v - n_e):
            e_var[at + i] = L.v[n_e + i]


@cfunc(PROJECTION_SIGNATURE, cache=True, **WITHOUT_OBJECTS)
def project_states(context, x_inv, x_var, e_inv, e_var):  # type: ignore[no-untyped-def]
    """See `StateProjection`. Errors of orientations are not those of their speeds; where there are some, none is projected.

    Without states: measures the loops at the coordinates in their memory; the rank, -1 if something has no inertia.
    """
    s = segment(context)
    if x_var == 0:
        return measure_loops(s.floats, s.loops)
    n_x = s.n_q + s.n_v - 2 * s.n_e
    n_inv = n_states_seen(s.loops)
    inv, var = float64_array(x_inv, n_inv), float64_array(x_var, n_x)
    status = close_all(context, inv, var)
    if status != 0:
        return status
    status = close_speeds(s.floats, s.loops)
    if status != 0:
        return status
    give_states(context, inv, var)
    followed = loop_arrays(s.loops).passages != 0
    if followed:
        keep_present_speeds(s.loops)
    if e_var != 0 and s.n_q == s.n_v:
        project_error(context, float64_array(e_inv, n_inv), float64_array(e_var, n_x))
    if followed:
        follow_rank(s.floats, s.time, s.loops)
    return 0
