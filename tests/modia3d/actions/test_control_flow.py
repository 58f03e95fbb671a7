"""Random programs of blocks against a slow reading of docs/programs.md, and the clocks of programs that wait for each other.

The reference knows nothing of tasks and generators: it computes when every step happens by recursion over the program's tree,
and cuts off what a refusal leaves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d import (
    ActionRefused,
    ActionWait,
    End,
    EventAfterPeriod,
    IfElse,
    Join,
    Model3D,
    ModelActions,
    Object3D,
    Parallel,
    Read,
    Repeat,
    Retry,
    Set,
    Spawn,
    StopPath,
    Together,
    Try,
    WaitUntil,
    addReferencePath,
    ptpJointSpace,
)
from modia3d.actions.executor import Executor
from modia3d.actions.paths_values import AddPath
from modia3d.actions.structural.attach import Attach
from modia3d.actions.timeline import lay_out
from modia3d.actions.values import AfterPeriod, PtpJointSpace, Wait
from modiapy import ModelError, SimulationError, Var, instantiate
from tests.modia3d.actions.test_replay import schedule_of
from tests.modia3d.scenes import free, world

pytestmark = pytest.mark.white_box

STOP = 30.0
REFUSED = Attach("left", "right")
"""These two frames never mate."""


def run(program, stop_time=STOP):
    model = Model3D(
        world=world(),
        left=Object3D(parent="world", lockable=True, assembly_root=True),
        right=Object3D(parent="world", translation=(1.0, 0, 0), lockable=True),
        near=Object3D(parent="ball", rotation=(math.pi, 0.0, 0.0), lockable=True),
        ball=free(),
        x=Var(init=0.0),
        equations=["der(x) = 1.0"],
        actions=ModelActions(program),
    )
    return instantiate(model).simulate(stop_time, interval=stop_time)


# -- programs as trees ----------------------------------------------------------------------------------------------------


@dataclass
class Node:
    """A step: its kind, the programs inside it, numbers; ``number`` is its place in the file."""

    kind: str
    blocks: list[list[Node]] = field(default_factory=list)
    times: int = 1
    duration: float = 0.0
    number: int = 0

    def step(self):
        blocks = [[node.step() for node in block] for block in self.blocks]
        match self.kind:
            case "wait":
                return Wait(self.duration)
            case "set":
                return Set({f"f{self.number}": 1})
            case "refused":
                return REFUSED
            case "if":
                return IfElse(f"x > {self.duration!r}", *blocks)
            case "repeat":
                return Repeat(blocks[0], times=self.times)
            case "while":
                return Repeat(blocks[0], while_=f"x < {self.duration!r}")
            case "try":
                return Try(*blocks)
            case "retry":
                return Retry(blocks[0], times=self.times, pause=self.duration)
            case "parallel":
                return Parallel(*blocks)
            case _:
                return Spawn([Try(blocks[0])])


def number(block, first=1):
    """Number the steps as they stand in a file, line by line; the next number."""
    for node in block:
        node.number, first = first, first + 1
        if node.kind == "spawn":
            first += 1  # the try in it
        for inner in node.blocks:
            first = number(inner, first)
    return first


leaves = st.one_of(
    st.builds(Node, st.just("wait"), duration=st.floats(0.01, 1.0)),
    st.builds(Node, st.just("set")),
    st.builds(Node, st.just("refused")),
)


def blocks_of(nodes):
    block = st.lists(nodes, min_size=1, max_size=3)
    two, times, duration = st.lists(block, min_size=2, max_size=2), st.integers(1, 3), st.floats(0.01, 3.0)
    return st.one_of(
        st.builds(Node, st.just("if"), two, duration=duration),
        st.builds(Node, st.just("repeat"), st.tuples(block).map(list), times=times),
        st.builds(Node, st.just("while"), st.tuples(block).map(list), duration=duration),
        st.builds(Node, st.just("try"), two),
        st.builds(Node, st.just("retry"), st.tuples(block).map(list), times=times, duration=duration),
        st.builds(Node, st.just("parallel"), st.lists(block, min_size=1, max_size=3)),
        st.builds(Node, st.just("spawn"), st.tuples(block).map(list)),
    )


nodes = leaves
for _ in range(3):
    nodes = st.one_of(leaves, blocks_of(nodes))
programs = st.lists(nodes, min_size=1, max_size=5)


def prepared(block, random):
    """Durations that never add up to the same time in two ways; a wait before each refusal and in each loop of time."""
    result = []
    for node in block:
        inner = [prepared(part, random) for part in node.blocks]
        duration = node.duration * random.uniform(0.9, 1.1) if node.duration else 0.0
        if node.kind == "refused":
            result.append(Node("wait", duration=random.uniform(0.01, 0.1)))
        if node.kind == "while":
            inner[0].append(Node("wait", duration=random.uniform(0.2, 0.5)))
        result.append(Node(node.kind, inner, node.times, duration))
    return result


# -- the reference --------------------------------------------------------------------------------------------------------


@dataclass
class Course:
    """What a program does from a time on: (time, text) of what happens, its end, the number of the refusal it ends with."""

    end: float
    happened: list[tuple[float, str]] = field(default_factory=list)
    refused: int = 0
    spawned: list[tuple[float, str]] = field(default_factory=list)

    def then(self, other: Course) -> Course:
        return Course(other.end, self.happened + other.happened, other.refused, self.spawned + other.spawned)

    def until(self, time: float) -> Course:
        """Cut off at a time. What programs have spawned before goes on."""
        return Course(time, [h for h in self.happened if h[0] <= time], 0, self.spawned)


def together(end, parts) -> Course:
    return Course(end, [h for part in parts for h in part.happened], 0, [s for part in parts for s in part.spawned])


def course(block, time) -> Course:
    done = Course(time)
    for node in block:
        done = done.then(course_of(node, done.end))
        if done.refused:
            break
    return done


def course_of(node: Node, time: float) -> Course:
    match node.kind:
        case "wait":
            return Course(time + node.duration)
        case "set":
            return Course(time, [(time, f"set f{node.number} = 1")])
        case "refused":
            return Course(time, [(time, str(REFUSED))], node.number)
        case "if":
            return course(node.blocks[0 if time > node.duration else 1], time)
        case "repeat" | "while":
            done, count = Course(time), 0
            while (count < node.times if node.kind == "repeat" else done.end < node.duration) and not done.refused:
                done, count = done.then(course(node.blocks[0], done.end)), count + 1
            return done
        case "try":
            done = course(node.blocks[0], time)
            return done.then(course(node.blocks[1], done.end)) if done.refused else done
        case "retry":
            done = course(node.blocks[0], time)
            for _ in range(node.times - 1):
                if done.refused:
                    done = done.then(course(node.blocks[0], done.end + node.duration))
            return done
        case "parallel":
            parts = [course(part, time) for part in node.blocks]
            refused = [part for part in parts if part.refused]
            if not refused:
                ends = max(part.end for part in parts)
                return together(ends, parts)
            first = min(refused, key=lambda part: part.end)
            cut = [part if part is first else part.until(first.end) for part in parts]
            spawned = [s for part in cut for s in part.spawned if part is first or s[0] <= first.end]
            return replace(together(first.end, cut), refused=first.refused, spawned=spawned)
        case _:
            inner = course(node.blocks[0], time)
            return Course(time, [(time, f"spawn {node.number}")], 0, inner.happened + inner.spawned)


@settings(max_examples=40)
@given(programs, st.integers(0, 10**6))
def test_random_programs_happen_as_the_documentation_says(program, seed):
    program = prepared(program, Random(seed))
    if any(has_spawn_in_parallel(node) for node in program):
        return  # what a program that is left has spawned before: tested below
    number(program)
    expected = course(program, 0.0)
    steps = [node.step() for node in program]
    wanted = sorted((t, text) for t, text in expected.happened + expected.spawned if not text.startswith("spawn"))
    if expected.refused and expected.end < STOP:
        with pytest.raises(SimulationError, match="is refused") as caught:
            run(steps)
        assert caught.value.entry == expected.refused
        assert caught.value.time == pytest.approx(expected.end, abs=1e-9)
        return
    log = run(steps).program_log
    found = sorted((e["time"], e["step"]) for e in log if e["kind"] in ("set", "action"))
    wanted = [(t, text) for t, text in wanted if t < STOP]
    assert [text for _, text in found] == [text for _, text in wanted]
    assert [t for t, _ in found] == pytest.approx([t for t, _ in wanted], abs=1e-9)


def has_spawn_in_parallel(node, inside=False):
    if node.kind == "spawn" and inside:
        return True
    return any(has_spawn_in_parallel(n, inside or node.kind == "parallel") for block in node.blocks for n in block)


# -- programs that are left, and their clocks -----------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, -1])
def test_a_refusal_leaves_programs_at_any_depth(order):
    """The grandchildren of a parallel block that is refused do nothing any more, and their paths brake."""
    said = []

    def grandchild(actions):
        yield ptpJointSpace(actions, [10.0])
        said.append("grandchild")

    def patient():
        yield Wait(2.0)
        said.append("patient")

    def program(actions):
        yield addReferencePath(actions, ["a"], [0.0], [1.0], [2.0])
        try:
            yield Parallel([Wait(0.25), REFUSED], [Parallel(*(lambda: grandchild(actions), patient)[::order])])
        except ActionRefused:
            said.append("left")
        yield Wait(3.0)
        yield End("done")

    result = run(program)
    assert said == ["left"]
    assert result.time[-1] == pytest.approx(3.25)
    assert result["actions.a.position"][-1] == pytest.approx(2.0 * 0.25**2)


def moving(actions, name, said):
    """A program that moves a path to 1 and notes what it hears of it."""

    def program():
        said[name] = yield ptpJointSpace(actions, [1.0], names=[name])

    return program


@pytest.mark.parametrize("deep", [False, True])
def test_a_program_that_is_left_brakes_the_path_that_it_moves_and_no_other(deep):
    """Those of a program beside the block, and of one that has ended, go on as planned."""
    said = {}

    def program(actions):
        for name in "ab":
            yield addReferencePath(actions, [name], [0.0], [1.0], [4.0])
        number = yield Spawn(moving(actions, "b", said))
        left = moving(actions, "a", said)
        try:
            yield Parallel([Wait(0.5), REFUSED], (lambda: (yield Parallel(left, [Wait(9.0)]))) if deep else left)
        except ActionRefused:
            said["refused"] = yield Read("actions.a.velocity")
        yield Join(number)
        yield End("")

    result = run(program)
    assert said == {"b": True, "refused": pytest.approx(1.0)}
    assert result.time[-1] == pytest.approx(1.25, abs=1e-12)
    assert result["actions.a.position"][-1] == pytest.approx(0.125 + 0.25 + 0.125, abs=1e-12)
    assert result["actions.b.position"][-1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("mistake", [KeyError("mine"), None, ModelError("mine")])
@pytest.mark.parametrize("deep", [False, True])
def test_a_program_that_is_left_can_end_what_it_began_but_takes_no_more_steps(mistake, deep):
    said = []

    def left(mistaken):
        try:
            yield Wait(5.0)
        finally:
            said.append("ended")
            if mistaken and mistake is not None:
                raise mistake
            if mistaken:
                yield Set(a=1)

    def program(mistaken):
        part = partial(left, mistaken)
        try:
            yield Parallel([Wait(0.25), REFUSED], (lambda: (yield Parallel(part, [Wait(9.0)]))) if deep else part)
        except ActionRefused:
            said.append("refused")
        yield End("done")

    assert run(partial(program, False)).verdict == "done"
    assert said == ["ended", "refused"]
    with pytest.raises(SimulationError, match=r"mine|GeneratorExit") as caught:
        run(partial(program, True))
    assert (caught.value.path, caught.value.time) == ("actions", 0.25)
    said = "mine" if isinstance(mistake, ModelError) else "a program that is left failed in the step 'ActionWait 5 s'"
    assert caught.value.message == f"at time 0.25 s {said}"


def test_flags_are_set_at_once():
    steps = [Set(a=1, b=2), Set(a="flags.b", b="flags.a", c="flags.c + 1")]
    steps += [IfElse("flags.a == 2 and flags.b == 1 and flags.c == 1", [End("swapped")], [End("lost")])]
    assert run(steps).verdict == "swapped"


def test_what_a_program_has_spawned_goes_on_when_it_is_left():
    spawned = Spawn([Wait(1.0), Set(spawned="time")])
    steps = [Try([Parallel([spawned, Wait(9.0)], [Wait(0.5), REFUSED])], [Set(left="time")]), WaitUntil("flags.spawned")]
    result = run([Set(spawned=0), *steps, End("done")])
    assert result.verdict == "done"
    assert result.time[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(("own", "joined"), [(0.4, 1.0), (1.7, 1.7)])
def test_who_joins_goes_on_when_both_are_there(own, joined):
    """The next wait counts from the later of both: the end of the program that is joined, or when it is asked for."""

    def other():
        yield Wait(1.0)
        return 42

    def program(actions):
        number = yield Spawn(other)
        yield ActionWait(actions, own)
        assert (yield Join(number)) == 42
        yield ActionWait(actions, 0.3)
        yield End("joined")

    assert run(program).time[-1] == pytest.approx(joined + 0.3, abs=1e-12)


@pytest.mark.parametrize("order", [1, -1])
def test_a_program_may_refuse_what_it_was_to_do(order):
    """As an action that is refused: others are left, also those that were to go on at this very time."""

    def unwilling():
        yield Wait(0.5)
        raise ActionRefused("mine")

    def program():
        parts = unwilling, [Wait(0.5), Set(late=1)], [Parallel([WaitUntil("x > 9", 0.5), Set(late=1)], [Wait(0.75)])]
        try:
            yield Parallel(*parts[::order])
        except ActionRefused as refused:
            said = str(refused)
        late = yield Read("flags.late")
        yield Wait(0.25)
        yield End(f"{said} {late:g}" if order < 0 else said)

    result = run(program)
    assert result.verdict == ("mine 1" if order < 0 else "mine")
    assert result.time[-1] == pytest.approx(0.75, abs=1e-12)
    if order > 0:
        assert [entry["kind"] for entry in result.program_log] == ["wait", "read", "wait", "end"]


def test_a_program_can_be_joined_by_several_and_again():
    def other():
        yield Wait(1.0)
        return 42

    def joining(number, before):
        yield Wait(before)
        return (yield Join(number))

    def program():
        number = yield Spawn(other)
        got = yield Parallel(*(partial(joining, number, before) for before in (0.2, 0.2, 1.0, 1.5)))
        got.append((yield Join(number)))
        yield End(str(got))

    result = run(program)
    assert (result.verdict, result.time[-1]) == ("[42, 42, 42, 42, 42]", pytest.approx(1.5, abs=1e-12))


def test_every_step_is_logged_once_by_its_kind_when_it_is_over():
    """What takes no time and decides nothing is not: declared paths, and blocks but for what is inside of them."""
    path, to_b = AddPath(("a",), (0.0,), (1.0,), (4.0,)), PtpJointSpace([1.0])

    def program():
        yield path
        yield Wait(0.25)
        yield AfterPeriod(0.5)
        number = yield Spawn([Wait(0.125)])
        yield Join(number)
        yield Parallel([to_b], [Wait(0.25), StopPath()])
        yield Together([Attach("left", "near")])
        yield Try([REFUSED])
        yield WaitUntil("x < -1", 0.25)
        yield Set(f=2)
        yield Read("flags.f")
        yield IfElse("flags.f == 2", [Repeat([Wait(0.25)], while_="x < 0")])
        yield End("over")

    log = run(program).program_log
    kinds = "wait wait spawn wait join wait path stop_path parallel action action wait_until set read if if end"
    assert [entry["kind"] for entry in log] == kinds.split()
    outcomes = [entry["outcome"] for entry in log if entry["kind"] not in ("wait", "spawn", "join", "parallel", "stop_path")]
    assert " is refused: " in outcomes.pop(2)
    assert outcomes == [False, True, False, [2.0], 2.0, True, False, "over"]


def test_there_may_be_any_number_of_tasks_as_time_passes():
    """What is limited is how many begin at one time."""
    crowd = Parallel(*([Wait(0.01)] for _ in range(60)))
    assert run([Repeat([crowd], times=20), End("")]).time[-1] == pytest.approx(0.2, abs=1e-12)


def test_there_may_be_any_number_of_steps_as_time_passes():
    course, time = schedule_of([Repeat([Set(a=1), Wait(0.25)], times=5200)]).begin(0.0), 0.0
    while time < math.inf:
        course.advance(time, pytest.fail, pytest.fail)
        time = course.next_event(time)
    assert (len(course.log()), course.log()[-1]["time"]) == (10400, 1300.0)


@pytest.mark.parametrize("ends", [[Wait(0.2)], [REFUSED], [Parallel([Wait(0.1)], [Wait(0.05), REFUSED])]])
def test_of_programs_that_are_over_nothing_is_kept(monkeypatch, ends):
    """However they ended: those of a parallel block, and those that were left with it."""
    made, prepare = [], Executor.__init__
    monkeypatch.setattr(Executor, "__init__", lambda own, *given: (made.append(own), prepare(own, *given))[1])
    block = Try([Parallel([Wait(0.1)], ends, [Parallel([Wait(0.3)], [Wait(0.1)])])])
    run([Repeat([block, Wait(0.1)], times=4), Wait(0.1)])
    assert {len(executor.tasks) for executor in made} == {1}


def test_flags_stay_as_they_were_set_until_they_are_set_again():
    steps = [Set(a=3, b=1), Wait(0.1), Set(c=4), Set(a="flags.a + flags.c")]
    steps += [IfElse("flags.a == 7 and flags.b == 1 and flags.c == 4", [End("kept")], [End("lost")])]
    assert run(steps).verdict == "kept"


def test_stopping_a_path_that_rests_takes_no_time():
    """The path has ended at 1 s; what comes after the stop counts from then on."""

    def program(actions):
        yield addReferencePath(actions, ["a"], [0.0], [10.0], [4.0])
        yield ptpJointSpace(actions, [1.0])
        yield Wait(2.0)
        yield StopPath()
        yield Wait(0.5)
        yield End("")

    assert run(program).time[-1] == pytest.approx(3.5, abs=1e-12)
    assert run([Wait(0.25), StopPath(), Wait(0.5), End("no path at all")]).time[-1] == pytest.approx(0.75, abs=1e-12)


def test_one_path_is_stopped_and_the_other_one_goes_on():
    """Each program hears of its own path whether it has come to its end."""
    said = {}

    def program(actions):
        for name in "ab":
            yield addReferencePath(actions, [name], [0.0], [1.0], [4.0])
        yield Parallel(moving(actions, "a", said), moving(actions, "b", said), [Wait(0.5), StopPath(["b"])])
        yield End("")

    result = run(program)
    assert said == {"a": True, "b": False}
    assert result.time[-1] == pytest.approx(1.25, abs=1e-12)
    assert result["actions.a.position"][-1] == pytest.approx(1.0, abs=1e-12)
    assert result["actions.b.position"][-1] == pytest.approx(0.125 + 0.25 + 0.125, abs=1e-12)


@pytest.mark.parametrize("accelerations", [(4.0, 1.0), (1.0, 4.0)])
def test_who_stops_all_paths_waits_for_the_last_of_them(accelerations):
    """One has a speed of 1 and brakes in a quarter of a second, the other one of 0.5, for half a second."""
    declared = [AddPath((name,), (0.0,), (1.0,), (a,)) for name, a in zip("ab", accelerations, strict=True)]
    moves = [[PtpJointSpace(((9.0,),), (name,))] for name in "ab"]
    stops = [Wait(0.5), StopPath(), Wait(0.5)]
    result = run([*declared, Parallel(*moves, stops), End("")])
    ends = [entry["time"] for entry in result.program_log if entry["kind"] in ("path", "stop_path")]
    assert ends == pytest.approx([0.75, 1.0, 1.0], abs=1e-12)
    assert result.time[-1] == pytest.approx(1.5, abs=1e-12)


@pytest.mark.parametrize("targets", [(1.0, 0.1), (0.1, 1.0)])
def test_every_jump_of_every_reference_acceleration_is_an_event(targets):
    declared = [AddPath((name,), (0.0,), (1.0,), (4.0,)) for name in "ab"]
    moves = [[PtpJointSpace(((target,),), (name,))] for name, target in zip("ab", targets, strict=True)]
    timeline = lay_out([*declared, Parallel(*moves)])
    jumps = {time for path in timeline.paths for trajectory in path.trajectories for time in trajectory.breakpoints}
    assert len(jumps) == 6
    assert jumps <= set(timeline.time_events)


def test_a_period_counts_from_the_last_structural_action():
    def program(actions):
        yield Wait(0.3)
        yield Attach("left", "near")
        yield Wait(0.2)
        yield EventAfterPeriod(actions, 1.0)
        yield EventAfterPeriod(actions, 0.4)
        yield End("")

    assert run(program).time[-1] == pytest.approx(1.7, abs=1e-12)


@pytest.mark.parametrize("first", [0.2, 1.3])
def test_after_a_parallel_block_time_counts_from_its_end(first):
    result = run([Parallel([Wait(first)], [Wait(0.7)]), Wait(0.5), End("")])
    assert result.time[-1] == pytest.approx(max(first, 0.7) + 0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("steps", "entry"),
    [
        ([IfElse("x > 1", [Set(a=1), Set(a=2)], [Wait(0.1), REFUSED])], 5),
        ([IfElse("x < 1", [Set(a=1), REFUSED], [Wait(0.1)]), Set(a=2)], 3),
        ([Try([Wait(0.1), REFUSED], [Set(a=1), Wait(0.1), REFUSED])], 6),
        ([Set(a=1), Retry([Wait(0.1), Repeat([REFUSED], times=2)], times=2)], 5),
        ([Parallel([Set(a=1), Wait(1.0)], [Wait(0.5), IfElse("x > 9", [Set(a=2)], [REFUSED])])], 7),
        ([Wait(0.2), Try([Set(a=1)], [Set(a=2), Set(a=3)]), Repeat([Wait(0.1)], times=2), REFUSED], 8),
    ],
)
def test_a_refusal_tells_the_number_of_its_step_in_the_file(steps, entry):
    with pytest.raises(SimulationError, match="is refused") as caught:
        run(steps)
    assert caught.value.entry == entry
    assert math.isfinite(caught.value.time)
