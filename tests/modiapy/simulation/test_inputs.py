"""Inputs over time: values, jumps and kinks, against exact solutions; what is refused; what a run owns."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modiapy import Map, Model, ModelError, SimulationModel, TimeSeries, Var, When, instantiate

FILTER = Model(x=Var(init=0.0), u=Var(input=True, start=0.5), y=Var(), equations=["der(x) = u - x", "y = -u"])
OSCILLATOR = Model(x=Var(init=0.0), v=Var(init=0.0), u=Var(input=True), equations=["der(x) = v", "der(v) = -40*x - 0.8*v + u"])
SOLVERS = ["cvode", "adams", "sundae", "scipy"]


@pytest.fixture(scope="module")
def filtered() -> SimulationModel:
    return instantiate(FILTER, "filtered")


@pytest.fixture(scope="module")
def oscillator() -> SimulationModel:
    return instantiate(OSCILLATOR, "oscillator")


def reference(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The oscillator at the last time, piece by piece with an integrator of another kind."""
    x = np.zeros(2)
    for a, b, p, q in zip(times[:-1], times[1:], values[:-1], values[1:], strict=True):
        if b > a:

            def rates(t: float, y: np.ndarray, line: tuple[float, ...] = (a, b, p, q)) -> list[float]:
                a, b, p, q = line
                return [y[1], -40.0 * y[0] - 0.8 * y[1] + p + (q - p) * (t - a) / (b - a)]

            x = solve_ivp(rates, (a, b), x, rtol=1e-11, atol=1e-13, method="DOP853").y[:, -1]
    return x


