"""Snapshots of the walking robot: between actions, in the middle of a path; results on disk with signals of the engine."""

import contextlib
import functools

import numpy as np
import pytest

from modiapy import Result, SimulationError
from tests.physics import mosar

STOP = 30.0


@functools.cache
def robot():
    return mosar.scenario().instantiate()


@functools.cache
def uninterrupted():
    return robot().simulate(STOP, interval=0.1)


SIGNALS = ("time", "joint2.phi", "drive3.motor.w", "boxX1Y1Z1.r_abs", "mechanics.kinetic_energy")


def assert_equal(full, rest):
    n = rest.time.size
    for name in [name for name in SIGNALS if name in full]:
        np.testing.assert_array_equal(full[name][-n:], rest[name], err_msg=name, strict=True)
    last = full.segments[-1].index
    np.testing.assert_array_equal(full.segment(last).x, rest.segment(last).x, strict=True)
    assert [r.cause for r in full.segments[rest.segments[0].index - 1 :]] == [r.cause for r in rest.segments]


@pytest.mark.parametrize("stop", [0.5, 3.3, 8.0, 12.7, 20.1])
def test_the_same_bits_in_paths_and_between_actions(tmp_path, stop):
    sim, file = robot(), tmp_path / "snapshot.npz"
    full = uninterrupted()
    with contextlib.suppress(SimulationError):  # in the middle of a path
        sim.simulate(stop, interval=0.1, save=file)
    assert sim.restore(file) <= stop
    assert_equal(full, sim.simulate(STOP))


def test_on_disk_with_signals_of_the_engine(tmp_path):
    sim, folder = robot(), tmp_path / "result"
    full = uninterrupted()
    stored = sim.simulate(STOP, interval=0.1, store=folder)
    for result in (stored, Result.open(folder, sim)):
        assert result.time.size == full.time.size
        assert_equal(full, result)
