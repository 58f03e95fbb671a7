"""When everything in a program happens, by a slow reading of docs/programs.md: the whole log, with times and outcomes.

No simulation: the engine's side of `modia3d.engine.program` is played here. The reference computes times by recursion over the
program's tree; each task has a clock, and a mark from which periods count.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from modia3d import IfElse, Parallel, Repeat, Retry, Set, Spawn, StopPath, Try, WaitUntil
from modia3d.actions.paths import interrupt, plan_ptp, rest
from modia3d.actions.paths_values import AddPath, PathLimits, PtpJointSpace
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.release import Release
from modia3d.actions.values import AfterPeriod, Wait
from modiapy import ModelError
from tests.modia3d.actions.test_replay import schedule_of

pytestmark = pytest.mark.white_box

PATHS = "abcd"
DECLARED = [AddPath((name,), (0.0,), (1.0,), (2.0,)) for name in PATHS]
DONE, REFUSED = Attach("hook", "world"), Release("hook")
"""The world carries out the first one, and refuses the second one."""
NEVER = "flags.never"


@dataclass
class Node:
    """A step: its kind, the programs inside it, a number of repetitions, a duration, and paths that it may move."""

    kind: str
    blocks: list[list[Node]] = field(default_factory=list)
    times: int = 1
    duration: float = 0.0
    path: str = ""

    def step(self):
        blocks = [[node.step() for node in block] for block in self.blocks]
        match self.kind:
            case "wait":
                return Wait(self.duration)
            case "timeout":
                return WaitUntil(NEVER, self.duration)
            case "period":
                return AfterPeriod(self.duration)
            case "set":
                return Set(f=self.times)
            case "done":
                return DONE
            case "refused":
                return REFUSED
            case "move":
                return PtpJointSpace([self.duration], (self.path,))
            case "stop":
                return StopPath((self.path,))
            case "if":
                return IfElse(f"flags.f > {self.times}", *blocks)
            case "repeat":
                return Repeat(blocks[0], times=self.times)
            case "try":
                return Try(*blocks)
            case "retry":
                return Retry(blocks[0], times=self.times, pause=self.duration)
            case "parallel":
                return Parallel(*blocks)
            case _:
                return Spawn([Try(blocks[0])])


class TooLate(Exception):
    """A period that is over before what it contains."""


@dataclass
class Course:
    """What has happened up to a time: log entries (time, kind, text, outcome), where each path is, flags.

    Attributes:
        mark: from which a period counts. refused: text of the refusal that it ends with.
        moves: (path, trajectory), the last of each path is the present one.
    """

    end: float
    mark: float
    flag: float = 0.0
    log: list[tuple] = field(default_factory=list)
    moves: list[tuple] = field(default_factory=list)
    refused: str = ""

    def place(self, path):
        return next((trajectory for name, trajectory in reversed(self.moves) if name == path), rest([0.0], -math.inf))


def run(block, at: Course) -> list:
    """Go on with the steps of a block, until one of them is refused; their outcomes."""
    outcomes = []
    for node in block:
        if not at.refused:
            outcomes.append(STEPS[node.kind](node, at))
    return outcomes


def over(node, at, kind, outcome=None):
    at.log.append((at.end, kind, str(node.step()), outcome))
    return outcome


def wait(node, at):
    at.end += node.duration
    over(node, at, "wait")


def timeout(node, at):
    at.end += node.duration
    return over(node, at, "wait_until", False)


def period(node, at):
    if at.end > at.mark + node.duration + 1e-9:
        raise TooLate
    at.end = at.mark = max(at.end, at.mark + node.duration)
    over(node, at, "wait")


def set_flag(node, at):
    over(node, at, "set", [float(node.times)])
    at.flag = float(node.times)


def done(node, at):
    at.mark = at.end
    return over(node, at, "action", True)


def refused(node, at):
    at.refused = "as the world wants it"
    over(node, at, "action", at.refused)


def move(node, at):
    old = at.place(node.path)
    planned = plan_ptp(at.end, old.end, [[node.duration]], PathLimits((1.0,), (2.0,)))
    if planned.segments:
        at.moves.append((node.path, planned))
    at.end = max(at.end, planned.end_time)
    return over(node, at, "path", True)


def stop(node, at):
    at.end = max(at.end, at.place(node.path).end_time)
    over(node, at, "stop_path")


def choice(node, at):
    over(node, at, "if", at.flag > node.times)
    run(node.blocks[0 if at.flag > node.times else 1], at)


def repeat(node, at):
    for _ in range(node.times):
        run(node.blocks[0], at)


def attempt(node, at):
    run(node.blocks[0], at)
    if not at.refused:
        return True
    at.refused = ""
    run(node.blocks[1], at)
    return False


def again(node, at):
    for tried in range(1, node.times + 1):
        run(node.blocks[0], at)
        if not at.refused or tried == node.times:
            return tried
        at.refused = ""
        wait(Node("wait", duration=node.duration), at)
    raise AssertionError("tried at least once")


def parallel(node, at):
    parts = [Course(at.end, at.end, at.flag, [], [*at.moves]) for _ in node.blocks]
    for part, block in zip(parts, node.blocks, strict=True):
        run(block, part)
    refusals = [part for part in parts if part.refused]
    if not refusals:
        at.end = max(part.end for part in parts)
        for part in parts:
            at.log += part.log
            at.moves += part.moves[len(at.moves) :] if part is parts[0] else [m for m in part.moves if m not in at.moves]
        over(node, at, "parallel")
        return [None for _ in parts]
    first = min(refusals, key=lambda part: part.end)
    at.end, at.refused = first.end, first.refused
    for part in parts:
        at.log += [entry for entry in part.log if entry[0] <= first.end]
        for path, trajectory in part.moves:
            if (path, trajectory) not in at.moves and trajectory.start_time < first.end:
                at.moves.append((path, interrupt(trajectory, first.end)))
    return None


def spawn(node, at):
    over(node, at, "spawn", None)
    part = Course(at.end, at.end, at.flag)
    run([Node("try", [node.blocks[0], []])], part)
    at.log += part.log


STEPS = {
    "wait": wait, "timeout": timeout, "period": period, "set": set_flag, "done": done, "refused": refused, "move": move,
    "stop": stop, "if": choice, "repeat": repeat, "try": attempt, "retry": again, "parallel": parallel, "spawn": spawn,
}  # fmt: skip

leaves = st.builds(
    Node, st.sampled_from(["wait", "timeout", "period", "set", "done", "refused", "move", "move"]), times=st.integers(0, 2),
    duration=st.floats(0.1, 1.0),
)  # fmt: skip


def blocks_of(nodes):
    block = st.lists(nodes, min_size=1, max_size=3)
    one, two = st.tuples(block).map(list), st.lists(block, min_size=2, max_size=2)
    return st.one_of(
        st.builds(Node, st.just("if"), two, times=st.integers(0, 1)),
        st.builds(Node, st.just("repeat"), one, times=st.integers(1, 3)),
        st.builds(Node, st.just("try"), two),
        st.builds(Node, st.just("retry"), one, times=st.integers(1, 3), duration=st.floats(0.1, 1.0)),
        st.builds(Node, st.just("parallel"), st.lists(block, min_size=2, max_size=3)),
        st.builds(Node, st.just("spawn"), one),
    )


programs = leaves
for _ in range(3):
    programs = st.one_of(leaves, blocks_of(programs))
programs = st.lists(programs, min_size=1, max_size=6)


def prepared(block, random, paths, alone=True):
    """Durations that meet by no accident; each program moves paths of its own, and begins by a wait of its own.

    Args:
        alone: whether no program runs beside this one, so that flags and paths are what the reference says.
    """
    result = []
    for node in block:
        kind = node.kind
        if kind == "spawn" and not alone:
            kind, node = "wait", Node("wait", duration=0.5)
        if (kind == "move" and not paths) or (kind == "set" and not alone):
            kind = "wait"
        duration = node.duration * random.uniform(0.9, 1.1)
        duration += random.choice([3.0, 9.0]) if kind == "period" else 0.0
        if kind in ("refused", "done"):
            result.append(Node("wait", duration=random.uniform(0.01, 0.1)))
        shared = kind in ("parallel", "spawn")
        inner = []
        for k, part in enumerate(node.blocks):
            own = paths[k :: len(node.blocks)] if kind == "parallel" else "" if kind == "spawn" else paths
            inner.append(prepared(part, random, own, alone and not shared))
        if kind in ("try", "retry"):  # a refusal leaves paths braking
            inner[kind == "try"][:0] = [Node("stop", path=path) for path in paths]
        path = random.choice(paths) if kind == "move" else ""
        known = kind == "if" and not alone  # the program beside it may set the flag at the same time
        result.append(Node(kind, inner, random.choice([-1, 3]) if known else node.times, duration, path))
    return result


@pytest.fixture(scope="module")
def schedule():
    return schedule_of([*DECLARED, WaitUntil("x > 9", 1.0)])


def played(schedule, steps, start):
    """The log, outcomes of the steps, what ends the program if something does; all of it again from the log."""
    outcomes = []

    def program():
        yield from DECLARED
        yield Set(never=0)
        for step in steps:
            outcomes.append((yield step))

    schedule.program = program
    begun, time, end = schedule.begin(start), start, ""
    try:
        while time < float("inf") and not end:
            while (due := begun.advance(time, pytest.fail, pytest.fail)) is not None:
                if due.step is DONE:
                    begun.complete()
                elif not begun.refused(ModelError("as the world wants it")):
                    end = "refused"
                    break
            time = begun.next_event(time)
    except ModelError as error:
        return begun.log(), outcomes, str(error)
    log, got = begun.log(), [*outcomes]
    if not end:
        outcomes.clear()
        assert schedule.replay(start, json.loads(json.dumps(log))).log() == log
        assert outcomes == got
    return log, got, end


@settings(max_examples=60, phases=(Phase.explicit, Phase.generate))
@given(programs, st.integers(0, 10**6), st.sampled_from([0.0, -2.5, 7.0]))
def test_everything_happens_when_the_documentation_says(schedule, program, seed, start):
    program = prepared(program, Random(seed), PATHS)
    expected = Course(start, start)
    try:
        outcomes = run(program, expected)
    except TooLate:
        expected = None
    log, got, end = played(schedule, [node.step() for node in program], start)
    if expected is None:
        assert "too late" in end or end == "refused"  # one beside it may be refused before
        return
    assert end == expected.refused.replace("as the world wants it", "refused")
    found = [(e["time"], e["kind"], e["step"], e["outcome"]) for e in log if e["step"] != "set never = 0"]
    found = [(t, k, s, None if k == "spawn" else o.partition(": ")[2] if isinstance(o, str) else o) for t, k, s, o in found]
    last = found[-1][0] if expected.refused else float("inf")
    wanted = in_order(entry for entry in expected.log if entry[0] <= last + 1e-9)
    found = in_order(found)
    assert [entry[1:] for entry in found] == [entry[1:] for entry in wanted]
    assert [entry[0] for entry in found] == pytest.approx([entry[0] for entry in wanted], abs=1e-9)
    if not end:
        spawned = [node.kind == "spawn" for node in program]
        assert [None if other else outcome for outcome, other in zip(got, spawned, strict=True)] == outcomes
        numbers = [outcome for outcome, other in zip(got, spawned, strict=True) if other]
        assert set(numbers) <= {e["outcome"] for e in log if e["kind"] == "spawn"}


def in_order(entries):
    """By what happened, then by time: times are equal up to rounding only."""
    return sorted(entries, key=lambda entry: (str(entry[1:]), entry[0]))


@pytest.mark.parametrize("first", ["path", "stop"])
@pytest.mark.parametrize(("wait", "whole"), [(1.0, True), (0.75, False), (0.0, False), (1.25, True)])
def test_a_path_that_is_stopped_when_it_has_ended_has_ended(schedule, wait, whole, first):
    """Half a radian takes a second; whoever of both is asked first."""
    parts = [[PtpJointSpace([0.5], ("a",))], [Wait(wait), StopPath(("a",))]]
    log, _, _ = played(schedule, [Parallel(*(parts if first == "path" else parts[::-1]))], 0.0)
    assert [entry["outcome"] for entry in log if entry["kind"] == "path"] == [whole]
