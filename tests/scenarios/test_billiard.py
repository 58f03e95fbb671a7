"""The break: what the table takes is all that is lost, and balls stay where the cushions keep them."""

import numpy as np
import pytest

RADIUS, MU, ROLLING, G = 0.03, 0.8, 0.01, 9.81
MASS = 1750.0 * 4.0 / 3.0 * np.pi * RADIUS**3
NAMES = ["cue_ball", *(f"ball{k}" for k in range(1, 16))]


@pytest.fixture
def result(simulated):
    return simulated("billiard")


def test_energy_never_rises(result):
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    start = 0.5 * MASS * (3.0**2 + 0.1**2)
    assert np.diff(energy).max() < 1e-4 * start
    assert energy[-1] - energy[0] < -0.5 * start


def first_on_the_way(result, direction):
    """How far the cue ball goes on a straight line until it touches a ball, and which."""
    ways = {}
    for name in NAMES[1:]:
        offset = (result[f"{name}.r_abs"][0] - result["cue_ball.r_abs"][0])[:2]
        along, beside = offset @ direction, abs(offset @ np.array([-direction[1], direction[0]]))
        if beside < 2.0 * RADIUS:
            ways[along - np.sqrt(4.0 * RADIUS**2 - beside**2)] = name
    return min(ways), ways[min(ways)]


def test_the_cue_ball_slides_then_rolls_and_hits_when_it_should(result):
    """From sliding to rolling at 5/7 of the speed; the resistance of the cloth then takes ``g`` times its coefficient."""
    speed = np.hypot(3.0, 0.1)
    rolls, v = 2.0 * speed / (7.0 * MU * G), 5.0 / 7.0 * speed
    w = result["cue_ball.w_abs"][:, 1]
    row = int(np.searchsorted(result.time, 1.1 * rolls))
    assert w[row] * RADIUS == pytest.approx(result["cue_ball.v_abs"][row, 0], rel=2e-2)
    assert result["cue_ball.v_abs"][row, 0] == pytest.approx(v, rel=2e-2)
    way, name = first_on_the_way(result, np.array([3.0, 0.1]) / speed)
    slow, left = ROLLING * 5.0 / 7.0 * G, way - 12.0 * speed**2 / (49.0 * MU * G)
    expected = rolls + (v - np.sqrt(v**2 - 2.0 * slow * left)) / slow
    hit = next(entry for entry in result.contacts if "cue_ball" in entry["pair"] and "table" not in entry["pair"])
    assert name in hit["pair"]
    assert hit["begin"] == pytest.approx(expected, rel=5e-3)


def test_all_balls_are_reached_and_stay_on_the_table(result):
    for name in NAMES:
        r = result[f"{name}.r_abs"]
        assert np.abs(r[:, 0]).max() < 1.045
        assert np.abs(r[:, 1]).max() < 0.485
        assert np.abs(r[:, 2] - RADIUS).max() < 2e-3
        assert np.linalg.norm(r[-1, :2] - r[0, :2]) > 0.01


def test_nothing_but_the_table_and_cushions_changes_the_momentum(result):
    momentum = result["mechanics.momentum"]
    total = sum(MASS * result[f"{name}.v_abs"] for name in NAMES)
    np.testing.assert_allclose(momentum, total, atol=1e-9)
    assert result.statistics["compilations_after_start"] == 0
