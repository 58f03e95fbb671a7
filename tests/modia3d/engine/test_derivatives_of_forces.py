"""Derivatives of forces in the equations: right where they can be known, else refused by the name of the element."""

import numpy as np
import pytest

from modia3d import (
    AbsoluteSensor,
    CutForce,
    EnergySensor,
    LineForce,
    MassProperties,
    Model3D,
    NoGravity,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    SpringDamperPtP,
    WorldForce,
)
from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library import rotational, translational


def arm(flange=False, **entries):
    """A rod on a hinge about z, with a tip at 1 m."""
    joint = RevoluteWithFlange("world", "rod", phi=Var(init=0.3)) if flange else Revolute("world", "rod", phi=0.3)
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        rod=Object3D(feature=Solid(mass_properties=MassProperties(1.0, (0.4, 0.0, 0.0), 0.1, 0.1, 0.1))),
        tip=Object3D(parent="rod", translation=(1.0, 0.0, 0.0)),
        joint=joint,
        v=Var(),
        **entries,
    )


def differentiated(force, model):
    """``v`` of the model and the slope of ``force`` over time."""
    result = instantiate(model).simulate(1.0, tolerance=1e-10, interval=1e-3)
    return result["v"][2:-2], np.gradient(result[force], result.time)[2:-2]


def test_a_force_that_depends_on_time_and_position():
    sensor = {"meter": AbsoluteSensor("tip", quantities="r")}
    force = WorldForce("tip", ("2*sin(3*time)", "-5*meter.r.y + cos(time)", 0.0))
    for component in "xy":
        given, expected = differentiated(
            f"push.force.{component}", arm(**sensor, push=force, equations=[f"v = der(push.force.{component})"])
        )
        assert np.ptp(given) > 0.5
        assert given == pytest.approx(expected, abs=1e-4)


def test_a_force_that_depends_on_a_velocity_has_a_derivative_that_depends_on_itself():
    """``f = -2 v``, ``f' = -2 a``, and the acceleration depends on f."""
    sensor = {"meter": AbsoluteSensor("tip", quantities="v")}
    force = WorldForce("tip", ("sin(5*time)", "-2*meter.v.y", 0.0))
    given, expected = differentiated("push.force.y", arm(**sensor, push=force, equations=["v = der(push.force.y)"]))
    assert np.ptp(given) > 0.1
    assert given == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("flange", [False, True])
def test_a_spring_on_a_line(flange):
    parts = {
        "wall": Object3D(parent="world", translation=(1.0, 1.0, 0.0)),
        "line": LineForce("wall", "tip"),
        "spring": translational.Spring | Map(c=8.0, s_rel0=0.2),
        "connect": [("line.flange_a", "spring.flange_a"), ("line.flange_b", "spring.flange_b")],
    }
    given, expected = differentiated("spring.f", arm(flange, **parts, equations=["v = der(spring.f)"]))
    assert np.ptp(given) > 1.0
    assert given == pytest.approx(expected, abs=1e-3)


def test_a_damper_at_a_flange():
    parts = {"damper": rotational.Damper | Map(d=0.3), "wall": rotational.Fixed}
    parts["connect"] = [("joint.flange", "damper.flange_a"), ("damper.flange_b", "wall.flange")]
    parts["push"] = WorldForce("tip", (0.0, "sin(4*time)", 0.0))
    given, expected = differentiated("damper.tau", arm(True, **parts, equations=["v = der(damper.tau)"]))
    assert np.ptp(given) > 0.1
    assert given == pytest.approx(expected, abs=1e-4)


def test_a_constraint_on_a_force_of_which_an_integral_is_prescribed():
    """``x' = f``, ``x = sin t``: index reduction gives ``f = cos t``."""
    model = arm(push=WorldForce("tip"), x=Var(init=0.0))
    equations = ["der(x) = push.force.x", "x = sin(time)", "push.force.y = 0", "push.force.z = 0", "v = push.force.x"]
    result = instantiate(model | Model(equations=equations)).simulate(1.0)
    assert result["push.force.x"] == pytest.approx(np.cos(result.time), abs=1e-6)


def test_a_cut_force_can_be_prescribed():
    model = arm(push=WorldForce("tip"), cut=CutForce("joint"))
    equations = ["cut.force.x = 3*sin(time)", "push.force.y = 0", "push.force.z = 0", "v = 0"]
    result = instantiate(model | Model(equations=equations)).simulate(0.5)
    assert result["cut.force.x"] == pytest.approx(3 * np.sin(result.time), abs=1e-9)


SPRING = SpringDamperPtP("world", "tip", stiffness=10.0, damping=1.0)


@pytest.mark.parametrize(
    ("parts", "equations", "named"),
    [
        ({"spring": SPRING, "cut": CutForce("joint")}, ["v = der(cut.force.x)"], r"'cut\.force\.x'"),
        ({"energy": EnergySensor()}, ["v = der(energy.kinetic)"], r"'energy\.kinetic'"),
        ({"meter": AbsoluteSensor("tip", quantities="a")}, ["v = der(meter.a.x)"], r"'meter\.a\.x'"),
        (
            {"meter": AbsoluteSensor("tip", quantities="a"), "push": WorldForce("tip", ("-0.1*meter.a.x", 0, 0))},
            ["v = der(push.force.x)"],
            r"'meter\.a\.x'.*'push\.force\.x = -0\.1\*meter\.a\.x'",
        ),
    ],
)
def test_what_has_no_derivative_is_refused_by_the_name_of_the_element(parts, equations, named):
    with pytest.raises(ModelError, match=rf"cannot be differentiated, which computes .*{named}"):
        instantiate(arm(**parts, equations=equations))


def test_the_force_of_a_joint_is_refused_by_the_name_of_the_joint():
    drive = {"drive": rotational.Position, "connect": [("joint.flange", "drive.flange")]}
    with pytest.raises(ModelError, match=r"cannot be differentiated, which computes 'joint\.flange\.tau'"):
        instantiate(arm(True, **drive, equations=["drive.phi_ref = sin(time)", "v = der(joint.flange.tau)"]))


def test_a_cut_force_of_which_the_derivative_is_prescribed_is_refused():
    model = arm(True, push=WorldForce("tip"), cut=CutForce("joint"))
    equations = ["der(cut.force.x) = cos(time)", "push.force.y = 0", "push.force.z = 0", "v = 0"]
    with pytest.raises(ModelError, match=r"computes 'cut\.force\.x', which cannot be a state.*Prescribe its value"):
        instantiate(model | Model(equations=equations))
