"""floor, ceil, integer, div, mod, rem, semiLinear, homotopy, min and max of several: values, events, derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, ModelError, Result, SimulationError, Var, When, check_units, instantiate
from modiapy.flat import parse
from modiapy.model.calculus import partial
from modiapy.model.expression import evaluate
from modiapy.symbolic.interpreter.interpreter import interpret

pytestmark = pytest.mark.white_box

NUMBERS = st.floats(-1e6, 1e6).filter(lambda x: x == 0.0 or abs(x) > 1e-6)

MEANING: dict[str, Callable[[float, float], float]] = {
    "floor(x)": lambda x, y: math.floor(x),
    "ceil(x)": lambda x, y: math.ceil(x),
    "integer(x)": lambda x, y: math.floor(x),
    "div(x, y)": lambda x, y: math.trunc(x / y),
    "mod(x, y)": lambda x, y: x - math.floor(x / y) * y,
    "rem(x, y)": lambda x, y: x - math.trunc(x / y) * y,
    "min(x, y, 3)": lambda x, y: min(x, y, 3.0),
    "max(x, y, 0, -x)": lambda x, y: max(x, y, 0.0, -x),
    "semiLinear(x, 2, y)": lambda x, y: (2.0 if x >= 0.0 else y) * x,
    "homotopy(x*y, x)": lambda x, y: x * y,
}
"""Text of an expression -> what Modelica says of it."""

ALL = Model(
    x=Var(input=True, start=1.0),
    y=Var(input=True, start=1.0),
    **{f"z{k}": Var(f"noEvent({text})") for k, text in enumerate(MEANING)},
)


@given(x=NUMBERS, y=NUMBERS.filter(lambda y: y != 0.0))
@example(x=-7.0, y=3.0)
@example(x=6.0, y=-3.0)
@settings(max_examples=200)
def test_values_are_those_of_the_specification(x: float, y: float) -> None:
    for text, meaning in MEANING.items():
        assert evaluate(parse(text), {"x": x, "y": y}) == pytest.approx(meaning(x, y), abs=1e-9 * max(abs(x), abs(y)))


def test_machine_code_and_interpreter_agree_with_a_slow_evaluation() -> None:
    sim = instantiate(ALL)
    rng = np.random.default_rng(3)
    for x, y in [*(rng.normal(size=(20, 2)) * 10.0).tolist(), (3.0, 1.0), (-3.0, 1.0), (-0.5, 7.0), (0.0, -2.0)]:
        result = sim.simulate(0.0, merge=Map(x=Map(start=x), y=Map(start=y)))
        values = interpret(sim.sorted, 0.0, [], {}, inputs={"x": x, "y": y})
        for k, meaning in enumerate(MEANING.values()):
            assert values[f"z{k}"] == pytest.approx(meaning(x, y), abs=1e-12)
            assert result[f"z{k}"][-1] == values[f"z{k}"]


def wave(**entries: object) -> Result:
    """x swings between -2.5 and 2.5."""
    model = Model(x=Var(init=-2.5), v=Var("5*sin(2*time)"), equations=["der(x) = v"]) | Model(**entries)
    return instantiate(model).simulate(6.0, tolerance=1e-9)


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("floor(x)", np.floor),
        ("ceil(x)", np.ceil),
        ("integer(3*x)", lambda x: np.floor(3.0 * x)),
        ("div(x, 0.7)", lambda x: np.trunc(x / 0.7)),
        ("mod(x, 0.7)", lambda x: x - np.floor(x / 0.7) * 0.7),
        ("rem(x, 0.7)", lambda x: np.fmod(x, 0.7)),
        ("noEvent(floor(x))", np.floor),
    ],
)
def test_a_jump_is_an_event_and_nothing_is_wrong_between_events(
    text: str, function: Callable[[np.ndarray], np.ndarray]
) -> None:
    result = wave(y=Var(text))
    sides = [np.abs(result["y"] - function(result["x"] + shift)) for shift in (-1e-7, 0.0, 1e-7)]  # at an event either
    wrong = np.flatnonzero(np.min(sides, axis=0) > 1e-6)
    jumps = np.flatnonzero(np.diff(result.time) == 0.0)  # the point before an event has the value before it
    assert set(wrong) <= set(jumps)
    assert (result.statistics["events"] == 0) == text.startswith("noEvent")


def test_number_of_events_is_the_number_of_integers_that_are_passed() -> None:
    # x = -2.5 cos(2 time) passes -2, -1, 0, 1, 2 in each half swing, of which there are nearly four in 6 s (the last to -2.1)
    assert wave(y=Var("floor(x)")).statistics["events_by_kind"] == {"state": 4 * 5}


def test_what_is_rounded_by_time_has_time_events_at_exact_times() -> None:
    model = Model(n=Var("integer(10*time)", type="Integer"), x=Var(init=0.0), equations=["der(x) = n"])
    result = instantiate(model).simulate(1.0)
    assert result.statistics["events_by_kind"] == {"time": 10}
    assert result["x"][-1] == pytest.approx(sum(0.1 * n for n in range(10)), abs=1e-12)
    assert result["n"][-1] == 10.0


def test_an_integer_jumps_over_several_at_a_reinit() -> None:
    model = Model(x=Var(init=0.5), n=Var("floor(x)"), equations=["der(x) = 1", When("time > 0.2", ["reinit(x, 7.3)"])])
    result = instantiate(model).simulate(1.0)
    assert result["n"][[0, -1]].tolist() == [0.0, 8.0]
    assert result.statistics["events"] == 2


def test_exactly_an_integer_at_the_beginning_in_both_directions() -> None:
    for slope, expected in ((1.0, 2.0), (-1.0, 1.0)):
        model = Model(x=Var(init=2.0), n=Var("floor(x)"), y=Var(init=0.0), equations=[f"der(x) = {slope}", "der(y) = n"])
        assert instantiate(model).simulate(0.5)["y"][-1] == pytest.approx(0.5 * expected, abs=1e-9)


def test_a_quantised_feedback_that_has_a_solution_settles() -> None:
    model = Model(x=Var(init=1.0), equations=["der(x) = -0.5 - floor(x)"])
    assert instantiate(model).simulate(1.0)["x"][-1] == pytest.approx(0.5, abs=1e-6)


def test_derivatives_are_those_between_the_jumps() -> None:
    at = {"x": 2.3, "y": 0.7}
    for text, slope in (("floor(x)", 0.0), ("mod(x, y)", 1.0), ("rem(x, y)", 1.0), ("div(x, y)", 0.0), ("ceil(x)*x", 3.0)):
        assert evaluate(partial(parse(text), "x"), at) == slope
    model = Model(x=Var("time"), d=Var("der(mod(x, 0.3)*x)"))
    result = instantiate(model).simulate(1.0)
    k = int(np.searchsorted(result.time, 0.5))
    assert result["d"][k] == pytest.approx(np.mod(result.time[k], 0.3) + result.time[k], rel=1e-9)


def test_parameters_are_rounded_when_the_model_is_evaluated() -> None:
    model = Model(n=7, half="div(n, 2)", rest="mod(n, 4)", largest="max(n, half, rest, 9)", x=Var("half + rest"))
    assert instantiate(model).evaluated_parameters == Map(n=7, half=3.0, rest=3.0, largest=9.0)


def test_units_of_rounded_values() -> None:
    assert check_units(Model(x=Var("time", unit="s"), y=Var("mod(x, 0.3)", unit="s"), z=Var("floor(x)", unit="m"))) != []
    assert check_units(Model(x=Var("time", unit="s"), p=Var("2*x", unit="s"), y=Var("rem(x, p)", unit="s"))) == []


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"y": Var("mod(time)")}, "'mod' in 'mod.time.' has the wrong number of arguments; found 1 arguments; expected 2"),
        ({"y": Var("max(time)")}, "expected 2 or more"),
        ({"y": Var("time % 2")}, "'time % 2' is not part of the expression language"),
        ({"mod": 3.0}, "mod: 'mod' has a meaning of its own"),
        ({"y": Var("flor(time)")}, "Did you mean 'floor'"),
        ({"x": Var(init=[1.0, 2.0]), "y": Var("floor(x)"), "equations": ["der(x) = -x"]}, "its argument is an array"),
        ({"y": Var("floor(y) + 0.5")}, "'y' is bound to an expression of itself"),
        ({"y": Var(), "equations": ["y = floor(y) + 0.5"]}, "needs? .*present value"),
    ],
)
def test_mistakes_are_named(entries: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        instantiate(Model(**entries))


def test_sign_makes_no_event_and_the_message_about_its_chattering_says_what_helps() -> None:
    assert wave(y=Var("sign(x) + abs(x) + min(x, v, 0)")).statistics["events"] == 0
    with pytest.raises(SimulationError, match=r"'sign' makes no event: .* write a relation"):
        instantiate(Model(x=Var(init=0.01), equations=["der(x) = -sign(x)"])).simulate(0.02, interval=0.02)
