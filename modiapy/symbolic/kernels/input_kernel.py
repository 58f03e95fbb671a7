"""Machine code of inputs over time: the model calls it first in each evaluation, where a simulation has such inputs.

It is imported when a simulation with time series begins; `input_memory` tells what it reads.
"""

from __future__ import annotations

from ...acausal.native import WITHOUT_OBJECTS, cfunc, float64_array, int64_array, types
from .input_memory import COEFFICIENTS, COLUMNS, COUNT, HIGHEST, LAST, LOWEST, SIZE, TARGET, TIMES


@cfunc(types.void(types.float64, types.int64), cache=True, **WITHOUT_OBJECTS)
def write_inputs(time, table):  # type: ignore[no-untyped-def]
    """Write the values at a time [s] to where the model reads its inputs."""
    rows = int64_array(table, 1)[0]
    words = int64_array(table, 1 + rows * COLUMNS)
    for r in range(rows):
        first = 1 + r * COLUMNS
        n, size = words[first + COUNT], words[first + SIZE]
        x = float64_array(words[first + TIMES], n)
        k = words[first + LAST]
        if (k > 0 and time < x[k - 1]) or (k < n and time >= x[k]):
            low, high = 0, n
            while low < high:
                middle = (low + high) // 2
                if time < x[middle]:
                    high = middle
                else:
                    low = middle + 1
            k = low
        k = min(max(k, words[first + LOWEST]), words[first + HIGHEST])
        words[first + LAST] = k
        s = time - x[max(k - 1, 0)]
        c = float64_array(words[first + COEFFICIENTS], (n + 1) * size * 4)
        target = float64_array(words[first + TARGET], size)
        for j in range(size):
            at = (k * size + j) * 4
            target[j] = c[at] + s * (c[at + 1] + s * (c[at + 2] + s * c[at + 3]))
