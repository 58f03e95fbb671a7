"""Motion of one structure: pendulums and free bodies against closed forms, through the public API."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modia3d import (
    Box,
    MassProperties,
    Model3D,
    NoGravity,
    Object3D,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    UniformGravity,
)
from modiapy import Model, Var, instantiate

MASS, LENGTH, INERTIA = 2.0, 0.5, 0.2
TOLERANCE = 1e-12


def bar(**properties):
    values = {"mass": MASS, "Ixx": 0.1, "Iyy": 0.15, "Izz": INERTIA} | properties
    return Object3D(feature=Solid(shape=Box(0.1, 1.0, 0.1), mass_properties=MassProperties(**values)))


def hinge(parent="bar"):
    return Object3D(parent=parent, translation=(0.0, LENGTH, 0.0))


def pendulum(joint):
    """Gravity along -y, the bar's centre of mass at distance LENGTH below the hinge."""
    return Model3D(world=Object3D(feature=Scene()), bar=bar(), hinge=hinge(), rev=joint)


def closed_form(times, phi, w):
    factor = MASS * 9.81 * LENGTH / (INERTIA + MASS * LENGTH**2)
    solution = solve_ivp(
        lambda _, x: (x[1], -factor * math.sin(x[0])), (0.0, times[-1]), (phi, w), "DOP853", times, rtol=1e-13, atol=1e-13
    )
    return solution.y


def result_of(model, stop_time=2.0, **options):
    return instantiate(model).simulate(stop_time, tolerance=TOLERANCE, **options)


@pytest.mark.parametrize(
    "joint",
    [
        RevoluteWithFlange(obj1="world", obj2="hinge", axis="z", phi=Var(init=0.7), w=Var(init=-0.4)),
        Revolute(obj1="world", obj2="hinge", axis="z", phi=0.7, w=-0.4),
        Revolute(obj1="hinge", obj2="world", axis="z", phi=-0.7, w=0.4),
    ],
    ids=["flange", "passive", "passive and reversed"],
)
def test_pendulum_swings_as_its_equation_says(joint):
    result = result_of(pendulum(joint))
    sign = -1.0 if joint["obj1"] == "hinge" else 1.0
    phi, w = closed_form(result.time, 0.7, -0.4)
    assert sign * result["rev.phi"] == pytest.approx(phi, abs=1e-8)
    assert sign * result["rev.w"] == pytest.approx(w, abs=1e-8)
    centre = np.stack([LENGTH * np.sin(phi), -LENGTH * np.cos(phi), 0.0 * phi], axis=1)
    assert result["bar.r_abs"] == pytest.approx(centre, abs=1e-8)
    assert result["bar.w_abs"][:, 2] == pytest.approx(w, abs=1e-8)
    assert result["bar.v_abs"][:, 0] == pytest.approx(LENGTH * w * np.cos(phi), abs=1e-8)
    assert result["bar.R_abs"][:, 1, 0] == pytest.approx(np.sin(phi), abs=1e-8)
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert energy == pytest.approx(np.full_like(energy, energy[0]), abs=1e-7)


def test_slider_falls_and_carries_no_force_without_a_load():
    g = 9.81
    model = Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=g, n="-x"))),
        bar=bar(),
        slide=PrismaticWithFlange(obj1="world", obj2="bar", axis="x", s=Var(init=0.5), v=Var(init=1.0)),
    )
    result = result_of(model, 1.0)
    assert result["slide.s"] == pytest.approx(0.5 + result.time - 0.5 * g * result.time**2, abs=1e-8)
    assert result["slide.flange.f"] == pytest.approx(np.zeros_like(result.time), abs=1e-9)


def test_spring_on_a_flange_drives_a_joint_whose_base_is_free():
    """Two bodies that move only about z exchange angular momentum: the reduced inertia swings on the spring."""
    c, inertia_a, inertia_b = 3.0, 0.2, 0.12
    spring = Model(flange=Model(phi=Var(potential=True), tau=Var(flow=True)), c=c, equations=["flange.tau = c*flange.phi"])
    model = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        a=bar(Izz=inertia_a),
        b=bar(Izz=inertia_b),
        rev=RevoluteWithFlange(obj1="a", obj2="b", axis="z", phi=Var(init=0.3)),
        spring=spring,
        connect=[("spring.flange", "rev.flange")],
    )
    result = result_of(model, 3.0)
    reduced = inertia_a * inertia_b / (inertia_a + inertia_b)
    assert result["rev.phi"] == pytest.approx(0.3 * np.cos(math.sqrt(c / reduced) * result.time), abs=1e-8)
    assert result["mechanics.angular_momentum"] == pytest.approx(np.zeros((len(result.time), 3)), abs=1e-9)
    assert result["mechanics.angular_momentum_rate"] == pytest.approx(np.zeros((len(result.time), 3)), abs=1e-12)
    assert result.segments[0].info["dof"] == 7
    assert result.segments[0].states_variant == 13


