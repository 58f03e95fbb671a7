"""Machine code of joints that may be held: switches of their equations, and the event indicators of their limits."""

from __future__ import annotations

from modia3d.constraints.indicators import limit_indicators
from modia3d.constraints.tables.limit_table import BODY, COLUMNS, LOCKED, Q
from modia3d.dynamics.articulated import held_force
from modia3d.dynamics.basics.layout import V_INDEX, W_BELOW
from modiapy.acausal.native import component_function, float64_array, int64_array, part
from modiapy.acausal.protocol import CONTEXT_SLOTS, Mode, Slot

from ..memory.signal_arrays import signal_arrays
from ..memory.signal_layout import HEADER_SIZE
from ..memory.slots import HOLDABLE, N_E, N_HOLDABLE, N_SWITCHES, SIGNALS
from .states import forest_arrays, memory_arrays

_Z, _N_Z, _MODE, _INDICATORS = int(Slot.Z), int(Slot.N_Z), int(Slot.MODE), int(Mode.INDICATORS)


@component_function
def switches(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """() -> held..: 1 for each prescribed joint that is held, 0 where it moves."""
    c = int64_array(context, CONTEXT_SLOTS)
    table = float64_array(c[HOLDABLE], (c[N_HOLDABLE], COLUMNS))
    for i in range(c[N_SWITCHES]):
        outputs[i] = table[i, LOCKED]
    return 0


@part
def force_of_passive(c, body):  # type: ignore[no-untyped-def]
    """Generalized force that holds the passive joint of a body."""
    ints, _, _ = forest_arrays(c)
    _, _, _, a, _, _, coupling, work = memory_arrays(c)
    n_e = c[N_E]
    force = held_force(work, body)
    if work[body, W_BELOW] > 0.0:
        for k in range(n_e):
            force += coupling[k, ints[body, V_INDEX] - n_e] * a[k]
        if c[SIGNALS] != 0:
            _, _, all_rows, given = signal_arrays(c, int64_array(c[SIGNALS], HEADER_SIZE))
            for k in range(n_e, given.shape[0]):
                force += all_rows[k, ints[body, V_INDEX] - n_e] * given[k]
    return force


@component_function
def limits(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(done, forces of held prescribed joints..) -> done, forces of held passive joints..; event indicators."""
    c = int64_array(context, CONTEXT_SLOTS)
    n, n_s = c[N_HOLDABLE], c[N_SWITCHES]
    table = float64_array(c[HOLDABLE], (n, COLUMNS))
    q, _, _, _, _, _, _, _ = memory_arrays(c)
    write = c[_MODE] & _INDICATORS
    z = float64_array(c[_Z], c[_N_Z])
    at = c[_N_Z] - 2 * n
    outputs[0] = 0.0
    for i in range(n):
        body = int(table[i, BODY])
        force = inputs[1 + i] if i < n_s else 0.0
        if i >= n_s:
            if table[i, LOCKED] != 0.0 and body >= 0:
                force = force_of_passive(c, body)
            outputs[1 + i - n_s] = force
        if write:
            z[at + 2 * i], z[at + 2 * i + 1] = limit_indicators(table, i, q, int(table[i, Q]), force)
    return 0