def test_an_input_without_series_keeps_its_start(filtered: SimulationModel) -> None:
    result = filtered.simulate(1.0)
    assert np.all(result["u"] == 0.5)
    assert result["x"][-1] == pytest.approx(0.5 * (1.0 - np.exp(-1.0)), rel=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_steps_are_events(filtered: SimulationModel, solver: str) -> None:
    series = TimeSeries([0.0, 1.0, 2.0, 2.5], [0.0, 1.0, 0.0, 0.0], "constant")
    result = filtered.simulate(3.0, inputs={"u": series}, solver=solver)
    twice = np.flatnonzero(np.diff(result.time) == 0.0)
    assert result.time[twice].tolist() == [1.0, 2.0]
    assert result["u"][twice].tolist() == [0.0, 1.0]
    assert result["u"][twice + 1].tolist() == [1.0, 0.0]
    t = result.time[: twice[0]]
    assert np.all(result["x"][: t.size] == 0.0)
    assert result["x"][-1] == pytest.approx((1.0 - np.exp(-1.0)) * np.exp(-1.0), rel=1e-5)
    assert result.statistics["events_by_kind"] == {"time": 2}


def test_a_time_that_comes_twice_is_a_jump(filtered: SimulationModel) -> None:
    result = filtered.simulate(2.0, inputs={"u": ([0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 3.0, 3.0])})
    k = int(np.flatnonzero(np.diff(result.time) == 0.0)[0])
    assert result["u"][k : k + 2].tolist() == [1.0, 3.0]
    before = np.exp(-1.0)  # of der(x) = t - x
    assert result["x"][-1] == pytest.approx(3.0 + (before - 3.0) * np.exp(-1.0), rel=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("shape", ["random", "pulse"])
def test_kinks_cost_no_accuracy(oscillator: SimulationModel, shape: str, solver: str) -> None:
    """A pulse of 20 ms after 7 s at rest is not stepped over."""
    if shape == "random":
        times, values = np.linspace(0.0, 10.0, 41), np.random.default_rng(1).normal(size=41)
    else:
        times, values = np.array([0.0, 7.0, 7.01, 7.02, 7.03, 10.0]), np.array([0.0, 0.0, 50.0, 50.0, 0.0, 0.0])
    x, v = reference(times, values)
    result = oscillator.simulate(10.0, inputs={"u": (times, values)}, interval=1.0, solver=solver)
    assert result["x"][-1] == pytest.approx(x, abs=2e-5)
    assert result["v"][-1] == pytest.approx(v, abs=1e-4)
    assert result.statistics["events"] == 0


@pytest.mark.parametrize("interpolation", ["akima", "monotone"])
def test_smooth_interpolation(filtered: SimulationModel, interpolation: Any) -> None:
    """A curve through samples of a sine: the answer to the sine follows to the error of the interpolation."""
    times = np.linspace(0.0, 6.0, 61)
    result = filtered.simulate(6.0, inputs={"u": TimeSeries(times, np.sin(times), interpolation)})
    t = result.time
    exact = 0.5 * (np.sin(t) - np.cos(t) + np.exp(-t))
    assert np.abs(result["u"] - np.sin(t)).max() < 2e-3
    assert np.abs(result["x"] - exact).max() < 1e-3
    linear = filtered.simulate(6.0, inputs={"u": (times, np.sin(times))})
    assert np.abs(linear["u"] - np.interp(linear.time, times, np.sin(times))).max() < 1e-15


def test_inputs_are_signals_and_so_are_their_aliases(filtered: SimulationModel) -> None:
    times = np.linspace(0.0, 2.0, 9)
    result = filtered.simulate(2.0, inputs={"u": (times, times**2)})
    assert np.allclose(result["u"], np.interp(result.time, times, times**2), rtol=0.0, atol=1e-15)
    assert np.array_equal(result["y"], -result["u"])


def test_values_are_held_outside(filtered: SimulationModel) -> None:
    result = filtered.simulate(4.0, inputs={"u": ([1.0, 2.0], [1.0, 3.0])})
    assert np.allclose(result["u"], np.clip(1.0 + 2.0 * (result.time - 1.0), 1.0, 3.0), rtol=0.0, atol=1e-14)
    with pytest.raises(ModelError, match="beyond the times of an input") as error:
        filtered.simulate(4.0, inputs={"u": TimeSeries([0.0, 2.0], [1.0, 3.0], extrapolation="error")})
    assert error.value.path == "u"


def test_arrays_numbers_and_elements() -> None:
    sim = instantiate(
        Model(
            x=Var(init=[0.0, 0.0]),
            u=Var(input=True, start=[1.0, 2.0]),
            g=Var(input=True, start=1.0),
            equations=["der(x) = g*u"],
        ),
        "m",
    )
    times, values = np.array([0.0, 1.0, 3.0]), np.array([[0.0, 1.0], [2.0, 1.0], [2.0, 5.0]])
    result = sim.simulate(3.0, inputs={"u": (times, values), "g": 2})
    expected = np.stack([np.interp(result.time, times, values[:, k]) for k in range(2)], axis=1)
    assert np.allclose(result["u"], expected, rtol=0.0, atol=1e-15)
    assert result["x"][-1] == pytest.approx([2.0 * 5.0, 2.0 * 7.0], rel=1e-6)
    assert np.all(sim.simulate(1.0, inputs={"u": np.array([3.0, 4.0])})["u"] == [3.0, 4.0])
    with pytest.raises(ModelError, match="wrong shape") as error:
        sim.simulate(1.0, inputs={"u": (times, values[:, 0])})
    assert error.value.path == "u"


def test_a_vector_jumps_where_one_of_its_elements_does() -> None:
    model = Model(r=Var(input=True, start=[0.0, 0.0]), x=Var(init=[0.0, 0.0]), equations=["der(x) = r"])
    steps = TimeSeries([0.0, 1.0, 2.0, 3.0], [[0.0, 1.0], [0.0, 3.0], [2.0, 3.0], [2.0, 3.0]], "constant")
    result = instantiate(model).simulate(4.0, inputs={"r": steps}, interval=0.5)
    assert result.statistics["events_by_kind"] == {"time": 2}
    assert result["x"][-1] == pytest.approx([4.0, 10.0], abs=1e-9)
    jumps = TimeSeries([0.0, 1.0, 1.0, 2.0], [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [1.0, 2.0]])
    assert instantiate(model).simulate(2.0, inputs={"r": jumps}).statistics["events_by_kind"] == {"time": 1}


def test_a_matrix_that_depends_on_an_input() -> None:
    """The matrix of a linear system is not factorised once for all."""
    sim = instantiate(
        Model(u=Var(input=True, start=1.0), a=Var(), b=Var(), equations=["(2 + u)*a + b = 1", "a - (3 + u)*b = time"]),
        "m",
    )
    result = sim.simulate(2.0, inputs={"u": ([0.0, 1.0, 2.0], [0.0, 1.0, 5.0])})
    u, t = result["u"], result.time
    exact = [np.linalg.solve([[2.0 + p, 1.0], [1.0, -3.0 - p]], [1.0, q]) for p, q in zip(u, t, strict=True)]
    assert np.allclose(np.stack([result["a"], result["b"]], axis=1), exact, rtol=1e-12)


def test_events_of_the_model_see_inputs() -> None:
    """A relation of a linear input is located; what ticks at a jump samples the new value."""
    sim = instantiate(
        Model(
            u=Var(input=True),
            w=Var(input=True),
            n=Var(start=0.0),
            s=Var(start=0.0),
            before=Var(start=-1.0),
            equations=[
                When("u > 1", ["n = pre(n) + 1"]),
                When("sample(0, 0.5)", ["s = w"]),
                When("w > 3", ["before = pre(w)"]),
            ],
        ),
        "m",
    )
    step = TimeSeries([0.0, 1.0], [0.0, 7.0], "constant")
    result = sim.simulate(2.0, inputs={"u": ([0.0, 2.0], [0.0, 3.0]), "w": step})
    first = result.time[np.flatnonzero(result["n"] > 0.0)[0]]
    assert first == pytest.approx(2.0 / 3.0, abs=1e-9)
    before, after = np.flatnonzero(result.time == 1.0)[[0, -1]]
    assert (result["s"][before], result["s"][after]) == (0.0, 7.0)
    assert (result["before"][before], result["before"][after]) == (-1.0, 0.0)  # its left limit
    with sim.stepper(2.0, inputs={"w": 2.0}) as stepper:
        stepper.step(0.7)
        stepper.inputs["w"] = 5.0
        stepper.step(0.1)
        assert (stepper["s"], stepper["before"]) == (2.0, 2.0)
        stepper.step(0.3)
        assert (stepper["s"], stepper["before"]) == (5.0, 2.0)


def test_discrete_inputs() -> None:
    sim = instantiate(
        Model(on=Var(input=True, type="Boolean", start=False), x=Var(init=0.0), equations=["der(x) = 1 if on else -1"]),
        "m",
    )
    result = sim.simulate(3.0, inputs={"on": ([0.0, 1.0], [False, True])})
    assert result["x"][-1] == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(ModelError, match="can only change by jumps"):
        sim.simulate(3.0, inputs={"on": TimeSeries([0.0, 1.0], [0.0, 1.0])})
    with pytest.raises(ModelError, match="type Boolean"):
        sim.simulate(3.0, inputs={"on": ([0.0, 1.0], [0.0, 0.5])})


def test_the_initialization_problem_has_the_first_value() -> None:
    sim = instantiate(
        Model(x=Var(start=1.0), u=Var(input=True), equations=["der(x) = u - x"], initial_equations=["der(x) = 0"]), "m"
    )
    result = sim.simulate(1.0, inputs={"u": ([0.0, 1.0], [3.0, 3.0])})
    assert np.allclose(result["x"], 3.0, rtol=1e-9)


def test_residual_form(oscillator: SimulationModel) -> None:
    times, values = np.linspace(0.0, 2.0, 21), np.random.default_rng(2).normal(size=21)
    x, _ = reference(times, values)
    result = oscillator.simulate(2.0, inputs={"u": (times, values)}, mode="dae", tolerance=1e-8)
    assert result["x"][-1] == pytest.approx(x, abs=1e-6)


def test_tables_of_pandas(filtered: SimulationModel) -> None:
    import pandas as pd

    times = np.array([0.0, 1.0, 2.0])
    plain = filtered.simulate(2.0, inputs={"u": (times, [0.0, 2.0, 1.0])})
    frame = pd.DataFrame({"u": [0.0, 2.0, 1.0]}, index=pd.to_timedelta(times, unit="s"))
    for given in (frame, {"u": frame["u"]}, {"u": pd.Series([0.0, 2.0, 1.0], index=times)}):
        assert np.array_equal(filtered.simulate(2.0, inputs=given)["x"], plain["x"])
    with pytest.raises(ModelError, match="must be numbers, not dates"):
        filtered.simulate(2.0, inputs={"u": pd.Series([0.0], index=pd.to_datetime(["2026-01-01"]))})


@pytest.mark.parametrize(
    ("inputs", "message", "remedy"),
    [
        ({"v": 1.0}, "has no input 'v'", ""),
        ({"uu": 1.0}, "has no input 'uu'", "'u'"),
        ({"x": 1.0}, "'x' is no input", "Var\\(input=True\\)"),
        ({"u": ([0.0, 2.0, 1.0], [0.0, 0.0, 0.0])}, "times of a time series do not increase", "Sort"),
        ({"u": ([0.0, 1.0, 1.0, 1.0], [0.0] * 4)}, "same time more than twice", ""),
        ({"u": ([0.0, 1.0], [0.0, float("nan")])}, "must be finite", "Leave"),
        ({"u": ([0.0, 1.0], [0.0, 1.0, 2.0])}, "do not fit", ""),
        ({"u": ([0.0, 1.0], ["a", "b"])}, "must be numbers", ""),
        ({"u": ([0.0, 1.0], [[0.0, 1.0], [0.0, 1.0]])}, "wrong shape", ""),
        ({"u": np.sin}, "cannot be a function", "Sample"),
        ({"u": "3"}, "cannot be read", ""),
        ([1.0, 2.0], "the argument 'inputs' of simulate is wrong", ""),
    ],
)
def test_mistakes(filtered: SimulationModel, inputs: Any, message: str, remedy: str) -> None:
    import re

    with pytest.raises(ModelError, match=message) as error:
        filtered.simulate(1.0, inputs=inputs)
    assert re.search(remedy, str(error.value))


def test_kinds_of_interpolation_have_one_name() -> None:
    with pytest.raises(ModelError, match="'constant' here"):
        TimeSeries([0.0, 1.0], [0.0, 1.0], "previous")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="unknown extrapolation"):
        TimeSeries([0.0, 1.0], [0.0, 1.0], extrapolation="periodic")  # type: ignore[arg-type]


def test_a_derivative_of_an_input_is_refused() -> None:
    """Its series says nothing of it; the model has to be written otherwise."""
    for equation in ("x = u", "x + u = 0", "x = 2*u"):
        model = Model(x=Var(), v=Var(), u=Var(input=True), equations=[equation, "v = der(x)"])
        with pytest.raises(ModelError, match="derivative of the input 'u'"):
            instantiate(model, "m")


def test_linearised_at_the_present_value() -> None:
    sim = instantiate(
        Model(x=Var(init=0.0), u=Var(input=True), y=Var(output=True), equations=["der(x) = -u*x + u", "y = u**2"]), "m"
    )
    linear = sim.linearize(2.0, series={"u": ([0.0, 4.0], [1.0, 3.0])})
    assert linear.u == pytest.approx([2.0])
    assert pytest.approx(np.array([[-2.0]]), rel=1e-8) == linear.A
    assert pytest.approx(np.array([[4.0]]), rel=1e-8) == linear.D
    steady = sim.steady_state(inputs={"u": 5.0})
    assert (steady["x"], steady["u"]) == (pytest.approx(1.0), 5.0)


def test_a_run_owns_its_inputs(filtered: SimulationModel) -> None:
    """Simulations at once, and one that is asked for within another one, have each their own."""
    times = np.linspace(0.0, 3.0, 31)
    given = [times**k for k in range(4)]
    alone = [filtered.simulate(3.0, inputs={"u": (times, values)})["x"] for values in given]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda values: filtered.simulate(3.0, inputs={"u": (times, values)})["x"], given))
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one, other)
    inner: list[np.ndarray] = []

    def progress(time: float) -> None:
        if not inner:
            inner.append(filtered.simulate(3.0, inputs={"u": (times, given[1])})["x"])

    outer = filtered.simulate(3.0, inputs={"u": (times, given[2])}, progress=progress)
    assert np.array_equal(outer["x"], alone[2])
    assert np.array_equal(inner[0], alone[1])
    assert np.all(filtered.simulate(3.0)["u"] == 0.5)
    values = given[3].copy()
    series = TimeSeries(times, values)
    values[:] = 0.0
    assert np.array_equal(filtered.simulate(3.0, inputs={"u": series})["x"], alone[3])


