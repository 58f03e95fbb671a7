"""Paths for what is not installed: the planner of the walking robot, a script in the scenario's folder, and the benchmarks.
`scenario(name)` is a translated scenario of this repository, `simulated(name)` its result."""

import functools
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scenarios" / "mosar"), str(ROOT)]


@functools.cache
def translated(name):
    from modia3d.files import read_scenario

    read = read_scenario(ROOT / "scenarios" / name / f"{name}.yaml")
    return read, read.instantiate()


@functools.cache
def finished(name):
    read, sim = translated(name)
    settings = read.settings
    return sim.simulate(settings.stop_time, tolerance=settings.tolerance, interval=settings.interval)


@pytest.fixture(scope="session")
def scenario():
    return lambda name: translated(name)[1]


@pytest.fixture(scope="session")
def simulated():
    return finished
