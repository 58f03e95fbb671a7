"""Clocked partitions against recursions computed by hand, and what may go wrong with them."""

import math

import numpy as np
import pytest

from modiapy import Clock, Map, Model, ModelError, Var, instantiate


def sampled(result, name, times):
    """Values after the ticks at these times."""
    return np.array([result[name][np.flatnonzero(np.isclose(result.time, t, rtol=0, atol=1e-9))[-1]] for t in times])


PLANT = Model(T=0.3, u=Var(), w=Var(init=0.0), equations=["T*der(w) + w = u"])
PI = Model(
    clk=Clock(0.1),
    k=2.0,
    Ti=0.5,
    r=1.0,
    e=Var(),
    x=Var(init=0.0),
    y=Var(init=0.0),
    equations=["e = r - sample(w, clk)", "x = previous(x) + 0.1/Ti*e", "y = k*(e + x)", "u = hold(y)"],
)


def pi_recursion(n, dt=0.1, k=2.0, tau=0.3):
    """Plant and controller at n ticks: the plant is exact for a constant input."""
    w = x = 0.0
    rows = []
    for _ in range(n):
        e = 1.0 - w
        x = x + dt / 0.5 * e
        y = k * (e + x)
        rows.append((w, e, x, y))
        w = y + (w - y) * math.exp(-dt / tau)
    return np.array(rows).T


def test_sampled_pi_controller_against_its_recursion():
    result = instantiate(PLANT | PI).simulate(2.0, tolerance=1e-10)
    times = 0.1 * np.arange(20)
    w, e, x, y = pi_recursion(20)
    for name, expected in (("w", w), ("e", e), ("x", x), ("y", y), ("u", y)):
        assert sampled(result, name, times) == pytest.approx(expected, abs=1e-7)
    assert result.statistics["events_by_kind"] == {"clock": 20}


def test_clocked_variables_are_constant_between_ticks():
    result = instantiate(PLANT | PI).simulate(1.0)
    inside = np.abs(result.time / 0.1 - np.round(result.time / 0.1)) > 1e-6
    tick = np.floor(result.time / 0.1 + 1e-9).astype(int)
    for name in ("e", "x", "y", "u"):
        values = result[name]
        assert all(np.ptp(values[inside & (tick == k)]) == 0.0 for k in range(10))


def test_interval_of_a_clock_and_initial_values_are_changed_without_new_machine_code():
    simulation = instantiate(PLANT | PI | Model(dt=0.1) | Map(clk=Map(interval="dt")))
    result = simulation.simulate(1.0, merge=Map(dt=0.2, k=1.0, x=Map(init=3.0)), tolerance=1e-10)
    assert sampled(result, "x", [0.0]) == pytest.approx(3.2)
    assert result.statistics["events_by_kind"] == {"clock": 5}
    assert result.statistics["compilations_after_start"] == 0


def test_two_rates_and_a_hold_against_samples_computed_by_hand():
    model = Model(
        fast=Clock(0.1),
        slow=Clock("fast", factor=3),
        n=Var(init=0.0),
        s=Var(),
        m=Var(init=0.0),
        back=Var(),
        y=Var(),
        one=1.0,
        equations=[
            "n = previous(n) + sample(one, fast)",  # 1, 2, 3, ...
            "s = sample(n, slow)",  # 1, 4, 7, ...: the value at the same tick
            "m = previous(m) + s",  # 1, 5, 12, ...
            "back = sample(m, fast) + n",
            "y = hold(m)",
        ],
    )
    result = instantiate(model).simulate(0.85)
    times = 0.1 * np.arange(9)
    assert sampled(result, "n", times).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert sampled(result, "s", times).tolist() == [1, 1, 1, 4, 4, 4, 7, 7, 7]
    assert sampled(result, "m", times).tolist() == [1, 1, 1, 5, 5, 5, 12, 12, 12]
    assert sampled(result, "y", times).tolist() == [1, 1, 1, 5, 5, 5, 12, 12, 12]
    assert sampled(result, "back", times).tolist() == [2, 3, 4, 9, 10, 11, 19, 20, 21]


def test_ticks_of_derived_clocks_coincide_with_those_of_the_clock_they_are_made_of():
    # 0.1*3*n and 0.1*(3*n) differ in the last bit
    model = Model(
        fast=Clock(0.1), slow=Clock("fast", factor=3), one=1.0, a=Var(init=0.0), b=Var(init=0.0),
        equations=["a = previous(a) + sample(one, fast)", "b = previous(b) + sample(one, slow)"],
    )  # fmt: skip
    result = instantiate(model).simulate(100.05)
    assert (result["a"][-1], result["b"][-1]) == (1001, 334)
    assert result.statistics["events_by_kind"] == {"clock": 1000}
    ticks = result.time[np.flatnonzero(np.diff(result["a"]) > 0)]
    assert np.array_equal(ticks, 0.1 * np.arange(1, 1001))


