"""Programs that decide while they run: conditions, branches, refusals, parallel programs, verdicts, replay."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionRefused,
    ActionRelease,
    ActionWait,
    End,
    IfElse,
    Join,
    MassProperties,
    Model3D,
    ModelActions,
    Object3D,
    Parallel,
    Read,
    Repeat,
    Retry,
    Scene,
    Set,
    Solid,
    Spawn,
    Sphere,
    StopPath,
    Together,
    Try,
    UniformGravity,
    WaitUntil,
    addReferencePath,
    ptpJointSpace,
)
from modia3d.actions.paths_values import AddPath, PtpJointSpace
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.release import Release
from modia3d.actions.structural.release_and_attach import ReleaseAndAttach
from modia3d.actions.values import Wait
from modiapy import Model, ModelError, SimulationError, Var, instantiate

pytestmark = pytest.mark.white_box

G = 9.81
ATTACH = Attach("grip", "hook")
BODY = Solid(shape=Sphere(0.1), mass_properties=MassProperties(mass=2.0, Ixx=0.1, Iyy=0.1, Izz=0.1))
BALL = Object3D(parent="world", feature=BODY, fixed_to_parent=False, assembly_root=True)


def model(program, **more):
    """A ball that falls from the origin, a hook that it can be locked to, and an equation ``x = time``."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=G, n=(0, -1, 0)))),
        hook=Object3D(parent="world", lockable=True),
        ball=BALL,
        grip=Object3D(parent="ball", rotation=(math.pi, 0, 0), lockable=True),
        x=Var(init=0.0),
        equations=["der(x) = 1.0"],
        actions=ModelActions(program),
        **more,
    )


def run(program, stop_time=5.0, simulate=None, **more):
    return instantiate(model(program, **more), "M").simulate(stop_time, tolerance=1e-9, **(simulate or {}))


def times(result, kind):
    return [entry["time"] for entry in result.program_log if entry["kind"] == kind]


# -- conditions -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def falling():
    return instantiate(model([WaitUntil("ball.r_abs[1] < -1"), End("down")]), "M")


def test_a_condition_is_found_between_output_points(falling):
    results = [falling.simulate(2.0, tolerance=1e-9, interval=step) for step in (0.5, 0.1, 0.0123)]
    found = {times(result, "wait_until")[0] for result in results}
    assert len(found) == 1
    assert found.pop() == pytest.approx(math.sqrt(2.0 / G), rel=1e-8)
    for result in results:
        assert result["ball.r_abs"][-1, 1] == pytest.approx(-1.0, abs=1e-13)
        assert result.statistics["compilations_after_start"] == 0
        assert result.statistics["events_by_kind"] == {"condition": 1}
        assert (result.verdict, result.success, result.time[-1]) == ("down", True, times(result, "end")[0])


@pytest.mark.parametrize(("awaited", "crossing"), [(0.5, 0.503), (0.503, 0.5)])
def test_a_condition_and_a_crossing_in_one_step_are_two_events_of_their_kinds(awaited, crossing):
    cell, equations = model([WaitUntil(f"x > {awaited}")]), ["der(y) = 1.0", f"u = 2.0 if y > {crossing} else 1.0"]
    result = instantiate(Model(cell=cell, y=Var(init=0.0), u=Var(), equations=equations), "M").simulate(1.0, interval=1.0)
    assert result.statistics["events_by_kind"] == {"condition": 1, "state": 1}
    assert times(result, "wait_until") == [pytest.approx(awaited, abs=1e-9)]
    assert result.time[1:-1] == pytest.approx(np.repeat(sorted((awaited, crossing)), 2), abs=1e-9)


