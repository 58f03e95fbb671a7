"""Forces and torques in cuts, by Newton and Euler of what is beyond them; imported where a model asks for some.

A piece is a part of a body that no cut divides, in coordinates of the body; of the world's pieces the world is the body.
"""

from __future__ import annotations

from math import nan

import numpy as np
from numba import njit

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
from modia3d.forces.basics.layout import FORCE_COLUMNS
from modia3d.forces.kernels.evaluate import wrenches_of_forces
from modia3d.forces.kernels.frames import frame_pose
from modia3d.scene.sensors import kinds
from modiapy.acausal.native import component_function, float64_array, int64_array, part
from modiapy.acausal.protocol import CONTEXT_SLOTS, Slot

from ..memory import signal_layout as layout
from ..memory.accessors import accelerations, loaded
from ..memory.signal_arrays import body_motion, header
from ..memory.slots import N_BODIES, N_E
from .signals import accelerations_for, take_given, unit_wrench, wrench_on
from .states import forest_arrays, memory_arrays

_KIND, _BODY_1, _BODY_2, _BODY_3, _R_2, _R_3 = (
    layout.KIND, layout.BODY_1, layout.BODY_2, layout.BODY_3, layout.R_2, layout.R_3,
)  # fmt: skip
_INDEX, _COUNT, _SIGN, _ROW_COLUMNS = layout.INDEX, layout.COUNT, layout.SIGN, layout.ROW_COLUMNS
_N_FORCES, _N_SENSORS, _SENSORS, _N_PIECES, _PIECES = (
    layout.N_FORCES, layout.N_SENSORS, layout.SENSORS, layout.N_PIECES, layout.PIECES,
)  # fmt: skip
_N_MEMBERS, _MEMBERS, _PIECE_FORCES, _N_INNER, _INNER = (
    layout.N_MEMBERS, layout.MEMBERS, layout.PIECE_FORCES, layout.N_INNER, layout.INNER,
)  # fmt: skip
_ACCELERATIONS, _PIECE_MOTION, _PIECE_COLUMNS, _CUT_FORCE = (
    layout.ACCELERATIONS, layout.PIECE_MOTION, layout.PIECE_COLUMNS, kinds.number_of(kinds.CUT_FORCE),
)  # fmt: skip
_TIME = int(Slot.TIME)
_MASS, _MOMENT, _INERTIA = 1, 2, 5


