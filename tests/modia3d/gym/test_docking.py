"""An agent whose action attaches a module: scenarios/gym."""

from itertools import count

import numpy as np
import pytest

from modia3d.gym import Environment

from .tasks import DOCKING, taught

CROWD, CHOSEN, GENERATIONS = 14, 4, 6
SIZES = np.array([4.0, 4.0, 4.0, 4.0, 1.0, 1.0, 10.0, 10.0])
"""Magnitudes of the weights of `decided`."""


@pytest.fixture(scope="module")
def docking():
    with Environment(DOCKING, stop_time=4.0) as environment:
        yield environment


def episode(environment, policy, seed):
    """The sum of rewards, observations, and infos of an episode."""
    observation, info = environment.reset(seed=seed)
    total, seen, infos = 0.0, [observation], [info]
    for _ in count():
        observation, reward, terminated, truncated, info = environment.step(policy(observation))
        total += reward
        seen.append(observation)
        infos.append(info)
        if terminated or truncated:
            return total, np.array(seen), infos


def decided(weights, observation):
    """A linear policy: speeds by the two turns, the grip by what is held and the distance."""
    turn, distance, held = observation[:2], observation[2], observation[3]
    grip = weights[4:] @ np.array([1.0, held, distance, distance * held])
    return {"speeds": np.clip(weights[:4].reshape(2, 2) @ turn, -1.0, 1.0), "grip": int(grip > 0.0)}


def test_the_agent_attaches_a_module_carries_it_and_puts_it_on_the_dock(docking):
    _, seen, infos = episode(docking, taught, seed=2)
    stepper, held = docking.stepper, seen[:, 3]
    assert infos[-1]["verdict"] == "docked"
    assert infos[-1]["success"] is True
    assert held[0] == 0.0
    assert held[-1] == 1.0
    done = [entry["step"] for entry in stepper.result.program_log if entry["kind"] == "action" and entry["outcome"] is True]
    assert done[1:] == ["ActionReleaseAndAttach top -> hand", "ActionReleaseAndAttach foot -> dock"]
    within = np.linalg.norm(stepper["module.r_abs"][:2] - stepper["dock.r_abs"][:2])
    assert within < 0.04  # the tolerance of the scene


def test_an_action_that_is_refused_is_told_and_the_episode_goes_on(docking):
    grips = {"speeds": np.zeros(2), "grip": 1}
    observation, info = docking.reset(seed=1)
    assert "refused" not in info
    for _ in range(3):
        observation, _, terminated, truncated, info = docking.step(grips)
        assert not terminated
        assert not truncated
        why = info["refused"][0]
        assert "ActionReleaseAndAttach top -> hand" in why
        assert "do not mate" in why
    assert observation[3] == 0.0
    docking.step({"speeds": np.zeros(2), "grip": 0})
    assert "refused" not in docking.step({"speeds": np.zeros(2), "grip": 0})[4]


def test_the_module_stands_where_the_factors_say(docking):
    for seed in range(3):
        values = docking.reset(seed=seed)[1]["values"]
        assert docking.stepper["module.r_abs"] == pytest.approx([values["x_module"], values["y_module"], 0.15], abs=1e-9)


def test_what_is_observed_and_rewarded_is_geometry(docking):
    """The moments of a unit force per metre about both joints, and the distance, from the angles of the arm."""
    docking.reset(seed=5)
    observation, reward, *_ = docking.step({"speeds": [0.5, -0.3], "grip": 0})
    phi1, phi2 = docking.stepper["joint1.phi"], docking.stepper["joint2.phi"]
    elbow = 0.5 * np.array([np.cos(phi1), np.sin(phi1)])
    hand = elbow + 0.4 * np.array([np.cos(phi1 + phi2), np.sin(phi1 + phi2)])
    way = docking.stepper["module.r_abs"][:2] - hand
    turns = [a[0] * way[1] - a[1] * way[0] for a in (hand, hand - elbow)]
    assert observation == pytest.approx([*turns, np.linalg.norm(way), 0.0], abs=1e-9)
    assert reward == pytest.approx(-1.0 - np.linalg.norm(way), abs=1e-9)


@pytest.mark.timeout(600)
def test_a_small_policy_learns_to_attach_and_to_dock(docking):
    """The cross-entropy method on eight weights: 84 episodes. Measured: -55 before, 2 afterwards, docked in 5 of 5."""
    random = np.random.default_rng(0)
    mean, deviation = np.zeros(8), np.ones(8)

    def judged(weights, seeds):
        return [episode(docking, lambda seen: decided(SIZES * weights, seen), seed) for seed in seeds]

    def returned(episodes):
        return float(np.mean([total for total, *_ in episodes]))

    tests = range(1000, 1005)
    before = returned(judged(mean, tests))
    for generation in range(GENERATIONS):
        crowd = mean + deviation * random.standard_normal((CROWD, 8))
        order = np.argsort([returned(judged(weights, [generation])) for weights in crowd])
        best = crowd[order[-CHOSEN:]]
        mean, deviation = best.mean(axis=0), best.std(axis=0) + 0.1
    after = judged(mean, tests)
    attached = [seen[-1, 3] == 1.0 for _, seen, _ in after]
    assert returned(after) > before + 20.0
    assert sum(attached) >= 4
