"""Machine code of joints that can be held: switches of their equations, and the event indicators of their limits."""

from __future__ import annotations

import math

from modia3d.dynamics.articulated import held_force
from modia3d.dynamics.basics.layout import V_INDEX, W_BELOW
from modiapy.acausal.native import component_function, float64_array, int64_array, part
from modiapy.acausal.protocol import CONTEXT_SLOTS, Mode, Slot

from ..memory.signal_arrays import signal_arrays
from ..memory.signal_layout import HEADER_SIZE
from ..memory.slots import (
    GUARD_BODY,
    GUARD_COLUMNS,
    GUARD_HELD,
    GUARD_LOWER,
    GUARD_Q,
    GUARD_SIDE,
    GUARD_UPPER,
    GUARDS,
    N_E,
    N_GUARDS,
    N_SWITCHES,
    REST,
    SIGNALS,
)
from .states import forest_arrays, memory_arrays

_Z, _N_Z, _MODE, _INDICATORS = int(Slot.Z), int(Slot.N_Z), int(Slot.MODE), int(Mode.INDICATORS)


@component_function
def switches(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """() -> held..: 1 for each joint of the equations that is held, 0 where it moves."""
    c = int64_array(context, CONTEXT_SLOTS)
    guards = float64_array(c[GUARDS], (c[N_GUARDS], GUARD_COLUMNS))
    for i in range(c[N_SWITCHES]):
        outputs[i] = guards[i, GUARD_HELD]
    return 0


@part
def force_of_hidden(c, body):  # type: ignore[no-untyped-def]
    """Generalized force that holds the joint of a body which the equations do not see."""
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
    """(done, forces of held joints of the equations..) -> done, forces of the other held joints..; event indicators.

    Two indicators for each joint: while it moves, the distances to both limits; while a limit holds it, what presses on it.
    """
    c = int64_array(context, CONTEXT_SLOTS)
    n, n_s = c[N_GUARDS], c[N_SWITCHES]
    guards = float64_array(c[GUARDS], (n, GUARD_COLUMNS))
    q, _, _, _, _, _, _, _ = memory_arrays(c)
    write = c[_MODE] & _INDICATORS
    z = float64_array(c[_Z], c[_N_Z])
    at = c[_N_Z] - 2 * n
    outputs[0] = 0.0
    for i in range(n):
        held, body, k = guards[i, GUARD_HELD] != 0.0, int(guards[i, GUARD_BODY]), int(guards[i, GUARD_Q])
        force = inputs[1 + i] if i < n_s else 0.0
        if i >= n_s:
            if held and body >= 0:
                force = force_of_hidden(c, body)
            outputs[1 + i - n_s] = force
        if write:
            z[at + 2 * i] = z[at + 2 * i + 1] = 1.0
            if held:
                if guards[i, GUARD_SIDE] != 0.0:
                    z[at + 2 * i] = REST - guards[i, GUARD_SIDE] * force
            elif k >= 0:
                if guards[i, GUARD_LOWER] > -math.inf:
                    z[at + 2 * i] = q[k] - guards[i, GUARD_LOWER]
                if guards[i, GUARD_UPPER] < math.inf:
                    z[at + 2 * i + 1] = guards[i, GUARD_UPPER] - q[k]
    return 0
