"""Forces and torques in cuts, by Newton and Euler of what is beyond them; imported where a model asks for some.

A piece is a part of a body that no cut divides, in coordinates of the body; of the world's pieces the world is the body.
"""

from __future__ import annotations

from math import nan

from modia3d.constraints.kernels.contact_friction import rub
from modia3d.constraints.kernels.loop_arrays import loop_arrays
from modia3d.constraints.kernels.loop_relation import find_all_multipliers
from modia3d.dynamics.basics.layout import W_ACCELERATION
from modia3d.dynamics.basics.spatial import (
    OPTIONS,
    add,
    apply,
    apply_symmetric,
    apply_transposed,
    centripetal,
    cross,
    kernel,
    load3,
    load6,
    load9,
    negate,
    scale,
    store3,
    store9,
    subtract,
)
from modia3d.forces.kernels.evaluate import wrenches_of_forces
from modia3d.forces.kernels.frames import frame_pose
from modia3d.scene.sensors import kinds
from modiapy.acausal.native import component_function, float64_array, njit, part

from ..memory import signal_layout as layout
from ..memory.accessors import exchanged, segment, time_of_functions
from .finish import accelerate, take_given
from .signals import unit_wrench, wrench_on

_KIND, _BODY_1, _BODY_2, _BODY_3, _R_2, _R_3 = (
    layout.KIND, layout.BODY_1, layout.BODY_2, layout.BODY_3, layout.R_2, layout.R_3,
)  # fmt: skip
_INDEX, _COUNT, _SIGN = layout.INDEX, layout.COUNT, layout.SIGN
_CUT_FORCE = kinds.number_of(kinds.CUT_FORCE)
_MASS, _MOMENT, _INERTIA = 1, 2, 5


