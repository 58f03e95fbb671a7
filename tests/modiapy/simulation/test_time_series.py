"""Time series: what a model sees of them is what they say; several at once; what is refused, and where it is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from modiapy import Model, ModelError, SimulationModel, TimeSeries, Var, instantiate
from modiapy.model.tables import Interpolation

pytestmark = pytest.mark.white_box

TIMES = np.array([-1.0, 0.3, 0.7, 1.6, 2.2])
JUMPS = np.array([-1.0, 0.3, 0.3, 1.6, 1.6])


@pytest.fixture(scope="module")
def two() -> SimulationModel:
    model = Model(u=Var(input=True), w=Var(input=True, start=[0.0, 0.0]), x=Var(init=0.0), y=Var(init=[0.0, 0.0]))
    return instantiate(model | Model(equations=["der(x) = u", "der(y) = w"]))


@pytest.fixture(scope="module")
def typed() -> SimulationModel:
    model = Model(on=Var(input=True, type="Boolean"), n=Var(input=True, type="Integer"), x=Var(init=0.0))
    return instantiate(model | Model(equations=["der(x) = n*(1 if on else 0)"]))


@pytest.mark.parametrize(
    ("times", "interpolation"),
    [(TIMES, "linear"), (JUMPS, "linear"), (TIMES, "constant"), (JUMPS, "constant"), (TIMES, "akima"), (TIMES, "monotone")],
)
def test_a_model_sees_what_the_series_says(two: SimulationModel, times: np.ndarray, interpolation: Interpolation) -> None:
    """At each point; where it jumps what it was before, then what it is from then on."""
    rng = np.random.default_rng(5)
    series = TimeSeries(times, rng.normal(size=5), interpolation), TimeSeries(times, rng.normal(size=(5, 2)), interpolation)
    result = two.simulate(3.0, inputs=dict(zip("uw", series, strict=True)), interval=0.05)
    t = result.time
    after = np.append(np.diff(t) > 0.0, True)
    before = ~after
    inside = np.isin(times, t[before])
    assert sorted(t[before]) == ([] if interpolation in ("akima", "monotone") else sorted(set(times[inside])))
    assert inside.any() == (interpolation == "constant" or times is JUMPS)
    for name, one in zip("uw", series, strict=True):
        assert result[name][after] == pytest.approx(np.array([one.at(s) for s in t[after]]), abs=1e-14)
        left = np.array([one.at(np.nextafter(s, -1.0)) for s in t[before]]).reshape(result[name][before].shape)
        assert result[name][before] == pytest.approx(left, abs=1e-12)
    for value, slope in ((series[0].at(-5.0), series[0].values[0]), (series[0].at(9.0), series[0].values[-1])):
        assert value == slope


STEPS = {
    "u": TimeSeries([0.0, 0.5, 1.5], [1.0, 2.0, 4.0], "constant"),
    "w": TimeSeries([0.0, 1.0, 1.5, 2.0], [[0.0, 1.0], [3.0, 1.0], [3.0, 5.0], [0.0, 0.0]], "constant"),
}


def test_inputs_jump_each_at_its_own_times(two: SimulationModel) -> None:
    result = two.simulate(3.0, inputs=STEPS, interval=0.25)
    assert sorted(set(result.time[:-1][np.diff(result.time) == 0.0])) == [0.5, 1.0, 1.5, 2.0]
    assert result.statistics["events_by_kind"] == {"time": 4}
    assert result["x"][-1] == pytest.approx(0.5 + 2.0 + 6.0, abs=1e-9)
    assert result["y"][-1] == pytest.approx([3.0, 1.5 + 2.5], abs=1e-9)


@pytest.mark.parametrize("name", ["u", "w"])
def test_one_that_is_set_jumps_no_more_and_the_other_as_before(two: SimulationModel, name: str, tmp_path: Any) -> None:
    """Also where the simulation goes on from what was saved after that."""
    value = {"u": 7.0, "w": [7.0, -1.0]}[name]
    with two.stepper(3.0, inputs=STEPS, interval=0.25) as stepper:
        stepper.step(until=0.75)
        stepper.inputs[name] = value
        stepper.step(until=1.75)
        two.save(tmp_path / "then")
        result = stepper.finish()
    events = {0.5, 0.75} | ({1.0, 1.5, 2.0} if name == "u" else {1.5})
    assert set(result.time[:-1][np.diff(result.time) == 0.0]) == events
    assert np.all(result[name][result.time > 0.75] == value)
    assert two.restore(tmp_path / "then") == 1.5
    rest = two.simulate(3.0)
    plain = two.simulate(3.0, inputs=STEPS)
    for signal, end in (("x", 0.5 + 0.5 + 2.25 * 7.0), ("y", [2.25 * 7.0, 0.75 - 2.25])):
        expected = pytest.approx(end, abs=1e-9)
        for found in (result, rest):
            assert found[signal][-1] == (expected if signal == {"u": "x", "w": "y"}[name] else pytest.approx(plain[signal][-1]))


def test_the_beginning_has_the_values_of_its_time() -> None:
    """In initial equations, whatever the first time of the series is; where it jumps there, those after the jump."""
    model = Model(u=Var(input=True), w=Var(input=True, start=[0.0, 0.0]), x=Var(start=0.0), y=Var(start=[0.0, 0.0]))
    sim = instantiate(
        model | Model(equations=["der(x) = u - x", "der(y) = w - y"], initial_equations=["der(x) = 0", "der(y) = [0, 0]"])
    )
    for u, w, time in (
        (TimeSeries(TIMES, TIMES**2), TimeSeries(TIMES, np.stack([TIMES, 1.0 - TIMES], axis=1), "akima"), 0.55),
        (TimeSeries(JUMPS, [0.0, 1.0, 5.0, 6.0, 2.0]), TimeSeries([0.0, 0.3], [[0.0, 0.0], [1.0, 8.0]], "constant"), 0.3),
        (TimeSeries(TIMES, TIMES, "monotone"), TimeSeries([1.0], [[4.0, -2.0]]), -3.0),
    ):
        result = sim.simulate(time + 0.1, start_time=time, inputs={"u": u, "w": w})
        assert result["x"][0] == pytest.approx(u.at(time), rel=1e-9)
        assert result["y"][0] == pytest.approx(w.at(time), rel=1e-9)
        assert result["u"][0] == pytest.approx(u.at(time), rel=1e-12)


def test_truth_values_and_whole_numbers(typed: SimulationModel) -> None:
    import pandas as pd

    n = pd.Series([1, 4], index=pd.to_timedelta([0.0, 1.0], unit="s"))
    for on in (True, 1, ([0.0], [True]), TimeSeries([0.0], [1.0])):
        assert typed.simulate(2.0, inputs={"on": on, "n": n})["x"][-1] == pytest.approx(5.0, abs=1e-6)
    on_then = (np.array([0, 1500], dtype="timedelta64[ms]"), [False, True])
    result = typed.simulate(2.0, inputs={"on": on_then, "n": 2})
    assert result["x"][-1] == pytest.approx(1.0, abs=1e-6)
    assert result.statistics["events_by_kind"] == {"time": 1}


@pytest.mark.parametrize(
    ("inputs", "path", "found", "expected"),
    [
        ({"n": 1.5}, "n", "1.5", "whole numbers"),
        ({"n": ([0.0, 1.0, 2.0], [1, 2.5, 0.5])}, "n", "2.5", "whole numbers"),
        ({"n": 1, "on": 2}, "on", "2.0", "0 or 1 (false or true)"),
        ({"on": ([0.0, 1.0, 2.0], [0, -1, 0.5])}, "on", "0.5", "0 or 1 (false or true)"),
        ({"on": ([0.0, 1.0, 2.0], [0, -1, 5])}, "on", "-1.0", "0 or 1 (false or true)"),
        ({"n": TimeSeries([0.0, 1.0], [1, 2])}, "n", "interpolation='linear'", 'interpolation="constant"'),
        ({"n": ([0.0, 1.0], [[1, 2], [3, 4]])}, "n", "values of shape (2, 2)", "(n,): the input is a number"),
        ({"n": [[1, 2, 3]] * 50}, "n", repr([[1, 2, 3]] * 50)[:77] + "...", None),
        ({"m": 1}, "m", "", "one of on, n"),
    ],
)
def test_what_does_not_fit_an_input_is_told(
    typed: SimulationModel, inputs: Any, path: str, found: str, expected: str | None
) -> None:
    with pytest.raises(ModelError) as caught:
        typed.simulate(3.0, inputs=inputs)
    assert (caught.value.path, caught.value.found) == (path, found)
    assert expected is None or caught.value.expected == expected


def test_an_array_is_given_by_a_number_an_array_or_arrays_over_time(two: SimulationModel) -> None:
    for given, end in ((2.0, [2.0, 2.0]), (np.array([1.0, 3.0]), [1.0, 3.0]), (([0.0, 1.0], [[0, 4], [2, 4]]), [1.0, 4.0])):
        assert two.simulate(1.0, inputs={"w": given})["y"][-1] == pytest.approx(end, abs=1e-6)
    with pytest.raises(ModelError) as caught:
        two.simulate(1.0, inputs={"u": 1.0, "w": ([0.0, 1.0], [1.0, 2.0])})
    assert (caught.value.path, caught.value.found, caught.value.expected) == ("w", "values of shape (2,)", "(n, 2)")


@pytest.mark.parametrize(("begin", "end"), [(0.0, 2.0), (0.5, 3.0), (0.5, 2.0)])
def test_each_series_that_must_not_be_left_is_kept_within(two: SimulationModel, begin: float, end: float) -> None:
    """But for rounding; the others may be left."""
    w = TimeSeries([0.5, 2.0], np.ones((2, 2)), extrapolation="error")
    inputs = {"u": TimeSeries([1.0, 1.5], [0.0, 1.0]), "w": w}
    if (begin, end) == (0.5, 2.0):
        assert two.simulate(2.0 + 1e-10, start_time=0.5 - 1e-10, inputs=inputs).status == "finished"
        return
    with pytest.raises(ModelError, match="beyond the times of an input") as caught:
        two.simulate(end, start_time=begin, inputs=inputs)
    told = caught.value.path, caught.value.found, caught.value.expected
    assert told == ("w", f"a simulation from {begin} s to {end} s", "times from 0.5 s to 2.0 s")


@pytest.mark.parametrize(
    ("times", "values", "interpolation", "found", "expected"),
    [
        ([0, 2, 1, 3], [0] * 4, "linear", "times[1] = 2.0, times[2] = 1.0", "increasing times; one that comes twice is a jump"),
        ([0, 2, 1, 0], [0] * 4, "akima", "times[1] = 2.0, times[2] = 1.0", "increasing times"),
        ([0, 1, 2, 2], [0] * 4, "monotone", "times[2] = 2.0, times[3] = 2.0", "increasing times"),
        ([0, 1, 1, 1], [0] * 4, "constant", "times[1] = 1.0", "at most twice"),
        ([1, 1, 1, 0], [0] * 4, "linear", "times[2] = 1.0, times[3] = 0.0", "increasing times; one that comes twice is a jump"),
        ([0, np.nan], [0, 1], "linear", "times[1] = nan", "finite numbers"),
        ([0, 1], [[0, 1], [-np.inf, 1]], "linear", "values[1, 0] = -inf", "finite numbers"),
        ([], [], "linear", "times of shape (0,), values of shape (0,)", "times of shape (n,), and n values, n at least 1"),
        ([0, 1], [0, 1, 2], "linear", "times of shape (2,), values of shape (3,)", None),
        (0.0, 1.0, "linear", "times of shape (), values of shape ()", None),
        ([0, 1], ["a", 1], "linear", "['a', 1]", "an array of numbers"),
        ([0, 1], [0, 1], "Linear", "'Linear'", "one of linear, constant, akima, monotone"),
    ],
)
def test_what_is_no_series_is_told_with_its_place(
    times: Any, values: Any, interpolation: Any, found: str, expected: str | None
) -> None:
    with pytest.raises(ModelError) as caught:
        TimeSeries(times, values, interpolation)
    assert caught.value.found == found
    assert expected is None or caught.value.expected == expected


def test_a_time_that_comes_twice_with_one_value_is_no_jump(two: SimulationModel) -> None:
    for interpolation in ("linear", "constant"):
        series = TimeSeries([0.0, 1.0, 1.0, 2.0], [1.0] * 4, interpolation)  # type: ignore[arg-type]
        assert two.simulate(3.0, inputs={"u": series}).statistics["events"] == 0
