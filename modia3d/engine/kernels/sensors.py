"""Sensors in machine code; imported where a model has some. Their rows are those of `signal_layout`."""

from __future__ import annotations

from math import asin, atan2, copysign, nan, sqrt

from numba import njit

from modia3d.dynamics.basics.layout import W_ACCELERATION
from modia3d.dynamics.basics.spatial import (
    OPTIONS,
    add,
    apply,
    apply_transposed,
    centripetal,
    cross,
    dot,
    kernel,
    load3,
    load9,
    multiply,
    scale,
    subtract,
    transpose,
)
from modia3d.forces.kernels.frames import frame_pose, point_velocity
from modia3d.scene.sensors import kinds
from modiapy.acausal.native import component_function, float64_array, int64_array, part
from modiapy.acausal.protocol import CONTEXT_SLOTS

from ..memory import signal_layout as layout
from ..memory.signal_arrays import body_motion, header, signal_arrays
from .signals import accelerations_for, take_given, unit_wrench
from .states import forest_arrays, memory_arrays

_KIND, _BODY_1, _BODY_2, _BODY_3, _INDEX = layout.KIND, layout.BODY_1, layout.BODY_2, layout.BODY_3, layout.INDEX
_COUNT, _R_1, _R_2, _R_3, _ROW_COLUMNS = layout.COUNT, layout.R_1, layout.R_2, layout.R_3, layout.ROW_COLUMNS
_N_SENSORS, _SENSORS, _VALUES, _N_VALUES = layout.N_SENSORS, layout.SENSORS, layout.VALUES, layout.N_VALUES
_POSITION, _MATRIX, _ANGLES, _QUATERNION = kinds.POSITION, kinds.ROTATION_MATRIX, kinds.CARDAN_ANGLES, kinds.QUATERNION
_VELOCITY, _ANGULAR_VELOCITY = kinds.VELOCITY, kinds.ANGULAR_VELOCITY
_DISTANCE, _DISTANCE_RATE, _SIGNAL_VELOCITY = kinds.DISTANCE, kinds.DISTANCE_RATE, kinds.SIGNAL_VELOCITY
_GRAVITY = kinds.GRAVITY
_ACCELERATION, _ANGULAR_ACCELERATION = kinds.ACCELERATION, kinds.ANGULAR_ACCELERATION
_FIRST_AFFINE = kinds.FIRST_AFFINE


@kernel
def velocities_of(table, k, R, p, v_W, w_W):  # type: ignore[no-untyped-def]
    """Position, velocity, angular velocity of frame 2 seen from 1; angular velocities of both; all in world."""
    one, two = int(table[k, _BODY_1]), int(table[k, _BODY_2])
    _, p_1 = frame_pose(table, k, _BODY_1, _R_1, R, p)
    _, p_2 = frame_pose(table, k, _BODY_2, _R_2, R, p)
    v_1, w_1 = point_velocity(one, p_1, p, v_W, w_W)
    v_2, w_2 = point_velocity(two, p_2, p, v_W, w_W)
    r = subtract(p_2, p_1)
    return r, subtract(subtract(v_2, v_1), cross(w_1, r)), subtract(w_2, w_1), w_1, w_2


@kernel
def quaternion_of(R):  # type: ignore[no-untyped-def]
    """Unit quaternion w x y z with w >= 0; the largest component is found first (Shepperd 1978)."""
    a, b, c, d, e, f, g, h, i = R
    sw, sx, sy, sz = 1.0 + a + e + i, 1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i
    if sw >= sx and sw >= sy and sw >= sz:
        w, x, y, z = sw, h - f, c - g, d - b
    elif sx >= sy and sx >= sz:
        w, x, y, z = h - f, sx, b + d, c + g
    elif sy >= sz:
        w, x, y, z = c - g, b + d, sy, f + h
    else:
        w, x, y, z = d - b, c + g, f + h, sz
    s = copysign(1.0, w) / sqrt(w * w + x * x + y * y + z * z)
    return w * s, x * s, y * s, z * s


