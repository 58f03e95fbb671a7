"""What a component is told and what becomes of what it asks for, with a component that does only what the test says."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from modiapy import Assert, Model, ModelError, SimulationError, Var, When, instantiate
from modiapy.acausal import AcausalComponent, CallEquation, ComponentRun, SegmentChange, SegmentLayout, Sparsity
from modiapy.acausal.protocol import EndOfSimulation
from modiapy.acausal.reading import read_all
from modiapy.flat import Name
from modiapy.simulation.evaluation.component_checks import check_layout

from ..symbolic.sorted_models import component_function

pytestmark = pytest.mark.white_box

Event = Callable[[Any], "SegmentChange | None"]


class Actor(AcausalComponent):
    """A component with time events ``at`` [s], which calls ``event`` at each event, and keeps a diary.

    Attributes:
        diary: times of its events, and "end" where it was told that the simulation has ended. initial: value of ``reads``.
    """

    def __init__(
        self,
        event: Event,
        at: tuple[float, ...] = (),
        info: dict[str, Any] | None = None,
        reads: str = "",
        tables: dict[str, list[dict[str, Any]]] | None = None,
    ) -> None:
        self.decides, self.at, self.info, self.reads, self.tables = event, at, info or {}, reads, tables or {}
        self.diary: list[Any] = []
        self.initial = math.nan

    def acausal_part(self) -> Model:
        return Model(u=Var(), equations=["u = time"])

    def begin_run(self) -> ComponentRun:
        return Acting(self)


class Acting(ComponentRun):
    """An `Actor` in one simulation."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor

    def init_segment(self, start: Any) -> SegmentLayout:
        if self._actor.reads and start.x is None:
            self._actor.initial = start.read(self._actor.reads)
        return SegmentLayout([], np.zeros(0), info=self._actor.info)

    def event(self, start: Any) -> SegmentChange | None:
        self._actor.diary.append(start.time)
        return self._actor.decides(start)

    def next_time_event(self, time: float) -> float:
        return min((t for t in self._actor.at if t > time), default=math.inf)

    def tables(self, time: float) -> dict[str, list[dict[str, Any]]]:
        return self._actor.tables

    def terminate(self, time: float) -> None:
        self._actor.diary.append(("end", time))


def model(actors: dict[str, Actor], **others: Any) -> Model:
    parts = {name: Model(_component=lambda scope, actor=actor: actor) for name, actor in actors.items()}
    return Model(**parts, **others)


def quiet(start: Any) -> None:
    return None


FALLING: dict[str, Any] = {"x": Var(init=0.1), "v": Var(init=0.2), "equations": ["der(x) = 0", "der(v) = 0"]}


def test_figures_of_all_components_are_summed() -> None:
    actors = {
        "a": Actor(quiet, info={"bodies": 3, "mass": 0.5, "kind": "one"}),
        "b": Actor(quiet, info={"bodies": 5, "mass": 0.25, "length": 2.0}),
        "c": Actor(quiet, info={"bodies": 1, "kind": "two"}),
    }
    record = instantiate(model(actors, **FALLING)).simulate(0.1).segments[0]
    assert record.info == {"bodies": 9, "mass": 0.75, "length": 2.0, "kind": "two"}
    assert record.to_json()["bodies"] == 9


def test_tables_of_one_name_become_one() -> None:
    """The rows of all components, in the order of these, and nothing of what they keep is shared."""
    rows = [[{"door": "a"}, {"door": "b"}], [{"door": "c"}]]
    actors = {f"a{k}": Actor(quiet, tables={"doors": own, f"own{k}": own}) for k, own in enumerate(rows)}
    tables = instantiate(model(actors, **FALLING)).simulate(0.1).tables
    assert tables == {"doors": [*rows[0], *rows[1]], "own0": rows[0], "own1": rows[1]}
    tables["doors"][0]["door"] = "z"
    assert rows[0][0] == {"door": "a"}


