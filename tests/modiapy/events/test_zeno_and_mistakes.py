"""Events that never end, assertions, and what a user gets wrong."""

import json

import numpy as np
import pytest

from modiapy import Assert, Model, ModelError, NumericalError, SimulationError, Var, When, instantiate
from modiapy.flat import Assertion, FlatModel, Variable, WhenBranch, WhenEquation, parse, parse_equation, sort_model
from modiapy.simulation.events.history import EventHistory
from modiapy.symbolic.codegen.model import compile_model

pytestmark = pytest.mark.white_box


@pytest.mark.parametrize(("e", "start"), [(0.3, 1.0), (0.5, 1.0), (0.7, 1.0), (0.9, 1.0), (0.7, 100.0)])
def test_accumulating_events_end_with_a_message_that_names_the_event(e, start):
    equations = ["der(h) = v", "der(v) = -9.81", When("h < 0", ["reinit(v, -e*pre(v))"])]
    ball = Model(e=e, h=Var(init=start), v=Var(init=0.0), equations=equations)
    with pytest.raises(SimulationError, match=r"'ball\.h < 0'.*Zeno") as error:
        instantiate(Model(ball=ball)).simulate(100.0, interval=0.01)
    fall = np.sqrt(2.0 * start / 9.81)
    assert error.value.time == pytest.approx(fall * (1.0 + 2.0 * e / (1.0 - e)), rel=0.02)
    assert error.value.path == "ball"
    assert error.value.result["ball.h"].min() > -1e-6


def test_what_flies_far_after_two_close_bounces_is_told_nothing():
    """The same wall is hit at distances of 1.4 s and 1e-4 s; then the ball flies for 3 s, as balls of Newton's cradle do."""
    speed = "1.4 if pre(n) == 0 else (1e-4 if pre(n) == 1 else 3)"
    hit = When("x < 0", ["n = pre(n) + 1", f"reinit(v, {speed})"])
    x, v, n = Var(init=0.0025), Var(init=0.0), Var(type="Integer", init=0)
    result = instantiate(Model(x=x, v=v, n=n, equations=["der(x) = v", "der(v) = -2", hit])).simulate(4.0)
    flown = 4.0 - np.sqrt(0.0025) - 1.4 - 1e-4
    assert result["n"][-1] == 3
    assert result["x"][-1] == pytest.approx((3.0 - flown) * flown, abs=1e-3)


@pytest.mark.parametrize("upwards", [True, False])
@pytest.mark.parametrize("tolerance", [1e-5, 1e-6, 1e-8])
@pytest.mark.parametrize("e", [0.005, 0.04, 0.1, 0.2])
def test_what_bounces_too_little_to_be_seen_is_told_and_does_not_pass_through_the_ground(e, tolerance, upwards):
    """It bounces a few times only until its bounces are smaller than what errors of the states make of them."""
    contact = "-h > 0" if upwards else "h < 0"
    equations = ["der(h) = v", "der(v) = -9.81", When(contact, ["reinit(v, -e*pre(v))"])]
    sim = instantiate(Model(ball=Model(e=e, h=Var(init=1.0), v=Var(init=0.0), equations=equations)))
    with pytest.raises(SimulationError, match=r"'.*ball\.h [<>] 0' comes faster and faster.*Zeno") as error:
        sim.simulate(3.0, tolerance=tolerance, interval=0.1)
    assert error.value.time == pytest.approx(np.sqrt(2.0 / 9.81) * (1.0 + 2.0 * e / (1.0 - e)), abs=1e-3)
    assert error.value.path == "ball"
    assert error.value.result["ball.h"][error.value.result.time <= error.value.time].min() > -1e-4


@pytest.mark.parametrize("e", [0.05, 0.2])
def test_what_rests_after_short_bounces_may_fall_when_its_ground_is_taken_away(e):
    """That it came sooner and sooner, and comes no more, is no mistake: it rested meanwhile."""
    bounce = When("h < 0", ["flying = pre(v) < -1e-5", "reinit(v, -e*pre(v) if flying else 0)"])
    equations = ["der(h) = v", "der(v) = -9.81 if flying or time > 2 else 0", bounce]
    ball = Model(e=e, h=Var(init=1.0), v=Var(init=0.0), flying=Var(type="Boolean", init=True), equations=equations)
    result = instantiate(ball).simulate(2.5)
    fall = np.sqrt(2.0 / 9.81) * (1.0 + 2.0 * e / (1.0 - e))
    rests = (result.time > fall + 0.01) & (result.time < 2.0)
    assert np.abs(result["h"][rests]).max() < 1e-6
    assert result["h"][-1] == pytest.approx(-0.5 * 9.81 * 0.5**2, rel=1e-3)


