"""Tasks in YAML: what they say, and mistakes with file and line."""

from pathlib import Path

import numpy as np
import pytest

from modia3d.gym import Action, Environment, Observation, read_task
from modiapy import ModiaError

from .tasks import DOCKING

SCENARIO = """\
modia3d: 1
model:
  m: 2.0
  x: {Var: {init: 0}}
  v: {Var: {init: 0, unit: m/s}}
  u: {Var: {input: true, start: 0, unit: N}}
  equations: [der(x) = v, m*der(v) = u]
simulation: {stop_time: 3}
"""
TASK = """\
modia3d_task: 1
description: A cart.
scenario: cart.yaml
step: 100 ms
quantities: {double: 2*x}
observations:
  double: {low: -1, high: 1, latency: 50 ms}
  v:
actions:
  push: {inputs: u, low: -3, high: 3}
reward: -double
terminated: double > 1
factors:
  m: {uniform: [1, 3]}
"""


def written(folder: Path, text: str = TASK) -> Path:
    (folder / "cart.yaml").write_text(SCENARIO)
    file = folder / "cart_task.yaml"
    file.write_text(text)
    return file


def test_a_task_is_what_its_file_says(tmp_path):
    task = read_task(written(tmp_path))
    assert (task.step, task.stop_time, task.description) == (pytest.approx(0.1), None, "A cart.")
    assert task.observations == {"double": Observation("double", low=-1, high=1, latency=0.05), "v": Observation("v")}
    assert task.actions == {"push": Action("u", low=-3, high=3)}
    assert (task.reward, task.terminated) == ("-double", "double > 1")
    environment = Environment(written(tmp_path), factors={})
    environment.reset(seed=1)
    for _ in range(3):
        observation, reward, terminated, *_ = environment.step([1.0])
    assert observation == pytest.approx([0.75 * 0.25**2 * 2, 0.45], abs=1e-5)  # x = 0.75 t^2, of 50 ms ago
    assert reward == pytest.approx(-0.135, abs=1e-5)
    assert not terminated


def test_the_stop_time_is_that_of_the_scenario(tmp_path):
    environment = Environment(written(tmp_path), terminated=False)
    environment.reset(seed=1)
    ends = [environment.step([0.0])[3] for _ in range(30)]
    assert ends == [False] * 29 + [True]


CASES = {
    "an unknown key": ("reward:", "rewards:", r"cart_task.yaml:11:1: unknown key 'rewards' in a task.*Did you mean 'reward'"),
    "a missing key": ("reward: -double\n", "", r"'reward' is missing"),
    "another version": ("modia3d_task: 1", "modia3d_task: 2", r"cart_task.yaml:1:15: this version of the format is unknown"),
    "no scenario": ("scenario: cart.yaml", "scenario: carts.yaml", r"cart_task.yaml:3:11: .*carts.yaml"),
    "a scenario outside": ("scenario: cart.yaml", "scenario: ../cart.yaml", r"cart_task.yaml:3:11: "),
    "an unknown key of an observation": ("latency", "latenzy", r"cart_task.yaml:7:30: unknown key 'latenzy'.*'latency'"),
    "an unknown key of an action": ("high: 3", "hi: 3", r"cart_task.yaml:10:30: unknown key 'hi' in 'push' of actions"),
    "a unit of something else": ("step: 100 ms", "step: 100 mm", r"cart_task.yaml:4:7: the unit of step"),
    "code": ("reward: -double", "reward: __import__('os').system('touch hacked')", r"cart_task.yaml:11:9: reward: "),
    "code in an observation": ("  v:", "  v: {signal: 'open(1)'}", r"cart_task.yaml:8:15: observations.v: .*open"),
    "no expression": ("reward: -double", "reward: [1, 2]", r"cart_task.yaml:11:9: 'reward' is wrong; found a list"),
    "an unknown kind of factor": ("uniform", "uniforn", r"cart_task.yaml:14:7: unknown key 'uniforn' in factor 'm'.*'uniform'"),
    "quantities in a circle": ("double: 2*x", "double: 2*double", r"a quantity uses one that is not known yet"),
    "a range the wrong way round": ("low: -3, high: 3", "low: 3, high: -3", r"cart_task.yaml:10:9: actions.push: the range"),
    "an unknown setting": ("factors:", "simulation: {tolerence: 1e-4}\nfactors:", r"unknown key 'tolerence' in simulation"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_mistakes_have_a_place(case, tmp_path):
    before, after, message = CASES[case]
    assert before in TASK
    with pytest.raises(ModiaError, match=message):
        read_task(written(tmp_path, TASK.replace(before, after, 1)))
    assert not (tmp_path / "hacked").exists()


def test_signals_that_there_are_not_are_told_with_the_nearest(tmp_path):
    file = written(tmp_path, TASK.replace("double: 2*x", "double: 2*xx"))
    with pytest.raises(
        ModiaError, match=r"cart_task.yaml:5:14: quantities.double: there is no signal 'xx' now.*Did you mean 'x'"
    ):
        Environment(file)


def test_patterns_of_studies_skip_tasks(tmp_path):
    from modia3d.batch import read_study

    written(tmp_path)
    study = tmp_path / "study.yaml"
    study.write_text('modia3d_study: 1\nscenarios: ["*.yaml"]\n')
    assert [each.name for each in read_study(study).models] == ["cart"]


def test_the_shipped_task_is_read():
    task = read_task(DOCKING)
    assert len(task.description) > 40
    assert np.isclose(task.step, 0.1)
