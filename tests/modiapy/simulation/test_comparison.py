"""Random results with events, compared point by point by the definition."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modiapy.simulation.results.comparison import compare


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
def points(draw: st.DrawFn) -> Points:
    steps = draw(st.lists(st.sampled_from([0, 1, 1, 2, 3]), min_size=1, max_size=7))
    first = draw(st.integers(0, 3))
    time = np.cumsum([first, *steps]) / 8.0
    values = draw(st.lists(st.integers(-8, 8), min_size=time.size, max_size=time.size))
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
    if largest:
        assert found["x"].a in a.limits(found["x"].time)
        assert found["x"].b in b.limits(found["x"].time)
