"""``delay(e, T)``: values of the past, jumps that arrive, delay differential equations by the method of steps."""

import math

import numpy as np
import pytest

from modiapy import Assert, For, Function, If, Map, Model, ModelError, SimulationError, Var, When, instantiate
from tests.at_once import at_once, bits

pytestmark = pytest.mark.white_box

SOLVERS = [{"solver": "cvode"}, {"solver": "scipy"}, {"solver": "sundae"}, {"mode": "dae"}]


def simulated(model, stop_time=3.0, **options):
    return instantiate(model).simulate(stop_time, **{"tolerance": 1e-8, "interval": 0.01} | options)


def with_equations(*equations, **variables):
    return Model(x=Var(init=0.0), y=Var(), **variables, equations=["der(x) = cos(time)", *equations])


def delayed_sine(t, delay):
    """sin(t - delay), and its value at 0 before."""
    return np.sin(np.maximum(t - delay, 0.0))


@pytest.mark.parametrize("delay", [0.013, 0.5, 2.7, 10.0])
def test_a_state_is_delayed(delay):
    result = simulated(with_equations(f"y = delay(x, {delay})"))
    assert result["y"] == pytest.approx(delayed_sine(result.time, delay), abs=5e-7)
    assert not [name for name in result.signals() if "delay" in name]


@pytest.mark.parametrize("options", SOLVERS, ids=["cvode", "scipy", "sundae", "dae"])
def test_a_delay_differential_equation_by_the_method_of_steps(options):
    """x' = -x(t - 1) with x = 1 before: 1 - t, then 1 - t + (t - 1)**2/2, then one power more."""
    result = simulated(Model(x=Var(init=1.0), equations=["der(x) = -delay(x, 1)"]), 3.0, **options)
    t = result.time
    exact = 1 - t + np.maximum(t - 1, 0) ** 2 / 2 - np.maximum(t - 2, 0) ** 3 / 6
    assert result["x"] == pytest.approx(exact, abs=1e-7)


def test_an_expression_of_time_alone_is_stored_to_the_tolerance():
    """The integrator has nothing to do, and its steps do not show how fast the expression changes."""
    result = simulated(Model(y=Var(), equations=["y = delay(sin(100*time), 0.5)"]))
    assert result["y"] == pytest.approx(np.sin(100.0 * np.maximum(result.time - 0.5, 0.0)), abs=1e-6)


def test_each_delayed_expression_is_stored_to_its_own_size():
    """A small fast one beside a large slow one, in either order."""
    delayed = {"y": "1e6*sin(time)", "z": "1e-3*sin(100*time)"}
    for names in ("yz", "zy"):
        result = simulated(Model(**{name: Var(f"delay({delayed[name]}, 0.5)") for name in names}), 1.5)
        late = np.maximum(result.time - 0.5, 0.0)
        assert result["y"] == pytest.approx(1e6 * np.sin(late), abs=1.0)
        assert result["z"] == pytest.approx(1e-3 * np.sin(100.0 * late), abs=1e-9)


@pytest.mark.parametrize("swing", [0.3, 0.5])
def test_a_variable_delay_may_become_zero(swing):
    result = simulated(with_equations(f"T = 0.5 + {swing}*sin(3*time)", "y = delay(x, T, 1)", T=Var()))
    exact = delayed_sine(result.time, 0.5 + swing * np.sin(3.0 * result.time))
    assert result["y"] == pytest.approx(exact, abs=1e-6)


def test_a_delayed_value_is_differentiated():
    result = simulated(with_equations("y = delay(x, 0.5)", "z = der(y)", z=Var()))
    smooth = abs(result.time - 0.5) > 1e-3
    assert result["z"][smooth] == pytest.approx(np.where(result.time > 0.5, np.cos(result.time - 0.5), 0.0)[smooth], abs=1e-5)


# -- jumps ----------------------------------------------------------------------------------------------------------------


def test_a_jump_arrives_at_a_time_event_and_exactly():
    equations = ["u = 1 if time > 0.3 and time < 0.7 else 0", "y = delay(u, 0.5)", "der(x) = y"]
    result = simulated(Model(u=Var(), x=Var(init=0.0), y=Var(), equations=equations), 2.0, interval=0.1)
    assert result.statistics["events"] == 4
    for time, before in ((0.8, 0.0), (1.2, 1.0)):
        at = np.flatnonzero(np.abs(result.time - time) < 1e-12)
        assert result["y"][at].tolist() == [before, 1.0 - before]
    assert result["x"][-1] == pytest.approx(0.4, abs=1e-12)


