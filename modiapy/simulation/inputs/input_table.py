"""Memory from which machine code reads inputs over time, in one run.

The pieces of a series that may be read change only at events. Therefore no jump lies inside a step of an integrator, and no
evaluation before the event sees a value after the jump.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from ...symbolic.kernels.input_memory import COEFFICIENTS, COLUMNS, COUNT, HIGHEST, LAST, LOWEST, SIZE, TARGET, TIMES
from .time_series import TimeSeries


class InputTable:
    """Series of several inputs, and where the model reads them.

    Args:
        series: by name; those of one point are constant and need no row.
        place: the memory of the values of an input, by name.

    Attributes:
        series: as they hold now, see `fix`.
        words: what the machine code reads. function: its address; 0 where there are no rows.
        kinks: times where a step of the integrator ends [s], increasing.
    """

    def __init__(self, series: Mapping[str, TimeSeries], place: Callable[[str], np.ndarray]) -> None:
        self.series, self._place = dict(series), place
        moving = {name: one for name, one in series.items() if len(one.times) > 1}
        self._rows = {name: 1 + k * COLUMNS for k, name in enumerate(moving)}
        self._jumps = {name: one.jumps for name, one in moving.items()}
        self._kept = dict(moving)  # the machine code reads their memory as long as there are rows
        self.words = np.zeros(1 + COLUMNS * len(moving), dtype=np.int64)
        self.words[0] = len(moving)
        for name, one in moving.items():
            target, row = place(name), self.words[self._rows[name] :]
            row[COUNT], row[SIZE], row[TARGET] = len(one.times), target.size, target.ctypes.data
            row[TIMES], row[COEFFICIENTS] = one.times.ctypes.data, one.coefficients.ctypes.data
        self.kinks = np.array(sorted({kink for one in moving.values() for kink in one.kinks.tolist()}))
        self.function = _address() if moving else 0
        self.arrive(-math.inf)

    def arrive(self, time: float) -> None:
        """Begin an event at a time [s]: inputs that jump then have their value after the jump from now on."""
        for name, first in self._rows.items():
            x, jumps, row = self.series[name].times, self._jumps[name], self.words[first : first + COLUMNS]
            k = int(np.searchsorted(jumps, time, side="right"))
            row[LOWEST] = np.searchsorted(x, jumps[k - 1], side="right") if k else 0
            row[HIGHEST] = np.searchsorted(x, jumps[k], side="left") if k < len(jumps) else len(x)

    @property
    def moves(self) -> bool:
        """True if an input changes over time."""
        return bool(self._rows)

    def next_jump(self, time: float) -> float:
        """Return the time of the next jump after a time [s]; infinite if there is none."""
        if not self._jumps:
            return math.inf
        after = ((jumps, int(np.searchsorted(jumps, time, side="right"))) for jumps in self._jumps.values())
        return min((float(jumps[k]) for jumps, k in after if k < len(jumps)), default=math.inf)

    def value(self, name: str) -> np.ndarray:
        """Return the value of an input at the last evaluation."""
        return self._place(name)

    def fix(self, name: str, series: TimeSeries) -> None:
        """Set an input to the value of a series of one point, from now on."""
        first = self._rows.pop(name, None)
        if first is not None:
            self.words[first + SIZE] = 0
            del self._jumps[name]
        self.series[name] = series
        self._place(name)[:] = series.values.reshape(-1)

    def moved(self, place: Callable[[str], np.ndarray]) -> InputTable:
        """Return a copy of the table for another memory of the values."""
        other = InputTable(self.series, place)
        for name, first in self._rows.items():
            at = other._rows[name]
            other.words[at + LOWEST : at + LAST + 1] = self.words[first + LOWEST : first + LAST + 1]
        return other


def _address() -> int:
    from ...symbolic.kernels.input_kernel import write_inputs

    return int(write_inputs.address)
