"""Quantities of a simulation beside their closed forms: x = cos(t), v = -sin(t)."""

import math
from pathlib import Path

import pytest

from modia3d.files import read_scenario
from modiapy import Model, Result, Var, instantiate
from modiapy.model.errors import ModelError
from modiapy.simulation.results.expectations import Expectation
from modiapy.simulation.results.quantities import Quantity

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def result() -> Result:
    model = Model(x=Var(init=1.0), v=Var(init=0.0), r=Var(), equations=["der(x) = v", "der(v) = -x", "r = [x, v]"])
    model["r"] = Var(shape=(2,))
    return instantiate(model).simulate(10.0, tolerance=1e-10, interval=1e-3)


@pytest.mark.parametrize(
    ("text", "expected", "tolerance"),
    [
        ("final(x)", math.cos(10.0), 1e-7),
        ("start(x) + start(v)", 1.0, 0.0),
        ("maximum(x) - minimum(v)", 2.0, 1e-6),
        ("integral(x)", math.sin(10.0), 1e-6),
        ("mean(x**2 + v**2)", 1.0, 1e-6),
        ("event_time(x < 0)", math.pi / 2, 1e-6),
        ("event_time(x < 0 and v > 0)", math.pi, 1e-3),
        ("count(x > 0)", 2.0, 0.0),
        ("at(x, pi)", -1.0, 1e-6),
        ("at(2*x, end_time()/2)", 2 * math.cos(5.0), 1e-6),
        ("maximum(sqrt(r[0]**2 + r[1]**2))", 1.0, 1e-6),
        ("abs(final(v))*k", 3.0 * math.sin(10.0 - 3 * math.pi), 1e-6),
        ("segments()", 1.0, 0.0),
        ("1 if final(x) < 0 else 2", 1.0, 0.0),
    ],
)
def test_values(result: Result, text: str, expected: float, tolerance: float) -> None:
    assert Quantity(text, ("k",)).value(result, {"k": 3.0}) == pytest.approx(expected, abs=tolerance, rel=0)


@pytest.mark.parametrize("text", ["event_time(x > 2)", "success()", "at(x, 11)", "final(x)/(start(x) - 1)", "sqrt(minimum(x))"])
def test_what_has_no_value_is_nan(result: Result, text: str) -> None:
    assert math.isnan(Quantity(text).value(result))  # type: ignore[arg-type]


def test_texts(result: Result) -> None:
    assert Quantity("verdict()").value(result) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "at each time.*final"),
        ("max(x)", "maximum"),
        ("finl(x)", "Did you mean 'final'"),
        ("verdict() + 1", "stands alone"),
        ("final(x, 1)", "2 arguments"),
    ],
)
def test_what_is_not_one_value_is_refused(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Quantity(text)


@pytest.mark.parametrize(
    ("text", "message"), [("final(y)", "no signal 'y'"), ("final(r)", "r\\[0\\]"), ("final(r[5])", "element")]
)
def test_what_the_result_has_not_is_refused(result: Result, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Quantity(text).value(result)


def test_a_signal_that_ends_is_seen_as_long_as_it_is_there() -> None:
    scenario = read_scenario(ROOT / "scenarios/two_stage_rocket/two_stage_rocket.yaml")
    rocket = scenario.instantiate().simulate(15.0, tolerance=1e-8)
    assert math.isnan(Quantity("final(stage1.body.r_abs[1])").value(rocket))  # type: ignore[arg-type]
    assert Quantity("event_time(stage1.body.r_abs[1] > 300)").value(rocket) < 10.0  # type: ignore[operator]
    assert Quantity("maximum(stage1.body.r_abs[1])").value(rocket) > 300.0  # type: ignore[operator]


def test_expectations() -> None:
    assert Expectation("q", 1.0, tolerance=0.1).unmet(1.09) == ""
    assert "within 0.1" in Expectation("q", 1.0, tolerance=0.1).unmet(1.11)
    assert Expectation("q", 100.0, relative=1e-2).unmet(101.0) == ""
    assert Expectation("q", at_least=1.0, at_most=2.0).unmet(2.5).endswith("expected at most 2")
    assert Expectation("q", at_least=1.0).unmet(math.nan)
    assert Expectation("q", "open").unmet("shut") == "q is 'shut', expected 'open'"
    assert Expectation("q", 3).unmet(3.0) == ""
    with pytest.raises(ModelError, match="nothing is expected"):
        Expectation("q")
