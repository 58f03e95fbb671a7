"""A numerical failure names the last event and the states that change fastest."""

import numpy as np
import pytest

from modiapy import Assert, Function, Model, ModelError, NumericalError, SimulationError, Var, instantiate
from modiapy.simulation.fastest_states import FastState

pytestmark = pytest.mark.white_box


def failure(model: Model, stop_time: float = 2.0) -> NumericalError:
    with pytest.raises(NumericalError) as caught:
        instantiate(model).simulate(stop_time)
    return caught.value


def test_the_fastest_state_is_the_first_suspect() -> None:
    """1/(1 - t) grows beyond all bounds; a large constant state and a fast bounded one do not."""
    model = Model(
        large=Var(init=1e6),
        bounded=Var(init=1.0),
        grows=Var(init=1.0),
        equations=["der(large) = 1.0", "der(bounded) = 30*cos(30*time)", "der(grows) = grows*grows"],
    )
    error = failure(model)
    assert [state.name for state in error.fastest_states] == ["grows", "bounded", "large"]
    first = error.fastest_states[0]
    assert first.rate == pytest.approx(first.value**2)
    assert first.value > first.before > 100.0
    assert first.since == pytest.approx(0.996)
    assert error.last_event == ""
    assert error.result["grows"][-1] == first.before


def test_the_six_fastest_beside_their_sizes_are_told() -> None:
    slow = {f"s{k}": Var(init=0.0) for k in (3, 8, 1, 6, 2, 7, 5, 4)}
    rates = [f"der({name}) = 0.1*{name[1:]}" for name in slow]
    model = Model(
        **slow,
        heavy=Var(init=0.0, nominal=1e6),
        far=Var(init=1e6),
        grows=Var(init=1.0),
        equations=[*rates, "der(heavy) = 100", "der(far) = 50", "der(grows) = grows*grows"],
    )
    assert [state.name for state in failure(model).fastest_states] == ["grows", "s8", "s7", "s6", "s5", "s4"]


def test_a_suspect_is_told_with_its_value_before_where_that_was_another_one() -> None:
    moves, stays = FastState("a.x", 2.5, -3.0, 1.5, 0.25), FastState("v", 2.5, np.nan, 2.5, 0.25)
    assert str(moves) == "a.x = 2.5 (1.5 at 0.25 s), derivative -3/s"
    assert str(stays) == "v = 2.5, its derivative cannot be computed"


def test_the_last_event_is_named() -> None:
    model = Model(
        x=Var(init=1.0), y=Var(init=0.0), equations=["der(x) = -1", "der(y) = 0.0 if x > 0.5 else 1/sqrt(x - 0.25) - y"]
    )
    error = failure(model)
    assert error.last_event == "state event 'x > 0.5' at 0.5 s"
    assert {state.name for state in error.fastest_states} == {"x", "y"}


@pytest.mark.parametrize(
    ("variables", "last"),
    [
        ({"x": Var(init=0.0), "y": Var(init=0.0)}, "state event 'x > 0.5', 'y > 0.5' at 0.5 s"),
        ({"c": Var("1 if after(0.5) else 0")}, "time event at 0.5 s"),
    ],
)
def test_the_last_event_is_told_with_all_that_happened_in_it(variables: dict[str, Var], last: str) -> None:
    states = [name for name in variables if name != "c"]
    signals = {f"is_{name}": Var(f"1 if {name} > 0.5 else 0") for name in states}
    equations = [*(f"der({name}) = 1" for name in states), "der(z) = 0.5/sqrt(0.75 - time)"]
    assert failure(Model(**variables, **signals, z=Var(init=0.0), equations=equations)).last_event == last


def test_what_the_state_follows_from_that_stops_the_integrator_is_told() -> None:
    error = failure(Model(calm=Var(init=1.0), wild=Var(init=1.0), equations=["der(calm) = -calm", "der(wild) = wild**2"]))
    assert error.path == "wild"
    assert error.found.startswith("the largest error in state 'wild', which follows from 'der(wild) = wild**2' (der(wild) = ")
    assert error.remedy.endswith("try another tolerance, larger or smaller.")
    assert error.time == pytest.approx(1.0, abs=1e-2)


def test_where_derivatives_have_no_value_the_states_are_told_all_the_same() -> None:
    error = failure(Model(x=Var(init=1.0), y=Var(init=0.0), equations=["der(x) = -1", "der(y) = log(x - 0.5)"]))
    assert {state.name for state in error.fastest_states} == {"x", "y"}
    assert "cannot be computed" in error.message
    assert all(np.isfinite(state.value) for state in error.fastest_states)


def test_relations_that_switch_without_end_are_a_numerical_failure() -> None:
    error = failure(Model(x=Var(init=1.0), equations=["der(x) = -1 if x > 0 else 1"]))
    assert "x > 0" in error.last_event


def test_equations_without_a_solution_fail_before_there_is_a_state() -> None:
    error = failure(Model(y=Var(start=1.0), equations=["y*y + 1 = 0.5"]))
    assert error.fastest_states == ()
    assert "no solution" in error.message


def test_mistakes_are_no_numerical_failures() -> None:
    low = Model(x=Var(init=1.0), equations=["der(x) = -1", Assert("x > 0.5", "low")])
    with pytest.raises(SimulationError, match="low") as caught:
        instantiate(low).simulate(1.0)
    assert not isinstance(caught.value, NumericalError)
    with pytest.raises(ModelError):
        instantiate(Model(x=Var(init=1.0), equations=["der(x) = -z"]))


def test_a_function_of_the_user_that_fails_is_a_mistake() -> None:
    def limited(x: float) -> float:
        if x < 0.5:
            raise ValueError("mine")
        return -x

    with pytest.raises(SimulationError, match="ValueError: mine") as caught:
        instantiate(Model(x=Var(init=1.0), limited=Function(limited), equations=["der(x) = limited(x)"])).simulate(2.0)
    assert not isinstance(caught.value, NumericalError)
    assert caught.value.time == pytest.approx(np.log(2.0), abs=1e-3)


def test_a_relation_that_fails_within_a_step_is_told_with_that_time() -> None:
    """Where its crossing is looked for: the step goes on beyond that."""

    def limited(x: float) -> float:
        if 0.5 < x < 0.52:
            raise ValueError("mine")
        return x

    variables = {"x": Var(init=0.0), "y": Var(init=0.0), "limited": Function(limited)}
    model = Model(**variables, equations=["der(x) = 1", "der(y) = 1 if limited(x) > 0.51 else -1"])
    with pytest.raises(SimulationError, match="ValueError: mine") as caught:
        instantiate(model).simulate(2.0)
    assert 0.5 < caught.value.time < 0.52
    assert f"at time {caught.value.time:.10g} s" in str(caught.value)
