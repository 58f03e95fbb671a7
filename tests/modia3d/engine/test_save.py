"""Snapshots of the walking robot: between actions, in the middle of a path; results on disk with signals of the engine."""

import functools

import numpy as np
import pytest

from modia3d import ActionLock, ActionUnlock, EventAfterPeriod, Model3D, ModelActions, Revolute, UniformGravity
from modiapy import instantiate, read_result
from tests.modia3d.scenes import body, world
from tests.physics import mosar

pytestmark = pytest.mark.white_box

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
    sim.simulate(stop, interval=0.1, save=file)
    assert sim.restore(file) <= stop
    assert_equal(full, sim.simulate(STOP))


def test_on_disk_with_signals_of_the_engine(tmp_path):
    sim, folder = robot(), tmp_path / "result.h5"
    full = uninterrupted()
    stored = sim.simulate(STOP, interval=0.1, output=folder)
    for result in (stored, read_result(folder, sim)):
        assert result.time.size == full.time.size
        assert_equal(full, result)


def test_a_program_of_a_simulation_that_begins_later_goes_on_where_it_was(tmp_path):
    """Its periods count from the start, which is not zero."""

    def program(actions):
        for _ in range(3):
            EventAfterPeriod(actions, 0.5)
            ActionLock(actions, "hinge", on_contact="impulse")
            EventAfterPeriod(actions, 0.2)
            ActionUnlock(actions, "hinge")

    model = Model3D(
        world=world(UniformGravity()), rod=body(center=(0.3, 0.1, 0.0)), hinge=Revolute("world", "rod", "z", w=1.0),
        actions=ModelActions(program),
    )  # fmt: skip
    sim, file = instantiate(model), tmp_path / "snapshot.npz"
    full = sim.simulate(5.0, start_time=2.0, interval=0.1)
    assert [record.start for record in full.segments] == pytest.approx([2.0, 2.5, 2.7, 3.2, 3.4, 3.9, 4.1])
    sim.simulate(3.5, start_time=2.0, interval=0.1, save=file)
    assert sim.restore(file) == pytest.approx(3.4)
    rest = sim.simulate(5.0)
    np.testing.assert_array_equal(full["hinge.phi"][-rest.time.size :], rest["hinge.phi"])
    assert [record.start for record in rest.segments] == [record.start for record in full.segments[4:]]