def test_a_release_from_what_it_is_not_attached_to_is_refused():
    with pytest.raises(SimulationError) as refused:
        run([ATTACH, Release("grip", "ball")])
    assert refused.value.path == "grip"
    assert "action 2 (ActionRelease grip from ball)" in str(refused.value)
    assert "the frame is attached to another frame; found the lock grip - hook; expected ball" in str(refused.value)
    assert run([ATTACH, Release("grip", "hook")], 0.5)["ball.v_abs"][-1] == pytest.approx([0.0, -0.5 * G, 0.0], abs=1e-6)


@pytest.mark.parametrize("solver", ["cvode", "scipy", "sundae"])
def test_integrators_agree_on_the_time(falling, solver):
    result = falling.simulate(2.0, tolerance=1e-9, solver=solver)
    assert result.time[-1] == pytest.approx(math.sqrt(2.0 / G), rel=1e-7)


@pytest.mark.parametrize(
    ("condition", "time"),
    [
        ("x > 0.3 and time > 0.4", 0.4),
        ("mechanics.kinetic_energy >= 30", math.sqrt(2 * 30 / 2.0) / G),
        ("ball.v[1] < -2", 2.0 / G),
        ("ball.v_abs[1] < -2 or x > 4", 2.0 / G),
        ("der(x) > 2 or sin(x) > 0.5", math.pi / 6),
        ("not (x < 0.7)", 0.7),
        (lambda s: s["ball.r_abs"][1] < -1.0, math.sqrt(2.0 / G)),
        (lambda s: s.get("x", 3.0) > 0.6 and s.get("y", 3.0) == 3.0 and s.get("y") is None, 0.6),
        (lambda s: "x" in s and "y" not in s and s["x"] > 0.8, 0.8),
    ],
)
def test_conditions_on_all_kinds_of_signals(condition, time):
    result = run([WaitUntil(condition), End("")], 2.0)
    assert result.time[-1] == pytest.approx(time, rel=1e-8)


def test_what_waits_does_not_change_the_trajectory(falling):
    waiting = falling.simulate(0.4, tolerance=1e-9)
    free = instantiate(model([]), "M").simulate(0.4, tolerance=1e-9)
    assert (waiting["ball.r_abs"] == free["ball.r_abs"]).all()


