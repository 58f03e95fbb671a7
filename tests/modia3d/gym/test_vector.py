"""Vectors of environments: in threads and processes the bits of single ones, and autoreset as gymnasium has it."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from modia3d.gym import Environment, VectorEnvironment
from modiapy import ModelError, ModiaError

from .tasks import CART, DOCKING, FORCE

N, STEPS = 3, 25
NOISY = {
    "step": 0.1,
    "stop_time": 0.8,
    "observations": {"x": {"signal": "x", "noise": 0.1, "delay": 1}, "v": {"signal": "v"}},
    "actions": FORCE,
    "reward": "-x**2",
    "terminated": "abs(x) > 0.1",
    "factors": {"m": {"uniform": [1.0, 3.0]}},
}


def equal(a, b):
    """Whether two infos are the same, arrays to the last bit."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray) and a.dtype == object:
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b


def carried_out(vector, steps=STEPS):
    """All that a vector environment returns in some steps."""
    vector.action_space.seed(7)
    found = [vector.reset(seed=5)]
    for _ in range(steps):
        found.append(vector.step(vector.action_space.sample()))
    vector.close()
    return found


def assert_same(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a[:-1], b[:-1], strict=True))
        assert equal(a[-1], b[-1])


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_autoreset_is_that_of_gymnasium(mode):
    ours = carried_out(VectorEnvironment(CART, N, autoreset_mode=mode, **NOISY))
    theirs = carried_out(SyncVectorEnv([lambda: Environment(CART, **NOISY)] * N, autoreset_mode=mode))
    assert_same(ours, theirs)
    assert any(step[2].any() for step in ours[1:])  # some were terminated
    assert any(step[3].any() for step in ours[1:])  # and some truncated


@pytest.mark.parametrize("task", ["cart", "docking"])
def test_threads_and_processes_give_the_same_bits(task):
    given, steps = ((CART, NOISY), STEPS) if task == "cart" else ((DOCKING, {"stop_time": 1.0}), 12)
    where = ({}, {"threads": 2}, {"processes": 1}, {"processes": 2})
    alone, *others = (carried_out(VectorEnvironment(given[0], N, **each, **given[1]), steps) for each in where)
    for other in others:
        assert_same(alone, other)


def test_each_environment_is_the_one_with_its_seed():
    vector, single = VectorEnvironment(CART, N, **NOISY), Environment(CART, **NOISY)
    observations, _ = vector.reset(seed=5)
    for k in range(N):
        assert np.array_equal(single.reset(seed=5 + k)[0], observations[k])
    assert np.array_equal(vector.reset(seed=[6, None, 5])[0][[2, 0]], observations[[0, 1]])
    vector.close()


def test_without_autoreset_a_mask_says_which_are_reset():
    vector = VectorEnvironment(CART, 2, autoreset_mode="Disabled", **(NOISY | {"terminated": False, "stop_time": 0.2}))
    vector.reset(seed=1)
    actions = np.zeros((2, 1))
    vector.step(actions)
    assert vector.step(actions)[3].tolist() == [True, True]
    _, infos = vector.reset(options={"reset_mask": np.array([True, False])})
    assert infos["_time"].tolist() == [True, False]
    with pytest.raises(ModelError, match=r"there is no episode to go on with"):
        vector.step(actions)
    for mask in (np.array([False, False]), np.array([True]), [1, 0]):
        with pytest.raises(ModelError, match=r"reset_mask is wrong"):
            vector.reset(options={"reset_mask": mask})
    vector.close()


def fails_late(stepper):
    """A reward that fails in the third step; at the top level of a module, so that it can be pickled."""
    if stepper.time > 0.25:
        raise ValueError("too late")
    return 0.0


@pytest.mark.parametrize("where", [{}, {"threads": 2}, {"processes": 2}])
def test_errors_come_from_threads_and_processes_as_they_are(where):
    vector = VectorEnvironment(CART, 2, **where, **(NOISY | {"reward": fails_late}))
    vector.reset(seed=1)
    vector.step(np.zeros((2, 1)))
    vector.step(np.zeros((2, 1)))
    with pytest.raises(ModelError, match=r"reward: the function 'fails_late' failed; found ValueError: too late"):
        vector.step(np.zeros((2, 1)))
    assert vector.reset(seed=1)[0].shape == (2, 2)  # they go on
    with pytest.raises(ModelError, match=r"this is no action"):
        vector.step(np.full((2, 1), np.nan))
    vector.close()


def test_what_cannot_be_pickled_is_named():
    with pytest.raises(ModelError, match=r"pickled"):
        VectorEnvironment(CART, 2, processes=1, **(NOISY | {"reward": lambda stepper: 0.0}))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"num_envs": 0}, r"num_envs is wrong; found 0"),
        ({"num_envs": 2, "threads": 2, "processes": 2}, r"threads or processes; found 2 threads and 2 processes"),
        ({"num_envs": 2, "autoreset_mode": "SameSteps"}, r"autoreset_mode is unknown.*Did you mean 'SameStep'"),
        ({"num_envs": 2, "thread": 2}, r"an environment has no 'thread'"),
    ],
)
def test_mistakes_are_named(fields, message):
    with pytest.raises(ModelError, match=message):
        VectorEnvironment(CART, **fields, **NOISY)


def test_wrong_numbers_of_seeds_are_refused():
    vector = VectorEnvironment(CART, 2, **NOISY)
    with pytest.raises(ModiaError, match=r"the seeds are wrong; found 3 seeds; expected 2"):
        vector.reset(seed=[1, 2, 3])
    vector.close()


def test_gymnasium_makes_vectors_by_the_name():
    from modia3d.gym import register

    register()
    name = "modia3d/Scenario-v0"
    vector = gymnasium.make_vec(name, num_envs=2, vectorization_mode="vector_entry_point", task=CART, **NOISY)
    assert isinstance(vector.unwrapped, VectorEnvironment)
    theirs = gymnasium.make_vec(name, num_envs=2, vectorization_mode="sync", task=CART, **NOISY)
    assert_same(carried_out(vector, 5), carried_out(theirs, 5))
