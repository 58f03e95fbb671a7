"""What components ask for beyond a change at an event: initial values, patience, conditions, short steps."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from modiapy import Model, SimulationError, Var, instantiate
from modiapy.acausal import Assembles, CallEquation, ComponentRun, Jumps, Mode, SegmentChange, SegmentLayout, Slot, Waits
from modiapy.flat import Name
from modiapy.model.model import DefaultInit

from ..symbolic.sorted_models import component_function
from .test_components import FALLING, Acting, Actor, model, quiet

pytestmark = pytest.mark.white_box


class Placing(Actor):
    """It finds initial values for ``phi``."""

    def acausal_part(self) -> Model:
        return Model(phi=Var(), equations=[])

    def begin_run(self) -> ComponentRun:
        return Placed(self)


class Placed(Acting, Assembles):
    assembles = True

    def assembled(self, read: Callable[[str], Any]) -> Mapping[str, float]:
        return {"phi": 0.3}


@pytest.mark.parametrize("given", [Var(), Var(start=0.1), Var(init=DefaultInit(0.0))], ids=["nothing", "start", "default"])
@pytest.mark.parametrize("equation", ["phi = -top", "phi = top", "-phi = -top", "phi + top = 0"])
def test_what_a_component_finds_for_an_alias_is_that_of_what_stands_for_it(equation: str, given: Var) -> None:
    """With its sign."""
    placing = Placing(quiet)
    part = Model(_component=lambda scope: placing, top=given, w=Var(init=0.0))
    sim = instantiate(Model(p=part | Model(equations=["der(top) = w", "der(w) = -top", equation])))
    result = sim.simulate(0.1)
    assert result["p.phi"][0] == 0.3
    assert result["p.top"][0] == (0.3 if equation in ("phi = top", "-phi = -top") else -0.3)


class Chain(Actor):
    """Each of its values follows from the one before."""

    def acausal_part(self) -> Model:
        return Model(equations=[])

    def begin_run(self) -> ComponentRun:
        return Links(self)


class Links(Acting, Assembles):
    assembles = True

    def assembled(self, read: Callable[[str], Any]) -> Mapping[str, float]:
        return {"d": read("c") - 3.0, "c": 2.0 * read("b"), "b": read("a") + 1.0}


@pytest.mark.parametrize("given", ["", "a", "c", "d"])
def test_what_components_find_follows_from_what_they_have_found_before(given: str) -> None:
    """Until it is what they read; what a user says stays."""
    chain = Chain(quiet)
    values = {name: Var(init=DefaultInit(0.5)) for name in "abcd"} | ({given: Var(init=7.0)} if given else {})
    sim = instantiate(Model(p=Model(_component=lambda scope: chain, **values, equations=[f"der({n}) = 1" for n in "abcd"])))
    a = 7.0 if given == "a" else 0.5
    b, c = a + 1.0, 7.0 if given == "c" else 2.0 * (a + 1.0)
    expected = [a, b, c, 7.0 if given == "d" else c - 3.0]
    assert [sim.simulate(0.1)[f"p.{name}"][0] for name in "abcd"] == expected
    assert sim.start("p.b") == 0.5  # of the model, for other simulations


class Own(Actor):
    """It has a state that begins with a multiple of what it reads, and tells it to the equations."""

    def __init__(self, factor: float) -> None:
        super().__init__(quiet)
        self.factor = factor

        def tell(context: Any, inputs: Any, outputs: Any) -> int:
            outputs[0] = ctypes.c_double.from_address(context[Slot.X]).value
            ctypes.c_double.from_address(context[Slot.DER]).value = 0.0
            return 0

        self.functions = (component_function("tell", 1, 1, tell, sink=True),)

    def acausal_part(self) -> Model:
        return Model(f=Var(), equations=[CallEquation(self.functions[0], (Name("time"),), (Name("f"),))])

    def begin_run(self) -> ComponentRun:
        return Owned(self)


class Owned(Acting):
    _actor: Own

    def init_segment(self, start: Any) -> SegmentLayout:
        return SegmentLayout(["s"], start.x if start.x is not None else np.array([self._actor.factor * start.read("x")]))


@pytest.mark.parametrize("factor", [0.5, -0.25, 2.0])
def test_states_of_components_and_initial_equations_that_depend_on_each_other_settle_or_are_refused(factor: float) -> None:
    """s = factor*x and x = 3 + s: each time s is factor times as far away."""
    actor = Own(factor)
    part = Model(_component=lambda scope: actor, x=Var(start=1.0))
    sim = instantiate(Model(p=part | Model(equations=["der(x) = 0*f"], initial_equations=["x = 3 + f"])))
    if abs(factor) > 1.0:
        with pytest.raises(SimulationError, match="initial equations, which depend on each other, do not settle") as caught:
            sim.simulate(1.0, start_time=0.25)
        assert caught.value.time == 0.25
        return
    result = sim.simulate(1.0)
    assert result["p.x"][[0, -1]] == pytest.approx([3.0 / (1.0 - factor)] * 2, rel=1e-10)
    assert result["p.s"][0] == pytest.approx(factor * 3.0 / (1.0 - factor), rel=1e-10)


FASTER = {"z": Var("sin(pi*log(sqrt((time - 1)**2 + 1e-22))/log(2))"), "up": Var("1 if z > 0 else 0")}
"""Events that come twice as fast each time until 1 s, down to distances of 1e-11 s, and twice as slow afterwards."""


def votes(*calms: bool) -> Model:
    """Each component asks once for a change at each event."""

    def event(k: int, calming: bool) -> Callable[[Any], SegmentChange | None]:
        done: set[float] = set()

        def asks(start: Any) -> SegmentChange | None:
            if start.time in done or start.time == 0.0:
                return None
            done.add(start.time)
            return SegmentChange(f"change {k}", calms=calming)

        return asks

    return model({f"a{k}": Actor(event(k, calming)) for k, calming in enumerate(calms)}, **FASTER, **FALLING)


@pytest.mark.parametrize("calms", [(), (False,), (False, False), (True,), (True, False), (False, True)])
def test_events_that_come_faster_and_faster_are_borne_where_one_of_the_changes_calms(calms: tuple[bool, ...]) -> None:
    sim = instantiate(votes(*calms))
    if not any(calms):
        with pytest.raises(SimulationError, match="faster and faster"):
            sim.simulate(2.0, interval=1.0)
        return
    result = sim.simulate(2.0, interval=1.0)
    assert result.statistics["events"] >= 70
    assert len(result.segments) == result.statistics["events"] + 1


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_after_an_impact_the_other_components_vote_on_the_speeds_that_it_leaves(order: str) -> None:
    """Both stop what moves: for the second one there is nothing left to do."""

    def stops(name: str) -> Callable[[Any], SegmentChange | None]:
        def asks(start: Any) -> SegmentChange | None:
            speed = start.read("w")
            seen.append((name, speed))
            return SegmentChange(f"{name} stops it", impact=np.array([0.0, -speed])) if start.time == 0.5 and speed else None

        return asks

    seen: list[tuple[str, float]] = []
    parts = {k: Model(_component=lambda scope, k=k: Actor(stops(k), (0.5,)), w=Var()) for k in order}
    equations = ["der(x) = v", "der(v) = 0", "a.w = v", "b.w = v"]
    result = instantiate(Model(**parts, x=Var(init=0.0), v=Var(init=2.0), equations=equations)).simulate(1.0)
    first, second = order
    assert [record.cause for record in result.segments] == ["initialization", f"{first} stops it"]
    assert (result["x"][-1], result["v"][-1]) == pytest.approx((1.0, 0.0), abs=1e-12)
    assert seen == [(first, 2.0), (second, 2.0), (first, 2.0), (first, 0.0), (second, 0.0)]


@pytest.mark.parametrize("name", ["minus", "twice", "k", "der(x)", "r[2]", "nothing"])
def test_what_is_no_state_is_not_set_anew(name: str) -> None:
    """Nor is one set by minus itself: that would have the other sign."""

    def sets(start: Any) -> SegmentChange | None:
        return SegmentChange("set", {name: 2.0}) if start.time == 0.5 else None

    variables = {"x": Var(init=1.0), "minus": Var(), "twice": Var(), "r": Var(init=[1.0, 2.0]), "k": 3.0}
    equations = ["der(x) = -x", "minus = -x", "twice = 2*x", "der(r) = -r"]
    part = Model(_component=lambda scope: Actor(sets, (0.5,)), **variables, equations=equations)
    with pytest.raises(SimulationError, match="is to be re-initialised, but it is not a state of the equations") as caught:
        instantiate(Model(part=part)).simulate(1.0)
    assert f"'der(part.{name[4:]}'" in str(caught.value) if name.startswith("der") else f"'part.{name}'" in str(caught.value)
    assert caught.value.time == 0.5


class Waiting(Actor):
    """It waits until ``x`` is below a level."""

    def __init__(self, level: float) -> None:
        super().__init__(quiet)
        self.level = level

    def begin_run(self) -> ComponentRun:
        return Waiter(self, self.level)


class Waiter(Acting, Waits):
    watching = True

    def __init__(self, actor: Actor, level: float) -> None:
        super().__init__(actor)
        self.level = level

    def awaited(self, time: float, signal: Callable[[str], Any]) -> bool:
        return bool(signal("x") <= self.level)

    def event(self, start: Any) -> SegmentChange | None:
        if start.signal("x") <= self.level:
            self.watching = False
        return super().event(start)


@pytest.mark.parametrize("levels", [(0.8, 0.3), (0.3, 0.8), (0.3, -1.0, 0.8), (0.5, 0.5)])
def test_each_of_several_components_waits_for_its_own_condition(levels: tuple[float, ...]) -> None:
    actors = {f"a{k}": Waiting(level) for k, level in enumerate(levels)}
    result = instantiate(model(actors, x=Var(init=1.0), equations=["der(x) = -1"])).simulate(1.0, interval=0.25)
    times = sorted({1.0 - level for level in levels if level > 0.0})
    assert result.statistics["events_by_kind"] == {"condition": len(times)}
    for k, level in enumerate(levels):
        seen = [t for t in dict.fromkeys(actors[f"a{k}"].diary) if isinstance(t, float)]
        assert seen == pytest.approx([0.0, *times], abs=1e-9), level


class Stair(Actor):
    """Its function gives a level that changes at its time events: what is in its memory."""

    def __init__(self) -> None:
        super().__init__(quiet, (0.3, 0.7))
        self.level = ctypes.c_double(0.0)

        def tell(context: Any, inputs: Any, outputs: Any) -> int:
            outputs[0] = self.level.value
            return 0

        self.functions = (component_function("tell", 1, 1, tell),)

    def acausal_part(self) -> Model:
        call = CallEquation(self.functions[0], (Name("time"),), (Name("f"),))
        return Model(x=Var(init=0.0), f=Var(), equations=["der(x) = f", call])

    def begin_run(self) -> ComponentRun:
        return Climber(self)


class Climber(Acting, Jumps):
    _actor: Stair

    def arrive(self, time: float) -> None:
        self._actor.level.value = float(sum(t <= time for t in self._actor.at))


@pytest.mark.parametrize("solver", ["cvode", "sundae", "chebyshev"])
def test_what_jumps_at_an_event_is_told_of_it_before_anything_is_evaluated_there(solver: str) -> None:
    """So that steps end before the jump, and equations settle with what is behind it."""
    stair = Stair()
    result = instantiate(model({"a": stair})).simulate(1.0, tolerance=1e-6, solver=solver)
    assert result["a.x"] == pytest.approx(np.maximum(result.time - 0.3, 0.0) + np.maximum(result.time - 0.7, 0.0), abs=1e-7)
    for level, time in enumerate(stair.at):
        assert result["a.f"][result.time == time].tolist() == [level, level + 1.0]
    assert result.statistics["events_by_kind"] == {"time": 2}


class Hurrying(Actor):
    """Its function allows short steps only, in segments in which it was told to."""

    def __init__(self, event: Callable[[Any], SegmentChange | None], hurries: list[bool]) -> None:
        super().__init__(event, (0.4, 0.7))
        self.hurries = hurries

        def hurry(context: Any, inputs: Any, outputs: Any) -> int:
            outputs[0] = inputs[0]
            if context[Slot.DATA]:
                ctypes.c_double.from_address(context[Slot.LONGEST_STEP]).value = 1e-3
            return 0

        self.functions = (component_function("hurry", 1, 1, hurry),)

    def acausal_part(self) -> Model:
        call = CallEquation(self.functions[0], (Name("x"),), (Name("f"),))
        return Model(x=Var(init=0.0), f=Var(), equations=["der(x) = 1 + 0*f", call])

    def begin_run(self) -> ComponentRun:
        return Hurry(self)


class Hurry(Acting):
    def __init__(self, actor: Hurrying) -> None:
        super().__init__(actor)
        self._left = [*actor.hurries]

    def init_segment(self, start: Any) -> SegmentLayout:
        return SegmentLayout([], np.zeros(0), data=[int(self._left.pop(0))])


@pytest.mark.parametrize("solver", ["cvode", "chebyshev", "scipy", "sundae"])
@pytest.mark.parametrize("hurries", [(True, False, True), (False, True, False)])
def test_a_longest_step_holds_in_the_segment_of_which_a_component_says_it(hurries: tuple[bool, ...], solver: str) -> None:
    done: set[float] = set()

    def changes(start: Any) -> SegmentChange | None:
        if start.time not in (0.4, 0.7) or start.time in done:
            return None
        done.add(start.time)
        return SegmentChange("change")

    actor = Hurrying(changes, [*hurries])
    result = instantiate(model({"a": actor})).simulate(1.0, interval=0.5, solver=solver)
    for record, length, hurried in zip(result.segments, (0.4, 0.3, 0.3), hurries, strict=True):
        assert (record.steps >= length / 1e-3) == hurried
        assert record.steps < (3.0 if hurried else 0.3) * length / 1e-3
    assert math.isclose(result["a.x"][-1], 1.0, rel_tol=1e-9)


class Marking(Actor):
    """Its indicators are ``x`` less its marks; one that is not a number is none from the mark on. It has a state of its own."""

    def __init__(self, marks: tuple[float, ...], lost: tuple[float, ...] = ()) -> None:
        super().__init__(quiet)
        self.marks = marks

        def mark(context: Any, inputs: Any, outputs: Any) -> int:
            outputs[0], x = 0.0, inputs[0]
            ctypes.c_double.from_address(context[Slot.DER]).value = 1.0
            if context[Slot.MODE] & Mode.INDICATORS:
                z = (ctypes.c_double * len(marks)).from_address(context[Slot.Z])
                z[:] = [math.nan if k in lost and x > m else x - m for k, m in enumerate(marks)]
            return 0

        self.functions = (component_function("mark", 1, 1, mark, sink=True),)

    def acausal_part(self) -> Model:
        call = CallEquation(self.functions[0], (Name("x"),), (Name("f"),))
        return Model(x=Var(), f=Var(), equations=["x = time", call])

    def begin_run(self) -> ComponentRun:
        return Marks(self)


class Marks(Acting):
    _actor: Marking

    def init_segment(self, start: Any) -> SegmentLayout:
        return SegmentLayout(["s"], np.zeros(1) if start.x is None else start.x, n_z=len(self._actor.marks))


class Following(Marking):
    """Its ``x`` is given from outside; events that only change it do not concern it."""

    def acausal_part(self) -> Model:
        return Model(x=Var(), f=Var(), equations=[CallEquation(self.functions[0], (Name("x"),), (Name("f"),))])

    def begin_run(self) -> ComponentRun:
        return Followed(self)


class Followed(Marks):
    def ignores_samples(self) -> bool:
        return True


RELATION = {"y": Var(init=0.0), "over": Var("1 if y > 0.4 else 0"), "equations": ["der(y) = 1"]}


@pytest.mark.parametrize("relation", [{}, RELATION], ids=["alone", "beside a relation"])
def test_an_indicator_that_an_input_carries_past_zero_is_an_event(relation: dict[str, Any]) -> None:
    actor = Following((0.5,))
    equations = [*relation.get("equations", []), "a.x = u"]
    sim = instantiate(model({"a": actor}, **{**relation, "u": Var(input=True), "equations": equations}))
    with sim.stepper(1.0) as stepper:
        for value in (0.1, 0.2, 0.6, 0.7, 0.3, 0.2):
            stepper.inputs["u"] = value
            stepper.step(0.01)
        assert stepper["a.s"] == pytest.approx(0.06, abs=1e-12)
    inside = [time for time in actor.diary if time != 0.0 and isinstance(time, float)]
    assert inside == pytest.approx([0.02, 0.04], abs=1e-12)


MARKS = {"a": (0.3, 0.9), "b": (), "c": (0.5, 0.1, 0.7)}


def test_indicators_of_several_components_are_events_of_their_own_and_told_by_their_number(capfd: Any) -> None:
    sim = instantiate(model({name: Marking(marks) for name, marks in MARKS.items()}, **RELATION))
    result = sim.simulate(1.0, interval=0.25, log=True)
    told = {m: f"indicator {k} of {name}" for name, marks in MARKS.items() for k, m in enumerate(marks)} | {0.4: "y > 0.4"}
    lines = [line.split("s  state event: ") for line in capfd.readouterr().err.splitlines() if "state event" in line]
    assert [(float(time), text) for time, text in lines] == [(pytest.approx(m), told[m]) for m in sorted(told)]
    assert [result[f"{name}.s"][-1] for name in MARKS] == pytest.approx([1.0, 1.0, 1.0])


@pytest.mark.parametrize(("name", "k"), [("a", 0), ("a", 1), ("c", 0), ("c", 1), ("c", 2)])
def test_an_indicator_that_is_no_number_is_told_by_its_number_and_component(name: str, k: int) -> None:
    actors = {n: Marking(marks, lost=(k,) if n == name else ()) for n, marks in MARKS.items()}
    with pytest.raises(SimulationError, match=rf"event indicator {k} of {name} is not a number") as caught:
        instantiate(model(actors, **RELATION)).simulate(1.0)
    assert caught.value.time == pytest.approx(MARKS[name][k], abs=1e-9)
