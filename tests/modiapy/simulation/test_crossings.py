"""Zero crossings of event indicators: which are found, in which order, how exactly."""

import functools
import math
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, SimulationError, Var, When, instantiate
from modiapy.simulation.solvers.crossings import (
    HIGH,
    LOW,
    OFF,
    ROWS,
    CrossingSearch,
    crossing_between,
)
from modiapy.simulation.solvers.watching.instants import INSIDE, precision

pytestmark = pytest.mark.white_box

SOLVERS = ["cvode", "adams", "chebyshev", "scipy", "sundae"]


class InAStep(CrossingSearch):
    """The search in a first step, of indicators that are functions of time."""

    def __init__(self, evaluate, begin, end):
        self.evaluate, self.begin, self.end, self.inside = evaluate, begin, end, begin + INSIDE * (end - begin)
        self.n_z, self.part, self.stop, self.before = evaluate(begin).size, math.inf, math.inf, math.nan
        self.rows, self.at, self.bands, self.off = np.zeros((ROWS, self.n_z)), np.zeros(ROWS), np.zeros(self.n_z), OFF
        self.z = self.rows.reshape(-1)
        for row, t in enumerate((begin, self.inside, end)):
            self.indicators(t, row)

    def indicators(self, t, row):
        self.rows[row] = self.evaluate(t)
        return 0

    @np.errstate(all="ignore")
    def first(self):
        assert self.search() == 0
        return None if self.stop == math.inf else crossing_between(self.stop, self.rows[LOW], self.rows[HIGH])


def event_times(result):
    """Times that stand twice in the result, each once [s]."""
    time = np.asarray(result.time)
    return np.unique(time[1:][np.diff(time) == 0.0])


@functools.cache
def polynomial(states):
    """A relation of a polynomial of time with the roots r1 ... r5, beside states that move or none."""
    moving = {"x": Var(init=1.0), "v": Var(init=0.0)} if states else {}
    equations = ["der(x) = v", "der(v) = -x"] if states else []
    roots = {f"r{k}": 2.0 * k for k in range(1, 6)}
    z = Var("*".join(f"(time - r{k})" for k in range(1, 6)))
    return instantiate(Model(z=z, u=Var("1 if scale*z > 0 else 0"), scale=1.0, equations=equations, **roots, **moving))


@pytest.mark.parametrize(("states", "smallest"), [(False, 0.25), (True, 0.05)])
@settings(max_examples=40)
@given(data=st.data(), scale=st.sampled_from([1e-6, -1.0, 1e6]))
def test_all_simple_roots_of_a_polynomial_are_found_in_order(states, smallest, data, scale):
    """They may be as close as half a step with states, a quarter of one without, where nothing but the signal limits steps."""
    gaps = data.draw(st.lists(st.floats(smallest, 1.0), min_size=5, max_size=5))
    roots = np.cumsum(gaps)
    assume(np.abs(roots - 2.0).min() > 1e-9)  # or it is rounding that decides whether it comes before the end
    roots = roots[roots < 2.0]
    given_roots = {f"r{k + 1}": float(root) for k, root in enumerate(np.cumsum(gaps))}
    result = polynomial(states).simulate(2.0, merge=Map(scale=scale, **given_roots))
    assert event_times(result) == pytest.approx(roots, abs=1e-11)
    assert result.statistics["events"] == roots.size


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("omega", [1.0, 50.0, 2e3, 1e6])
def test_fast_signals_are_resolved_without_states_and_without_output_points(solver, omega):
    model = instantiate(Model(omega=omega, u=Var("1 if sin(omega*time) > 0.5 else 0")))
    periods = 3
    result = model.simulate(periods * 2.0 * math.pi / omega, interval=1e6, solver=solver)
    first, second = math.pi / 6.0, 5.0 * math.pi / 6.0
    wanted = [(phase + 2.0 * math.pi * k) / omega for k in range(periods) for phase in (first, second)]
    assert event_times(result) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("depth", [1e-1, 1e-3, 1e-6])
