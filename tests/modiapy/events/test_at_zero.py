"""Relations that are exactly zero, at the start or after an event, have the value of their operands; what changes a moment
later is an event with an edge (Modelica Language Specification 3.6, sections 8.5 and 8.6)."""

import math
from pathlib import Path

import numpy as np
import pytest

from modiapy import Assert, Map, Model, ModelError, Result, SimulationError, Var, When, instantiate

NUMBER = Var(type="Integer", init=0)
COUNTED = Model(
    ups=NUMBER,
    downs=NUMBER,
    changes=NUMBER,
    edges=NUMBER,
    equations=[
        When("b", ["ups = pre(ups) + 1"]),
        When("not b", ["downs = pre(downs) + 1"]),
        When("change(b)", ["changes = pre(changes) + 1"]),
        When("edge(b)", ["edges = pre(edges) + 1"]),
    ],
)
"""Counts how often the Boolean ``b`` becomes true and false."""

INTEGRATORS = [
    {"solver": "cvode"},
    {"mode": "dae"},
    {"solver": "adams"},
    {"solver": "chebyshev"},
    {"solver": "scipy"},
    {"solver": "sundae"},
]


def run(
    relation: str, *equations: object, stop: float = 1.0, options: dict[str, str] | None = None, **entries: object
) -> Result:
    """What is counted of a relation."""
    model = COUNTED | Model(b=Var(relation, type="Boolean"), equations=list(equations), **entries)
    return instantiate(model).simulate(stop, **options or {})


def counts(result: Result) -> tuple[int, int, int, int]:
    """How often it became true, became false, changed, had a rising edge."""
    return tuple(int(result[name][-1]) for name in ("ups", "downs", "changes", "edges"))  # type: ignore[return-value]


def at(result: Result, name: str, time: float) -> list[float]:
    """All values of a signal at a time [s], in their order."""
    return result[name][result.time == time].tolist()


TABLE = [
    # relation, slope of x - y, value by its operands, value a moment later
    ("x > y", 1, 0, 1),
    ("x > y", -1, 0, 0),
    ("x >= y", 1, 1, 1),
    ("x >= y", -1, 1, 0),
    ("x < y", 1, 0, 0),
    ("x < y", -1, 0, 1),
    ("x <= y", 1, 1, 0),
    ("x <= y", -1, 1, 1),
    ("positive(x - y)", 1, 0, 1),
    ("not (y < x)", 1, 1, 0),
]


@pytest.mark.parametrize(("relation", "slope", "first", "then"), TABLE)
def test_at_the_start(relation: str, slope: int, first: int, then: int) -> None:
    changes = first != then
    result = run(relation, f"der(x) = {1 + slope}", "der(y) = 1", x=Var(init=2.0), y=Var(init=2.0))
    assert at(result, "b", 0.0) == [first] + [then] * changes
    assert set(result["b"][result.time > 0.0]) == {then}
    assert counts(result) == (changes and then, changes and not then, changes, changes and then)
    assert result.statistics["events_by_kind"] == ({"state": 1} if changes else {})


@pytest.mark.parametrize(("relation", "slope", "first", "then"), TABLE)
@pytest.mark.parametrize("x", [1.0, 3.0])
def test_where_an_event_puts_them(relation: str, slope: int, first: int, then: int, x: float) -> None:
    """``x`` becomes exactly ``y``; before, the relation had the value of ``x`` there."""
    entries = {"x": Var(init=x), "y": Var(init=2.0), "s": Var(init=0.0)}
    rule = When("after(0.5)", ["reinit(x, y)", f"s = {slope}"])
    result = run(relation, "der(x) = s", "der(y) = 0", rule, **entries)
    before = float((x > 2.0) == (relation in ("x > y", "x >= y", "positive(x - y)")))
    values = [before, first] + [then] * (first != then)
    assert at(result, "b", 0.5) == values
    steps = np.diff(values)
    assert counts(result) == ((steps > 0).sum(), (steps < 0).sum(), (steps != 0).sum(), (steps > 0).sum())


