"""terminate, list bindings, values in force, printing, what a constructor refuses, clocks that tick too often."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Clock, Map, Model, ModelError, Par, SimulationError, Var, When, check_units, instantiate, redeclare

Ball = Model(h=Var(init=1.0), v=Var(init=0.0), equations=["der(h) = v", "der(v) = -9.81"])


def test_terminate_ends_the_simulation_where_its_condition_becomes_true() -> None:
    result = instantiate(Ball | Model(equations=[When("h < 0", ["terminate('reached the ground')"])])).simulate(5.0)
    assert result.time[-1] == pytest.approx(np.sqrt(2.0 / 9.81), abs=1e-6)
    assert (result.status, result.terminated) == ("finished", "reached the ground")
    assert "reached the ground" in repr(result)
    assert not any("terminate" in name for name in result.signals())


def test_terminate_at_the_initial_event_in_an_elsewhen_and_not_at_all() -> None:
    first = When("h > 2", ["terminate('too high')"], elsewhen=[("initial()", ["terminate('at once')"])])
    result = instantiate(Ball | Model(equations=[first])).simulate(5.0)
    assert (result.time[-1], result.terminated) == (0.0, "at once")
    result = instantiate(Ball | Model(equations=[When("h > 2", ["terminate('too high')"])])).simulate(0.2)
    assert (result.time[-1], result.terminated) == (0.2, "")


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("terminate('x')", "It stands in a when clause"),
        (When("h < 0", ["terminate(h)"]), r"expected terminate\('message'\)"),
        (When("h < 0", ["terminate()"]), "'terminate' .* found 0 arguments"),
        (When("h < 0", ["h = 1"]), r"'h' is set in 'h = 1', but its derivative occurs.*reinit\(h, 1\)"),
    ],
)
def test_mistakes_in_when_clauses(equation: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        instantiate(Ball | Model(equations=[equation]))


def test_a_list_binds_an_array_of_numbers_expressions_and_variables() -> None:
    model = Model(k=3.0, x=Var(init=1.0), y=Var([1, 2.5]), z=Var(["x", "2*k"]), M=Var([["x", 0], [1, "k"]]), w=Var("M@z"))
    result = instantiate(model | Model(equations=["der(x) = -x"])).simulate(1.0)
    np.testing.assert_array_equal(result["y"][-1], [1.0, 2.5])
    x = result["x"][-1]
    np.testing.assert_allclose(result["z"][-1], [x, 6.0])
    np.testing.assert_allclose(result["w"][-1], [x * x, x + 18.0])
    with pytest.raises(
        ModelError, match="y: the binding has no meaning; found None; expected a number, an expression or a list"
    ):
        instantiate(Model(y=Var([1.0, None])))


def test_parameters_and_start_values_in_force() -> None:
    sim = instantiate(Model(k=2.0, sub=Model(p="3*k", x=Var(init="p"), equations=["der(x) = -p*x"])))
    assert (sim.parameter("sub.p"), sim.start("sub.x")) == (6.0, 6.0)
    sim.simulate(0.1, merge=Map(k=4.0))
    assert (sim.parameter("sub.p"), sim.start("sub.x"), sim.parameter("sub")) == (12.0, 12.0, Map(p=12.0))
    with pytest.raises(ModelError, match="q: there is no 'q' to modify; expected one of k, sub"):
        sim.simulate(0.1, merge=Map(q=4.0))
    assert sim.parameter("k") == 4.0  # of the last simulation, which that was not
    sim.simulate(0.1)
    assert sim.evaluated_parameters == Map(k=2.0, sub=Map(p=6.0))


def test_a_simulation_model_prints_what_can_be_changed() -> None:
    text = str(instantiate(Model(k=2.0, u=Var(input=True, start=1.5), x=Var(init=3.0), equations=["der(x) = -k*x + u"]), "Lag"))
    assert text.startswith("Lag: 1 equations, translated in")
    assert [line.strip() for line in text.splitlines()[1:]] == [
        "states:",
        "x = 3.0",
        "inputs:",
        "u = 1.5",
        "parameters:",
        "k = 2.0",
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Model(3), r"a Model takes entries by name; found Model\(3\)"),
        (lambda: Map("R", 3), "a Map takes entries by name"),
        (lambda: Var(1, 2), r"a Var was given several values; found Var\(1, 2\).*Var\(\[1, 2\]\)"),
        (lambda: Par(1, 2), "a Par was given several values"),
        (lambda: Model(x=Var()) | 3, "nothing but a Map, Model, Var or Par can be merged into a Model"),
        (lambda: When("x > 0"), "the equations are not a list"),
        (lambda: redeclare(Map(x=1)), "A Map alone changes values"),
    ],
)
def test_wrong_arguments_of_constructors(make: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()  # type: ignore[operator]


def test_a_model_may_be_made_of_a_mapping() -> None:
    assert Model({"a": 1.0, "b": Var()}, c=2.0) == Model(a=1.0, b=Var(), c=2.0)


def test_a_clock_that_ticks_all_the_time_is_reported() -> None:
    slow = Model(d=Clock(1.0), m=Var(init=0.0), equations=["m = previous(m) + sample(time, d)"])
    for model, name in (
        (slow | Model(b=Var(type="Boolean"), equations=["b = sample(3, 1e-9)"]), r"sample\(3, 1e-0?9\)"),
        (slow | Model(c=Clock(1e-9, phase=1.0), n=Var(init=0.0), equations=["n = previous(n) + sample(time, c)"]), "c"),
    ):
        message = rf"'{name}' ticks too often; found 1e.09 ticks at distances of 1e-09 s; expected at most 1e.08 ticks"
        with pytest.raises(SimulationError, match=message) as caught:
            instantiate(model).simulate(4.0, start_time=2.0)
        assert caught.value.time == 3.0


def test_a_slow_clock_may_be_made_of_a_fast_one() -> None:
    """Only its own ticks count: two of those that the other one has a billion times a second."""
    model = Model(fast=Clock(1e-9), c=Clock("fast", factor=5 * 10**8), t=Var("time"), y=Var(), equations=["y = sample(t, c)"])
    result = instantiate(model).simulate(1.0)
    assert result["y"][-1] == pytest.approx(1.0)
    assert result.statistics["events_by_kind"] == {"clock": 2}


def test_units_of_a_flat_model() -> None:
    flat = instantiate(Model(x=Var("y", unit="m"), y=Var("time", unit="s"))).flat
    assert len(check_units(flat)) == 1
    with pytest.raises(ModelError, match="the units of the model do not agree"):
        instantiate(flat, check_units=True)


def test_arguments_of_simulate() -> None:
    sim = instantiate(Ball)
    for arguments, message in (
        ({"stop_time": "1"}, "the argument 'stop_time' of simulate is wrong; found '1'; expected a number"),
        ({"stop_time": 1.0, "tolerance": "small"}, "the argument 'tolerance' of simulate is wrong"),
        ({"stop_time": 1.0, "merge": 3}, "the argument 'merge' of simulate is wrong; found 3"),
        ({"stop_time": 1.0, "interval": [1]}, "the argument 'interval' of simulate is wrong"),
    ):
        with pytest.raises(ModelError, match=message):
            sim.simulate(**arguments)  # type: ignore[arg-type]
