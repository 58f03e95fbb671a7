"""The walking robot's scenario: collision checks on constructed cases, and the stored targets."""

import numpy as np
import pytest
import yaml
from clearance import Situation, box_box, box_platform, clearances, on_leg, point_box
from kinematics import mated, pose, rotation
from plan import SCENARIO, SETTLE, WINDOWS, check, check_reach, store, stored_plan
from scene import BOXES, module_place, platform, turned_place

pytestmark = pytest.mark.white_box

PLAN = stored_plan()


def test_distance_of_points_from_a_module():
    T = pose(p=(1.0, 0.0, 0.0))
    points = np.array([[1.5, 0, 0], [1.0, 0.3, 0], [1.0, 0.0, 0.0], [1.3, 0.3, 0]])
    np.testing.assert_allclose(point_box(points, T), [0.3, 0.1, -0.2, np.hypot(0.1, 0.1)], atol=1e-15)


@pytest.mark.parametrize(("offset", "gap"), [((0.4, 0, 0), 0.0), ((0.5, 0, 0), 0.1), ((0.3, 0.1, 0), -0.1), ((0, 0, 1.0), 0.6)])
def test_gap_between_parallel_modules(offset, gap):
    assert box_box(pose(p=offset), pose()) == pytest.approx(gap, abs=1e-12)


def test_gap_between_an_edge_and_a_face():
    turned = pose(rotation("z", np.pi / 4), (0.2 + 0.2 * np.sqrt(2) + 0.05, 0, 0))
    assert box_box(turned, pose()) == pytest.approx(0.05, abs=1e-12)


def test_height_of_a_tilted_module_above_the_platform():
    assert box_platform(pose(rotation("x", np.pi / 4), (0, 0, 0.5))) == pytest.approx(0.5 - 0.2 * np.sqrt(2), abs=1e-12)


def test_arm_through_a_module_through_the_platform_and_through_itself_is_seen():
    base = mated(platform(2, 2))
    stretched = np.zeros((1, 7))
    free = Situation("blue", base, {})
    assert clearances(stretched, free).apart[0] > 0.02
    in_the_way = Situation("blue", base, {"box": pose(p=(0.8, 0.8, 1.0))})
    assert clearances(stretched, in_the_way).apart[0] < -0.1
    down = np.array([[0.0, 2.2, 0, 0, 0, 0, 0]])
    assert clearances(down, free).apart[0] < -0.1
    folded = np.array([[0.0, 0, 0, 2.9, 0, 0, 0]])
    assert clearances(folded, Situation("blue", mated(pose(p=(0, 0, 5))), {})).apart[0] < 0


def test_carried_module_through_a_neighbour_is_seen():
    grasp = PLAN.stages[3].situation
    sideways = Situation(grasp.base, grasp.T_W_base, {"box": module_place(1, 1, 2)}, grasp.carried)
    assert on_leg(PLAN.q[2], PLAN.q[3], sideways)[0] < -0.1


def test_stored_targets_reach_the_lock_frames():
    assert check_reach(PLAN) < 1e-8


def test_stored_paths_keep_clear_and_leave_time_to_settle():
    apart, contact, settle = check(PLAN, step=0.02, report=False)
    assert apart > 0.02
    assert contact > -1e-6
    assert min(settle) >= SETTLE
    assert len(settle) == len(WINDOWS)


def test_a_detour_through_a_module_is_refused():
    spoilt = PLAN.q.copy()
    spoilt[4] = spoilt[8]
    with pytest.raises(ValueError, match="in the way"):
        check(type(PLAN)(PLAN.stages, spoilt), step=0.05, report=False)


def test_a_spoilt_target_is_refused():
    spoilt = PLAN.q.copy()
    spoilt[2, 4] += 1e-4  # rad
    with pytest.raises(ValueError, match="missed"):
        check(type(PLAN)(PLAN.stages, spoilt), step=0.1, report=False)


def test_carried_modules_end_on_their_new_places():
    for i, j in ((5, 1), (5, 2)):
        below = BOXES[f"boxX{i}Y{j}Z1"]
        placed = turned_place(i, j, 2)
        np.testing.assert_allclose(placed[:3, 3] - below[:3, 3], [0, 0, 0.4], atol=1e-12)
        np.testing.assert_allclose(placed[:3, 2], [0, 0, -1], atol=1e-12)


def test_the_scenario_holds_what_the_planner_computes(tmp_path):
    copy = tmp_path / "mosar.yaml"
    copy.write_text(SCENARIO.read_text())
    store(PLAN, copy)
    assert copy.read_text() == SCENARIO.read_text()


def test_a_scenario_without_marks_is_not_rewritten(tmp_path):
    copy = tmp_path / "mosar.yaml"
    copy.write_text(SCENARIO.read_text().replace("# end of planned actions", ""))
    before = copy.read_text()
    with pytest.raises(ValueError, match=r"mosar\.yaml: found the marks \"# planned: actions\" .* 0 times, expected once"):
        store(PLAN, copy)
    assert copy.read_text() == before


def test_program_of_the_scenario_meets_the_times_of_the_paper():
    from modia3d.actions.program import ActionProgram
    from modia3d.actions.timeline import lay_out
    from modia3d.files import read_scenario

    scenario = read_scenario(SCENARIO)
    timeline = lay_out(ActionProgram(scenario.model["actions"]["program"]).prepared()[0])
    times = [action.time for action in timeline.actions]
    np.testing.assert_allclose(times, [0] * 7 + [7, 24, 30, 44, 67], atol=1e-6)
    assert timeline.end == pytest.approx(scenario.settings.stop_time, abs=1e-6)


def test_modules_and_lock_frames_stand_where_their_names_say():
    data = yaml.safe_load(SCENARIO.read_text())["model"]
    for name, T in BOXES.items():
        (arguments,) = data[name].values()
        np.testing.assert_allclose(arguments["body"]["translation"], T[:3, 3], atol=1e-12)
    for i in range(1, 6):
        for j in range(1, 4):
            frame = data["platform"]["Model"][f"X{i}Y{j}"]["Interface"]
            np.testing.assert_allclose(frame["translation"], platform(i, j)[:3, 3], atol=1e-12)
