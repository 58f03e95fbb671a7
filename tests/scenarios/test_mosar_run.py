"""The walking robot, simulated from its YAML file: structure, times and what it must bring about."""

import numpy as np
import pytest
from kinematics import mated, pose_error
from scene import BOXES, face, platform, turned_place

from benchmarks.mosar import SCENARIO, joint_angles
from benchmarks.mosar_servo import arm_xml
from modia3d.files import read_scenario


@pytest.fixture(scope="module")
def scenario():
    return read_scenario(SCENARIO)


@pytest.fixture(scope="module")
def result(scenario):
    settings = scenario.settings
    return scenario.instantiate().simulate(settings.stop_time, tolerance=settings.tolerance, interval=settings.interval)


def frame_pose(result, name, row):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = result[f"{name}.R_abs"][row], result[f"{name}.r_abs"][row]
    return T


def test_segments_are_those_of_the_paper(result):
    assert [record.states_invariant for record in result.segments] == [35] * 13
    dof = [49, 43, 37, 31, 25, 19, 13] + [7] * 6
    assert [record.info["dof"] for record in result.segments] == dof
    np.testing.assert_allclose([record.start for record in result.segments], [0] * 8 + [7, 24, 30, 44, 67], atol=1e-6)


def test_carried_modules_stand_turned_over_on_their_new_places_and_the_others_where_they_were(result):
    for name, T in BOXES.items():
        place = {"boxX1Y1Z2": turned_place(5, 1, 2), "boxX1Y2Z2": turned_place(5, 2, 2)}.get(name, T)
        distance, angle = pose_error(frame_pose(result, f"{name}.body", -1), place)
        assert distance < 2e-3
        assert angle < 1e-3


@pytest.mark.parametrize(
    ("time", "end", "target"),
    [
        (7, "greenEnd", BOXES["boxX1Y1Z2"] @ face("Xpos")),
        (30, "greenEnd", platform(3, 2)),
        (44, "blueEnd", BOXES["boxX1Y2Z2"] @ face("Xpos")),
    ],
)
def test_drives_have_settled_at_every_mating(result, time, end, target):
    row = int(np.searchsorted(result.time, time - 1e-3)) - 1
    errors = [pose_error(mated(target, quarter), frame_pose(result, end, row)) for quarter in range(4)]
    assert min(max(error) for error in errors) < 1e-4
    assert np.linalg.norm(result[f"{end}.v_abs"][row]) < 1e-4
    assert np.linalg.norm(result[f"{end}.w_abs"][row]) < 1e-4


def test_the_arm_stands_still_on_the_end_that_is_locked(result):
    time = np.asarray(result.time)
    blue = result["blueEnd.r_abs"][(time > 0.1) & (time < 29.9)]
    green = result["greenEnd.r_abs"][time > 30.1]
    assert np.ptp(blue, axis=0).max() < 1e-9
    assert np.ptp(green, axis=0).max() < 1e-9
    np.testing.assert_allclose(green[-1], [1.2, 0.8, 0.0], atol=1e-3)


def test_joints_track_the_reference_to_a_few_milliradians(result):
    for k in range(1, 8):
        lag = result[f"joint{k}.phi"] - result[f"actions.joint{k}.position"]
        assert np.abs(lag).max() < 5e-3


def test_output_grid_of_the_benchmark_does_not_depend_on_the_events(result):
    assert joint_angles(result, 0.01).shape == (8601, 7)


def test_servo_arm_of_the_benchmark_has_the_links_of_the_scenario(scenario):
    import xml.etree.ElementTree as ElementTree

    arm = ElementTree.fromstring(arm_xml(scenario.model))
    links = [scenario.model[f"link{k}"] for k in range(8)]
    masses = [link["solid"]["feature"]["mass_properties"]["mass"] for link in links]
    assert sum(float(node.attrib["mass"]) for node in arm.iter("inertial")) == pytest.approx(sum(masses))
    heights = [float(node.attrib["pos"].split()[2]) for node in arm.iter("body")]
    assert sum(heights) + links[-1]["end"]["translation"][2] == pytest.approx(1.6)
    assert len(list(arm.iter("joint"))) == 7