@part
def move_pieces(signals, time):  # type: ignore[no-untyped-def]
    """Return the poses and velocities of the bodies of all pieces, and what forces inside the engine do to each; returns a
    status.

    ``signals`` is the address of `signal_layout.SIGNALS`.
    """
    e = exchanged(signals)
    pieces, R_P, p_P, v_P, w_P = e.pieces, e.R_P, e.p_P, e.v_P, e.w_P
    for i in range(e.n_pieces):
        body = int(pieces[i, 0])
        if body < 0:
            store9(R_P, i, 0, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
            store3(p_P, i, 0, (0.0, 0.0, 0.0))
            store3(v_P, i, 0, (0.0, 0.0, 0.0))
            store3(w_P, i, 0, (0.0, 0.0, 0.0))
        else:
            store9(R_P, i, 0, load9(e.R, body, 0))
            store3(p_P, i, 0, load3(e.p, body, 0))
            store3(v_P, i, 0, load3(e.v_W, body, 0))
            store3(w_P, i, 0, load3(e.w_W, body, 0))
    return wrenches_of_forces(e.inner, time, R_P, p_P, v_P, w_P, e.wrenches)


@kernel
def needed_wrench(signals, i, gravity):  # type: ignore[no-untyped-def]
    """Return the torque about the body's origin and force, in world, that move piece ``i`` as it moves and carry its weight."""
    e = exchanged(signals)
    pieces, body = e.pieces, int(e.pieces[i, 0])
    R = load9(e.R_P, i, 0)
    a, alpha, w = negate((gravity[0], gravity[1], gravity[2])), (0.0, 0.0, 0.0), load3(e.w_P, i, 0)
    if body >= 0:
        a, alpha = add(a, load3(e.a_W, body, 0)), load3(e.alpha_W, body, 0)
    a, alpha, w = apply_transposed(R, a), apply_transposed(R, alpha), apply_transposed(R, w)
    moment, inertia = load3(pieces, i, _MOMENT), load6(pieces, i, _INERTIA)
    f = add(scale(pieces[i, _MASS], a), add(cross(alpha, moment), centripetal(w, moment)))
    n = add(apply_symmetric(inertia, alpha), cross(w, apply_symmetric(inertia, w)))
    return apply(R, add(n, cross(moment, a))), apply(R, f)


@njit(**OPTIONS)
def cut_wrench(signals, row, f, gravity):  # type: ignore[no-untyped-def]
    """Return the torque about the origin of frame 2 and force that go through the cut of a row of the sensors, in frame 3 (6
    numbers).

    Args:
        signals: address of `signal_layout.SIGNALS`.
        row: of the sensor.
        f: values of the force signals.
        gravity: of the forest.
    """
    e = exchanged(signals)
    table, columns = e.sensors, e.piece_forces
    if table[row, _BODY_2] < -1.0 or table[row, _BODY_3] < -1.0:
        return nan, nan, nan, nan, nan, nan
    _, point = frame_pose(table, row, _BODY_2, _R_2, e.R, e.p)
    torque, force = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    first = int(table[row, _INDEX])
    for m in range(first, first + int(table[row, _COUNT])):
        i = e.members[m]
        n, s = needed_wrench(signals, i, gravity)
        R_WB = load9(e.R_P, i, 0)
        n = subtract(n, apply(R_WB, load3(e.wrenches, i, 0)))
        s = subtract(s, apply(R_WB, load3(e.wrenches, i, 3)))
        for k in range(e.n_f):
            one, two = int(columns[k, _BODY_1]), int(columns[k, _BODY_2])
            if one >= -1 and two >= -1 and (one == i) != (two == i):
                e_n, e_f, at = unit_wrench(columns, k, e.R_P, e.p_P)
                u_n, u_f = wrench_on(i, e_n, e_f, at, e.R_P, e.p_P)
                sign = f[k] if two == i else -f[k]
                n = subtract(n, scale(sign, apply(R_WB, u_n)))
                s = subtract(s, scale(sign, apply(R_WB, u_f)))
        torque = add(torque, add(n, cross(subtract(load3(e.p_P, i, 0), point), s)))
        force = add(force, s)
    R_W3, _ = frame_pose(table, row, _BODY_3, _R_3, e.R, e.p)
    n, s = apply_transposed(R_W3, scale(table[row, _SIGN], torque)), apply_transposed(R_W3, scale(table[row, _SIGN], force))
    return n[0], n[1], n[2], s[0], s[1], s[2]


@component_function
def prepare_cuts(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Compute (ready) -> pieces: motion of the pieces, and what forces inside the engine do to them."""
    outputs[0] = 0.0
    return move_pieces(segment(context).signals, time_of_functions(context))


@part
def move_bodies(context):  # type: ignore[no-untyped-def]
    """Compute the accelerations of all bodies in world, after those of the joints."""
    s = segment(context)
    e = exchanged(s.signals)
    work, gravity = s.work, s.gravity
    for i in range(s.n):
        R_WB = load9(e.R, i, 0)
        store3(e.alpha_W, i, 0, apply(R_WB, load3(work, i, W_ACCELERATION)))
        a = apply(R_WB, load3(work, i, W_ACCELERATION + 3))
        store3(e.a_W, i, 0, add(a, (gravity[0], gravity[1], gravity[2])))


@part
def add_closing(context, row, is_force, values):  # type: ignore[no-untyped-def]
    """Add the wrenches of closed loops that act through the cut of a row of the sensors, in frame 3."""
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
def cut(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (pieces, row, a.., f.., constraint forces..) -> x, y, z of the force or the torque.

    The last ones, of the prescribed joints, are there in a system that may have loops.
    """
    take_given(context, inputs, 2)
    accelerate(context)
    move_bodies(context)
    s = segment(context)
    e = exchanged(s.signals)
    signals, last = 2 + s.n_e, 2 + s.n_e + s.n_f
    given, values = float64_array(inputs, last + s.n_e), float64_array(outputs, 3)
    row = int(given[1])
    is_force = int(e.sensors[row, _KIND]) == _CUT_FORCE
    n_x, n_y, n_z, f_x, f_y, f_z = cut_wrench(s.signals, row, given[signals:last], s.gravity)
    if is_force:
        values[0], values[1], values[2] = f_x, f_y, f_z
    else:
        values[0], values[1], values[2] = n_x, n_y, n_z
    if s.loops != 0:
        find_all_multipliers(s.given, given[last:], s.loops)
        rub(s.ints, s.loops)
        add_closing(context, row, is_force, values)
    return 0
