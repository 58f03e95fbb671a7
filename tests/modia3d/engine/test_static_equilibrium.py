"""Initial equations: a robot begins in the equilibrium of springs and weight, a spring constant follows from an equilibrium."""

import numpy as np
import pytest
from scipy.optimize import fsolve

from modia3d import (
    Box,
    Distance,
    Force,
    InitialPose,
    LineForce,
    MassProperties,
    Model3D,
    Object3D,
    RelativeSensor,
    RevoluteWithFlange,
    Scene,
    Solid,
)
from modiapy import Map, Model, SimulationError, Var, instantiate
from modiapy.library import rotational, translational

SPRING = Model(
    flange=Model(phi=Var(potential=True), tau=Var(flow=True)), c=1.0, phi0=0.0, equations=["flange.tau = c*(flange.phi - phi0)"]
)
FREE = {"phi": Var(init=None, start=0.5), "w": Var(init=None)}


def arm():
    """Two bars of length 1 m and mass 2 kg that hang on each other, with springs in the joints."""
    properties = MassProperties(mass=2.0, Ixx=0.1, Iyy=0.1, Izz=0.2)
    return Model3D(
        world=Object3D(feature=Scene()),
        bar1=Object3D(feature=Solid(shape=Box(0.1, 1.0, 0.1), mass_properties=properties)),
        top1=Object3D(parent="bar1", translation=(0.0, 0.5, 0.0)),
        end1=Object3D(parent="bar1", translation=(0.0, -0.5, 0.0)),
        bar2=Object3D(feature=Solid(shape=Box(0.1, 1.0, 0.1), mass_properties=properties)),
        top2=Object3D(parent="bar2", translation=(0.0, 0.5, 0.0)),
        rev1=RevoluteWithFlange(obj1="world", obj2="top1", axis="z", **FREE),
        rev2=RevoluteWithFlange(obj1="end1", obj2="top2", axis="z", **FREE),
        spring1=SPRING | Map(c=30.0, phi0=1.0),
        spring2=SPRING | Map(c=12.0, phi0=0.7),
        connect=[("spring1.flange", "rev1.flange"), ("spring2.flange", "rev2.flange")],
        initial_equations=["rev1.w = 0", "rev2.w = 0", "der(rev1.w) = 0", "der(rev2.w) = 0"],
    )


def equilibrium(c1=30.0, phi1=1.0, c2=12.0, phi2=0.7, m=2.0, g=9.81):
    def torques(q):
        a, b = q[0], q[0] + q[1]
        second = 0.5 * m * g * np.sin(b)
        return [c1 * (phi1 - q[0]) - second - 1.5 * m * g * np.sin(a), c2 * (phi2 - q[1]) - second]

    return fsolve(torques, [0.5, 0.5], xtol=1e-13)


def test_the_arm_begins_at_rest_in_its_equilibrium():
    sim = instantiate(arm())
    result = sim.simulate(2.0, tolerance=1e-9)
    expected = equilibrium()
    assert [result["rev1.phi"][0], result["rev2.phi"][0]] == pytest.approx(expected, abs=1e-10)
    np.testing.assert_allclose(result["rev1.phi"], expected[0], atol=1e-6)
    np.testing.assert_allclose(result["rev2.w"], 0.0, atol=1e-5)


def test_the_equilibrium_follows_merged_parameters():
    result = instantiate(arm()).simulate(0.1, merge=Map(spring1=Map(c=50.0), spring2=Map(phi0=-0.2)))
    expected = equilibrium(c1=50.0, phi2=-0.2)
    assert [result["rev1.phi"][0], result["rev2.phi"][0]] == pytest.approx(expected, abs=1e-9)
    assert result.statistics["compilations_after_start"] == 0


