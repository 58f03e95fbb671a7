"""Gravity and forces inside the engine, against closed forms, conservation laws and final states of Modia3D."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionDelete,
    ActionWait,
    Bushing,
    Model3D,
    ModelActions,
    Object3D,
    PointGravity,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    SpringDamperPtP,
    UniformGravity,
    WorldForce,
    WorldTorque,
)
from modia3d.files.registry import constructors
from modiapy import ModelError, Var, instantiate
from tests.modia3d.scenes import assert_constant, body, energy, free, run, world

pytestmark = pytest.mark.white_box

SPRING = SpringDamperPtP("world", "box", stiffness=2.0)


def test_satellite_moves_as_kepler_says():
    mu, center, a, e = 4.0, np.array([0.5, -0.2, 0.1]), 2.0, 0.5
    perigee, speed = a * (1.0 - e), math.sqrt(mu / a * (1.0 + e) / (1.0 - e))
    period = 2.0 * math.pi * math.sqrt(a**3 / mu)
    result = run(
        period,
        world=world(PointGravity(mu, center)),
        satellite=free(
            mass=3.0, translation=center + (perigee, 0.0, 0.0), velocity=(0.0, speed, 0.0), angular_velocity=(1, 2, 3)
        ),
    )
    r, v = result["satellite.r_abs"] - center, result["satellite.v_abs"]
    assert r[-1] == pytest.approx(r[0], abs=1e-6)
    assert np.linalg.norm(r, axis=1).max() == pytest.approx(a * (1.0 + e), rel=1e-3)
    assert_constant(np.cross(r, v), 1e-7)
    assert_constant(energy(result), 1e-7)
    assert result["mechanics.potential_energy"][0] == pytest.approx(-mu * 3.0 / perigee)


def test_gravity_of_a_point_mass_pulls_at_the_centre_of_mass_of_each_solid():
    masses = {
        "satellite": free(translation=(2.0, 0.0, 0.0), velocity=(0.0, 1.0, 0.0), rotation=(0.1, 0.2, 0.8)),
        "tip": body(mass=2.0, parent="satellite", translation=(0.5, 0.1, 0.0), center=(0.0, 0.2, 0.0)),
        "swing": body(mass=0.5, center=(0.3, 0.0, 0.0)),
        "joint": Revolute("tip", "swing", "y", phi=0.3, w=2.0),
    }
    result = run(3.0, world=world(PointGravity(3.0)), **masses)
    assert_constant(energy(result), 1e-7)
    assert_constant(result["mechanics.angular_momentum"], 1e-7)
    assert np.linalg.norm(result["satellite.w_abs"], axis=1).max() > 0.01
    rates = np.gradient(result["mechanics.momentum"], result.time, axis=0)
    assert result["mechanics.momentum_rate"][5:-5] == pytest.approx(rates[5:-5], abs=2e-3)


@pytest.mark.parametrize("resolved_in", ["", "turned"])
def test_force_moves_a_free_box_as_force_over_mass(resolved_in):
    force, angle = np.array([1.0, 2.0, -0.5]), 0.5
    result = run(
        2.0,
        world=world(),
        turned=Object3D(parent="world", rotation=(0.0, 0.0, angle)),
        box=free(mass=4.0),
        force=WorldForce("box", force, resolved_in),
    )
    c, s = math.cos(angle), math.sin(angle)
    expected = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ force if resolved_in else force
    assert result["box.r_abs"][-1] == pytest.approx(0.5 * expected / 4.0 * 4.0, abs=1e-8)
    assert result["mechanics.momentum_rate"][10] == pytest.approx(expected, abs=1e-12)


def test_force_in_the_body_frame_turns_with_the_body():
    result = run(
        1.0, world=world(), box=free(angular_velocity=(0.0, 0.0, 3.0)), force=WorldForce("box", (1.0, 0.0, 0.0), "box")
    )
    assert result["box.v_abs"][-1] == pytest.approx([math.sin(3.0) / 3.0, (1.0 - math.cos(3.0)) / 3.0, 0.0], abs=1e-8)


def test_torque_turns_and_a_force_beside_the_centre_too():
    entries = {"world": world(), "box": free(), "corner": Object3D(parent="box", translation=(0.0, 0.5, 0.0))}
    turned = run(1.0, **entries, torque=WorldTorque("box", (0.0, 0.0, 0.2)))
    assert turned["box.w_abs"][-1] == pytest.approx([0.0, 0.0, 2.0], abs=1e-8)
    assert turned["box.r_abs"][-1] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    eccentric = run(1.0, **entries, force=WorldForce("corner", (-0.4, 0.0, 0.0), "box"))
    assert eccentric["box.w_abs"][-1] == pytest.approx([0.0, 0.0, 2.0], abs=1e-8)


@pytest.mark.parametrize("flange", [False, True])
def test_spring_and_mass_oscillate(flange):
    stiffness, mass, length, start = 50.0, 2.0, 0.3, 0.5
    joint = PrismaticWithFlange("world", "box", "x", s=Var(init=start)) if flange else Prismatic("world", "box", "x", s=start)
    spring = SpringDamperPtP("world", "box", stiffness=stiffness, nominal_length=length, nominal_force=1.0)
    result = run(2.0, world=world(), box=body(mass=mass), joint=joint, spring=spring)
    rest, omega = length - 1.0 / stiffness, math.sqrt(stiffness / mass)
    assert result["joint.s"] == pytest.approx(rest + (start - rest) * np.cos(omega * result.time), abs=1e-7)
    assert_constant(energy(result), 1e-7)


def test_damper_takes_energy_as_the_closed_form_says():
    result = run(
        1.0,
        world=world(),
        box=body(mass=2.0),
        joint=Prismatic("world", "box", "x", s=1.0, v=0.5),
        damper=SpringDamperPtP("box", "world", damping=3.0),
    )
    assert result["joint.v"] == pytest.approx(0.5 * np.exp(-1.5 * result.time), abs=1e-8)


@pytest.mark.parametrize("flange", [False, True])
def test_spring_on_a_pendulum_keeps_the_energy(flange):
    joint = RevoluteWithFlange("world", "arm", "y", phi=Var(init=0.5)) if flange else Revolute("world", "arm", "y", phi=0.5)
    result = run(
        3.0,
        world=world(UniformGravity(n="-z")),
        arm=body(center=(0.0, 0.0, -0.5)),
        joint=joint,
        load=body(mass=0.5),
        hinge=Object3D(parent="arm", translation=(0.0, 0.0, -1.0)),
        slide=Prismatic("hinge", "load", "z", s=-0.2),
        spring=SpringDamperPtP("arm", "load", stiffness=80.0, nominal_length=1.1),
    )
    assert_constant(energy(result), 1e-7)
    assert np.ptp(result["slide.s"]) > 0.1


def test_forces_between_bodies_keep_the_momenta():
    result = run(
        2.0,
        world=world(),
        one=free(mass=1.0, velocity=(0.1, 0.2, 0.0)),
        two=free(mass=3.0, inertia=0.2, translation=(0.5, 0.1, 0.2), angular_velocity=(0.5, 0.4, -1.0)),
        corner=Object3D(parent="two", translation=(0.1, -0.2, 0.0)),
        spring=SpringDamperPtP("one", "corner", stiffness=30.0, damping=1.0, nominal_length=0.3),
        bushing=Bushing("corner", "one", (10, 20, 30), (1, 2, 3), (1, 2, 3), (0.1, 0.2, 0.3), (0.1, 0, 0), (0, 0.1, 0)),
    )
    assert_constant(result["mechanics.momentum"], 1e-9)
    assert_constant(result["mechanics.angular_momentum"], 1e-7)
    assert result["mechanics.momentum_rate"] == pytest.approx(np.zeros((len(result.time), 3)), abs=1e-9)
    assert energy(result)[-1] < energy(result)[0] - 0.01


def test_bushing_without_damping_keeps_the_energy():
    result = run(
        2.0,
        world=world(UniformGravity(n="-z")),
        box=free(translation=(0.2, 0.1, 0.05), rotation=(0.5, 0.4, 0.2), angular_velocity=(0.5, 0.4, -1.0)),
        bushing=Bushing(
            "world",
            "box",
            (50, 100, 200),
            rotational_stiffness=(5, 10, 20),
            nominal_torque=(0.1, 0.2, 0.3),
            large_angles=True,
            work_conjugate=True,
        ),
    )
    assert_constant(energy(result), 1e-7)


def test_forces_on_what_is_deleted_end():
    def program(actions):
        ActionWait(actions, 1.0)
        ActionDelete(actions, "one")

    result = run(
        2.0,
        world=world(),
        one=free(assembly_root=True),
        two=free(translation=(1.0, 0.0, 0.0)),
        spring=SpringDamperPtP("one", "two", stiffness=1.0),
        actions=ModelActions(program),
    )
    after = result.segment(len(result.segments))
    assert after["two.v_abs"][-1] == pytest.approx(after["two.v_abs"][0], abs=1e-12)
    assert abs(after["two.v_abs"][0][0]) > 0.1


def test_unknown_frames_and_bad_numbers_are_refused():
    entries = {"world": world(), "box": free()}
    with pytest.raises(ModelError, match=r"force.*there is no Object3D 'bix'.*box"):
        instantiate(Model3D(**entries, force=WorldForce("bix", (1, 0, 0))))
    with pytest.raises(ModelError, match=r"stiffness of SpringDamperPtP.*at least 0"):
        instantiate(Model3D(**entries, force=SpringDamperPtP("world", "box", stiffness=-1.0)))
    with pytest.raises(ModelError, match=r"mu of PointGravity.*greater than 0"):
        instantiate(Model3D(world=world(PointGravity(0.0)), box=free()))


def test_merge_changes_numbers_of_forces_and_refuses_other_kinds_of_gravity():
    sim = instantiate(Model3D(world=world(), box=body(mass=2.0), joint=Prismatic("world", "box", "x", s=1.0), spring=SPRING))
    stiffer = sim.simulate(1.0, tolerance=1e-10, merge={"spring": SpringDamperPtP("world", "box", stiffness=18.0)})
    assert stiffer["joint.s"][-1] == pytest.approx(math.cos(3.0), abs=1e-7)
    assert stiffer.statistics["compilations_after_start"] == 0
    plain = instantiate(Model3D(world=world(), box=free(translation=(1.0, 0.0, 0.0))))
    with pytest.raises(ModelError, match="changes the structure"):
        plain.simulate(1.0, merge={"world": world(PointGravity(1.0))})


def test_forces_have_their_names_in_scenarios():
    assert {"WorldForce", "WorldTorque", "SpringDamperPtP", "Bushing", "PointGravity"} <= set(constructors())


def test_forces_act_where_the_integrator_takes_the_residual_form():
    model = Model3D(
        world=world(), box=body(mass=2.0), joint=PrismaticWithFlange("world", "box", "x", s=Var(init=1.0)), spring=SPRING
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-9, mode="dae")
    assert result["joint.s"] == pytest.approx(np.cos(result.time), abs=1e-6)
