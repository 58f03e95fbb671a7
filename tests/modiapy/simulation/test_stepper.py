"""Stepping: a controller in Python against the exact closed loop in discrete time; nothing else of a simulation changes."""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm, solve_discrete_are

from modiapy import (
    Map,
    Model,
    ModelError,
    SimulationError,
    SimulationModel,
    TimeSeries,
    Var,
    When,
    instantiate,
    read_result,
)

DRIVE = Model(
    x=Var(init=0.0), v=Var(init=0.0), u=Var(input=True), y=Var(), equations=["der(x) = v", "der(v) = -0.5*v + u", "y = 2*u"]
)
BOUNCING = Model(
    h=Var(init=1.0),
    v=Var(init=0.0),
    g=Var(input=True, start=9.81),
    equations=["der(h) = v", "der(v) = -g", When("h < 0", ["reinit(v, -0.7*pre(v))"])],
)


@pytest.fixture(scope="module")
def drive() -> SimulationModel:
    return instantiate(DRIVE, "drive")


def held(A: np.ndarray, B: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """The discrete-time system of der(x) = A x + B u where u is held for a time."""
    n, m = A.shape[0], B.shape[1]
    whole = expm(np.block([[A, B], [np.zeros((m, n + m))]]) * dt)
    return whole[:n, :n], whole[:n, n:]


@pytest.mark.parametrize("solver", ["cvode", "adams", "scipy"])
def test_a_servo_against_its_closed_loop(drive: SimulationModel, solver: str) -> None:
    """A PD controller at 50 Hz moves the drive to 1; each sample is that of the exact closed loop."""
    dt, gains = 0.02, np.array([40.0, 9.0])
    A, B = np.array([[0.0, 1.0], [0.0, -0.5]]), np.array([[0.0], [1.0]])
    Ad, Bd = held(A, B, dt)
    x = np.zeros(2)
    with drive.stepper(2.0, tolerance=1e-9, solver=solver) as stepper:
        for _ in range(100):
            assert [stepper["x"], stepper["v"]] == pytest.approx(x, abs=1e-6)
            u = float(gains @ (np.array([1.0, 0.0]) - [stepper["x"], stepper["v"]]))
            stepper.inputs["u"] = u
            assert stepper.step(dt) == stepper.running
            assert stepper["y"] == pytest.approx(2.0 * u)
            x = Ad @ x + Bd[:, 0] * float(gains @ (np.array([1.0, 0.0]) - x))
    result = stepper.result
    assert (result.status, result.terminated) == ("finished", "")
    assert result.time[-1] == 2.0
    assert result["x"][-1] == pytest.approx(x[0], abs=1e-6)
    assert result["x"][-1] == pytest.approx(1.0, abs=1e-3)


def test_an_inverted_pendulum_is_held_upright() -> None:
    """A linear quadratic regulator of the sampled linear model holds the nonlinear pendulum, which falls without it."""
    model = Model(
        phi=Var(init=0.2),
        w=Var(init=0.0),
        s=Var(init=0.0),
        v=Var(init=0.0),
        force=Var(input=True),
        a=Var(),
        equations=[
            "der(s) = v",
            "der(v) = a",
            "der(phi) = w",
            "a = (force + 0.1*0.5*w**2*sin(phi) - 0.1*9.81*sin(phi)*cos(phi))/(1 + 0.1*sin(phi)**2)",
            "0.5*der(w) = 9.81*sin(phi) - a*cos(phi)",
        ],
    )
    sim, dt = instantiate(model, "pendulum"), 0.05
    linear = sim.linearize(merge=Map(phi=Var(init=0.0)))
    assert max(linear.eigenvalues().real) > 4.0
    Ad, Bd = held(linear.A, linear.B, dt)
    P = solve_discrete_are(Ad, Bd, np.eye(4), np.eye(1))
    K = np.linalg.solve(np.eye(1) + Bd.T @ P @ Bd, Bd.T @ P @ Ad)
    with sim.stepper(5.0, tolerance=1e-8) as stepper:
        while stepper.running:
            stepper.inputs["force"] = -(K @ [stepper[name] for name in linear.states]).item()
            stepper.step(dt)
    assert np.abs(stepper.result["phi"]).max() < 0.3
    assert abs(stepper.result["phi"][-1]) < 1e-2
    assert abs(sim.simulate(1.0)["phi"][-1]) > 1.0
    with sim.stepper(2.0, tolerance=1e-10, merge=Map(phi=Var(init=1e-4))) as small:
        x = np.array([small[name] for name in linear.states])
        for _ in range(20):
            small.inputs["force"] = -(K @ [small[name] for name in linear.states]).item()
            small.step(dt)
            x = Ad @ x - Bd[:, 0] * (K @ x)
            assert [small[name] for name in linear.states] == pytest.approx(x, abs=1e-8)
    assert small.result.terminated == "the stepper was closed at 1 s"


@pytest.mark.parametrize("model", [DRIVE, BOUNCING])
def test_without_new_values_nothing_differs(model: Any) -> None:
    """Points and statistics are those of one call, whatever the steps are, and whatever is read between them."""
    sim = instantiate(model, "m")
    name = sim.sorted.inputs[0]
    given = {name: TimeSeries([0.0, 0.4, 1.3], [5.0, 9.0, 9.81], "constant")}
    whole = sim.simulate(2.0, inputs=given, interval=0.01)
    with sim.stepper(2.0, inputs=given, interval=0.01) as stepper:
        for dt in np.random.default_rng(3).uniform(0.0, 0.03, 40):
            for signal in sim.states:
                stepper[signal]
            stepper.step(dt)
        stepper.step(until=1.5)
        stepper.finish()
    for signal in ("time", *sim.states, name):
        assert np.array_equal(stepper.result[signal], whole[signal])
    for figure in ("steps", "rhs_evaluations", "events"):
        assert stepper.result.statistics[figure] == whole.statistics[figure]


def test_what_is_set_holds_from_the_next_step_on(drive: SimulationModel) -> None:
    with drive.stepper(1.0, inputs={"u": ([0.0, 1.0], [0.0, 1.0])}, interval=0.05) as stepper:
        stepper.step(until=0.333)
        assert stepper["u"] == pytest.approx(0.333)
        stepper.inputs["u"] = 4.0
        assert (stepper["u"], stepper.inputs["u"]) == (pytest.approx(0.333), 4.0)
        assert dict(stepper.inputs) == {"u": 4.0}
        stepper.step(0.1)
        assert stepper["u"] == stepper.inputs["u"] == 4.0
        stepper.inputs["u"] = 3.0
        stepper.inputs["u"] = 4.0  # nothing has changed then
        result = stepper.finish()
    t, u = result.time, result["u"]
    (k,) = np.flatnonzero(np.diff(t) == 0.0)
    assert t[k] == 0.333
    assert u[k] == pytest.approx(0.333)
    assert np.all(u[k + 1 :] == 4.0)
    assert result.statistics["events"] == 1
    before = 0.333 - 2.0 * (1.0 - np.exp(-0.5 * 0.333))  # of v' = t - v/2, times 2
    v = 2.0 * before
    after = 8.0 + (v - 8.0) * np.exp(-0.5 * (1.0 - 0.333))
    assert result["v"][-1] == pytest.approx(after, rel=1e-5)


def test_an_input_that_is_set_to_its_present_value_stays_there(drive: SimulationModel) -> None:
    """What was given over time does not go on; that of another input does."""
    model = DRIVE | Model(w=Var(input=True), z=Var(init=0.0), equations=["der(z) = w"])
    given = {"u": ([0.0, 1.0], [0.0, 4.0]), "w": ([0.0, 1.0], [0.0, 2.0])}
    with instantiate(model, "two").stepper(1.0, inputs=given, interval=0.25) as stepper:
        stepper.step(0.5)
        stepper.inputs["u"] = stepper["u"]
        result = stepper.finish()
    assert result["u"].tolist() == [0.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    assert result["w"] == pytest.approx([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
    assert result["z"][-1] == pytest.approx(1.0, rel=1e-5)


def test_inputs_that_are_set_together_change_at_one_event_and_what_is_delayed_arrives_later() -> None:
    variables = {name: Var(input=True) for name in "uvw"} | {"y": Var(), "n": Var(init=0.0)}
    model = Model(**variables, equations=["y = delay(u, 0.25) + 10*w", When("v > 1", ["n = pre(n) + u + 10*w"])])
    with instantiate(model).stepper(1.0, interval=0.125) as stepper:
        stepper.step(0.25)
        stepper.inputs.update(u=2.0, v=3.0, w=4.0)
        stepper.step(0.125)
        assert [stepper[name] for name in "uvwyn"] == [2.0, 3.0, 4.0, 40.0, 42.0]
        assert stepper.result["n"].size == stepper.result.time.size == 5
        stepper.inputs.update(u=5.0, w=0.0)
        result = stepper.finish()
    assert result.statistics["events"] == 4  # two of inputs, two of what arrives
    assert (result.time[-1], result["u"].size) == (1.0, result.time.size)
    for at, before, after in ((0.25, 0.0, 40.0), (0.375, 40.0, 0.0), (0.5, 0.0, 2.0), (0.625, 2.0, 5.0)):
        assert result["y"][result.time == at].tolist() == [before, after], at


def test_elements_of_inputs_that_are_arrays() -> None:
    model = Model(r=Var(input=True, start=[1.0, 2.0]), x=Var(init=[0.0, 0.0]), equations=["der(x) = r"])
    with instantiate(model).stepper(2.0, interval=1.0) as stepper:
        stepper.step(1.0)
        assert ([*stepper.inputs], "r" in stepper.inputs, "r[0]" in stepper.inputs) == (["r"], True, False)
        stepper.inputs["r"] = [3.0, -4.0]
        assert [stepper.inputs["r"].tolist(), stepper["r"].tolist()] == [[3.0, -4.0], [1.0, 2.0]]
        with pytest.raises(ModelError, match=r"r: .*value of an input"):
            stepper.inputs["r"] = [3.0]
        assert stepper.step(0.0)
        assert (stepper.time, stepper["r"].tolist()) == (1.0, [3.0, -4.0])
        assert stepper.step(until=1.0)
        assert not stepper.step(1.0)
    assert stepper.result.time.tolist() == [0.0, 1.0, 1.0, 2.0]
    assert stepper.result["x"][-1] == pytest.approx([4.0, -2.0])
    assert stepper["r"].tolist() == [3.0, -4.0]


def test_what_a_stepper_says_of_itself(drive: SimulationModel) -> None:
    with drive.stepper(1.0) as stepper:
        assert (len(stepper.inputs), [*stepper.inputs], "x" in stepper.inputs) == (1, ["u"], False)
        with pytest.raises(ModelError, match="u: an input cannot be deleted"):
            stepper.inputs.pop("u")
        stepper.step(0.25)
        assert repr(stepper) == "<Stepper of drive at 0.25 s>"
        assert stepper.finish() is stepper.result is stepper.finish()
    assert repr(stepper) == "<Stepper of drive at 1 s, ended>"
    with pytest.raises(ModelError, match=r"the simulation has ended; found finished at 1 s\. Ask 'stepper.running'"):
        stepper.step(0.1)
    with drive.stepper(1.0) as stepper:
        stepper.step(0.5)
    with pytest.raises(ModelError, match=r"the simulation has ended; found the stepper was closed at 0.5 s at 0.5 s"):
        stepper.step(0.1)


def test_a_simulation_takes_as_long_as_its_steps_and_not_what_is_between_them(
    drive: SimulationModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that each look at it takes a second."""
    looks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(looks)))

    def taken(between: int) -> float:
        with drive.stepper(1.0) as stepper:
            for _ in range(8):
                stepper.step(0.1)
                for _ in range(between):
                    time.perf_counter()
            return stepper.finish().statistics["simulation_s"]

    assert taken(between=1000) == taken(between=0) >= 9.0


def test_events_during_steps_and_at_their_ends() -> None:
    """The ball is stepped over its impacts; at the time of an event the values are those after it."""
    sim = instantiate(BOUNCING, "ball")
    fall = np.sqrt(2.0 / 9.81)
    with sim.stepper(2.0) as stepper:
        stepper.step(until=fall + 1e-6)
        assert stepper["v"] == pytest.approx(0.7 * 9.81 * fall, rel=1e-4)
        stepper.inputs["g"] = 0.0
        stepper.step(0.5)
        assert stepper["h"] == pytest.approx(0.5 * 0.7 * 9.81 * fall, rel=1e-3)
    jump = {"g": TimeSeries([0.0, 0.25], [9.81, 0.0], "constant")}
    with sim.stepper(2.0, inputs=jump) as stepper:
        stepper.step(until=0.25)
        assert stepper["g"] == 0.0


def test_delays_do_not_see_what_was_not() -> None:
    sim = instantiate(Model(u=Var(input=True), x=Var(init=0.0), y=Var(), equations=["der(x) = u", "y = delay(x, 0.3)"]), "m")
    with sim.stepper(2.0, interval=0.05) as stepper:
        for k in range(20):
            stepper.inputs["u"] = 1.0 if k % 2 == 0 else -3.0
            stepper.step(0.1)
    t, x = stepper.result.time, stepper.result["x"]
    late = t > 0.35
    assert stepper.result["y"][late] == pytest.approx(np.interp(t[late] - 0.3, t, x), abs=1e-6)


def test_an_error_in_the_loop_leaves_the_result(drive: SimulationModel) -> None:
    stepper = drive.stepper(1.0)

    def loop(error: type[BaseException]) -> None:
        with stepper:
            stepper.step(0.5)
            raise error

    with pytest.raises(ZeroDivisionError):
        loop(ZeroDivisionError)
    assert stepper.result.status == "interrupted"
    assert stepper.result.time[-1] == 0.5
    assert not stepper.running
    for demand in (
        lambda: stepper.step(0.1),
        lambda: stepper.step(until=3.0),
        lambda: stepper.inputs.update(u=1.0),
        lambda: stepper.set_input("u", 1.0),
    ):
        with pytest.raises(ModelError, match=r"the simulation has ended; found .* at 0.5 s"):
            demand()


def test_a_simulation_that_cannot_go_on() -> None:
    sim = instantiate(Model(x=Var(init=1.0), u=Var(input=True), equations=["der(x) = u - 1/x"]), "m")
    stepper = sim.stepper(3.0, interval=0.1)

    def loop() -> None:
        with stepper:
            while stepper.step(0.25):
                pass

    with pytest.raises(SimulationError) as failed:
        loop()
    assert failed.value.result is stepper.result
    assert stepper.result.status == "failed"
    assert stepper.result.time[-1] == pytest.approx(0.4)  # the last point before x = sqrt(1 - 2*t) is 0
    assert stepper["x"] == stepper.result["x"][-1]


def test_inputs_are_a_mapping() -> None:
    """Those that no equation needs, too."""
    inputs = {"u": Var(input=True, start=2.0), "spare": Var(input=True, start=3.0), "r": Var(input=True, start=[1.0, 2.0])}
    model = Model(**inputs, x=Var(init=1.0), equations=["der(x) = u + r[0]"])
    with instantiate(model).stepper(1.0) as stepper:
        found, names = stepper.inputs, stepper.inputs.keys()
        assert [*found] == [*names] == [*inputs]
        assert len(found) == len(found.values()) == 3
        assert [(name, np.asarray(value).tolist()) for name, value in found.items()] == [
            ("u", 2.0),
            ("spare", 3.0),
            ("r", [1.0, 2.0]),
        ]
        names = found.keys()
        for name in ("x", "y", "r[0]", 3):
            assert name not in found
            assert name not in names
            assert (name, 1.0) not in found.items()
            assert (found.get(name), found.get(name, 7.0)) == (None, 7.0)
            assert found.pop(name, 7.0) == 7.0
            with pytest.raises(ModelError, match=r"no input"):
                found.pop(name)
            with pytest.raises(ModelError, match=r"no input"):
                found.setdefault(name, 1.0)
        assert ("u", 2.0) in found.items()
        assert (found.get("u"), found.get("u", 7.0), found.setdefault("u", 7.0)) == (2.0, 2.0, 2.0)
        for take in (lambda: found.pop("u", None), found.popitem, found.clear, lambda: found.__delitem__("u")):
            with pytest.raises(ModelError, match="u: an input cannot be deleted"):
                take()
        with pytest.raises(ModelError, match="no input 'y'"):
            del found["y"]
        found.update(spare=4.0)
        stepper.step(0.5)
        assert (found["spare"], stepper["spare"], stepper["x"]) == (4.0, 4.0, pytest.approx(2.5))
    assert stepper.inputs.get("spare") == 4.0


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda s: s.step(), "either a length or an end"),
        (lambda s: s.step(0.1, until=0.2), "either a length or an end"),
        (lambda s: s.step(-0.1), "the argument 'dt' of step is wrong"),
        (lambda s: s.step(until=-1.0), "the argument 'until' of step is wrong"),
        (lambda s: s.step(float("nan")), "the argument 'dt' of step is wrong"),
        (lambda s: s["vv"], "no signal 'vv'"),
        (lambda s: s.inputs["w"], "no input 'w'"),
        (lambda s: s.inputs.__setitem__("x", 1.0), "is no input"),
        (lambda s: s.inputs.__setitem__("u", [1.0]), "value of an input"),
        (lambda s: s.inputs.__setitem__("u", float("nan")), "value of an input"),
    ],
)
def test_mistakes(drive: SimulationModel, act: Any, message: str) -> None:
    with drive.stepper(1.0) as stepper:
        with pytest.raises(ModelError, match=message):
            act(stepper)
        assert stepper.step(0.5)


def test_two_at_once(drive: SimulationModel) -> None:
    """Steppers of one model, and a simulation between their steps, know nothing of each other."""
    with drive.stepper(1.0, interval=0.1) as one, drive.stepper(1.0, interval=0.1) as other:
        one.inputs["u"], other.inputs["u"] = 1.0, -1.0
        while one.running:
            one.step(0.1)
            assert drive.simulate(1.0)["x"][-1] == 0.0
            other.step(0.1)
    assert np.array_equal(one.result["x"], -other.result["x"])
    assert one.result["x"][-1] > 0.3


def test_saved_and_restored(drive: SimulationModel, tmp_path: Any) -> None:
    with drive.stepper(2.0, interval=0.1) as stepper:
        stepper.inputs["u"] = 2.0
        stepper.step(1.0)
        stepper.inputs["u"] = -1.0
        stepper.step(0.5)
        drive.save(tmp_path / "s")
        result = stepper.finish()
    assert drive.restore(tmp_path / "s") == 1.5  # where the last step of the loop ended
    rest = drive.simulate(2.0)
    assert np.array_equal(rest["x"], result["x"][-rest.time.size :])
    drive.restore(tmp_path / "s")
    with drive.stepper(2.0) as again:
        assert (again.time, again["u"]) == (1.5, -1.0)
        assert np.array_equal(again.finish()["x"], rest["x"])


def test_written_to_a_file(drive: SimulationModel, tmp_path: Any) -> None:
    results = []
    for output in (None, tmp_path / "r.h5"):
        with drive.stepper(1.0, output=output) as stepper:
            while stepper.running:
                stepper.inputs["u"] = 1.0 - stepper["x"]
                stepper.step(0.1)
        results.append(stepper.result if output is None else read_result(tmp_path / "r.h5"))
    assert np.array_equal(results[0]["x"], results[1]["x"])


@pytest.mark.parametrize("value", [None, {}, "one", [1.0], float("nan"), float("inf"), 1j], ids=repr)
def test_what_is_no_number_is_no_value_of_an_input(value):
    with instantiate(DRIVE).stepper(1.0) as stepper:
        with pytest.raises(ModelError) as caught:
            stepper.inputs["u"] = value
        assert (caught.value.path, caught.value.found, caught.value.expected) == ("u", repr(value), "a finite number")
        assert stepper.inputs["u"] == 0.0