def test_two_crossings_in_one_step_of_a_parabola(solver, depth):
    """A free fall upwards: the steps of the integrator are far longer than the time above the mark."""
    top = 9.81 / 2.0
    model = Model(
        h=Var(init=0.0),
        v=Var(init=9.81),
        depth=depth,
        u=Var("1 if h > 4.905 - depth else 0"),
        equations=["der(h) = v", "der(v) = -9.81"],
    )
    result = instantiate(model).simulate(3.0, solver=solver, tolerance=1e-9)
    half = math.sqrt(2.0 * depth / 9.81)
    assert result["h"].max() == pytest.approx(top, abs=1e-2)
    assert event_times(result) == pytest.approx([1.0 - half, 1.0 + half], abs=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_indicator_that_only_comes_near_zero_makes_no_event(solver):
    near = Model(x=Var(init=0.0), u=Var("1 if (x - 1)**2 + 1e-9 < 0 else 0"), equations=["der(x) = 1"])
    result = instantiate(near).simulate(3.0, solver=solver)
    assert result.statistics["events"] == 0


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("relation", ["(x - 1)**2 > 0", "(x - 1)**2 < 0"])
def test_an_indicator_that_touches_zero_does_not_stop_the_simulation(solver, relation):
    result = instantiate(Model(x=Var(init=0.0), u=Var(f"1 if {relation} else 0"), equations=["der(x) = 1"])).simulate(
        3.0, solver=solver
    )
    assert result.statistics["events"] <= 2
    assert result["u"][-1] == (0.0 if "<" in relation else 1.0)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_an_indicator_that_is_zero_at_the_start_sleeps_until_it_leaves(solver, direction):
    """It leaves zero at once, which is an event if its relation changes; it crosses when it comes back."""
    model = Model(s=1.0, x=Var(init=0.0), v=Var(init="s"), u=Var("1 if x > 0 else 0"), equations=["der(x) = v", "der(v) = -x"])
    result = instantiate(model).simulate(4.0, merge=Map(s=direction), solver=solver, tolerance=1e-8)
    times = [0.0, math.pi] if direction > 0.0 else [math.pi]
    assert result["u"][0] == 0.0
    assert event_times(result) == pytest.approx(times, abs=1e-5)
    assert result.statistics["events"] == len(times)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_event_exactly_where_a_step_ends(solver):
    """A time event ends a step exactly; there the indicator is zero, and it goes on."""
    model = Model(u=Var("1 if x > 1 else 0"), x=Var(init=0.0), c=Var("1 if after(1) else 0"), equations=["der(x) = 1 + 0*c"])
    result = instantiate(model).simulate(2.0, solver=solver)
    assert result["u"][-1] == 1.0
    assert np.abs(event_times(result) - 1.0).max() < 1e-12
    assert result.statistics["events"] <= 2


@pytest.mark.parametrize("solver", SOLVERS)
def test_indicators_that_cross_together_are_one_event(solver):
    model = Model(
        x=Var(init=0.0),
        n=Var(type="Integer", init=0),
        m=Var(type="Integer", init=0),
        equations=["der(x) = 1", When("x > 0.7", ["n = pre(n) + 1"]), When("3*x > 2.1", ["m = pre(m) + 1"])],
    )
    result = instantiate(model).simulate(1.0, solver=solver)
    assert result.statistics["events"] == 1
    assert (result["n"][-1], result["m"][-1]) == (1.0, 1.0)


def test_precision_of_a_crossing():
    model = instantiate(Model(x=Var(init=0.0), u=Var("1 if x > c else 0"), c=0.5, equations=["der(x) = 2"]))
    for c in (1e-3, 0.3, 1.9):
        (time,) = event_times(model.simulate(1.0, merge=Map(c=c)))
        assert time == pytest.approx(c / 2.0, abs=1e-13)


@pytest.mark.parametrize(
    ("solver", "mode"), [("cvode", "ode"), ("cvode", "dae"), ("scipy", "ode"), ("sundae", "ode"), ("sundae", "dae")]
)
@pytest.mark.parametrize("mark", [0.0, 1.0, 1e3])
@pytest.mark.parametrize("push", ["1", "-1"])
def test_a_body_at_rest_at_a_mark_leaves_it(solver, mode, mark, push):
    """A moment later it is still there, as far as its speed tells."""
    model = Model(mark=mark, x=Var(init="mark"), v=Var(init=0.0), u=Var("1 if x > mark else 0"), equations=["der(x) = v"])
    result = instantiate(model | Model(equations=[f"der(v) = {push}"])).simulate(1.0, solver=solver, mode=mode)
    assert result["u"][-1] == (1.0 if push == "1" else 0.0)
    assert (event_times(result) < 1e-5).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_indicator_that_stays_zero_for_a_while_crosses_when_it_leaves(solver):
    model = Model(z=Var("max(0, time - 1)"), x=Var(init=0.0), u=Var("1 if z > 0 else 0"), equations=["der(x) = u"])
    result = instantiate(model).simulate(3.0, solver=solver)
    assert event_times(result) == pytest.approx([1.0], abs=1e-12)
    assert result["x"][-1] == pytest.approx(2.0, abs=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_indicator_that_overflows_crosses_where_it_does(solver):
    model = Model(x=Var(init=0.0), u=Var("1 if exp(100*x) > 2 else 0"), equations=["der(x) = 1"])
    assert event_times(instantiate(model).simulate(100.0, solver=solver)) == pytest.approx([math.log(2.0) / 100.0], rel=1e-9)
    pole = Model(x=Var(init=0.0), u=Var("1 if 1/(x - 5) > 0 else 0"), equations=["der(x) = 1"])
    assert event_times(instantiate(pole).simulate(100.0, solver=solver)) == pytest.approx([5.0], rel=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("relation", "crossing"), [("log(x) > -1", 1.0 - math.exp(-1.0)), ("sqrt(x) > -1", None)])
def test_a_relation_that_can_no_longer_be_computed_stops_the_simulation(solver, relation, crossing):
    """What it decides would be wrong from there on; what crosses before is found."""
    model = instantiate(Model(x=Var(init=1.0), u=Var(f"1 if {relation} else 0"), equations=["der(x) = -1"]))
    with pytest.raises(SimulationError, match=r"at time 1 s .*" + re.escape(relation)) as error:
        model.simulate(30.0, solver=solver)
    crossings = event_times(error.value.result)
    assert crossings[crossings < 0.99] == pytest.approx([] if crossing is None else [crossing], rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_tiny_indicators_cross_where_their_sign_changes(solver):
    """Products of two such values are zero."""
    model = Model(x=Var(init=1.0), u=Var("1 if 1e-200*(x + 1) > 0 else 0"), w=Var("1 if 1e-200*(x - 0.5) > 0 else 0"))
    result = instantiate(model | Model(equations=["der(x) = -x"])).simulate(3.0, solver=solver, tolerance=1e-9)
    assert event_times(result) == pytest.approx([math.log(2.0)], abs=1e-6 if solver == "chebyshev" else 1e-7)


@pytest.mark.parametrize("solver", SOLVERS)
def test_crossings_of_signals_of_different_speeds_without_states(solver):
    """A signal of 130 crossings, of which the steps of an integrator without states follow nothing."""
    parts = [(-1.339, 1.34, 2.0), (0.305, 0.71, 1.0), (1.319, 26.69, 4.0)]
    model = Model(z=Var(" + ".join(f"({a})*sin({w}*time + {p})" for a, w, p in parts)), u=Var("1 if z > 0 else 0"))
    result = instantiate(model).simulate(10.0, solver=solver)
    t = np.linspace(0.0, 10.0, 1_000_001)
    positive = sum(a * np.sin(w * t + p) for a, w, p in parts) > 0.0
    wanted = t[1:][positive[1:] != positive[:-1]]
    assert wanted.size > 50
    assert event_times(result) == pytest.approx(wanted, abs=1.1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_body_that_is_laid_on_a_spring_sinks_in(solver):
    """It begins where the spring does, with no speed yet."""
    spring = Var("-1e4*x - 10*v if x < 0 else 0")
    model = Model(x=Var(init=0.0), v=Var(init=0.0), F=spring, equations=["der(x) = v", "der(v) = F - 9.81"])
    result = instantiate(model).simulate(5.0, solver=solver)
    assert result["x"][-1] == pytest.approx(-9.81e-4, rel=1e-4)


@settings(max_examples=100)
@given(
    steps=st.lists(
        st.tuples(st.floats(0.01, 0.99), st.sampled_from([-1.0, 0.0, 1.0]), st.sampled_from([-1.0, 0.0, 1.0])),
        min_size=1,
        max_size=4,
    ),
    together=st.booleans(),
)
def test_the_first_jump_is_found_with_all_that_jump_there_and_how(steps, together):
    """To zero and away from it is a crossing, too: downwards or upwards as the values are."""
    at, before, after = (np.array(column) for column in zip(*steps, strict=True))
    if together:
        at[:] = at[0]
    assume(np.diff(np.unique(at)).min(initial=1.0) > 1e-9)

    def indicators(t):
        return np.where(t < at, before, after)

    found = InAStep(indicators, 0.0, 1.0).first()
    jumps = np.flatnonzero(before != after)
    if not jumps.size:
        assert found is None
        return
    first = at[jumps].min()
    wanted = [k for k in jumps.tolist() if at[k] == first]
    assert first <= found.time <= first + precision(0.0, 1.0)
    assert found.roots == tuple(wanted)
    assert found.rising == tuple(bool(after[k] > before[k]) for k in wanted)


@pytest.mark.parametrize("ulps", [1, 2, 3, 8])
@pytest.mark.parametrize("least", [1e-6, 1e-3, 0.1])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_comes_close_to_zero_in_a_step_of_rounding_does_not_cross(ulps, least, sign):
    """Times at which indicators are looked at are equal there."""
    begin, unit = 0.6130344, np.spacing(0.6130344)
    for lowest in begin + unit * np.arange(ulps + 1):

        def indicators(t, lowest=lowest):
            return np.array([sign * (abs(t - lowest) / unit + least)])

        end = begin + ulps * unit
        assert InAStep(indicators, begin, end).first() is None


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_curved_indicator_is_located_sooner_than_by_bisection(sign):
    """Its secants come near the zero from one side only. Bisection of the step to 2e-14 takes 45 evaluations."""
    times = []

    def indicators(t):
        times.append(t)
        return np.array([sign * (t**5 - 0.3**5)])

    found = InAStep(indicators, 0.0, 1.0).first()
    assert found.time == pytest.approx(0.3, abs=1e-12)
    assert len(times) < 45
