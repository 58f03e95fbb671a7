"""Simulation between samples: held inputs and clocks, against exact solutions, scipy, and the segment loop without it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import RK23, RK45, solve_ivp
from scipy.linalg import expm

from modiapy import Assert, Clock, If, Map, Model, ModelError, SimulationError, SimulationModel, Var, When, instantiate
from modiapy.simulation.sampled.tableaus import BOGACKI_SHAMPINE, DORMAND_PRINCE, Tableau

pytestmark = pytest.mark.white_box

PENDULUM = Model(
    phi=Var(init=0.3), w=Var(init=0.0), u=Var(input=True), equations=["der(phi) = w", "der(w) = -9.81*sin(phi) - 0.1*w + u"]
)
SERVO = Model(
    x=Var(init=0.0),
    v=Var(init=0.0),
    u=Var(),
    equations=["der(x) = v", "der(v) = -0.5*v - x + u", When("sample(0, 0.01)", ["u = -(20*(x - 1) + 5*v)"])],
)
BALL = Model(
    h=Var(init=1.0),
    v=Var(init=0.0),
    push=Var(input=True),
    equations=["der(h) = v", "der(v) = -9.81 + push", When("h < 0", ["reinit(v, -0.8*pre(v))"])],
)
OTHER = "scipy"
"""A solver with which nothing goes on between samples but the segment loop."""


@pytest.mark.parametrize(("tableau", "other"), [(BOGACKI_SHAMPINE, RK23), (DORMAND_PRINCE, RK45)])
def test_coefficients_are_those_of_scipy(tableau: Tableau, other: Any) -> None:
    s = other.n_stages
    assert np.allclose(tableau.a[:s, : other.A.shape[1]], other.A, atol=1e-15)
    assert np.allclose(tableau.a[s, :s], other.B, atol=1e-15)
    assert np.allclose(tableau.c, [*other.C, 1.0], atol=1e-15)
    if tableau is DORMAND_PRINCE:  # the other has an estimate of our own, of order 2: its weights of the stages' powers vanish
        assert np.allclose(abs(tableau.error), abs(other.E), atol=1e-15)
    assert tableau.error.sum() == pytest.approx(0.0, abs=1e-15)
    assert tableau.error @ tableau.c == pytest.approx(0.0, abs=1e-15)
    assert np.allclose(tableau.dense[:, : other.P.shape[1]], other.P, atol=1e-13)


@pytest.mark.parametrize("dt", [0.001, 0.05, 0.7])
@pytest.mark.parametrize("tolerance", [1e-5, 1e-9])
def test_held_inputs_against_scipy(dt: float, tolerance: float) -> None:
    """Each stretch with a constant torque begins where the one before has ended."""
    sim, x, random = instantiate(PENDULUM, "pendulum"), np.array([0.3, 0.0]), np.random.default_rng(1)
    with sim.stepper(100.0, tolerance=tolerance) as stepper:
        for _ in range(60):
            u = random.normal()
            stepper.inputs["u"] = u
            stepper.step(dt)
            rates = lambda t, y, u=u: [y[1], -9.81 * np.sin(y[0]) - 0.1 * y[1] + u]  # noqa: E731
            x = solve_ivp(rates, (0.0, dt), x, rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
            assert [stepper["phi"], stepper["w"]] == pytest.approx(x, abs=1e3 * tolerance)
    assert stepper.result.statistics["jacobian_evaluations"] <= 1  # CVODE has made the first step only


def test_samples_cost_no_events() -> None:
    """A new value each millisecond costs the three evaluations of one step."""
    sim = instantiate(PENDULUM, "pendulum")
    with sim.stepper(10.0, record=False) as stepper:
        for k in range(2000):
            stepper.inputs["u"] = float(np.sin(0.01 * k))
            stepper.step(0.001)
        statistics = stepper.result.statistics
    assert statistics["events_by_kind"]["time"] == 1999  # the first value is the one there was
    assert statistics["rhs_evaluations"] < 3.02 * 2000  # CVODE has made the first step


def test_an_impact_between_samples_is_located() -> None:
    """A ball that is pushed a little each millisecond strikes the ground at the exact time, and as fast as it should."""
    sim, dt, push = instantiate(BALL, "ball"), 0.001, 0.5
    with sim.stepper(0.6, tolerance=1e-9, interval=0.1) as stepper:
        k = 0
        while stepper.running:
            stepper.inputs["push"] = push if k % 2 else -push
            stepper.step(dt)
            k += 1
        result = stepper.result
    h, v, t = 1.0, 0.0, 0.0
    for k in range(600):  # each stretch is a parabola
        a = -9.81 + (push if k % 2 else -push)
        if h + v * dt + 0.5 * a * dt**2 < 0.0:
            hit = (-v - np.sqrt(v**2 - 2.0 * a * h)) / a
            assert t < 0.5
            break
        h, v, t = h + v * dt + 0.5 * a * dt**2, v + a * dt, t + dt
    struck = np.flatnonzero(np.diff(result["v"]) > 1.0)
    assert len(struck) == 1
    assert result.time[struck[0]] == pytest.approx(t + hit, abs=1e-8)
    assert result["v"][struck[0] + 1] == pytest.approx(-0.8 * (v + a * hit), abs=1e-7)


SWITCHED = Model(
    x=Var(init=0.0),
    n=Var(start=0.0, type="Integer"),
    u=Var(input=True),
    on=Var(type="Boolean"),
    last=Var(start=0.0),
    equations=[
        "on = u > 0.5",
        "der(x) = 1 - x if on else -x",
        When("u > 0.5", ["n = pre(n) + 1", "last = pre(x)"]),
    ],
)


def stepped(sim: SimulationModel, name: str, values: Any, dt: float, names: Any, **options: Any) -> np.ndarray:
    rows = []
    with sim.stepper(1e3, **options) as stepper:
        for value in values:
            stepper.inputs[name] = float(value)
            stepper.step(dt)
            rows.append([float(stepper[n]) for n in names])
    return np.array(rows)


def test_relations_and_when_clauses_of_inputs() -> None:
    """What a sample decides is what an event decides."""
    values = [0.2, 0.3, 0.7, 0.9, 0.1, 0.6, 0.5, 0.51]
    sim, names = instantiate(SWITCHED, "switched"), ("x", "n", "on", "last")
    ours, other = (stepped(sim, "u", values, 0.3, names, solver=s, tolerance=1e-9) for s in ("cvode", OTHER))
    assert ours == pytest.approx(other, abs=1e-7)
    assert ours[-1, 1] == 3


@given(
    values=st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=12),
    dt=st.sampled_from([0.003, 0.05, 0.1]),
    solver=st.sampled_from(["cvode", "adams"]),
)
@settings(max_examples=25, deadline=None)
def test_any_inputs_give_what_the_segment_loop_gives(values: list[float], dt: float, solver: str) -> None:
    for model, name, names in ((SWITCHED_MADE, "u", ("x", "n", "last")), (BALL_MADE, "push", ("h", "v"))):
        ours, other = (stepped(model, name, values, dt, names, solver=s, tolerance=1e-9) for s in (solver, OTHER))
        assert ours == pytest.approx(other, abs=1e-5)


SWITCHED_MADE, BALL_MADE = instantiate(SWITCHED, "switched"), instantiate(BALL, "ball")


def test_a_clocked_servo_against_its_closed_loop() -> None:
    """At each tick the states are those of the exact discrete-time system."""
    result = instantiate(SERVO, "servo").simulate(2.0, tolerance=1e-9, interval=0.01)
    A, B = np.array([[0.0, 1.0], [-1.0, -0.5]]), np.array([[0.0], [1.0]])
    whole = expm(np.block([[A, B], [np.zeros((1, 3))]]) * 0.01)
    x = np.zeros(2)
    for k in range(200):
        before = np.searchsorted(result.time, 0.01 * k + 1e-9)
        assert [result["x"][before - 1], result["v"][before - 1]] == pytest.approx(x, abs=1e-7)
        u = -(20.0 * (x[0] - 1.0) + 5.0 * x[1])
        assert result["u"][before - 1] == pytest.approx(u, abs=1e-6)
        x = whole[:2, :2] @ x + whole[:2, 2] * u
    assert result.statistics["events_by_kind"] == {"clock": 200}
    twice = np.flatnonzero(np.diff(result.time) == 0.0)
    assert len(twice) == 200  # each tick has the point before and after it


CLOCKED = {
    "two rates": Model(
        x=Var(init=1.0),
        a=Var(start=0.0),
        b=Var(start=0.0),
        equations=[
            "der(x) = -x + a + b",
            When("sample(0, 0.03)", ["a = 0.5*pre(b) + x"]),
            When("sample(0.01, 0.05)", ["b = -x"]),
        ],
    ),
    "relation of a sampled value": Model(
        x=Var(init=0.0),
        u=Var(start=0.0),
        heat=Var(),
        equations=[
            "der(x) = heat - 0.3*x",
            "heat = 1.0 if u < 0.5 else 0.0",
            When("sample(0, 0.02)", ["u = x"]),
        ],
    ),
    "state event beside ticks": Model(
        h=Var(init=1.0),
        v=Var(init=0.0),
        seen=Var(start=0.0),
        equations=[
            "der(h) = v",
            "der(v) = -9.81",
            When("h < 0", ["reinit(v, -0.8*pre(v))"]),
            When("sample(0, 0.037)", ["seen = v"]),
        ],
    ),
    "ticks that set states": Model(
        x=Var(init=1.0), equations=["der(x) = -x", When("sample(0.1, 0.1)", ["reinit(x, pre(x) + 0.05)"])]
    ),
    "a clock of the language": Model(
        c=Clock(0.05),
        x=Var(init=0.0),
        u=Var(start=0.0),
        e=Var(),
        equations=["der(x) = hold(u) - x", "e = 1 - sample(x, c)", "u = previous(u) + 0.2*e"],
    ),
}


@pytest.mark.parametrize("name", CLOCKED)
def test_clocks_give_what_the_segment_loop_gives(name: str) -> None:
    sim = instantiate(CLOCKED[name], "clocked")
    ours, other = (sim.simulate(1.5, tolerance=1e-9, interval=0.01, solver=s) for s in ("cvode", OTHER))
    assert len(ours.time) == len(other.time)
    assert np.allclose(ours.time, other.time, atol=1e-7)
    assert ours.statistics["events_by_kind"] == other.statistics["events_by_kind"]
    for signal in sim.flat.variables:
        assert np.allclose(ours[signal], other[signal], atol=1e-6), signal


def test_pauses_change_no_bit_of_a_clocked_simulation() -> None:
    sim = instantiate(SERVO, "servo")
    whole = sim.simulate(1.0, interval=0.013)
    with sim.stepper(1.0, interval=0.013) as stepper:
        for dt in np.random.default_rng(3).uniform(0.0, 0.03, 50):
            stepper.step(float(dt))
        stepper.finish()
        result = stepper.result
    assert np.array_equal(result.time, whole.time)
    for name in ("x", "v", "u"):
        assert np.array_equal(result[name], whole[name])


def test_a_clocked_simulation_goes_on_from_a_snapshot_to_the_same_bits(tmp_path: Path) -> None:
    sim, file = instantiate(SERVO, "servo"), tmp_path / "servo.snapshot"
    whole = sim.simulate(2.0)
    sim.simulate(0.705, interval=2.0 / 500)
    sim.save(file)
    assert instantiate(SERVO, "servo").restore(file) == pytest.approx(0.70)
    again = instantiate(SERVO, "servo")
    again.restore(file)
    rest = again.simulate(2.0)
    n = len(rest.time)
    assert np.array_equal(rest.time, whole.time[-n:])
    assert np.array_equal(rest["x"], whole["x"][-n:])
    assert rest.statistics["events"] == whole.statistics["events"]


@pytest.mark.parametrize("rate", [1e3, 1e6])
def test_a_stiff_plant_is_left_to_the_implicit_method(rate: float) -> None:
    """With an explicit method alone a fast sensor would cost rate*dt evaluations per sample."""
    model = Model(
        x=Var(init=0.0),
        y=Var(init=0.0),
        k=rate,
        u=Var(input=True),
        equations=["der(x) = u - x", "der(y) = k*(x - y)"],
    )
    sim, evaluations = instantiate(model, "stiff"), {}
    for solver in ("cvode", "sundae"):  # the latter is CVODE, restarted at each sample
        x = 0.0
        with sim.stepper(20.0, tolerance=1e-8, solver=solver) as stepper:
            for k in range(100):
                u = float(np.cos(0.3 * k))
                stepper.inputs["u"] = u
                stepper.step(0.1)
                x = u + (x - u) * np.exp(-0.1)
                assert stepper["x"] == pytest.approx(x, abs=1e-6)
                assert stepper["y"] == pytest.approx(x, abs=3.0 / rate + 1e-6)
            evaluations[solver] = stepper.result.statistics["rhs_evaluations"]
    assert evaluations["cvode"] < 1.5 * evaluations["sundae"]


# -- states ---------------------------------------------------------------------------------------------------------------


def test_a_reset_begins_again_to_the_last_bit() -> None:
    sim = instantiate(BALL, "ball")
    with sim.stepper(2.0, interval=0.01) as stepper:
        first = []
        for again in range(3):
            stepper.inputs["push"] = 0.5
            stepper.step(0.3)
            stepper.inputs["push"] = -0.5
            stepper.step(0.5)
            result = stepper.result
            first = first or [result.time, result["h"], result["v"]]
            assert np.array_equal([result.time, result["h"], result["v"]], first)
            assert result.statistics["events_by_kind"] == {"time": 2, "state": 2}  # down through zero, and up again
            stepper.reset()
            assert (stepper.time, stepper["h"], stepper.inputs["push"], stepper.running) == (0.0, 1.0, 0.0, True), again
        stepper.finish()
        assert not stepper.running
        stepper.reset()
        assert stepper.running
        assert stepper.step(0.1)


def test_a_state_goes_on_in_another_process() -> None:
    """The state holds what `pre` remembers, inputs and structure; a stepper elsewhere goes on from it."""
    sim = instantiate(SWITCHED, "switched")
    with sim.stepper(10.0) as stepper:
        stepper.inputs["u"] = 0.7
        stepper.step(0.5)
        state = stepper.state()
        stepper.inputs["u"] = 0.2
        stepper.step(0.5)
        expected = [stepper[name] for name in ("x", "n", "last")]
        stepper.set_state(state)
        assert (stepper.time, stepper.inputs["u"], stepper["n"]) == (0.5, 0.7, 1.0)
        assert stepper.result.time.tolist() == [0.5]
        stepper.inputs["u"] = 0.2
        stepper.step(0.5)
        assert [stepper[name] for name in ("x", "n", "last")] == expected
    code = f"""
