"""The walking robot, simulated once for all tests of this folder."""

import pytest

from modiapy import instantiate

from . import mosar, power


@pytest.fixture(scope="session")
def robot():
    """The scenario's model with meters of power, translated."""
    return instantiate(mosar.scenario().model | power.METERS)


@pytest.fixture(scope="session")
def walk(robot):
    """86 s at the scenario's own tolerance."""
    settings = mosar.scenario().settings
    return robot.simulate(settings.stop_time, tolerance=settings.tolerance, interval=0.05)
