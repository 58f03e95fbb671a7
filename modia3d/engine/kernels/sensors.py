"""Sensors in machine code; imported where a model has some. Their rows are those of `signal_layout`."""

from __future__ import annotations

from math import nan
from typing import Any

from modia3d.dynamics.basics.layout import W_ACCELERATION
from modia3d.dynamics.basics.spatial import (
    OPTIONS,
    add,
    apply,
    centripetal,
    cross,
    dot,
    kernel,
    kernel_of,
    load3,
    load9,
    scale,
    subtract,
)
from modia3d.forces.kernels.frames import frame_pose, point_velocity
from modia3d.scene.sensors import kinds
from modiapy.acausal.native import component_function, float64_array, njit, part

from ..memory import signal_layout as layout
from ..memory.accessors import exchanged, segment
from .finish import accelerate, take_given
from .signals import unit_wrench

_KIND, _BODY_1, _BODY_2, _BODY_3, _INDEX = layout.KIND, layout.BODY_1, layout.BODY_2, layout.BODY_3, layout.INDEX
_COUNT, _R_1, _R_2, _R_3 = layout.COUNT, layout.R_1, layout.R_2, layout.R_3
_SIGNAL_VELOCITY = kinds.number_of(kinds.SIGNAL_VELOCITY)
_APART = tuple(n for stage in (kinds.Stage.ACCELERATION, kinds.Stage.CUT, kinds.Stage.CONTACT) for n in kinds.numbers_at(stage))


@kernel
def velocities_of(table, k, R, p, v_W, w_W):  # type: ignore[no-untyped-def]
    """Return the position, velocity, angular velocity of frame 2 seen from 1; angular velocities of both; all in world."""
    one, two = int(table[k, _BODY_1]), int(table[k, _BODY_2])
    _, p_1 = frame_pose(table, k, _BODY_1, _R_1, R, p)
    _, p_2 = frame_pose(table, k, _BODY_2, _R_2, R, p)
    v_1, w_1 = point_velocity(one, p_1, p, v_W, w_W)
    v_2, w_2 = point_velocity(two, p_2, p, v_W, w_W)
    r = subtract(p_2, p_1)
    return r, subtract(subtract(v_2, v_1), cross(w_1, r)), subtract(w_2, w_1), w_1, w_2


def _dispatch(stage: kinds.Stage, arguments: str) -> Any:
    """Return a kernel that does what each kind of a stage says: ``(kind, arguments.., values, at)`` writes its components."""
    numbers = kinds.numbers_at(stage)
    lines = [f"def write(kind, {arguments}, values, at):"]
    for number in numbers:
        test = f"    {'if' if number == numbers[0] else 'elif'} kind == {number}:"
        stored = [f"        values[at + {c}] = found[{c}]" for c in range(len(kinds.KINDS[number].components))]
        lines += [test, f"        found = value_{number}({arguments})", *stored]
    scope = {f"value_{number}": kernel_of(kinds.KINDS[number].value) for number in numbers}
    exec("\n".join(lines), scope)
    return kernel(scope["write"])


_write_motion = _dispatch(kinds.Stage.MOTION, "r, v, w, R_1, R_2, R_3, g")
_write_acceleration = _dispatch(kinds.Stage.ACCELERATION, "r, v, a, z, R_3")


@njit(**OPTIONS)
def measure(table, signals, gravity, R, p, v_W, w_W, values):  # type: ignore[no-untyped-def]
    """Compute all quantities that follow from the motion, but for energies and contacts; NaN where a frame was deleted."""
    for k in range(table.shape[0]):
        kind, at = int(table[k, _KIND]), int(table[k, _INDEX])
        if kind in _APART:
            continue
        if kind == _SIGNAL_VELOCITY:
            values[at] = signal_velocity(signals, int(table[k, _COUNT]), R, p, v_W, w_W)
            continue
        if table[k, _BODY_1] < -1.0 or table[k, _BODY_2] < -1.0 or table[k, _BODY_3] < -1.0:
            for i in range(int(table[k, _COUNT])):
                values[at + i] = nan
            continue
        r, v, w, _, _ = velocities_of(table, k, R, p, v_W, w_W)
        R_W1, _ = frame_pose(table, k, _BODY_1, _R_1, R, p)
        R_W2, _ = frame_pose(table, k, _BODY_2, _R_2, R, p)
        R_W3, _ = frame_pose(table, k, _BODY_3, _R_3, R, p)
        _write_motion(kind, r, v, w, R_W1, R_W2, R_W3, (gravity[0], gravity[1], gravity[2]), values, at)