def test_a_jump_goes_round_and_fades():
    result = simulated(Model(y=Var(), equations=["y = (1 if time >= 0.25 else 0) + 0.5*delay(y, 0.5)"]), 3.0)
    assert result["y"][-1] == pytest.approx(2.0 - 0.5**5, abs=1e-12)
    assert result.statistics["events"] == 6


def test_a_boolean_is_delayed():
    model = Model(b=Var(type="Boolean"), c=Var(type="Boolean"), equations=["b = sin(7*time) > 0", "c = delay(b, 0.3) > 0.5"])
    result = simulated(model, interval=0.0137)
    away = abs(np.sin(7.0 * (result.time - 0.3))) > 1e-6
    expected = (np.sin(7.0 * (result.time - 0.3)) > 0.0) & (result.time > 0.3)
    assert (result["c"][away] == expected[away]).all()


def test_a_state_event_of_a_delayed_value():
    model = with_equations(
        "y = x", When("delay(x, 0.5) > 0.5", ["n = pre(n) + 1", "t = time"]), n=Var(type="Integer", init=0), t=Var(init=0.0)
    )
    result = simulated(model, 4.0)
    assert result["n"][-1] == 1
    assert result["t"][-1] == pytest.approx(0.5 + math.asin(0.5), abs=1e-6)


def test_an_assertion_on_a_delayed_value():
    with pytest.raises(SimulationError, match="too late") as error:
        simulated(with_equations("y = x", Assert("delay(x, 0.5) < 0.5", "too late")))
    assert error.value.time == pytest.approx(0.5 + math.asin(0.5), abs=1e-6)


# -- the beginning --------------------------------------------------------------------------------------------------------


def test_the_past_before_the_start_is_the_first_value():
    result = simulated(with_equations("y = delay(3 + 2*x + time, 0.5)"), 2.0, start_time=1.0)
    assert result["y"][result.time < 1.5] == pytest.approx(4.0, abs=1e-12)


def test_the_initialization_knows_the_delayed_value():
    """At rest from the beginning: 0 = 2 - x - x/2."""
    equations = ["der(x) = 2 - x - 0.5*delay(x, 0.5)"]
    result = simulated(Model(x=Var(start=0.3), equations=equations, initial_equations=["der(x) = 0"]))
    assert result["x"] == pytest.approx(4.0 / 3.0, abs=1e-9)


def test_values_that_depend_on_themselves_at_the_start_are_refused():
    model = Model(y=Var(), equations=["y = 1 - delay(y, 0.5)"])
    with pytest.raises(SimulationError, match=r"do not settle; found 'delay\(y, 0.5\)'"):
        simulated(model)


# -- as other models ------------------------------------------------------------------------------------------------------


BUSY = Model(
    tau=0.4,
    x=Var(init=1.0),
    u=Var(),
    T=Var(),
    z=Var(),
    n=Var(type="Integer", init=0),
    equations=[
        "der(x) = -3*delay(x, tau) + u",
        "u = 1 if sin(5*time) > 0.3 else 0",
        "T = 0.3 + 0.2*sin(time)",
        "z = delay(u*x, T, 0.5)",
        When("delay(x, tau) > 0.2", ["n = pre(n) + 1"]),
    ],
)


@pytest.fixture(scope="module")
def busy():
    """The model, and its uninterrupted result."""
    sim = instantiate(BUSY, "Busy")
    return sim, sim.simulate(4.0, interval=0.1)


@pytest.mark.parametrize("stop", [0.05, 0.4, 1.3, 2.77])
def test_saved_anywhere_the_future_is_the_same(busy, tmp_path, stop):
    part, whole = busy
    part.simulate(stop, interval=0.1)
    part.save(tmp_path / "saved")
    other = instantiate(BUSY, "Busy")
    other.restore(tmp_path / "saved")
    rest = other.simulate(4.0)
    n = rest.time.size
    for name in ("time", "x", "z", "n"):
        assert rest[name].tobytes() == whole[name][-n:].tobytes(), name


