"""Initial poses change joints as little as possible: all solutions of a robot are known in closed form, turns are taken out."""

import math

import numpy as np
import pytest

from modia3d import (
    Cylindrical,
    InitialPose,
    Model3D,
    Object3D,
    Planar,
    Revolute,
    Spherical,
    Universal,
)
from modiapy import instantiate
from tests.modia3d.engine.ur5 import BODY, WORLD, flange, robot, solutions


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
    start = instantiate(robot(q_0, pose=InitialPose("end5", T[:3, 3], T[:3, :3].tolist()))).simulate(0.0)
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