@kernel
def signal_velocity(signals, k, R, p, v_W, w_W):  # type: ignore[no-untyped-def]
    """Return the power of a unit of signal ``k``."""
    one, two = int(signals[k, _BODY_1]), int(signals[k, _BODY_2])
    if one < -1 or two < -1:
        return 0.0
    torque, force, point = unit_wrench(signals, k, R, p)
    v_1, w_1 = point_velocity(one, point, p, v_W, w_W)
    v_2, w_2 = point_velocity(two, point, p, v_W, w_W)
    return dot(torque, subtract(w_2, w_1)) + dot(force, subtract(v_2, v_1))


@component_function
def sense(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Compute (ready) -> sensed: all quantities that follow from the motion."""
    s = segment(context)
    e = exchanged(s.signals)
    outputs[0] = 0.0
    measure(e.sensors, e.forces, s.gravity, e.R, e.p, e.v_W, e.w_W, e.values)
    return 0


@component_function
def sensed_value(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (sensed, i) -> the i-th value."""
    outputs[0] = exchanged(segment(context).signals).values[int(float64_array(inputs, 2)[1])]
    return 0


@kernel
def point_acceleration(body, point, gravity, R, p, w_W, work):  # type: ignore[no-untyped-def]
    """Return the acceleration and angular acceleration in world of a body (-1: the world) at a point given in world."""
    if body < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    R_WB, w = load9(R, body, 0), load3(w_W, body, 0)
    alpha = apply(R_WB, load3(work, body, W_ACCELERATION))
    a = add(apply(R_WB, load3(work, body, W_ACCELERATION + 3)), (gravity[0], gravity[1], gravity[2]))
    r = subtract(point, load3(p, body, 0))
    return add(a, add(cross(alpha, r), centripetal(w, r))), alpha


@njit(**OPTIONS)
def measure_acceleration(table, k, gravity, R, p, v_W, w_W, work, values):  # type: ignore[no-untyped-def]
    """Compute the components of the quantity of row ``k``, which depends on accelerations; NaN where a frame was deleted."""
    if table[k, _BODY_1] < -1.0 or table[k, _BODY_2] < -1.0 or table[k, _BODY_3] < -1.0:
        for i in range(int(table[k, _COUNT])):
            values[i] = nan
        return
    r, v, _, w_1, w_2 = velocities_of(table, k, R, p, v_W, w_W)
    _, p_1 = frame_pose(table, k, _BODY_1, _R_1, R, p)
    _, p_2 = frame_pose(table, k, _BODY_2, _R_2, R, p)
    a_1, alpha_1 = point_acceleration(int(table[k, _BODY_1]), p_1, gravity, R, p, w_W, work)
    a_2, alpha_2 = point_acceleration(int(table[k, _BODY_2]), p_2, gravity, R, p, w_W, work)
    R_W3, _ = frame_pose(table, k, _BODY_3, _R_3, R, p)
    carried = add(add(cross(alpha_1, r), centripetal(w_1, r)), scale(2.0, cross(w_1, v)))
    a, z = subtract(subtract(a_2, a_1), carried), subtract(subtract(alpha_2, alpha_1), cross(w_1, w_2))
    _write_acceleration(int(table[k, _KIND]), r, v, a, z, R_W3, values, 0)


@part
def accelerated_row(context, inputs, values):  # type: ignore[no-untyped-def]
    """Compute the components of the row that ``inputs`` name, for the accelerations and signals there."""
    take_given(context, inputs, 2)
    accelerate(context)
    s = segment(context)
    e = exchanged(s.signals)
    row = int(float64_array(inputs, 2)[1])
    measure_acceleration(e.sensors, row, s.gravity, e.R, e.p, e.v_W, e.w_W, s.work, values)


@component_function
def sensed_acceleration(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Compute (ready, row, a.., f..) -> x, y, z."""
    accelerated_row(context, inputs, float64_array(outputs, 3))
    return 0


@component_function
def distance_acceleration(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Compute (ready, row, a.., f..) -> second derivative of a distance."""
    accelerated_row(context, inputs, float64_array(outputs, 1))
    return 0