def test_threads_share_the_model_and_steps_do_not_depend_on_output_points():
    simulation = instantiate(BUSY, "Busy")
    results = at_once([lambda: simulation.simulate(2.0, interval=0.1)] * 3)
    assert len({bits(result) for result in results}) == 1
    coarse = simulation.simulate(2.0, interval=2.0)
    assert coarse["x"][-1] == results[0]["x"][-1]
    assert coarse["z"][-1] == results[0]["z"][-1]


def test_the_delay_time_is_a_parameter():
    simulation = instantiate(Model(T=0.5) | with_equations("y = delay(x, T)"))
    for delay in (0.25, 1.5):
        result = simulation.simulate(3.0, merge=Map(T=delay), tolerance=1e-8)
        assert result["y"] == pytest.approx(delayed_sine(result.time, delay), abs=5e-7)
        assert result.statistics["compilations_after_start"] == 0


def test_long_simulations_forget_what_is_older_than_the_delay(tmp_path):
    """A snapshot after six times the time is as large."""
    model = with_equations("y = delay(x, 0.1)", When("sample(0, 1)", ["n = pre(n) + 1"]), n=Var(type="Integer", init=0))
    simulation, sizes = instantiate(model), []
    for stop in (10.0, 60.0):
        simulation.simulate(stop, interval=100.0)
        simulation.save(tmp_path / f"{stop}")
        sizes.append((tmp_path / f"{stop}").stat().st_size)
    assert sizes[1] < 2 * sizes[0]


# -- mistakes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("y = delay(x)", r"'delay\(x\)' does not say by how much"),
        ("y = delay(x, x)", r"the delay time of 'delay\(x, x\)' changes.*delay\(x, time, largest_time\)"),
        ("y = delay(x, 0.1, x)", "the largest delay time of .* changes"),
        ("y = delay(x, 0)", "is not positive; found 0.0 s"),
        ("y = delay(x, -1)", "is not positive; found -1.0 s"),
        ("y = delay(x, 2 - time, 1.5)", "out of its range; found 2.0 s; expected from 0 to 1.5 s"),
        ("y = delay(x, 1 - time, 1.5)", r"at time 1\.\d* s .*out of its range; found -"),
    ],
)
def test_mistakes_are_told(equation, message):
    with pytest.raises((ModelError, SimulationError), match=message):
        simulated(with_equations(equation))


def test_what_knows_no_past_refuses_delays():
    simulation = instantiate(with_equations("y = delay(x, 0.5)"))
    for call in (simulation.linearize, simulation.steady_state):
        with pytest.raises((ModelError, SimulationError), match="PadeDelay"):
            call()
    with pytest.raises(ModelError, match="not in initial ones"):
        instantiate(Model(x=Var(start=0.0), equations=["der(x) = 1"], initial_equations=["delay(x, 1) = 3"]))


def test_a_delay_in_one_branch_keeps_the_past_of_all_times():
    result = simulated(with_equations(If("time > 2", ["y = delay(x, 0.5)"], otherwise=["y = 0"])))
    late = result.time > 2.0
    assert result["y"][late] == pytest.approx(delayed_sine(result.time, 0.5)[late], abs=5e-7)


def test_a_delay_time_may_be_called_delay():
    result = simulated(with_equations("y = delay(x, delay)", delay=0.5))
    assert result["y"] == pytest.approx(delayed_sine(result.time, 0.5), abs=5e-7)
    with pytest.raises(ModelError, match="'delay' is a function of the language"):
        instantiate(with_equations("y = x", delay=Function(math.sin)))


def test_delays_are_repeated():
    model = Model(
        x=Var(init=0.0),
        y=Var(init=np.zeros(2)),
        equations=["der(x) = cos(time)", For("k", 2, ["y[k] = delay(x, 0.5*k + 0.25)"])],
    )
    result = simulated(model)
    for k in range(2):
        assert result["y"][:, k] == pytest.approx(delayed_sine(result.time, 0.5 * k + 0.25), abs=5e-7)


def test_the_delay_of_an_array_is_written_for_its_elements():
    model = Model(x=Var(init=[0.0, 1.0]), y=Var(), equations=["der(x) = -x", "y = delay(x[1], 0.5)"])
    result = simulated(model)
    assert result["y"] == pytest.approx(np.exp(-np.maximum(result.time - 0.5, 0.0)), abs=1e-6)
    with pytest.raises(ModelError, match=r"delays an array.*delay\(x\[0\], T\)"):
        instantiate(Model(x=Var(init=[0.0, 1.0]), y=Var(), equations=["der(x) = -x", "y = delay(x, 0.5)"]))
