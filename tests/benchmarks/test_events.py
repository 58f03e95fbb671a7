"""The benchmark of events, and that their cost does not grow with what was before."""

import math
import sys

import pytest

from benchmarks import events
from modiapy import instantiate


def calls(sim, duration, **options):
    """Calls of functions, steps of generators included, of one simulation."""
    count = 0

    def note(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        sim.simulate(duration, interval=duration, **options)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("stored", [False, True])
def test_the_work_is_linear_in_the_number_of_events(stored, tmp_path):
    sim = instantiate(events.CONTROLLED)
    options = {"output": tmp_path / "result.h5"} if stored else {}
    calls(sim, 0.01, **options)
    few, twice, four = (calls(sim, duration, **options) for duration in (40.0, 80.0, 160.0))  # some calls for 500 events
    assert four - twice == pytest.approx(2 * (twice - few), rel=0.1)
    assert four - twice < 20_000  # less than one for each of four events: they are handled in machine code


def test_the_controller_is_the_one_of_the_recursion():
    result = instantiate(events.CONTROLLED).simulate(0.5, interval=0.5, tolerance=1e-10)
    assert result.statistics["events_by_kind"] == {"clock": 500}
    w = x = y = 0.0
    for _ in range(501):
        x += 1e-3 / 0.5 * (1.0 - w)
        y = 2.0 * (1.0 - w + x)
        last, w = w, y + (w - y) * math.exp(-1e-3 / 0.3)
    assert result["y"][-1] == pytest.approx(y, rel=1e-7)
    assert result["w"][-1] == pytest.approx(last, rel=1e-7)


def test_exponent_and_rows():
    rows = [{"events": n, "seconds": 0.3 * n**1.07} for n in (1, 10, 50)]
    assert events.exponent(rows) == pytest.approx(1.07)
    row = events.measure(0.02)
    assert row["events"] == 20
    assert row["seconds"] > 0.0
    assert row["memory_mb"] > 10.0
