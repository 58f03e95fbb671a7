"""Initial values of joints from the pose and velocity of a frame."""

import math

import numpy as np
import pytest

from modia3d import (
    Box,
    InitialPose,
    Model3D,
    NoGravity,
    Object3D,
    Prismatic,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    Spherical,
)
from modia3d.files.reader import read_scenario
from modiapy import Map, ModelError, Var, instantiate
from modiapy.library.rotational import IdealGear, Inertia

BODY = Object3D(feature=Solid(shape=Box(0.3, 0.1, 0.1), solid_material="Steel"))


def arm(elbow=None, **entries):
    """Two links of length 1 in the x-z plane: the shoulder has a flange, the elbow none."""
    model = {
        "world": Object3D(feature=Scene(gravity=NoGravity())),
        "upper": BODY,
        "lower": BODY,
        "middle": Object3D(parent="upper", translation=(1.0, 0.0, 0.0)),
        "tool": Object3D(parent="lower", translation=(1.0, 0.0, 0.0)),
        "shoulder": RevoluteWithFlange("world", "upper", "y", phi=Var(init=0.1)),
        "elbow": elbow or Revolute("middle", "lower", "y", phi=0.3, limits=(0.0, 3.0)),
    }
    return Model3D(**(model | entries))


def begin(model):
    result = instantiate(model).simulate(1e-3, tolerance=1e-10)
    return {name: result[name][0] for name in ("tool.r_abs", "tool.R_abs", "tool.v_abs", "shoulder.phi", "elbow.phi")}


def test_position_and_velocity_are_reached():
    start = begin(arm(pose=InitialPose("tool", translation=(1.2, 0.0, -0.7), velocity=(0.1, 0.0, 0.2))))
    assert start["tool.r_abs"] == pytest.approx([1.2, 0.0, -0.7], abs=1e-9)
    assert start["tool.v_abs"] == pytest.approx([0.1, 0.0, 0.2], abs=1e-9)
    assert start["elbow.phi"] == pytest.approx(math.acos((1.2**2 + 0.7**2) / 2.0 - 1.0), abs=1e-9)


def test_the_guess_and_the_limits_choose_among_the_solutions():
    wanted = InitialPose("tool", translation=(1.2, 0.0, -0.7))
    down = Revolute("middle", "lower", "y", phi=-0.3, limits=(-3.0, 0.0))
    other_guess = Revolute("middle", "lower", "y", phi=-0.3)
    bend = begin(arm(pose=wanted))["elbow.phi"]
    for elbow in (down, other_guess):
        start = begin(arm(elbow, pose=wanted))
        assert start["elbow.phi"] == pytest.approx(-bend, abs=1e-9)
        assert start["tool.r_abs"] == pytest.approx([1.2, 0.0, -0.7], abs=1e-9)


def test_relative_to_another_frame_with_named_joints_and_an_orientation():
    pose = InitialPose("tool", rotation=(0.0, 0.7, 0.0), relative_to="upper", joints=["elbow"])
    start = begin(arm(pose=pose))
    assert start["elbow.phi"] == pytest.approx(0.7, abs=1e-9)
    assert start["shoulder.phi"] == 0.1


def test_what_is_connected_to_the_flange_starts_with_it():
    gear = {
        "gear": IdealGear | Map(ratio=30.0),
        "rotor": Inertia | Map(J=1e-4),
        "connect": [("rotor.flange_b", "gear.flange_a"), ("gear.flange_b", "shoulder.flange")],
    }
    result = instantiate(arm(pose=InitialPose("tool", (1.2, 0.0, -0.7), velocity=(0.0, 0.0, 0.1)), **gear)).simulate(1e-3)
    assert result["rotor.phi"][0] == pytest.approx(30.0 * result["shoulder.phi"][0], rel=1e-12)
    assert result["rotor.w"][0] == pytest.approx(30.0 * result["shoulder.w"][0], rel=1e-12)
    assert abs(result["shoulder.w"][0]) > 0.01
    assert result["tool.r_abs"][0] == pytest.approx([1.2, 0.0, -0.7], abs=1e-9)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"translation": (3.0, 0.0, 0.0)}, r"cannot be reached; found nearest: 1 m and 0 rad away"),
        ({"translation": (1.0, 0.0, 0.0), "joints": ["elbwo"]}, "there is no joint 'elbwo'.*Did you mean 'elbow'"),
        ({"translation": (1.0, 0.0, 0.0), "velocity": (0.0, 1.0, 0.0)}, "initial velocity cannot be reached; found 1 "),
        ({"translation": (0.0, 0.0, 0.0), "joints": ["ball"]}, "found spherical; expected a revolute, prismatic or screw"),
        ({}, "InitialPose wants nothing"),
    ],
)
def test_what_cannot_be_is_refused_by_name(fields, words):
    more = {"wrist": BODY, "ball": Spherical("tool", "wrist")}
    with pytest.raises(ModelError, match=words):
        instantiate(arm(pose=InitialPose("tool", **fields), **more))


def test_a_prismatic_joint_in_yaml(tmp_path):
    file = tmp_path / "pose.yaml"
    file.write_text(
        """
modia3d: 1
simulation: {stop_time: 0.01}
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: }}}}}
  sled: {Object3D: {feature: {Solid: {shape: {Box: [0.1, 0.1, 0.1]}, solid_material: Steel}}}}
  rail: {PrismaticWithFlange: {obj1: world, obj2: sled, axis: [1, 1, 0]}}
  start: {InitialPose: {obj: sled, translation: [0.3, 0.3, 0.0]}}
"""
    )
    result = read_scenario(file).instantiate().simulate(0.01)
    assert result["rail.s"][0] == pytest.approx(0.3 * math.sqrt(2.0), abs=1e-12)
    assert np.ptp(result["rail.s"]) < 1e-12


def test_without_flange_too():
    model = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        sled=BODY,
        rail=Prismatic("world", "sled", "z"),
        start=InitialPose("sled", translation=(0.0, 0.0, 0.4), velocity=(0.0, 0.0, 2.0)),
    )
    result = instantiate(model).simulate(0.5)
    assert (result["rail.s"][0], result["rail.v"][0]) == pytest.approx((0.4, 2.0), abs=1e-12)
    assert result["rail.s"][-1] == pytest.approx(1.4, abs=1e-8)
