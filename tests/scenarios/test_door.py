"""The door on two hinges that a robot opens: redundant rows, a loop closed while running, reactions, energy."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "scenarios" / "door"
WEIGHT = 18.0 * 9.81
OPEN = np.radians(80.0)


@pytest.fixture(scope="module")
def result(simulated):
    return simulated("door")


@pytest.fixture(scope="module")
def plan():
    spec = importlib.util.spec_from_file_location("door_plan", FOLDER / "plan.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_gripping_takes_three_degrees_of_freedom_and_what_is_redundant_is_named(result):
    infos = [record.info for record in result.segments]
    assert [info["dof"] for info in infos] == [4, 1, 4]
    for info, count in zip(infos, (0, 3, 0), strict=True):
        of_hinge = [row for row in info["redundant"] if row.startswith("upper_hinge ")]
        of_hand = [row for row in info["redundant"] if row.startswith("hand - handle ")]
        assert len(of_hinge) == 5
        assert len(of_hand) == count
        assert len(info["redundant"]) == 5 + count
    assert result.statistics["compilations_after_start"] == 0
    assert result.success


def test_the_second_hinge_and_the_hand_stay_closed(result):
    assert result["mechanics.constraint_residual"].max() < 1e-9
    for side in ("lower", "upper"):
        assert np.abs(result[f"{side}_edge.r_abs"] - result[f"{side}_post.r_abs"]).max() < 1e-9
    held = result.segment(2)
    apart = np.einsum("tji,tj->ti", held["handle.R_abs"], held["hand.r_abs"] - held["handle.r_abs"])
    assert np.ptp(apart, axis=0).max() < 1e-9
    turned = np.einsum("tji,tjk->tik", held["handle.R_abs"], held["hand.R_abs"])
    assert np.ptp(turned, axis=0).max() < 1e-9


def test_the_door_opens_and_stays_open(result):
    opening = -result["lower_hinge.phi"]
    assert opening[0] == 0.0
    assert np.ptp(opening[result.time < 2.0]) == 0.0
    assert opening[-1] == pytest.approx(OPEN, abs=1e-3)
    np.testing.assert_allclose(opening, -result["upper_hinge.phi"], atol=1e-9)
    assert np.abs(result.segment(3)["lower_hinge.w"]).max() < 1e-3  # what the hand leaves it
    assert np.abs(result["door.r_abs"][:, 2] - 0.9).max() < 1e-9


def test_the_arm_goes_round_the_hinge_by_its_inverse_kinematics(result, plan):
    held = result.segment(2)
    wanted = np.array([plan.angles(-phi) for phi in held["lower_hinge.phi"]])
    joints = np.stack([held[f"joint{k}.phi"] for k in (1, 2, 3)], axis=1)
    np.testing.assert_allclose(joints, wanted, atol=1e-4)  # what was missed at the handle
    np.testing.assert_allclose(joints[-1], plan.angles(OPEN), atol=1e-3)


def test_both_hinges_together_bear_the_weight_and_its_moment(result):
    """Which of them bears how much is not unique; the sums are."""
    force = result["lower_hinge.cut_force"] + result["upper_hinge.cut_force"]
    apart = result.time < 2.0  # at rest, no hand at it
    np.testing.assert_allclose(force[apart], np.broadcast_to([0.0, 0.0, WEIGHT], force[apart].shape), atol=1e-6)
    torque = result["lower_hinge.cut_torque"] + result["upper_hinge.cut_torque"]
    arm = np.array([0.0, 0.0, 1.2])  # from the lower hinge to the upper one
    about_lower = torque + np.cross(arm, result["upper_hinge.cut_force"])
    np.testing.assert_allclose(about_lower[apart][:, 1], -WEIGHT * 0.3, atol=1e-6)


def test_what_the_drives_give_is_motion_and_friction_and_the_loop_takes_nothing(result):
    held = result.segment(2)
    power = sum(held[f"joint{k}.flange.tau"] * held[f"joint{k}.w"] for k in (1, 2, 3))
    loss = 2.0 * held["lower_hinge.w"] ** 2
    steps = np.diff(held.time)
    work = np.concatenate([[0.0], np.cumsum(steps * ((power - loss)[1:] + (power - loss)[:-1]) / 2)])
    energy = held["mechanics.kinetic_energy"]
    assert energy.max() > 0.3
    np.testing.assert_allclose(energy - energy[0], work, atol=0.01 * energy.max())


def test_the_scenario_holds_what_the_planner_computes(plan, tmp_path):
    copy = tmp_path / "door.yaml"
    copy.write_text((FOLDER / "door.yaml").read_text())
    plan.store(copy)
    assert copy.read_text() == (FOLDER / "door.yaml").read_text()
