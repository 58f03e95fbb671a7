"""Discrete variables: pre, edge, change, sample, noEvent, smooth, initial, terminal; hysteresis and state machines."""

import math
from fractions import Fraction

import numpy as np
import pytest

from modiapy import Assert, Model, SimulationError, Var, When, instantiate


def at(result, name, time):
    """Values before and after the event at this time."""
    where = np.flatnonzero(np.isclose(result.time, time, rtol=0, atol=1e-9))
    return result[name][where[0]], result[name][where[-1]]


def counter(condition, **entries):
    """Counts how often a condition of ``b`` (true from 1 to 2 and from 3 on) or ``i`` fires."""
    entries = {"b": Var("(time >= 1 and time < 2) or time >= 3", type="Boolean"), **entries}
    return Model(n=Var(type="Integer", init=0), equations=[When(condition, ["n = pre(n) + 1"])], **entries)


@pytest.mark.parametrize(
    ("condition", "counts"),
    [
        ("b", [0, 1, 1, 2]),
        ("edge(b)", [0, 1, 1, 2]),
        ("change(b)", [0, 1, 2, 3]),
        ("not b", [0, 0, 1, 1]),
        ("b and not pre(b)", [0, 1, 1, 2]),
        ("b == False", [0, 0, 1, 1]),
        ("b != pre(b)", [0, 1, 2, 3]),
    ],
)
def test_edge_and_change(condition, counts):
    result = instantiate(counter(condition)).simulate(4.0)
    assert [at(result, "n", t)[1] for t in (0.0, 1.0, 2.0, 3.0)] == counts
    assert result["n"][-1] == counts[-1]


def test_change_of_an_integer_that_is_computed_by_an_equation():
    i = Var("(2 if time >= 2 else 1) if time >= 1 else 0", type="Integer")
    result = instantiate(counter("change(i)", i=i)).simulate(3.0)
    assert [at(result, "n", t)[1] for t in (0.0, 1.0, 2.0)] == [0, 1, 2]


def test_edge_outside_of_a_when_is_false_between_events():
    model = Model(b=Var("time >= 1", type="Boolean"), y=Var("5 if edge(b) else 0"))
    assert set(instantiate(model).simulate(2.0)["y"]) == {0.0}


def test_schmitt_trigger():
    # switches on above 0.5, off below -0.5
    model = Model(
        u=Var("sin(2*pi*time)"),
        on=Var(type="Boolean", init=False),
        equations=["on = u > 0.5 or (pre(on) and u > -0.5)"],
    )
    result = instantiate(model).simulate(2.0)
    switched = np.flatnonzero(np.diff(result["on"]) != 0)
    assert result.time[switched] == pytest.approx([1 / 12, 7 / 12, 13 / 12, 19 / 12], abs=1e-6)
    u, on, expected = result["u"], result["on"], False
    for k in range(u.size):
        if abs(abs(u[k]) - 0.5) < 1e-6:
            expected = bool(on[k])
            continue
        expected = u[k] > 0.5 or (expected and u[k] > -0.5)
        assert on[k] == expected


def test_hysteresis_controls_a_heater():
    # relaxation oscillation between 19 and 21 degrees; both exponentials in closed form
    model = Model(
        T=Var(init=15.0),
        on=Var(type="Boolean", init=True),
        equations=["der(T) = (30 if on else 10) - T", "on = T < 19 or (pre(on) and T < 21)"],
    )
    result = instantiate(model).simulate(4.0, tolerance=1e-9)
    times = result.time[np.flatnonzero(np.diff(result["on"]) != 0)]
    first, period = np.log(15 / 9), np.log(11 / 9) * 2
    assert times[:3] == pytest.approx([first, first + period / 2, first + period], abs=1e-6)
    assert np.diff(times[::2]) == pytest.approx(period, abs=1e-6)


def test_initial_value_of_a_discrete_variable_is_the_one_before_the_initial_event():
    model = Model(
        a=Var(type="Integer", init=7),
        b=Var(type="Integer", start=4),
        c=Var(type="Integer"),
        equations=["a = pre(a)", "b = pre(b) + (1 if initial() else 0)", "c = pre(c)"],
    )
    result = instantiate(model).simulate(1.0)
    assert set(result["a"]) == {7}
    assert set(result["c"]) == {0}
    assert set(result["b"]) == {5}


def test_pre_of_a_continuous_variable_is_its_left_limit():
    rules = When("after(1)", ["left = pre(y)", "right = y"])
    model = Model(
        y=Var("(2 if time >= 1 else 1)*x"),
        x=Var(init=0.0),
        left=Var(init=0.0),
        right=Var(init=0.0),
        equations=["der(x) = 1", rules],
    )
    result = instantiate(model).simulate(2.0)
    assert (result["left"][-1], result["right"][-1]) == (pytest.approx(1.0), pytest.approx(2.0))