@njit(**OPTIONS)
def measure(table, signals, gravity, R, p, v_W, w_W, values):  # type: ignore[no-untyped-def]
    """All quantities that accelerations do not enter, but for energies; NaN where a frame was deleted."""
    for k in range(table.shape[0]):
        kind, at = int(table[k, _KIND]), int(table[k, _INDEX])
        if kind >= _FIRST_AFFINE:
            continue
        if kind == _SIGNAL_VELOCITY:
            values[at] = signal_velocity(signals, int(table[k, _COUNT]), R, p, v_W, w_W)
            continue
        if kind == _GRAVITY:
            values[at], values[at + 1], values[at + 2] = gravity[0], gravity[1], gravity[2]
            continue
        if table[k, _BODY_1] < -1.0 or table[k, _BODY_2] < -1.0 or table[k, _BODY_3] < -1.0:
            for i in range(int(table[k, _COUNT])):
                values[at + i] = nan
            continue
        r, v, w, _, _ = velocities_of(table, k, R, p, v_W, w_W)
        R_W3, _ = frame_pose(table, k, _BODY_3, _R_3, R, p)
        if kind == _POSITION:
            values[at], values[at + 1], values[at + 2] = apply_transposed(R_W3, r)
        elif kind == _VELOCITY:
            values[at], values[at + 1], values[at + 2] = apply_transposed(R_W3, v)
        elif kind == _ANGULAR_VELOCITY:
            values[at], values[at + 1], values[at + 2] = apply_transposed(R_W3, w)
        elif kind == _DISTANCE:
            values[at] = sqrt(dot(r, r))
        elif kind == _DISTANCE_RATE:
            s = sqrt(dot(r, r))
            values[at] = dot(r, v) / s if s > 0.0 else 0.0
        else:
            R_W1, _ = frame_pose(table, k, _BODY_1, _R_1, R, p)
            R_W2, _ = frame_pose(table, k, _BODY_2, _R_2, R, p)
            orientation(kind, multiply(transpose(R_W1), R_W2), at, values)


@kernel
def orientation(kind, R, at, values):  # type: ignore[no-untyped-def]
    """The matrix ``R_12``, its Cardan angles about x, y, z or its quaternion."""
    if kind == _MATRIX:
        for i in range(9):
            values[at + i] = R[i]
    elif kind == _ANGLES:
        values[at] = atan2(-R[5], R[8])
        values[at + 1] = asin(max(-1.0, min(1.0, R[2])))
        values[at + 2] = atan2(-R[1], R[0])
    elif kind == _QUATERNION:
        values[at], values[at + 1], values[at + 2], values[at + 3] = quaternion_of(R)


@kernel
def signal_velocity(signals, k, R, p, v_W, w_W):  # type: ignore[no-untyped-def]
    """Power of a unit of signal ``k``."""
    one, two = int(signals[k, _BODY_1]), int(signals[k, _BODY_2])
    if one < -1 or two < -1:
        return 0.0
    torque, force, point = unit_wrench(signals, k, R, p)
    v_1, w_1 = point_velocity(one, point, p, v_W, w_W)
    v_2, w_2 = point_velocity(two, point, p, v_W, w_W)
    return dot(torque, subtract(w_2, w_1)) + dot(force, subtract(v_2, v_1))


