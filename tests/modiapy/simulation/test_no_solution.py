"""Where there is no solution, or no value, the simulation says so: which variable, and when."""

import math
import warnings

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, SimulationError, Var, When, instantiate

X = {"x": Var(init=1.0)}


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize(
    ("init", "equation", "end"),
    [
        (1.0, "der(x) = -1/x", 0.5),
        (0.0, "der(x) = -1/(x - 0.5)", 0.125),
        (1.0, "x*der(x) = -1", 0.5),
        (1.0, "der(x) = -1/x**3", 0.25),
        (1.0, "der(x) = x**2", 1.0),
        (1.0, "der(x) = -x**(-1) + 1e-3*sin(time)", 0.5),
    ],
)
@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_nothing_is_integrated_past_the_end_of_a_solution(mode, init, equation, end, tolerance):
    with pytest.raises(SimulationError) as caught:
        instantiate(Model(x=Var(init=init), equations=[equation])).simulate(3.0, tolerance=tolerance, mode=mode)
    near = 0.3 if tolerance == 1e-2 else 5e-3  # where x is as small as its error
    assert caught.value.time == pytest.approx(end, rel=near)
    assert "x" in str(caught.value)
    assert np.abs(caught.value.result["x"]).max() < max(1.5, 1.0 / tolerance**2)


def test_a_singularity_beside_other_states_and_with_events():
    model = Model(**X, y=Var(init=0.0), u=Var("2 if x > 0.3 else 1"), equations=["der(x) = -u/x", "der(y) = x - y"])
    end = 0.5 * (1.0 - 0.3**2) / 2.0 + 0.5 * 0.3**2
    for tolerance in (1e-3, 1e-5, 1e-7):
        with pytest.raises(SimulationError) as caught:
            instantiate(model).simulate(3.0, tolerance=tolerance)
        assert caught.value.time == pytest.approx(end, rel=0.05)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-7])
def test_steps_that_become_short_and_long_again_are_none_of_these(tolerance):
    """A relaxation oscillation: steps of 100 s follow some of 1e-4 s."""
    model = Model(x=Var(init=2.0), v=Var(init=0.0), equations=["der(x) = v", "der(v) = 1000*(1 - x**2)*v - x"])
    result = instantiate(model).simulate(5000.0, tolerance=tolerance)
    assert np.abs(result["x"]).max() == pytest.approx(2.0, abs=0.01)
    assert np.count_nonzero(np.diff(np.sign(result["x"]))) == 6  # a period takes 1614 s


@pytest.mark.parametrize("solver", ["cvode", "sundae", "scipy"])
@pytest.mark.parametrize("k", [8.97, 9.3, 9.6, 9.9])
def test_integration_that_makes_no_progress_ends(solver, k):
    """x falls to 0.1*k, below which the root does not exist; the order of the steps is 2 and more."""
    model = Model(k=k, x=Var(init=1.0), y=Var(init=0.0), equations=["der(x) = -k*x + y", "der(y) = sqrt(x - 0.1*k)"])
    with pytest.raises(SimulationError) as caught:
        instantiate(model).simulate(10.0, solver=solver)
    late = 0.02 if solver == "scipy" else 0.0  # LSODA goes on with what is not a number until the next output point
    assert caught.value.time == pytest.approx(-math.log(0.1 * k) / k, rel=0.05, abs=late)
    assert caught.value.result.statistics["rhs_evaluations"] < 500_000
    if solver == "cvode":
        assert "sqrt(x - 0.1*k)" in str(caught.value)


def test_a_fast_oscillation_is_progress():
    result = instantiate(Model(x=Var(init=1.0), v=Var(init=0.0), w=1e5, equations=["der(x) = w*v", "der(v) = -w*x"])).simulate(
        0.05, tolerance=1e-5, start_time=0.0
    )
    assert result.status == "finished"
    assert result.statistics["steps"] > 20_000


@pytest.mark.parametrize(
    "text",
    ["0/0", "0*log(-1)", "x*0/0", "0*(1/0)", "x/0", "0*(x/0)", "x - x/(x - x)", "0**(-1)", "(-8)**(1/3)", "1e308*10*x",
     "mod(3, 0)", "rem(x, 0)", "asin(2)", "sqrt(-1)*0", "exp(1000)", "0*inf", "inf - inf"],
)  # fmt: skip
def test_arithmetic_that_is_undefined_is_refused(text):
    for model in (Model(**X, y=Var(text), equations=["der(x) = 1"]), Model(**X, equations=[f"der(x) = 1 + ({text})"])):
        with pytest.raises(ModelError, match="has no value"):
            instantiate(model)


@pytest.mark.parametrize(("text", "p"), [("p/p", 0.0), ("1/p", 0.0), ("sqrt(p)", -1.0), ("log(p)", 0.0), ("p - p", math.inf)])
def test_a_variable_of_parameters_without_a_value_is_an_error(text, p):
    sim = instantiate(Model(**X, p=2.0, y=Var(text + " + 0*p"), z=Var("2*y"), equations=["der(x) = 1"]))
    assert np.isfinite(sim.simulate(1.0)["z"]).all()
    if text != "p - p":
        with pytest.raises(SimulationError, match=r"at time 0 s 'y' cannot be computed.*p = "):
            sim.simulate(1.0, merge=Map(p=p))


def test_an_infinite_parameter_has_a_value():
    result = instantiate(Model(**X, limit=math.inf, y=Var("limit"), z=Var("min(x, limit)"), equations=["der(x) = 1"])).simulate(
        1.0
    )
    assert result["y"][-1] == math.inf
    assert result["z"][-1] == pytest.approx(2.0)


def test_every_reported_variable_that_is_not_finite_is_told_of_once():
    """At the first point, at an event and between them."""
    model = Model(
        x=Var(init=0.0),
        a=Var("log(x)"),
        b=Var("sqrt(0.5 - x)"),
        c=Var("exp(1000*x)"),
        k=Var(init=1.0),
        equations=["der(x) = 1", When("sample(0.1, 0.1)", ["k = pre(k)*1e300"])],
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = instantiate(model).simulate(1.0, interval=0.25)
    assert result.status == "finished"
    told = [str(w.message) for w in caught]
    for name, time in (("a", "0 s"), ("b", "0.6 s"), ("c", "0.75 s"), ("k", "0.2 s")):
        assert sum(f"'{name}'" in text.split("Not finite there:")[1] for text in told) == 1
        assert any(text.startswith(f"at time {time}") and f"'{name}'" in text for text in told), (name, told)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_states_that_are_not_finite_are_named(value):
    with pytest.raises(SimulationError, match=r"at time 0 s the state 'x' is not finite"):
        instantiate(Model(x=Var(init=value), equations=["der(x) = 1"])).simulate(1.0)
    model = Model(**X, y=Var(init=0.0), equations=["der(x) = 1", "der(y) = 1", When("y > 0.5", ["reinit(x, log(-x))"])])
    with pytest.raises(SimulationError, match=r"at time 0\.5\d* s 'x' cannot be computed from 'reinit\(x, log\(-x\)\)'"):
        instantiate(model).simulate(1.0)


def test_overflow_of_a_state_is_an_error():
    with pytest.raises(SimulationError, match=r"the state 'x' is not finite"):
        instantiate(Model(x=Var(init=1e308), equations=["der(x) = 1e308"])).simulate(1.0)
