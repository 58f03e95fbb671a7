"""Simulations against closed forms, through `instantiate(model).simulate(...)`."""

import gc
import itertools
import json
import math
import re
import subprocess
import sys
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, ModelError, SimulationError, SimulationInterrupted, Var, instantiate

pytestmark = pytest.mark.white_box

Pin = Model(v=Var(potential=True), i=Var(flow=True))
OnePort = Model(p=Pin, n=Pin, v=Var(), i=Var(), equations=["v = p.v - n.v", "0 = p.i + n.i", "i = p.i"])
Resistor = OnePort | Model(R=1.0, equations=["R*i = v"])
Capacitor = OnePort | Model(C=1.0, v=Var(init=0.0), equations=["C*der(v) = i"])
Voltage = OnePort | Model(V=10.0, equations=["v = V"])
Ground = Model(p=Pin, equations=["p.v = 0"])
Filter = Model(
    R=Resistor | Map(R=0.5),
    C=Capacitor | Map(C=2.0),
    V=Voltage,
    ground=Ground,
    connect=[("V.p", "R.p"), ("R.n", "C.p"), ("C.n", "V.n", "ground.p")],
)
Oscillator = Model(
    c=4.0,
    m=1.0,
    x=Var(init=1.0),
    v=Var(init=0.0),
    energy=Var("m*v**2/2 + c*x**2/2"),
    equations=["der(x) = v", "m*der(v) = -c*x"],
)
SOLVERS = ("cvode", "adams", "chebyshev", "sundae", "scipy")


@pytest.fixture(scope="module")
def rc():
    return instantiate(Filter, "RC")


@pytest.mark.parametrize("solver", [name for name in SOLVERS if name != "chebyshev"])
def test_rc_circuit_follows_the_closed_form(rc, solver):
    result = rc.simulate(5.0, tolerance=1e-8, solver=solver)
    assert result["C.v"] == pytest.approx(10.0 * (1.0 - np.exp(-result.time)), abs=1e-6)
    assert result.time.tolist() == pytest.approx(np.linspace(0.0, 5.0, 501).tolist())


def test_eliminated_variables_are_in_the_result(rc):
    result = rc.simulate(1.0)
    current = (10.0 - result["C.v"]) / 0.5
    for name, sign in (("R.i", 1), ("R.n.i", -1), ("C.p.i", 1), ("V.i", -1), ("V.p.i", -1)):
        assert result[name] == pytest.approx(sign * current)
    assert result["R.p.v"].tolist() == [10.0] * result.time.size
    assert result["C.n.v"].tolist() == [0.0] * result.time.size
    assert result["R.R"].tolist() == [0.5] * result.time.size
    assert result["der(C.v)"] == pytest.approx(current / 2.0)
    assert result["der(R.n.v)"] == pytest.approx(current / 2.0)
    assert result["time"].tolist() == result.time.tolist()
    assert {"R.i", "C.p.i", "R.R", "C.v", "der(C.v)"} <= set(result.signals())


def test_merge_changes_parameters_and_initial_values_without_compilation(rc):
    result = rc.simulate(5.0, tolerance=1e-8, merge=Map(R=Map(R=1.5), C=Map(v=Var(init=3.0)), V=Map(V=-2.0)))
    assert result["C.v"] == pytest.approx(-2.0 + 5.0 * np.exp(-result.time / 3.0), abs=1e-6)
    assert result["V.p.v"][0] == -2.0
    assert result.statistics["compilations_after_start"] == 0
    again = rc.simulate(5.0, tolerance=1e-8)
    assert again["C.v"] == pytest.approx(10.0 * (1.0 - np.exp(-again.time)), abs=1e-6)


