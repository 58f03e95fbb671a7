"""Brakes of joints with a flange, and plastic impacts where something is locked or attached while it moves."""

import math
from functools import partial

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionLock,
    ActionUnlock,
    ActionWait,
    Fix,
    Model3D,
    ModelActions,
    Object3D,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    UniformGravity,
)
from modiapy import Map, ModelError, SimulationError, Var, instantiate
from modiapy.library.rotational import IdealGear, Inertia, Torque
from tests.modia3d import scenes
from tests.modia3d.scenes import dofs, world

pytestmark = pytest.mark.white_box

TURNED = (0.0, math.pi / 2.0, 0.0)
DOWN = UniformGravity(n="-z")
run = partial(scenes.run, points=100)


def body(mass=2.0, **fields):
    return scenes.body(mass, (0.1, 0.2, 0.25), (0.5, 0.0, 0.0), **fields)


def test_a_brake_of_a_driven_joint_closes_and_opens():
    def program(actions):
        ActionLock(actions, "hinge")
        ActionWait(actions, 0.5)
        ActionUnlock(actions, "hinge")

    hinge = RevoluteWithFlange("world", "rod", "y", phi=Var(init=0.3))
    result = run(world=world(DOWN), rod=body(), hinge=hinge, actions=ModelActions(program))
    assert [record.cause for record in result.segments][1:] == ["ActionLock hinge", "ActionUnlock hinge"]
    assert dofs(result) == [1, 0, 1]
    assert [record.states_invariant for record in result.segments] == [2, 2, 2]
    locked = result.segment(2)
    assert np.all(locked["hinge.phi"] == 0.3)
    assert np.all(locked["hinge.w"] == 0.0)
    assert locked["hinge.constraint_torque"] == pytest.approx(-2.0 * 9.81 * 0.5 * math.cos(0.3), rel=1e-12)
    assert result.segment(3)["hinge.w"][-1] > 1.0
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert energy == pytest.approx(np.full_like(energy, energy[0]), abs=1e-7)
    assert result.statistics["compilations_after_start"] == 0


def test_a_lockable_slide_that_no_program_names_costs_nothing_else():
    """What the equations compute is the same with and without a switch."""
    plain, prepared = (
        run(world=world(DOWN), sled=body(), joint=PrismaticWithFlange("world", "sled", (1.0, 0.0, 1.0), lockable=lockable))
        for lockable in (False, True)
    )
    assert prepared["joint.s"] == pytest.approx(plain["joint.s"], abs=1e-12)
    assert np.abs(prepared["joint.constraint_force"]).max() < 1e-12
    assert "joint.constraint_force" not in plain


def brake(actions):
    ActionWait(actions, 0.3)
    ActionLock(actions, "hinge", on_contact="impulse")


@pytest.mark.parametrize("kind", [Revolute, RevoluteWithFlange])
def test_a_brake_stops_a_joint_that_moves(kind):
    """The outer rod of a swinging double pendulum is braked: what the brake does not touch obeys the momentum balance."""
    entries = {
        "world": world(DOWN),
        "upper": body(),
        "rod": body(),
        "tip": Object3D(parent="upper", translation=(1.0, 0.0, 0.0)),
    }
    result = run(
        0.5,
        **entries,
        root=Revolute("world", "upper", "y", phi=0.4, w=1.0),
        hinge=kind("tip", "rod", "y"),
        actions=ModelActions(brake),
    )
    before, after = result.segment(1), result.segment(2)
    cause, lost = result.segments[1].cause, result.segments[1].info["energy_lost"]
    assert cause.startswith("ActionLock hinge; ")
    assert cause.endswith(" J lost")
    # nothing but the hinge of the world exerts a moment from outside, and that has none about its own axis
    about_root = before["mechanics.angular_momentum"][-1][1]
    assert after["mechanics.angular_momentum"][0][1] == pytest.approx(about_root, rel=1e-9)
    kinetic = before["mechanics.kinetic_energy"][-1] - after["mechanics.kinetic_energy"][0]
    assert lost == pytest.approx(kinetic, rel=1e-8)
    assert lost > 0.01
    assert np.ptp(after["hinge.phi"]) == 0.0


