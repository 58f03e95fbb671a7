"""Initial poses change joints as little as possible: all solutions of a robot are known in closed form, turns are taken out."""

import itertools
import math

import numpy as np
import pytest

from modia3d import (
    Box,
    Cylindrical,
    InitialPose,
    Model3D,
    NoGravity,
    Object3D,
    Planar,
    Revolute,
    Scene,
    Solid,
    Spherical,
    Universal,
)
from modiapy import instantiate

# Denavit-Hartenberg parameters of the robot UR5 (data sheet of the maker) [m, rad]
D = (0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823)
A = (0.0, -0.425, -0.39225, 0.0, 0.0, 0.0)
ALPHA = (math.pi / 2, 0.0, 0.0, math.pi / 2, -math.pi / 2, 0.0)
WORLD = Object3D(feature=Scene(gravity=NoGravity()))
BODY = Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), solid_material="Steel"))


def step(k, angle):
    """Pose of the end of link k in that of the link before."""
    c, s, ca, sa = math.cos(angle), math.sin(angle), math.cos(ALPHA[k]), math.sin(ALPHA[k])
    return np.array([[c, -s * ca, s * sa, A[k] * c], [s, c * ca, -c * sa, A[k] * s], [0, sa, ca, D[k]], [0, 0, 0, 1]])


def flange(q):
    T = np.eye(4)
    for k, angle in enumerate(q):
        T = T @ step(k, angle)
    return T


def solutions(T):
    """All angles in closed form: shoulder left or right, wrist up or down, elbow up or down."""
    x, y = (T @ [0.0, 0.0, -D[5], 1.0])[:2]
    for shoulder, wrist, elbow in itertools.product((1.0, -1.0), repeat=3):
        q1 = math.atan2(y, x) + shoulder * math.acos(D[3] / math.hypot(x, y)) + math.pi / 2
        s1, c1 = math.sin(q1), math.cos(q1)
        q5 = wrist * math.acos((T[0, 3] * s1 - T[1, 3] * c1 - D[3]) / D[5])
        s5 = math.sin(q5)
        q6 = math.atan2((T[1, 1] * c1 - T[0, 1] * s1) / s5, (T[0, 0] * s1 - T[1, 0] * c1) / s5)
        T_14 = np.linalg.inv(step(0, q1)) @ T @ np.linalg.inv(step(4, q5) @ step(5, q6))
        px, py = (T_14 @ [0.0, -D[3], 0.0, 1.0])[:2]
        cosine = (px**2 + py**2 - A[1] ** 2 - A[2] ** 2) / (2.0 * A[1] * A[2])
        if abs(cosine) <= 1.0:
            q3 = elbow * math.acos(cosine)
            q2 = -math.atan2(py, -px) + math.asin(A[2] * math.sin(q3) / math.hypot(px, py))
            T_34 = np.linalg.inv(step(1, q2) @ step(2, q3)) @ T_14
            yield np.array([q1, q2, q3, math.atan2(T_34[1, 0], T_34[0, 0]), q5, q6])


def robot(q, pose):
    parts, before = {"world": WORLD}, "world"
    for k in range(6):
        parts |= {
            f"link{k}": BODY,
            f"joint{k}": Revolute(before, f"link{k}", "z", phi=q[k]),
            f"end{k}": Object3D(parent=f"link{k}", translation=(A[k], 0.0, D[k]), rotation=(ALPHA[k], 0.0, 0.0)),
        }
        before = f"end{k}"
    return Model3D(**parts, pose=pose)


@pytest.mark.parametrize("seed", range(5))
def test_a_robot_begins_with_the_nearest_of_all_solutions(seed):
    rng = np.random.default_rng(seed)
    q_0 = rng.uniform(-4.0, 4.0, 6)
    T = flange(rng.uniform(-math.pi, math.pi, 6))
    changes = [np.remainder(q - q_0 + math.pi, 2.0 * math.pi) - math.pi for q in solutions(T)]
    assert len(changes) >= 2
    for change in changes:
        assert flange(q_0 + change) == pytest.approx(T, abs=1e-9)
    nearest = min(float(change @ change) for change in changes)
    start = instantiate(robot(q_0, InitialPose("end5", T[:3, 3], T[:3, :3].tolist()))).simulate(0.0)
    q = np.array([start[f"joint{k}.phi"][0] for k in range(6)])
    assert flange(q) == pytest.approx(T, abs=1e-8)
    assert (q - q_0) @ (q - q_0) == pytest.approx(nearest, abs=1e-6)


@pytest.mark.parametrize(
    ("begin", "limits", "angle", "expected"),
    [
        (20.0, None, 0.3, 0.3 + 6 * math.pi),
        (3.0, None, -3.0, 2 * math.pi - 3.0),
        (6.0, (5.0, 12.0), 0.1, 2 * math.pi + 0.1),
        (3.0, (-3.1, 3.1), -3.0, -3.0),  # the short way is barred
        (-8.0, (-20.0, -7.0), 2.0, 2.0 - 4 * math.pi),  # and so is half of it: a turn less would be -4.28
    ],
)
def test_an_angle_has_no_turn_too_much_and_keeps_its_limits(begin, limits, angle, expected):
    joint = Revolute("world", "arm", "z", phi=begin, limits=limits)
    tip = Object3D(parent="arm", translation=(1.0, 0.0, 0.0))
    wanted = InitialPose("tip", (math.cos(angle), math.sin(angle), 0.0))
    start = instantiate(Model3D(world=WORLD, arm=BODY, tip=tip, joint=joint, pose=wanted)).simulate(0.0)
    assert start["joint.phi"][0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("joint", "fields", "angles"),
    [
        (Cylindrical, {"phi": 9.0}, ["phi"]),
        (Planar, {"phi": -40.0}, ["phi"]),
        (Universal, {"axis_a": "z", "axis_b": "x", "phi_a": 15.0, "phi_b": -7.0}, ["phi_a", "phi_b"]),
    ],
)
def test_all_angles_turn_the_short_way(joint, fields, angles):
    moved = joint("world", "arm", **fields)
    wanted = InitialPose("arm", rotation=(0.0, 0.0, 2.5))
    start = instantiate(Model3D(world=WORLD, arm=BODY, joint=moved, pose=wanted)).simulate(0.0)
    for name in angles:
        assert abs(start[f"joint.{name}"][0] - fields[name]) <= math.pi + 1e-9
    assert start["arm.R_abs"][0][:, 0] == pytest.approx([math.cos(2.5), math.sin(2.5), 0.0], abs=1e-8)


def test_a_ball_is_turned_by_less_than_half_a_turn():
    """Of all orientations with the tip at the wanted place, the nearest: by the angle between both directions."""
    ball = Spherical("world", "arm", rotation=(0.3, -1.0, 2.0))
    tip = Object3D(parent="arm", translation=(1.0, 0.0, 0.0))
    parts = {"world": WORLD, "arm": BODY, "tip": tip, "ball": ball}
    before = instantiate(Model3D(**parts)).simulate(0.0)
    target = -before["tip.r_abs"][0] + [0.0, 0.0, 0.3]
    target /= np.linalg.norm(target)
    after = instantiate(Model3D(**parts, pose=InitialPose("tip", target))).simulate(0.0)
    turned = before["arm.R_abs"][0].T @ after["arm.R_abs"][0]
    angle = math.acos((np.trace(turned) - 1.0) / 2.0)
    assert after["tip.r_abs"][0] == pytest.approx(target, abs=1e-8)
    assert angle == pytest.approx(math.acos(float(before["tip.r_abs"][0] @ target)), abs=1e-6)
