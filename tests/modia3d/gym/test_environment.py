"""Environments against closed forms, and what gymnasium demands of them."""

import math
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from modia3d.gym import Action, Environment, Observation, Task, register
from modiapy import Model, ModelError, Var, When, instantiate

from .tasks import CART, DOCKING, FORCE, STEP, cart, pushed

TOLERANCE = 1e-5
"""That of the integrator is 1e-6, and it begins again in each of about 20 steps; positions are about 0.1 m."""


def forces(n, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, n)


def observed(environment, actions, seed=1):
    """Observations of an episode, shape (n + 1, size)."""
    found = [environment.reset(seed=seed)[0]]
    return np.array(found + [environment.step(np.atleast_1d(a))[0] for a in actions])


@pytest.mark.parametrize("task", ["cart", "docking"])
def test_the_checker_of_gymnasium_has_no_objections(task):
    register()
    fields = {"step": STEP, "stop_time": 2.0, "actions": FORCE, "reward": "-x**2", "factors": {"m": {"uniform": [1.0, 3.0]}}}
    observations = {name: {"low": -10.0, "high": 10.0, "noise": 0.1} for name in ("x", "v")}
    given = {"task": DOCKING} if task == "docking" else {"task": CART, "observations": observations, **fields}
    if task == "cart":
        given["observations"] = {name: {"signal": name, **each} for name, each in observations.items()}
    environment = gymnasium.make("modia3d/Scenario-v0", **given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(environment.unwrapped, skip_render_check=True)


def test_held_actions_move_the_cart_as_in_closed_form():
    actions = forces(20)
    environment = cart(observations=["x", "v"])
    expected = pushed(3.0 * actions, STEP * np.arange(21))
    assert observed(environment, actions) == pytest.approx(expected, abs=TOLERANCE)


def test_a_sensor_that_is_late_shows_the_past():
    """A delay of 2 steps and a latency of 0.3 steps: what was 2.3 steps ago; the beginning until then."""
    actions = forces(15)
    x = {"signal": "x", "delay": 2, "latency": 0.3 * STEP}
    found = observed(cart(observations={"x": x, "v": "v"}), actions)
    times = STEP * np.arange(16)
    assert found[:, 0] == pytest.approx(pushed(3.0 * actions, times - 2.3 * STEP)[:, 0], abs=TOLERANCE)
    assert found[:, 1] == pytest.approx(pushed(3.0 * actions, times)[:, 1], abs=TOLERANCE)


def test_an_actuator_that_is_late_acts_later():
    """Forces that take effect 1.6 steps late: on a grid of fifths of a step."""
    actions = forces(15)
    late = {"u": {"low": -3.0, "high": 3.0, "delay": 1, "latency": 0.6 * STEP}}
    found = observed(cart(actions=late), actions)
    finely = np.concatenate([np.zeros(8), np.repeat(3.0 * actions, 5)])
    assert found == pytest.approx(pushed(finely, STEP * np.arange(16), step=STEP / 5), abs=TOLERANCE)


def test_a_latency_of_whole_steps_is_a_delay():
    actions = forces(10)
    late, delayed = ({"x": {"signal": "x", **lag}} for lag in ({"latency": 3 * STEP}, {"delay": 3}))
    assert np.array_equal(observed(cart(observations=late), actions), observed(cart(observations=delayed), actions))


def test_noise_has_the_deviation_that_it_says_and_moves_nothing():
    environment = cart(observations={"x": {"signal": "x", "noise": 0.5, "scale": 2.0}, "true": "x"}, stop_time=1000.0)
    found = observed(environment, np.zeros(2000))
    noise = 2.0 * found[:, 0] - found[:, 1]
    assert np.all(found[:, 1] == 0.0)
    assert noise.std() == pytest.approx(0.5, rel=4.0 / math.sqrt(2 * 2000))  # four deviations of that of 2000 samples
    assert abs(noise.mean()) < 4.0 * 0.5 / math.sqrt(2000)


def test_noise_of_an_actuator_stays_within_its_range():
    noisy = {"u": {"low": -3.0, "high": 3.0, "noise": 10.0}}
    environment = cart(actions=noisy, observations=["u"])
    found = observed(environment, np.zeros(20))[1:, 0]
    assert np.abs(found).max() == 3.0
    assert len(set(found)) > 4


def test_what_a_sensor_cannot_see_is_at_its_bound():
    x = {"signal": "x", "low": -0.1, "high": 0.2, "scale": 0.1}
    environment = cart(observations={"x": x})
    found = observed(environment, np.ones(10))
    assert found[-1, 0] == 2.0
    assert environment.observation_space == gymnasium.spaces.Box(-1.0, 2.0, (1,), dtype=np.float64)
    assert observed(environment, -np.ones(10))[-1, 0] == -1.0


def test_arrays_expressions_and_functions_are_observed():
    model = Model(r=Var(init=[1.0, 2.0]), u=Var(input=True, start=[0.0, 0.0]), equations=["der(r) = u"])
    environment = Environment(
        model,
        step=STEP,
        stop_time=1.0,
        observations={"r": "r", "product": "r[0]*r[1]", "twice": lambda stepper: 2.0 * stepper["r"]},
        actions={"u": {"low": [-1.0, -2.0], "high": [1.0, 2.0], "normalized": False}},
        reward=lambda stepper, action: float(stepper["r"][0] + 10.0 * action["u"][1]),
    )
    assert environment.observation_names == ("r[0]", "r[1]", "product", "twice[0]", "twice[1]")
    assert environment.action_space == gymnasium.spaces.Box(np.array([-1.0, -2.0]), np.array([1.0, 2.0]), dtype=np.float64)
    environment.reset(seed=1)
    observation, reward, *_ = environment.step([0.5, -9.0])  # beyond the bounds: at them
    assert observation == pytest.approx([1.05, 1.8, 1.05 * 1.8, 2.1, 3.6], abs=TOLERANCE)
    assert reward == pytest.approx(1.05 - 20.0, abs=TOLERANCE)


def test_rewards_are_of_the_action_the_time_and_named_quantities():
    quantities = {"double": "2*x", "four": "2*double"}
    environment = cart(quantities=quantities, reward="four + 100*action.u + time")
    environment.reset(seed=1)
    observation, reward, *_ = environment.step([0.5])
    assert reward == pytest.approx(4.0 * observation[0] + 150.0 + STEP, abs=1e-12)


def test_discrete_actions_set_their_values():
    both = {"u": Action(values=[-1.0, 0.0, 2.0])}
    environment = cart(actions=both, observations=["u"])
    assert environment.action_space == gymnasium.spaces.Discrete(3)
    assert observed(environment, [0, 1, 2, np.int64(0)])[1:, 0].tolist() == [-1.0, 0.0, 2.0, -1.0]


def test_several_discrete_actions_are_one_space_and_mixed_ones_another():
    model = Model(
        x=Var(init=0.0), a=Var(input=True), b=Var(input=True), on=Var(input=True, type="Boolean", start=False),
        equations=["der(x) = a + b if on else 0"],
    )  # fmt: skip
    rest = {"step": 1.0, "stop_time": 9.0, "observations": ["x"], "reward": "x"}
    ways = {"inputs": ["a", "b"], "values": [[1, 2], 0, [-1, -2]]}
    several = Environment(model, actions={"way": ways, "on": None}, **rest)
    assert several.action_space == gymnasium.spaces.MultiDiscrete([3, 2])
    found = [several.reset(seed=1)[0], *(several.step(action)[0] for action in ([0, 0], [0, 1], [1, 1], [2, 1]))]
    assert np.ravel(found) == pytest.approx([0.0, 0.0, 3.0, 3.0, 0.0], abs=TOLERANCE)
    mixed = Environment(model, actions={"a": {"low": 0, "high": 4}, "on": {}}, **rest)
    assert list(mixed.action_space) == ["a", "on"]
    mixed.reset(seed=1)
    assert mixed.step({"a": [0.0], "on": 1})[0] == pytest.approx([2.0], abs=TOLERANCE)


def test_an_episode_is_terminated_by_its_task_and_truncated_at_its_stop_time():
    environment = cart(terminated="x > 0.1", stop_time=1.0)
    environment.reset(seed=1)
    ends = [environment.step([1.0])[2:4] for _ in range(4)]  # x = 0.75 t^2
    assert ends == [(False, False)] * 3 + [(True, False)]
    with pytest.raises(ModelError, match=r"there is no episode to go on with; found it has ended.*reset"):
        environment.step([1.0])
    environment.reset()
    assert [environment.step([0.0])[2:4] for _ in range(10)] == [(False, False)] * 9 + [(False, True)]


def test_a_last_step_that_does_not_fit_ends_at_the_stop_time():
    environment = cart(stop_time=0.25)
    environment.reset(seed=1)
    infos = [environment.step([1.0])[3:] for _ in range(3)]
    assert infos[-1][0]
    assert infos[-1][1]["time"] == 0.25


def test_equations_may_end_an_episode():
    environment = cart(CART | Model(equations=[When("x > 0.2", ["terminate('there')"])]))
    environment.reset(seed=1)
    for ends in ([False] * 5) + [True]:
        *_, terminated, truncated, info = environment.step([1.0])
        assert (terminated, truncated) == (ends, False)
    assert info["time"] == pytest.approx(math.sqrt(0.2 / 0.75), rel=1e-5)  # x = 0.75 t^2


def test_a_function_may_end_an_episode():
    environment = cart(terminated=lambda stepper, action: stepper["x"] > 0.2 and action["u"][0] > 2.0)
    environment.reset(seed=1)
    assert [environment.step([1.0])[2] for _ in range(6)] == [False] * 5 + [True]  # x = 0.75*0.6^2 = 0.27


def test_a_simulation_that_cannot_go_on_truncates_the_episode():
    """der(x) = x**2 from 1: it is infinite at 1 s."""
    model = Model(x=Var(init=1.0), u=Var(input=True), equations=["der(x) = x**2 + u"])
    environment = cart(model, observations=["x"], step=0.3, reward="1")
    environment.reset(seed=1)
    for k in (1, 2, 3):
        observation, reward, *ends, info = environment.step([0.0])
        assert observation == pytest.approx(1.0 / (1.0 - 0.3 * k), rel=1e-3)
        assert (reward, ends, "error" in info) == (1.0, [False, False], False)
    last, reward, *ends, info = environment.step([0.0])
    assert (reward, ends) == (0.0, [False, True])
    assert np.array_equal(last, observation)  # the last one that there was
    assert "x" in info["error"]
    assert environment.reset()[0] == 1.0


def test_factors_are_drawn_for_each_episode_from_the_seed():
    factors = {"m": {"uniform": [1.0, 3.0]}, "begin": {"path": "x.init", "choice": [-1.0, 1.0]}}
    environment = cart(factors=factors, derived={"d": "0.1*m"})
    drawn = [environment.reset(seed=k)[1]["values"] for k in range(40)]
    again = [environment.reset(seed=k)[1]["values"] for k in range(40)]
    assert drawn == again
    masses = [each["m"] for each in drawn]
    assert 1.0 < min(masses) < 1.3
    assert 2.7 < max(masses) < 3.0
    assert {each["x.init"] for each in drawn} == {-1.0, 1.0}
    assert all(each["d"] == pytest.approx(0.1 * each["m"]) for each in drawn)
    observation, info = environment.reset(seed=4)
    assert observation[0] == info["values"]["x.init"]
    m, d, h = info["values"]["m"], info["values"]["d"], STEP
    v = environment.step([1.0])[0][1]
    assert v == pytest.approx(3.0 / d * (1.0 - math.exp(-d / m * h)), rel=1e-5)


def test_factors_that_are_lists_are_drawn_too_and_values_may_be_given():
    environment = cart(factors={"m": {"list": [1.0, 2.0, 4.0]}})
    assert {environment.reset(seed=k)[1]["values"]["m"] for k in range(30)} == {1.0, 2.0, 4.0}
    info = environment.reset(seed=1, options={"values": {"m": 8.0}})[1]
    assert info["values"] == {"m": 8.0}
    assert environment.step([1.0])[0][1] == pytest.approx(3.0 / 8.0 * STEP, abs=TOLERANCE)


def test_a_seed_gives_the_same_bits_and_none_goes_on():
    environment = cart(observations={"x": {"signal": "x", "noise": 1.0}})
    one, other = observed(environment, forces(10), seed=3), observed(environment, forces(10), seed=3)
    assert np.array_equal(one, other)
    assert not np.array_equal(observed(environment, forces(10), seed=None), one)
    assert np.array_equal(observed(cart(observations={"x": {"signal": "x", "noise": 1.0}}), forces(10), seed=3), one)


def test_models_that_are_instantiated_and_tasks_will_do_and_are_left_alone():
    sim = instantiate(CART)
    before = sim.simulate(1.0)
    task = Task(sim, stop_time=2.0, step=STEP, observations=[Observation("x", scale=2.0)], actions=FORCE, reward="x")
    environment = Environment(task, reward="-x")
    environment.reset(seed=1)
    observation, reward, *_ = environment.step([1.0])
    assert reward == -2.0 * observation[0] < 0.0
    assert sim.value("x") == before["x"][-1]  # of its own last simulation


WRONG = {
    "an unknown signal": ({"observations": ["y"]}, r"observations.y: there is no signal 'y' now"),
    "nothing is observed": ({"observations": []}, r"the agent observes nothing"),
    "an observation twice": ({"observations": ["x", "x"]}, r"stands in the list twice"),
    "an unknown signal in the reward": ({"reward": "vx"}, r"reward: there is no signal 'vx'"),
    "no expression": ({"reward": "x +"}, r"reward: "),
    "code in an expression": ({"reward": "__import__('os').getpid()"}, r"reward: "),
    "a flag that nobody sets": ({"terminated": "flags.done"}, r"terminated: no program sets the flag 'done'"),
    "no input": ({"actions": {"w": {"low": 0, "high": 1}}}, r"actions.w: the model has no input 'w'.*expected one of u"),
    "a variable that is no input": ({"actions": {"x": {"low": 0, "high": 1}}}, r"'x' is no input of the model"),
    "no range": ({"actions": {"u": {}}}, r"actions.u: an action has neither a range nor values"),
    "one bound": ({"actions": {"u": {"low": 0.0}}}, r"actions.u: an action has one bound only"),
    "a range the wrong way round": ({"actions": {"u": {"low": 1, "high": 0}}}, r"the range of an action is wrong"),
    "an infinite range": ({"actions": {"u": {"low": 0, "high": math.inf}}}, r"a bound of an action is infinite"),
    "a misspelt field": ({"actions": {"u": {"lo": 0, "high": 1}}}, r"unknown key 'lo' of an action.*Did you mean 'low'"),
    "a delay that is a time": ({"observations": {"x": {"signal": "x", "delay": 0.1}}}, r"A time \[s\] is the latency"),
    "a noise below zero": ({"observations": {"x": {"signal": "x", "noise": -1.0}}}, r"noise of an observation is wrong"),
    "bounds of another size": ({"observations": {"x": {"signal": "x", "low": [0, 0], "high": 1}}}, r"another size.*1 of them"),
    "values of another size": ({"actions": {"u": {"values": [[1, 2], 0]}}}, r"values of an action do not fit its inputs"),
    "no step": ({"step": 0.0}, r"step of the task is wrong; found 0.0"),
    "a misspelt argument": ({"rewards": "x"}, r"an environment has no 'rewards'.*Did you mean 'reward'"),
    "a factor of nothing": ({"factors": {"mm": {"uniform": [0, 1]}}}, r"mm: the model has no 'mm'"),
    "a factor of the simulation": ({"factors": {"simulation.tolerance": {"list": [1e-3]}}}, r"is no factor of a task"),
    "a mode that is none": ({"render_mode": "rgb-array"}, r"render_mode is unknown.*Did you mean 'rgb_array'"),
    "a setting that is none": ({"simulation": {"tol": 1e-3}}, r"unknown key 'tol' in simulation"),
    "quantities in the wrong order": ({"quantities": {"a": "b", "b": "x"}}, r"quantities.a: .* not known yet"),
    "a function that fails": ({"reward": lambda stepper: 1 / 0}, r"reward: .*'<lambda>' failed; found ZeroDiv"),
    "a function of texts": ({"observations": {"x": lambda stepper: "far"}}, r"observations.x: this is no array of numbers"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_named_before_an_episode_begins(case):
    fields, message = WRONG[case]
    with pytest.raises(ModelError, match=message):
        cart(**fields)


@pytest.mark.parametrize("action", [[0.0, 0.0], "left", [math.nan], None, {"u": 0.0}])
def test_what_is_no_action_is_refused(action):
    environment = cart()
    environment.reset(seed=1)
    with pytest.raises(ModelError, match=r"this is no action of the environment; found .*; expected an element of Box"):
        environment.step(action)


@pytest.mark.parametrize("action", [3, -1, 0.5, [0, 1]])
def test_a_choice_that_there_is_not_is_refused(action):
    environment = cart(actions={"u": {"values": [0, 1, 2]}})
    environment.reset(seed=1)
    with pytest.raises(ModelError, match=r"this is no action of the environment"):
        environment.step(action)


def test_resets_refuse_what_they_do_not_know():
    environment = cart()
    with pytest.raises(ModelError, match=r"unknown option 'value' of reset; expected values"):
        environment.reset(options={"value": {"m": 1.0}})
    with pytest.raises(ModelError, match=r"no_mass"):
        environment.reset(options={"values": {"no_mass": 1.0}})
    with pytest.raises(ModelError, match=r"no episode has begun"):
        cart().step([0.0])


def test_without_gymnasium_the_remedy_is_told():
    code = "import sys; sys.modules['gymnasium'] = None\nimport modia3d.gym\ntry: modia3d.gym.Environment\n"
    code += "except Exception as error: print(error)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install modia3d[gym]" in done.stdout


def test_the_result_of_an_episode_is_kept_where_that_is_wanted():
    environment, actions = cart(record=True), forces(10)
    found = observed(environment, actions)
    result = environment.stepper.result
    assert result.time[-1] == pytest.approx(1.0, abs=1e-12)
    assert result["x"][-1] == found[-1, 0]
    assert np.interp(STEP * np.arange(11), result.time, result["x"]) == pytest.approx(found[:, 0], abs=TOLERANCE)
    assert np.array_equal(observed(environment, actions), found)  # goes back in the same simulation
    short = cart()
    observed(short, actions)
    assert len(short.stepper.result.time) < len(result.time) / 10


@pytest.mark.parametrize("reward", ["sqrt(-1 - time)", lambda stepper: math.nan])
def test_a_reward_that_is_no_number_is_refused(reward):
    with cart(reward=reward) as environment:
        environment.reset(seed=0)
        with pytest.raises(ModelError, match=r"reward: .*not finite"):
            environment.step(np.zeros(1))
