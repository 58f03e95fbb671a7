"""All scenarios in threads at once, and in two processes at once: the same bits as one after the other."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest

from modia3d.files import read_scenario
from tests.at_once import at_once, bits
from tests.scenarios.test_all_scenarios import NAMES, ROOT

pytestmark = pytest.mark.white_box

SHORTER = {"bin": 4.0, "rope": 0.2, "mosar_bridge": 15.5}
"""Stop times [s] where the whole scenario takes long."""


def simulation(name, sim=None):
    """Function that simulates a scenario and returns the bits of its result."""
    scenario = read_scenario(ROOT / "scenarios" / name / f"{name}.yaml")
    sim, settings = sim or scenario.instantiate(), scenario.settings
    stop = SHORTER.get(name, settings.stop_time)
    return lambda: bits(sim.simulate(stop, tolerance=settings.tolerance, interval=settings.interval))


def all_of_them():
    """Bits of all scenarios, simulated in a process of their own."""
    return {name: simulation(name)() for name in NAMES}


@pytest.fixture(scope="module")
def simulations(scenario):
    return {name: simulation(name, scenario(name)) for name in NAMES}


@pytest.fixture(scope="module")
def one_after_the_other(simulations, simulated):
    return {name: run() if name in SHORTER else bits(simulated(name)) for name, run in simulations.items()}


def test_in_three_threads_each_scenario_beside_the_others(simulations, one_after_the_other):
    def from_the(k):
        """All scenarios, beginning with another one."""
        return {name: simulations[name]() for name in (*NAMES[k:], *NAMES[:k])}

    assert at_once([lambda k=k: from_the(k) for k in (0, 4, 8)]) == 3 * [one_after_the_other]


@pytest.mark.parametrize("name", NAMES)
def test_in_two_threads_one_model(simulations, one_after_the_other, name):
    assert at_once(2 * [simulations[name]]) == 2 * [one_after_the_other[name]]


def test_in_two_processes(one_after_the_other):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = [pool.submit(all_of_them) for _ in range(2)]
        assert [future.result() for future in found] == 2 * [one_after_the_other]
