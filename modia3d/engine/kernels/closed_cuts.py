"""Forces and torques in cuts where there may be loops: see `cuts`, with the multipliers of what closes them."""

from __future__ import annotations

from modia3d.constraints.kernels.contact_friction import rub
from modia3d.constraints.kernels.loop_arrays import loop_arrays
from modia3d.constraints.kernels.loop_relation import find_all_multipliers
from modia3d.dynamics.basics.spatial import add, apply_transposed, cross, load3, scale, subtract
from modia3d.forces.kernels.frames import frame_pose
from modia3d.scene.sensors import kinds
from modiapy.acausal.native import component_function, float64_array, part

from ..memory import signal_layout as layout
from ..memory.accessors import exchanged, segment
from .cuts import cut_wrench, move_bodies
from .loops import accelerate_closed
from .signals import accelerate, take_given

_KIND, _BODY_2, _BODY_3, _R_2, _R_3 = layout.KIND, layout.BODY_2, layout.BODY_3, layout.R_2, layout.R_3
_CUT_FORCE = kinds.number_of(kinds.CUT_FORCE)


@part
def add_closing(context, row, is_force, values):  # type: ignore[no-untyped-def]
    """Add the forces of loop closures through the cut of a row of the sensors, in frame 3."""
    s = segment(context)
    e, L = exchanged(s.signals), loop_arrays(s.loops)
    closing, multipliers, coefficients, row_start = e.closing, L.multipliers, L.coefficients, L.row_start
    _, point = frame_pose(e.sensors, row, _BODY_2, _R_2, e.R, e.p)
    R_W3, _ = frame_pose(e.sensors, row, _BODY_3, _R_3, e.R, e.p)
    total = (0.0, 0.0, 0.0)
    for i in range(L.n_cuts):
        factor = closing[row, i]
        if factor == 0.0:
            continue
        force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for r in range(row_start[i], row_start[i + 1]):
            force = add(force, scale(multipliers[r], load3(coefficients, r, 0)))
            torque = add(torque, scale(multipliers[r], load3(coefficients, r, 3)))
        if not is_force:
            force = add(torque, cross(subtract(load3(L.points, i, 0), point), force))
        total = add(total, scale(factor, force))
    total = apply_transposed(R_W3, total)
    for k in range(3):
        values[k] += total[k]


@component_function
def cut_closed(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (pieces, row, a.., f.., constraint forces..) -> x, y, z of the force or the torque."""
    take_given(context, inputs, 2)
    s = segment(context)
    e = exchanged(s.signals)
    given = e.given
    if s.loops != 0:
        accelerate_closed(context, given)
    else:
        accelerate(context)
    move_bodies(context)
    first, last = 2 + e.n_e, 2 + e.n_e + e.n_f
    behind = float64_array(inputs, last + e.n_e)
    row, values = int(behind[1]), float64_array(outputs, 3)
    is_force = int(e.sensors[row, _KIND]) == _CUT_FORCE
    n_x, n_y, n_z, f_x, f_y, f_z = cut_wrench(s.signals, row, behind[first:last], s.gravity)
    if is_force:
        values[0], values[1], values[2] = f_x, f_y, f_z
    else:
        values[0], values[1], values[2] = n_x, n_y, n_z
    if s.loops != 0:
        find_all_multipliers(given, behind[last:], s.loops)
        if loop_arrays(s.loops).n_freedoms > 0:
            rub(s.ints, s.loops)
        add_closing(context, row, is_force, values)
    return 0
