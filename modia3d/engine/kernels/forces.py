"""`set_states` for systems with forces inside; compiled where there are some.

Poses and velocities of all bodies come first, from them the forces, and then what `kernels.set_states` does.
"""

from __future__ import annotations

import numpy as np

from modia3d.dynamics.hybrid import hybrid_prepare
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modia3d.forces.basics.layout import FORCE_COLUMNS
from modia3d.forces.kernels.evaluate import wrenches_of_forces
from modiapy.acausal.native import component_function, float64_array, int64_array, part
from modiapy.acausal.protocol import CONTEXT_SLOTS, Slot

from ..memory.accessors import loaded, working
from ..memory.slots import FORCES, MEMORY, N_BODIES, N_E, N_FORCES, N_Q, N_V
from .states import forest_arrays, gather, memory_arrays

_TIME = int(Slot.TIME)


@part
def body_arrays(c, rows):  # type: ignore[no-untyped-def]
    """Poses, velocities and wrenches of bodies and massless points, behind the memory of the dynamics; and what follows."""
    _, _, _, _, _, _, _, _, at = working(c[MEMORY], c[N_BODIES], c[N_Q], c[N_V], c[N_E])
    return loaded(at, rows)


@part
def time_and_forces(c):  # type: ignore[no-untyped-def]
    """Time [s], and the table of forces."""
    return c[_TIME : _TIME + 1].view(np.float64)[0], float64_array(c[FORCES], (c[N_FORCES], FORCE_COLUMNS))


@component_function
def set_states_with_forces(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(phi.., w..) -> token: gathers all coordinates and speeds, prepares ``M a + h`` of the prescribed joints."""
    c = int64_array(context, CONTEXT_SLOTS)
    ints, floats, gravity = forest_arrays(c)
    q, v, tau, _, mass, bias, coupling, work = memory_arrays(c)
    gather(c, inputs, q, v)
    outputs[0] = 0.0
    if c[N_FORCES] == 0:  # all of them act at what was deleted
        return hybrid_prepare(ints, floats, gravity, q, v, tau, float64_array(c[MEMORY], (0, 6)), mass, bias, coupling, work)
    R, p, v_W, w_W, wrenches, _ = body_arrays(c, c[N_BODIES])
    body_poses(ints, floats, q, R, p)
    body_velocities(ints, floats, q, v, R, p, v_W, w_W, work)
    time, table = time_and_forces(c)
    status = wrenches_of_forces(table, time, R, p, v_W, w_W, wrenches)
    if status != 0:
        return status
    return hybrid_prepare(ints, floats, gravity, q, v, tau, wrenches, mass, bias, coupling, work)
