"""Changes while references move, programs run side by side and impacts happen: what is refused changes nothing."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from modia3d import (
    ActionRefused,
    ActionWait,
    Box,
    End,
    IfElse,
    MassProperties,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Parallel,
    Retry,
    RevoluteWithFlange,
    Scene,
    Set,
    Solid,
    Spawn,
    StopPath,
    Together,
    Try,
    WaitUntil,
    addReferencePath,
    ptpJointSpace,
)
from modia3d.actions.paths_values import AddPath
from modia3d.actions.structural.add import Add
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.delete import Delete
from modia3d.actions.structural.flip_chain import FlipChain
from modia3d.actions.structural.lock_joint import LockJoint
from modia3d.actions.structural.release import Release
from modia3d.actions.structural.release_and_attach import ReleaseAndAttach
from modia3d.actions.structural.unlock_joint import UnlockJoint
from modia3d.actions.values import PtpJointSpace, Wait
from modia3d.topology.placement import Placement
from modiapy import SimulationError, Var, instantiate
from modiapy.library.rotational import Position
from tests.modia3d.engine.moving_scene import declare, moving_scene
from tests.modia3d.scenes import value

pytestmark = pytest.mark.white_box

SCRIPT: list[list[object]] = [[]]
SAID: list[str] = []
BODIES = ["boom", "upper", "lower", "finger", "box", "stone", "pool.m0.base", "pool.m0.arm"]
STATES = ["shoulder.phi", "shoulder.w", "wrist.phi", "wrist.w", "pool.m0.rev.phi", "pool.m0.rev.w"]
REFERENCES = ["actions.bend.position", "actions.turn.position"]


def carried_out(steps):
    """A program of steps; what is refused is said, and it goes on."""

    def program(actions):
        for step in steps:
            try:
                yield step
            except ActionRefused as refused:
                SAID.append(str(refused))

    return program


def parallel(actions):
    yield from declare(actions)
    yield Parallel(*map(carried_out, SCRIPT))


@pytest.fixture(scope="module")
def simulation():
    return instantiate(moving_scene(parallel))


def simulate(simulation, *programs, stop_time=1.2, **options):
    SCRIPT[:], SAID[:] = programs, []
    return simulation.simulate(stop_time, tolerance=1e-9, interval=0.05, **options)


MOVE = [PtpJointSpace([0.3], ("turn",)), Wait(0.1)]
BEND = [PtpJointSpace([0.4], ("bend",)), Wait(0.1)]


def before_and_after(result, number):
    """Both segments at the change that begins segment ``number``."""
    one, two = result.segment(number - 1), result.segment(number)
    assert one.time[-1] == two.time[0]
    return one, two


@pytest.mark.parametrize(
    "change",
    [
        Together((Release("left"), LockJoint("hinge", "impulse"))),
        Together((LockJoint("wrist", "impulse"), Release("left"), LockJoint("hinge", "impulse"))),
        LockJoint("hinge", "impulse"),
    ],
)
def test_a_refused_impact_leaves_what_it_would_have_released(simulation, change):
    """The reference prescribes the motion of the hinge: no impact stops it, and the release before the impact does not stay."""
    result = simulate(simulation, MOVE, [Attach("left", "grip", "impulse"), Wait(0.2), change, Wait(0.1), Release("left")])
    (text,) = SAID
    assert re.search(r"relative speeds left: .*[0-9] of hinge \(.*w\)", text)
    assert "the motion of hinge is prescribed" in text
    assert [record.cause.partition(";")[0] for record in result.segments][1:] == [
        "ActionAttach left -> grip",
        "ActionRelease left",
    ]
    assert result.segments[2].start == pytest.approx(0.3)
    assert result["actions.turn.position"][-1] == pytest.approx(0.3)


def test_a_refused_impact_leaves_the_future_as_it_was(simulation):
    """The impact was computed with other bodies than there are; nothing of it is left, to the integrator's tolerance."""
    begin = [Attach("left", "grip", "impulse"), Wait(0.2)]
    tried = simulate(simulation, BEND, MOVE, [*begin, Together((Release("left"), LockJoint("hinge", "impulse"))), Wait(0.1)])
    assert len(SAID) == 1
    plain = simulate(simulation, BEND, MOVE, [*begin, Wait(0.1)])
    for body in BODIES[:6]:
        assert tried[f"{body}.r_abs"][-1] == pytest.approx(plain[f"{body}.r_abs"][-1], abs=1e-7)


