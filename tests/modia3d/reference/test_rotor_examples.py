"""`Modelica.Mechanics.MultiBody.Examples.Rotational3DEffects`: a shaft is a body on a joint, or a rotor of one dimension.

Each example has the same machine in both ways; their motions have to be equal.
"""

import math

import numpy as np
import pytest

from modia3d import (
    Cylinder,
    MassProperties,
    Mounting,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    Rotor,
    Solid,
    SolidMaterial,
    Spherical,
    Torque,
    UniformGravity,
)
from modiapy import Map, Model, Var
from modiapy.library import rotational
from modiapy.library.blocks import Sine

from ..forces.scenes import run, world

STEEL = SolidMaterial(density=7700.0)


def cylinder(diameter, length, **fields):
    return Object3D(feature=Solid(Cylinder(diameter, length, axis="x"), STEEL), **fields)


def gyroscope():
    """A rod on a ball joint; at its end, turned by 45 degrees, the bearing of a shaft."""
    return {
        "world": world(UniformGravity(9.80665, "-y")),
        "start": Object3D(),
        "rod": cylinder(0.05, 0.25, parent="start", translation=(0.125, 0.0, 0.0)),
        "bearing": Object3D(parent="start", translation=(0.25, 0.0, 0.0), rotation=(0.0, math.radians(45.0), 0.0)),
        "ball": Spherical("world", "start"),
    }


def test_gyroscopic_effects():
    """The centre of the shaft lies in its bearing: from -0.1 m to 0.1 m."""
    bodies = run(5.0, **gyroscope(), shaft=cylinder(0.1, 0.2), revolute=Revolute("bearing", "shaft", "x", w=10.0))
    J = 7700.0 * math.pi * 0.05**2 * 0.2 * 0.05**2 / 2.0
    rotor = run(
        5.0,
        **gyroscope(),
        shaft=cylinder(0.1, 0.2, parent="bearing"),
        rotor=Rotor("bearing", "x", J=J, phi=Var(init=0.0), w=Var(init=10.0)),
    )
    for name in ("rod.r_abs", "rod.v_abs", "rod.w_abs"):
        assert rotor[name] == pytest.approx(bodies[name], abs=1e-6)
    assert rotor["rotor.w"] == pytest.approx(bodies["revolute.w"], abs=1e-6)
    assert rotor["ball.cut_force"] == pytest.approx(bodies["ball.cut_force"], abs=1e-4)
    assert np.ptp(rotor["rotor.w"]) > 0.5
    assert np.ptp(rotor["rod.r_abs"][:, 2]) > 0.03


SOURCES = {
    "tau": Sine | Map(amplitude=1.0, f=1.0),
    "angle": Sine | Map(amplitude=2.0, f=1.0),
    "drive": Model(phi=Var(input=True), flange=rotational.Flange, equations=["flange.phi = phi"]),
    "r1": RevoluteWithFlange("world", "link", "y", phi=Var(), w=Var()),
    "world": world(),
}
FOLLOWS = [("angle.y", "drive.phi"), ("drive.flange", "r1.flange")]
SHAFT = Solid(Cylinder(0.1, 0.5, axis="x"), mass_properties=MassProperties(1.0, (0.0, 0.0, 0.0), 2.0, 1.5, 1.5))


def test_moving_actuated_drive():
    """A shaft of 2 kg.m2 about x on a link that is turned about y."""
    bodies = run(
        1.1,
        tolerance=1e-9,
        **SOURCES,
        link=Object3D(),
        body=Object3D(feature=SHAFT),
        revolute=Revolute("link", "body", "x"),
        motor=Torque("link", "body", "link", torque=("tau.y", 0, 0)),
        connect=FOLLOWS,
    )
    rotor = run(
        1.1,
        tolerance=1e-9,
        **SOURCES,
        link=Object3D(feature=SHAFT),
        rotor=Rotor("link", "x", J=2.0, phi=Var(init=0.0), w=Var(init=0.0)),
        mount=Mounting("link", "x"),
        motor=rotational.Torque2,
        connect=[
            *FOLLOWS,
            ("tau.y", "motor.tau"),
            ("mount.flange", "motor.flange_a"),
            ("motor.flange_b", "rotor.flange_a"),
        ],
    )
    assert rotor["rotor.w"] == pytest.approx(bodies["revolute.w"], abs=1e-6)
    assert rotor["drive.flange.tau"] == pytest.approx(bodies["drive.flange.tau"], abs=1e-5)
    t = rotor.time
    assert rotor["rotor.w"] == pytest.approx((1.0 - np.cos(2.0 * math.pi * t)) / (4.0 * math.pi), abs=1e-6)
    assert rotor["r1.phi"] == pytest.approx(2.0 * np.sin(2.0 * math.pi * t), abs=1e-8)
