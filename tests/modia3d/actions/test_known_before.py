"""What is known of a program before it runs, wherever in it the step stands that says so."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from modia3d import End, IfElse, Parallel, Read, Repeat, Retry, Set, Spawn, Together, Try, WaitUntil
from modia3d.actions.conditions import Condition
from modia3d.actions.paths_values import AddPath, PtpJointSpace
from modia3d.actions.program import ActionProgram
from modia3d.actions.structural.add import Add
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.delete import Delete
from modia3d.actions.structural.flip_chain import FlipChain
from modia3d.actions.structural.lock_joint import LockJoint
from modia3d.actions.structural.release import Release
from modia3d.actions.structural.release_and_attach import ReleaseAndAttach
from modia3d.actions.structural.unlock_joint import UnlockJoint
from modia3d.actions.values import AfterPeriod, Wait
from modia3d.scene.frame import Frame
from modia3d.topology.build import build_graph
from modia3d.topology.placement import Placement
from tests.modia3d.topology import scenes

pytestmark = pytest.mark.white_box

W = [Wait(1.0)]
WITHIN = {
    "alone": lambda step: [step],
    "last": lambda step: [*W, step],
    "then": lambda step: [IfElse("time > 1", [step])],
    "else": lambda step: [IfElse("time > 1", W, [step])],
    "repeat": lambda step: [Repeat([*W, step], 2)],
    "try": lambda step: [Try([step], W)],
    "on_refused": lambda step: [Try(W, [*W, step])],
    "retry": lambda step: [Retry([*W, step])],
    "parallel": lambda step: [Parallel(W, [*W, step], W)],
    "spawn": lambda step: [Spawn([*W, step])],
    "deep": lambda step: [Try(W, [Parallel(W, [Repeat([IfElse("time > 1", W, [*W, step])], while_="time > 2")])])],
}


def cell(name):
    """An arm of two driven joints and one that no drive moves, another one beside it, and where they can be held."""
    made = {f"{name}.{key}": value for key, value in scenes.arm("arm", 3).items()}
    made[f"{name}.arm.rev2"] = replace(made[f"{name}.arm.rev2"], with_flange=False)
    made |= {f"{name}.{key}": value for key, value in (scenes.arm("other", 1) | scenes.arm("spare", 1)).items()}
    made[f"{name}.spare.link0"] = replace(made[f"{name}.spare.link0"], parked=True)
    return made | {f"{name}.{dock}": Frame(parent="world", lockable=True) for dock in ("dock", "post")}


@pytest.fixture(scope="module")
def graph():
    """What the program may name stands beside it, and once more elsewhere."""
    return build_graph({"world": scenes.world()} | cell("one") | cell("two"))


def schedule(graph, program, **more):
    return ActionProgram(program, **more).schedule("two.actions", graph)


@pytest.mark.parametrize("within", WITHIN)
def test_joints_that_a_program_locks_are_known_by_their_full_names(graph, within):
    for step, joints in (
        (LockJoint("arm.rev3"), {"rev3"}),
        (LockJoint("arm.rev2", "impulse"), {"rev2"}),
        (Delete("arm.tip", park=True), {"rev1", "rev3"}),
        (Together([LockJoint("arm.rev1"), Release("arm.tip"), LockJoint("arm.rev2")]), {"rev1", "rev2"}),
        (Delete("arm.tip"), set()),
        (UnlockJoint("arm.rev1"), set()),
    ):
        assert schedule(graph, WITHIN[within](step)).locked_joints == {f"two.arm.{joint}" for joint in joints}, step
    both = [LockJoint("arm.rev1"), *WITHIN[within](Delete("other.base", True))]
    assert schedule(graph, both).locked_joints == {"two.arm.rev1", "two.other.rev1"}


FRAMES = ("arm.base", "dock")
MAY_STRIKE = {
    "attach": lambda how: Attach(*FRAMES, how),
    "release and attach": lambda how: ReleaseAndAttach(*FRAMES, None, how),
    "flip": lambda how: FlipChain(*FRAMES, None, how),
    "lock": lambda how: LockJoint("arm.rev1", how),
    "first of several": lambda how: Together([Attach(*FRAMES, how), Release("arm.tip")]),
    "last of several": lambda how: Together([Release("arm.tip"), Attach(*FRAMES, how)]),
}


@pytest.mark.parametrize("within", WITHIN)
def test_whether_there_may_be_impacts_is_known(graph, within):
    for made in MAY_STRIKE.values():
        for how in ("refuse", "impulse"):
            assert schedule(graph, WITHIN[within](made(how))).impulses is (how == "impulse")
    assert not schedule(graph, WITHIN[within](Wait(1.0))).impulses


@pytest.mark.parametrize("action", MAY_STRIKE)
def test_an_action_that_is_due_tells_whether_it_may_strike(graph, action):
    for how in ("refuse", "impulse"):
        due = schedule(graph, [MAY_STRIKE[action](how)]).begin(0.0).advance(0.0, pytest.fail, pytest.fail)
        assert due.impulse is (how == "impulse")
        assert str(due) == str(MAY_STRIKE[action](how))


@pytest.mark.parametrize("within", WITHIN)
def test_the_signals_that_a_program_reads_are_known(graph, within):
    for step, names in (
        (WaitUntil("a > b"), {"a", "b"}),
        (IfElse("der(a) > 1 and flags.f", W), {"der(a)", "flags.f"}),
        (Repeat(W, while_=Condition("c < 1")), {"c"}),
        (Set(f="d + 1", g="e", h=1), {"d", "e"}),
        (Wait(1.0), set()),
    ):
        around = {"time"} if within in ("then", "else", "deep") else set()
        assert schedule(graph, WITHIN[within](step)).signals_read() == names | around, step


@pytest.mark.parametrize("within", WITHIN)
def test_of_a_function_in_a_program_nothing_is_known(graph, within):
    """What it does is found while it runs: it may need everything."""
    begun = []

    def inner():
        begun.append("begun")
        yield Read("a")

    for step in (Spawn(inner), Parallel(W, inner)):
        found = schedule(graph, WITHIN[within](step))
        assert (found.signals_read(), found.impulses, found.length) == (None, True, "")
    assert begun == []
    found = schedule(graph, inner)
    assert (found.signals_read(), found.impulses, found.length) == (None, True, "")


@pytest.mark.parametrize("within", WITHIN)
def test_reference_paths_are_declared_wherever_they_stand(graph, within):
    smooth, rough = AddPath(("a", "b"), (0, 0), (1, 1), (1, 1), (1, 1)), AddPath(("c",), (0,), (1,), (1,))
    for first, second, limited in ((smooth, None, True), (rough, None, False), (smooth, rough, False), (rough, smooth, False)):
        found = schedule(graph, [*WITHIN[within](first), *([second] if second else [])])
        assert found.reference_names == (*first.names, *(second.names if second else ()))
        assert found.jerk_limited is limited
    assert not schedule(graph, W).jerk_limited


@pytest.mark.parametrize("within", [name for name in WITHIN if name != "deep"])
def test_whether_a_program_closes_loops_is_known(graph, within):
    for second, closes in (("dock", False), ("arm.tip", True)):
        steps = [Attach("arm.base", "dock"), *WITHIN[within](Attach("other.tip" if second == "dock" else second, "post"))]
        assert schedule(graph, steps).closes_loops is closes
        for says in (True, False):
            assert schedule(graph, steps, closes_loops=says).closes_loops is says
    for appears in ([], [Add("spare.base", Placement())]):  # what is parked cannot be attached
        steps = [*appears, Attach("spare.base", "dock"), *WITHIN[within](Attach("spare.tip", "post"))]
        assert schedule(graph, steps).closes_loops is bool(appears)


PATH, MOVE = AddPath(("a",), (0.0,), (1.0,), (1.0,)), PtpJointSpace([5.0])


@pytest.mark.parametrize(
    ("steps", "length"),
    [
        ([], 0.0),
        ([Wait(0.25), Repeat([Wait(0.5)], 3)], 1.75),
        ([PATH, MOVE, Wait(0.5)], 6.5),
        ([PATH, Wait(1.0), MOVE, AfterPeriod(9.0)], 9.0),
        ([Wait(0.5), Parallel([Wait(2.0)], [Wait(0.25)]), Attach("arm.base", "dock")], 2.5),
        ([Wait(0.5), Spawn([Wait(2.0)]), Wait(0.25)], 2.5),
        ([Wait(0.5), End("over")], 0.5),
        ([Wait(0.5), Repeat([Wait(0.5), End("over")], 5)], 1.0),
        ([Wait(0.5), WaitUntil("x > 1", 1.0), Wait(1.0)], math.nan),
        ([Wait(0.5), IfElse("x > 1", [Wait(1.0)])], math.nan),
        ([Wait(0.5), Set(f="x")], math.nan),
        ([Parallel([Wait(0.5)], lambda: iter(()))], math.nan),
        ([Repeat([Wait(0.5)], 3000)], math.nan),
    ],
)
def test_how_long_a_program_takes_is_told_where_it_is_known(graph, steps, length):
    assert schedule(graph, steps).length == ("" if math.isnan(length) else f"; the program takes {length:g} s")
