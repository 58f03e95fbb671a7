"""The component function that evaluates reference paths, from the arrays of `modia3d.actions.paths.pack`."""

from __future__ import annotations

from modiapy.acausal.native import component_function, part

from ..memory.accessors import reference_paths, segment, time_of_functions

JUMPING = 2
"""Accelerations may jump from row to row, positions and velocities do not."""


@part
def _current_row(times, first, count, time):  # type: ignore[no-untyped-def]
    """Return the last of ``count`` rows from ``first`` on that begins at or before ``time`` (the first one always does)."""
    low, high = first, first + count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if times[middle] <= time:
            low = middle
        else:
            high = middle - 1
    return low


@part
def evaluate(context, order, outputs):  # type: ignore[no-untyped-def]
    """Write positions, velocities and accelerations, differentiated ``order`` times, of all paths to ``outputs``."""
    s = segment(context)
    time, seen, r = s.time, time_of_functions(context), reference_paths(s.paths)
    paths, times, coefficients = r.paths, r.times, r.coefficients
    n = 0
    for k in range(r.n_paths):
        n += paths[k, 1]
    for k in range(r.n_paths):
        now = _current_row(times, paths[k, 2], paths[k, 3], time)
        before = _current_row(times, paths[k, 2], paths[k, 3], seen)
        for quantity in range(3):
            row = before if order + quantity >= JUMPING else now
            x = time - times[row] if paths[k, 2] < row else 0.0
            for i in range(paths[k, 1]):
                value = 0.0
                for power in range(r.depth - 1, order + quantity - 1, -1):
                    factor = 1.0
                    for m in range(order + quantity):
                        factor *= power - m
                    value = value * x + factor * coefficients[row, power, i]
                outputs[quantity * n + paths[k, 0] + i] = value


@component_function
def references(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return () -> positions.., velocities.., accelerations.. of all reference paths at the time in the context."""
    evaluate(context, 0, outputs)
    return 0
