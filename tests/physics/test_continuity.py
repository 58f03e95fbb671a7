"""What survives every structural change of the walking robot, taken from the result on both sides of it."""

import numpy as np
import pytest

from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.flip_chain import FlipChain
from modia3d.actions.structural.release_and_attach import ReleaseAndAttach
from modia3d.actions.values import Wait
from modiapy import Map, instantiate

from . import mosar

pytestmark = pytest.mark.white_box

CHANGES = range(1, 13)
FLIP = 10
"""Number of the segment that the flip ends."""


def both_sides(result, change):
    before, after = result.segment(change), result.segment(change + 1)
    assert before.time[-1] == after.time[0] == after.record.start
    return before, after


def same_bits(a, b):
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


def pose(segment, frame, row):
    return np.column_stack([segment[f"{frame}.R_abs"][row], segment[f"{frame}.r_abs"][row]])


def assert_frames_stay(before, after):
    for frame in mosar.frames(before.signals()):
        np.testing.assert_allclose(pose(after, frame, 0), pose(before, frame, -1), rtol=0.0, atol=1e-9, err_msg=frame)


@pytest.mark.parametrize("change", CHANGES)
def test_joint_and_drive_states_are_equal_to_the_last_bit(walk, robot, change):
    before, after = both_sides(walk, change)
    names = [f"{joint}.{c}" for joint in mosar.JOINTS for c in ("phi", "w")]
    names += [f"{drive}.{s}" for drive in mosar.DRIVES for s in ("controller.PI.x", "motor.phi", "motor.w")]
    assert set(names) <= set(robot.states)
    for name in names:
        assert same_bits(before[name][-1], after[name][0]), name
    n = len(robot.states)
    assert same_bits(before.x[-1, :n], after.x[0, :n])


@pytest.mark.parametrize("change", CHANGES)
def test_states_of_bodies_that_stay_free_are_equal_to_the_last_bit(walk, robot, change):
    before, after = both_sides(walk, change)
    n = len(robot.states)
    free = set(before.states[n:]) & set(after.states[n:])
    assert len(free) == 13 * max(7 - change, 0)  # each of the first seven changes joins one of seven free bodies
    for name in free:
        assert same_bits(before[name][-1], after[name][0]), name


@pytest.mark.parametrize("change", CHANGES)
def test_all_frames_are_where_they_were(walk, change):
    before, after = both_sides(walk, change)
    frames = mosar.frames(before.signals())
    assert frames == mosar.frames(after.signals())
    assert {"blueEnd", "greenEnd", "platform.X3Y2", *(f"{module}.Zpos" for module in mosar.MODULES)} <= set(frames)
    assert_frames_stay(before, after)


def test_nothing_snaps_where_frames_mate_within_the_tolerance_only():
    """Joints 0.1 mrad and modules 0.4 mm and 0.5 mrad away from where they mate: they are locked where they are."""
    rng = np.random.default_rng(0)
    step = np.array(mosar.configuration_of_the_step()) + rng.uniform(-1e-4, 1e-4, 7)
    low, high = mosar.MODULES[:2]
    program = [
        Attach("blueEnd", "platform.X2Y2"),
        Attach(f"{low}.Zneg", "platform.X1Y1"),
        Attach(f"{high}.Zneg", f"{low}.Zpos"),
        FlipChain("greenEnd", "platform.X3Y2", "blueEnd"),
        ReleaseAndAttach(f"{high}.Zneg", f"{low}.Zpos"),
        FlipChain("blueEnd", "platform.X2Y2", "greenEnd"),
        Wait(0.1),
    ]
    place = Map(translation=[0.4003, 0.4002, 0.2001], rotation=[5e-4, -3e-4, 4e-4])
    model = mosar.with_actions(mosar.scenario().model, program, step.tolist())
    result = instantiate(model | mosar.starting_at(step.tolist()) | Map({low: Map(body=place)})).simulate(0.1)
    assert [record.cause for record in result.segments[1:]] == [str(action) for action in program[:-1]]
    for change in range(1, len(result.segments)):
        assert_frames_stay(*both_sides(result, change))
    flipped = result.segment(5)
    for frame, target in (("greenEnd", "platform.X3Y2"), (f"{low}.Zneg", "platform.X1Y1"), (f"{high}.Zneg", f"{low}.Zpos")):
        distance = np.linalg.norm(flipped[f"{frame}.r_abs"][0] - flipped[f"{target}.r_abs"][0])
        assert 1e-5 < distance < 1e-3


def test_poses_in_the_joined_result_are_those_of_the_segments(walk):
    rows = np.cumsum([walk.segment(record.index).time.size for record in walk.segments])[:-1]
    for frame in ("blueEnd", "greenEnd", "boxX1Y1Z2.Xpos"):
        poses = np.concatenate([walk[f"{frame}.R_abs"].reshape(-1, 9), walk[f"{frame}.r_abs"]], axis=1)
        np.testing.assert_allclose(poses[rows], poses[rows - 1], rtol=0.0, atol=1e-9)


def test_the_two_sides_of_the_flip_are_computed_from_different_roots(robot):
    robot.simulate(29.9)
    before = robot.last.components[""].forest
    robot.simulate(43.9)
    after = robot.last.components[""].forest

    def tree(forest):
        """Parent of the body that each joint moves, by the parent's joint; "world" for the first."""
        names = dict(enumerate(forest.body_names)) | {-1: "world"}
        return {names[body]: names[parent] for body, parent in enumerate(forest.ints[:, 0])}

    assert tree(before) == dict(zip(mosar.JOINTS, ("world", *mosar.JOINTS), strict=False))
    assert tree(after) == dict(zip(mosar.JOINTS, (*mosar.JOINTS[1:], "world"), strict=True))
    assert before.reversed_joints == frozenset()
    assert after.reversed_joints == frozenset(mosar.JOINTS)


def test_before_the_flip_one_end_is_the_world_afterwards_the_other(walk):
    before, after = both_sides(walk, FLIP)
    assert "ActionFlipChain" in after.record.cause
    assert not before["blueEnd.v_abs"].any()
    assert not after["greenEnd.v_abs"].any()
    assert np.abs(before["greenEnd.v_abs"]).max() > 0.01
    assert np.abs(after["blueEnd.v_abs"]).max() > 0.01
    assert np.ptp(before["greenEnd.r_abs"], axis=0).max() > 0.1
    assert np.ptp(after["blueEnd.r_abs"], axis=0).max() > 0.1
    # the roots carry different rounding errors: equal poses are the outcome of two calculations
    frames = mosar.frames(before.signals())
    assert any(not same_bits(pose(before, frame, -1), pose(after, frame, 0)) for frame in frames)