@pytest.mark.parametrize(
    ("relation", "first", "then"),
    [
        ("time > 0", 0, 1),
        ("time >= 0", 1, 1),
        ("time < 0", 0, 0),
        ("time <= 0", 1, 0),
        ("2 - 3*time < 2", 0, 1),
        ("2 - 3*time <= 2", 1, 1),
        ("2 - 3*time > 2", 0, 0),
        ("2 - 3*time >= 2", 1, 0),
        ("after(0)", 1, 1),
        ("time**2 > 0", 0, 1),
        ("1 - cos(time) > 0", 0, 1),
        ("sin(time) <= 0", 1, 0),
    ],
)
def test_relations_of_time_at_the_start(relation: str, first: int, then: int) -> None:
    result = run(relation)
    values = result["b"][result.time < 1e-6]
    assert values[[0, -1]].tolist() == [first, then]
    assert counts(result) == (then > first, then < first, then != first, then > first)


def test_a_time_that_becomes_now() -> None:
    """``time > t`` is false at t; where it was true before, that is two changes. Where t is reached by waiting, it is one."""
    rule = When("x > 0.5", ["t = time"])
    result = run("time > t", "der(x) = 1", rule, x=Var(init=0.0), t=Var(init=-1.0))
    assert counts(result) == (1, 1, 2, 1)
    assert result.statistics["events_by_kind"] == {"state": 1, "time": 1}
    waited = run("time > t", x=1.0, t=0.5)
    assert counts(waited) == (1, 0, 1, 1)
    assert waited.statistics["events_by_kind"] == {"time": 1}
    assert at(waited, "b", 0.5) == [0, 1]


@pytest.mark.parametrize("options", INTEGRATORS, ids=lambda options: "-".join(options.values()))
@pytest.mark.parametrize("order", [1, 2, 3])
def test_what_leaves_zero_by_a_higher_derivative(options: dict[str, str], order: int) -> None:
    states = [f"x{k}" for k in range(order)]
    equations = [f"der({x}) = {rate}" for x, rate in zip(states, [*states[1:], "1"], strict=True)]
    result = run("x0 > 0", *equations, options=options, **{x: Var(init=0.0) for x in states})
    assert result["b"][0] == 0.0
    if (order, options.get("solver")) != (3, "chebyshev"):  # the cubic of its first step is negative by rounding at first
        assert counts(result) == (1, 0, 1, 1)
        assert result.statistics["events"] == 1
        assert result.time[np.flatnonzero(result["b"])[0]] < 1e-8
    assert result.time[np.flatnonzero(result["b"])[0]] < 1e-3


@pytest.mark.parametrize("relation", ["x > 0", "x >= 0", "x < 0", "x <= 0", "x - 3*y > 0"])
def test_what_rests_at_zero_makes_no_events(relation: str) -> None:
    result = run(relation, "der(x) = 0", "der(y) = 0", x=Var(init=0.0), y=Var(init=0.0))
    assert set(result["b"]) == {float("=" in relation)}
    assert result.statistics["events"] == 0


def test_what_rests_at_zero_is_let_go_by_an_event() -> None:
    """What goes on with it finds the event before already remembered."""
    rules = [When("after(0.5)", ["u = 1", "n = 7"]), When("b", ["seen = pre(n)"])]
    result = run("x > 0", "der(x) = u", *rules, x=Var(init=0.0), u=Var(init=0.0), n=NUMBER, seen=NUMBER)
    assert at(result, "b", 0.5) == [0, 0, 1]
    assert result["seen"][-1] == 7
    assert counts(result) == (1, 0, 1, 1)