PENDULUM = Model(
    x=Var(init=1.0), y=Var(init=0.0), vx=Var(init=0.0), vy=Var(init=0.0), force=Var(), right=Var("1 if vx > 0 else 0"),
    equations=["x**2 + y**2 = 1", "der(x) = vx", "der(y) = vy", "der(vx) = -force*x", "der(vy) = -force*y - 9.81"],
)  # fmt: skip


def test_a_multiple_zero_is_no_accumulation():
    """vx of a pendulum that begins horizontally has threefold zeros: where it turns it is on both sides of it, by error."""
    sim = instantiate(PENDULUM)
    for tolerance in np.logspace(-4, -10, 7):
        result = sim.simulate(20.0, tolerance=tolerance)
        clear = np.abs(result["vx"]) > 1e-2
        assert (result["right"][clear] == (result["vx"][clear] > 0.0)).all()
        assert np.count_nonzero(np.diff(result["right"][clear])) == 16  # a period takes 2.3678 s
        assert result.statistics["events"] < 16 * 12


@pytest.mark.parametrize("unit", [1.0, 1e5])
def test_a_simulation_that_goes_on_knows_the_events_that_accumulated_before(unit, tmp_path):
    """It ends with the same message at the same time, to the last bit."""
    equations = ["der(h) = s*v", "der(v) = -9.81*s", When("h < 0", ["reinit(v, -0.7*pre(v))"])]
    sim = instantiate(Model(s=1.0 / unit, h=Var(init=1.0), v=Var(init=0.0), equations=equations))
    with pytest.raises(SimulationError, match="Zeno") as whole:
        sim.simulate(100.0 * unit)
    for stop in (0.9 * unit, 2.0 * unit, whole.value.time - 1e-4 * unit, whole.value.time - 1e-7 * unit):
        sim.simulate(stop, save=tmp_path / "snapshot")  # after one contact, some, many, nearly all
        sim.restore(tmp_path / "snapshot")
        with pytest.raises(SimulationError, match="Zeno") as rest:
            sim.simulate(100.0 * unit)
        assert (rest.value.time, rest.value.found) == (whole.value.time, whole.value.found)


@pytest.mark.parametrize("scale", [1e-4, 100.0])
def test_an_accumulation_is_the_same_whatever_the_unit_of_time(scale):
    """It is found after as many events, at the same time and with the same distances in that unit."""

    def error(unit):
        equations = ["der(h) = s*v", "der(v) = -9.81*s", When("h < 0", ["reinit(v, -0.7*pre(v))"])]
        model = Model(s=1.0 / unit, h=Var(init=1.0), v=Var(init=0.0), equations=equations)
        with pytest.raises(SimulationError, match="Zeno") as caught:
            instantiate(model).simulate(100.0 * unit)
        found = caught.value
        numbers = [float(text.split()[0]) for text in found.found.removeprefix("distances of the last times: ").split(", ")]
        return found.time / unit, found.result.statistics["events"], np.array(numbers) / unit

    (time, events, distances), (time_1, events_1, distances_1) = error(scale), error(1.0)
    assert time == pytest.approx(time_1, rel=1e-5)
    assert events == events_1
    assert distances == pytest.approx(distances_1, rel=0.06)  # two digits are told


@pytest.mark.parametrize("reset", ["reinit(v, -0.7*pre(v))", "reinit(x, [0.0, -0.7*pre(x[1])])"])
@pytest.mark.parametrize("slowly", [1e-4, 1e-5, 1e-6])
def test_what_moves_ever_so_slowly_bounces_and_does_not_fall_through_the_ground(slowly, reset):
    """Noise of what rests at zero changes nothing; what sets states to other values is none, however small."""
    if reset.startswith("reinit(v"):
        ball = Model(h=Var(init=1.0), v=Var(init=0.0), equations=["der(h) = s*v", "der(v) = -9.81*s", When("h < 0", [reset])])
    else:
        ball = Model(x=Var(init=[1.0, 0.0]), equations=["der(x) = s*[x[1], -9.81]", When("x[0] < 0", [reset])])
    with pytest.raises(SimulationError, match="Zeno") as error:
        instantiate(Model(s=slowly) | ball).simulate(100.0 / slowly)
    height = error.value.result["h" if "h" in error.value.result else "x"]
    assert error.value.time * slowly == pytest.approx(np.sqrt(2.0 / 9.81) * (1.0 + 1.4 / 0.3), rel=1e-4)
    assert height.reshape(len(height), -1)[:, 0].min() > -1e-6


@pytest.mark.parametrize("calm", [False, True])
def test_what_a_component_has_calmed_is_counted_anew(calm):
    """Five distances, each shorter, are no accumulation where something has ended it in between."""
    history, time, step = EventHistory(0.0, lambda k: (f"x[{k}] > 0", "m")), 1.0, 1e-5
    for k in range(8):
        if calm and k == 5:
            history.calm()
        try:
            history.add(time, "state", [0], [True])
        except NumericalError:
            assert not calm
            return
        time, step = time + step, 0.1 * step
    assert calm


