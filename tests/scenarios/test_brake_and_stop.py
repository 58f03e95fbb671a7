"""Brakes and end stops of two pendulums: energy balances, and the rigid stop as the limit of stiffer and stiffer buffers."""

import math

import numpy as np
import pytest

from modiapy import Map

MASS, ARM, G = 2.0, 0.5, 9.81
INERTIA = MASS * (1.0 + 0.05**2) / 12.0 + MASS * ARM**2
"""About the hinge."""
START, STOP = 0.2, 1.2
LEVER, STIFFNESS = 0.3, 1e6


@pytest.fixture
def result(simulated):
    return simulated("brake_and_stop")


def fall(low, high):
    """Work of gravity between two angles."""
    return MASS * G * ARM * (math.sin(high) - math.sin(low))


def test_the_structure(result):
    assert [record.info["dof"] for record in result.segments] == [2, 1, 0, 1, 2, 1, 0, 1, 2, 1]
    assert len({record.states_invariant for record in result.segments}) == 1
    assert result.segments[-1].cause.startswith("left.hinge stops at its upper limit phi = 1.2")
    assert result.statistics["compilations_after_start"] == 0


@pytest.mark.parametrize("index", [3, 7])
def test_closed_brakes_hold_to_the_last_bit(result, index):
    held = result.segment(index)
    for side in ("left", "right"):
        phi = held[f"{side}.hinge.phi"]
        assert np.ptp(phi) == 0.0
        assert np.all(held[f"{side}.hinge.w"] == 0.0)
        weight = MASS * G * ARM * math.cos(phi[0])
        np.testing.assert_allclose(held[f"{side}.hinge.constraint_torque"], -weight, rtol=1e-12)


def test_brakes_that_close_in_the_fall_take_its_energy(result):
    for index, side in ((6, "left"), (7, "right")):
        stopped = result.segment(index)[f"{side}.hinge.phi"][0]
        assert result.segments[index - 1].info["energy_lost"] == pytest.approx(fall(START, stopped), rel=1e-6)
        assert 0.3 < stopped < 0.8


def test_both_pendulums_fall_alike_until_the_stop(result):
    before = result.segment(9)
    np.testing.assert_allclose(before["left.hinge.phi"], before["right.hinge.phi"], atol=1e-6)
    assert before["left.hinge.phi"][-1] == pytest.approx(STOP, abs=1e-8)
    speed = math.sqrt(2.0 * fall(before["left.hinge.phi"][0], STOP) / INERTIA)
    assert before["left.hinge.w"][-1] == pytest.approx(speed, rel=1e-6)


def test_the_rigid_stop_loses_at_once_what_the_buffer_loses_in_time(result):
    begin = result.segment(7)["left.hinge.phi"][0]
    assert result.segments[-1].info["energy_lost"] == pytest.approx(fall(begin, STOP), rel=1e-6)
    left, right = result["left.hinge.phi"], result["right.hinge.phi"]
    assert np.ptp(result.segment(10)["left.hinge.phi"]) == 0.0
    deflection = MASS * G * ARM * math.cos(STOP) / (STIFFNESS * LEVER**2)
    assert right[-1] - left[-1] == pytest.approx(deflection, rel=0.01)
    stored = 0.5 * STIFFNESS * (LEVER * deflection) ** 2
    assert result["heat"][-1] == pytest.approx(fall(begin, right[-1]) - stored, rel=1e-4)
    assert result["heat"][-1] == pytest.approx(result.segments[-1].info["energy_lost"], rel=1e-3)


def test_the_buffer_tends_to_the_rigid_stop(scenario):
    """Deflection and duration fall with the stiffness of a buffer without rebound; no machine code is made for it."""
    sim = scenario("brake_and_stop")
    depths, duration = [], []
    for stiffness in (1e4, 1e6):
        buffer = Map(c=stiffness, d=30.0 * math.sqrt(stiffness))
        result = sim.simulate(2.0, tolerance=1e-8, interval=0.002, merge=Map(buffer=buffer))
        assert result.statistics["compilations_after_start"] == 0
        right, time = result["right.hinge.phi"], np.asarray(result.time)
        depths.append(right.max() - STOP)
        duration.append(time[np.abs(result["right.hinge.w"]) > 0.01][-1] - result.segments[-1].start)
    assert depths[1] < 0.2 * depths[0]
    assert duration[1] < 0.5 * duration[0]
    assert all(depth > 0.0 for depth in depths)