@component_function
def sense(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(ready) -> sensed: all quantities that accelerations do not enter."""
    c = int64_array(context, CONTEXT_SLOTS)
    h = header(c)
    outputs[0] = 0.0
    R, p, v_W, w_W = body_motion(c, h)
    signals, _, _, _ = signal_arrays(c, h)
    _, _, gravity = forest_arrays(c)
    table = float64_array(h[_SENSORS], (h[_N_SENSORS], _ROW_COLUMNS))
    measure(table, signals, gravity, R, p, v_W, w_W, float64_array(h[_VALUES], h[_N_VALUES]))
    return 0


@component_function
def sensed_value(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(sensed, i) -> the i-th value."""
    c = int64_array(context, CONTEXT_SLOTS)
    h = header(c)
    outputs[0] = float64_array(h[_VALUES], h[_N_VALUES])[int(float64_array(inputs, 2)[1])]
    return 0


@kernel
def point_acceleration(body, point, gravity, R, p, w_W, work):  # type: ignore[no-untyped-def]
    """Acceleration and angular acceleration in world of a body (-1: the world) at a point given in world."""
    if body < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    R_WB, w = load9(R, body, 0), load3(w_W, body, 0)
    alpha = apply(R_WB, load3(work, body, W_ACCELERATION))
    a = add(apply(R_WB, load3(work, body, W_ACCELERATION + 3)), (gravity[0], gravity[1], gravity[2]))
    r = subtract(point, load3(p, body, 0))
    return add(a, add(cross(alpha, r), centripetal(w, r))), alpha


@njit(**OPTIONS)
def measure_acceleration(table, k, gravity, R, p, v_W, w_W, work):  # type: ignore[no-untyped-def]
    """Acceleration or angular acceleration of row ``k``, in frame 3; second derivative of a distance (first entry)."""
    if table[k, _BODY_1] < -1.0 or table[k, _BODY_2] < -1.0 or table[k, _BODY_3] < -1.0:
        return nan, nan, nan
    r, v, _, w_1, w_2 = velocities_of(table, k, R, p, v_W, w_W)
    _, p_1 = frame_pose(table, k, _BODY_1, _R_1, R, p)
    _, p_2 = frame_pose(table, k, _BODY_2, _R_2, R, p)
    a_1, alpha_1 = point_acceleration(int(table[k, _BODY_1]), p_1, gravity, R, p, w_W, work)
    a_2, alpha_2 = point_acceleration(int(table[k, _BODY_2]), p_2, gravity, R, p, w_W, work)
    R_W3, _ = frame_pose(table, k, _BODY_3, _R_3, R, p)
    if int(table[k, _KIND]) == _ANGULAR_ACCELERATION:
        return apply_transposed(R_W3, subtract(subtract(alpha_2, alpha_1), cross(w_1, w_2)))
    carried = add(add(cross(alpha_1, r), centripetal(w_1, r)), scale(2.0, cross(w_1, v)))
    a = subtract(subtract(a_2, a_1), carried)
    if int(table[k, _KIND]) == _ACCELERATION:
        return apply_transposed(R_W3, a)
    s = sqrt(dot(r, r))
    if s == 0.0:
        return 0.0, 0.0, 0.0
    rate = dot(r, v) / s
    return (dot(r, a) + dot(v, v) - rate * rate) / s, 0.0, 0.0


@part
def accelerated_row(c, inputs):  # type: ignore[no-untyped-def]
    """The row that ``inputs`` name, for the accelerations and signals there."""
    h = header(c)
    _, _, gravity = forest_arrays(c)
    _, _, _, _, _, _, _, work = memory_arrays(c)
    accelerations_for(c, h, take_given(c, h, inputs, 2))
    R, p, v_W, w_W = body_motion(c, h)
    table = float64_array(h[_SENSORS], (h[_N_SENSORS], _ROW_COLUMNS))
    return measure_acceleration(table, int(float64_array(inputs, 2)[1]), gravity, R, p, v_W, w_W, work)


@component_function
def sensed_acceleration(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(ready, row, a.., f..) -> x, y, z."""
    values = float64_array(outputs, 3)
    values[0], values[1], values[2] = accelerated_row(int64_array(context, CONTEXT_SLOTS), inputs)
    return 0


@component_function
def distance_acceleration(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(ready, row, a.., f..) -> second derivative of a distance."""
    outputs[0], _, _ = accelerated_row(int64_array(context, CONTEXT_SLOTS), inputs)
    return 0
