"""Rotation matrices and quaternions against scipy and closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from modia3d.scene.basics.rotations import axis_rotation, cardan_matrix, frame_with_z, quaternion_of, rotation_matrix

pytestmark = pytest.mark.white_box

angles = st.floats(-4.0, 4.0)


@given(angles, angles, angles)
def test_cardan_angles_turn_about_x_then_new_y_then_new_z(x, y, z):
    assert np.allclose(cardan_matrix(x, y, z), Rotation.from_euler("XYZ", [x, y, z]).as_matrix(), atol=1e-14)


@given(angles, angles, angles)
def test_quaternion_of_a_matrix_gives_the_matrix_back(x, y, z):
    R = cardan_matrix(x, y, z)
    w, *v = quaternion_of(R.tolist())
    assert w >= 0.0
    assert np.allclose(Rotation.from_quat([*v, w]).as_matrix(), R, atol=1e-14)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
def test_quaternion_of_half_a_turn(axis):
    w, *v = quaternion_of(axis_rotation(axis, math.pi).tolist())
    assert abs(w) < 1e-15
    assert np.allclose(np.abs(v), axis, atol=1e-15)


@given(angles, angles, angles)
def test_a_frame_with_a_given_z_axis_is_a_rotation(x, y, z):
    axis = cardan_matrix(x, y, z)[:, 0]
    R = frame_with_z(axis)
    assert np.allclose(R.T @ R, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) > 0.0
    assert np.array_equal(R[:, 2], axis)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)])
def test_along_a_coordinate_axis_the_frame_is_exact(axis):
    assert set(np.abs(frame_with_z(axis)).ravel()) == {0.0, 1.0}


def test_axis_rotation_is_the_exponential():
    axis = np.array([1.0, -2.0, 0.5]) / np.linalg.norm([1.0, -2.0, 0.5])
    assert np.allclose(axis_rotation(axis, 0.7), Rotation.from_rotvec(0.7 * axis).as_matrix(), atol=1e-15)


def test_a_rotation_matrix_written_with_few_digits_is_made_orthogonal():
    written = np.round(cardan_matrix(0.3, -0.4, 1.2), 8)
    R = rotation_matrix(written.tolist())
    assert np.allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.allclose(R, written, atol=1e-8)