import pickle, sys
from modiapy import instantiate
from tests.modiapy.simulation.test_sampled import SWITCHED
state = pickle.loads({pickle.dumps(state)!r})
with instantiate(SWITCHED, "switched").stepper(10.0) as stepper:
    stepper.set_state(state)
    stepper.inputs["u"] = 0.2
    stepper.step(0.5)
    print(repr([stepper[name] for name in ("x", "n", "last")]))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert eval(run.stdout) == expected


def test_values_of_states_are_set_by_an_event() -> None:
    sim = instantiate(BALL, "ball")
    with sim.stepper(2.0, tolerance=1e-9) as stepper:
        stepper.step(0.1)
        stepper.set_state({"h": 3.0, "v": 1.0})
        assert (stepper["h"], stepper["v"], stepper.time) == (3.0, 1.0, 0.1)
        stepper.step(0.2)
        assert stepper["h"] == pytest.approx(3.0 + 0.2 - 0.5 * 9.81 * 0.04, abs=1e-6)
        assert stepper.result["h"][0] == 1.0
        for wrong, text in (
            ({"hh": 1.0}, "'hh' is no state"),
            ({"push": 1.0}, "'push' is no state"),
            ({"h": [1.0, 2.0]}, "the value of a state is wrong"),
            ({"h": np.nan}, "the value of a state is wrong"),
            (3.0, "the argument 'state' of set_state is wrong"),
        ):
            with pytest.raises(ModelError, match=text):
                stepper.set_state(wrong)  # type: ignore[arg-type]
        assert stepper.running


