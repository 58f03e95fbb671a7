"""When clauses: bouncing ball, counters, elsewhen, reinit, simultaneous and chained events."""

import math

import numpy as np
import pytest

from modiapy import Map, Model, Var, When, instantiate

G, E = 9.81, 0.7


def ball(*rules, **entries):
    equations = ["der(h) = v", f"der(v) = -{G}", *rules]
    return Model(e=E, h=Var(init=1.0), v=Var(init=0.0), n=Var(type="Integer", init=0), equations=equations) | Model(**entries)


BOUNCE = When("h < 0", ["reinit(v, -e*pre(v))", "n = pre(n) + 1"])


def exact_ball(time, h0=1.0, e=E):
    """Height, velocity and number of bounces in closed form."""
    fall = math.sqrt(2.0 * h0 / G)
    if time <= fall:
        return h0 - 0.5 * G * time**2, -G * time, 0
    begin, speed, n = fall, e * G * fall, 1
    while time > begin + 2.0 * speed / G:
        begin, speed, n = begin + 2.0 * speed / G, e * speed, n + 1
    s = time - begin
    return speed * s - 0.5 * G * s**2, speed - G * s, n


def after(result, name, time):
    """Value after the event at this time."""
    return result[name][np.flatnonzero(np.isclose(result.time, time, rtol=0, atol=1e-9))[-1]]


def test_bouncing_ball_agrees_with_the_closed_form():
    result = instantiate(ball(BOUNCE)).simulate(2.3, tolerance=1e-10)
    for k in range(0, result.time.size, 7):
        t = result.time[k]
        h, v, n = exact_ball(t)
        assert result["h"][k] == pytest.approx(h, abs=1e-7)
        impact = abs(h) < 1e-6
        assert impact or (result["v"][k], result["n"][k]) == (pytest.approx(v, abs=1e-6), n)
    assert result["n"][-1] == exact_ball(2.3)[2]


def test_both_values_of_states_and_discrete_variables_are_stored_at_an_event():
    result = instantiate(ball(BOUNCE)).simulate(1.0)
    impact = math.sqrt(2.0 / G)
    at = np.flatnonzero(np.isclose(result.time, impact, rtol=0, atol=1e-6))
    assert (result["n"][at[0]], result["n"][at[-1]]) == (0, 1)
    assert result["v"][at[0]] == pytest.approx(-G * impact, rel=1e-5)
    assert result["v"][at[-1]] == pytest.approx(E * G * impact, rel=1e-5)


def test_restitution_may_be_changed_without_new_machine_code():
    simulation = instantiate(ball(BOUNCE))
    result = simulation.simulate(1.0, merge=Map(e=1.0, n=Map(init=10)), tolerance=1e-9)
    assert (result["n"][0], result["n"][-1]) == (10, 11)
    assert result["h"][-1] == pytest.approx(exact_ball(1.0, e=1.0)[0], abs=1e-6)
    assert result.statistics["compilations_after_start"] == 0


def test_a_ball_that_comes_to_rest_stays_there_exactly():
    rest = When("h < 0", ["flying = pre(v) < -1e-3", "reinit(v, -e*pre(v) if flying else 0)", "reinit(h, 0)"])
    equations = ["der(h) = v", "der(v) = -9.81 if flying else 0", rest]
    model = Model(e=E, h=Var(init=1.0), v=Var(init=0.0), flying=Var(type="Boolean", init=True), equations=equations)
    result = instantiate(model).simulate(4.0)
    assert result["flying"][-1] == 0.0
    assert (result["h"][-1], result["v"][-1]) == (0.0, 0.0)
    # the impacts follow each other in a geometric series, until the velocity is below the threshold
    impact, bounces = math.sqrt(2.0 * G), math.ceil(math.log(1e-3 / math.sqrt(2.0 * G)) / math.log(E))
    end = math.sqrt(2.0 / G) + 2.0 * impact / G * sum(E**k for k in range(1, bounces + 1))
    assert result.time[np.flatnonzero(result["flying"] == 0.0)[0]] == pytest.approx(end, abs=1e-3)


def test_a_counter_counts_the_crossings_in_one_direction():
    model = Model(n=Var(type="Integer", init=0), y=Var("sin(2*pi*time)"), equations=[When("y > 0.5", ["n = pre(n) + 1"])])
    result = instantiate(model).simulate(3.2)
    assert result["n"][-1] == 4
    crossings = result.time[np.flatnonzero(np.diff(result["n"]) > 0)]
    assert crossings == pytest.approx([k + 1.0 / 12.0 for k in range(4)], abs=1e-6)


def test_elsewhen_is_not_active_where_a_branch_before_it_is():
    rules = When("x > 1", ["which = 1"], elsewhen=[("x > 1", ["which = 2"]), ("x > 2", ["which = 3"])])
    model = Model(x=Var(init=0.0), which=Var(type="Integer", init=0), equations=["der(x) = 1", rules])
    result = instantiate(model).simulate(3.0)
    assert [after(result, "which", t) for t in (0.0, 3.0)] == [0, 3]
    assert set(result["which"]) == {0, 1, 3}


