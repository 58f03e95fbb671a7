"""Quantities of a simulation beside their closed forms: x = cos(t), v = -sin(t)."""

import itertools
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.batch import Expectation
from modia3d.files import read_scenario
from modiapy import Model, ModelError, Result, Var, When, instantiate
from modiapy.simulation.results.quantities import Quantity

pytestmark = pytest.mark.white_box

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
    with pytest.raises(ModelError, match="the expectation of a quantity has no value and no bounds"):
        Expectation("q")


@pytest.mark.parametrize(
    ("expected", "found", "text"),
    [
        (Expectation("q", 2.0, tolerance=0.1, relative=0.1), 2.19, ""),  # the larger one counts, 0.2
        (Expectation("q", -2.0, relative=0.1), -2.21, "q is -2.21, expected -2 within 0.2"),
        (Expectation("q", 2.0, tolerance=0.5, relative=0.1), 1.5, ""),
        (Expectation("q", 2.0), 2.5, "q is 2.5, expected 2"),
        (Expectation("q", math.nan), math.nan, ""),
        (Expectation("q", math.nan), 1.0, "q is 1, expected nan"),
        (Expectation("q", 1.0, tolerance=9.0), math.nan, "q is nan, expected 1 within 9"),
        (Expectation("q", math.inf), math.inf, ""),
        (Expectation("q", at_least=1.0, at_most=2.0), 0.5, "q is 0.5, expected at least 1"),
        (Expectation("q", at_least=1.0, at_most=2.0), math.nan, "q is nan, expected at least 1 and at most 2"),
        (Expectation("q", at_least=1.0, at_most=1.0), 1.0, ""),
        (Expectation("q", 1.0, at_least=2.0), 1.0, "q is 1, expected at least 2"),
        (Expectation("q", 1.0), "open", "q is 'open', expected 1.0"),
    ],
)
def test_what_is_not_as_expected_is_told(expected: Expectation, found: Any, text: str) -> None:
    assert expected.unmet(found) == text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"value": "open", "tolerance": 0.1}, "a tolerance is given for an expectation that is not a number; found 'open'"),
        ({"at_least": 1.0, "relative": 0.1}, "a tolerance is given for an expectation that is not a number; found None"),
        ({"value": 1.0, "tolerance": -0.1}, "tolerance is wrong; found -0.1; expected 0 or more"),
        ({"value": 1.0, "relative": math.nan}, "relative is wrong; found nan; expected 0 or more"),
    ],
)
def test_expectations_that_cannot_be_meant_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=f"q: {message}"):
        Expectation("q", **given)


@dataclass
class Stored:
    """A result of one signal ``x`` at given points, linear between them; an event has two points."""

    time: np.ndarray
    x: np.ndarray

    def __contains__(self, name: object) -> bool:
        return name == "x"

    def __getitem__(self, name: str) -> np.ndarray:
        return {"x": self.x}[name]


@st.composite
def stored(draw: st.DrawFn) -> Stored:
    """With events, and with stretches where the signal does not exist."""
    steps = draw(st.lists(st.sampled_from([0, 1, 1, 2, 3]), min_size=1, max_size=7))
    time = np.cumsum([draw(st.integers(0, 3)), *steps]) / 8.0
    values = st.lists(st.integers(-8, 8) | st.just(math.nan), min_size=time.size, max_size=time.size)
    return Stored(time, np.array(draw(values)) / 4.0)


def same(found: Any, expected: float) -> bool:
    return math.isnan(found) if math.isnan(expected) else found == pytest.approx(expected, abs=1e-12)


