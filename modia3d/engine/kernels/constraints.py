"""Machine code of joints that may be locked: switches of their equations, and the event indicators of their limits."""

from __future__ import annotations

from modia3d.constraints.indicators import limit_indicators
from modia3d.constraints.kernels.loop_arrays import loop_arrays
from modia3d.constraints.tables.limit_table import BODY, LOCKED, Q
from modia3d.dynamics.articulated import locking_force
from modia3d.dynamics.basics.layout import V_INDEX, W_BELOW
from modiapy.acausal.native import component_function, part
from modiapy.acausal.protocol import Mode

from ..memory.accessors import segment

_INDICATORS = int(Mode.INDICATORS)


@component_function
def switches(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return () -> locked..: 1 for each prescribed joint that is locked, 0 where it moves."""
    s = segment(context)
    for i in range(s.n_switches):
        outputs[i] = s.lockable[i, LOCKED]
    return 0


@part
def force_of_passive(context, body):  # type: ignore[no-untyped-def]
    """Return the generalized force that holds the passive joint of a body."""
    s = segment(context)
    force = locking_force(s.work, body)
    if s.loops != 0:
        return force - loop_arrays(s.loops).pushed[s.ints[body, V_INDEX]]
    if s.work[body, W_BELOW] > 0.0:
        column = s.ints[body, V_INDEX] - s.n_e
        for k in range(s.n_e + s.n_f):
            force += s.coupling[k, column] * s.given[k]
    return force


@component_function
def limits(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Compute (done, forces of locked prescribed joints..) -> done, forces of locked passive joints..; event indicators."""
    s = segment(context)
    n, n_s, table, z = s.n_lockable, s.n_switches, s.lockable, s.z
    write = s.mode & _INDICATORS
    at = s.n_z - 2 * n
    outputs[0] = 0.0
    for i in range(n):
        body = int(table[i, BODY])
        force = inputs[1 + i] if i < n_s else 0.0
        if i >= n_s:
            if table[i, LOCKED] != 0.0 and body >= 0:
                force = force_of_passive(context, body)
            outputs[1 + i - n_s] = force
        if write:
            z[at + 2 * i], z[at + 2 * i + 1] = limit_indicators(table, i, s.q, int(table[i, Q]), force)
    return 0