@settings(max_examples=15)
@given(R=st.floats(0.1, 10.0), C=st.floats(0.1, 10.0), V=st.floats(-100.0, 100.0))
def test_any_parameters_give_the_closed_form(rc, R, C, V):
    result = rc.simulate(2.0, tolerance=1e-8, interval=0.1, merge=Map(R=Map(R=R), C=Map(C=C), V=Map(V=V)))
    assert result["C.v"] == pytest.approx(V * (1.0 - np.exp(-result.time / (R * C))), abs=1e-5)


def test_merge_that_changes_the_equations_is_refused(rc):
    with pytest.raises(ModelError, match=r"changes the structure.*instantiate\(model"):
        rc.simulate(1.0, merge=Map(R=Map(equations=["p.i = 0"])))


def test_merge_of_a_misspelled_parameter_is_refused(rc):
    with pytest.raises(ModelError, match=r"R\.Rr: there is no 'Rr' to modify; .*Did you mean 'R'"):
        rc.simulate(1.0, merge=Map(R=Map(Rr=1.0)))


def test_energy_of_an_oscillator_is_kept_and_the_error_shrinks_with_the_tolerance():
    model = instantiate(Oscillator)
    drifts = []
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        result = model.simulate(10.0, tolerance=tolerance)
        drifts.append(abs(result["energy"] - 2.0).max())
    assert drifts[-1] < 1e-6 * 2.0
    assert all(fine < 0.2 * coarse for coarse, fine in itertools.pairwise(drifts))


@pytest.mark.parametrize("solver", SOLVERS)
def test_state_events_are_located_and_stand_twice_in_the_result(solver):
    model = Oscillator | Model(side=Var("1 if positive(x) else -1"))
    result = instantiate(model).simulate(10.0, tolerance=1e-10, solver=solver)
    switched = np.flatnonzero(np.diff(result["side"]) != 0)
    times = result.time[switched]
    assert times == pytest.approx([(k + 0.5) * math.pi / 2.0 for k in range(6)], abs=1e-6)
    assert result.time[switched + 1].tolist() == times.tolist()
    assert result["x"][switched] == pytest.approx(0.0, abs=1e-8)
    assert result["x"][switched].tolist() == result["x"][switched + 1].tolist()
    assert result.statistics["events"] == result.segments[0].events == 6


@pytest.mark.parametrize("solver", SOLVERS)
def test_time_events_end_the_interval_exactly(solver):
    model = Model(t1=0.7, x=Var(init=0.0), u=Var("3 if after(t1) else 1"), equations=["der(x) = u"])
    simulation = instantiate(model)
    result = simulation.simulate(1.0, solver=solver)
    event = np.flatnonzero(result.time == 0.7)
    assert event.size == 2
    assert result["u"][event].tolist() == [1.0, 3.0]
    assert result["x"][event] == pytest.approx(0.7, rel=1e-10)
    assert result["x"][-1] == pytest.approx(0.7 + 3 * 0.3, rel=1e-9)
    moved = simulation.simulate(1.0, solver=solver, merge=Map(t1=0.123))
    assert moved["x"][-1] == pytest.approx(0.123 + 3 * 0.877, rel=1e-9)


def test_comparison_with_time_is_a_time_event():
    result = instantiate(Model(y=Var("1 if time < 0.3 else 2"))).simulate(1.0)
    assert result["y"][result.time == 0.3].tolist() == [1.0, 2.0]
    assert result["y"][result.time > 0.3].tolist() == [2.0] * int((result.time > 0.3).sum())


def test_a_model_without_states_finds_its_events():
    result = instantiate(Model(y=Var("1 if sin(time) > 0.5 else 0"))).simulate(10.0)
    times = result.time[np.flatnonzero(np.diff(result["y"]) != 0)]
    expected = [math.pi / 6, 5 * math.pi / 6, 13 * math.pi / 6, 17 * math.pi / 6]
    assert times == pytest.approx(expected, abs=1e-8)


def test_relations_that_depend_on_each_other_settle_in_one_event():
    model = Model(
        x=Var(init=0.0),
        first=Var("1 if x > 0.5 else 0"),
        second=Var("1 if first > 0.5 else 0"),
        equations=["der(x) = 1"],
    )
    result = instantiate(model).simulate(1.0)
    assert result["second"].tolist() == result["first"].tolist()
    assert result["second"][-1] == 1.0