def test_no_kernel_is_loaded_while_a_generator_runs():
    """What it reads is not known before: all kernels behind signals must be there, which an empty cache would compile."""
    code = """
import sys
from modia3d import *
from modiapy import instantiate

def program(actions):
    yield Read("hinge.cut_force[1] + rod.a_abs[0] + mechanics.momentum_rate[0] + mechanics.kinetic_energy")
    yield WaitUntil("hinge.cut_torque[0] > 1e9", timeout=0.1)
    yield End("done")

rod = Object3D(feature=Solid(shape=Box(1.0, 0.1, 0.1), solid_material="Steel"))
sim = instantiate(
    Model3D(world=Object3D(feature=Scene()), rod=rod, hinge=Revolute("world", "rod"), actions=ModelActions(program))
)
before = set(sys.modules)
assert sim.simulate(1.0).verdict == "done"
print([name for name in set(sys.modules) - before if "kernel" in name])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[3])
    assert run.stdout.strip() == "[]", run.stderr


def test_a_signal_of_another_structure_is_told_from_one_that_never_exists():
    attached = [ATTACH, WaitUntil("ball.v[1] < -1")]
    with pytest.raises(SimulationError, match=r"no signal 'ball.v\[1\]' now.*while the structure is another one"):
        instantiate(model(attached), "M").simulate(1.0)
    for name in ("ball.r_abs[3]", "ball.r_abs[0,1]", "ball.R_abs[1]", "mechanics.kinetic_energy[0]"):
        with pytest.raises(ModelError, match=f"no signal '{re.escape(name)}'"):
            instantiate(model([WaitUntil(f"{name} > 0")]))


def test_a_condition_may_ask_for_a_flag_that_only_a_function_sets():
    """What a function does is not known before it runs; where there is none, a flag that no step sets is a mistake."""

    def ready(actions):
        yield ActionWait(actions, 0.3)
        yield Set(ready=True)

    steps = [WaitUntil("flags.ready"), End("both")]
    assert times(run([Spawn(ready), *steps]), "end") == [pytest.approx(0.3)]
    with pytest.raises(ModelError, match=r"no flag 'flags\.ready'"):
        instantiate(model(steps))


# -- outcomes -------------------------------------------------------------------------------------------------------------


def test_a_generator_gets_values_and_branches():
    seen = []

    def program(actions):
        seen.append((yield WaitUntil("ball.r_abs[1] < -1", timeout=2.0)))
        seen.append((yield Read("ball.v_abs[1]")))
        seen.append((yield WaitUntil("x > 100", timeout=0.25)))
        seen.append((yield ActionWait(actions, 0.5)))
        yield End("seen")

    result = run(program)
    fall = math.sqrt(2.0 / G)
    assert seen == [True, pytest.approx(-G * fall), False, None]
    assert result.time[-1] == pytest.approx(fall + 0.75, rel=1e-9)


def test_a_refused_action_is_caught_and_tried_again():
    """The grip leaves the hook at once and mates with it when it is thrown up and comes back."""
    said = []

    def program(actions):
        yield ActionWait(actions, 0.1)
        for _ in range(5):
            try:
                yield ActionAttach(actions, "grip", "hook")
                said.append("attached")
                return
            except ActionRefused as refused:
                said.append(str(refused))
                yield ActionWait(actions, 0.1)

    result = run(program, 1.0)
    assert len(said) == 5
    assert all("ActionAttach grip -> hook" in text and "refused" in text for text in said)
    assert len(result.segments) == 1
    assert [entry["outcome"] for entry in result.program_log if entry["kind"] == "action"] == said


def test_attached_and_released_where_a_condition_says_so():
    def program(actions):
        yield ActionAttach(actions, "grip", "hook")
        yield WaitUntil("x >= 0.5")
        yield ActionRelease(actions, "grip")
        yield WaitUntil("ball.v_abs[1] <= -3")
        yield End("fast")

    result = run(program)
    assert [record.start for record in result.segments] == [0.0, 0.0, pytest.approx(0.5, abs=1e-12)]
    assert result.time[-1] == pytest.approx(0.5 + 3.0 / G, rel=1e-9)
    assert result["ball.r_abs"][-1, 1] == pytest.approx(-9.0 / (2 * G), rel=1e-8)


def test_a_refusal_nobody_catches_ends_the_simulation_with_its_number():
    with pytest.raises(SimulationError, match=r"action 3 \(ActionAttach grip -> hook\) is refused") as caught:
        run([WaitUntil("x > 0.1"), Set(a=1), ATTACH], 1.0)
    assert caught.value.entry == 3


def test_lists_branch_repeat_and_catch():
    steps = [
        Repeat([Set({"n": "flags.n + 1"}), WaitUntil("x >= 0.1*flags.n")], while_="flags.n < 3"),
        Repeat([Set({"n": "flags.n + 1"})], times=2),
        IfElse("flags.n == 5", [Set(five=True)], [End("wrong", success=False)]),
        Try([Retry([ATTACH], times=3, pause=0.1), End("attached")], [Set(refused=True)]),
        IfElse("flags.refused and flags.five and ball.r_abs[1] < 0", otherwise=[End("wrong", success=False)]),
        End("right"),
    ]
    result = run(steps)
    assert (result.verdict, result.success) == ("right", True)
    assert result.time[-1] == pytest.approx(0.5, abs=1e-11)


# -- parallel -------------------------------------------------------------------------------------------------------------


def test_parallel_programs_meet_and_return():
    def first():
        yield WaitUntil("x > 0.2")
        yield Set(ready=True)
        yield WaitUntil("flags.taken")
        return "first"

    def second():
        yield WaitUntil("flags.ready", timeout=3.0)
        yield WaitUntil("x > 0.5")
        yield Set(taken=1)
        return "second"

    def program():
        got = yield Parallel(first, second)
        number = yield Spawn(first)
        assert (yield Join(number)) == "first"
        yield End(" and ".join(got))

    result = run(program)
    assert result.verdict == "first and second"
    assert result.time[-1] == pytest.approx(0.5, abs=1e-11)


def test_a_refusal_in_one_program_leaves_the_others():
    def clumsy(actions):
        yield WaitUntil("x > 0.3")
        yield ActionAttach(actions, "grip", "hook")

    def mover(actions):
        yield ptpJointSpace(actions, [10.0])
        yield End("never", success=False)

    def program(actions):
        yield addReferencePath(actions, ["a"], [0.0], [1.0], [2.0])
        try:
            yield Parallel(clumsy, mover)
        except ActionRefused:
            yield StopPath()
        yield End("stopped")

    result = run(program)
    assert result.verdict == "stopped"
    assert result.time[-1] == pytest.approx(0.3 + 0.3)  # it brakes as fast as it has sped up
    assert result["actions.a.position"][-1] == pytest.approx(2 * 0.3**2)
    assert result["actions.a.velocity"][-1] == pytest.approx(0.0, abs=1e-12)


def test_a_path_that_is_stopped_tells_its_program():
    def program(actions):
        yield addReferencePath(actions, ["a"], [0.0], [1.0], [1.0])
        reached = yield Parallel(lambda: (yield ptpJointSpace(actions, [10.0])), stopper)
        assert reached[0] is False
        at = yield Read("actions.a.position")
        assert (yield ptpJointSpace(actions, [at + 0.25])) is True

    def stopper(actions):
        yield WaitUntil("actions.a.position >= 1")
        yield StopPath(["a"])

    result = run(program)
    time, position = result.time, result["actions.a.position"]
    stop = 1.5 + 1.0  # at 1.5 s it is at 1.0 with the speed 1, and needs 1 s to stop
    assert position[time <= stop + 1e-9][-1] == pytest.approx(1.5)
    assert position[-1] == pytest.approx(1.75)
    assert max(abs(result["actions.a.velocity"])) <= 1.0 + 1e-12


def test_actions_given_together_are_one_segment():
    def both(actions):
        ActionAttach(actions, "grip", "hook")
        ActionWait(actions, 0.5)
        with actions.together():
            ActionRelease(actions, "grip")
            ActionAttach(actions, "grip", "hook")
        ActionWait(actions, 0.5)

    result = run(both, 2.0)
    assert [record.start for record in result.segments] == [0.0, 0.0, 0.5]
    assert "ActionRelease grip + ActionAttach grip -> hook" in result.segments[-1].cause


@pytest.mark.parametrize("inside", [False, True])
def test_actions_of_a_generator_may_be_given_together(inside):
    """They are yielded with what holds them, in a step that holds that again, too."""

    def both(actions):
        yield ActionAttach(actions, "grip", "hook")
        yield ActionWait(actions, 0.5)
        change = Together([ActionRelease(actions, "grip"), ActionAttach(actions, "grip", "hook")])
        yield Parallel([change]) if inside else change

    result = run(both, 1.0)
    assert [record.start for record in result.segments] == [0.0, 0.0, 0.5]


# -- replay ---------------------------------------------------------------------------------------------------------------


def busy(actions):
    yield addReferencePath(actions, ["a"], [0.0], [1.0], [1.0])
    yield Parallel(mover, catcher)
    yield WaitUntil("x > 3")
    yield End("done")


def mover(actions):
    yield WaitUntil("ball.v_abs[1] < -2")
    yield ptpJointSpace(actions, [[1.0], [0.5]])
    yield Set(moved="x")


def catcher(actions):
    for _ in range(4):
        try:
            yield ActionAttach(actions, "grip", "hook")
            yield WaitUntil("flags.moved or x > 0.2")
            yield ActionRelease(actions, "grip")
        except ActionRefused:
            yield ActionWait(actions, 0.3)


def test_the_log_brings_a_program_to_the_same_state():
    sim = instantiate(model(busy), "M")
    log = sim.simulate(4.0).program_log
    assert json.loads(json.dumps(log)) == log
    schedule = next(iter(sim.flat.components.values())).system.schedule
    for cut in sorted({i for i in range(1, len(log)) if log[i]["time"] != log[i - 1]["time"]}):
        run = schedule.replay(0.0, log[:cut])
        state = (run.log(), run.watching, run.next_event(log[cut - 1]["time"]))
        run = schedule.replay(0.0, json.loads(json.dumps(log))[:cut])
        assert state == (log[:cut], run.watching, run.next_event(log[cut - 1]["time"]))
        assert run.next_event(log[cut - 1]["time"]) <= log[cut]["time"] or run.watching


BUSY_OPTIONS = {"tolerance": 1e-7, "interval": 0.05}


@pytest.mark.parametrize("stop", [0.1, 0.21, 0.5, 1.7, 2.9])
def test_a_run_that_goes_on_from_a_snapshot_gives_the_same_bits(busy_model, busy_result, tmp_path, stop):
    """While programs in parallel wait for times and conditions, in a trajectory of a path, between refused actions."""
    whole = busy_result
    busy_model.simulate(stop, **BUSY_OPTIONS)
    busy_model.save(tmp_path / "state")
    other = instantiate(model(busy), "M")
    begins = other.restore(tmp_path / "state")
    rest = other.simulate(4.0)
    assert begins <= stop
    assert rest.program_log == whole.program_log
    assert (rest.verdict, rest.time[-1]) == (whole.verdict, whole.time[-1])
    n = rest.time.size
    assert (rest.time == whole.time[-n:]).all()
    for name in ("ball.r_abs", "actions.a.position", "actions.a.acceleration", "x"):
        assert (rest[name] == whole[name][-n:]).all()


@pytest.fixture(scope="module")
def busy_model():
    return instantiate(model(busy), "M")


@pytest.fixture(scope="module")
def busy_result(busy_model):
    return busy_model.simulate(4.0, **BUSY_OPTIONS)


def test_a_log_of_another_program_is_refused(busy_model, busy_result):
    log = busy_result.program_log
    schedule = next(iter(busy_model.flat.components.values())).system.schedule
    for wrong in ([log[0] | {"step": "else"}], log[1:], [{"time": 0.0}], [{"what": 1}]):
        with pytest.raises(ModelError, match="does not fit"):
            schedule.replay(0.0, wrong)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda log: [*log, log[0]], "1 steps behind the end of the program"),
        (lambda log: [*log, *log], "3 steps behind the end of the program"),
        (lambda log: [log[0] | {"outcome": 5}, *log[1:]], "the outcome 5 of an action"),
        (lambda log: [log[0], log[1] | {"time": "soon"}], "the time 'soon'"),
        (lambda log: [log[0], log[1] | {"task": 7}], "a step at 0.25 s that this program does not reach"),
        (lambda log: [log[0], log[1] | {"step": "wait"}], "step 'wait' where this program has 'ActionWait 0.25 s'"),
        (lambda log: [log[0], log[1] | {"outcome": False}], "outcome False where this program has None"),
        (lambda log: [log[0], log[1] | {"kind": "path"}], "kind 'path' where this program has 'wait'"),
        (lambda log: [log[0] | {"kind": "wait"}], "kind 'wait' where this program has 'action'"),
        (
            lambda log: [*log[:2], {key: value for key, value in log[2].items() if key != "kind"}],
            "kind None where this program has 'end'",
        ),
        (lambda log: [*log[:2], log[2] | {"outcome": "under"}], "outcome 'under' where this program has 'over'"),
        (lambda log: [log[0], log[1] | {"time": 0.5}, log[2]], "time 0.25 where this program has 0.5"),
    ],
)
def test_a_log_that_does_not_fit_is_refused_with_what_was_found(change, found):
    sim = instantiate(model([ATTACH, Wait(0.25), End("over")]), "M")
    log = sim.simulate(1.0).program_log
    assert [entry["time"] for entry in log] == [0.0, 0.25, 0.25]
    schedule = next(iter(sim.flat.components.values())).system.schedule
    assert schedule.replay(0.0, log).log() == log
    with pytest.raises(ModelError, match="the log does not fit the action program") as caught:
        schedule.replay(0.0, change(log))
    assert caught.value.found == found


def test_the_log_keeps_values_that_are_no_numbers():
    """NaN differs from itself."""

    def program():
        yield Set(nothing="sqrt(-1 - x)")
        assert math.isnan((yield Read("flags.nothing")))
        yield Wait(0.5)
        yield End("read")

    sim = instantiate(model(program), "M")
    log = sim.simulate(1.0).program_log
    schedule = next(iter(sim.flat.components.values())).system.schedule
    assert repr(schedule.replay(0.0, json.loads(json.dumps(log))).log()) == repr(log)
    assert [entry["kind"] for entry in log] == ["set", "read", "wait", "end"]


# -- mistakes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "message", "entry"),
    [
        ([Set(a=1), WaitUntil("bal.r_abs[1] < 0")], "no signal 'bal.r_abs.*ball.r_abs", 2),
        ([IfElse("x > 1", [WaitUntil("flags.redy")]), Set(ready=1)], "no flag 'flags.redy'.*flags.ready", 2),
        ([Repeat([Parallel([Set(a=1)], [WaitUntil("y > 1")])], times=2)], "action 4 .*no signal 'y'", 4),
        ([Try([ATTACH], [Set(b="y")])], r"action 3 \(set b = y\): there is no signal 'y'", 3),
    ],
)
def test_wrong_names_are_refused_at_load(steps, message, entry):
    with pytest.raises(ModelError, match=message) as caught:
        instantiate(model(steps))
    assert caught.value.entry == entry


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WaitUntil("x >"), "cannot be read"),
        (lambda: WaitUntil("pre(x) > 1"), "'pre' cannot stand"),
        (lambda: WaitUntil("__import__('os')"), "cannot stand|not part"),
        (lambda: WaitUntil("x > 1", timeout=-1), "timeout of wait_until"),
        (lambda: WaitUntil(None), "not a condition"),
        (lambda: Repeat([Set(a=1)]), "how often"),
        (lambda: Repeat([], times=2), "has no steps"),
        (lambda: Repeat([Set(a=1)], times=0), "times of repeat"),
        (lambda: Repeat([Set(a=1)], times=0, while_="x > 1"), "found times and while"),
        (lambda: StopPath([1]), "names of a path must be texts"),
        (lambda: IfElse("x > 1", ["wrong"]), "entry 1 of 'then' of if is not an action"),
        (lambda: Parallel(busy(None)), "without calling it"),
        (lambda: End(3), "the verdict of 'end' is wrong"),
        (lambda: Set(), "names no flags"),
        (lambda: Together([Set(a=1)]), "structural actions only"),
    ],
)
def test_wrong_steps_are_refused_where_they_are_made(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def endless(actions):
    while True:
        yield Set(a=1)


def forgotten(actions):
    ActionWait(actions, 1.0)
    yield Set(a=1)


def broken():
    yield WaitUntil("x > 0.1")
    raise ZeroDivisionError("mine")


def array():
    yield WaitUntil("ball.r_abs > 1")


def late(actions):
    yield Set(a=1)
    yield addReferencePath(actions, ["a"], [0.0], [1.0], [1.0])


def twice(actions):
    yield addReferencePath(actions, ["a"], [0.0], [1.0], [1.0])
    move = lambda: (yield ptpJointSpace(actions, [1.0]))  # noqa: E731
    yield Parallel(move, move)


def raised_later():
    yield WaitUntil("x > 0.1")
    try:
        yield ATTACH
    except ActionRefused:
        yield Wait(0.1)
        raise


def from_a_list():
    def inner():
        yield from [Set(a=1), Wait(0.1), Read("flags.a"), End("not reached")]

    yield from inner()


def test_steps_without_outcomes_may_be_yielded_from_a_list():
    def program():
        yield from [Set(a=1), Wait(0.1)]
        assert (yield Read("flags.a")) == 1.0
        yield End("read")

    assert run(program, 1.0).verdict == "read"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (endless, "set a = 1.*again and again.*no time passes"),
        ([Repeat([Set(a=1)], while_="x < 1")], r"action \d.*again and again"),
        (forgotten, "ActionWait 1 s was not yielded.*yield"),
        (broken, "ZeroDivisionError: mine"),
        (array, r"'ball.r_abs' is an array.*ball.r_abs\[0\]"),
        (lambda: (yield WaitUntil(lambda s: s["nothing"])), "no signal 'nothing' now"),
        (late, "was not declared before"),
        (twice, "another motion of this path"),
        (lambda: (yield "step"), "not a step of a program"),
        (
            from_a_list,
            "uses 'yield from' on an object that is not a generator.*found yield from a list_iterator; expected yield from a",
        ),
        (raised_later, "refusal that nothing in it catches.*do not mate"),
        (lambda: (yield Join(0)), "no program of this number"),
        (lambda: (yield Join([1])), "no program of this number"),
    ],
)
def test_mistakes_while_it_runs_are_told_by_step(program, message):
    with pytest.raises(SimulationError, match=message):
        run(program, 1.0)


# -- the stop time --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [math.nextafter(0.3, 0.0), 0.3, 0.1 + 0.2])
def test_what_a_program_does_at_the_stop_time_is_done_once(stop, tmp_path):
    program = [ATTACH, Wait(0.1), Wait(0.2), Release("grip"), Set(free=True), Wait(0.2), End("late")]
    sim, file = instantiate(model(program), "M"), tmp_path / "s.npz"
    full = sim.simulate(1.0, interval=0.05)
    result = sim.simulate(stop, interval=0.05, save=file)
    assert [entry["kind"] for entry in result.program_log] == [entry["kind"] for entry in full.program_log][:5]
    assert [len(record.segments) for record in (result, full)] == [3, 3]
    assert result.time[-1] == stop
    sim.restore(file)
    rest = sim.simulate(1.0)
    assert (rest.verdict, rest.program_log, len(rest.segments)) == ("late", full.program_log, 1)


def test_a_condition_that_begins_to_hold_at_the_stop_time():
    for stop in (math.nextafter(0.5, 0.0), 0.5, math.nextafter(0.5, 1.0)):
        assert run([WaitUntil("x >= 0.5"), End("there")], stop).verdict == "there"


def test_names_in_conditions_are_those_of_the_model_of_the_program_then_of_the_enclosing_ones():
    """In a robot that is a part of a model: its own ball, the x that hides another one, a limit of the whole."""
    program = [WaitUntil("ball.v_abs[1] < -2 and x > limit"), Set(seen="x"), End("seen")]
    whole = Model(robot=model(program), limit=0.1, x=Var(), equations=["x = -5"])
    result = instantiate(whole).simulate(1.0)
    assert (result.verdict, result.time[-1]) == ("seen", pytest.approx(2.0 / G))
    with pytest.raises(ModelError, match=r"action 1 .*there is no signal 'bal.v_abs\[1\]'.*Did you mean 'ball.v_abs'"):
        instantiate(Model(robot=model([WaitUntil("bal.v_abs[1] < -2"), End("never")])))


@pytest.mark.parametrize("condition", ["sqrt(-1 - x)", "log(-1 - x) > -5"])
def test_a_condition_without_a_value_does_not_hold(condition):
    chosen = IfElse(condition, then=[End("holds")], otherwise=[WaitUntil(condition, timeout=0.2), End("does not")])
    result = instantiate(model([chosen])).simulate(1.0)
    assert (result.verdict, result.time[-1]) == ("does not", pytest.approx(0.2))


PATH, MOVE = AddPath(("phi",), (0.0,), (1.0,), (1.0,)), PtpJointSpace(((5.0,),))


def test_a_program_may_end_in_the_middle_of_its_paths():
    """Who says `End` knows what is under way; a stop time is told what it cuts off."""
    result = instantiate(model([PATH, Parallel([MOVE], [Wait(0.3), End("enough")])])).simulate(1.0)
    assert (result.verdict, result.time[-1], result.status) == ("enough", pytest.approx(0.3), "finished")
    assert result.notes == []
    assert instantiate(model([PATH, Wait(0.2), MOVE])).simulate(0.2).notes == []  # it has not begun to move


@pytest.mark.parametrize(
    ("steps", "action", "begin", "takes"),
    [
        ([MOVE, Wait(0.5)], " (action 2)", 0.0, "; the program takes 6.5 s"),
        ([MOVE, End("there")], " (action 2)", 0.0, "; the program takes 6 s"),
        ([Parallel([Wait(0.15), Wait(9.0)], [Wait(0.1), MOVE])], " (action 6)", 0.1, "; the program takes 9.15 s"),
        ([WaitUntil("x >= 0.1"), MOVE], " (action 3)", 0.1, ""),
        ([Parallel([MOVE], lambda: (yield Wait(9.0)))], " (action 3)", 0.0, ""),
        (lambda: [(yield PATH), (yield MOVE)], "", 0.0, ""),
    ],
)
def test_a_path_that_the_stop_time_cuts_off_is_told_with_all_that_is_known(steps, action, begin, takes):
    (note,) = instantiate(model(steps if callable(steps) else [PATH, *steps])).simulate(0.2).notes
    told = (
        f"the path of phi{action} ends with the simulation, not at its target, which it reaches at {6.0 + begin:.9g} s{takes}"
    )
    assert note == {
        "kind": "unfinished path",
        "time": 0.2,
        "names": ["phi"],
        "begin": pytest.approx(begin),
        "end": pytest.approx(6.0 + begin),
        "text": told,
    }


def test_steps_behind_a_block_have_the_numbers_of_the_file():
    """if (1), wait, wait (2, 3) else attach (4), then wait (5), attach (6): each is refused by its own number."""

    def program(inside, behind):
        choice = IfElse("x > 2", then=[Wait(0.1), Wait(0.1)], otherwise=[Attach("grip", inside)])
        return [choice, Wait(0.1), Attach("grip", behind)]

    for names, number in ((("hok", "hook"), 4), (("hook", "hok"), 6)):
        with pytest.raises(ModelError, match=f"action {number} .*no Object3D 'hok'|'hok'") as caught:
            instantiate(model(program(*names)))
        assert caught.value.entry == number


def test_every_frame_that_an_action_names_is_looked_up_before_it_runs():
    with pytest.raises(ModelError, match="there is no Object3D 'grp'"):
        instantiate(model([Wait(9.0), ReleaseAndAttach("grip", "hook", release="grp")]))


@pytest.mark.parametrize("before", [Wait(0.2), WaitUntil("x > 9", timeout=0.2)])
def test_who_waits_without_a_timeout_waits_whatever_was_waited_for_before(before):
    result = instantiate(model([before, WaitUntil("x > 0.5"), End("now")])).simulate(1.0)
    assert (result.verdict, result.time[-1]) == ("now", pytest.approx(0.5, abs=1e-9))
