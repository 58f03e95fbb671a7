"""The rope of 100 locks: tension of the straight rope, the lock that tears, free flight of what is torn off."""

import math
from pathlib import Path

import numpy as np
import pytest

from modia3d.files import read_scenario

SCENARIO = Path(__file__).parents[2] / "scenarios" / "rope" / "rope.yaml"
G, EYE, ROD = 9.81, 0.01, 0.04
TILT = 0.8
STRENGTH = {2: 45.0, 5: 25.0, 8: 13.0}
"""Of the locks above the links 20, 50, 80 [N]."""


@pytest.fixture
def result(simulated):
    return simulated("rope")


def tension(segment, k):
    """Force along the rope in the lock above link 10 k."""
    return -segment[f"rope{k}.link0.ring.cut_force"][:, 2]


def test_the_structure(result):
    assert [record.info["dof"] for record in result.segments] == [700, 100, 106]
    assert [record.states_variant for record in result.segments] == [1500, 200, 213]
    assert result.segments[2].cause == "ActionRelease rope5.link0.ring"
    assert result.statistics["compilations_after_start"] == 0


def test_locking_a_hundred_links_moves_none_of_them(result):
    R = np.array([[math.cos(TILT), 0.0, math.sin(TILT)], [0.0, 1.0, 0.0], [-math.sin(TILT), 0.0, math.cos(TILT)]])
    segment = result.segment(2)
    for k in (0, 5, 9):
        np.testing.assert_allclose(segment[f"rope{k}.link9.tip.r_abs"][0], R @ [0.0, 0.0, -(k + 1.0)], atol=1e-9)
        np.testing.assert_allclose(segment[f"rope{k}.link9.rod.R_abs"][0], R, atol=1e-9)


def test_tension_of_the_straight_rope_at_rest_is_the_weight_below_along_it(result):
    segment = result.segment(2)
    for k in STRENGTH:
        weight = (10 - k) * 10 * (EYE + ROD) * G
        assert tension(segment, k)[0] == pytest.approx(weight * math.cos(TILT), rel=1e-9)


def test_it_tears_where_and_when_the_strength_is_reached_first(result):
    segment = result.segment(2)
    assert tension(segment, 5)[-1] == pytest.approx(STRENGTH[5], rel=1e-6)
    for k, strength in STRENGTH.items():
        assert np.all(tension(segment, k)[:-1] < strength)
    entry = next(e for e in result.program_log if e["kind"] == "wait_until")
    assert entry["time"] == pytest.approx(result.segments[2].start)


def test_another_lock_tears_if_the_middle_one_is_stronger(tmp_path):
    text = SCENARIO.read_text()
    assert text.count("> 25") == 2
    file = tmp_path / "stronger.yaml"
    file.write_text(text.replace("> 25", "> 125"))
    result = read_scenario(file).instantiate().simulate(1.0, interval=0.02)
    assert result.segments[2].cause == "ActionRelease rope2.link0.ring"
    segment = result.segment(2)
    assert tension(segment, 2)[-1] == pytest.approx(STRENGTH[2], rel=1e-6)
    assert tension(segment, 8)[-1] < STRENGTH[8]


def test_energy_is_conserved_also_when_it_tears(result):
    energy = [result.segment(k)["mechanics.kinetic_energy"] + result.segment(k)["mechanics.potential_energy"] for k in (2, 3)]
    fallen = np.ptp(result.segment(3)["mechanics.potential_energy"])
    assert fallen > 5.0
    np.testing.assert_allclose(np.concatenate(energy), energy[0][0], atol=1e-3 * fallen)


def test_what_is_torn_off_flies_freely(result):
    segment = result.segment(3)
    t = np.asarray(segment.time) - segment.time[0]
    links = [f"rope{k}.link{i}" for k in range(5, 10) for i in range(10)]

    def mean(quantity):
        return sum(EYE * segment[f"{link}.eye.{quantity}"] + ROD * segment[f"{link}.rod.{quantity}"] for link in links) / (
            len(links) * (EYE + ROD)
        )

    center, velocity = mean("r_abs"), mean("v_abs")
    expected = center[0] + np.outer(t, velocity[0]) + np.outer(t**2 / 2, [0.0, 0.0, -G])
    np.testing.assert_allclose(center, expected, atol=2e-4)
    gap = np.linalg.norm(segment["rope5.link0.ring.r_abs"] - segment["rope4.link9.tip.r_abs"], axis=1)
    assert gap[0] < 1e-9
    assert gap[-1] > 0.1
