"""The operator ``delay`` as a predefined component: the past of expressions, and when jumps of it arrive.

Source of the semantics: Modelica Language Specification 3.6, section 3.7.4.1. The past is stored step by step: the dense output
of each accepted step is sampled at `PARTS` of it, and a polynomial of degree 4 through these points stands for the step, or for
a part of it where one is not enough. No
step is longer than the delay, so what is looked up has been computed before, and nothing is extrapolated; with a
variable delay that becomes very short it is. Before the start there is the first value.

A jump of the expression ends one course of stretches and begins another. With a constant delay it arrives at a time event:
until then values come from the course before, from then on from the one behind, so that rounding decides nothing.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.errors import SimulationError
from ..model.model import Model
from .abilities import Jumps, Saves
from .calls import kernel_address
from .protocol import AcausalComponent, ComponentFunction, ComponentRun
from .segment import SegmentChange, SegmentLayout, SegmentStart

PATH = "delay()"
"""Of the component, and of its variables: no model of a user has this name."""

PARTS = (0.25, 0.5, 0.75, 1.0)
"""Of a step, at which expressions are evaluated; the value at its beginning is known."""

SHORTEST = 1e-3
"""Part of its largest value from which on a variable delay limits the steps."""

_JUMP = 1e-9
"""A change at an event counts as a jump from this part of the largest value on."""

_COLUMNS, _ROOM = 7, 64

_KERNELS = f"{__package__}.delay_kernel"
RATE = ComponentFunction("delayed_rate", 4, 1, "delay_rate", kernel_address(_KERNELS, "delayed_rate"), frozenset({2, 3}))
VALUE = ComponentFunction("delay", 2, 1, "delay_value", kernel_address(_KERNELS, "delayed"), derivative=RATE)


@dataclass(frozen=True)
class Delay:
    """One ``delay`` in the equations.

    Attributes:
        text: as the user wrote it. path: of the model where it stands.
        fixed: whether the delay time is constant.
    """

    text: str
    path: str
    fixed: bool


class Delays(AcausalComponent):
    """All delays of a model, in the order of their numbers."""

    def __init__(self, delays: Sequence[Delay]) -> None:
        self.delays = tuple(delays)

    @staticmethod
    def names(k: int) -> tuple[str, str, str, str]:
        """Return the full names of the variables of the delay k: what is delayed, the delay time, the largest one, the delayed
        value.
        """
        return f"{PATH}.u{k}", f"{PATH}.time{k}", f"{PATH}.longest{k}", f"{PATH}.y{k}"

    @property
    def followed(self) -> list[str]:
        """Full names of all variables whose values the run wants, three for each delay."""
        return [name for k in range(len(self.delays)) for name in self.names(k)[:3]]

    def acausal_part(self) -> Model:
        """Return an empty model: flattening has written the equations."""
        return Model()

    def begin_run(self) -> DelaysRun:
        """Return a run whose past is empty."""
        return DelaysRun(self)


class _Past:
    """The past of one expression.

    Attributes:
        rows: stretches, shape (room, 7), see `delay_kernel`; the first ``n`` of them.
        first: of the course that is looked up now.
        jumps: (row, time [s]) of those that have not arrived yet.
        last: value at the end; ``largest`` of all absolute values.
    """

    def __init__(self, delay: Delay) -> None:
        self.delay = delay
        self.rows = np.zeros((_ROOM, _COLUMNS))
        self.n, self.first = 0, 0
        self.jumps: deque[tuple[int, float]] = deque()
        self.last = self.largest = 0.0
        self.time = self.longest = math.nan

    def begin(self, time: float, value: float) -> None:
        """Set the value that the expression had at all times before ``time`` [s]."""
        self.n, self.first = 1, 0
        self.rows[0] = [time - 1.0, time, *[value] * 5]
        self.jumps.clear()
        self.last, self.largest = value, abs(value)

    def limits(self) -> tuple[int, int]:
        """Return the first row that may be looked up, and the one behind the last."""
        return self.first, self.jumps[0][0] if self.jumps else self.n

    def add(self, begin: float, end: float, values: Sequence[float], now: float) -> None:
        """Append a stretch that begins with the last value; forget what is needed only by delays that end before ``now``
        [s].
        """
        if self.n == len(self.rows):
            self._make_room(now)
        self.rows[self.n] = [begin, end, self.last, *values]
        self.n += 1
        self.last, self.largest = values[-1], max(self.largest, *map(abs, values))

    def go_on(self, time: float, value: float) -> None:
        """Append the value after an event."""
        self.largest = max(self.largest, abs(value))
        jumps = abs(value - self.last) > _JUMP * self.largest
        self.last = value
        if jumps and self.delay.fixed:
            self.jumps.append((self.n, time))

    def arrive(self, time: float) -> None:
        """Pass the jumps whose time has come."""
        while self.jumps and self.jumps[0][1] + self.time <= time:
            self.first = self.jumps.popleft()[0]

    def _make_room(self, now: float) -> None:
        """Forget what is older than the longest delay; if that is little, take more memory."""
        old = int(np.searchsorted(self.rows[: self.n, 1], now - self.longest - 1e-9 * abs(now)))
        old = min(old, self.n - 1)
        if 2 * old < self.n:
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
        if old:
            self.rows[: self.n - old] = self.rows[old : self.n].copy()
            self.n, self.first = self.n - old, max(self.first - old, 0)
            self.jumps = deque((row - old, time) for row, time in self.jumps)

    def data(self) -> dict[str, Any]:
        """Return the past as plain data, for snapshots."""
        jumps = np.array(list(self.jumps), dtype=float).reshape(-1, 2)
        numbers = np.array([self.last, self.largest, self.time, self.longest])
        return {"rows": self.rows[: self.n].copy(), "first": self.first, "jumps": jumps, "numbers": numbers}

    def take(self, data: Mapping[str, Any]) -> None:
        """Restore the data of `data`. Raises ValueError if they do not fit: rows are looked up without checks."""
        rows, jumps, first = data["rows"], data["jumps"], int(data["first"])
        places = [first, *map(int, jumps[:, 0])]
        if (
            rows.dtype != np.float64
            or rows.shape != (len(rows), _COLUMNS)
            or not (rows[:, 1] > rows[:, 0]).all()
            or sorted(places) != places
            or not 0 <= first < len(rows)
            or places[-1] > len(rows)
        ):
            raise ValueError(f"the past of '{self.delay.text}' is damaged")
        self.n, self.first = len(rows), first
        self.rows = np.concatenate([rows, np.zeros((_ROOM, _COLUMNS))])
        self.jumps = deque((int(row), float(time)) for row, time in jumps)
        self.last, self.largest, self.time, self.longest = map(float, data["numbers"])


class DelaysRun(ComponentRun, Jumps, Saves):
    """All delays in one simulation. Values are given in the order of `Delays.followed`.

    Attributes:
        kept_from: the past is looked up from this time on [s] after the step under way, too: at output points.
    """

    def __init__(self, delays: Delays) -> None:
        self.delays = delays
        self._pasts = [_Past(delay) for delay in delays.delays]
        self._table = np.zeros((len(self._pasts), 3), dtype=np.int64)
        self._begun = False
        self.kept_from = math.inf

    # -- what the simulation calls ----------------------------------------------------------------------------------------

    def begin(self, time: float, values: np.ndarray) -> bool:
        """Take the values at the initial event; whether they are those that were looked up.

        Raises:
            SimulationError: a delay time is not possible.
        """
        stays = self._begun
        for past, (value, *_) in zip(self._pasts, values.reshape(-1, 3).tolist(), strict=True):
            stays = stays and bool(abs(value - past.last) <= 1e-12 * max(abs(value), abs(past.last)))
            past.begin(time, value)
        self._begun = True
        self._take_times(time, values)
        self._tell()
        return stays

    def arrive(self, time: float) -> None:
        """See `Jumps`: what arrives now is looked up from now on."""
        for past in self._pasts:
            past.arrive(time)
        self._tell()

    def go_on(self, time: float, values: np.ndarray) -> None:
        """Take the values after an event, from which the next step begins."""
        for past, (value, *_) in zip(self._pasts, values.reshape(-1, 3).tolist(), strict=True):
            past.go_on(time, value)
        self._take_times(time, values)
        self._tell()

    def follow(self, begin: float, end: float, values: np.ndarray) -> None:
        """Take the values at `PARTS` of a step, shape (4, n)."""
        for past, rows in zip(self._pasts, values.reshape(len(PARTS), -1, 3).transpose(1, 0, 2), strict=True):
            past.add(begin, end, rows[:, 0].tolist(), min(begin, self.kept_from))
        self._take_times(end, values[-1])
        self._tell()

    @property
    def largest(self) -> np.ndarray:
        """The largest absolute value of each expression so far."""
        return np.array([past.largest for past in self._pasts])

    @property
    def longest_step(self) -> float:
        """Return the longest step that may be made [s]."""
        return min(past.time if past.delay.fixed else max(past.time, SHORTEST * past.longest) for past in self._pasts)

    def _take_times(self, now: float, values: np.ndarray) -> None:
        for past, (_, time, longest) in zip(self._pasts, values.reshape(-1, 3).tolist(), strict=True):
            past.time, past.longest = time, longest
            if past.delay.fixed and not 0.0 < time < math.inf:
                raise SimulationError(
                    f"the delay time of '{past.delay.text}' is not positive",
                    time=now,
                    path=past.delay.path,
                    found=f"{time!r} s",
                    expected="a positive time; without a delay write the expression itself",
                )
            if not (past.delay.fixed or 0.0 <= time <= longest < math.inf):
                raise SimulationError(
                    f"the delay time of '{past.delay.text}' is out of its range",
                    time=now,
                    path=past.delay.path,
                    found=f"{time!r} s",
                    expected=f"from 0 to {longest!r} s, the largest one",
                )

    def _tell(self) -> None:
        """Pass the position of the stored past to the machine code."""
        for k, past in enumerate(self._pasts):
            self._table[k] = past.rows.ctypes.data, *past.limits()

    # -- as a component ---------------------------------------------------------------------------------------------------

    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        """Return a layout without states: delays have none."""
        if start.x is None and not self._begun:
            for past in self._pasts:
                past.begin(start.time, 0.0)
        self._tell()
        return SegmentLayout((), np.zeros(0), data=[self._table.ctypes.data], keep=self._table)

    def event(self, start: SegmentStart) -> SegmentChange | None:
        """Return None: delays never change the structure."""
        return None

    def next_time_event(self, time: float) -> float:
        """Return the time at which the next jump arrives [s]."""
        return min((past.jumps[0][1] + past.time for past in self._pasts if past.jumps), default=math.inf)

    def snapshot(self) -> dict[str, Any]:
        """Return the past of all delays as plain data."""
        return {"pasts": [past.data() for past in self._pasts]}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore the data of `snapshot`. Raises ValueError if they do not fit."""
        for past, given in zip(self._pasts, data["pasts"], strict=True):
            past.take(given)
        self._begun = True
