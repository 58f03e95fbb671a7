"""The chain of ten modules: a structure that grows, one rigid body in the end, whose inertia the first drive feels."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

COUNT, SIZE, MODULE_MASS = 10, 0.4, 5.0
FOLDER = Path(__file__).parents[2] / "scenarios" / "chain"


@pytest.fixture
def result(simulated):
    return simulated("chain")


def place(result, module, row):
    return result[f"module{module}.body.r_abs"][row], result[f"module{module}.body.R_abs"][row]


def test_every_lock_takes_six_degrees_of_freedom_and_nothing_is_compiled(result):
    dof = [7 + 6 * (COUNT + 1 - k) for k in range(COUNT + 2)] + [7]
    assert [record.info["dof"] for record in result.segments] == dof
    assert [record.states_variant for record in result.segments] == [13 * ((n - 7) // 6) for n in dof]
    assert {record.states_invariant for record in result.segments} == {35}
    assert result.statistics["compilations_after_start"] == 0


def test_floating_modules_rest_until_they_are_taken(result):
    for module in range(2, COUNT + 1):
        start = place(result, module, 0)[0]
        for index in range(1, module + 1):
            np.testing.assert_array_equal(result.segment(index)[f"module{module}.body.r_abs"][-1], start)


def test_the_chain_is_one_straight_rigid_body(result):
    segment = result.segment(12)
    origin, R = segment["module1.body.r_abs"], segment["module1.body.R_abs"]
    for module in (2, 6, 10):
        offsets = np.einsum("tji,tj->ti", R, segment[f"module{module}.body.r_abs"] - origin)
        np.testing.assert_allclose(offsets[0], [SIZE * (module - 1), 0.0, 0.0], atol=2e-3)  # what was measured at the locks
        np.testing.assert_allclose(offsets, np.broadcast_to(offsets[0], offsets.shape), atol=1e-9)  # and it does not change


def test_the_first_drive_turns_all_there_is(result):
    """Euler's equation about the fixed vertical axis of the first joint; the end effector below it stands still."""
    segment = result.segment(12)
    momentum, torque = segment["mechanics.angular_momentum"][:, 2], segment["joint1.flange.tau"]
    impulse = np.cumsum(np.diff(segment.time) * (torque[1:] + torque[:-1]) / 2)
    assert momentum.max() > 100.0
    np.testing.assert_allclose(impulse, momentum[1:] - momentum[0], atol=0.005 * momentum.max())


def test_the_chain_ends_in_the_dock_and_the_hand_has_left_it(result):
    for module in range(1, COUNT + 1):
        position, R = place(result, module, -1)
        np.testing.assert_allclose(position, [0.0, 0.6 + SIZE * (module - 0.5), 0.8], atol=3e-3)
        np.testing.assert_allclose(R[:, 0], [0.0, 1.0, 0.0], atol=1e-3)
    np.testing.assert_allclose(result["greenEnd.r_abs"][-1], [0.0, 0.4, 0.8], atol=1e-3)
    assert np.abs(result.segment(13)["module5.body.v_abs"]).max() == 0.0


def test_the_scenario_holds_what_the_planner_computes(tmp_path):
    spec = importlib.util.spec_from_file_location("chain_plan", FOLDER / "plan.py")
    plan = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plan)
    copy = tmp_path / "chain.yaml"
    copy.write_text((FOLDER / "chain.yaml").read_text())
    plan.store(plan.targets(), copy)
    assert copy.read_text() == (FOLDER / "chain.yaml").read_text()
