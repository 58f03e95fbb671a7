"""Comparison of two results: signal by signal, within a band, with the events of both at their times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...model.errors import ModelError
from .exports import Signals, columns, matching

RELATIVE, ABSOLUTE = 1e-3, 1e-6


@dataclass(frozen=True)
class Difference:
    """Largest difference of a signal between two results.

    Attributes:
        name: of the signal, or of the element of an array.
        excess: largest distance, as a multiple of the band; more than 1: they differ. NaN in one of them only is infinite.
        distance: the distance there. time: when [s]. a, b: both values there.
    """

    name: str
    excess: float
    distance: float
    time: float
    a: float
    b: float

    @property
    def differs(self) -> bool:
        """True if the distance is outside of the band."""
        return not self.excess <= 1.0


@dataclass(frozen=True)
class Comparison:
    """Outcome of `compare`: ``differences`` of all signals of both, the worst first; signals that only one of them has.

    ``points`` are how many both have, ``interpolated`` says whether these are not the same: then values between the points of
    one of them are compared, too.
    """

    differences: tuple[Difference, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    points: tuple[int, int] = (0, 0)
    interpolated: bool = False

    @property
    def same(self) -> bool:
        """True if no signal differs, and both results have the same signals."""
        return not self.only_a and not self.only_b and not any(d.differs for d in self.differences)


def compare(
    a: Signals,
    b: Signals,
    names: Sequence[str] | None = None,
    *,
    relative: float = RELATIVE,
    absolute: float = ABSOLUTE,
    time_tolerance: float = 0.0,
) -> Comparison:
    """Compare two results.

    Both are compared at the points of both, between points linearly; where one has an event, which has two points, the values
    before and after it are compared with those of the other one just before and after. The band around ``a`` is ``absolute +
    relative`` times the largest magnitude of the signal in ``a``.

    Args:
        a, b: the results; ``a`` is the reference.
        names: of signals, wildcards too; by default all variables and states that both have.
        relative, absolute: the band.
        time_tolerance: by how much events may be shifted [s]: a value is also right if ``b`` has it, or passes it, that much
            earlier or later.

    Raises:
        ModelError: a wrong argument, an unknown name, or results that have no time in common.
    """
    for name, value in (("relative", relative), ("absolute", absolute), ("time_tolerance", time_tolerance)):
        if not 0.0 <= value < np.inf:
            raise ModelError(f"the argument '{name}' of compare is wrong", found=repr(value), expected="a number, 0 or more")
    if not a.time.size or not b.time.size or max(a.time[0], b.time[0]) > min(a.time[-1], b.time[-1]):
        raise ModelError("the results have no time in common")
    if names is None:
        in_a, in_b = a.scalar_signals(), b.scalar_signals()
    else:
        in_a, in_b = _named(a, b, names), _named(b, a, names)
    left, right = _columns(a, [n for n in in_a if n in b]), _columns(b, [n for n in in_b if n in a])
    grid = _Grid(a.time, b.time, time_tolerance)
    found = [grid.difference(name, left[name], right[name], relative, absolute) for name in left if name in right]
    found += [Difference("time", np.inf, abs(a.time[-1] - b.time[-1]), b.time[-1], a.time[-1], b.time[-1])] * grid.ends_differ
    found.sort(key=lambda d: -d.excess)
    only_a = [n for n in in_a if n not in b] + [n for n in left if n not in right]
    only_b = [n for n in in_b if n not in a] + [n for n in right if n not in left]
    points = a.time.size, b.time.size
    return Comparison(tuple(found), tuple(only_a), tuple(only_b), points, not np.array_equal(a.time, b.time))


def _named(one: Signals, other: Signals, names: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for name in names:
        try:
            found |= dict.fromkeys(matching(one, name))
        except ModelError:
            matching(other, name)  # raises where nobody has it
    return list(found)


def _columns(result: Signals, names: Sequence[str]) -> dict[str, np.ndarray]:
    return {element: values for _, element, values in columns(result, names)}


class _Grid:
    """The times of both results, from the later beginning to the earlier end; those of events twice."""

    def __init__(self, time_a: np.ndarray, time_b: np.ndarray, shift: float) -> None:
        self.a, self.b, self.shift = time_a, time_b, shift
        begin, end = max(time_a[0], time_b[0]), min(time_a[-1], time_b[-1])
        near = 1e-9 * max(abs(begin), abs(end), 1e-300) + shift
        self.ends_differ = bool(abs(time_a[-1] - time_b[-1]) > near or abs(time_a[0] - time_b[0]) > near)
        every = np.unique(np.concatenate([time_a, time_b]))
        self.time = every[(every >= begin) & (every <= end)]

    def difference(self, name: str, a: np.ndarray, b: np.ndarray, relative: float, absolute: float) -> Difference:
        """Return the difference of a signal."""
        finite = np.abs(a[np.isfinite(a)])
        band = absolute + relative * (float(finite.max()) if finite.size else 0.0)
        worst = Difference(name, 0.0, 0.0, float(self.time[0]), float(a[0]), float(b[0]))
        for side in ("left", "right"):
            at_a, at_b = _values(self.a, a, self.time, side), _values(self.b, b, self.time, side)
            low, high = self._around(b, at_b)
            gap = np.where((at_a >= low) & (at_a <= high), 0.0, np.minimum(abs(at_a - low), abs(at_a - high)))
            gap = np.where(np.isnan(at_a) & np.isnan(at_b), 0.0, np.where(at_a == at_b, 0.0, gap))
            gap = np.where(np.isnan(gap), np.inf, gap)
            k = int(np.argmax(gap))
            excess = 0.0 if gap[k] == 0.0 else gap[k] / band if band else np.inf
            if (excess, gap[k]) > (worst.excess, worst.distance):  # without a band all that differs is infinitely outside
                worst = Difference(name, float(excess), float(gap[k]), float(self.time[k]), float(at_a[k]), float(at_b[k]))
        return worst

    def _around(self, b: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and largest value of ``b`` within the permitted shift around each time."""
        if not self.shift:
            return at, at
        low, high = at.copy(), at.copy()
        first = np.searchsorted(self.b, self.time - self.shift)
        last = np.searchsorted(self.b, self.time + self.shift, side="right")
        for k, (i, j) in enumerate(zip(first, last, strict=True)):
            if i < j:
                low[k], high[k] = np.fmin(low[k], b[i:j].min()), np.fmax(high[k], b[i:j].max())
        for shifted in (self.time - self.shift, self.time + self.shift):
            inside = np.clip(shifted, self.b[0], self.b[-1])
            for side in ("left", "right"):
                value = _values(self.b, b, inside, side)
                low, high = np.fmin(low, value), np.fmax(high, value)
        return low, high


def _values(time: np.ndarray, x: np.ndarray, at: np.ndarray, side: str) -> np.ndarray:
    """Return the values at times within those of the result, linear between points.

    At an event, it is the value before ("left") or after it.
    """
    if side == "left":
        k = np.clip(np.searchsorted(time, at, side="left"), 1, time.size - 1)
        exact = np.searchsorted(time, at, side="left")
    else:
        exact = np.searchsorted(time, at, side="right") - 1
        k = np.clip(exact + 1, 1, time.size - 1)
    exact = np.clip(exact, 0, time.size - 1)
    hit = time[exact] == at
    if time.size == 1:
        return np.full(at.size, x[0])
    span = time[k] - time[k - 1]
    with np.errstate(all="ignore"):
        between = x[k - 1] + (at - time[k - 1]) / np.where(span > 0, span, 1.0) * (x[k] - x[k - 1])
    return np.where(hit, x[exact], between)
