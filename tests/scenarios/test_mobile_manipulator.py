"""The mobile manipulator: inverse kinematics of its targets, where the ball goes, what the drives hold."""

import math

import numpy as np
import pytest

UPPER, FORE = 0.155, 0.135
SHOULDER = (0.033, 0.15)
"""Distance from the first axis and height above the mount's deck."""
GRIP = 0.2
"""From the fourth joint to the middle of the ball."""
MOUNT, TRAY, DECK, RADIUS = 0.17, -0.08, 0.15, 0.025
G = 9.81
MASSES = {"link2.solid": 1.0, "link3.solid": 0.8, "link4.solid": 0.7, "palm.solid": 0.3, "left": 0.02, "right": 0.02}


@pytest.fixture
def result(simulated):
    return simulated("mobile_manipulator")


def pointing_down(height):
    """Angles of joints 2 to 4 that bring the hand, pointing down, over the tray at a height above the deck."""
    r, h = MOUNT - TRAY - SHOULDER[0], height + GRIP - SHOULDER[1]
    elbow = math.acos((r**2 + h**2 - UPPER**2 - FORE**2) / (2 * UPPER * FORE))
    shoulder = math.atan2(r, h) - math.atan2(FORE * math.sin(elbow), UPPER + FORE * math.cos(elbow))
    return shoulder, elbow, math.pi - shoulder - elbow


def at(result, time):
    """Row of the last point before a time."""
    return int(np.searchsorted(result.time, time - 1e-9)) - 1


def test_segments(result):
    assert [record.start for record in result.segments] == [0.0, 0.0, 5.0, 14.0, 18.0]
    assert [record.states_variant for record in result.segments] == [13, 0, 0, 0, 0]
    assert {record.states_invariant for record in result.segments} == {21}
    assert result.statistics["compilations_after_start"] == 0


@pytest.mark.parametrize("time", [5.0, 14.0, 18.0])
def test_the_arm_reaches_the_angles_of_the_closed_form(result, time):
    row = at(result, time)
    found = [result[f"joint{k}.phi"][row] for k in (1, 2, 3, 4, 5)]
    np.testing.assert_allclose(found, [math.pi, *pointing_down(0.02 + RADIUS), 0.0], atol=2e-4)


def test_the_ball_rides_on_what_it_is_locked_to(result):
    holders = {2: "tray", 3: "hand", 4: "tray", 5: "hand"}
    for index, holder in holders.items():
        segment = result.segment(index)
        R, p = segment[f"{holder}.R_abs"], segment[f"{holder}.r_abs"]
        offset = np.einsum("tji,tj->ti", R, segment["ball.body.r_abs"] - p)
        expected = [0.0, 0.0, RADIUS] if holder == "tray" else [0.0, 0.0, 0.0]
        np.testing.assert_allclose(offset, np.broadcast_to(offset[0], offset.shape), atol=1e-9)
        np.testing.assert_allclose(offset[0], expected, atol=1e-3)


def test_where_the_ball_is(result):
    height = DECK + 0.02 + RADIUS
    for time, x in ((5.0, TRAY), (14.0, 0.8 + TRAY), (18.0, 0.8 + TRAY)):
        np.testing.assert_allclose(result["ball.body.r_abs"][at(result, time)], [x, 0.0, height], atol=1e-3)
    angles = np.cumsum([0.3, 1.2, 1.2])
    reach = np.array([UPPER, FORE, GRIP])
    final = [0.8 + MOUNT + SHOULDER[0] + reach @ np.sin(angles), 0.0, DECK + SHOULDER[1] + reach @ np.cos(angles)]
    np.testing.assert_allclose(result["ball.body.r_abs"][-1], final, atol=2e-3)


def test_the_fingers_move_together_and_touch_the_ball(result):
    np.testing.assert_allclose(result["slide_left.s"], result["slide_right.s"], atol=1e-9)
    for time in (5.0, 14.0, 18.0):
        assert result["slide_left.s"][at(result, time)] == pytest.approx(RADIUS, abs=1e-4)


@pytest.mark.parametrize(("index", "held"), [(2, 0.0), (3, 0.1), (4, 0.0), (5, 0.1)])
def test_the_drive_of_the_shoulder_holds_the_arm_and_the_ball_if_it_is_in_the_hand(result, index, held):
    """At the end of each segment everything stands still: the torque balances the weights."""
    segment = result.segment(index)
    assert abs(segment["joint2.w"][-1]) < 1e-3
    pivot, axis = segment["shoulder.r_abs"][-1], segment["shoulder.R_abs"][-1][:, 1]
    weights = MASSES | {"ball.body": held}
    moment = sum(np.cross(segment[f"{name}.r_abs"][-1] - pivot, [0.0, 0.0, -m * G]) for name, m in weights.items())
    assert segment["joint2.flange.tau"][-1] == pytest.approx(-axis @ moment, abs=2e-3)
    assert abs(axis @ moment) > 1.0


def test_the_joints_follow_their_references(result):
    for k in range(1, 6):
        assert np.abs(result[f"joint{k}.phi"] - result[f"actions.joint{k}.position"]).max() < 0.03
    assert np.abs(result["track.s"] - result["actions.track.position"]).max() < 0.01
