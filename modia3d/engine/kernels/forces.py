"""`set_states` for systems with forces inside; compiled where there are some.

Poses and velocities of all bodies come first, from them the forces, and then what `kernels.set_states` does.
"""

from __future__ import annotations

from modia3d.dynamics.kinematics import body_poses, body_velocities
from modia3d.forces.kernels.calls import call_element
from modia3d.forces.kernels.evaluate import wrenches_of_forces
from modiapy.acausal.native import component_function, part
from modiapy.acausal.protocol import Mode

from ..memory.accessors import segment, time_of_functions
from .states import gather, prepare_prescribed

_INDICATORS = int(Mode.INDICATORS)


@part
def move_loaded(context):  # type: ignore[no-untyped-def]
    """Compute the poses and velocities of all bodies, at which forces act."""
    s = segment(context)
    body_poses(s.ints, s.floats, s.q, s.R_loaded, s.p_loaded)
    body_velocities(s.ints, s.floats, s.q, s.v, s.R_loaded, s.p_loaded, s.v_loaded, s.w_loaded, s.work)


@part
def load_bodies(context):  # type: ignore[no-untyped-def]
    """Compute the forces on bodies and massless points, and the event indicators of contacts; return a status."""
    s, time = segment(context), time_of_functions(context)
    status = wrenches_of_forces(s.forces, time, s.R_loaded, s.p_loaded, s.v_loaded, s.w_loaded, s.wrenches)
    if s.contact_code != 0 and s.mode & _INDICATORS:
        R, p, v, w = s.R_loaded, s.p_loaded, s.v_loaded, s.w_loaded
        call_element(s.contact_code, s.forces, s.contact_row, time, R, p, v, w, s.z)
        if s.longest_step[0] >= 0.0:
            s.longest_step[0] = call_element(s.step_code, s.forces, s.contact_row, time, R, p, v, w, s.z)
    return status


@component_function
def set_states_with_forces(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (phi.., w..) -> token: gathers all coordinates and speeds, prepares ``M a + h`` of the prescribed joints."""
    gather(context, inputs)
    outputs[0] = 0.0
    if segment(context).n_forces > 0:  # else all of them act at what was deleted
        move_loaded(context)
        status = load_bodies(context)
        if status != 0:
            return status
    return prepare_prescribed(context)