@settings(max_examples=50)
@given(result=stored(), moment=st.integers(-1, 20), level=st.integers(-8, 8))
def test_reductions_are_what_their_definitions_say(result: Any, moment: int, level: int) -> None:
    t, x = result.time.tolist(), result.x.tolist()
    lines = [(*times, *values) for times, values in zip(itertools.pairwise(t), itertools.pairwise(x), strict=True)]
    there = [x for x in x if not math.isnan(x)]
    whole = [(a, b, p, q) for a, b, p, q in lines if not math.isnan(p + q)]
    area, length = sum(0.5 * (b - a) * (p + q) for a, b, p, q in whole), sum(b - a for a, b, *_ in whole)
    expected = {
        "start": x[0],
        "final": x[-1],
        "maximum": max(there, default=math.nan),
        "minimum": min(there, default=math.nan),
        "integral": area,
        "mean": area / length if length else x[-1],
    }
    for name, value in expected.items():
        assert same(Quantity(f"{name}(x)").value(result), value), name

    high = [value > level / 4.0 for value in x]
    assert Quantity(f"count(x > {level / 4.0})").value(result) == sum(
        b and not a for a, b in itertools.pairwise([False, *high])
    )
    first = next((k for k, true in enumerate(high) if true), None)
    when = math.nan if first is None else t[first]
    if first and t[first] > t[first - 1] and not math.isnan(x[first - 1]):
        a, b, p, q = lines[first - 1]
        when = a + (level / 4.0 - p) / (q - p) * (b - a)
    assert same(Quantity(f"event_time(x > {level / 4.0})").value(result), when)
    assert same(Quantity(f"event_time(-x < {-level / 4.0})").value(result), when)

    true = [value != 0.0 and not math.isnan(value) for value in x]
    assert Quantity("count(x)").value(result) == sum(b and not a for a, b in itertools.pairwise([False, *true]))
    assert same(Quantity("event_time(x)").value(result), next((t for t, holds in zip(t, true, strict=True) if holds), math.nan))

    at = moment / 16.0
    value = math.nan
    for a, b, p, q in lines:
        if a <= at < b:
            value = p if at == a else p + (at - a) / (b - a) * (q - p)
    if at == t[-1]:
        value = x[-1]
    assert same(Quantity(f"at(x, {at})").value(result), value)


def test_at_an_event_is_the_value_after_all_that_happens_there() -> None:
    result: Any = Stored(np.array([0.0, 1.0, 1.0, 1.0, 2.0, 2.0]), np.array([0.0, 1.0, 5.0, 3.0, 4.0, 7.0]))
    for time, value in ((0.0, 0.0), (0.5, 0.5), (1.0, 3.0), (1.5, 3.5), (2.0, 7.0)):
        assert Quantity(f"at(x, {time})").value(result) == value


@pytest.mark.parametrize("signal", ["r", "rows[1].links[0].r"])
def test_elements_of_what_components_tell_are_found_whatever_stands_before_them(signal: str) -> None:
    """Of a vector and a matrix, also within submodels that are arrays."""
    signals = {signal: np.array([[1.0, 2.0, 4.0], [3.0, 7.0, 5.0]]), f"{signal}.R": np.arange(8.0).reshape(2, 2, 2)}

    class Given(Stored):
        def __contains__(self, name: object) -> bool:
            return name in signals

        def __getitem__(self, name: str) -> np.ndarray:
            if name not in signals:
                raise ModelError(f"there is no {name}")
            return signals[name]

    result: Any = Given(np.array([0.0, 1.0]), np.zeros(2))
    assert [Quantity(f"final({signal}[{k}])").value(result) for k in range(3)] == [3.0, 7.0, 5.0]
    assert Quantity(f"start({signal}.R[1,0]) + final({signal}.R[0,1])").value(result) == 2.0 + 5.0
    for wrong, found in ((f"{signal}[3]", f"{signal}[3]"), (f"{signal}.R[0]", "shape (2,)"), (f"{signal}.R[0,0,0]", "[0,0,0]")):
        with pytest.raises(ModelError) as caught:
            Quantity(f"final({wrong})").value(result)
        assert found in str(caught.value)


def test_what_is_asked_of_the_result_as_a_whole() -> None:
    """With a signal of the same name as a constant, and one that a factor shadows."""
    model = Model(
        x=Var(init=0.0), pi=Var("7*time"), equations=["der(x) = 1 if x > 0.25 else 2", When("x > 1", ["terminate('up')"])]
    )
    result = instantiate(model).simulate(3.0, interval=0.5)
    assert Quantity("terminated()").value(result) == "up"
    for text, value in (
        ("end_time()", 0.875),
        ("events()", 2.0),
        ("steps() - 1", result.statistics["steps"] - 1.0),
        ("contacts()", 0.0),
        ("final(pi)", 6.125),
        ("pi", math.pi),
        ("final(k*time)", 1.75),
        ("k", 2.0),
        ("at(x, k/16)", 0.25),
    ):
        assert Quantity(text, ("k",)).value(result, {"k": 2.0}) == pytest.approx(value, rel=1e-9), text