@pytest.mark.parametrize("before", [0, 1, 400, 999])
def test_events_at_one_point_are_counted_on_where_a_simulation_goes_on(before):
    def history():
        return EventHistory(0.0, lambda k: (f"x[{k}] > 0", "m"))

    first, second = history(), history()
    for _ in range(before):
        first.add(1.0, "time")
    second.restore(json.loads(json.dumps(first.state())))
    for k in range(before, 1001):
        if k < 1000:
            second.add(1.0, "time")
        else:
            with pytest.raises(NumericalError, match="more than 1000 events"):
                second.add(1.0, "time")
    assert second.total == 1001


def test_chattering_ends_with_a_message_that_names_the_relation():
    model = Model(x=Var(init=1.0), equations=["der(x) = -1 if x > 0 else 1"])
    with pytest.raises(SimulationError, match=r"events at one point in time|do not settle") as error:
        instantiate(Model(m=model)).simulate(3.0)
    assert "m.x > 0" in error.value.found
    assert error.value.time == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("equation", "named"), [("n = pre(n) + 1", "n"), ("n = 1 - pre(n)", "n"), ("n = 0 if pre(n) == 1 else 1", "n")]
)
def test_discrete_variables_that_do_not_settle_are_named(equation, named):
    model = Model(n=Var(type="Integer", init=0), equations=[equation])
    with pytest.raises(SimulationError, match="do not settle in") as error:
        instantiate(Model(first=Model(x=Var(init=0.0), equations=["der(x) = 1"]), m=model)).simulate(1.0)
    assert f"m.{named}" in error.value.found
    assert error.value.path == f"m.{named}"


def test_relations_that_do_not_settle_are_named():
    # y > 0 makes y negative and the other way round
    model = Model(x=Var(init=1.0), y=Var(), equations=["der(x) = 0", "y = -x if y > 0 else x"])
    with pytest.raises(SimulationError, match="relations do not settle") as error:
        instantiate(Model(m=model)).simulate(1.0)
    assert "y > 0" in error.value.found
    assert error.value.path == "m"


# -- assertions -----------------------------------------------------------------------------------------------------------


COUNTER = {"n": Var(type="Integer", init=0)}, "n = pre(n) + (1 if initial() else 0)"
INITIAL = [
    ("not initial() or x > 2", {}, [], True),  # of the initial values only
    ("not initial() or x < 2", {}, [], False),
    ("initial() or x < 0.5", {}, [], True),  # of all but the initial values: fails at the first point behind the initial event
    ("initial() or x > 0.5", {}, [], False),
    ("a > 0.5", {"a": Var()}, ["a = x if initial() else 1"], False),
    ("a < 0.5", {"a": Var()}, ["a = x if initial() else 0"], True),  # by way of another variable
    ("n < 2", COUNTER[0], [COUNTER[1]], False),  # it counts the initial event once
    ("n < 1", COUNTER[0], [COUNTER[1]], True),
]


@pytest.mark.parametrize(("condition", "variables", "rules", "fails"), INITIAL)
def test_an_assertion_holds_at_the_initial_event_too(condition, variables, rules, fails):
    equations = ["der(x) = 1", *rules, Assert(condition, "not as it must be")]
    simulation = instantiate(Model(x=Var(init=1.0), **variables, equations=equations))
    if not fails:
        assert simulation.simulate(1.0).time[-1] == 1.0
        return
    with pytest.raises(SimulationError, match="not as it must be") as error:
        simulation.simulate(1.0)
    assert error.value.time == 0.0
    assert error.value.result.time.tolist() == [0.0]


def test_a_warning_at_the_initial_event_is_given_once():
    model = Model(x=Var(init=1.0), equations=["der(x) = 1", Assert("x < 0.5", "large", level="warning")])
    with pytest.warns(UserWarning, match=r"at time 0 s large") as caught:
        instantiate(model).simulate(1.0)
    assert len(caught) == 1


def test_an_assertion_ends_the_simulation_when_its_condition_stops_to_hold():
    part = Model(limit=0.625, x=Var(init=0.0), equations=["der(x) = 1", Assert("x < limit", "the tank overflows")])
    with pytest.raises(SimulationError, match="the tank overflows") as error:
        instantiate(Model(tank=part)).simulate(1.0)
    assert error.value.time == pytest.approx(0.625, abs=1e-6)
    assert error.value.path == "tank"
    assert "tank.x = 0.62" in error.value.found
    assert "tank.limit = 0.625" in error.value.found
    assert error.value.expected == "'x < limit'"
    assert error.value.result["tank.x"][-1] == pytest.approx(0.625, abs=1e-6)