def test_what_is_kept_of_a_result() -> None:
    sim = instantiate(PENDULUM, "pendulum")

    def run(record: Any) -> Any:
        with sim.stepper(10.0, record=record, interval=0.01) as stepper:
            for k in range(100):
                stepper.inputs["u"] = 0.01 * k
                stepper.step(0.05)
            return stepper.result

    everything, last, window = run(True), run(False), run(0.5)
    assert last.time[-1] == window.time[-1] == everything.time[-1]
    assert len(last.time) == 1
    n = len(window.time)
    assert window.time[0] == pytest.approx(4.5, abs=0.011)
    assert np.array_equal(window.time, everything.time[-n:])
    assert np.array_equal(window["phi"], everything["phi"][-n:])
    assert window["phi"][-1] == last["phi"][-1]
    for wrong in (-1.0, 0.0, np.inf, "yes", None):
        with pytest.raises(ModelError, match="the argument 'record'"):
            sim.stepper(1.0, record=wrong)


def test_a_result_in_a_file_cannot_go_back(tmp_path: Path) -> None:
    sim = instantiate(PENDULUM, "pendulum")
    with sim.stepper(1.0, output=tmp_path / "a.h5") as stepper, pytest.raises(ModelError, match="cannot go back"):
        stepper.reset()