def test_rotors_behind_gears_take_part_in_the_impact():
    """Two rotors, one behind the braked joint: all of its energy is lost, that of the other one changes with its joint."""
    result = run(
        0.5,
        world=world(DOWN),
        rod=body(),
        hinge=RevoluteWithFlange("world", "rod", "y"),
        gear=IdealGear | Map(ratio=50.0),
        rotor=Inertia | Map(J=1e-3),
        connect=[("rotor.flange_b", "gear.flange_a"), ("gear.flange_b", "hinge.flange")],
        actions=ModelActions(brake),
    )
    before, after = result.segment(1), result.segment(2)
    energy = before["mechanics.kinetic_energy"][-1] + 0.5e-3 * before["rotor.w"][-1] ** 2
    assert result.segments[1].info["energy_lost"] == pytest.approx(energy, rel=1e-9)
    assert np.all(after["rotor.w"] == 0.0)
    assert np.ptp(after["hinge.phi"]) == 0.0


def free_pair(program, **second):
    return {
        "world": world(),
        "one": body(1.0, velocity=(1.0, 0.2, 0.0), angular_velocity=(0.3, 0.0, 0.5)),
        "two": body(3.0, translation=(2.0, 0.0, 0.0), angular_velocity=(0.0, 1.0, 0.0), **second),
        "right": Object3D(parent="one", translation=(1.0, 0.0, 0.0), rotation=TURNED, lockable=True),
        "left": Object3D(parent="two", translation=(-1.0, 0.0, 0.0), rotation=(0.0, -math.pi / 2.0, 0.0), lockable=True),
        "actions": ModelActions(program),
    }


def test_two_flying_bodies_join_and_conserve_both_momenta():
    def program(actions):
        ActionAttach(actions, "right", "left", on_contact="impulse")

    result = run(0.5, **free_pair(program))
    before, after = result.segment(1), result.segment(2)
    for momentum in ("mechanics.momentum", "mechanics.angular_momentum"):
        assert after[momentum][0] == pytest.approx(before[momentum][-1], abs=1e-12)
        assert after[momentum][-1] == pytest.approx(before[momentum][-1], abs=1e-7)
    lost = before["mechanics.kinetic_energy"][-1] - after["mechanics.kinetic_energy"][0]
    assert result.segments[1].info["energy_lost"] == pytest.approx(lost, rel=1e-9)
    assert lost > 0.1
    assert after["left.v_abs"][0] == pytest.approx(after["right.v_abs"][0], abs=1e-12)


def test_an_arm_with_motors_catches_a_flying_body():
    """Momentum goes to the rotors behind the gears, too: energy balance with them, and both frames move alike afterwards."""

    def program(actions):
        ActionAttach(actions, "hand", "grip", on_contact="impulse")

    result = run(
        0.3,
        world=world(),
        arm=body(2.0),
        hand=Object3D(parent="arm", translation=(1.0, 0.0, 0.0), rotation=TURNED, lockable=True),
        hinge=RevoluteWithFlange("world", "arm", "z"),
        gear=IdealGear | Map(ratio=20.0),
        rotor=Inertia | Map(J=2e-3),
        load=body(1.0, translation=(2.0, 0.0, 0.0), velocity=(0.0, 2.0, 0.0)),
        grip=Object3D(parent="load", translation=(-1.0, 0.0, 0.0), rotation=(0.0, -math.pi / 2.0, 0.0), lockable=True),
        connect=[("rotor.flange_b", "gear.flange_a"), ("gear.flange_b", "hinge.flange")],
        actions=ModelActions(program),
    )
    before, after = result.segment(1), result.segment(2)
    axial = (2.0 * 0.25 + 0.25) + (0.25 + 2.5**2) + 2e-3 * 20.0**2
    assert after["hinge.w"][0] == pytest.approx(2.0 * 2.5 / axial, rel=1e-9)
    assert after["rotor.w"][0] == pytest.approx(20.0 * after["hinge.w"][0], rel=1e-12)
    energy = before["mechanics.kinetic_energy"][-1] - 0.5 * axial * after["hinge.w"][0] ** 2
    assert result.segments[1].info["energy_lost"] == pytest.approx(energy, rel=1e-9)