def test_an_assertion_without_events_is_looked_at_in_output_points():
    model = Model(x=Var(init=0.0), equations=["der(x) = 1", Assert("noEvent(x < 0.625)", "too much")])
    with pytest.raises(SimulationError, match="too much") as error:
        instantiate(model).simulate(1.0, interval=0.1)
    assert error.value.time == pytest.approx(0.7)


def test_an_assertion_that_does_not_hold_at_the_beginning():
    with pytest.raises(SimulationError, match="never") as error:
        instantiate(Model(x=Var(init=2.0), equations=["der(x) = 1", Assert("x < 1", "never")])).simulate(1.0)
    assert error.value.time == 0.0


def test_a_warning_goes_on_and_is_given_once_each_time():
    model = Model(y=Var("sin(2*pi*time)"), equations=[Assert("y < 0.9", "high", level="warning")])
    with pytest.warns(UserWarning, match="high") as warned:
        result = instantiate(model).simulate(3.0)
    assert result.status == "finished"
    assert len(warned) == 3


# -- mistakes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "message", "remedy"),
    [
        ([When("x > 1", ["reinit(y, 0)"])], "'y' in 'reinit.* is not a state", ""),
        ([When("x > 1", ["reinit(p, 0)"])], "'p' in 'reinit.* is a parameter", ""),
        ([When("x > 1", ["reinit(2*x, 0)"])], "reinit", ""),
        ([When("x > 1", ["x == 1"])], "is not an equation", ""),
        ([When("x > 1", ["2*n = 1"])], "is not an assignment", ""),
        ([When("x > 1", ["m = 1"])], "unknown name 'm'", ""),
        ([When("x > 1", ["n = 1"]), When("x > 2", ["n = 2"])], "'n' is set by two when clauses", "elsewhen"),
        ([When("x > 1", ["n = 1", "n = 2"])], "'n' is set twice", ""),
        ([When("x > 1", ["n = k"]), When("x > 1", ["k = n"])], "need each other's present values", "pre"),
        ([When("x > 1", ["n = n + 1"])], "'n' needs its own present value", "pre"),
        ([When("x > 1", ["n = pre(2*x)"])], "past of an expression", "name"),
        ([When("x > 1", ["n = pre(nn)"])], "unknown name 'nn'", ""),
        (["n = pre(time)"], "past of an expression", ""),
        (["n = 1 if x == 1 else 0"], "'==' compares continuous quantities", "noEvent"),
        (["reinit(x, 0) = 1"], "reinit", ""),
        (["n = hold(x)"], "belongs to no clock", "sample"),
    ],
)
def test_mistakes_are_named(rules, message, remedy):
    texts = [text for rule in rules for text in (rule.equations if isinstance(rule, When) else [rule])]
    used = [name for name in ("n", "k") if any(text.startswith((f"{name} ", f"2*{name}")) for text in texts)]
    variables = {name: Var(init=0.0) for name in used}
    model = Model(p=1.0, x=Var(init=0.0), y=Var("2*x"), equations=["der(x) = 1", *rules], **variables)
    with pytest.raises(ModelError, match=message) as error:
        instantiate(model)
    assert remedy in error.value.remedy


def test_a_when_cannot_be_nested_and_needs_a_list():
    with pytest.raises(ModelError, match="inside a When"):
        When("a", [When("b", ["c = 1"])])
    with pytest.raises(ModelError, match="list"):
        When("a", "c = 1")
    with pytest.raises(ModelError, match="elsewhen"):
        When("a", ["c = 1"], elsewhen=["b"])
    with pytest.raises(ModelError, match=r"level 'eror'.*Did you mean 'error'"):
        Assert("a", "b", level="eror")


def test_an_unknown_type_is_refused():
    with pytest.raises(ModelError, match=r"unknown type 'Int'.*Integer"):
        instantiate(Model(n=Var(type="Int", init=0), equations=["n = pre(n)"]))


def test_flat_models_written_by_hand_may_have_when_equations_and_assertions():
    x, n = (parse(name) for name in ("x", "n"))
    when = WhenEquation((WhenBranch((parse("x > 1"),), (parse_equation("n = pre(n) + 1"),), ((x, parse("0")),)),), "", "reset")
    flat = FlatModel(
        name="Saw",
        variables={"x": Variable("x", init=0.0), "n": Variable("n", type="Integer")},
        parameters={},
        equations=[parse_equation("der(x) = 1")],
        whens=[when],
        assertions=[Assertion(parse("n < 3"), "enough")],
    )
    assert "assert n < 3" in str(flat)
    model = sort_model(flat)
    assert model.states == ["x"]
    assert n.name in model.unknowns
    assert [str(r.state) for r in model.discrete.reinits] == ["x"]
    assert compile_model(model).n_indicators == 1
