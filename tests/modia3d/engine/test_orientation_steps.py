"""The description of an orientation changes the steps, not the motion: what the accuracy benchmark must show."""

import numpy as np
import pytest

from benchmarks.accuracy import STOP_TIME, TOPS
from modiapy import instantiate

WHEEL = TOPS["fast wheel on a rod hung by a rope"]


@pytest.mark.parametrize("tolerance", [1e-4, 1e-8])
def test_steps_for_a_fast_wheel_on_a_rod(tolerance):
    """The good Cardan sequence turns last about the axle of the wheel, a bad one first."""
    runs = {
        orientation: instantiate(WHEEL.model(orientation)).simulate(STOP_TIME, tolerance=tolerance)
        for orientation in ("yzx", "quaternion", "auto", "xyz")
    }
    steps = {orientation: run.statistics["steps"] for orientation, run in runs.items()}
    assert steps["quaternion"] <= 2.5 * steps["yzx"]
    assert steps["auto"] <= 1.2 * steps["yzx"]
    assert steps["xyz"] > 1.3 * steps["yzx"]
    end = WHEEL.reference()
    for orientation in ("yzx", "quaternion", "auto"):
        assert np.abs(runs[orientation]["body.R_abs"][-1] - end).max() < 1e3 * tolerance
