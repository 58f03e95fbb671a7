"""The component function that evaluates reference paths, from the arrays of `modia3d.actions.paths.pack_paths`."""

from __future__ import annotations

import numpy as np
from numba import carray, cfunc, njit

from modiapy.acausal.native import COMPONENT_SIGNATURE, float64_array, int64_array
from modiapy.acausal.protocol import CONTEXT_SLOTS, Slot

from .slots import N_PATH_ROWS, N_PATHS, PATH_COLUMNS, PATH_POSITIONS, PATH_TIMES, PATH_WIDTH, PATHS, TIME_COLUMNS

_TIME = int(Slot.TIME)


@njit
def _current_row(times, first, count, time):  # type: ignore[no-untyped-def]
    """Last of ``count`` rows from ``first`` on that begins at or before ``time`` (the first one always does)."""
    low, high = first, first + count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if times[middle, 0] <= time:
            low = middle
        else:
            high = middle - 1
    return low


@njit
def _path_parameter(times, row, time):  # type: ignore[no-untyped-def]
    """(from the end?, s or 1 - s, ds/dt, d2s/dt2) of one leg; exact at both ends, as `PtpLeg.evaluate`."""
    t0, t1, t2, t3 = times[row, 0], times[row, 1], times[row, 2], times[row, 3]
    velocity, acceleration = times[row, 4], times[row, 5]
    if time < t1:
        return False, 0.5 * acceleration * (time - t0) ** 2, acceleration * (time - t0), acceleration
    if time < t2:
        return False, velocity * (time - t0 - 0.5 * velocity / acceleration), velocity, 0.0
    if time < t3:
        return True, 0.5 * acceleration * (t3 - time) ** 2, acceleration * (t3 - time), -acceleration
    return True, 0.0, 0.0, 0.0


@njit
def evaluate(c, order, outputs):  # type: ignore[no-untyped-def]
    """Write positions, velocities and accelerations, differentiated ``order`` times, of all paths to ``outputs``."""
    time = c[_TIME : _TIME + 1].view(np.float64)[0]
    n_paths, n_rows, width = c[N_PATHS], c[N_PATH_ROWS], c[PATH_WIDTH]
    paths = int64_array(c[PATHS], (n_paths, PATH_COLUMNS))
    times = float64_array(c[PATH_TIMES], (n_rows, TIME_COLUMNS))
    positions = float64_array(c[PATH_POSITIONS], (n_rows, 2, width))
    n = 0
    for k in range(n_paths):
        n += paths[k, 1]
    for i in range(3 * n):
        outputs[i] = 0.0
    for k in range(n_paths):
        row = _current_row(times, paths[k, 2], paths[k, 3], time)
        from_end, s, ds, dds = _path_parameter(times, row, time)
        for i in range(paths[k, 1]):
            out = paths[k, 0] + i
            start, end = positions[row, 0, i], positions[row, 1, i]
            way = end - start
            if order == 0:
                outputs[out] = end - s * way if from_end else start + s * way
            if order <= 1:
                outputs[(1 - order) * n + out] = ds * way
            outputs[(2 - order) * n + out] = dds * way


@cfunc(COMPONENT_SIGNATURE, cache=True)
def references(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """() -> positions.., velocities.., accelerations.. of all reference paths at the time in the context."""
    evaluate(carray(context, CONTEXT_SLOTS), 0, outputs)
    return 0