def test_pickled_and_copied(filtered: SimulationModel) -> None:
    series = TimeSeries([0.0, 1.0, 2.0], [0.0, 1.0, 0.0], "akima")
    result = filtered.simulate(2.0, inputs={"u": series})
    again = pickle.loads(pickle.dumps(series))
    assert np.array_equal(filtered.simulate(2.0, inputs={"u": again})["x"], result["x"])
    assert np.array_equal(pickle.loads(pickle.dumps(result))["u"], result["u"])
    assert np.array_equal(copy.copy(filtered).simulate(2.0, inputs={"u": series})["x"], result["x"])


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda sim: pickle.loads(pickle.dumps(sim))])
def test_inputs_that_a_copy_is_given_later_are_those_of_the_copy(filtered: SimulationModel, copied: Any) -> None:
    """It begins with those of the model, and no result says later that it came from elsewhere."""
    sim = copy.copy(filtered)
    sim.series["u"], sim.origin["file"] = TimeSeries([0.0], [2.0]), "a.yaml"
    other = copied(sim)
    assert np.all(other.simulate(1.0)["u"] == 2.0)
    assert other.simulate(1.0).origin == {"file": "a.yaml"}
    result = sim.simulate(1.0)
    other.series["u"], other.origin["file"] = TimeSeries([0.0], [3.0]), "b.yaml"
    assert np.all(sim.simulate(1.0)["u"] == 2.0)
    assert np.all(other.simulate(1.0)["u"] == 3.0)
    assert (sim.simulate(1.0).origin, other.simulate(1.0).origin) == ({"file": "a.yaml"}, {"file": "b.yaml"})
    sim.origin["file"] = "c.yaml"
    assert result.origin == {"file": "a.yaml"}
    assert not filtered.series