def test_a_branch_does_nothing_at_all_where_one_before_it_is_active():
    """Neither what it sets alone, nor its reinit, nor its end of the simulation."""
    both = [("x > 0.5 and y > 0", ["b = pre(b) + 1", "reinit(y, 9)", "terminate('no')"])]
    model = Model(
        x=Var(init=0.0),
        y=Var(init=1.0),
        a=Var(init=0.0),
        b=Var(init=0.0),
        equations=["der(x) = 1", "der(y) = 0", When("x > 0.5", ["a = pre(a) + 1"], both)],
    )
    result = instantiate(model).simulate(1.0)
    assert (result["a"][-1], result["b"][-1], result["y"][-1]) == (1.0, 0.0, 1.0)
    assert (result.time[-1], result.terminated) == (1.0, "")


def test_a_branch_may_leave_variables_of_other_branches_alone():
    rules = When("after(1)", ["a = 5"], elsewhen=[("after(2)", ["b = a + 1"])])
    model = Model(a=Var(init=1.0), b=Var(init=2.0), equations=[rules])
    result = instantiate(model).simulate(3.0)
    assert [(after(result, "a", t), after(result, "b", t)) for t in (0.0, 1.0, 3.0)] == [(1, 2), (5, 2), (5, 6)]


def test_any_of_several_conditions_fires_and_initial_only_at_the_beginning():
    rules = When(["initial()", "after(1)", "x > 1.5"], ["n = pre(n) + 1"])
    model = Model(x=Var(init=0.0), n=Var(type="Integer", init=0), equations=["der(x) = 1", rules])
    result = instantiate(model).simulate(2.0)
    assert [after(result, "n", t) for t in (0.0, 1.0, 2.0)] == [1, 2, 3]


def test_a_condition_that_is_true_at_the_beginning_does_not_fire():
    model = Model(x=Var(init=2.0), n=Var(type="Integer", init=0), equations=["der(x) = -1", When("x > 1", ["n = pre(n) + 1"])])
    assert set(instantiate(model).simulate(3.0)["n"]) == {0}


def test_simultaneous_events_are_one_event():
    rules = [When("time >= 1", ["a = pre(b) + 1"]), When("after(1)", ["b = pre(a) + 10"]), When("x >= 1", ["c = a + b"])]
    model = Model(x=Var(init=0.0), a=Var(init=1.0), b=Var(init=2.0), c=Var(init=0.0), equations=["der(x) = 1", *rules])
    result = instantiate(model).simulate(2.0, tolerance=1e-10)
    assert (result["a"][-1], result["b"][-1], result["c"][-1]) == (3.0, 11.0, 14.0)


def test_chained_when_clauses_fire_at_the_same_instant():
    n = 8
    # each needs the value of the iteration before
    rules = [When("after(0.5)", ["x0 = 1"])] + [When(f"pre(x{k}) > 0.5", [f"x{k + 1} = pre(x{k}) + 1"]) for k in range(n)]
    model = Model(equations=rules[::-1], **{f"x{k}": Var(init=0.0) for k in range(n + 1)})
    result = instantiate(model).simulate(1.0)
    assert [result[f"x{k}"][-1] for k in range(n + 1)] == [k + 1.0 for k in range(n + 1)]
    assert result[f"x{n}"][np.flatnonzero(result.time == 0.5)[-1]] == n + 1
    assert result.statistics["events"] == 1


def test_reinit_of_an_alias_with_the_opposite_sign():
    model = Model(x=Var(init=1.0), z=Var(), equations=["z = -x", "der(x) = 0", When("after(1)", ["reinit(z, 3 + pre(z))"])])
    result = instantiate(model).simulate(2.0)
    assert result["x"][-1] == pytest.approx(-2.0)
    assert result["z"][-1] == pytest.approx(2.0)


def test_pre_of_a_state_in_reinit_is_its_left_limit_for_all_reinits_of_an_event():
    rules = When("after(1)", ["reinit(x, pre(y))", "reinit(y, pre(x))"])
    model = Model(x=Var(init=1.0), y=Var(init=2.0), equations=["der(x) = 0", "der(y) = 0", rules])
    result = instantiate(model).simulate(2.0)
    assert (result["x"][-1], result["y"][-1]) == (2.0, 1.0)


def test_a_when_clause_of_a_submodel_and_the_next_time_event_as_a_variable():
    timer = Model(period=0.25, next=Var(init=0.25), n=Var(type="Integer", init=0))
    timer |= Model(equations=[When("time >= pre(next)", ["next = pre(next) + period", "n = pre(n) + 1"])])
    model = Model(slow=timer | Map(period=0.5, next=Map(init=0.5)), fast=timer)
    result = instantiate(model).simulate(2.1)
    assert (result["slow.n"][-1], result["fast.n"][-1]) == (4, 8)
    assert result.statistics["events_by_kind"] == {"time": 8}


def test_integers_in_continuous_equations_and_derivatives_of_products_with_them():
    # y = n*x is differentiated by index reduction; n is constant between events
    rules = When("after(1)", ["n = 3"])
    model = Model(
        n=Var(type="Integer", init=2),
        x=Var(init=0.0),
        y=Var(),
        v=Var(),
        equations=["der(x) = 1", "y = n*x", "der(y) = v", rules],
    )
    result = instantiate(model).simulate(2.0)
    assert [after(result, "v", t) for t in (0.0, 2.0)] == [2.0, 3.0]


def test_printed_flat_model_reads_like_what_was_written():
    text = str(instantiate(ball(BOUNCE)).flat)
    assert "when h < 0:" in text
    assert "reinit(v, -(e*pre(v)))" in text
    assert "n = pre(n) + 1" in text