def test_a_model_that_fails_between_samples_says_where() -> None:
    model = Model(x=Var(init=1.0), u=Var(input=True), y=Var(), equations=["der(x) = u", "y = sqrt(x)*der(x)"])
    sim = instantiate(model, "falls")
    with sim.stepper(10.0, record=False) as stepper:
        for _ in range(5):
            stepper.inputs["u"] -= 0.01
            stepper.step(0.1)
        assert stepper["x"] == pytest.approx(1.0 - 0.1 * 0.01 * (1 + 2 + 3 + 4 + 5), abs=1e-9)
    bad = Model(x=Var(init=1.0), u=Var(input=True), equations=["der(x) = u*sqrt(x)"])
    steppers = instantiate(bad, "bad")

    def runs_dry() -> None:
        with steppers.stepper(10.0) as stepper:
            for k in range(20):
                stepper.inputs["u"] = -2.0 - 0.1 * k
                stepper.step(0.1)

    with pytest.raises(SimulationError, match=r"sqrt\(x\)|derivative of 'x'"):
        runs_dry()


def test_merged_values_hold_after_a_reset() -> None:
    sim = instantiate(PENDULUM, "pendulum")
    with sim.stepper(1.0, merge=Map(phi=Var(init=0.8))) as stepper:
        stepper.step(0.1)
        stepper.reset()
        assert stepper["phi"] == 0.8