def test_numbers_that_are_read_together_are_those_that_are_read_alone() -> None:
    """States, variables that are computed, aliases with a sign, an element of an array, a parameter, the time; in any order."""
    names = ("p", "minus", "r[1]", "time", "x", "y", "one", "r[0]")
    seen: list[tuple[list[float], list[float]]] = []

    def look(start: Any) -> None:
        for asked in (names, names[::-1], names[:3]):
            seen.append((read_all(start.read, asked).tolist(), [start.read(name) for name in asked]))
            assert read_all(start.read.__call__, asked).tolist() == seen[-1][0]

    others = {
        "p": 3.5,
        "x": Var(init=0.1),
        "r": Var(init=[0.2, 0.7]),
        "y": Var(),
        "minus": Var(),
        "one": Var(),
        "equations": ["der(x) = -x", "der(r) = [1, 2]", "y = 3*x*time", "minus = -y", "one = 1.0"],
    }
    actor = Actor(look, (0.25, 0.5))
    instantiate(Model(_component=lambda scope: actor, **others)).simulate(1.0)
    assert len(seen) >= 6
    for together, alone in seen:
        assert together == alone
    assert seen[0][0] != seen[-3][0]  # at another time


@pytest.mark.parametrize("success", [True, False])
def test_a_verdict_ends_the_simulation_and_is_reported(success: bool) -> None:
    def end(start: Any) -> None:
        if start.time >= 0.5:
            raise EndOfSimulation("as it was meant to", success)

    actor = Actor(end, (0.5,))
    result = instantiate(model({"a": actor}, **FALLING)).simulate(1.0)
    assert result.time[-1] == 0.5
    assert (result.status, result.verdict, result.success) == ("finished", "as it was meant to", success)
    data = result.to_json()
    assert (data["verdict"], data["success"]) == ("as it was meant to", success)
    assert actor.diary[-1] == ("end", 0.5)


def test_the_last_point_of_a_simulation_with_a_verdict_is_after_the_event() -> None:
    def end(start: Any) -> None:
        if start.time >= 0.5:
            raise EndOfSimulation("enough")

    parts = {"t": Var("time"), "u": Var("1 if after(0.5) else 0"), "n": Var(init=0, type="Integer")}
    count = When("after(0.5)", ["n = pre(n) + 1"])
    result = instantiate(model({"a": Actor(end, (0.5,))}, **parts, equations=[count])).simulate(1.0)
    assert result.time[-2:].tolist() == [0.5, 0.5]
    assert (result["u"][-2:].tolist(), result["n"][-2:].tolist()) == ([0.0, 1.0], [0.0, 1.0])


ENDS = {"terminate": [0.25], "error": [], "stop time": [1.0]}


@pytest.mark.parametrize("how", ENDS)
def test_components_are_told_the_end_unless_the_simulation_fails(how: str) -> None:
    rules = {
        "terminate": When("t > 0.25", ["terminate('enough')"]),
        "error": Assert("t < 0.25", "enough"),
        "stop time": Assert("t < 2", "enough"),
    }
    actor = Actor(quiet)
    sim = instantiate(model({"a": actor}, t=Var("time"), equations=[rules[how]]))
    with pytest.raises(SimulationError, match="enough") if how == "error" else nullcontext():
        sim.simulate(1.0, interval=0.1)
    ends = [entry[1] for entry in actor.diary if isinstance(entry, tuple)]
    assert ends == pytest.approx(ENDS[how], abs=1e-9)


def test_a_component_reads_initial_values_of_variables_that_are_eliminated() -> None:
    """-3 is the value of the negated alias, -6 that of an alias of a negated alias, 9 follows from an equation."""
    for name, value in (("v", 3.0), ("back", -3.0), ("forth", 3.0), ("square", 9.0), ("der(v)", -3.0)):
        actor = Actor(quiet, reads=name)
        inner = {"v": Var(init=3.0), "back": Var(), "forth": Var(), "square": Var()}
        equations = ["der(v) = -v", "back = -v", "forth = -back", "square = v**2"]
        part = Model(_component=lambda scope, actor=actor: actor, **inner, equations=equations)
        instantiate(Model(part=part)).simulate(0.1)
        assert actor.initial == value, name