def held_by_a_spring(phi=0.0, spring=None, **entries):
    """Modelica.Mechanics.MultiBody.Examples.Elementary.InitSpringConstant: a rod held by a spring of unknown constant."""
    rod = MassProperties(mass=1.0, center_of_mass=(0.5, 0.0, 0.0), Ixx=1e-3, Iyy=1e-3, Izz=1e-3)
    parts = {
        "world": Object3D(feature=Scene()),
        "rod": Object3D(feature=Solid(mass_properties=rod)),
        "tip": Object3D(parent="rod", translation=(1.0, 0.0, 0.0)),
        "hook": Object3D(parent="world", translation=(1.0, 0.2, 0.0)),
        "rev": RevoluteWithFlange("world", "rod", "z", phi=Var(init=phi)),
        "damper": rotational.Damper | Map(d=0.1),
        "wall": rotational.Fixed,
        "line": LineForce("hook", "tip"),
        "spring": spring or translational.Spring | Map(s_rel0=0.1, c=Var(start=100.0), equations=["der(c) = 0"]),
        "connect": [
            ("wall.flange", "damper.flange_a"),
            ("damper.flange_b", "rev.flange"),
            ("line.flange_a", "spring.flange_a"),
            ("line.flange_b", "spring.flange_b"),
        ],
        "initial_equations": ["der(rev.w) = 0"],
    }
    return Model3D(**(parts | entries))


def constant(phi, hook=(1.0, 0.2), mass=1.0, g=9.81, s0=0.1):
    """Moments about the revolute joint."""
    tip = np.array([np.cos(phi), np.sin(phi)])
    way = np.array(hook) - tip
    length = np.linalg.norm(way)
    lever = (tip[0] * way[1] - tip[1] * way[0]) / length
    return 0.5 * mass * g * np.cos(phi) / ((length - s0) * lever)


@pytest.mark.parametrize("phi", [0.0, -0.3])
def test_a_spring_constant_follows_from_the_equilibrium(phi):
    result = instantiate(held_by_a_spring(phi)).simulate(1.0, tolerance=1e-9)
    assert result["spring.c"] == pytest.approx(np.full(result.time.size, constant(phi)), rel=1e-10)
    assert result["rev.phi"] == pytest.approx(np.full(result.time.size, phi), abs=1e-9)
    if phi == 0.0:
        assert constant(phi) == pytest.approx(49.05, abs=1e-12)  # what Modelica's documentation says


def test_the_same_by_a_force_from_equations():
    element = {
        "line": Distance("hook", "tip"),
        "spring": RelativeSensor("hook", "tip", resolved_in="world"),
        "pull": Force("hook", "tip", resolved_in="world"),
        "c": Var(start=100.0),
        "equations": ["der(c) = 0", *(f"pull.force.{x} = -c*(line.s - 0.1)*spring.r.{x}/line.s" for x in "xyz")],
        "connect": [("wall.flange", "damper.flange_a"), ("damper.flange_b", "rev.flange")],
    }
    result = instantiate(held_by_a_spring(**element)).simulate(0.2)
    assert result["c"][0] == pytest.approx(49.05, rel=1e-10)


def test_the_angle_of_the_equilibrium_by_merge_and_a_pose_of_the_tip():
    """The pose says the angle; new poses need no new machine code."""
    sim = instantiate(held_by_a_spring(tip_at=InitialPose("tip", (None, -0.2, None))))
    result = sim.simulate(0.1)
    assert result["rev.phi"][0] == pytest.approx(-np.arcsin(0.2), abs=1e-10)
    assert result["spring.c"][0] == pytest.approx(constant(-np.arcsin(0.2)), rel=1e-8)
    result = sim.simulate(0.1, merge=Map(tip_at=Map(translation=(None, -0.4, None)), spring=Map(s_rel0=0.2)))
    assert result["spring.c"][0] == pytest.approx(constant(-np.arcsin(0.4), s0=0.2), rel=1e-8)
    assert result.statistics["compilations_after_start"] == 0


def test_a_constant_without_a_condition_and_a_condition_too_many():
    free = instantiate(held_by_a_spring(initial_equations=[])).simulate(0.01)
    assert free["spring.c"][0] == 100.0
    too_many = held_by_a_spring(initial_equations=["der(rev.w) = 0", "spring.c = 50"])
    assert 0.94 < instantiate(too_many).simulate(0.0)["rev.w"][0] < 0.96  # the joint's default of w gives way
    too_many |= Map(rev=Map(w=Var(init=0.0)))
    with pytest.raises(SimulationError, match=r"rev.w: .*contradicts the equations; found init=0.0; expected 0.9[45]"):
        instantiate(too_many).simulate(0.0)
