"""The scenes of the benchmark of contact are the same for both programs, and its figures say what they are called."""

import numpy as np
import pytest

from benchmarks import contact, contact_scenes
from benchmarks.common import HERE
from modiapy import instantiate

mujoco = pytest.importorskip("mujoco")


@pytest.mark.parametrize("name", ["billiard", "stack", "rattleback", "bowl"])
def test_both_programs_begin_alike(name):
    scene = contact.CASES[name]() if name != "bowl" else contact_scenes.bowl(8)
    result = instantiate(scene.model()).simulate(1e-6, tolerance=1e-6)
    trial = contact.mujoco_run(scene, 1.0, "Euler", 1e-3, 10.0)
    assert np.isfinite(trial.energy_error)
    model = mujoco.MjModel.from_xml_string(scene.xml(100.0))
    assert model.nbody - 1 == len(scene.moving)
    assert sum(model.body_mass) == pytest.approx(sum(body.mass for body in scene.bodies.values()))
    height = [result[f"{body}.r_abs"][0] for body in scene.moving]
    assert np.allclose(height, model.body_pos[1:], atol=1e-12)


def test_a_rise_is_counted_from_the_least_energy_before():
    assert contact.rise(np.array([5.0, 3.0, 3.5, 1.0, 1.25]), 2.0) == 0.25
    assert contact.rise(np.array([1.0, np.nan]), 1.0) == np.inf


def test_a_row_has_ours_and_the_best_of_the_peer(monkeypatch):
    monkeypatch.setitem(contact.CASES, "dropped", lambda: contact_scenes.dropped(2))
    monkeypatch.setattr(contact, "STEPS", (5e-3, 1e-3))
    row = contact.compared("dropped", 1)
    assert len(row["settings"]) == 2 * len(contact.INTEGRATORS) * len(contact.PERIODS)
    assert row["penetration"] > 0.0
    assert row["energy_error"] < 1e-3
    names = {f"{t['integrator']}, {t['step']:g} s, period {t['period']:g} steps": t for t in row["settings"]}
    assert names[row["mujoco_setting"]]["seconds"] == row["mujoco_s"]


def test_the_exponent_is_that_of_a_power():
    assert contact.exponent({n: 0.1 * n**0.8 for n in (10, 30, 100)}) == pytest.approx(0.8)


def test_settings_are_tried_as_long_as_a_run_takes_no_longer_than_the_patience(monkeypatch):
    """A run with half of the step takes twice as long."""
    monkeypatch.setattr(contact, "STEPS", (8e-3, 4e-3, 2e-3, 1e-3))
    monkeypatch.setattr(contact, "PATIENCE", 2.0)
    monkeypatch.setattr(
        contact, "mujoco_run", lambda _, __, how, step, period: contact.Trial(how, step, period, 4e-3 / step, 0.0, 0.0)
    )
    tried = list(contact.trials(contact_scenes.dropped(2), 1.0))
    assert [trial.step for trial in tried[:3]] == [8e-3, 4e-3, 2e-3]
    assert len(tried) == 3 * len(contact.INTEGRATORS) * len(contact.PERIODS)


def test_two_builds_are_compared_case_by_case():
    (row,) = contact.builds(HERE, ["rattleback"], 1)
    assert row["case"] == "rattleback"
    assert row["ratio"] == row["seconds"] / row["before_seconds"]
    assert row["steps"] == row["before_steps"] > 100  # the same build
    assert row["penetration"] == row["before_penetration"] > 0.0
    assert row["memory_mb"] > 10.0


def test_a_build_that_fails_says_why(tmp_path):
    with pytest.raises(RuntimeError, match=r"failed in [\s\S]*no attribute 'unknown'"):
        contact.builds(HERE, ["unknown"], 1)
