"""Random results with events, compared point by point by the definition."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modiapy import ModelError
from modiapy.simulation.results.comparison import compare

pytestmark = pytest.mark.white_box


@dataclass
class Points:
    """A result of one signal ``x``, linear between points; an event has two of them."""

    time: np.ndarray
    x: np.ndarray

    def __contains__(self, name: object) -> bool:
        return name == "x"

    def __getitem__(self, name: str) -> np.ndarray:
        return {"x": self.x, "time": self.time}[name]

    def signals(self) -> list[str]:
        return ["x"]

    scalar_signals = signals

    def limits(self, t: float) -> tuple[float, float]:
        """The values just before and just after a time."""
        here = [float(x) for at, x in zip(self.time, self.x, strict=True) if at == t]
        if here:
            return here[0], here[-1]
        k = max(k for k, at in enumerate(self.time) if at < t)
        part = (t - self.time[k]) / (self.time[k + 1] - self.time[k])
        return 2 * (float(self.x[k] + part * (self.x[k + 1] - self.x[k])),)

    def near(self, t: float, shift: float) -> list[float]:
        """The values between which it is within the shift of a time."""
        ends = [min(max(t + s, float(self.time[0])), float(self.time[-1])) for s in (-shift, shift)]
        inside = [float(x) for at, x in zip(self.time, self.x, strict=True) if t - shift <= at <= t + shift]
        return [*self.limits(ends[0]), *self.limits(ends[1]), *inside]


@st.composite
def points(draw: st.DrawFn, *, holes: bool = False) -> Points:
    steps = draw(st.lists(st.sampled_from([0, 1, 1, 2, 3]), min_size=1, max_size=7))
    first = draw(st.integers(0, 3))
    time = np.cumsum([first, *steps]) / 8.0
    value = st.integers(-8, 8) | st.just(math.nan) if holes else st.integers(-8, 8)
    values = draw(st.lists(value, min_size=time.size, max_size=time.size))
    if time[-1] == time[0]:
        time[-1] += 1.0
    return Points(time, np.array(values) / 4.0)


@given(a=points(), b=points(), relative=st.sampled_from([0.0, 0.1, 0.5]), absolute=st.sampled_from([0.0, 0.2, 1.0]),
       shift=st.sampled_from([0.0, 0.0, 1 / 16, 1 / 8, 3 / 8]))  # fmt: skip
def test_the_excess_is_the_largest_gap_by_the_band(a, b, relative, absolute, shift):
    times = [t for t in {*a.time.tolist(), *b.time.tolist()} if max(a.time[0], b.time[0]) <= t <= min(a.time[-1], b.time[-1])]
    if not times:
        return
    band, largest = absolute + relative * float(np.abs(a.x).max()), 0.0
    for t in times:
        for side in (0, 1):
            wanted = a.limits(t)[side]
            allowed = b.near(t, shift) if shift else [b.limits(t)[side]]
            largest = max(largest, min(allowed) - wanted, wanted - max(allowed))
    found = {d.name: d for d in compare(a, b, relative=relative, absolute=absolute, time_tolerance=shift).differences}
    assert found["x"].distance == pytest.approx(largest, abs=1e-12)
    assert found["x"].excess == pytest.approx(largest / band if band else math.inf if largest > 1e-12 else 0.0)
    assert ("time" in found) == any(abs(a.time[k] - b.time[k]) > shift + 1e-6 for k in (0, -1))
    if "time" in found:
        ends = found["time"]
        assert (ends.a, ends.b, ends.time) == (a.time[-1], b.time[-1], b.time[-1])
        assert (ends.distance, ends.excess) == (abs(a.time[-1] - b.time[-1]), math.inf)
    if largest:
        assert found["x"].a in a.limits(found["x"].time)
        assert found["x"].b in b.limits(found["x"].time)


@given(a=points(holes=True), b=points(holes=True))
def test_what_has_a_value_in_one_of_them_only_is_infinitely_apart(a, b):
    """And what has none in both is the same; the band is that of what has a value."""
    times = [t for t in {*a.time.tolist(), *b.time.tolist()} if max(a.time[0], b.time[0]) <= t <= min(a.time[-1], b.time[-1])]
    if not times:
        return
    pairs = [(p, q) for t in times for p, q in zip(a.limits(t), b.limits(t), strict=True)]
    missing = any(math.isnan(p) != math.isnan(q) for p, q in pairs)
    largest = max((abs(p - q) for p, q in pairs if not math.isnan(p - q)), default=0.0)
    (found,) = (d for d in compare(a, b, relative=0.5, absolute=0.25).differences if d.name == "x")
    assert found.excess == (math.inf if missing else pytest.approx(largest / (0.25 + 0.5 * np.nanmax(np.abs([0.0, *a.x])))))
    if missing:
        assert math.isnan(found.a) != math.isnan(found.b)


@pytest.mark.parametrize("before", [True, False])
def test_results_that_only_touch_are_compared_there_and_others_refused(before):
    one, other = Points(np.array([0.0, 1.0]), np.array([5.0, 2.0])), Points(np.array([1.0, 3.0]), np.array([2.0, 7.0]))
    apart = Points(np.array([1.25, 3.0]), np.array([2.0, 7.0]))
    found = {d.name: d for d in (compare(one, other) if before else compare(other, one)).differences}
    assert (found["x"].excess, found["x"].time) == (0.0, 1.0)
    with pytest.raises(ModelError, match="the results have no time in common"):
        compare(one, apart) if before else compare(apart, one)
    empty = Points(np.zeros(0), np.zeros(0))
    with pytest.raises(ModelError, match="the results have no time in common"):
        compare(one, empty) if before else compare(empty, one)