def test_inputs_of_arrays_and_integers() -> None:
    model = Model(
        x=Var(init=[0.0, 0.0]),
        k=Var(input=True, type="Integer"),
        u=Var(input=True, start=[0.0, 0.0]),
        equations=["der(x) = k*u"],
    )
    with instantiate(model, "arrays").stepper(1.0) as stepper:
        stepper.inputs["u"] = [1.0, 2.0]
        stepper.inputs["k"] = 3
        stepper.step(0.5)
        assert stepper["x"] == pytest.approx([1.5, 3.0])
        with pytest.raises(ModelError, match="type Integer"):
            stepper.inputs["k"] = 1.5
        stepper.inputs["u"] = np.array([0.0, -2.0])
        stepper.step(0.25)
        assert stepper["x"] == pytest.approx([1.5, 1.5])


def test_if_entries() -> None:
    """An input that a structural condition leaves out is none."""
    model = Model(x=Var(init=0.0), u=Var(input=True), equations=[If("True", ["der(x) = u"])])
    with instantiate(model, "m").stepper(1.0) as stepper:
        stepper.inputs["u"] = 2.0
        stepper.step(0.5)
        assert stepper["x"] == pytest.approx(1.0)


def test_assertions_are_checked_between_samples() -> None:
    """Whether points are kept or not."""
    model = Model(x=Var(init=0.0), u=Var(input=True), equations=["der(x) = u", Assert("x < 1", "too far")])
    sim = instantiate(model, "asserted")

    def goes_too_far(record: bool) -> None:
        with sim.stepper(10.0, record=record, interval=0.1) as stepper:
            for k in range(20):
                stepper.inputs["u"] = 1.0 + 0.01 * k
                stepper.step(0.1)

    for record in (True, False):
        with pytest.raises(SimulationError, match="too far"):
            goes_too_far(record)


def test_a_relation_that_rests_at_zero_beside_a_clock() -> None:
    """An event decides nothing more about it; the simulation goes on all the same."""
    model = Model(
        x=Var(init=0.0),
        n=Var(start=0.0),
        y=Var(),
        equations=["der(x) = 0", "y = 1 if x > 0 else 2", When("sample(0, 0.1)", ["n = pre(n) + 1"])],
    )
    result = instantiate(model, "rests").simulate(1.05)
    assert result["n"][-1] == 11
    assert result["y"][-1] == 2


