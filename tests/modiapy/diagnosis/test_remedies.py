"""Remedies say what works: the very model of the message, mended as the message says, runs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from modiapy import Clock, Function, Map, Model, ModelError, SimulationError, Table1D, Var, instantiate
from modiapy.flat import sort_model
from modiapy.symbolic.flattening.flatten import flatten

pytestmark = pytest.mark.white_box

DECAY = Model(x=Var(init=1.0), equations=["der(x) = -x"])


def refusal(make: Any) -> str:
    with pytest.raises(ModelError) as error:
        make()
    return str(error.value)


@pytest.mark.parametrize("name", ["f", "T", "pj", "tim", "level"])
def test_an_undeclared_variable_is_to_be_declared(name: str) -> None:
    model = Model(x=Var(init=1.0), equations=[f"der(x) = -{name}*x", f"{name} = 2"])
    message = refusal(lambda: instantiate(model))
    assert f"{name}=Var()" in message
    assert "'inf'" not in message
    result = instantiate(model | Model({name: Var()})).simulate(1.0)
    assert result["x"][-1] == pytest.approx(math.exp(-2), rel=1e-3)


@pytest.mark.parametrize("change", [0.9, "0.9", Var(0.9)])
def test_a_value_merged_into_a_variable_is_an_initial_value(change: Any) -> None:
    for model, wrap, path in ((DECAY, lambda c: c, "x"), (Model(s=DECAY), lambda c: Map(s=c), "s.x")):
        sim = instantiate(model)
        message = refusal(lambda sim=sim, wrap=wrap: sim.simulate(1.0, merge=wrap(Map(x=change))))
        assert f"'{path}' is a variable: its initial value is x=Var(init=" in message
        assert sim.simulate(1.0, merge=wrap(Map(x=Var(init=0.9))))[path][0] == 0.9


def test_an_init_that_the_model_does_not_have() -> None:
    sim = instantiate(Model(x=Var(start=1.0), equations=["der(x) = -x"]))
    assert "'x' has no init in the model" in refusal(lambda: sim.simulate(1.0, merge=Map(x=Var(init=0.9))))


@pytest.mark.parametrize(
    ("call", "entry"),
    [
        ("sample(v, Clock(0.1))", {"c": Clock(0.1)}),
        ("previous(v, Clock(0.1))", {"c": Clock(0.1)}),
        ("Table1D(v)", {"table": Table1D([[0, 0], [1, 1]])}),
        ("Function(v)", {"f": Function(lambda u: u)}),
    ],
)
def test_objects_are_entries_of_the_model(call: str, entry: dict[str, Any]) -> None:
    name = next(iter(entry))
    assert f"is an entry of the model: {name}=" in refusal(lambda: instantiate(Model(v=Var("time"), y=Var(call))))


def importing(u):
    import cmath

    return u * cmath.pi.real


def counting(u):
    global _count
    _count = u
    return u


def opening(u):
    with open("file") as file:
        return u + len(file.name)


def yielding(u):
    yield u


async def waiting(u):
    return u


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (importing, "'importing' cannot be compiled.* Import at the top of the file"),
        (counting, "'counting' cannot be compiled.* must not change anything outside"),
        (opening, "'opening' cannot be compiled"),
        (yielding, "the Python function of a Function does not return its results; found 'yielding', which yields"),
        (waiting, "the Python function of a Function does not return its results; found 'waiting', which is asynchronous"),
    ],
)
@pytest.mark.parametrize("shapes", [(), "u"])
def test_what_cannot_be_a_function(function: Any, words: str, shapes: Any) -> None:
    argument = "[time, 1]" if shapes else "time"
    model = Model(f=Function(function, shapes=shapes), u=Var(argument), y=Var("f(u)"))
    with pytest.raises((ModelError, SimulationError), match=words):
        instantiate(model).simulate(1.0)


@pytest.mark.parametrize("way", [["i = p.i"], ["j = p.i", "0 = k - j", "-i - k = 0"], ["0 = p.i + i"]])
def test_the_remedy_is_the_same_in_whatever_order_the_equations_stand(way: list[str]) -> None:
    pin = Model(v=Var(potential=True), i=Var(flow=True))
    used = {name: Var() for name in "jk" if len(way) > 1}
    flat = flatten(Model(c=Model(p=pin, i=Var(), **used, equations=[*way, "i = time + 2", "p.v = 1"])))
    for k in range(len(flat.equations)):
        for step in (1, -1):
            turned = replace(flat, equations=[*flat.equations[k:], *flat.equations[:k]][::step])
            assert "Nothing is connected to the connector of 'c.p.i'" in refusal(lambda turned=turned: sort_model(turned))
