"""Values of a wrong kind and expressions without a value are refused with one message, whatever they are given for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest

from modiapy import (
    Assert,
    Clock,
    For,
    Function,
    If,
    Map,
    Model,
    ModelError,
    Par,
    SimulationError,
    Table1D,
    Var,
    When,
    instantiate,
)

Decay = Model(x=Var(init=1.0), equations=["der(x) = -x"])


def identity(u: float) -> float:
    return u


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: If("x > 0", ["y = 1"], elseif=["x < 0"]), "a branch of 'elseif' is not a condition with its equations"),
        (lambda: When("x > 0", ["n = 1"], elsewhen=None), "a branch of 'elsewhen'.*found None"),
        (lambda: When(3, ["n = 1"]), "a condition or an equation is not a text; found 3"),
        (lambda: Assert(True, "x is too small"), "the condition or the message is not a text; found True"),
        (lambda: Assert("x > 0", "x is too small", level=3), "unknown level '3'"),
        (lambda: Decay | Model(equations="y = 1"), "'equations' is not a list; found 'y = 1'"),
        (lambda: Decay | Map({3: 1.0}), "the name of an entry is not a text; found 3"),
    ],
)
def test_what_is_refused_where_it_is_written(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        build()


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (lambda: {"equations": 3}, "'equations' is not a list; found 3"),
        (lambda: {"connect": "a.p, b.p"}, "'connect' is not a list"),
        (lambda: {"initial_equations": ["connect(a.p, b.p)"]}, "cannot stand in 'initial_equations'"),
        (lambda: {"equations": [For("i", 2, ["connect(a.p, b.p)"])]}, r"'a.p' in connect\(a.p, b.p\) leads nowhere"),
        (lambda: {"equations": [For("i", "inf", ["y[i] = 1"])], "y": Var(shape=2)}, "expected an integer of parameters"),
        (lambda: {"y": Var("v[n]"), "v": [1, 2], "n": math.nan}, "found 'n' = nan; expected an integer"),
        (lambda: {"y": Var(shape=math.inf)}, "positive integers"),
        (lambda: {"y": Var("2", type=("on", "on"))}, "different words"),
        (lambda: {"y": Var("2", type=3)}, "type of Var is wrong; found 3"),
        (lambda: {"y": Var("2", state_select=3)}, "state_select of Var is wrong; found 3"),
        (lambda: {"y": Var("2", input=True, output=True)}, "both 'input' and 'output'"),
        (lambda: {"y": Var("2", potential=True, flow=True)}, "both 'potential' and 'flow'"),
        (lambda: {"n": Var("2", type="Integer", init=1.5)}, "n: 'init' is no value of a variable of type Integer; found 1.5"),
        (lambda: {"b": Var("x > 0.5", type="Boolean", init=2)}, "expected True or False"),
        (lambda: {"p": Par("PI", choices="PI")}, "the choices of the parameter are not a list"),
        (lambda: {"p": Par(1.0, min=[0, 1])}, "p.min: a limit of the parameter is not a number"),
        (lambda: {"p": 10**400}, "p: the number is too large"),
        (
            lambda: {"p": "zeros(2000, 1001)"},
            r"zeros\(2000, 1001\)' is too large; found 2000 x 1001 elements; expected at",
        ),
        (lambda: {"p": "10**400"}, "'10[*][*]400' has no value"),
        (lambda: {"p": "edge(1)"}, r"'edge\(...\)' cannot stand in a parameter"),
        (lambda: {"p": [[1, 2], [3]], "y": Var("p[1, 1]")}, r"there is no element \[1,1\]"),
        (lambda: {"p": "time"}, "'time' cannot be used in 'time'; expected a parameter of this model or of an enclosing one$"),
        (lambda: {"\u00b5": 1.0}, "is read as '\u03bc' in expressions"),
        (lambda: {"sum": Function(identity)}, "'sum' is a function of the language"),
        (lambda: {"f": Function(identity, outputs=1.5)}, "has no result; found outputs=1.5"),
        (lambda: {"f": Function(identity, inverse=identity)}, "functions by the name of their argument"),
        (lambda: {"c": Clock([1, 2])}, r"Clock: the interval is wrong; found \[1, 2\]"),
        (lambda: {"c": Clock(0.1, factor=math.inf)}, "Clock: the factor is wrong; found inf"),
        (lambda: {"f": Table1D()}, "f: Table1D needs a value for 'data'"),
    ],
)
def test_what_is_refused_when_the_model_is_made(entries: Callable[[], dict[str, object]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        instantiate(Decay | Model(entries()))


@pytest.mark.parametrize("value", ["1/p", "log(p - 1)", "f(p)"])
def test_a_constant_without_value_names_its_equation(value: str) -> None:
    """Translation looks at the values of constants; with these parameters they have none."""
    inverse = Function(lambda u: 1 / u)
    constant = Decay | Model(f=inverse, p=0.0, y=Var(init=1.0), equations=[f"y = {value}"])
    with pytest.raises(ModelError, match=r"y: the initial value contradicts the equations; found init=1\.0; expected nan"):
        instantiate(constant)
    twice = Decay | Model(f=inverse, p=0.0, y=Var(), equations=[f"y = {value}", f"y = 2*{value}"])
    with pytest.raises(ModelError, match="contradicts the equations"):
        instantiate(twice)
    system = [f"a + b*{value} = 1", "a - b = x", "der(z) = a"]
    factor = Decay | Model(f=inverse, p=0.0, a=Var(), b=Var(), z=Var(init=0.0), equations=system)
    with pytest.raises(SimulationError, match=r"'.' cannot be computed from|equations for . are singular"):
        instantiate(factor).simulate(1.0)


def test_powers_without_value_name_their_equation() -> None:
    for power in ("(-8)**(1/3)", "10**400"):
        with pytest.raises(ModelError, match=rf"in ' ?{re.escape(power)}' has no value"):
            instantiate(Model(x=Var(init=1.0), equations=[f"der(x) = {power}"]))
    for power, b in (("(-8*b)**(1/3)", 1.0), ("(10*b)**400", 1.0)):
        with pytest.raises(SimulationError, match=r"'der\(x\)' cannot be computed from 'der\(x\) = .*' \(math"):
            instantiate(Model(x=Var(init=1.0), b=b, equations=[f"der(x) = {power}"])).simulate(1.0)


def test_newton_iteration_where_a_derivative_does_not_exist() -> None:
    """The slope of sqrt(y) is infinite at the start value; there is no solution."""
    model = Decay | Model(y=Var(start=0.0), equations=["sqrt(y) + sin(y) + 5 = x"])
    with pytest.raises(SimulationError, match="no solution was found of the nonlinear equations for y"):
        instantiate(model).simulate(1.0)


def test_an_element_set_twice_at_an_event() -> None:
    when = When("time > 0.5", ["n[0] = 1", "n[-2] = 2"])
    with pytest.raises(ModelError, match=r"'n\[-2\]' is set twice in one branch"):
        instantiate(Model(n=Var(type="Integer", init=[0, 0]), equations=[when]))


def test_what_is_nested_too_deeply() -> None:
    circular = Model(x=Var(init=1.0), equations=["der(x) = -x"])
    circular["inner"] = circular
    with pytest.raises(ModelError, match="the model is nested too deeply"):
        instantiate(circular)


def test_a_product_of_many_factors_is_not_nested_too_deeply() -> None:
    result = instantiate(Decay | Model(y=Var("*".join(["x"] * 900)))).simulate(0.1)
    assert result["y"][-1] == pytest.approx(result["x"][-1] ** 900, rel=1e-12)


def test_index_of_a_signal_that_is_no_array() -> None:
    source = Model(y=Var("time", output=True))
    sink = Model(u=Var(input=True), z=Var("u"))
    with pytest.raises(ModelError, match=r"there is no 'a.y\[0\]'"):
        instantiate(Model(a=source, b=sink, connect=[("a.y[0]", "b.u")]))