def test_a_jump_that_leaves_only_rounding_leaves_zero() -> None:
    """0.1 + 0.2 - 0.3 is not zero in floating point; a body that an impact stops is at rest."""

    def stop(start: Any) -> SegmentChange | None:
        if start.time == 0.5 and start.read("v") > 0.1:
            return SegmentChange("impact", impact=np.array([1.0, -0.3, 0.0]))
        return None

    states = {"x": Var(init=0.0), "v": Var(init=0.1 + 0.2), "tiny": Var(init=1e-17)}
    part = Model(_component=lambda scope: Actor(stop, (0.5,)), **states)
    sim = instantiate(Model(part=part | Model(equations=["der(x) = 0", "der(v) = 0", "der(tiny) = 0"])))
    assert tuple(sim.states) == ("part.x", "part.v", "part.tiny")
    result = sim.simulate(1.0)
    assert result["part.v"][-1] == 0.0
    assert result["part.x"][-1] == 1.0
    assert result["part.tiny"][-1] == 1e-17  # which the impact does not change
    assert [r.cause for r in result.segments] == ["initialization", "impact"]


def test_after_a_jump_the_others_vote_on_what_the_jump_left() -> None:
    """One stops the body, the other would slow it down; the second one finds it at rest, so that there is one jump."""

    def slows(part: float) -> Event:
        def event(start: Any) -> SegmentChange | None:
            speed = start.signal("v")
            return SegmentChange("slower", impact=np.array([-part * speed])) if start.time == 0.5 and speed else None

        return event

    actors = {"a": Actor(slows(1.0), (0.5,)), "b": Actor(slows(0.5), (0.5,))}
    result = instantiate(model(actors, v=Var(init=2.0), equations=["der(v) = 0"])).simulate(1.0)
    assert result["v"][-1] == 0.0
    assert len(result.segments) == 2


def test_changes_of_two_components_at_one_event_are_both_made() -> None:
    def sets(name: str, value: float) -> Event:
        def event(start: Any) -> SegmentChange | None:
            done = start.time != 0.5 or start.signal(f"{name}.x") == value
            return None if done else SegmentChange(f"{name} is set", {"x": value})

        return event

    parts = {
        name: Model(_component=lambda scope, name=name, value=value: Actor(sets(name, value), (0.5,)), x=Var(init=1.0))
        | Model(equations=["der(x) = 0"])
        for name, value in (("a", 7.0), ("b", -4.0))
    }
    result = instantiate(Model(**parts)).simulate(1.0)
    assert (result["a.x"][-1], result["b.x"][-1]) == (7.0, -4.0)
    assert [r.cause for r in result.segments] == ["initialization", "a is set; b is set"]
    assert [r.start for r in result.segments] == [0.0, 0.5]


def test_time_events_of_components_come_when_they_are_asked_for() -> None:
    actor = Actor(quiet, (0.3, 0.7, 1.0, 1.5))
    result = instantiate(model({"a": actor}, **FALLING)).simulate(1.0)
    assert [t for t in dict.fromkeys(actor.diary) if isinstance(t, float)] == [0.0, 0.3, 0.7, 1.0]
    assert result.statistics["events_by_kind"] == {"time": 3}
    assert result.segments[0].events == 3


def test_a_component_reads_elements_of_arrays_and_refuses_others() -> None:
    """Also of an array that is eliminated; an index from the end is none."""
    found: dict[str, Any] = {}

    def look(start: Any) -> None:
        for name in ("q", "back", "q[2]", "back[2]", "m[1,0]", "der(q)", "q[3]", "q[-1]", "q[0,0]", "m[1]", "q[]", "p", "q[x]"):
            try:
                found[name] = np.asarray(start.signal(name)).tolist()
            except KeyError:
                found[name] = None

    arrays = {"q": Var(init=[1.0, 2.0, 4.0]), "back": Var(start=[0.0, 0.0, 0.0]), "m": Var(start=[[0.0, 0.0], [0.0, 0.0]])}
    equations = ["der(q) = 3*q", "back = -q", "m = [[q[0], q[1]], [q[2], time]]"]
    instantiate(model({"a": Actor(look)}, **arrays, equations=equations)).simulate(0.0)
    assert found == {
        "q": [1.0, 2.0, 4.0],
        "back": [-1.0, -2.0, -4.0],
        "q[2]": 4.0,
        "back[2]": -4.0,
        "m[1,0]": 4.0,
        "der(q)": [3.0, 6.0, 12.0],
        **dict.fromkeys(("q[3]", "q[-1]", "q[0,0]", "m[1]", "q[]", "p", "q[x]")),
    }