def test_a_delayed_clock_holds_initial_values_until_its_first_tick():
    model = Model(
        clk=Clock(0.5, phase=0.2), x=Var(init=10.0), y=Var(), equations=["x = previous(x) + sample(time, clk)", "y = hold(x)"]
    )
    result = instantiate(model).simulate(1.0)
    before = result.time < 0.2
    assert set(result["y"][before]) == {10.0}
    assert sampled(result, "y", [0.2, 0.7]) == pytest.approx([10.2, 10.9])
    shifted = instantiate(model).simulate(6.0, start_time=5.0)
    assert sampled(shifted, "y", [5.2, 5.7]) == pytest.approx([15.2, 20.9])


def test_sample_is_the_left_limit_where_the_plant_feeds_through():
    # u jumps at the tick because y does; the sample does not see that
    model = Model(clk=Clock(1.0), y=Var(init=1.0), u=Var(), equations=["y = 2*sample(u, clk)", "u = hold(y) + 1"])
    result = instantiate(model).simulate(2.5)
    expected, y = [], 1.0
    y = 2 * (2 * 1.0 + 0.0)  # the left limit at the start: u = init + 1 = 2
    for _ in range(3):
        expected.append(y)
        y = 2 * (y + 1)
    assert sampled(result, "y", [0.0, 1.0, 2.0]) == pytest.approx(expected)


def test_one_clock_in_several_submodels_and_linear_equations_between_clocked_variables():
    part = Model(
        clk="fast", u=Var(), a=Var(), b=Var(), y=Var(), equations=["2*a + b = sample(u, clk)", "a - b = 1", "y = hold(a)"]
    )
    model = Model(fast=Clock(0.25), p=part, q=part, equations=["p.u = time", "q.u = 2*p.y"])
    result = instantiate(model).simulate(1.0)
    times = 0.25 * np.arange(4)
    a = (times + 1.0) / 3.0
    assert sampled(result, "p.a", times) == pytest.approx(a)
    assert sampled(result, "p.b", times) == pytest.approx(a - 1.0)
    left = 2.0 * np.concatenate([[0.0], a[:-1]])
    assert sampled(result, "q.a", times) == pytest.approx((left + 1.0) / 3.0)


@pytest.mark.parametrize(
    ("equations", "message"),
    [
        (["y = sample(u, fast) + sample(u, other)"], "the clocks '.*' and '.*' meet in one partition"),
        (["y = previous(y) + u"], "'y' in .* belongs to no clock"),
        (["y = sample(u, fast) + time"], r"'time' stands without sample in .*clock 'fast'"),
        (["y = sample(u, fast)", "z = der(y)"], r"'der\(y\)' stands without sample in .*clock 'fast'"),
        (["y = sample(u, fast)", "z = hold(2*y)"], r"hold\(2\*y\)"),
        (["y = sample(u, fasd)"], "fasd"),
        (["y = sample(0, u)"], "'u' in 'sample.*changes"),
    ],
)
def test_mistakes_with_clocks_are_named(equations, message):
    z = Var() if any(e.startswith("z") for e in equations) else Var("0")
    model = Model(fast=Clock(0.1), other=Clock(0.1), u=Var("2*time"), y=Var(init=0.0), z=z, equations=equations)
    with pytest.raises(ModelError, match=message):
        instantiate(model)


@pytest.mark.parametrize("given", [(0.0,), (-1.0,), (0.1, 0), (0.1, 1.5), (0.1, 1, -1.0), ("base", 2, 0.1)])
def test_clocks_that_cannot_tick_are_refused(given):
    with pytest.raises(ModelError, match="Clock") as error:
        instantiate(Model(base=Clock(1.0), c=Clock(*given), y=Var("sample(time, c)")))
    assert error.value.path == ("c" if given[0] == "base" else "")  # what can never be is refused by the call


def test_previous_may_name_the_clock():
    """A counter has nothing to sample: Modia's way of saying which clock it belongs to."""
    model = Model(fast=Clock(0.1), p=1.0, n=Var(init=0.0), u=Var(), equations=["n = previous(n, fast) + 1", "u = hold(n)"])
    assert instantiate(model).simulate(1.0)["u"][-1] == 11  # at 0 and at the stop time, too
    with pytest.raises(ModelError, match=r"'p' in 'm = previous\(m, p\)' is not a clock"):
        instantiate(model | Model(m=Var(init=0.0), equations=["m = previous(m, p)"]))
    with pytest.raises(ModelError, match="meet in one partition"):
        instantiate(model | Model(slow=Clock(0.2), equations=["m = previous(m, slow) + n"], m=Var(init=0.0)))


def test_what_is_sampled_of_clocked_and_continuous_together_is_the_left_limit():
    """A source jumps at ticks of both clocks; the slow one sees it as it was before, whatever stands beside it."""
    model = Model(
        fast=Clock(0.1),
        slow=Clock(0.2),
        y=Var("(0 if time < 0.2 else 1 if time < 0.4 else 2) + time"),
        n=Var(init=0.0),
        alone=Var(),
        beside=Var(),
        equations=["n = previous(n) + sample(1, fast)", "alone = sample(y, slow)", "beside = sample(y + 1e-12*n, slow)"],
    )
    result = instantiate(model).simulate(0.5, tolerance=1e-10)
    times = [0.2, 0.4]
    assert sampled(result, "alone", times) == pytest.approx([0.2, 1.4], abs=1e-5)
    assert sampled(result, "beside", times) == pytest.approx([0.2, 1.4], abs=1e-5)
