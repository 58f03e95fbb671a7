"""Random programs side by side in a world that decides at random: the log alone brings a program to where it was.

No simulation: the engine's side of `modia3d.engine.program` is played here, with several events at one time, signals that
change between them, and actions that are carried out or refused.
"""

import json
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modia3d import (
    ActionRefused,
    IfElse,
    Join,
    Model3D,
    ModelActions,
    Object3D,
    Parallel,
    Read,
    Repeat,
    Retry,
    Scene,
    Set,
    Spawn,
    StopPath,
    Try,
    WaitUntil,
    addReferencePath,
)
from modia3d.actions.paths_values import PtpJointSpace
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.release import Release
from modia3d.actions.values import Wait
from modiapy import ModelError, Var, instantiate

pytestmark = pytest.mark.white_box

SCRIPT: list[list[object]] = [[]]
PATHS = ("a", "b")
WAITS = [0.0, 0.25, 0.5, 1.0]
"""Sums of these are exact: many programs go on at one time."""


def paths(actions):
    for name in PATHS:
        yield addReferencePath(actions, [name], [0.0], v_max=[1.0], a_max=[2.0])


def scripted(actions):
    yield from paths(actions)
    yield Parallel(*map(persistent, SCRIPT))


def persistent(steps):
    """A program of steps that outlives refusals, and waits for what it has spawned."""

    def program():
        for step in steps:
            try:
                outcome = yield step
                if isinstance(step, Spawn) and len(steps) % 2:
                    yield Join(outcome)
            except ActionRefused:
                yield Read("x")

    return program


def schedule_of(program):
    model = Model3D(
        world=Object3D(feature=Scene()),
        hook=Object3D(parent="world", lockable=True, assembly_root=True),
        x=Var(init=0.0),
        equations=["der(x) = 1.0"],
        actions=ModelActions(program),
    )
    return next(iter(instantiate(model).flat.components.values())).system.schedule


@pytest.fixture(scope="module")
def schedule():
    return schedule_of(scripted)


class World:
    """The engine's side: events at the program's times and at others, where signals change from one vote to the next."""

    def __init__(self, schedule, seed):
        self.random = Random(seed)
        self.start = self.time = self.random.choice([0.0, 0.0, 2.5, -7.25])
        self.run = schedule.begin(self.start)

    def event(self):
        """One event; whether there is something to come."""
        for _ in range(self.random.randint(1, 3)):
            x = self.random.choice([0.0, 1.0])
            while self.run.advance(self.time, {"x": x}.__getitem__, pytest.fail) is not None:
                if self.random.random() < 0.6:
                    self.run.complete()
                    x = self.random.choice([0.0, 1.0])
                elif not self.run.refused(ModelError("as the world wants it")):
                    return False
        following = self.run.next_event(self.time)
        others = self.time + self.random.choice(WAITS[1:])
        self.time, left = min(following, others), self.time
        return self.time < self.start + 6.0 and (following < np.inf or self.run.watching) and left < self.time

    def rest(self):
        """Log at the end."""
        while self.event():
            pass
        return self.run.log()


def state(run, time):
    packed = run.paths
    return (
        run.log(),
        run.watching,
        run.next_event(time),
        [a.tolist() for a in (packed.paths, packed.times, packed.coefficients)],
    )


simple = st.one_of(
    st.builds(Wait, st.sampled_from(WAITS)),
    st.builds(WaitUntil, st.sampled_from(["x > 0.5", "flags.f", "not flags.f"]), st.sampled_from([None, 0.0, 0.5])),
    st.builds(lambda value: Set(f=value), st.sampled_from([0, 1, "x"])),
    st.sampled_from([Attach("hook", "world"), Release("hook"), Read("x")]),
    st.builds(PtpJointSpace, st.sampled_from([[0.5], [-0.25]]), st.sampled_from(PATHS).map(lambda name: (name,))),
    st.builds(StopPath, st.sampled_from([None, ("a",)])),
)


def with_blocks(steps):
    block = st.lists(steps, min_size=1, max_size=3)
    return st.one_of(
        simple,
        simple,
        st.builds(lambda *parts: Parallel(*parts), block, block),
        st.builds(Spawn, block.map(lambda steps: [Try(steps)])),
        st.builds(Try, block, block),
        st.builds(lambda steps: Try([Retry(steps, times=2, pause=0.25)]), block),
        st.builds(IfElse, st.just("x > 0.5"), block, block),
        st.builds(lambda steps: Repeat(steps, times=2), block),
    )


steps = with_blocks(with_blocks(simple))
scripts = st.lists(st.lists(steps, min_size=1, max_size=5), min_size=2, max_size=4)


@settings(max_examples=100)
@given(scripts, st.integers(0, 2**32))
def test_the_log_alone_brings_programs_side_by_side_to_where_they_were(schedule, script, seed):
    SCRIPT[:] = script
    world = World(schedule, seed)
    try:
        log = World(schedule, seed).rest()
    except ModelError as error:
        assume("another motion of this path is under way" not in str(error))
        raise
    going = True
    while going:
        going = world.event()
        present = world.run.log()
        assert present == log[: len(present)]
        restored = World(schedule, seed)
        log_read = json.loads(json.dumps(present))
        restored.run, restored.time = schedule.replay(world.start, log_read), world.time
        assert state(restored.run, world.time) == state(world.run, world.time)
        restored.random.setstate(world.random.getstate())
        if going:
            assert restored.rest() == log


def test_a_program_goes_on_after_its_action_before_others_are_asked(schedule):
    """What is awaited holds at the vote after the action: the motion behind the action has begun by then, and is stopped."""
    SCRIPT[:] = [[WaitUntil("x > 0.5"), StopPath()], [Attach("hook", "world"), PtpJointSpace([1.0], ("a",)), Wait(5.0)]]
    run, zero, one = schedule.begin(0.0), {"x": 0.0}.__getitem__, {"x": 1.0}.__getitem__
    assert run.advance(0.0, zero, pytest.fail) is not None
    run.complete()
    assert run.advance(0.0, one, pytest.fail) is None
    assert [(entry["kind"], entry["outcome"]) for entry in run.log()] == [
        ("action", True),
        ("wait_until", True),
        ("path", False),
        ("stop_path", None),
    ]
    assert state(schedule.replay(0.0, run.log()), 0.0) == state(run, 0.0)


def test_waits_that_began_behind_actions_of_one_time_end_in_their_order(schedule):
    """The wait of the second program began at the vote after its action, which is not in the log; both end at one time."""
    SCRIPT[:] = [[Attach("hook", "world"), Wait(0.25), Wait(0.0)], [Release("hook"), Wait(0.25), Wait(0.5)]]
    run = schedule.begin(0.0)
    while run.advance(0.0, pytest.fail, pytest.fail) is not None:
        run.complete()
    assert run.advance(0.25, pytest.fail, pytest.fail) is None
    assert [entry["task"] for entry in run.log()] == [1, 2, 1, 2, 1]
    assert state(schedule.replay(0.0, run.log()), 0.25) == state(run, 0.25)
