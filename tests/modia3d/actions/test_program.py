"""Action programs: when things happen, and what a user gets wrong."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionDelete,
    ActionFlipChain,
    ActionRelease,
    ActionReleaseAndAttach,
    Actions,
    ActionWait,
    End,
    EventAfterPeriod,
    IfElse,
    Model3D,
    ModelActions,
    Object3D,
    Read,
    Retry,
    Scene,
    Set,
    Spawn,
    WaitUntil,
    addReferencePath,
    ptpJointSpace,
)
from modia3d.actions.paths_values import AddPath, PtpJointSpace
from modia3d.actions.program import ActionProgram
from modia3d.actions.structural.attach import Attach
from modia3d.actions.timeline import lay_out
from modia3d.actions.values import ACTIONS, AfterPeriod, Wait
from modiapy import ModelError, instantiate
from modiapy.library.paths import ptp_duration

pytestmark = pytest.mark.white_box


def timeline(program):
    return lay_out(ActionProgram(program).prepared()[0])


def add_path(actions, names=("a", "b")):
    n = len(names)
    addReferencePath(actions, names=list(names), position=[0.0] * n, v_max=[1.0] * n, a_max=[1.0] * n)


def test_program_of_the_paper_gives_its_times():
    def program(actions):
        add_path(actions)
        ActionAttach(actions, "blueEnd", "platform.X2Y2")
        EventAfterPeriod(actions, 1e-10)
        for k in range(6):
            ActionAttach(actions, f"box{k}.Zneg", "platform.X1Y1")
        ptpJointSpace(actions, [[1.0, 0.5], [0.0, 0.5]])
        EventAfterPeriod(actions, 7.0)
        ActionReleaseAndAttach(actions, "box0.Xpos", "greenEnd")
        ptpJointSpace(actions, [1.0, 1.0])
        EventAfterPeriod(actions, 17.0)
        ActionFlipChain(actions, "greenEnd", "platform.X3Y2", "blueEnd")
        EventAfterPeriod(actions, 14.0)
        ActionDelete(actions, "box3")

    result = timeline(program)
    times = [a.time for a in result.actions]
    assert times[:7] == [0.0] + [1e-10] * 6
    assert times[7:] == pytest.approx([7.0, 24.0, 38.0], abs=1e-9)
    assert [str(a.action) for a in result.actions][-2:] == [
        "ActionFlipChain greenEnd -> platform.X3Y2, releasing blueEnd",
        "ActionDelete box3",
    ]
    trajectories = result.paths[0].trajectories
    assert [trajectory.end for trajectory in trajectories] == [(0.0, 0.5), (1.0, 1.0)]
    assert trajectories[0].start_time == 1e-10
    assert trajectories[1].start_time == times[7]
    assert list(result.time_events) == sorted(set(result.time_events))
    assert set(trajectories[1].breakpoints) <= set(result.time_events)
    assert "ActionReleaseAndAttach box0.Xpos -> greenEnd" in str(result)


@pytest.mark.parametrize(
    ("beside", "complete"),
    [(WaitUntil("x > 1"), False), (IfElse("x > 1", [Wait(1.0)]), False), (Read("x"), False), (End("there"), True)],
)
@pytest.mark.parametrize("before", [[], [Wait(0.5)]])
def test_motions_that_begin_together_with_the_end_of_the_timeline_belong_to_it(beside, complete, before):
    paths = [AddPath((name,), (0.0,), (1.0,), (1.0,)) for name in "ab"]
    begins = Spawn([PtpJointSpace([2.0], ("a",))]), Spawn([PtpJointSpace([1.0], ("b",))])
    result = lay_out([*paths, *before, *begins, Wait(0.0), beside, PtpJointSpace([3.0], ("b",))])
    begin = 0.5 * len(before)
    assert (result.end, result.complete) == (begin, complete)
    assert [[(t.start_time, t.end) for t in path.trajectories] for path in result.paths] == [
        [(begin, (2.0,))],
        [(begin, (1.0,))],
    ]


def test_path_blocks_the_program_and_wait_counts_from_its_end():
    def program(actions):
        add_path(actions)
        ptpJointSpace(actions, [[2.0, 1.0]])
        ActionAttach(actions, "f", "g")
        ActionWait(actions, 0.5)
        ActionRelease(actions, "f")

    path_time = ptp_duration([0.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 1.0])
    assert [a.time for a in timeline(program).actions] == pytest.approx([path_time, path_time + 0.5], rel=1e-14)


def test_the_waiting_period_of_modia3d_is_a_wait_after_the_action():
    """There `ActionAttach(..., waitingPeriod=0.1)` acts at its event, and 0.1 s later the next action does."""

    def program(actions):
        ActionWait(actions, 1.0)
        with pytest.raises(ModelError, match=r"'waitingPeriod'.*ActionWait\(actions, seconds\) after it"):
            ActionAttach(actions, "f", "g", waitingPeriod=0.1)
        ActionAttach(actions, "f", "g")
        ActionWait(actions, 0.1)
        ActionRelease(actions, "f")

    assert [a.time for a in timeline(program).actions] == pytest.approx([1.0, 1.1], rel=1e-14)


def test_consecutive_periods_add_up_and_include_waits():
    def program(actions):
        EventAfterPeriod(actions, 1.0)
        ActionWait(actions, 0.75)
        EventAfterPeriod(actions, 2.0)
        ActionDelete(actions, "f")

    assert [a.time for a in timeline(program).actions] == [3.0]


def test_list_of_values_means_the_same_as_the_function():
    def program(actions):
        add_path(actions)
        ptpJointSpace(actions, [1.0, 1.0])
        EventAfterPeriod(actions, 7.0)
        ActionAttach(actions, "f", "g")

    values = [
        ACTIONS["addReferencePath"](names=["a", "b"], position=[0, 0], v_max=[1, 1], a_max=[1, 1]),
        ACTIONS["ptpJointSpace"](positions=[[1.0, 1.0]]),
        AfterPeriod(7.0),
        Attach("f", "g"),
    ]
    assert ActionProgram(values).prepared()[0] == ActionProgram(program).prepared()[0]
    assert str(timeline(values)) == str(timeline(program))


def test_a_timeline_is_told_in_the_order_of_time():
    def program(actions):
        add_path(actions, ("a", "b"))
        add_path(actions, ("c",))
        ptpJointSpace(actions, [1.0], names=["c"])
        ActionAttach(actions, "f", "g")
        ptpJointSpace(actions, [[1.0, 0.0]], names=["a", "b"])
        ptpJointSpace(actions, [0.0], names=["c"])
        ActionWait(actions, 0.5)
        ActionRelease(actions, "f")

    told = ["action 4 (ActionAttach f -> g)", "action 8 (ActionRelease f)"]
    assert [str(action) for action in timeline(program).actions] == told
    rows = [(0, "path until 2 s: c"), (2, "ActionAttach f -> g"), (2, "path until 4 s: a, b"), (4, "path until 6 s: c")]
    rows += [(6.5, "ActionRelease f")]
    assert str(timeline(program)).splitlines() == [f"{time:>14} s  {text}" for time, text in rows]


def test_target_reached_already_takes_no_time():
    def program(actions):
        add_path(actions)
        ptpJointSpace(actions, [[0.0, 0.0], [0.0, 0.0]])
        ActionDelete(actions, "f")

    result = timeline(program)
    assert result.actions[0].time == 0.0
    assert result.paths[0].trajectories == ()


def test_two_paths_are_told_apart_by_their_names():
    def program(actions):
        add_path(actions, ("a", "b"))
        add_path(actions, ("c",))
        ptpJointSpace(actions, [1.0], names=["c"])
        ptpJointSpace(actions, [2.0, 2.0], names=["a", "b"])

    first, second = timeline(program).paths
    assert (first.trajectories[0].end, second.trajectories[0].end) == ((2.0, 2.0), (1.0,))
    assert first.trajectories[0].start_time == second.trajectories[0].end_time


def test_after_a_motion_that_is_none_time_counts_from_there():
    def program(actions):
        add_path(actions)
        ptpJointSpace(actions, [1.0, 0.0])
        ActionWait(actions, 1.0)
        ptpJointSpace(actions, [[1.0, 0.0], [1.0, 0.0]])
        ActionWait(actions, 0.5)
        ActionDelete(actions, "f")

    assert [action.time for action in timeline(program).actions] == [3.5]


def test_leg_under_way():
    def program(actions):
        add_path(actions, ("a",))
        ActionWait(actions, 1.0)
        ptpJointSpace(actions, [1.0])

    result = timeline(program)
    (moved,) = result.paths[0].trajectories
    assert (moved.start_time, moved.end_time) == (1.0, result.end)


def too_short_a_period(actions):
    add_path(actions)
    ActionAttach(actions, "f", "g")
    ptpJointSpace(actions, [[2.0, 1.0]])
    EventAfterPeriod(actions, 2.25)


def unknown_path(actions):
    add_path(actions)
    ptpJointSpace(actions, [1.0, 1.0], names=["a", "c"])


def ambiguous_path(actions):
    add_path(actions, ("a",))
    add_path(actions, ("b",))
    ptpJointSpace(actions, [1.0])


def twice_the_same_name(actions):
    add_path(actions, ("a",))
    add_path(actions, ("b", "a"))


def wrong_length(actions):
    add_path(actions)
    ptpJointSpace(actions, [1.0, 1.0, 1.0])


def wrong_limits(actions):
    addReferencePath(actions, ["a"], [0.0], [0.0], [1.0])


def wrong_keyword(actions):
    ActionAttach(actions, frame="a", goal="b")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (too_short_a_period, r"action 4 \(EventAfterPeriod 2.25 s\).*0.75 s too late.*Allow larger"),
        (lambda actions: ptpJointSpace(actions, [1.0]), r"action 1 .*no reference path yet.*addReferencePath"),
        (unknown_path, r"action 2 .*a, c.*expected a, b"),
        (ambiguous_path, r"action 3 .*2 reference paths.*names="),
        (twice_the_same_name, r"action 2 .*'a' exists already"),
        (wrong_length, r"action 2 .*3 values.*expected 2: a, b"),
        (wrong_limits, r"action 1 .*v_max.*positive"),
        (wrong_keyword, r"action 1.*goal"),
        (lambda actions: EventAfterPeriod(actions, -1.0), "not negative"),
        (lambda actions: ActionWait(actions, math.nan), "duration of ActionWait"),
        (lambda actions: ActionAttach(actions, 3, "b"), "frame of ActionAttach is wrong; found 3"),
        (lambda actions: ptpJointSpace(actions, []), "has no positions"),
        ([Attach("a", "b"), "ActionRelease"], "entry 2 of the program is not an action"),
        ("attach", "a function or a list of actions and steps"),
    ],
)
def test_mistakes_are_told_by_number_and_name(program, message):
    with pytest.raises(ModelError, match=message):
        timeline(program)


def test_numbers_of_numpy_are_numbers():
    made = [
        Wait(np.int64(2)),
        WaitUntil(np.bool_(True), timeout=np.float32(0.5)),
        Set(a=np.int32(3)),
        Retry([Wait(1)], times=np.int8(2)),
    ]
    assert made == [Wait(2.0), WaitUntil(True, timeout=0.5), Set(a=3), Retry([Wait(1.0)], times=2)]
    assert [str(step) for step in made[:3]] == ["ActionWait 2 s", "wait_until True, at most 0.5 s", "set a = 3"]


def test_recorder_keeps_the_order():
    actions = Actions()
    ActionAttach(actions, "a", "b")
    ActionRelease(actions, "a")
    assert [str(a) for a in actions.recorded] == ["ActionAttach a -> b", "ActionRelease a"]


def test_a_function_that_records_without_end_is_refused():
    def program(actions):
        while True:
            EventAfterPeriod(actions, 1.0)

    with pytest.raises(ModelError, match=r"records actions without end.*100000.*is a generator"):
        timeline(program)


@pytest.mark.parametrize("before", [0, 1, 3])
def test_a_function_that_fails_is_told_with_the_action_that_it_would_have_recorded(before):
    def program(actions):
        for _ in range(before):
            ActionWait(actions, 0.1)
        raise ZeroDivisionError("nothing to share")

    words = rf"failed at action {before + 1}; found ZeroDivisionError: nothing to share"
    with pytest.raises(ModelError, match=words):
        instantiate(Model3D(world=Object3D(feature=Scene()), actions=ModelActions(program)))

    def mistaken(actions):
        for _ in range(before):
            ActionWait(actions, 0.1)
        ActionWait(actions, -1.0)

    with pytest.raises(ModelError, match=f"action {before + 1} of the program: duration of ActionWait") as caught:
        instantiate(Model3D(world=Object3D(feature=Scene()), actions=ModelActions(mistaken)))
    assert (caught.value.entry, caught.value.path) == (before + 1, "actions")
