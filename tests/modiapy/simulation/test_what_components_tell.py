"""What components tell besides signals, and what they are told of the end, however a simulation ends: logs, tables, notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from modiapy import (
    Assert,
    Model,
    ModelError,
    Result,
    SimulationError,
    SimulationInterrupted,
    SimulationModel,
    Var,
    When,
    instantiate,
    read_result,
)
from modiapy.acausal import ComponentRun, Notes, SegmentChange, SegmentLayout
from modiapy.acausal.protocol import EndOfSimulation
from modiapy.simulation.results import store

from .test_components import FALLING, Acting, Actor, Event, model, quiet

pytestmark = pytest.mark.white_box


class Telling(Actor):
    """It tells each of its events in its log, and in a table for what time it was asked."""

    def __init__(self, name: str, event: Event = quiet, at: tuple[float, ...] = ()) -> None:
        super().__init__(event, at)
        self.name = name

    def begin_run(self) -> ComponentRun:
        return Tells(self)


class Tells(Acting):
    def __init__(self, actor: Telling) -> None:
        super().__init__(actor)
        self._name, self._log = actor.name, list[dict[str, Any]]()

    def event(self, start: Any) -> SegmentChange | None:
        self._log.append({"time": start.time, "task": self._name})
        return super().event(start)

    @property
    def program_log(self) -> Sequence[Mapping[str, Any]]:
        return self._log

    def tables(self, time: float) -> dict[str, list[dict[str, Any]]]:
        return {"asked": [{"name": self._name, "time": time}]}


def interrupted(sim: SimulationModel) -> Result:
    def interrupt(time: float) -> None:
        if time > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(SimulationInterrupted) as caught:
        sim.simulate(3.0, interval=0.01, progress=interrupt)
    return caught.value.result


def failed(sim: SimulationModel) -> Result:
    with pytest.raises(SimulationError) as caught:
        sim.simulate(3.0, interval=0.1)
    return caught.value.result


def closed(sim: SimulationModel) -> Result:
    with sim.stepper(3.0, interval=0.1) as stepper:
        stepper.step(0.625)
    return stepper.result


def left(sim: SimulationModel) -> Result:
    stepper = sim.stepper(3.0, interval=0.1)

    def loop() -> None:
        with stepper:
            stepper.step(0.625)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        loop()
    return stepper.result


def logged(sim: SimulationModel) -> Result:
    return sim.simulate(3.0, interval=0.1, log=True)


def ends(start: Any) -> None:
    if start.time >= 0.7:
        raise EndOfSimulation("enough")


ENDINGS: dict[str, tuple[Callable[[SimulationModel], Result], Event, Any, bool]] = {
    "stop time": (lambda sim: sim.simulate(0.75, interval=0.1), quiet, "der(y) = 1", True),
    "verdict": (logged, ends, "der(y) = 1", True),
    "terminate": (
        logged,
        quiet,
        When("y > 0.625", ["terminate('enough')"]),
        True,
    ),
    "closed stepper": (closed, quiet, "der(y) = 1", True),
    "left stepper": (left, quiet, "der(y) = 1", False),
    "interrupt": (interrupted, quiet, "der(y) = 1", False),
    "assertion": (failed, quiet, Assert("y < 0.625", "enough"), False),
    "failure": (failed, quiet, "der(y) = 0.5/sqrt(0.625 - time)", False),
}
"""How it ends, what the component does at events, an equation or rule, whether components are told the end."""


@pytest.mark.parametrize("how", ENDINGS)
def test_however_a_simulation_ends_all_components_have_told_what_they_have(how: str, capfd: Any) -> None:
    """Tables are asked for at the last stored point, logs stand one behind the other."""
    simulated, event, rule, told = ENDINGS[how]
    actors = {name: Telling(name, at=(0.25, 0.7)) for name in "abc"} | {"d": Telling("d", event, (0.25, 0.7))}
    rules = [rule] if isinstance(rule, str) else ["der(y) = 1", rule]
    result = simulated(instantiate(model(actors, y=Var(init=0.0), equations=rules)))
    assert 0.5 < result.time[-1] < 0.8
    assert result.tables == {"asked": [{"name": name, "time": result.time[-1]} for name in "abcd"]}
    assert [(entry["task"], entry["time"]) for entry in result.program_log if entry["time"] < 0.6] == [
        (name, time) for name in "abcd" for time in (0.0, 0.25)
    ]
    assert [actors[name].diary[-1] == ("end", result.time[-1]) for name in "abcd"] == [told] * 4
    if how in ("verdict", "terminate"):
        time, text = capfd.readouterr().err.splitlines()[-1].split(" s  ")
        assert float(time) == pytest.approx(result.time[-1], abs=1e-8)
        assert text == {"verdict": "end: enough", "terminate": "terminated: enough"}[how]


def test_what_fails_before_it_begins_is_told_of_its_start(tmp_path: Any) -> None:
    parts = {"p": 0.0, "y": Var("1/p"), "x": Var(init=0.0), "equations": ["der(x) = 1"]}
    with pytest.raises(SimulationError, match="'y' cannot be computed") as caught:
        instantiate(model({"a": Telling("a")}, **parts)).simulate(3.0, start_time=2.0)
    result = caught.value.result
    assert (caught.value.time, result.segments, result.status) == (2.0, [], "failed")
    assert (result.tables, result.program_log) == ({"asked": [{"name": "a", "time": 2.0}]}, [])
    with pytest.raises(ModelError, match="the result holds no segment, so there is nothing to save") as refused:
        result.save(tmp_path / "x.h5")
    assert (refused.value.path, [*tmp_path.iterdir()]) == (str(tmp_path / "x.h5"), [])


class Noticing(Telling):
    """It notices its events, and the ends of segments."""

    def begin_run(self) -> ComponentRun:
        return Notices(self)


class Notices(Tells, Notes):
    def __init__(self, actor: Noticing) -> None:
        super().__init__(actor)
        self._noticed: list[dict[str, Any]] = []

    def event(self, start: Any) -> SegmentChange | None:
        self._noticed.append({"kind": "seen", "time": start.time, "text": f"{self._name} sees it"})
        return super().event(start)

    def notes(self, ending: bool) -> Sequence[Mapping[str, Any]]:
        told, self._noticed = self._noticed, []
        return [*told, *([{"kind": "over", "time": self._log[-1]["time"], "text": f"{self._name} ends"}] if ending else [])]


def test_notes_belong_to_their_segment_are_counted_by_kind_and_logged_with_their_time(capfd: Any) -> None:
    done: list[float] = []

    def change(start: Any) -> SegmentChange | None:
        if start.time != 0.5 or done:
            return None
        done.append(start.time)
        return SegmentChange("change")

    actors = {"a": Noticing("a", change, (0.25, 0.5)), "b": Noticing("b"), "c": Telling("c")}
    result = instantiate(model(actors, **FALLING)).simulate(1.0, interval=0.125, log=True)

    def told(name: str, kind: str, time: float) -> dict[str, Any]:
        return {"kind": kind, "time": time, "text": f"{name} {'sees it' if kind == 'seen' else 'ends'}"}

    first = [told(name, "seen", time) for time in (0.0, 0.25) for name in "ab"]
    first += [told(name, kind, 0.5) for name in "ab" for kind in ("seen", "over")]
    second = [told(name, kind, 0.5) for kind in ("seen", "over") for name in "ab"]
    assert [record.info["notes"] for record in result.segments] == [first, second]
    assert result.notes == first + second
    assert [record.events for record in result.segments] == [2 + len(first), len(second)]
    assert result.statistics["events_by_kind"] == {"time": 2, "seen": 8, "over": 4}
    lines = [line.split(" s  ") for line in capfd.readouterr().err.splitlines()]
    logged = [(float(time), text) for time, text in lines if not text.startswith("segment")]
    assert logged == [(note["time"], note["text"]) for note in result.notes]
    assert [(float(time), text) for time, text in lines if text.startswith("segment")] == [
        (0.0, "segment 1: initialization"),
        (0.5, "segment 2: change"),
    ]


class Varying(Actor):
    """What it tells differs each time: rows come, change and go."""

    def begin_run(self) -> ComponentRun:
        return Varies(self)


class Varies(Acting):
    @property
    def program_log(self) -> Sequence[Mapping[str, Any]]:
        return rows(self._asked, "log")

    def tables(self, time: float) -> dict[str, list[dict[str, Any]]]:
        self._asked = time
        return {name: rows(time, name) for name in ("one", "other")}

    def init_segment(self, start: Any) -> SegmentLayout:
        self._asked = start.time
        return super().init_segment(start)


def rows(time: float, name: str) -> list[dict[str, Any]]:
    """Some rows that depend on the time; the first ones are often those of before."""
    rng = np.random.default_rng([int(1e6 * time), len(name)])
    return [{"k": k, "value": int(rng.integers(2))} for k in range(int(rng.integers(6)))]


def test_what_is_told_in_a_file_is_what_was_told_last(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was written before, while the simulation ran; it is there whenever the simulation ends."""
    monkeypatch.setattr(store, "BLOCK_SECONDS", 0.0)
    sim, file = instantiate(model({"a": Varying(quiet)}, **FALLING)), tmp_path / "x.h5"
    last = []
    for stop in np.arange(1.0, 4.0, 0.25):
        result = sim.simulate(stop, interval=0.03125, output=file, progress=lambda time: None)
        read = read_result(file)
        assert read.tables == result.tables == {name: rows(stop, name) for name in ("one", "other")}
        assert read.program_log == result.program_log
        last.append(len(read.program_log))
    assert {0, 5} <= set(last)