@pytest.mark.parametrize("options", INTEGRATORS[:2], ids=["ode", "dae"])
def test_one_after_the_other(options: dict[str, str]) -> None:
    """Each lets the next one go, and each remembers what those before it have done."""
    n = 5
    rates = ["der(x0) = 1", *(f"der(x{k}) = 1 if x{k - 1} > 0 else 0" for k in range(1, n))]
    rules = [When(f"x{k} > 0", [f"n{k} = pre(n{k}) + 1", f"t{k} = time"]) for k in range(n)]
    entries = {f"x{k}": Var(init=0.0) for k in range(n)} | {f"n{k}": NUMBER for k in range(n)}
    model = Model(equations=rates + rules, **entries, **{f"t{k}": Var(init=-1.0) for k in range(n)})
    result = instantiate(model).simulate(1.0, **options)
    assert [result[f"n{k}"][-1] for k in range(n)] == [1] * n
    assert [result[f"t{k}"][-1] for k in range(n)] == [0.0] * n
    assert [result[f"x{k}"][-1] for k in range(n)] == pytest.approx([1.0] * n, rel=1e-6)
    assert result.statistics["events"] == n


BALL = Model(
    e=0.5,
    h=Var(init=0.0),
    v=Var(init=-2.0),
    n=NUMBER,
    equations=["der(h) = v", "der(v) = -9.81", When("h < 0", ["reinit(v, -e*pre(v))", "n = pre(n) + 1"])],
)


@pytest.mark.parametrize("options", INTEGRATORS, ids=lambda options: "-".join(options.values()))
def test_a_ball_that_begins_on_the_floor_bounces(options: dict[str, str]) -> None:
    """At once, with half of its speed, 1 m/s; the next time after 2/9.81 s, which is one event more, and one as it leaves."""
    result = instantiate(BALL).simulate(0.25, tolerance=1e-8, **options)
    assert result["n"][-1] == 2
    assert at(result, "v", 0.0) == [-2.0, 1.0]
    assert result["h"].min() > -1e-9
    assert result["h"].max() == pytest.approx(0.5 / 9.81, rel=1e-3)


def test_a_ball_that_is_thrown_from_the_floor() -> None:
    result = instantiate(BALL).simulate(0.3, merge=Map(v=Var(init=1.0)))
    assert result["n"].max() == 1
    assert result.time[np.flatnonzero(result["n"])[0]] == pytest.approx(2.0 / 9.81, abs=1e-6)


@pytest.mark.parametrize("relation", ["h < 0", "h <= 0"])
def test_bounces_that_end_exactly_at_zero_are_one_event_each(relation: str) -> None:
    rule = When(relation, ["reinit(h, 0)", "reinit(v, -0.9*pre(v))", "n = pre(n) + 1"])
    model = Model(h=Var(init=1.0), v=Var(init=0.0), n=NUMBER, equations=["der(h) = v", "der(v) = -9.81", rule])
    result = instantiate(model).simulate(3.0)
    assert result["n"][-1] == 4
    assert result.statistics["events"] == 4


def test_a_counter_that_begins_anew_at_zero() -> None:
    rule = When("x >= 0.1", ["reinit(x, 0)", "n = pre(n) + 1"])
    result = instantiate(Model(x=Var(init=0.0), n=NUMBER, equations=["der(x) = 1", rule])).simulate(1.05)
    assert (result["n"][-1], result.statistics["events"]) == (10, 10)


@pytest.mark.parametrize(("slope", "floors", "ceils"), [(1, [1], [1, 2]), (-1, [1, 0], [1])])
@pytest.mark.parametrize("of", ["x", "1 + s*time"])
def test_rounding_of_a_whole_number(slope: int, floors: list[int], ceils: list[int], of: str) -> None:
    model = Model(
        s=slope,
        x=Var(init=1.0),
        low=Var(f"floor({of})", type="Integer", init=1),
        high=Var(f"ceil({of})", type="Integer", init=1),
        n=NUMBER,
        equations=["der(x) = s", When("change(low)", ["n = pre(n) + 1"])],
    )
    result = instantiate(model if of == "x" else model | Model(equations=[])).simulate(0.5)
    assert list(dict.fromkeys(result["low"])) == floors
    assert list(dict.fromkeys(result["high"])) == ceils
    assert result["n"][-1] == len(floors) - 1


