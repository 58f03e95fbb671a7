"""Variables that only results need make no events; neither do constants, and equal variables share theirs."""

import numpy as np
import pytest

from modiapy import Map, Model, Var, instantiate
from modiapy.flat import FlatModel, Variable, parse_equation

Swing = Model(
    x=Var(init=1.0),
    v=Var(init=0.0),
    color=Var("1 if x > 0 else 2", observed=True),
    bright=Var("color + floor(3*x)", observed=True),
    size=Var("2 + sin(3*x)", observed=True),
    equations=["der(x) = v", "der(v) = -x"],
)


def test_what_is_only_observed_makes_no_events_and_is_in_the_results():
    sim = instantiate(Swing)
    assert not sim.sorted.indicators
    result = sim.simulate(10.0, tolerance=1e-9)
    x = result["x"]
    assert np.ptp(x) > 1.9
    np.testing.assert_array_equal(result["color"], np.where(x > 0, 1.0, 2.0))
    np.testing.assert_array_equal(result["bright"], result["color"] + np.floor(3 * x))
    np.testing.assert_allclose(result["size"], 2 + np.sin(3 * x), rtol=1e-14)
    assert result.statistics["events"] == 0


def test_observed_variables_are_evaluated_for_results_only():
    plain = instantiate(Swing | Map(color=Map(observed=False), bright=Map(observed=False)))
    assert len(plain.sorted.indicators) > 1
    sim = instantiate(Swing)
    assert [block.variable for block in sim.sorted.blocks][-3:] == ["color", "size", "bright"]
    assert {"color", "bright", "size"} <= set(sim.sorted.unknowns)


def test_an_observed_variable_that_an_equation_needs_is_like_any_other():
    sim = instantiate(Swing | Model(y=Var(init=0.0), equations=["der(y) = bright"]))
    assert len(sim.sorted.indicators) >= 3
    result = sim.simulate(5.0, tolerance=1e-9)
    assert result.statistics["events"] > 3
    assert result["y"][-1] != 0.0


@pytest.mark.parametrize(
    "extra",
    [
        Model(a=Var("der(s)", observed=True), s=Var("sin(x)")),  # needs a derivative that nothing else needs
        Model(a=Var("cos(x)*v + 0*b", observed=True), b=Var("a", observed=True)),  # an alias of it
        Model(a=Var("c/2 + cos(x)*v/2", observed=True), c=Var("a", observed=True)),  # needs itself
        Model(a=Var("p - q", observed=True), p=Var("q + cos(x)*v", observed=True), q=Var("p*0 + 1", observed=True)),
    ],
)
def test_what_observed_variables_need_is_computed(extra):
    result = instantiate(Swing | extra).simulate(2.0, tolerance=1e-10)
    np.testing.assert_allclose(result["a"], np.cos(result["x"]) * result["v"], atol=1e-7)


def test_arrays_may_be_observed():
    vector = Model(r=Var("[x, v, 1]", observed=True), n=Var("r @ r", observed=True))
    result = instantiate(Swing | vector).simulate(1.0, tolerance=1e-9)
    np.testing.assert_allclose(result["n"], result["x"] ** 2 + result["v"] ** 2 + 1, rtol=1e-14)
    np.testing.assert_array_equal(result["r"][:, 1], result["v"])


def test_observed_variables_of_a_flat_model_leave_initial_values_and_memory_alone():
    texts = ["der(x) = -x", "u = x + 1", "w = 1 if u > 1.5 else 0", "z = w + pre(k)", "k = pre(k)"]
    variables = {n: Variable(n, observed=n in "uwz", type="Integer" if n == "k" else "Real") for n in "xuwzk"}
    variables |= {"x": Variable("x"), "k": Variable("k", type="Integer", init=3.0)}
    flat = FlatModel("Observed", variables, {}, [*map(parse_equation, texts)], initial_equations=[parse_equation("x*x = 4")])
    flat.variables["x"] = Variable("x", start=1.0)
    result = instantiate(flat).simulate(2.0, tolerance=1e-9)
    assert result["x"][0] == pytest.approx(2.0)
    np.testing.assert_array_equal(result["z"], 3.0 + (result["x"] > 0.5))
    assert not instantiate(flat).sorted.indicators


def test_relations_of_constants_and_of_equal_variables():
    model = Model(
        p=2.0,
        c=Var("p*3"),
        d=Var("c - 1"),
        n=Var("0.5 + 0.25"),
        x=Var(init=1.0),
        y=Var("x"),
        z=Var("-y"),
        f=Var("10 if d > 4 else 20"),
        g=Var("1 if n > 0.5 else 2"),
        h=Var("1 if x > n else 0"),
        i=Var("3 if y > 0.75 else 1"),
        j=Var("5 if -z > n else 7"),
        equations=["der(x) = -x"],
    )
    sim = instantiate(model)
    assert len(sim.sorted.indicators) == 1
    result = sim.simulate(1.0, tolerance=1e-9)
    above = result["x"] > 0.75
    assert (result["f"] == 10).all()
    assert (result["g"] == 1).all()
    for name, yes, no in (("h", 1, 0), ("i", 3, 1), ("j", 5, 7)):
        assert {result[name][0], result[name][-1]} == {yes, no}
        assert np.count_nonzero(result[name] != np.where(above, yes, no)) <= 1  # at the event itself
    assert result.statistics["events"] == 1
    assert (sim.simulate(1.0, merge=Map(p=1.0))["f"] == 20).all()
