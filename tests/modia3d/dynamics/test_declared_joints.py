"""What joints declare of their kinds: motion subspaces are derivatives of poses, and both agree with the joints of a scene."""

import numpy as np
import pytest

from modia3d.dynamics.joints.kinds import GENERAL, KINDS, ORIENTATION_AT, Q_SIZE, V_SIZE
from modia3d.scene.joint_names import JOINTS, joint_class

pytestmark = pytest.mark.white_box

KINEMATICS = {name: joint_class(name) for name in JOINTS if joint_class(name).kinematics is not None}
PARAMETER = {"Screw": 0.3}
H = 1e-6


def coordinates(kinematics, rng):
    q = rng.normal(size=kinematics.n_q)
    if kinematics.orientation_at >= 0:
        at = kinematics.orientation_at
        q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    return q


def rates(kinematics, q, v):
    """Derivatives of the coordinates; of a quaternion ``0.5 Q * (0, w)``."""
    at = kinematics.orientation_at
    if at < 0:
        return v
    a, b, w = q[at], q[at + 1 : at + 4], v[at:]
    turning = 0.5 * np.concatenate([[-b @ w], a * w + np.cross(b, w)])
    return np.concatenate([v[:at], turning])


def pose(kinematics, q, parameter):
    R, p = kinematics.pose(q, 0, parameter, 0)
    return np.array(R).reshape(3, 3), np.array(p)


@pytest.mark.parametrize("name", KINEMATICS)
def test_the_motion_subspace_is_the_derivative_of_the_pose(name):
    kinematics, parameter = KINEMATICS[name].kinematics, PARAMETER.get(name, 0.0)
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, v = coordinates(kinematics, rng), rng.normal(size=kinematics.n_v)
        R, _ = pose(kinematics, q, parameter)
        step = H * rates(kinematics, q, v)
        (R_after, p_after), (R_before, p_before) = (pose(kinematics, q + s * step, parameter) for s in (1, -1))
        turning = (R_after - R_before) @ R.T / (2 * H)
        columns = kinematics.columns(tuple(R.ravel().tolist()), parameter)
        assert len(columns) == kinematics.n_v
        angular, linear = (sum(x * np.array(column[part]) for x, column in zip(v, columns, strict=True)) for part in (0, 1))
        assert angular == pytest.approx([turning[2, 1], turning[0, 2], turning[1, 0]], abs=1e-8)
        assert linear == pytest.approx((p_after - p_before) / (2 * H), abs=1e-8)


@pytest.mark.parametrize("name", KINEMATICS)
def test_columns_turn_as_declared(name):
    """Derivative of each column in J or, for those that are fixed in B, in B: what ``turned_by`` says, and nothing else."""
    kinematics, parameter = KINEMATICS[name].kinematics, PARAMETER.get(name, 0.0)
    rng = np.random.default_rng(4)
    q, v = coordinates(kinematics, rng), rng.normal(size=kinematics.n_v)

    def subspace(at):
        R, _ = pose(kinematics, at, parameter)
        return np.array(kinematics.columns(tuple(R.ravel().tolist()), parameter)), R

    step = H * rates(kinematics, q, v)
    (after, R_after), (before, R_before), (now, _) = subspace(q + step), subspace(q - step), subspace(q)
    turned = dict(kinematics.turned_by)
    for j in range(kinematics.n_v):
        in_J = (after[j] - before[j]) / (2 * H)
        in_B = (after[j] @ R_after - before[j] @ R_before) / (2 * H)
        if j in turned:
            assert in_J[0] == pytest.approx(v[turned[j]] * np.cross(now[turned[j], 0], now[j, 0]), abs=1e-8)
        else:
            assert min(np.abs(in_J).max(), np.abs(in_B).max()) < 1e-8


@pytest.mark.parametrize("name", KINEMATICS)
def test_the_joint_of_a_scene_moves_as_the_kernels_do(name):
    joint = KINEMATICS[name]("a", "b", **({"pitch": 0.4} if name == "Screw" else {}))
    rng = np.random.default_rng(5)
    q, v = coordinates(joint.kinematics, rng), rng.normal(size=joint.kinematics.n_v)
    sequence = "quaternion" if joint.orientation else ""
    moved, (R, p), R_1J = joint.motion(q, v, sequence), pose(joint.kinematics, q, joint.parameter), joint.axes()
    assert pytest.approx(R_1J @ R @ R_1J.T, abs=1e-12) == moved.R_12
    assert moved.p_12_1 == pytest.approx(R_1J @ p, abs=1e-12)
    columns = joint.kinematics.columns(tuple(R.ravel().tolist()), joint.parameter)
    angular, linear = (sum(x * np.array(column[part]) for x, column in zip(v, columns, strict=True)) for part in (0, 1))
    assert moved.w_12_1 == pytest.approx(R_1J @ angular, abs=1e-12)
    assert moved.v_12_1 == pytest.approx(R_1J @ linear, abs=1e-12)


def test_numbers_and_sizes_of_kinds_follow_from_the_declarations():
    assert ("revolute", "prismatic", "free", *(cls.kind for cls in KINEMATICS.values())) == KINDS
    assert Q_SIZE[3:] == tuple(kind.n_q for kind in GENERAL)
    assert V_SIZE[3:] == tuple(kind.n_v for kind in GENERAL)
    assert [KINDS[i] for i, at in enumerate(ORIENTATION_AT) if at >= 0] == ["free", "spherical", "six-dof"]
    for name in KINEMATICS:
        joint = KINEMATICS[name]("a", "b")
        coordinates, speeds = joint.state_names()
        assert (len(coordinates), len(speeds)) == (joint.kinematics.n_q, joint.kinematics.n_v)