def test_sample_gives_exact_instants():
    model = Model(
        dt=0.1,
        n=Var(type="Integer", init=0),
        last=Var(init=-1.0),
        equations=[When("sample(0.05, dt)", ["n = pre(n) + 1", "last = time"])],
    )
    result = instantiate(model).simulate(10.0)
    assert result["n"][-1] == 100
    ticks = np.unique(result["last"])[1:]
    assert np.array_equal(ticks, 0.05 + np.arange(100) * 0.1)
    assert result.statistics["events_by_kind"] == {"clock": 100}


@pytest.fixture(scope="module")
def sampled():
    rule = When("sample(first, dt)", ["n = pre(n) + 1", "last = time"])
    return instantiate(Model(first=0.0, dt=1.0, n=Var(type="Integer", init=0), last=Var(init=-1.0), equations=[rule]))


@pytest.mark.parametrize(
    ("first", "interval", "start", "stop"),
    [
        ("-7.3", "0.1", "2.6", "3.15"),
        ("-7.3", "0.1", "2.65", "3.2"),
        ("0.05", "0.1", "1000000", "1000000.55"),
        ("-1000000.7", "0.7", "0", "2"),
        ("0.3", "0.1", "0.2", "0.55"),
        ("0.1", "0.1", "0.3", "0.35"),
        ("-0.3", "0.1", "0", "0.3"),
        ("3", "1", "0", "2.5"),
    ],
)
def test_sample_ticks_at_its_multiples_wherever_the_simulation_begins(sampled, first, interval, start, stop):
    """Counted in exact arithmetic; the numbers in the computer are neither these nor multiples of one another."""
    begin, distance = Fraction(first), Fraction(interval)
    early, late = ((Fraction(time) - begin) / distance for time in (start, stop))
    ticks = [float(begin + k * distance) for k in range(max(0, math.ceil(early)), math.floor(late) + 1)]
    values = {"first": float(first), "dt": float(interval)}
    result = sampled.simulate(float(stop), start_time=float(start), merge=values)
    assert (result["n"][0], result["n"][-1]) == (early.denominator == 1 and early >= 0, len(ticks))
    assert [*dict.fromkeys(result["last"][result["n"] > 0])] == pytest.approx(
        ticks, rel=1e-15, abs=4e-16 * max(1.0, abs(begin))
    )


@pytest.mark.parametrize("interval", [0.0, -1.0, np.inf, np.nan])
def test_an_interval_of_sample_that_is_not_positive_is_refused(interval):
    sim = instantiate(Model(p=1.0, n=Var(init=0.0), equations=[When("sample(0, p)", ["n = pre(n) + 1"])]))
    assert sim.simulate(1.5)["n"][-1] == 2.0
    message = rf"the interval of sample\(0, p\) is not positive; found {interval!r}"
    with pytest.raises(SimulationError, match=message) as caught:
        sim.simulate(3.0, start_time=2.0, merge={"p": interval})
    assert caught.value.time == 2.0


def test_sample_that_began_before_the_simulation():
    model = Model(n=Var(type="Integer", init=0), equations=[When("sample(0, 1)", ["n = pre(n) + 1"])])
    simulation = instantiate(model)
    assert simulation.simulate(3.5, start_time=1.5)["n"][-1] == 2  # at 2 and 3
    assert simulation.simulate(3.5, start_time=2.0)["n"][-1] == 2  # at 2 and 3
    assert simulation.simulate(3.5)["n"][-1] == 4  # at 0, 1, 2 and 3


def test_terminal_fires_once_at_the_end():
    model = Model(
        x=Var(init=0.0), end=Var(init=-1.0), equations=["der(x) = 1", When("terminal()", ["end = x", "reinit(x, 9)"])]
    )
    result = instantiate(model).simulate(2.0)
    assert result.time[-2] == result.time[-1] == 2.0
    assert result["end"][-2] == -1.0
    assert result["end"][-1] == pytest.approx(2.0)


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_an_assertion_about_the_end_is_checked_there_and_only_there(mode):
    """`terminal()` is true at the last stored point; before it, and where the simulation ends otherwise, it is not."""

    def model(limit, level="error", *rules):
        equations = ["der(x) = 1", "last = terminal()", Assert(f"not terminal() or x < {limit}", "too far", level), *rules]
        return instantiate(Model(x=Var(init=0.0), last=Var(type="Boolean"), equations=equations))

    with pytest.raises(SimulationError, match=r"at time 1 s too far; found x = 1\.0") as caught:
        model(0.5).simulate(1.0, mode=mode)
    assert caught.value.result["last"][-1] == 1.0
    with pytest.warns(UserWarning, match="at time 1 s too far"):
        model(0.5, "warning").simulate(1.0, mode=mode)
    result = model(1.5).simulate(1.0, mode=mode)
    assert np.flatnonzero(result["last"]).tolist() == [result.time.size - 1]
    ended = model(0.5, "error", When("x > 0.7", ["terminate('enough')"])).simulate(1.0, mode=mode)
    assert (ended.terminated, ended["last"].any()) == ("enough", False)