@pytest.mark.parametrize("start", [0.0, 0.2, 1.1])
def test_a_joint_whose_motion_is_prescribed_cannot_be_locked(simulation, start):
    """Neither while it moves nor at rest: the equations would contradict each other."""
    result = simulate(simulation, MOVE, [Wait(start), LockJoint("hinge", "impulse"), LockJoint("hinge")])
    assert len(result.segments) == 1
    assert len(SAID) == 2
    for text in SAID:
        assert text.startswith(("hinge: ", "the step 'ActionLock hinge'"))
        assert "prescribed" in text or "the joint moves" in text
    assert result["hinge.phi"][-1] == pytest.approx(0.3)


@pytest.mark.parametrize(("limits", "target", "time"), [((-1.0, 0.2), 0.3, 0.458), ((0.0, 1.0), -0.3, 0.0)])
def test_a_prescribed_joint_at_its_limit_is_an_error_that_names_it(limits, target, time):
    def program(actions):
        addReferencePath(actions, ["turn"], [0.0], v_max=[1.0], a_max=[2.0])
        ptpJointSpace(actions, [target])

    model = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        rod=Object3D(feature=Solid(shape=Box(0.1, 0.2, 0.3), mass_properties=MassProperties(1.0, (0, 0, 0), 0.1, 0.1, 0.1))),
        hinge=RevoluteWithFlange("world", "rod", "z", phi=Var(), w=Var(), limits=limits),
        exact=Position,
        equations=["exact.phi_ref = actions.turn.position"],
        connect=[("exact.flange", "hinge.flange")],
        actions=ModelActions(program),
    )
    with pytest.raises(SimulationError, match=r"hinge: .*cannot be stopped, because its motion is prescribed") as caught:
        instantiate(model).simulate(1.0)
    assert caught.value.time == pytest.approx(time, abs=1e-3)


def test_a_body_joins_a_joint_whose_motion_is_prescribed(simulation):
    """The hand is not slowed down: what flies takes its velocity, the drive and the world give the momentum."""
    result = simulate(simulation, MOVE, [Wait(0.2), Attach("left", "hand", "impulse")])
    before, after = before_and_after(result, 2)
    assert after["hinge.w"][0] == before["hinge.w"][-1] == pytest.approx(0.4)
    w = after["left.w_abs"][0]
    assert w == pytest.approx(after["hand.w_abs"][0], abs=1e-12)
    expected = after["hand.v_abs"][0] + np.cross(w, after["left.r_abs"][0] - after["hand.r_abs"][0])
    assert after["left.v_abs"][0] == pytest.approx(expected, abs=1e-12)
    jump = after["mechanics.momentum"][0] - before["mechanics.momentum"][-1]
    assert jump == pytest.approx(result.segments[1].info["impulse_from_outside"], abs=1e-12)


def test_a_chain_flips_while_its_joint_follows_a_path(simulation):
    """From the dock to a flying stone: afterwards nothing hangs on the world but the drive's support."""
    program = [Attach("foot", "dock", "impulse"), Wait(0.3), FlipChain("claw", "grip", None, "impulse"), Wait(0.3)]
    result = simulate(simulation, BEND, program)
    assert not SAID
    assert [record.cause.partition(";")[0] for record in result.segments][1:] == [
        "ActionAttach foot -> dock",
        "ActionFlipChain claw -> grip",
    ]
    before, after = before_and_after(result, 3)
    assert after["actions.bend.position"][0] == before["actions.bend.position"][-1] == pytest.approx(0.09)
    assert after["shoulder.phi"][0] == before["shoulder.phi"][-1]
    assert after["wrist.phi"][0] == before["wrist.phi"][-1]
    for name in ("momentum", "angular_momentum"):  # the impact is one of free bodies: the dock has let go
        assert after[f"mechanics.{name}"][0] == pytest.approx(before[f"mechanics.{name}"][-1], abs=1e-10)
    lost = before["mechanics.kinetic_energy"][-1] - after["mechanics.kinetic_energy"][0]
    assert result.segments[2].info["energy_lost"] == pytest.approx(lost, rel=1e-9)
    assert result["actions.bend.position"][-1] == pytest.approx(0.4)


