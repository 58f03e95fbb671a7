"""The benchmark of the bridging arm measures what it says."""

import numpy as np
import pytest

from benchmarks import bridge
from modia3d.files import read_scenario

pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def figures():
    return bridge.figures()


def test_our_loop_is_closed_and_the_soft_weld_gives_way(figures):
    assert figures["residual"] < 1e-9
    assert figures["drift"] < 1e-9
    assert figures["compilations"] == 0
    assert 1e-7 < figures["stiff_drift"] < figures["mujoco_drift"] < 1e-3  # soft, but no runaway
    assert 1e-7 < figures["stiff_angle"] < figures["mujoco_angle"] < 1e-3


def test_a_foot_that_nothing_pulls_at_stays(figures):
    """References at rest fit to the weld: what gives way above does so because the arm moves."""
    scenario = read_scenario(bridge.SCENARIO)
    rows = [scenario.model[f"drive{k}"]["phi0"] for k in range(1, 8)]
    control = np.tile([*rows, *(0.0,) * 7], (100, 1))
    assert max(bridge.weld_drift(scenario.model, control, bridge.DEFAULT)) < 1e-9