def test_a_structure_that_begins_there() -> None:
    """Two diodes at a source that begins at zero: each conducts half of the time, the first one from the beginning on."""
    diode = "{0} = s{0} if s{0} > 0 else 0"
    equations = [diode.format("i"), diode.format("j"), "si = sin(time)", "sj = -si", "der(q) = i", "der(p) = j"]
    model = Model(**{name: Var() for name in ("i", "j", "si", "sj")}, q=Var(init=0.0), p=Var(init=0.0), equations=equations)
    result = instantiate(model).simulate(2.0 * math.pi, tolerance=1e-8)
    assert [result["q"][-1], result["p"][-1]] == pytest.approx([2.0, 2.0], rel=1e-5)


def test_an_assertion_holds_by_its_operands() -> None:
    model = Model(x=Var(init=0.0), equations=["der(x) = 1"])
    with pytest.raises(SimulationError, match=r"at time 0 s .*not there.*x = 0\.0"):
        instantiate(model | Model(equations=[Assert("x > 0", "not there")])).simulate(1.0)
    assert instantiate(model | Model(equations=[Assert("x >= 0", "not there")])).simulate(1.0).status == "finished"


def test_what_is_driven_back_to_zero_is_refused() -> None:
    model = Model(x=Var(init=0.0), equations=["der(x) = -1 if x > 0 else 1"])
    with pytest.raises(SimulationError, match=r"x > 0.*hysteresis"):
        instantiate(model).simulate(1.0)


def test_events_at_zero_that_make_each_other_never_end() -> None:
    """Each puts what the other one waits for back to zero."""
    rules = [When("x > 0", ["reinit(x, 0)", "n = pre(n) + 1"]), When("change(n)", ["reinit(x, 0)"])]
    model = Model(x=Var(init=0.0), n=NUMBER, equations=["der(x) = 1", *rules])
    result = instantiate(model).simulate(1.0)  # the relation stays true at zero until it is left: one edge
    assert result["n"][-1] <= 1
    wild = [
        When("x > 0", ["reinit(y, 0)", "reinit(x, -1)", "a = pre(a) + 1"]),
        When("y > 0", ["reinit(x, 0)", "reinit(y, -1)"]),
    ]
    model = Model(x=Var(init=0.0), y=Var(init=-1.0), a=NUMBER, equations=["der(x) = 1", "der(y) = 1", *wild])
    with pytest.raises(SimulationError, match=r"at one point in time; found [xy] > 0"):
        instantiate(model).simulate(1.0)


@pytest.mark.parametrize("stop", [0.0, 1e-9, 0.3, 0.5, 0.7])
def test_it_goes_on_from_a_snapshot(tmp_path: Path, stop: float) -> None:
    rule = When("after(0.5)", ["reinit(x, 0)"])
    model = COUNTED | Model(x=Var(init=0.0), b=Var("x > 0", type="Boolean"), equations=["der(x) = 1", rule])
    sim = instantiate(model)
    whole = sim.simulate(1.0, interval=0.1)
    sim.simulate(stop, interval=0.1, save=tmp_path / "there")
    sim.restore(tmp_path / "there")
    rest = sim.simulate(1.0)
    assert counts(whole) == counts(rest) == (2, 1, 3, 2)
    assert rest["x"][-1] == whole["x"][-1]
    assert rest.statistics["events"] == whole.statistics["events"]


def test_step_by_step() -> None:
    """An input lets go what rests at zero, as often as it does."""
    model = COUNTED | Model(x=Var(init=0.0), u=Var(input=True), b=Var("x > 0", type="Boolean"), equations=["der(x) = u"])
    with instantiate(model).stepper(1.0) as stepper:
        seen = []
        for u in (0.0, 1.0, 0.0, -2.0, 0.0):
            stepper.inputs["u"] = u
            stepper.step(0.1)
            seen.append((stepper["b"], stepper["ups"], stepper["downs"]))
    assert seen == [(0, 0, 0), (1, 1, 0), (1, 1, 0), (0, 1, 1), (0, 1, 1)]


def test_what_a_user_gets_wrong() -> None:
    with pytest.raises(ModelError, match="'==' compares continuous quantities"):
        run("x == 0", "der(x) = 1", x=Var(init=0.0))