def test_states_of_other_models_are_refused() -> None:
    with instantiate(PENDULUM, "pendulum").stepper(1.0) as one, instantiate(BALL, "ball").stepper(1.0) as other:
        with pytest.raises(ModelError, match="the state is one of another model"):
            other.set_state(one.state())
        assert other.step(0.1)


def test_a_state_holds_series_of_inputs_and_what_is_set_next() -> None:
    sim = instantiate(PENDULUM, "pendulum")
    with sim.stepper(10.0, inputs={"u": ([0.0, 1.0, 2.0], [0.0, 1.0, -2.0])}) as stepper:
        stepper.step(0.5)
        state = stepper.state()
        stepper.inputs["u"] = 7.0
        stepper.step(0.5)
        stepper.set_state(state)
        stepper.step(until=1.5)
        assert stepper["u"] == pytest.approx(-0.5)
        stepper.inputs["u"] = 3.0
        state = stepper.state()
        stepper.reset()
        stepper.step(until=1.5)
        assert stepper["u"] == pytest.approx(-0.5)
        stepper.set_state(state)
        stepper.step(0.1)
        assert stepper["u"] == 3.0


def test_states_may_be_set_as_often_as_one_likes() -> None:
    with instantiate(PENDULUM, "pendulum").stepper(1.0, record=False) as stepper:
        for k in range(1200):
            stepper.set_state({"phi": 0.001 * k})
        assert stepper["phi"] == 0.001 * 1199
        assert stepper.step(0.1)


DISCRETE = instantiate(
    Model(
        x=Var(init=[0.0, 0.0]),
        y=Var(init=0.0),
        n=Var(start=0.0, type="Integer"),
        u=Var(input=True, start=[0.0, 0.0]),
        k=Var(input=True, type="Integer", start=1),
        v=Var(),
        last=Var(start=0.0),
        on=Var(input=True, type="Boolean", start=False),
        equations=[
            "der(x) = k*u - 0.5*x",
            "der(y) = (2 if on else -1)*(1 - y)",
            "v = x[0] + 2*u[1] + k",
            When("on", ["n = pre(n) + k", "last = pre(v)"]),
        ],
    ),
    "discrete",
)


@given(
    st.lists(st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.integers(-3, 3), st.booleans()), min_size=1, max_size=10)
)
@settings(max_examples=20, deadline=None)
def test_arrays_and_discrete_inputs_give_what_the_segment_loop_gives(values: list[tuple[float, float, int, bool]]) -> None:
    rows: dict[str, list[Any]] = {}
    for solver in ("cvode", OTHER):
        with DISCRETE.stepper(100.0, tolerance=1e-9, solver=solver) as stepper:
            for first, second, k, on in values:
                stepper.inputs["u"], stepper.inputs["k"], stepper.inputs["on"] = [first, second], k, on
                stepper.step(0.05)
                rows.setdefault(solver, []).append([*stepper["x"], stepper["y"], float(stepper["n"]), stepper["last"]])
    assert np.array(rows["cvode"]) == pytest.approx(np.array(rows[OTHER]), abs=1e-6)


def test_what_was_before_a_sample_is_before_all_of_its_inputs() -> None:
    """``pre(v)`` where ``on`` becomes true is ``v`` with the values that all inputs had until then."""
    with DISCRETE.stepper(100.0, record=False) as stepper:
        for k in range(50):
            before = stepper["v"]
            stepper.inputs["u"], stepper.inputs["k"], stepper.inputs["on"] = [1.0, 0.5 * k], k % 3, k % 5 == 4
            stepper.step(0.001)
            if k % 5 == 4:
                assert stepper["last"] == pytest.approx(before, abs=1e-12)


def test_arrays_and_discrete_inputs_cost_no_events() -> None:
    with DISCRETE.stepper(100.0, record=False) as stepper:
        for k in range(200):
            stepper.inputs["u"], stepper.inputs["on"] = [0.001 * k, 1.0], k % 20 < 10
            stepper.step(0.001)
        assert stepper.result.statistics["rhs_evaluations"] < 10 * 200