# -- what they read before anything is solved ----------------------------------------------------------------------------


class Reading(Actor):
    """It reads variables when the simulation begins."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(quiet)
        self.names, self.seen = names, dict[str, Any]()

    def begin_run(self) -> ComponentRun:
        return Reads(self)


class Reads(Acting):
    def __init__(self, actor: Reading) -> None:
        super().__init__(actor)
        self._reading = actor

    def init_segment(self, start: Any) -> Any:
        self._reading.seen |= {name: np.asarray(start.read(name)).tolist() for name in self._reading.names}
        return super().init_segment(start)


COMPUTED = {
    "at least": "1 if rest >= 3 else 2",
    "more": "1 if rest > 3 else 2",
    "above zero": "1 if positive(rest - 3) else 2",
    "less": "1 if 2*x < 7 else 2",
    "nested": "(5 if x < 4 and time >= 2 else 6) if after(1.5) else 7",
    "now": "1 if after(2.0) else 2",
    "later": "1 if after(p) else 2",
    "by time": "time if time < 2.5 else 0",
    "of an input": "3*given + p",
    "of an array": "r[0] + 10*r[1]",
    "of a parameter": "M@r",
    "array": ["x", "2*p"],
    "derivative": "2*der(x)",
}


def test_what_components_read_before_anything_is_solved_is_what_it_is_at_the_start() -> None:
    """Relations, events and time as they are there; with the sign of aliases, elements and parameters."""
    names = [name.replace(" ", "_") for name in COMPUTED]
    others = {name: Var(text) for name, text in zip(names, COMPUTED.values(), strict=True)}
    others |= {"p": 2.5, "M": np.array([3.0, 4.0]), "given": Var(input=True)}
    others |= {"x": Var(init=3.0), "rest": Var(init=3.0), "r": Var(init=[1.0, 2.0])}
    others |= {"minus": Var(), "guess": Var(start=0.75), "beginning": Var("1 if initial() else 2")}
    equations = ["der(x) = -x", "der(rest) = 0", "der(r) = -r", "minus = -later", "guess + exp(guess) = 2 + x"]
    known = [*names, "p", "M", "given", "u", "x", "r", "minus", "der(x)"]
    actor = Reading([*known, "guess", "beginning"])
    part = Model(_component=lambda scope: actor, **others, equations=equations)
    sim = instantiate(Model(part=part, drive=Var(input=True, start=4.0), equations=["part.given = drive"]))
    result = sim.simulate(3.0, start_time=2.0, inputs={"drive": ([1.0, 3.0], [5.0, 7.0])})
    assert actor.seen["given"] == 6.0
    for name in known:
        full = f"der(part.{name[4:]}" if name.startswith("der(") else f"part.{name}"
        assert actor.seen[name] == result[full][0].tolist(), name
    assert actor.seen["beginning"] == 1.0  # of the initial event, which the first stored point is behind
    assert actor.seen["guess"] == 0.75 != result["part.guess"][0]


@pytest.mark.parametrize(("name", "remedy"), [("unknwn", "Did you mean 'part.known'"), ("unknown", "")])
def test_what_has_no_value_yet_is_refused_by_name(name: str, remedy: str) -> None:
    actor = Reading([name])
    others = {"known": Var(init=1.0), "unknown": Var(), "equations": ["der(known) = 1", "unknown + exp(unknown) = known"]}
    part = Model(_component=lambda scope: actor, **others)
    with pytest.raises((ModelError, SimulationError), match=rf"the initial value of 'part\.{name}' is not known") as caught:
        instantiate(Model(part=part)).simulate(1.0)
    assert caught.value.path == "part"
    assert remedy in str(caught.value)