def test_relations_without_a_solution_are_refused_by_name():
    model = Model(x=Var(init=0.0), y=Var(), equations=["der(x) = 1", "y = -1 if y + x > 0 else 1"])
    with pytest.raises(SimulationError, match=r"relations do not settle .*found y \+ x > 0"):
        instantiate(model).simulate(2.0)


def test_chattering_is_refused_with_the_relation():
    model = Model(x=Var(init=0.3), equations=["der(x) = -1 if x > 0 else 1"])
    with pytest.raises(SimulationError, match=r"events at one point in time; found x > 0") as caught:
        instantiate(model).simulate(1.0)
    assert caught.value.time == pytest.approx(0.3, abs=1e-6)
    assert caught.value.result["x"][-1] == pytest.approx(0.0, abs=1e-6)


def test_chattering_that_keeps_a_distance_is_refused_with_its_relations():
    """A hysteresis of 1e-9, which the tolerance does not see, switches every microsecond; nothing happens at one instant."""
    model = Model(
        x=Var(init=5e-10),
        on=Var(type="Boolean", init=False),
        equations=["on = x < 0 or (pre(on) and x < 1e-9)", "der(x) = 1e-3 if on else -1e-3"],
    )
    with pytest.raises(SimulationError, match=r"nothing moves between them \(chattering\); found 1000 events within") as caught:
        instantiate(Model(controller=model)).simulate(1.0)
    assert "'controller.x < 0', 'controller.x < 1e-09'" in caught.value.found
    assert caught.value.path == "controller"
    assert caught.value.time < 0.01
    assert caught.value.result["controller.x"].max() < 2e-9


@pytest.mark.parametrize("band", [1e-5, 1e-3])
def test_a_comparator_with_a_hysteresis_may_switch_as_often_as_it_likes(band):
    """The triangular wave of the closed form, some thousand times, in microseconds."""
    speed = band / 1e-6
    model = Model(
        x=Var(init=0.0),
        on=Var(type="Boolean", init=True),
        equations=[f"on = x < 0 or (pre(on) and x < {band})", f"der(x) = {speed} if on else -{speed}"],
    )
    result = instantiate(model).simulate(2.2e-3, interval=1e-4)
    assert result.statistics["events_by_kind"]["state"] == pytest.approx(4400, abs=4)  # each bound is passed forth and back
    assert result["x"].min() > -1e-2 * band
    assert result["x"].max() < 1.01 * band


def test_a_failure_names_equation_and_values_and_keeps_the_result():
    model = Model(tank=Model(h=Var(init=1.0), q=Var(), equations=["der(h) = -1", "q = sqrt(h)"]), x=Var(init=0.0))
    model = model | Model(equations=["der(x) = tank.q"])
    with pytest.raises(SimulationError, match=r"tank.*sqrt") as caught:
        instantiate(model).simulate(2.0)
    error = caught.value
    assert error.time == pytest.approx(1.0, abs=1e-2)
    assert error.result.status == "failed"
    assert 0.9 < error.result.time[-1] <= 1.01
    assert error.result["x"][-1] == pytest.approx(2.0 / 3.0, abs=1e-3)
    assert error.result.statistics["steps"] > 0


def test_division_by_zero_at_the_start_is_named():
    model = Model(R=0.0, u=1.0, x=Var(init=0.0), i=Var(), equations=["der(x) = i", "i = u/R"])
    with pytest.raises(SimulationError, match=r"'?i'?.*u/R") as caught:
        instantiate(model).simulate(1.0)
    assert caught.value.time == 0.0


