"""Two robots with parallel programs: the rendezvous, refused and repeated attempts, the way of the module."""

import numpy as np
import pytest

G, MODULE = 9.81, 2.0
ARM = {"upper.solid": 2.0, "fore.solid": 1.5, "palm.solid": 0.5}
ATTEMPT = "ActionReleaseAndAttach face2 -> right.hand"


@pytest.fixture
def result(simulated):
    return simulated("handover")


def times(result, step):
    """When the steps of the program whose text begins with ``step`` were over."""
    return [entry["time"] for entry in result.program_log if entry["step"].startswith(step)]


def at(result, time):
    """Row of the last point before a time."""
    return int(np.searchsorted(result.time, time - 1e-9)) - 1


def test_the_structure_changes_four_times_and_the_program_ends_well(result):
    causes = ["foot -> table1", "face1 -> left.hand", "face2 -> right.hand", "foot -> table2"]
    assert [record.cause.split(" ", 1)[1] for record in result.segments[1:]] == causes
    assert [record.info["dof"] for record in result.segments] == [12, 6, 6, 6, 6]
    assert (result.verdict, result.success) == ("the module has been passed on", True)
    assert result.statistics["compilations_after_start"] == 0


def test_the_right_robot_waits_for_the_offer_and_until_the_module_is_at_rest(result):
    (offered,), (met,) = times(result, "set offered"), times(result, "wait_until flags.offered")
    assert met > offered + 0.1
    k = int(np.searchsorted(result.time, met))
    speed = sum(np.abs(result[f"left.joint{i}.w"]) for i in (1, 2, 3))
    assert speed[k] == pytest.approx(1e-4, rel=1e-3)
    assert np.all(speed[at(result, offered) : k - 1] > 1e-4)
    moving = np.abs(np.diff(result["actions.right1.position"])) > 0.0
    waiting = (np.asarray(result.time[:-1]) > times(result, "ptpJointSpace")[0]) & (np.asarray(result.time[1:]) < met)
    assert waiting.any()
    assert not moving[waiting].any()


def test_it_is_refused_while_its_hand_moves_and_changes_nothing_by_that(result):
    attempts = [entry for entry in result.program_log if entry["step"] == ATTEMPT]
    assert [entry["outcome"] is True for entry in attempts] == [False, False, True]
    assert all("do not mate" in entry["outcome"] and "relative velocity" in entry["outcome"] for entry in attempts[:2])
    assert np.diff([entry["time"] for entry in attempts]) == pytest.approx([0.3, 0.3])
    assert result.segments[3].start == pytest.approx(attempts[2]["time"])
    held = result.segment(3)
    offset = np.einsum("tji,tj->ti", held["left.hand.R_abs"], held["module.r_abs"] - held["left.hand.r_abs"])
    np.testing.assert_allclose(offset, np.broadcast_to(offset[0], offset.shape), atol=1e-9)


def test_the_left_robot_draws_back_while_the_right_one_carries(result):
    segment = result.segment(4)
    both = (np.abs(segment["left.joint1.w"]) > 0.1) & (np.abs(segment["right.joint1.w"]) > 0.1)
    assert both.sum() > 5


def test_the_way_of_the_module(result):
    (met,) = times(result, "set taken")
    for time, place in ((0.1, [0.65, 0.0, 0.3]), (met, [0.9, 0.0, 0.7]), (result.time[-1], [1.15, 0.0, 0.3])):
        np.testing.assert_allclose(result["module.r_abs"][at(result, time)], place, atol=2e-3)
        np.testing.assert_allclose(result["module.R_abs"][at(result, time)], np.eye(3), atol=2e-3)


def test_who_holds_the_module_carries_its_weight(result):
    """Just before the module is put down both arms stand still: the first drives balance the weights."""
    segment = result.segment(4)
    for side, held in (("left", 0.0), ("right", MODULE)):
        pivot, axis = segment[f"{side}.mount.r_abs"][-1], segment[f"{side}.mount.R_abs"][-1][:, 1]
        parts = {f"{side}.{name}": m for name, m in ARM.items()} | {"module": held}
        moment = sum(np.cross(segment[f"{name}.r_abs"][-1] - pivot, [0.0, 0.0, -m * G]) for name, m in parts.items())
        assert segment[f"{side}.joint1.flange.tau"][-1] == pytest.approx(-axis @ moment, abs=5e-3)
    assert abs(axis @ moment) > 15.0
