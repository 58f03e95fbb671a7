"""The walking arm as a bridge: ten loops closed and opened, motion in the null space, drives that do not work against it."""

import importlib.util
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "scenarios" / "mosar_bridge"
BRIDGES = range(1, 11)


@pytest.fixture(scope="module")
def result(simulated):
    return simulated("mosar_bridge")


@pytest.fixture(scope="module")
def plan():
    spec = importlib.util.spec_from_file_location("bridge_plan", FOLDER / "plan.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def closed(result, bridge):
    """The segment in which both feet are locked."""
    return result.segment(2 * bridge + 1)


def swivel(segment, back, front):
    """Angle of the elbow about the line between the feet, from where it is highest."""
    foot, ahead = segment[f"{back}End.r_abs"], segment[f"{front}End.r_abs"] - segment[f"{back}End.r_abs"]
    side = np.cross([0.0, 0.0, 1.0], ahead)
    elbow = segment["link4.body.r_abs"] - foot - [0.0, 0.0, 0.2]  # the shoulder is 0.2 m above the foot
    return np.arctan2((elbow * side).sum(axis=1) / np.linalg.norm(side, axis=1), elbow[:, 2])


def test_each_bridge_leaves_one_degree_of_freedom_and_nothing_is_compiled(result):
    assert [record.info["dof"] for record in result.segments] == [13, *(7, 1) * 10, 7]
    assert {record.states_invariant for record in result.segments} == {35}
    assert result.statistics["compilations_after_start"] == 0
    assert result.success


def test_both_feet_keep_their_interfaces_to_rounding_while_the_arm_moves(result, plan):
    assert np.nanmax(result["mechanics.constraint_residual"]) < 1e-9
    for bridge in BRIDGES:
        segment = closed(result, bridge)
        assert segment.time[-1] - segment.time[0] > 5.0
        for index in (bridge - 1, bridge):
            name = f"{plan.foot(index)}End"
            i, j = plan.RING[index]
            np.testing.assert_allclose(segment[f"{name}.r_abs"][0], [0.4 * i, 0.4 * j, 0.0], atol=1e-3)
            assert np.ptp(segment[f"{name}.r_abs"], axis=0).max() < 1e-9
            assert np.ptp(segment[f"{name}.R_abs"], axis=0).max() < 1e-9


def test_the_elbow_swivels_from_side_to_side(result, plan):
    for bridge in BRIDGES:
        angle = swivel(closed(result, bridge), "blue", "green")
        begin = plan.SWIVEL if bridge % 2 == 0 else -plan.SWIVEL
        np.testing.assert_allclose([angle[0], angle[-1]], [begin, -begin], atol=1e-3)
        assert np.abs(angle).max() < plan.SWIVEL + 1e-3


def test_drives_do_not_work_against_each_other_in_the_loop(result):
    """An error of 1 mrad at one drive would strain the loop by some 50 N.m: the gears have 5e4 N.m/rad."""
    for bridge, k in itertools.product(BRIDGES, range(1, 8)):
        segment = closed(result, bridge)
        assert np.abs(segment[f"joint{k}.flange.tau"]).max() < 15.0
        assert np.abs(segment[f"joint{k}.phi"] - segment[f"actions.joint{k}.position"]).max() < 1e-3


def test_closing_a_loop_takes_hardly_any_speed_and_opening_it_moves_nothing(result):
    for bridge in BRIDGES:
        told = result.segments[2 * bridge].info["speeds_changed"]
        assert 0.0 < max(abs(speed) for (speed,) in told.values()) < 1e-5
        opened = result.segment(2 * bridge + 2)
        for k in range(1, 8):
            assert opened[f"joint{k}.phi"][0] == closed(result, bridge)[f"joint{k}.phi"][-1]


def test_the_arm_keeps_clear_of_itself_and_the_platform(plan):
    from clearance import Situation, clearances, on_leg
    from kinematics import end_pose, forward, mated, pose

    q, bridges = plan.plan()
    base = mated(pose(p=(0.4, 0.8, 0.0)))
    for bridge, rows in enumerate(bridges, 1):
        back, front = plan.foot(bridge - 1), plan.foot(bridge)
        stands = Situation(back, base, {}, touching=frozenset({"platform"}))
        legs = [on_leg(q, rows.mate, stands)]
        through = clearances(np.vstack([rows.mate, rows.across]), stands)
        base = end_pose(forward(rows.mate, back, base), front)
        stands = Situation(front, base, {}, touching=frozenset({"platform"}))
        legs.append(on_leg(rows.across[-1], rows.lifted, stands))
        if rows.swung is not None:
            legs.append(on_leg(rows.lifted, rows.swung, stands))
            q = rows.swung
        assert min(through.apart.min(), *(apart for apart, _ in legs)) > 0.02
        assert min(contact for _, contact in legs) > -1e-9


def test_the_scenario_holds_what_the_planner_computes(plan, tmp_path):
    copy = tmp_path / "mosar_bridge.yaml"
    copy.write_text((FOLDER / "mosar_bridge.yaml").read_text())
    plan.store(copy)
    assert copy.read_text() == (FOLDER / "mosar_bridge.yaml").read_text()