def test_free_body_tumbles_as_euler_says():
    moments = np.array([0.1, 0.15, 0.2])
    w_start = np.array([0.05, 2.0, 0.1])
    model = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        body=Object3D(
            feature=Solid(mass_properties=MassProperties(mass=MASS, Ixx=0.1, Iyy=0.15, Izz=0.2)),
            fixed_to_parent=False,
            translation=(1.0, 2.0, 3.0),
            rotation=(0.3, -0.2, 0.5),
            velocity=(0.1, 0.0, -0.2),
            angular_velocity=(0.05, 2.0, 0.1),
        ),
    )
    result = result_of(model, 5.0)
    t = result.time
    assert result["body.r_abs"] == pytest.approx(np.array([1.0, 2.0, 3.0]) + np.outer(t, [0.1, 0.0, -0.2]), abs=1e-8)
    momentum = result["mechanics.angular_momentum"]
    assert momentum == pytest.approx(np.tile(momentum[0], (len(t), 1)), abs=1e-7)
    assert result["mechanics.momentum"] == pytest.approx(np.tile(MASS * np.array([0.1, 0.0, -0.2]), (len(t), 1)), abs=1e-9)
    assert result["mechanics.angular_momentum_rate"] == pytest.approx(np.zeros((len(t), 3)), abs=1e-12)
    energy = result["mechanics.kinetic_energy"]
    assert energy == pytest.approx(np.full_like(t, energy[0]), abs=1e-7)

    w_body = result["body.R_abs"][0].T @ w_start
    euler = solve_ivp(
        lambda _, w: np.cross(moments * w, w) / moments, (0.0, t[-1]), w_body, "DOP853", t, rtol=1e-12, atol=1e-13
    )
    measured = np.einsum("tij,ti->tj", result["body.R_abs"], result["body.w_abs"])
    assert measured == pytest.approx(euler.y.T, abs=1e-7)
    R = result["body.R_abs"]
    assert np.einsum("tij,tik->tjk", R, R) == pytest.approx(np.tile(np.eye(3), (len(t), 1, 1)), abs=1e-12)


def test_free_body_falls_in_gravity():
    model = Model3D(world=Object3D(feature=Scene()), body=bar())
    result = result_of(model, 1.0)
    assert result["body.r_abs"][:, 1] == pytest.approx(-0.5 * 9.81 * result.time**2, abs=1e-8)


def test_scene_without_anything_that_moves():
    result = result_of(Model3D(world=Object3D(feature=Scene()), mark=Object3D(parent="world", translation=(1.0, 0.0, 0.0))))
    assert result["mark.r_abs"][-1] == pytest.approx([1.0, 0.0, 0.0])
    assert result.segments[0].info["dof"] == 0


def test_double_pendulum_with_passive_and_flange_joint_equals_the_one_with_two_flanges():
    def model(first, second):
        return Model3D(
            world=Object3D(feature=Scene()),
            one=bar(),
            two=bar(),
            top=hinge("one"),
            bottom=Object3D(parent="one", translation=(0.0, -LENGTH, 0.0)),
            joint_of_two=hinge("two"),
            first=first(obj1="world", obj2="top", axis="z", **start(first, 0.4)),
            second=second(obj1="bottom", obj2="joint_of_two", axis="x", **start(second, -0.3)),
        )

    def start(kind, phi):
        return {"phi": Var(init=phi)} if kind is RevoluteWithFlange else {"phi": phi}

    kinds = RevoluteWithFlange, Revolute
    results = [result_of(model(a, b), 1.0) for a in kinds for b in kinds]
    for other in results[1:]:
        for signal in ("first.phi", "second.phi", "two.r_abs"):
            assert other[signal][-1] == pytest.approx(results[0][signal][-1], abs=1e-8)


def test_passive_slider_between_free_bodies_keeps_the_centre_of_mass():
    model = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        a=bar(),
        b=bar(mass=3.0),
        slide=Prismatic(obj1="a", obj2="b", axis="x", v=1.0),
    )
    result = result_of(model, 1.0)
    assert result["mechanics.momentum"] == pytest.approx(np.tile([3.0, 0.0, 0.0], (len(result.time), 1)), abs=1e-9)
    assert result["slide.s"] == pytest.approx(result.time, abs=1e-8)


def test_two_engines_live_side_by_side():
    joint = RevoluteWithFlange(obj1="world", obj2="hinge", axis="z", phi=Var(init=0.7), w=Var(init=-0.4))
    free = Model3D(world=Object3D(feature=Scene()), body=bar())
    result = result_of(Model(left=pendulum(joint), right=free), 1.0)
    assert result["left.rev.phi"] == pytest.approx(closed_form(result.time, 0.7, -0.4)[0], abs=1e-8)
    assert result["right.body.r_abs"][-1, 1] == pytest.approx(-0.5 * 9.81, abs=1e-8)
    assert result.segments[0].states_variant == 13
