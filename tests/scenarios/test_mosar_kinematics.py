"""Kinematics of the walking robot's arm: geometry known by hand, inverse against forward, either end as the base."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinematics import (
    BLUE_LOCK,
    GREEN_LOCK,
    end_pose,
    forward,
    inverse,
    link_poses,
    mated,
    pose,
    pose_error,
    relative_target,
    rotation,
    solve,
)

angles = st.lists(st.floats(-3.0, 3.0), min_size=7, max_size=7).map(np.array)


def test_stretched_arm_measures_1_6_m_from_tip_to_tip():
    T = link_poses(np.zeros(7))
    np.testing.assert_allclose(end_pose(T, "green")[:3, 3], [0, 0, 1.6], atol=1e-15)
    np.testing.assert_allclose(end_pose(T, "blue")[:3, :3], np.diag([1, -1, -1]), atol=1e-15)


def test_elbow_at_a_right_angle_puts_the_tip_where_trigonometry_says():
    q = np.array([0, 0, 0, np.pi / 2, 0, 0, 0])
    T = end_pose(link_poses(q), "green")
    np.testing.assert_allclose(T[:3, 3], [0.8, 0, 0.8], atol=1e-15)
    np.testing.assert_allclose(T[:3, 2], [1, 0, 0], atol=1e-15)


def test_arm_standing_on_its_green_end_is_the_same_arm_upside_down():
    q = np.array([0, 0, 0, np.pi / 2, 0, 0, 0])
    T = forward(q, "green", mated(pose()))
    np.testing.assert_allclose(end_pose(T, "blue")[:3, 3], [0.8, 0, 0.8], atol=1e-12)


@settings(max_examples=25)
@given(angles)
def test_all_solutions_of_the_inverse_reach_the_pose(q):
    target = link_poses(q)[7] @ GREEN_LOCK
    wrist = target[:3, 3] - 0.2 * target[:3, 2] - [0, 0, 0.2]
    found = solve(target, np.linspace(0, 6, 7))
    if 1e-2 < np.linalg.norm(wrist) < 1.2 - 1e-6:
        assert found.shape == (56, 7)
    for solution in found:
        assert max(pose_error(link_poses(solution)[7] @ GREEN_LOCK, target)) < 1e-7


@settings(max_examples=25)
@given(angles, st.integers(0, 3), st.sampled_from(["blue", "green"]))
def test_the_base_stays_where_it_stands_and_the_relative_pose_does_not_depend_on_it(q, quarter, base):
    stand = mated(pose(rotation("x", 0.3), (1.0, 2.0, 0.5)), quarter)
    free = "green" if base == "blue" else "blue"
    T = forward(q, base, stand)
    assert max(pose_error(end_pose(T, base), stand)) < 1e-12
    assert max(pose_error(relative_target(base, stand, end_pose(T, free)), link_poses(q)[7] @ GREEN_LOCK)) < 1e-12


def test_targets_out_of_reach_have_no_solution():
    assert solve(pose(p=(0, 0, 1.7)), np.zeros(1)).shape == (0, 7)
    assert solve(pose(p=(1.5, 0, 1.5)), np.zeros(1)).shape == (0, 7)


@pytest.mark.parametrize("quarter", range(4))
def test_mated_frames_face_each_other(quarter):
    A = pose(rotation("y", 0.7), (1.0, 0.0, 0.0))
    relative = inverse(A) @ mated(A, quarter)
    np.testing.assert_allclose(relative[:3, 2], [0, 0, -1], atol=1e-15)
    np.testing.assert_allclose(relative[:3, 3], 0, atol=1e-15)
    assert abs(np.sin(2 * np.arctan2(relative[1, 0], relative[0, 0]))) < 1e-12


def test_lock_frames_point_out_of_the_arm():
    np.testing.assert_array_equal(GREEN_LOCK[:3, 2], [0, 0, 1])
    np.testing.assert_allclose(BLUE_LOCK[:3, 2], [0, 0, -1], atol=1e-15)
