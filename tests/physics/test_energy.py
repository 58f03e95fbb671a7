"""The walking robot for 86 s: what motors put in and dampers take out is what bodies, rotors and springs have."""

import numpy as np
import pytest

from modia3d import MatingTolerance
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.release import Release
from modia3d.actions.values import Wait
from modiapy import Map, instantiate

from . import mosar
from .power import energies

pytestmark = pytest.mark.white_box

BALANCE = 1e-4
"""Error of the balance in units of the integral of the power's magnitude."""


def ends(result):
    """First and last row of every segment in the whole result."""
    lengths = [result.segment(record.index).time.size for record in result.segments]
    last = np.cumsum(lengths) - 1
    return last - lengths + 1, last


def changes_across(result, values):
    """What changes from the last row of each segment to the first one of the next."""
    first, last = ends(result)
    return values[first[1:]] - values[last[:-1]]


def imbalance(result):
    """Energy minus work so far, without what changes across structural changes, shape (nt,)."""
    energy = sum(energies(result).values())
    first, _ = ends(result)
    for row, jump in zip(first[1:], changes_across(result, energy), strict=True):
        energy[row:] -= jump
    return energy - energy[0] - (result["work.motors"] - result["work.dampers"])


def test_the_robot_works(walk):
    assert walk.time[-1] == 86.0
    assert len(walk.segments) == 13
    energy = energies(walk)
    assert min(energy["bodies"].max(), energy["rotors"].max()) > 1.0
    assert energy["springs"].max() > 1e-2
    assert walk["work.magnitude"][-1] > 100.0
    assert walk["work.dampers"][-1] > 1e-2


def test_work_balances_energy_at_the_end_and_in_every_segment(walk):
    error, magnitude = imbalance(walk), walk["work.magnitude"]
    assert np.abs(error).max() <= BALANCE * magnitude[-1]
    moving = 0
    for first, last in zip(*ends(walk), strict=True):
        if walk.time[last] - walk.time[first] > 1.0:
            moving += 1
            assert abs(error[last] - error[first]) <= BALANCE * (magnitude[last] - magnitude[first])
    assert moving == 6


def test_every_part_balances_by_itself(walk):
    """Bodies get what the gears give to the joints, springs have what went into them, the rotors get the rest."""
    energy, scale = energies(walk), walk["work.magnitude"][-1]
    changes = {name: values - values[0] for name, values in energy.items()}
    rest = walk["work.motors"] - walk["work.joints"] - walk["work.springs"] - walk["work.dampers"]
    assert np.abs(changes["bodies"] - walk["work.joints"]).max() <= BALANCE * scale
    assert np.abs(changes["springs"] - walk["work.springs"]).max() <= BALANCE * scale
    assert np.abs(changes["rotors"] - rest).max() <= BALANCE * scale


def test_the_balance_improves_with_the_tolerance(robot, walk):
    finer = robot.simulate(86.0, tolerance=1e-8, interval=0.05)
    coarse, fine = (np.abs(imbalance(result)).max() / result["work.magnitude"][-1] for result in (walk, finer))
    assert fine < 0.1 * coarse


def test_energy_does_not_change_across_structural_changes(walk):
    """The frames mate at rest: what is lost or won when they lock is nothing beside what the robot does."""
    for values in energies(walk).values():
        assert np.abs(changes_across(walk, values)).max() <= 1e-12 * walk["work.magnitude"][-1]


def swinging(program, stop_time, phi=None, mating=None):
    """The scenario's robot with its motors switched off, swinging on gears and rotors, under another program."""
    if phi is None:
        phi = [mosar.scenario().model[joint]["phi"]["init"] for joint in mosar.JOINTS]
    swing = mosar.starting_at(phi, [0.2, -0.3, 0.1, 0.3, -0.2, 0.4, -0.5])
    off = Map({drive: Map(k_pi=0.0) for drive in mosar.DRIVES})
    world = Map(world=Map(feature=Map(mating=MatingTolerance() if mating is None else mating)))
    model = mosar.with_actions(mosar.scenario().model, program) | swing | off | world
    return instantiate(model).simulate(stop_time, tolerance=1e-9)


def test_constraints_do_no_work_where_resting_bodies_are_locked_and_released():
    """The arm swings; meanwhile resting modules are locked, released, locked again."""
    program = [Attach("blueEnd", "platform.X2Y2"), Wait(0.3)]
    for _ in range(2):
        program += [Attach("boxX1Y1Z1.Zneg", "platform.X1Y1"), Attach("boxX1Y1Z2.Zneg", "boxX1Y1Z1.Zpos"), Wait(0.2)]
        program += [Release("boxX1Y1Z2.Zneg"), Wait(0.1), Release("boxX1Y1Z1.Zneg", "platform.X1Y1"), Wait(0.1)]
    result = swinging(program, 1.2)
    first, last = ends(result)
    for k in range(2, len(first)):
        for name, values in energies(result).items():
            before, after = values[last[k - 1]], values[first[k]]
            assert after == pytest.approx(before, rel=1e-13), (name, result.segments[k].cause)
    assert len(first) == 10
    assert energies(result)["bodies"][first[2:]].min() > 1e-3


@pytest.mark.parametrize("end", ["blueEnd", "greenEnd"])
def test_release_of_what_moves_keeps_energy_and_momentum(end):
    """Nothing pushes when a lock opens: the arm flies away with what it has, be the root of the free arm at rest or moving."""
    target = "platform.X2Y2" if end == "blueEnd" else "platform.X3Y2"
    program = [Attach(end, target), Wait(0.4), Release(end)]
    in_motion = MatingTolerance(velocity=10.0, angular_velocity=10.0)
    result = swinging(program, 1.0, mosar.configuration_of_the_step(), in_motion)
    held, free = result.segment(2), result.segment(3)
    assert "link0.body.r[0]" in free
    assert (np.abs(free["link0.body.w_abs"][0]).max() > 0.01) == (end == "greenEnd")
    for signal in ("kinetic_energy", "momentum", "angular_momentum"):
        before, after = held[f"mechanics.{signal}"][-1], free[f"mechanics.{signal}"][0]
        assert np.max(np.abs(before)) > 1e-3
        np.testing.assert_allclose(after, before, rtol=0.0, atol=1e-13 * np.max(np.abs(before)))
    momentum = free["mechanics.momentum"]
    assert mosar.relative(momentum - momentum[0], float(np.linalg.norm(momentum[0]))) <= 1e-6
