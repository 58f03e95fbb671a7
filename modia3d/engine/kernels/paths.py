"""The component function that evaluates reference paths, from the arrays of `modia3d.actions.paths.pack`."""

from __future__ import annotations

import numpy as np

from modiapy.acausal.native import component_function, float64_array, int64_array, part
from modiapy.acausal.protocol import CONTEXT_SLOTS, Slot

from ..memory.slots import PATH_COLUMNS, PATH_HEADER, PATHS

_TIME = int(Slot.TIME)


@part
def _current_row(times, first, count, time):  # type: ignore[no-untyped-def]
    """Last of ``count`` rows from ``first`` on that begins at or before ``time`` (the first one always does)."""
    low, high = first, first + count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if times[middle] <= time:
            low = middle
        else:
            high = middle - 1
    return low


@part
def evaluate(c, order, outputs):  # type: ignore[no-untyped-def]
    """Write positions, velocities and accelerations, differentiated ``order`` times, of all paths to ``outputs``."""
    time = c[_TIME : _TIME + 1].view(np.float64)[0]
    header = int64_array(c[PATHS], (PATH_HEADER,))
    n_paths, n_rows, depth, width = header[0], header[1], header[2], header[3]
    paths = int64_array(header[4], (n_paths, PATH_COLUMNS))
    times = float64_array(header[5], (n_rows,))
    coefficients = float64_array(header[6], (n_rows, depth, width))
    n = 0
    for k in range(n_paths):
        n += paths[k, 1]
    for k in range(n_paths):
        row = _current_row(times, paths[k, 2], paths[k, 3], time)
        x = time - times[row] if paths[k, 2] < row else 0.0
        for quantity in range(3):
            for i in range(paths[k, 1]):
                value = 0.0
                for power in range(depth - 1, order + quantity - 1, -1):
                    factor = 1.0
                    for m in range(order + quantity):
                        factor *= power - m
                    value = value * x + factor * coefficients[row, power, i]
                outputs[quantity * n + paths[k, 0] + i] = value


@component_function
def references(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """() -> positions.., velocities.., accelerations.. of all reference paths at the time in the context."""
    evaluate(int64_array(context, CONTEXT_SLOTS), 0, outputs)
    return 0