@njit(**OPTIONS)
def piece_motion(pieces, R, p, v_W, w_W, R_P, p_P, v_P, w_P):  # type: ignore[no-untyped-def]
    """Poses and velocities of the bodies of all pieces."""
    for i in range(pieces.shape[0]):
        body = int(pieces[i, 0])
        if body < 0:
            store9(R_P, i, 0, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
            store3(p_P, i, 0, (0.0, 0.0, 0.0))
            store3(v_P, i, 0, (0.0, 0.0, 0.0))
            store3(w_P, i, 0, (0.0, 0.0, 0.0))
        else:
            store9(R_P, i, 0, load9(R, body, 0))
            store3(p_P, i, 0, load3(p, body, 0))
            store3(v_P, i, 0, load3(v_W, body, 0))
            store3(w_P, i, 0, load3(w_W, body, 0))


@kernel
def needed_wrench(pieces, i, gravity, R_P, w_P, a_W, alpha_W):  # type: ignore[no-untyped-def]
    """Torque about the body's origin and force, in world, that move piece ``i`` as it moves and carry its weight."""
    body = int(pieces[i, 0])
    R = load9(R_P, i, 0)
    a, alpha, w = negate((gravity[0], gravity[1], gravity[2])), (0.0, 0.0, 0.0), load3(w_P, i, 0)
    if body >= 0:
        a, alpha = add(a, load3(a_W, body, 0)), load3(alpha_W, body, 0)
    a, alpha, w = apply_transposed(R, a), apply_transposed(R, alpha), apply_transposed(R, w)
    moment, inertia = load3(pieces, i, _MOMENT), load6(pieces, i, _INERTIA)
    f = add(scale(pieces[i, _MASS], a), add(cross(alpha, moment), centripetal(w, moment)))
    n = add(apply_symmetric(inertia, alpha), cross(w, apply_symmetric(inertia, w)))
    return apply(R, add(n, cross(moment, a))), apply(R, f)


@njit(**OPTIONS)
def cut_wrench(row, table, members, pieces, wrenches, signals, f, gravity, R, p, R_P, p_P, w_P, a_W, alpha_W):  # type: ignore[no-untyped-def]
    """Torque about the origin of frame 2 and force that go through the cut of a row, in frame 3 (6 numbers).

    Args:
        row, table, members: of the sensor; all rows; pieces beyond each cut.
        pieces, wrenches: see `signal_layout`; what inner forces do to each piece, in B.
        signals, f: table of the force signals with pieces for bodies, their values.
        R, p, R_P, p_P: poses of bodies and of pieces. w_P, a_W, alpha_W: angular velocities of pieces, accelerations of bodies.
    """
    if table[row, _BODY_2] < -1.0 or table[row, _BODY_3] < -1.0:
        return nan, nan, nan, nan, nan, nan
    _, point = frame_pose(table, row, _BODY_2, _R_2, R, p)
    torque, force = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    first = int(table[row, _INDEX])
    for m in range(first, first + int(table[row, _COUNT])):
        i = members[m]
        n, s = needed_wrench(pieces, i, gravity, R_P, w_P, a_W, alpha_W)
        R_WB = load9(R_P, i, 0)
        n = subtract(n, apply(R_WB, load3(wrenches, i, 0)))
        s = subtract(s, apply(R_WB, load3(wrenches, i, 3)))
        for k in range(signals.shape[0]):
            one, two = int(signals[k, _BODY_1]), int(signals[k, _BODY_2])
            if one >= -1 and two >= -1 and (one == i) != (two == i):
                e_n, e_f, at = unit_wrench(signals, k, R_P, p_P)
                u_n, u_f = wrench_on(i, e_n, e_f, at, R_P, p_P)
                sign = f[k] if two == i else -f[k]
                n = subtract(n, scale(sign, apply(R_WB, u_n)))
                s = subtract(s, scale(sign, apply(R_WB, u_f)))
        torque = add(torque, add(n, cross(subtract(load3(p_P, i, 0), point), s)))
        force = add(force, s)
    R_W3, _ = frame_pose(table, row, _BODY_3, _R_3, R, p)
    n, s = apply_transposed(R_W3, scale(table[row, _SIGN], torque)), apply_transposed(R_W3, scale(table[row, _SIGN], force))
    return n[0], n[1], n[2], s[0], s[1], s[2]


@part
def piece_arrays(h):  # type: ignore[no-untyped-def]
    """Pieces, R, p, v_W, w_W and wrenches of the pieces."""
    n = h[_N_PIECES]
    R, p, v_W, w_W, wrenches, _ = loaded(h[_PIECE_MOTION], n)
    return float64_array(h[_PIECES], (n, _PIECE_COLUMNS)), R, p, v_W, w_W, wrenches


@component_function
def prepare_cuts(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(ready) -> pieces: motion of the pieces, and what forces inside the engine do to them."""
    c = int64_array(context, CONTEXT_SLOTS)
    h = header(c)
    outputs[0] = 0.0
    R, p, v_W, w_W = body_motion(c, h)
    pieces, R_P, p_P, v_P, w_P, wrenches = piece_arrays(h)
    piece_motion(pieces, R, p, v_W, w_W, R_P, p_P, v_P, w_P)
    time = c[_TIME : _TIME + 1].view(np.float64)[0]
    return wrenches_of_forces(float64_array(h[_INNER], (h[_N_INNER], FORCE_COLUMNS)), time, R_P, p_P, v_P, w_P, wrenches)


@component_function
def cut(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(pieces, row, a.., f..) -> x, y, z of the force or the torque."""
    c = int64_array(context, CONTEXT_SLOTS)
    h = header(c)
    _, _, gravity = forest_arrays(c)
    _, _, _, _, _, _, _, work = memory_arrays(c)
    accelerations_for(c, h, take_given(c, h, inputs, 2))
    R, p, _, _ = body_motion(c, h)
    n, n_e, n_f = c[N_BODIES], c[N_E], h[_N_FORCES]
    a_W, alpha_W, _ = accelerations(h[_ACCELERATIONS], n)
    for i in range(n):
        R_WB = load9(R, i, 0)
        store3(alpha_W, i, 0, apply(R_WB, load3(work, i, W_ACCELERATION)))
        a = apply(R_WB, load3(work, i, W_ACCELERATION + 3))
        store3(a_W, i, 0, add(a, (gravity[0], gravity[1], gravity[2])))
    pieces, R_P, p_P, _, w_P, wrenches = piece_arrays(h)
    table = float64_array(h[_SENSORS], (h[_N_SENSORS], _ROW_COLUMNS))
    members = int64_array(h[_MEMBERS], h[_N_MEMBERS])
    signals = float64_array(h[_PIECE_FORCES], (n_f, _ROW_COLUMNS))
    f, values = float64_array(inputs, 2 + n_e + n_f)[2 + n_e :], float64_array(outputs, 3)
    row = int(float64_array(inputs, 2)[1])
    n_x, n_y, n_z, f_x, f_y, f_z = cut_wrench(
        row, table, members, pieces, wrenches, signals, f, gravity, R, p, R_P, p_P, w_P, a_W, alpha_W
    )
    if int(table[row, _KIND]) == _CUT_FORCE:
        values[0], values[1], values[2] = f_x, f_y, f_z
    else:
        values[0], values[1], values[2] = n_x, n_y, n_z
    return 0
