"""A user's function that raises an exception where an event computes what is remembered: the simulation stops and names it."""

import math

import numpy as np
import pytest

from modiapy import Clock, Function, Model, SimulationError, Var, When, instantiate


def limited(u):
    if u > 0.5:
        raise ValueError("too large")
    return 2.0 * u


def limited_row(u):
    if u[0] > 0.5:
        raise ValueError("too large")
    return 2.0 * u


def counting(*equations, **entries):
    return Model(f=Function(limited), x=Var(init=0.0), equations=["der(x) = 1", *equations]) | Model(**entries)


FAILS = r"at time 0\.7\d* s 'y' cannot be computed from .*f\(x\).*\(ValueError: too large\).*x = 0\.[67]"


@pytest.mark.parametrize("mode", ["ode", "dae"])
@pytest.mark.parametrize(
    ("equations", "variables"),
    [
        ([When("x > 0.7", ["y = f(x)"])], {"y": Var(start=0.0)}),
        ([When("sample(0.1, 0.3)", ["y = pre(y) + f(x)"])], {"y": Var(init=1.0)}),
        ([When("x > 0.2", ["y = 3"], [("x > 0.7", ["y = f(x) + 1"])])], {"y": Var(init=0.0)}),
        (["b = x > 0.7", "y = f(x) if edge(b) else pre(y)"], {"y": Var(init=1.0), "b": Var(type="Boolean")}),
    ],
    ids=["when", "sample", "elsewhen", "memory"],
)
def test_an_exception_at_an_event_stops_the_simulation(equations, variables, mode):
    with pytest.raises(SimulationError, match=FAILS) as caught:
        instantiate(counting(*equations, **variables)).simulate(1.0, mode=mode)
    assert caught.value.time == pytest.approx(0.7, abs=1e-9)
    assert caught.value.result.time[-1] == pytest.approx(0.7, abs=1e-9)


@pytest.mark.parametrize(
    ("equations", "variables", "message"),
    [
        (
            [When("x > 0.7", ["reinit(y, f(x))"])],
            {},
            r"'y' cannot be computed from 'reinit\(y, f\(x\)\)' \(ValueError: too large",
        ),
        ([When("sample(0.1, 0.3)", ["reinit(y, 1 + 2*f(x))"])], {}, r"'reinit\(y, 1 \+ 2\*f\(x\)\)' \(ValueError: too large\)"),
        ([When("x > 0.7", ["reinit(w, f(x)*w)"]), "der(w) = -w"], {"w": Var(init=np.ones(2))}, r"'w' .*reinit\(w, f\(x\)\*w\)"),
        ([When("x > 0.7", ["reinit(y, 1/min(0, x))"])], {}, r"'y' cannot be computed from 'reinit\(y, 1/min\(0, x\)\)'"),
        (
            [When("x > 0.7", ["reinit(y, 1)"], [("f(x) > 3", ["reinit(y, 0)"])])],
            {},
            r"relation 'f\(x\) > 3' .*too large.*x = 0\.[5-7]",
        ),
    ],
    ids=["reinit", "within an expression", "array", "no exception", "relation"],
)
def test_what_a_state_cannot_become_is_told_by_its_equation(equations, variables, message):
    model = counting(*equations, "der(y) = 0", y=Var(init=1.0), **variables)
    with pytest.raises(SimulationError, match=message) as caught:
        instantiate(model).simulate(1.0)
    assert caught.value.time == pytest.approx(0.5 if "relation" in message else 0.7, abs=1e-3)


def test_an_exception_at_the_initial_event_stops_the_simulation():
    model = counting(When("initial()", ["y = f(x + 0.8)"]), y=Var(start=0.0))
    with pytest.raises(SimulationError, match=r"at time 0 s 'y' cannot be computed from .*f\(x \+ 0.8\).*ValueError"):
        instantiate(model).simulate(1.0)


def test_an_exception_at_a_tick_of_a_clock_stops_the_simulation():
    model = counting("y = f(sample(x, clock)) + previous(y)", y=Var(init=0.0), clock=Clock(0.3))
    with pytest.raises(SimulationError, match=r"at time 0\.6\d* s .*ValueError: too large"):
        instantiate(model).simulate(1.0)


def test_an_exception_in_a_function_of_arrays_stops_the_simulation():
    model = Model(
        f=Function(limited_row, shapes=["u"]),
        x=Var(init=np.zeros(2)),
        y=Var(init=np.zeros(2)),
        equations=["der(x) = [1, 2]", When("x[0] > 0.7", ["y = f(x)"])],
    )
    with pytest.raises(SimulationError, match=r"at time 0\.7\d* s 'y' cannot be computed.*ValueError: too large"):
        instantiate(model).simulate(1.0)


def test_what_has_no_value_without_an_exception_is_told_and_nothing_else():
    """Of a variable on which no state depends, as without events; and a function that succeeds changes nothing."""
    model = counting(When("x > 0.7", ["y = log(-x)", "z = f(x/2)"]), y=Var(init=1.0), z=Var(init=1.0))
    with pytest.warns(UserWarning, match=r"at time 0\.7\d* s 'y' cannot be computed"):
        result = instantiate(model).simulate(1.0)
    assert result.status == "finished"
    assert math.isnan(result["y"][-1])
    assert result["z"][-1] == pytest.approx(0.7, abs=1e-9)
