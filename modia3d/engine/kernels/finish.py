"""Accelerations of all joints from what the equations give, and what the integrator needs of them.

What closes loops in the memory of a segment is met by multipliers; where nothing does, there are none.
"""

from __future__ import annotations

from modia3d.constraints.kernels.loop_accelerations import meet_rows
from modia3d.constraints.kernels.loop_arrays import loop_arrays
from modia3d.dynamics.articulated import start
from modia3d.dynamics.hybrid import hybrid_finish, passive_rates, sequence_indicators
from modia3d.forces.kernels.calls import call_watch
from modiapy.acausal.native import (
    WITHOUT_OBJECTS,
    cfunc,
    component_function,
    external_function,
    float64_array,
    part,
    types,
)
from modiapy.acausal.protocol import Mode

from ..memory import signal_layout as layout
from ..memory.accessors import exchanged, segment
from .states import prepares

_INDICATORS = int(Mode.INDICATORS)
_OF_CONTEXT = types.int32(types.CPointer(types.int64))


@part
def take_given(context, inputs, first):  # type: ignore[no-untyped-def]
    """Compute ``given``: (a_e, -f) from the inputs, which begin with ``first`` others."""
    s = segment(context)
    n_e, given = s.n_e, s.given
    values = float64_array(inputs, first + n_e + s.n_f)
    for i in range(n_e):
        given[i] = values[first + i]
    if s.n_f > 0:
        table = exchanged(s.signals).forces
        for k in range(s.n_f):
            deleted = table[k, layout.BODY_1] < -1.0 or table[k, layout.BODY_2] < -1.0
            given[n_e + k] = 0.0 if deleted else -values[first + n_e + k]


@cfunc(_OF_CONTEXT, cache=True, **WITHOUT_OBJECTS)
def accelerate_all(context):  # type: ignore[no-untyped-def]
    """Compute all accelerations for what is ``given``; also where `set_states` has prepared nothing.

    Those of the bodies stay in ``work``.
    """
    s = segment(context)
    if s.loops != 0:
        meet_rows(s.ints, s.gravity, s.given, s.coupling, s.work, s.a, s.loops)
        return 0
    if not prepares(context):
        start(s.ints, s.floats, s.q, s.v, s.work)
    hybrid_finish(s.ints, s.gravity, s.given, s.coupling, s.work, s.a)
    return 0


# Kernels call it by its symbol: linked into each of them, its code would be compiled once more for each.
accelerate = external_function("modia3d_accelerate", _OF_CONTEXT, accelerate_all)


@component_function
def finish(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (closed, a.., f..) -> done: derivatives of the passive joints' states, and the event indicators."""
    s = segment(context)
    outputs[0] = 0.0
    take_given(context, inputs, 1)
    if s.n_v == s.n_e:
        for i in range(s.n_e):
            s.a[i] = s.given[i]
        return 0
    accelerate(context)
    indicators = s.mode & _INDICATORS
    if s.loops != 0 and indicators:
        watch = loop_arrays(s.loops).watch
        if watch != 0:
            call_watch(watch, context)
    passive_rates(s.ints, s.q, s.v, s.a, s.der)
    if s.n_z > 0 and indicators:
        sequence_indicators(s.ints, s.q, s.z)
    return 0