def test_what_is_refused():
    def moving(actions):
        ActionAttach(actions, "right", "left")

    with pytest.raises(SimulationError, match=r"relative velocity .* mm/s \(more than 1\)"):
        run(**free_pair(moving))

    def twice(actions):
        ActionLock(actions, "hinge")
        ActionLock(actions, "hinge")

    hinge = RevoluteWithFlange("world", "rod", "y")
    with pytest.raises(SimulationError, match="the joint is locked already"):
        run(world=world(DOWN), rod=body(), hinge=hinge, actions=ModelActions(twice))
    with pytest.raises(SimulationError, match=r"the joint is not locked; found locked joints: none"):
        run(world=world(DOWN), rod=body(), hinge=hinge, actions=ModelActions(lambda actions: ActionUnlock(actions, "hinge")))
    with pytest.raises(ModelError, match=r"on_contact of ActionLock is wrong; found 'impuls'.*Did you mean 'impulse'"):
        instantiate(
            Model3D(
                world=world(DOWN), rod=body(), hinge=hinge, actions=ModelActions(lambda a: ActionLock(a, "hinge", "impuls"))
            )
        )


def test_a_fix_may_close_a_loop():
    """Two hinges about one axis and what is fixed to the world behind them: nothing is left to move but the first body."""
    entries = {
        "upper": body(),
        "lower": body(),
        "one": Revolute("world", "upper", w=1.0),
        "two": Revolute("upper", "lower", w=-1.0),
    }
    result = instantiate(Model3D(world=world(DOWN), **entries, three=Fix("lower", "world"))).simulate(1.0)
    assert result.segments[0].info["dof"] == 1
    assert result["one.phi"][-1] == pytest.approx(1.0, abs=1e-9)
    assert np.abs(result["lower.w_abs"]).max() == 0.0


def test_nonlinear_accelerations_are_refused_by_name():
    """A torque that is the cube of the acceleration makes that no affine function of forces: an impact means nothing."""
    with pytest.raises(SimulationError, match="not affine in the forces"):
        run(
            0.5,
            world=world(DOWN),
            rod=body(),
            hinge=RevoluteWithFlange("world", "rod", "y"),
            drive=Torque,
            equations=["drive.tau = -der(hinge.w)**3"],
            connect=[("drive.flange", "hinge.flange")],
            actions=ModelActions(brake),
        )


@pytest.mark.parametrize("joint", [Revolute, RevoluteWithFlange])
def test_a_brake_that_opens_and_closes_at_once_changes_nothing(joint):
    """Given together, to unlock and to lock leave the joint where it was locked; so does a second brake in the same change."""

    def program(actions):
        ActionWait(actions, 0.3)
        ActionLock(actions, "hinge", on_contact="impulse")
        ActionWait(actions, 0.2)
        with actions.together():
            ActionUnlock(actions, "hinge")
            ActionLock(actions, "hinge")
            ActionLock(actions, "other", on_contact="impulse")

    angles = {"phi": Var(init=0.7)} if joint is RevoluteWithFlange else {"phi": 0.7}
    result = run(
        world=world(DOWN),
        rod=body(),
        hinge=joint("world", "rod", "y", **angles),
        second=body(),
        other=Revolute("world", "second", "y", phi=0.2),
        actions=ModelActions(program),
    )
    assert dofs(result) == [2, 1, 0]
    locked = result.segment(2)["hinge.phi"][0]
    assert abs(locked - 0.7) > 0.1
    assert np.all(result.segment(3)["hinge.phi"] == locked)
    assert np.all(result.segment(3)["hinge.w"] == 0.0)
    assert result.segment(3)["rod.R_abs"][-1] == pytest.approx(result.segment(2)["rod.R_abs"][0], abs=1e-12)