def test_what_a_component_sets_takes_nothing_else_with_it() -> None:
    """A distance that would like to be a state jumps with the state that the component sets; the other position goes on."""

    def half(context: Any, inputs: Any, outputs: Any) -> int:
        outputs[0] = 0.5 * inputs[0]
        return 0

    class Setter(Actor):
        functions = (component_function("half", 1, 1, half),)

        def acausal_part(self) -> Model:
            call = CallEquation(self.functions[0], (Name("x"),), (Name("f"),))
            return Model(x=Var(init=0.0), f=Var(), equations=["der(x) = 1", call])

    def set_once(start: Any) -> SegmentChange | None:
        return SegmentChange("set", reinit={"x": 7.0}) if start.time == 0.5 and start.read("x") < 1.0 else None

    others = {"y": Var(init=1.0), "d": Var(state_select="prefer"), "v": Var()}
    equations = ["der(y) = 2", "d = y - a.x", "v = der(d)"]
    result = instantiate(model({"a": Setter(set_once, (0.5,))}, **others, equations=equations)).simulate(1.0)
    assert [record.cause for record in result.segments] == ["initialization", "set"]
    assert (result["a.x"][-1], result["a.f"][-1]) == (pytest.approx(7.5), pytest.approx(3.75))
    assert result["y"][-1] == pytest.approx(3.0)
    assert result["d"][-1] == pytest.approx(-4.5)


def sparsity(columns=(0, 1), starts=(0, 1, 2), inputs=(), outputs=()):
    pairs = {"inputs": {"push": np.array(inputs, dtype=int)}, "outputs": {"seen": np.array(outputs, dtype=int)}}
    return Sparsity(np.array(starts), np.array(columns), **pairs)


@pytest.mark.parametrize(
    ("made", "found", "expected"),
    [
        (sparsity(columns=(0, 2)), "columns: state 2", "a number from 0 to 1"),
        (sparsity(columns=(-1, 1)), "columns: state -1", "a number from 0 to 1"),
        (sparsity(starts=(0, 2)), "starts of shape (2,) for 2 columns", "shape (3,), from 0 to the number of columns"),
        (sparsity(starts=(0, 2, 1)), "starts of shape (3,) for 2 columns", "shape (3,), from 0 to the number of columns"),
        (sparsity(inputs=[[2, 0]]), "push: state 2", "a number from 0 to 1"),
        (sparsity(inputs=[[0, 5], [-1, 0]]), "push: state -1", "a number from 0 to 1"),
        (sparsity(outputs=[[0, 2]]), "seen: state 2", "a number from 0 to 1"),
        (sparsity(outputs=[[5, 0], [0, -1]]), "seen: state -1", "a number from 0 to 1"),
    ],
)
def test_a_sparsity_that_cannot_be_is_refused_by_the_number_of_the_state(made, found, expected):
    """Pairs are (derivative, input) and (output, state): how many inputs and outputs there are is not known here."""
    with pytest.raises(ModelError, match="sparsity") as caught:
        check_layout("part", SegmentLayout(["a", "b"], np.zeros(2), sparsity=made))
    assert (caught.value.path, caught.value.found, caught.value.expected) == ("part", found, expected)


def test_inputs_and_outputs_may_be_more_than_states():
    made = sparsity(inputs=[[0, 7], [1, 0]], outputs=[[7, 1], [0, 0]])
    assert check_layout("part", SegmentLayout(["a", "b"], np.zeros(2), sparsity=made)).sparsity is made