def test_blow_up_names_the_state():
    model = Model(calm=Var(init=1.0), wild=Var(init=1.0), equations=["der(calm) = -calm", "der(wild) = wild**2"])
    with pytest.raises(SimulationError, match="wild") as caught:
        instantiate(model).simulate(2.0)
    assert caught.value.time == pytest.approx(1.0, abs=1e-2)
    assert caught.value.result["calm"].size > 100


def test_interrupt_keeps_the_result():
    def interrupt(time):
        if time > 3.0:
            raise KeyboardInterrupt

    with pytest.raises(SimulationInterrupted) as caught:
        instantiate(Oscillator).simulate(100.0, interval=0.001, progress=interrupt)
    result = caught.value.result
    assert result.status == "interrupted"
    assert 3.0 < caught.value.time < 6.0
    assert result.time[-1] == caught.value.time
    assert result["x"] == pytest.approx(np.cos(2.0 * result.time), abs=1e-3)


def test_an_error_in_progress_keeps_what_was_computed():
    def fail(time):
        if time > 2.0:
            raise ZeroDivisionError("mine")

    with pytest.raises(SimulationError, match=r"'progress' failed; found ZeroDivisionError: mine") as caught:
        instantiate(Oscillator).simulate(5.0, interval=0.001, progress=fail)
    result = caught.value.result
    assert result.status == "failed"
    assert result.time[-1] == caught.value.time > 2.0
    assert result.time.size > 2000


def test_progress_does_not_change_the_result():
    times = []
    model = instantiate(Oscillator)
    plain = model.simulate(5.0, interval=0.001)
    watched = model.simulate(5.0, interval=0.001, progress=times.append)
    assert times
    assert times == sorted(times)
    assert np.array_equal(plain["x"], watched["x"])


def test_progress_is_told_at_state_events():
    """They are nearer to each other than the output points from one call of the integrator to the next."""
    model = instantiate(Model(x=Var(init=0.0), equations=["der(x) = 1 if sin(20*time) > 0 else -1"]))
    times = []
    watched = model.simulate(2.0, interval=0.1, progress=times.append)
    assert times == pytest.approx([*(np.pi / 20 * k for k in range(1, 13)), 2.0])
    assert np.array_equal(model.simulate(2.0, interval=0.1)["x"], watched["x"])


def test_initial_value_that_contradicts_the_equations():
    model = Model(x=Var(init=1.0), y=Var(init=3.0), equations=["der(x) = -x", "y = 2*x"])
    with pytest.raises((SimulationError, ModelError), match="y"):
        instantiate(model).simulate(1.0)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"stop_time": -1.0}, "stop_time"),
        ({"stop_time": math.nan}, "stop_time"),
        ({"stop_time": 1.0, "tolerance": 0.0}, "tolerance"),
        ({"stop_time": 1.0, "interval": 0.0}, "interval"),
        ({"stop_time": 1.0, "solver": "cvod"}, "Did you mean 'cvode'"),
        ({"stop_time": 1.0, "solver": ["cvode"]}, "the argument 'solver' of simulate is wrong"),
        ({"stop_time": 1.0, "progress": True}, "the argument 'progress' of simulate is wrong"),
    ],
)
def test_wrong_arguments_are_named(rc, arguments, name):
    with pytest.raises(ModelError, match=name):
        rc.simulate(**arguments)


@pytest.mark.parametrize("value", [True, False, np.True_])
@pytest.mark.parametrize("name", ["stop_time", "start_time", "tolerance", "absolute_tolerance", "interval"])
def test_true_and_false_are_no_numbers(rc, name, value):
    with pytest.raises(
        ModelError, match=rf"the argument '{name}' of simulate is wrong; found {re.escape(repr(value))}; expected a number"
    ):
        rc.simulate(**{"stop_time": 1.0, name: value})


def test_start_time_and_zero_duration(rc):
    result = rc.simulate(3.0, start_time=2.0, interval=0.25)
    assert result.time.tolist() == [2.0, 2.25, 2.5, 2.75, 3.0]
    assert rc.simulate(0.0).time.tolist() == [0.0]


