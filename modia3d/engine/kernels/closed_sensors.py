"""Sensors of accelerations where there may be loops: see `sensors`, with the accelerations of `loops`."""

from __future__ import annotations

from modiapy.acausal.native import component_function, float64_array, part

from ..memory.accessors import exchanged, segment
from .loops import accelerate_closed
from .sensors import measure_row
from .signals import accelerate, take_given


@part
def accelerated_row(context, inputs, values):  # type: ignore[no-untyped-def]
    """See `sensors.accelerated_row`."""
    take_given(context, inputs, 2)
    s = segment(context)
    if s.loops != 0:
        accelerate_closed(context, exchanged(s.signals).given)
    else:
        accelerate(context)
    measure_row(context, inputs, values)


@component_function
def sensed_acceleration_closed(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (closed, row, a.., f..) -> x, y, z."""
    accelerated_row(context, inputs, float64_array(outputs, 3))
    return 0


@component_function
def distance_acceleration_closed(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (closed, row, a.., f..) -> second derivative of a distance."""
    accelerated_row(context, inputs, float64_array(outputs, 1))
    return 0
