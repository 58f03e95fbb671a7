"""What is refused of a program when the model is loaded and while it runs, word for word, with path and number of the step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from modia3d import (
    ActionRefused,
    ActionWait,
    Box,
    IfElse,
    Join,
    Model3D,
    ModelActions,
    Object3D,
    Parallel,
    Pose,
    Read,
    Repeat,
    Retry,
    Revolute,
    Set,
    Solid,
    Spawn,
    Spherical,
    Together,
    Try,
    WaitUntil,
)
from modia3d.actions.paths_values import AddPath, MoveLinear, PtpJointSpace
from modia3d.actions.steps import Decide
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.lock_joint import LockJoint
from modia3d.actions.structural.release import Release
from modia3d.actions.values import AfterPeriod, Wait
from modiapy import Model, ModelError, SimulationError, Var, instantiate
from tests.modia3d.scenes import free, world

pytestmark = pytest.mark.white_box

W = [Wait(1.0)]
PROGRAM = "expected a function or a list of actions and steps"
ENTRY = "expected an action or a step"


BODY = Object3D(feature=Solid(shape=Box(1.0, 0.1, 0.1), solid_material="Steel"))


def scene(program):
    """An arm of two links in the plane, a ball that floats in front of a hook, and ``x = time``."""
    return Model3D(
        world=world(), hook=Object3D(parent="world", lockable=True),
        ball=free(), grip=Object3D(parent="ball", lockable=True),
        upper=BODY, lower=BODY, wrist_ball=BODY,
        middle=Object3D(parent="upper", translation=(1.0, 0, 0)), tool=Object3D(parent="lower", translation=(1.0, 0, 0)),
        shoulder=Revolute("world", "upper", "z"), elbow=Revolute("middle", "lower", "z", phi=0.5, limits=(0.0, 2.0)),
        wrist=Spherical("tool", "wrist_ball"),
        x=Var(init=0.0), equations=["der(x) = 1.0"], actions=ModelActions(program),
    )  # fmt: skip


P = AddPath(("a", "b"), (0.0, 0.5), (1.0, 1.0), (1.0, 1.0), joints=("shoulder", "elbow"))
Q = AddPath(("c",), (0.0,), (1.0,), (1.0,))
MOVE, GRIP = PtpJointSpace([1.0]), Attach("grip", "hook")
PTP = "(ptpJointSpace through 1 position)"
FRAME, JOINT = (f"expected the name of {what}, looked up in 'the Model3D'" for what in ("an Object3D", "a joint"))
FOLLOW = "Name the joints that follow the path: addReferencePath(..., joints=[...])."
SIGNAL, FLAG = "expected a variable or signal of the model", "expected a flag that a step of the program sets"
LOADED = [
    (
        [Attach("grp", "hook")],
        1,
        f"action 1 (ActionAttach grp -> hook): there is no Object3D 'grp'; {FRAME}. Did you mean 'grip'?",
    ),
    (
        [*W, Attach("grip", "hok")],
        2,
        f"action 2 (ActionAttach grip -> hok): there is no Object3D 'hok'; {FRAME}. Did you mean 'hook'?",
    ),
    (
        [Release("grip"), Try([Release("grip"), Together([Release("grip"), LockJoint("shuolder")])])],
        4,
        f"action 4 (ActionRelease grip + ActionLock shuolder): there is no joint 'shuolder'; {JOINT}. Did you mean 'shoulder'?",
    ),
    (
        [Parallel(W, [*W, Release("grp")])],
        4,
        f"action 4 (ActionRelease grp): there is no Object3D 'grp'; {FRAME}. Did you mean 'grip'?",
    ),
    ([MOVE], 1, f"action 1 {PTP}: there is no reference path yet. Call addReferencePath before ptpJointSpace."),
    ([P, MOVE], 2, f"action 2 {PTP}: a position has the wrong length; found 1 values; expected 2: a, b"),
    (
        [P, PtpJointSpace([[1.0, 2.0], [1.0, 2.0, 3.0]])],
        2,
        "action 2 (ptpJointSpace through 2 positions): a position has the wrong length; found 3 values; expected 2: a, b",
    ),
    (
        [P, Q, MOVE],
        3,
        f"action 3 {PTP}: the path to be moved is not named, and there are several; found 2 reference paths. "
        "Give the names of the path as names=.",
    ),
    (
        [P, Q, PtpJointSpace([1.0], ("d",))],
        3,
        f"action 3 {PTP}: there is no reference path of these names; found d; expected a, b; c",
    ),
    (
        [P, AddPath(("b",), (0.0,), (1.0,), (1.0,))],
        2,
        "action 2 (addReferencePath b): the reference 'b' exists already; expected each name in one addReferencePath only",
    ),
    (
        [P, PtpJointSpace(Pose("tol", (1, 0, 0)))],
        2,
        f"action 2 {PTP}: there is no Object3D 'tol'; {FRAME}. Did you mean 'tool'?",
    ),
    (
        [P, PtpJointSpace(Pose("tool", (1, 0, 0), relative_to="wrold"))],
        2,
        f"action 2 {PTP}: there is no Object3D 'wrold'; {FRAME}. Did you mean 'world'?",
    ),
    (
        [P, MoveLinear("tol", (1, 0, 0))],
        2,
        f"action 2 (moveLinear tol): there is no Object3D 'tol'; {FRAME}. Did you mean 'tool'?",
    ),
    ([Q, MoveLinear("tool", (1, 0, 0))], 2, f"action 2 (moveLinear tool): there is no joint 'c'; {JOINT}. {FOLLOW}"),
    (
        [P, AfterPeriod(0.1), PtpJointSpace([1.0, 1.0]), AfterPeriod(0.5)],
        4,
        "action 4 (EventAfterPeriod 0.5 s): the paths and waits before it end 1.5 s too late; found 2 s; expected at most the "
        "period of 0.5 s. Allow larger v_max or a_max, bring the positions closer together, or lengthen the period.",
    ),
    (
        [P, PtpJointSpace([Pose("tool", (1, 0, 0)), Pose("tol", (1, 0, 0))])],
        2,
        f"action 2 (ptpJointSpace through 2 positions): there is no Object3D 'tol'; {FRAME}. Did you mean 'tool'?",
    ),
    (
        [P, MoveLinear("tool", (1, 0, 0), relative_to="wrold")],
        2,
        f"action 2 (moveLinear tool): there is no Object3D 'wrold'; {FRAME}. Did you mean 'world'?",
    ),
    ([WaitUntil("y > 1")], 1, f"action 1 (wait_until y > 1): there is no signal 'y'; {SIGNAL}"),
    ([*W, IfElse("y > 1", W)], 2, f"action 2 (if y > 1): there is no signal 'y'; {SIGNAL}"),
    ([*W, Repeat(W, while_="y > 1")], 2, f"action 2 (repeat while y > 1): there is no signal 'y'; {SIGNAL}"),
    (
        [Set(f=1), Set(g="flag.f")],
        2,
        f"action 2 (set g = flag.f): there is no signal 'flag.f'; {SIGNAL}. Did you mean 'flags.f'?",
    ),
    ([Set(f="flags.f + z")], 1, f"action 1 (set f = flags.f + z): there is no signal 'z'; {SIGNAL}"),
    ([WaitUntil("flags.f")], 1, f"action 1 (wait_until flags.f): there is no flag 'flags.f'; {FLAG}"),
    (
        [Set(f=1), Repeat([WaitUntil("flags.g and x > 1")], 2)],
        3,
        f"action 3 (wait_until flags.g and x > 1): there is no flag 'flags.g'; {FLAG}. Did you mean 'flags.f'?",
    ),
    (
        [*W, WaitUntil("in_contact(ball, tool)")],
        2,
        "action 2 (wait_until in_contact(ball, tool)): the Object3D 'ball' takes part in no contact; found a Solid without "
        "collision; expected a solid that can touch others. Write collision=True in its Solid, and a contact_material where it "
        "has no solid_material.",
    ),
    (
        [IfElse("in_contact(bal, upper)", W)],
        1,
        f"action 1 (if in_contact(bal, upper)): there is no Object3D 'bal'; {FRAME}. Did you mean 'ball'?",
    ),
    (lambda: 3, None, f"what the program returned is not a program; found 3; {PROGRAM}"),
    (lambda actions: [*W, 3], None, f"entry 2 of what the program returned is not an action; found 3; {ENTRY}"),
    (
        lambda actions: [ActionWait(actions, 1.0), 1 / 0],
        None,
        "the action program failed at action 2; found ZeroDivisionError: division by zero",
    ),
    (
        lambda actions: (yield from [P, 1 / 0]),
        None,
        "the action program failed before its first step; found ZeroDivisionError: division by zero",
    ),
]
HELD = AddPath(("a",), (0.0,), (1.0,), (1.0,), joints=("wrist",))


def told(error):
    """Path, number and text of an error, without the place in this file."""
    error.file, path, error.path = "", error.path, ""
    return path, error.entry, str(error)


@pytest.mark.parametrize("scope", ["", "cell"])
@pytest.mark.parametrize(("program", "entry", "text"), LOADED, ids=[text[:60] for *_, text in LOADED])
def test_a_wrong_program_is_refused_when_the_model_is_loaded(program, entry, text, scope):
    with pytest.raises(ModelError) as caught:
        instantiate(Model(cell=scene(program)) if scope else scene(program))
    place = f"{scope}.actions" if scope else "actions"
    found = told(caught.value)
    assert (found[0], found[1], found[2].replace(f"in '{scope}' and outwards", "in 'the Model3D'")) == (place, entry, text)


def test_a_joint_that_cannot_follow_a_path_is_named():
    with pytest.raises(ModelError) as caught:
        instantiate(scene([HELD, MoveLinear("tool", (1, 0, 0))]))
    text = "action 2 (moveLinear tool): inverse kinematics cannot move this joint; found spherical; "
    text += "expected a joint of one coordinate: "
    assert told(caught.value) == ("wrist", 2, f"{text}revolute, prismatic or screw. {FOLLOW}")


def not_yielded(actions):
    ActionWait(actions, 1.0)
    yield Set(f=1)


def under_way(actions):
    yield P
    yield Parallel(lambda: (yield PtpJointSpace([1.0, 1.0])), [PtpJointSpace([0.5, 1.0])])


def at_once():
    yield 1 / 0


def late():
    yield WaitUntil("x > 0.1", timeout=0.0)
    yield Wait(0.25)
    raise KeyError("mine")


def behind(*steps):
    """A program that takes its steps when a refusal has been caught."""

    def program():
        try:
            yield GRIP
        except ActionRefused:
            for step in steps:  # noqa: UP028
                yield step

    return program


def between():
    """A condition that fails after the beginning, within a step of the integrator."""
    yield WaitUntil(lambda s: 1 / (0 if s["time"] > 0.1 else 1) < 0)


def instead(*others):
    """A program that is refused one step after the other, and says that the first, or what it is given here, is the reason."""

    def program():
        try:
            yield GRIP
        except ActionRefused as first:
            yield Wait(0.25)
            try:
                yield Release("grip")
            except ActionRefused:
                raise (*others, first)[0] from None

    return program


def no_mate(label):
    return (
        f"{label} is refused: grip and hook do not mate; found distance of the origins 0 mm, angle between the z axis of one "
        "and the opposite of the other 3142 mrad (more than 1), twist about z 0 mrad, relative velocity 0 mm/s, relative "
        "angular velocity 0 mrad/s; expected origins together, z axes opposite, twist a multiple of 90 deg, no relative "
        "motion, within the tolerances of the scene. Bring them together before, or change Scene(mating=MatingTolerance(...))."
    )


NOW = "there is no signal 'y' now; expected a variable of the equations, or a signal of what exists at this time"
CARRY = (
    'expected a line on which the joints can carry the frame. Choose another target or way, rotation="free" if the orientation '
    "does not matter, or ptpJointSpace."
)
UNATTACHED = "this Object3D is not attached; expected a frame of a lock: there is none"
UNCAUGHT = "the program raised a refusal that nothing in it catches"
SPAWNED = "expected the outcome of a Spawn"
RUN = [
    ([GRIP], "grip", 0.0, 1, no_mate("action 1 (ActionAttach grip -> hook)")),
    (lambda: (yield GRIP), "grip", 0.0, None, no_mate("the step 'ActionAttach grip -> hook'")),
    ([Parallel([Wait(0.1)], [Wait(0.2), GRIP])], "grip", 0.2, 4, no_mate("action 4 (ActionAttach grip -> hook)")),
    ([Spawn([Wait(0.1), GRIP]), *W], "grip", 0.1, 3, no_mate("action 3 (ActionAttach grip -> hook)")),
    ([Retry([GRIP], 3, 0.1)], "grip", 0.2, 2, no_mate("action 2 (ActionAttach grip -> hook)")),
    (
        [Set(f=1), IfElse("x >= 0", [Wait(0.1)], W), Release("grip")],
        "grip",
        0.1,
        5,
        f"action 5 (ActionRelease grip) is refused: {UNATTACHED}",
    ),
    (lambda: (yield 3), "actions", 0.0, None, f"the step '3': this is not a step of a program; found 3; {ENTRY}"),
    (
        not_yielded,
        "actions",
        0.0,
        None,
        "ActionWait 1 s was not yielded; expected in a generator program each action is yielded. Write 'yield ...' before it.",
    ),
    (
        under_way,
        "actions",
        0.0,
        None,
        "the step 'ptpJointSpace through 1 position': another motion of this path is under way; found it ends at 2 s. Wait for "
        "the program that moves it (parallel, a flag), or stop it (stop_path).",
    ),
    (
        [Wait(0.5), Spawn(at_once)],
        "actions",
        0.5,
        None,
        "the program failed; found ZeroDivisionError: division by zero",
    ),
    (late, "actions", 0.25, None, "the program failed after the step 'ActionWait 0.25 s'; found KeyError: 'mine'"),
    (
        lambda: [(yield Set(f=1)), (yield Q)],
        "actions",
        0.0,
        None,
        "the step 'addReferencePath c': this path was not declared before the simulation began; found c. Yield "
        "addReferencePath before all other steps of the first program.",
    ),
    (
        lambda: [(yield Q), (yield Set(f=1)), (yield replace(Q, a_max=(2.0,)))],
        "actions",
        0.0,
        None,
        "the step 'addReferencePath c': this path was not declared before the simulation began; found c. Yield "
        "addReferencePath before all other steps of the first program.",
    ),
    (
        lambda: (yield Join(7)),
        "actions",
        0.0,
        None,
        f"the step 'join 7': there is no program of this number; found 7; {SPAWNED}",
    ),
    (
        lambda: (yield Join(0)),
        "actions",
        0.0,
        None,
        f"the step 'join 0': there is no program of this number; found 0; {SPAWNED}",
    ),
    (
        behind(Wait(0.25), Release("grip")),
        "grip",
        0.25,
        None,
        f"the step 'ActionRelease grip' is refused: {UNATTACHED}",
    ),
    (instead(ActionRefused("mine")), "actions", 0.25, None, f"{UNCAUGHT}; found mine"),
    (instead(), "actions", 0.25, None, f"{UNCAUGHT}; found grip: " + no_mate("the step 'ActionAttach grip -> hook'")),
    (
        [Parallel(instead(ActionRefused("mine")), W)],
        "actions",
        0.25,
        None,
        f"{UNCAUGHT}; found mine",
    ),
    (behind(3), "actions", 0.0, None, f"the step '3': this is not a step of a program; found 3; {ENTRY}"),
    (
        behind(Wait(0.25), Set(f=1), Join(7)),
        "actions",
        0.25,
        None,
        f"the step 'join 7': there is no program of this number; found 7; {SPAWNED}",
    ),
    (behind(Read("y")), "actions", 0.0, None, f"the step 'read y': {NOW}"),
    (
        [P, *W, Try([GRIP], [MoveLinear("tool", (9, 0, 0))])],
        "actions",
        1.0,
        5,
        "action 5 (moveLinear tool): moveLinear tool: the line is out of reach; found at 12.5 % of the way, at (2.76788, "
        f"0.419497, 0) m in the world; {CARRY}",
    ),
    (
        lambda: (yield Join("a")),
        "actions",
        0.0,
        None,
        f"the step 'join a': there is no program of this number; found 'a'; {SPAWNED}",
    ),
    (
        lambda: (yield Read("ball.r_abs")),
        "actions",
        0.0,
        None,
        "the step 'read ball.r_abs': 'ball.r_abs' is an array; found 3 values; expected one number. Write ball.r_abs[0], for "
        "example.",
    ),
    (
        lambda: (yield WaitUntil("ball.R_abs > 1")),
        "actions",
        0.0,
        None,
        "'ball.R_abs' is an array; found 3x3 values; expected one number. Write ball.R_abs[0], for example.",
    ),
    (lambda: (yield Read("y")), "actions", 0.0, None, f"the step 'read y': {NOW}"),
    (
        lambda: (yield Read("elbw.phi")),
        "actions",
        0.0,
        None,
        "the step 'read elbw.phi': " + NOW.replace("y", "elbw.phi", 1) + ". Did you mean 'elbow.phi'?",
    ),
    (
        lambda: (yield WaitUntil(lambda s: 1 / 0)),
        "actions",
        0.0,
        None,
        "the condition '<lambda>' failed; found ZeroDivisionError: division by zero",
    ),
    (lambda: (yield Decide(lambda s: s["y"])), "actions", 0.0, None, f"the step 'if <lambda>': {NOW}"),
    (
        [Repeat([Set(f=1)], while_="x < 1")],
        "actions",
        0.0,
        2,
        "action 2 (set f = 1) is carried out again and again, and no time passes; found more than 10000 steps at one time; "
        "expected a loop that waits. Put ActionWait or wait_until into the loop.",
    ),
    (
        [P, *W, MoveLinear("tool", (9, 0, 0))],
        "actions",
        1.0,
        3,
        "action 3 (moveLinear tool): moveLinear tool: the line is out of reach; found at 12.5 % of the way, at (2.76788, "
        f"0.419497, 0) m in the world; {CARRY}",
    ),
    (
        [P, PtpJointSpace(Pose("tool", (9, 0, 0), rotation="free"))],
        "actions",
        0.0,
        2,
        f"action 2 {PTP}: the pose cannot be reached: tool at (9, 0, 0) m; found at best 7 m beside it; expected a pose that "
        "shoulder, elbow can give the frame; in the world it is at (9, 0, 0) m. Choose another pose, or another place for what "
        "carries the joints.",
    ),
    (
        [P, MoveLinear("tool", (1, -0.3, 0), rotation="free", v_max=1.0)],
        "elbow",
        0.0,
        2,
        "action 2 (moveLinear tool): moveLinear tool: a joint would exceed its limits; found 0.5 to 2.04317; expected 0 to 2. "
        "Begin the line in another configuration, or go to its end by ptpJointSpace.",
    ),
]


@pytest.mark.parametrize(("program", "path", "time", "entry", "text"), RUN, ids=[text[:60] for *_, text in RUN])
def test_what_goes_wrong_while_a_program_runs_is_told_with_its_step(program, path, time, entry, text):
    with pytest.raises(SimulationError) as caught:
        instantiate(scene(program)).simulate(2.0)
    assert caught.value.time == pytest.approx(time, abs=1e-12)
    assert told(caught.value) == (path, entry, f"at time {time:g} s {text}")


@pytest.mark.parametrize("program", [between, behind(Read("y")), behind(WaitUntil(lambda s: s["y"]))])
def test_what_goes_wrong_in_a_nested_model_has_its_full_path(program):
    with pytest.raises(SimulationError) as caught:
        instantiate(Model(cell=scene(program))).simulate(2.0)
    assert caught.value.path == "cell.actions"


@pytest.mark.parametrize("solver", ["cvode", "sundae", "adams"])
def test_a_condition_that_fails_within_a_step_is_told_with_that_time(solver):
    """Points before it are not lost, and the user's own error is behind it."""
    asked = []

    def condition(s):
        asked.append(s["time"])
        return 1 / (0 if s["time"] > 0.123 else 1) < 0

    with pytest.raises(SimulationError) as caught:
        instantiate(scene([Wait(0.01), WaitUntil(condition)])).simulate(2.0, interval=0.001, solver=solver)
    error = caught.value
    assert error.time in asked
    assert error.time > 0.123
    assert told(error) == (
        "actions",
        None,
        f"at time {error.time:.10g} s the condition 'condition' failed; found ZeroDivisionError: division by zero",
    )
    assert 0.01 < error.result.time[-1] < error.time
    assert error.result["x"] == pytest.approx(error.result.time, abs=1e-6)
    assert isinstance(error.__cause__.__cause__, ZeroDivisionError)


def test_a_condition_fails_nowhere_behind_the_end():
    """A step of the integrator goes on beyond it."""
    sim = instantiate(scene([WaitUntil(lambda s: 1 / (0 if s["time"] > 0.7 else 1) < 0)]))
    assert sim.simulate(0.7).time[-1] == 0.7


def test_equations_that_fail_where_a_condition_is_asked_are_told_with_that_time():
    more = Model(y=Var(start=0.35), equations=["y**2 = 0.123 - x"])
    with pytest.raises(SimulationError, match=r"'y\*\*2 = 0.123 - x'") as caught:
        instantiate(scene([WaitUntil("y > 9")]) | more).simulate(2.0)
    assert 0.123 < caught.value.time < 2.0
    assert 0.1 < caught.value.result.time[-1] < 0.124