def test_merged(filtered: SimulationModel) -> None:
    result = filtered.simulate(1.0, inputs={"u": ([0.0, 1.0], [1.0, 1.0])}, merge=Map(x=Var(init=1.0)))
    assert np.allclose(result["x"], 1.0, atol=1e-9)


def test_a_simulation_that_goes_on_keeps_its_inputs(filtered: SimulationModel, tmp_path: Any) -> None:
    series = {"u": TimeSeries([0.0, 0.7, 1.4, 2.1], [0.0, 1.0, 0.3, 2.0], "constant")}
    whole = filtered.simulate(3.0, inputs=series, interval=0.1)
    other = copy.copy(filtered)
    other.simulate(1.0, inputs=series, interval=0.1, save=tmp_path / "s")
    assert other.restore(tmp_path / "s") == 0.7
    rest = other.simulate(3.0)
    assert np.array_equal(rest["x"], whole["x"][-rest.time.size :])
    assert np.array_equal(rest["u"], whole["u"][-rest.time.size :])
    other.restore(tmp_path / "s")
    changed = other.simulate(3.0, inputs={"u": 4.0})
    assert changed["u"][0] == 1.0
    assert np.all(changed["u"][1:] == 4.0)
    assert changed["x"][-1] == pytest.approx(4.0 * (1.0 - np.exp(-2.3)), rel=1e-5)