def test_terminal_comes_after_the_events_at_the_stop_time():
    rules = [When("sample(0, 1)", ["n = pre(n) + 1"]), When("terminal()", ["m = n"])]
    result = instantiate(Model(n=Var(init=0.0), m=Var(init=0.0), equations=rules)).simulate(3.0)
    assert (result["n"][-1], result["m"][-1]) == (4, 4)  # at 0, 1, 2 and 3


def test_relations_in_no_event_and_smooth_make_no_events():
    model = Model(
        x=Var(init=-1.0),
        a=Var("noEvent(1 if x > 0 else 0)"),
        b=Var("smooth(1, x**2 if x > 0 else -x**2)"),
        c=Var("smooth(0, x if x > 0 else -x)"),
        equations=["der(x) = 1"],
    )
    result = instantiate(model).simulate(2.0)
    assert result.statistics["events_by_kind"] == {"state": 1}
    assert np.array_equal(result["a"], (result["x"] > 0).astype(float))
    assert result["b"] == pytest.approx(np.sign(result["x"]) * result["x"] ** 2)
    assert result["c"] == pytest.approx(abs(result["x"]))


@pytest.mark.parametrize(("order", "events"), [(0, {"state": 1}), (1, {}), (2, {})])
def test_only_the_order_zero_of_smooth_makes_events(order, events):
    model = Model(
        x=Var(init=-1.0), y=Var(init=0.0), equations=["der(x) = 1", f"der(y) = smooth({order}, 2*x if x > 0 else -x)"]
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-9)
    assert result.statistics["events_by_kind"] == events
    assert result["y"][-1] == pytest.approx(0.5 + 1.0, rel=1e-6)


def test_relations_between_discrete_quantities_are_no_state_events():
    model = Model(
        n=Var(type="Integer", init=0),
        y=Var("10 if n == 2 else 20 if n > 2 else 0"),
        z=Var("1 if y >= 10 else 0"),
        equations=[When("sample(1, 1)", ["n = pre(n) + 1"])],
    )
    simulation = instantiate(model)
    assert list(simulation.sorted.indicators) == []
    result = simulation.simulate(4.5)
    assert [at(result, "y", t)[1] for t in (0.0, 1.0, 2.0, 3.0)] == [0, 0, 10, 20]
    assert [at(result, "z", t)[1] for t in (0.0, 1.0, 2.0, 3.0)] == [0, 0, 1, 1]


def test_booleans_are_connected_and_negated():
    source = Model(y=Var("time >= 1", type="Boolean", output=True))
    inverter = Model(u=Var(type="Boolean", input=True), y=Var("not u", type="Boolean", output=True))
    model = Model(source=source, inverter=inverter, connect=[("source.y", "inverter.u")])
    result = instantiate(model).simulate(2.0)
    assert at(result, "inverter.y", 1.0) == (1.0, 0.0)


def test_results_do_not_show_variables_that_nobody_wrote():
    model = Model(x=Var(init=0.0), n=Var(init=0.0), equations=["der(x) = 1", When("x > 0.5", ["n = pre(n) + 1"])])
    assert set(instantiate(model).simulate(1.0).signals()) == {"time", "x", "der(x)", "n"}


FRICTION = [
    "der(w) = a",
    "J*a = 2*sin(time) - tau",
    "forward = pre(mode) == 0 and (sa > peak or pre(forward) and sa > tau0)",
    "backward = pre(mode) == 0 and (sa < -peak or pre(backward) and sa < -tau0)",
    "locked = pre(mode) == 0 and not (forward or backward)",
    "a = 0 if locked else sa - (tau0 if pre(mode) == 1 or forward else -tau0)",
    "tau = sa if locked else (tau0 if pre(mode) == 1 or forward else -tau0)",
    "mode = 1 if (pre(mode) == 1 or forward) and w > 0 else -1 if (pre(mode) == -1 or backward) and w < 0 else 0",
]


def test_friction_with_stiction_as_a_state_machine_in_a_linear_system():
    # breaks loose where 2 sin(t) = 1.5; slides until the velocity is zero
    boolean = {name: Var(type="Boolean", init=False) for name in ("forward", "backward", "locked")}
    real = {name: Var() for name in ("a", "sa", "tau")}
    model = Model(
        J=1.0, tau0=1.0, peak=1.5, w=Var(init=0.0), mode=Var(type="Integer", init=0), equations=FRICTION, **boolean, **real
    )
    simulation = instantiate(model)
    assert simulation.report()["linear systems"] == 1
    result = simulation.simulate(12.0, tolerance=1e-8)
    stuck = result["mode"] == 0
    assert np.all(result["w"][stuck] * result["locked"][stuck] == pytest.approx(0.0, abs=1e-9))
    begin = np.arcsin(0.75)
    assert result.time[np.flatnonzero(result["mode"] == 1)[0]] == pytest.approx(begin, abs=1e-6)
    # while it slides forwards: w = 2 (cos(begin) - cos(t)) - (t - begin)
    first = (result["mode"] == 1) & (result.time < 3.0)
    t = result.time[first]
    assert result["w"][first] == pytest.approx(2 * (np.cos(begin) - np.cos(t)) - (t - begin), abs=1e-6)
    assert set(result["mode"]) == {-1, 0, 1}