def test_output_points_that_numbers_of_this_size_cannot_tell_apart(rc):
    """Five hundred of them between two times that are eight numbers apart."""
    result = rc.simulate(1e9 + 1e-6, start_time=1e9)
    assert (np.diff(result.time) > 0.0).all()
    assert np.isfinite(result["C.v"]).all()
    assert result.time[[0, -1]].tolist() == [1e9, 1e9 + 1e-6]


def test_result_as_json_and_file(rc, tmp_path):
    result = rc.simulate(5.0)
    figures = json.loads(json.dumps(result.to_json()))
    assert figures["stop_time"] == 5.0
    assert figures["segments"][0]["cause"] == "initialization"
    assert figures["segments"][0]["states_invariant"] == 1
    assert figures["steps"] > 10
    assert figures["rhs_evaluations"] >= figures["steps"]
    assert figures["compilations_after_start"] == 0
    result.save(tmp_path / "rc.csv", ["C.v"])
    data = np.loadtxt(tmp_path / "rc.csv", delimiter=",", skiprows=1)
    assert np.array_equal(data[:, 1], result["C.v"])
    assert np.array_equal(data[:, 0], result.time)


def test_unknown_signal_and_segment(rc):
    result = rc.simulate(1.0)
    with pytest.raises(ModelError, match=r"no signal 'C.w'.*Did you mean 'C.v'"):
        result["C.w"]
    assert "C.w" not in result
    assert (result.get("C.w"), result.get("C.w", 3.0)) == (None, 3.0)
    assert np.array_equal(result.get("C.v", 3.0), result["C.v"])
    assert ("C.w", 3.0) not in result.items()
    for index in (0, 2):
        with pytest.raises(ModelError, match="there is no such segment"):
            result.segment(index)
    assert result.segment(1).states == ("C.v",)


def test_import_is_light():
    heavy = "numba", "llvmlite", "sksundae", "scipy", "matplotlib", "sympy"
    code = f"import sys, modiapy; modiapy.Model; modiapy.instantiate; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


@pytest.mark.parametrize(("solver", "installed"), [("cvode", True), ("cvode", False), ("adams", True), ("chebyshev", True)])
def test_without_the_sundials_libraries_another_integrator_stands_in(monkeypatch, rc, solver, installed):
    import importlib.util

    from modiapy.simulation.evaluation import machine, problems
    from modiapy.simulation.solvers import adams, chebyshev, cvode

    find = importlib.util.find_spec
    for user in (adams, chebyshev, cvode, machine, problems):
        monkeypatch.setattr(user, "libraries", lambda: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: find(name) if installed or name != "sksundae" else None)
    result = rc.simulate(5.0, tolerance=1e-8, solver=solver)
    assert result["C.v"] == pytest.approx(10.0 * (1.0 - np.exp(-result.time)), abs=1e-6)


def test_plot_without_matplotlib_says_what_to_install(monkeypatch, rc):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ModelError, match="pip install matplotlib"):
        rc.simulate(1.0).plot("C.v")


def test_many_output_points_do_not_change_the_steps():
    model = instantiate(Oscillator)
    few, many = model.simulate(10.0, interval=1.0), model.simulate(10.0, interval=0.001)
    assert many.time.size == 10001
    assert few.statistics["steps"] == many.statistics["steps"]
    assert np.array_equal(few["x"], many["x"][::1000])


def test_report_and_states():
    model = instantiate(Oscillator, "Oscillator")
    assert model.states == ("x", "v")
    assert model.report()["states"] == 2
    assert model.translation_s > 0.0


def test_a_result_that_is_given_up_frees_its_memory_at_once():
    """Batches would grow until Python collects circles of references."""
    simulation = instantiate(Oscillator)
    result = weakref.ref(simulation.simulate(1.0))
    gc.collect()
    gc.disable()
    try:
        simulation.simulate(1.0)
        assert result() is None
    finally:
        gc.enable()