@pytest.mark.parametrize("changed", ["u", "w"])
def test_one_of_several_inputs_that_changes_where_a_simulation_goes_on_is_an_event(changed: str, tmp_path: Any) -> None:
    """With a point before it; the other one goes on."""
    variables = {name: Var(input=True, start=1.0) for name in "uw"} | {name: Var(init=0.0) for name in "xz"}
    sim = instantiate(Model(**variables, equations=["der(x) = u", "der(z) = w"]))
    sim.simulate(1.0, inputs={"u": ([0.0, 2.0], [0.0, 2.0])}, interval=0.5, save=tmp_path / "s")
    at = sim.restore(tmp_path / "s")
    for given, events in (({}, 0), ({changed: 4.0}, 1)):
        sim.restore(tmp_path / "s")
        result = sim.simulate(2.0, inputs=given)
        assert (result.time[0], result.statistics["events"]) == (at, events)
        assert result["u"][[0, events, -1]] == pytest.approx([at, 4.0, 4.0] if given and changed == "u" else [at, at, 2.0])
        assert result["w"][[0, events, -1]].tolist() == ([1.0, 4.0, 4.0] if given and changed == "w" else [1.0, 1.0, 1.0])


def test_inputs_of_a_simulation_that_goes_on_are_wanted_from_there_on(filtered: SimulationModel, tmp_path: Any) -> None:
    sim = copy.copy(filtered)
    sim.simulate(1.0, inputs={"u": ([0.0, 0.7, 0.7, 2.0], [0.0, 0.0, 1.0, 1.0])}, save=tmp_path / "s")
    for begin in (0.7, 0.71):
        assert sim.restore(tmp_path / "s") == 0.7
        series = TimeSeries([begin, 2.0], [3.0, 3.0], extrapolation="error")
        with pytest.raises(ModelError, match=r"a simulation from 0\.7 s to 2\.0 s") if begin > 0.7 else nullcontext():
            assert sim.simulate(2.0, inputs={"u": series})["u"][-1] == 3.0


def test_a_simulation_that_goes_on_has_its_own_inputs_not_those_of_the_model(filtered: SimulationModel, tmp_path: Any) -> None:
    sim = copy.copy(filtered)
    sim.series = {"u": TimeSeries([0.0], [2.0])}
    assert np.all(sim.simulate(1.0)["u"] == 2.0)
    assert np.all(sim.simulate(1.0, inputs={"u": 5.0}, save=tmp_path / "s")["u"] == 5.0)
    sim.restore(tmp_path / "s")
    assert np.all(sim.simulate(2.0)["u"] == 5.0)
    assert np.all(sim.simulate(1.0)["u"] == 2.0)


def test_results_on_disk_have_inputs(filtered: SimulationModel, tmp_path: Any) -> None:
    from modiapy import read_result

    given = {"u": TimeSeries([0.0, 1.0, 2.0], [0.0, 1.0, 0.0], "constant")}
    result = filtered.simulate(2.0, inputs=given)
    filtered.simulate(2.0, inputs=given, output=tmp_path / "r.h5")
    assert np.array_equal(read_result(tmp_path / "r.h5")["u"], result["u"])