def test_what_one_program_deletes_another_one_is_refused(simulation):
    others = [
        Attach("left", "dock", "impulse"),
        ReleaseAndAttach("right", "dock", None, "impulse"),
        Together((Release("left"), Attach("right", "dock"))),
        Delete("box"),
    ]
    result = simulate(simulation, BEND, [Wait(0.1), Delete("box")], [Wait(0.1), *others])
    assert len(SAID) == len(others)
    assert all("this Object3D was deleted; found the deleted assembly box" in text for text in SAID)
    assert len(result.segments) == 2
    with pytest.raises(SimulationError, match=r"there is no signal 'box.r_abs\[0\]' now"):
        simulate(simulation, [Wait(0.1), Delete("box")], [WaitUntil("box.r_abs[0] > 100")])


def test_an_arm_is_parked_and_comes_back_while_its_reference_moves(simulation):
    """Its servo goes on against the held joint, and moves it again when it is back."""
    program = [
        Wait(0.1), LockJoint("shoulder", "impulse"), Delete("foot", True), Wait(0.2),
        Add("foot", Placement(translation=(0.0, 2.0, 0.0))),
    ]  # fmt: skip
    result = simulate(simulation, BEND, program)
    assert not SAID
    assert [record.info["dof"] for record in result.segments] == [21, 20, 13, 21]
    parked, back = result.segment(3), result.segment(4)
    assert np.ptp(parked["shoulder.phi"]) == 0.0
    assert np.ptp(parked["actions.bend.position"]) > 0.05
    assert back["shoulder.phi"][0] == parked["shoulder.phi"][-1]
    assert back["shoulder.w"][0] == 0.0
    assert back["upper.r_abs"][0] + 0.5 * back["upper.R_abs"][0] @ [-1.0, 0.0, 0.0] == pytest.approx([0.0, 2.0, 0.0])
    assert back["wrist.w"][0] == 0.6  # as declared


def test_a_program_that_fails_in_an_impact_leaves_its_brothers_braking():
    """The refusal of one of two parallel programs reaches the one that waits for both; the path of the other one brakes."""
    caught = []

    def fails(actions):
        yield Wait(0.3)
        yield LockJoint("hinge", "impulse")

    def moves(actions):
        yield ptpJointSpace(actions, [2.0], names=["turn"])

    def program(actions):
        yield from declare(actions)
        try:
            yield Parallel(fails, moves)
        except ActionRefused as refused:
            caught.append(str(refused))
        yield WaitUntil("actions.turn.velocity <= 1e-9", timeout=1.0)
        yield End("at rest")

    result = instantiate(moving_scene(program)).simulate(2.0, tolerance=1e-9)
    assert "prescribed" in caught[0]
    assert result.verdict == "at rest"
    assert result["actions.turn.position"][-1] == pytest.approx(0.5 * 2.0 * 0.3**2 + 0.6**2 / (2 * 2.0), rel=1e-6)


def test_a_list_catches_a_refused_impact():
    """As a scenario in YAML says it: retry, and on_refused."""
    change = Together((Release("left"), LockJoint("hinge", "impulse")))
    tried = [Attach("left", "grip", "impulse"), Wait(0.1), Try([Retry([change], times=2, pause=0.05)], [Set(refused=True)])]
    result = instantiate(
        moving_scene(
            [
                *(AddPath([name], [0.0], v_max=[1.0], a_max=[2.0]) for name in ("bend", "turn")),
                Parallel([PtpJointSpace([0.3], ("turn",))], tried),
                IfElse("flags.refused", [End("caught")], [End("not caught", success=False)]),
            ]
        )
    ).simulate(2.0)
    assert result.verdict == "caught"
    assert len(result.segments) == 2


