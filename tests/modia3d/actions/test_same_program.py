"""One program in all forms in which it may be written: the same log, paths and times, whatever the world decides."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modia3d import ActionRefused, IfElse, Parallel, Repeat, Retry, Spawn, Try
from modia3d.actions.paths_values import AddPath
from modia3d.actions.steps import Decide
from modia3d.actions.timeline import lay_out
from modia3d.actions.values import Wait
from modiapy import ModelError
from tests.modia3d.actions.test_replay import PATHS, World, schedule_of, steps

pytestmark = pytest.mark.white_box

DECLARED = [AddPath((name,), (0.0,), (1.0,), (2.0,)) for name in PATHS]
STEPS: list[object] = []


def recorded(actions):
    for step in (*DECLARED, *STEPS):
        actions.record(step)


def returned():
    return [*DECLARED, *STEPS]


def generated(actions):
    for step in (*DECLARED, *STEPS):  # noqa: UP028
        yield step  # an iterator of a tuple takes no outcomes


def spelled_out():
    """Blocks as the statements of Python that they stand for."""
    yield from DECLARED
    yield from spelled(STEPS)


def spelled(block):
    for step in block:
        match step:
            case IfElse():
                yield from spelled(step.then if (yield Decide(step.condition)) else step.otherwise)
            case Repeat():
                for _ in range(step.times):
                    yield from spelled(step.do)
            case Try():
                try:
                    yield from spelled(step.do)
                except ActionRefused:
                    yield from spelled(step.on_refused)
            case Retry():
                for tried in range(1, step.times + 1):
                    try:
                        yield from spelled(step.do)
                        break
                    except ActionRefused:
                        if tried == step.times:
                            raise
                    yield Wait(step.pause)
            case Parallel():
                yield Parallel(*(partial(spelled, part) for part in step.parts))
            case Spawn():
                yield Spawn(partial(spelled, step.program))
            case _:
                yield step


FORMS = (recorded, returned, generated, spelled_out)


class Course(World):
    """A run to its end, and what can be seen of it at each event."""

    def seen(self):
        found = []
        try:
            while True:
                going = self.event()
                packed = self.run.paths
                arrays = [a.tolist() for a in (packed.paths, packed.times, packed.coefficients)]
                found.append((self.time, self.run.next_event(self.time), self.run.watching, arrays))
                if not going:
                    return found, self.log(), ""
        except ModelError as error:
            return found, self.log(), unnumbered(str(error))

    def log(self):
        """Without the texts of what stands for a function."""
        entries = [entry | {"step": entry["step"].partition("spawn")[0]} for entry in self.run.log()]
        return [entry | {"outcome": unnumbered(entry["outcome"])} for entry in entries]


def unnumbered(told):
    """A text in which steps have no numbers, as those of generators have none; anything else as it is."""
    if not isinstance(told, str):
        return told
    return re.sub(r"action \d+ \((.*?)\)(?=:| is)|the step '(.*?)'(?=:| is)", r"\1\2", told)


@pytest.fixture(scope="module")
def forms():
    STEPS[:] = [Wait(1.0)]
    return [schedule_of(form) for form in (*FORMS[:1], *FORMS[2:])]


@settings(max_examples=60)
@given(st.lists(steps, min_size=1, max_size=6), st.integers(0, 2**32))
def test_what_a_program_does_does_not_depend_on_how_it_is_written(forms, program, seed):
    STEPS[:] = program
    found = []
    for schedule, form in zip(forms, (recorded, generated, spelled_out), strict=True):
        schedule.program = form if form is not recorded else (*DECLARED, *program)  # translated once for all examples
        found.append(Course(schedule, seed).seen())
    assert found[1] == found[0]
    assume("another motion" not in found[0][2])  # it is told once more where the program is written out
    assert found[2] == found[0]


def test_all_forms_declare_the_same():
    STEPS[:] = [Wait(0.5), Try([Wait(0.25)])]
    assert {schedule_of(form).reference_names for form in FORMS} == {PATHS}
    assert schedule_of(recorded).program == schedule_of(returned).program == (*DECLARED, *STEPS)
    assert [schedule_of(form).length for form in FORMS] == ["; the program takes 0.75 s"] * 2 + [""] * 2


predictable = st.lists(steps, min_size=1, max_size=6)


@settings(max_examples=60)
@given(predictable)
def test_the_timeline_is_what_happens_if_all_is_carried_out(forms, program):
    """As far as it is known before: until the program asks for something that only the simulation can tell."""
    program = (*DECLARED, *program)
    schedule = forms[0]
    schedule.program = program
    try:
        timeline = lay_out(program)
    except ModelError as error:
        assume("another motion" not in str(error))
        raise
    run, time, events, unknown = schedule.begin(0.0), 0.0, {0.0}, False

    def ask(_):
        nonlocal unknown
        unknown = True
        return 0.0

    try:
        while True:
            while run.advance(time, ask, pytest.fail) is not None and not unknown:
                run.complete()
            following = run.next_event(time)
            if unknown or following == np.inf:
                break
            time = following
            events.add(time)
    except ModelError:
        unknown = True
    done = [(entry["time"], entry["step"]) for entry in run.log() if entry["kind"] == "action"]
    known = [(action.time, str(action.action)) for action in timeline.actions]
    assert known == done[: len(known)]
    assert set(timeline.time_events) <= events
    if timeline.complete:
        assert known == done
        assert set(timeline.time_events) == events
        assert timeline.end == time
