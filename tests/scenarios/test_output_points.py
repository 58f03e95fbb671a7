"""Scenarios with programs that wait, end stops and locks: the same bits whatever the output points are."""

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("name", "tolerance"), [("brake_and_stop", 1e-8), ("mobile_manipulator", 1e-6), ("handover", 1e-6), ("mosar", 1e-6)]
)
def test_the_same_events_and_final_states_for_two_intervals(name, tolerance, simulated, scenario):
    first = simulated(name)
    stop = float(first.time[-1])
    interval = 1.37 * float(np.diff(first.time).max())
    second = scenario(name).simulate(first.stop_time, tolerance=tolerance, interval=interval)
    assert second.time[-1] == stop
    for one, other in zip(first.segments, second.segments, strict=True):
        assert (one.start, one.cause, one.events, one.steps) == (other.start, other.cause, other.events, other.steps)
    names = first.segment(first.segments[-1].index).states
    assert [float(first[n][-1]).hex() for n in names] == [float(second[n][-1]).hex() for n in names]
    assert [entry["time"] for entry in first.program_log] == [entry["time"] for entry in second.program_log]