# -- random programs side by side -----------------------------------------------------------------------------------------

PORTS = ["dock", "hand", "heel", "foot", "claw", "left", "right", "grip", "knob", "pool.m0.plug"]
PORT, CONTACT = st.sampled_from(PORTS), st.sampled_from(["impulse", "impulse", "refuse"])
RARE = st.sampled_from(["pool.m0.plug", "pool.m0.plug", "box", "foot"])
"""Frames of what may be missing."""
JOINT = st.sampled_from(["shoulder", "wrist", "hinge", "pool.m0.rev"])
SINGLE = st.one_of(
    st.builds(Attach, PORT, PORT, CONTACT),
    st.builds(Release, PORT, st.none() | PORT),
    st.builds(ReleaseAndAttach, PORT, PORT, st.none() | PORT, CONTACT),
    st.builds(FlipChain, st.sampled_from(["foot", "claw"]), PORT, st.none(), CONTACT),
    st.builds(Delete, PORT, st.booleans()),
    st.builds(lambda frame, port: Add(frame, Placement(attach_to=port)), RARE, PORT),
    st.builds(lambda frame: Add(frame, Placement("knob", (0.0, 0.0, 1.0), velocity=(0.0, 0.1, 0.0))), RARE),
    st.builds(LockJoint, JOINT, CONTACT),
    st.builds(UnlockJoint, JOINT),
)
CHANGE = st.one_of(SINGLE, SINGLE, st.builds(lambda parts: Together(tuple(parts)), st.lists(SINGLE, min_size=2, max_size=3)))
WAIT = st.builds(Wait, st.sampled_from([0.0, 0.03, 0.05, 0.11]))
BEGIN = st.sampled_from(
    [
        [],
        [Attach("foot", "dock", "impulse"), Wait(0.05), FlipChain("claw", "knob", None, "impulse")],
        [Attach("left", "grip", "impulse"), ReleaseAndAttach("left", "hand", "left", "impulse"), Wait(0.04)],
        [Together((Attach("foot", "hand", "impulse"), Attach("claw", "left", "impulse"))), Wait(0.05)],
        [Attach("left", "claw", "impulse"), Attach("foot", "knob", "impulse"), LockJoint("shoulder", "impulse")],
        [Add("pool.m0.plug", Placement(attach_to="right")), LockJoint("pool.m0.rev", "impulse"), Delete("pool.m0.plug", True)],
    ]
)
CHANGES = st.builds(lambda begin, more: [*begin, *more], BEGIN, st.lists(CHANGE | WAIT, min_size=2, max_size=6))
ROWS = st.integers(-10, 10).map(lambda x: [[0.1 * x], [0.05 * x]])
PATHS = st.lists(
    st.one_of(
        st.builds(PtpJointSpace, ROWS, st.just(("bend",)), st.none() | st.just(0.1)),
        st.builds(PtpJointSpace, ROWS, st.just(("turn",))),
        WAIT,
    ),
    min_size=1,
    max_size=3,
)
STOPS = st.lists(st.builds(Wait, st.floats(0.02, 0.5)) | st.just(StopPath()), max_size=3)
PROGRAMS = st.tuples(PATHS, STOPS, CHANGES, CHANGES)
PATIENT = {"suppress_health_check": [HealthCheck.too_slow], "phases": (Phase.explicit, Phase.generate)}
STOP = 1.0


def to_the_end(simulation, programs, **options):
    """Programs may be left in the middle of a path."""
    return simulate(simulation, *programs, stop_time=STOP, **options)


@settings(max_examples=30, **PATIENT)
@given(PROGRAMS)
def test_what_is_carried_out_is_one_segment_and_what_is_refused_none(simulation, programs):
    result = to_the_end(simulation, programs)
    outcomes = [entry["outcome"] for entry in result.program_log if entry["kind"] == "action"]
    assert len(result.segments) == 1 + outcomes.count(True)
    assert sum(isinstance(outcome, str) for outcome in outcomes) == len(SAID)
    assert result.statistics["compilations_after_start"] == 0
    for number in range(2, len(result.segments) + 1):
        before, after = before_and_after(result, number)
        record = result.segments[number - 1]
        for name in (*REFERENCES, "hinge.phi", "shoulder.phi", "pool.m0.rev.phi"):
            assert value(after, name, 0) == value(before, name, -1), (record.cause, name)
        if "ActionDelete" in record.cause or "ActionAdd" in record.cause:
            continue
        for body in BODIES:
            assert value(after, f"{body}.r_abs", 0) == pytest.approx(value(before, f"{body}.r_abs", -1), abs=1e-9, nan_ok=True)
        for name, key in (("momentum", "impulse_from_outside"), ("angular_momentum", "angular_impulse_from_outside")):
            jump = after[f"mechanics.{name}"][0] - before[f"mechanics.{name}"][-1]
            assert jump == pytest.approx(record.info.get(key, np.zeros(3)), abs=1e-8), record.cause


@settings(max_examples=20, **PATIENT)
@given(PROGRAMS, st.floats(0.02, 0.95))
def test_saved_anywhere_the_future_is_the_same(simulation, tmp_path_factory, programs, fraction):
    whole = to_the_end(simulation, programs)
    file = tmp_path_factory.mktemp("saved") / "snapshot"
    simulate(simulation, *programs, stop_time=fraction * STOP, save=file)
    simulation.restore(file)
    rest = simulation.simulate(STOP)
    assert [r.cause for r in whole.segments[rest.segments[0].index - 1 :]] == [r.cause for r in rest.segments]
    last, same = (r.segment(r.segments[-1].index) for r in (whole, rest))
    for name in [f"{body}.{signal}" for body in BODIES for signal in ("r_abs", "v_abs")] + STATES + REFERENCES:
        assert value(last, name, -1).tobytes() == value(same, name, -1).tobytes(), name
    assert whole.program_log == rest.program_log


def test_a_spawned_program_goes_on_where_another_one_is_refused():
    """Nobody waits for the spawned one: it finishes its path."""
    said = []

    def mover(actions):
        yield ptpJointSpace(actions, [0.3], names=["turn"])

    def program(actions):
        yield from declare(actions)
        yield Spawn(mover)
        for _ in range(3):
            yield ActionWait(actions, 0.1)
            try:
                yield LockJoint("hinge", "impulse")
            except ActionRefused as refused:
                said.append(str(refused))

    result = instantiate(moving_scene(program)).simulate(1.0, tolerance=1e-9)
    assert len(said) == 3
    assert result["hinge.phi"][-1] == pytest.approx(0.3)
    assert len(result.segments) == 1


@pytest.mark.parametrize("way", ["appears", "is parked"])
def test_an_impact_beside_a_driven_assembly_that_comes_or_goes(simulation, way):
    """While it is not there its joint is held, also between what the change gives up and the impact."""
    begin = [Attach("left", "grip", "impulse"), Wait(0.1)]
    add = Add("pool.m0.plug", Placement(translation=(0.0, 0.0, 5.0)))
    if way == "is parked":
        begin += [add, LockJoint("pool.m0.rev", "impulse")]
    comes = add if way == "appears" else Delete("pool.m0.plug", True)
    result = simulate(simulation, [*begin, Together((ReleaseAndAttach("left", "claw", "left", "impulse"), comes))])
    assert not SAID
    info = result.segments[-1].info
    assert info["energy_lost"] > 0.1
    assert info["impulse_from_outside"] == pytest.approx(np.zeros(3), abs=1e-10)
    assert info["angular_impulse_from_outside"] == pytest.approx(np.zeros(3), abs=1e-10)
