"""Planar mechanisms in a multibody system, against the same machines in space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from modia3d import (
    Fix,
    FreeMotion,
    MassProperties,
    Model3D,
    NoGravity,
    Object3D,
    PlanarToMultiBody,
    PlanarWorldIn3D,
    PrismaticWithFlange,
    Revolute,
    Scene,
    Solid,
    UniformGravity,
    rot,
)
from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate
from modiapy.library import planar, rotational, translational

FALLING = Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-y")))
BALL = Object3D(feature=Solid(mass_properties=MassProperties(mass=2.0, Ixx=0.3, Iyy=0.4, Izz=0.2)))
BEGINS = Map(phi=Map(init=0.3), w=Map(init=0.5))
HANGS = Model(
    planar_world=planar.PlanarWorld,
    fixed=planar.Fixed,
    hinge=planar.RevoluteWithFlange | BEGINS,
    rod=planar.FixedTranslation,
    motor=rotational.ConstantTorque | Map(tau_constant=4.0),
    connect=[("fixed.frame", "hinge.frame_a"), ("hinge.frame_b", "rod.frame_a"), ("motor.flange", "hinge.flange_a")],
)


def run(model: Model, stop_time: float = 2.0) -> Any:
    return instantiate(model, check_units=True).simulate(stop_time, tolerance=1e-11, interval=stop_time / 20)


def test_a_body_in_space_at_the_end_of_a_planar_rod_swings_like_a_planar_one() -> None:
    space = Model3D(world=FALLING, ball=BALL, bridge=PlanarToMultiBody("world", "ball", 0.5)) | HANGS
    space |= Model(connect=[("rod.frame_b", "bridge.frame_a")])
    flat = HANGS | Model(body=planar.Body | Map(m=2.0, I=0.2), connect=[("rod.frame_b", "body.frame_a")])
    r, expected = run(space), run(flat)
    assert instantiate(space).states == ("hinge.phi", "hinge.w")
    for name in ("hinge.phi", "hinge.w", "fixed.frame.fx", "fixed.frame.fy", "fixed.frame.t"):
        np.testing.assert_allclose(r[name], expected[name], atol=1e-7)
    np.testing.assert_allclose(r["ball.r_abs"][:, :2], expected["body.r"], atol=1e-8)
    np.testing.assert_allclose(r["ball.r_abs"][:, 2], 0.5, atol=1e-12)
    np.testing.assert_allclose(r["ball.w_abs"][:, 2], r["hinge.w"], atol=1e-8)


def test_a_planar_mechanism_in_a_plane_of_any_direction() -> None:
    """A planar double pendulum of which the second body hangs in space, on an inclined plate that moves with constant speed;
    and the machine of two hinges."""
    plate = Object3D(parent="carriage", translation=(0.1, 0.2, -0.3), rotation=rot(x=0.5, y=-0.4, z=0.2))
    both = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        carriage=Object3D(feature=Solid(mass_properties=MassProperties(mass=1.0, Ixx=1.0, Iyy=1.0, Izz=1.0))),
        rail=PrismaticWithFlange("world", "carriage", (1.0, 2.0, 3.0), s=Var(init=0.0), v=Var()),
        drive=translational.ConstantSpeed | Map(v_fixed=0.4),
        plate=plate,
        connect=[("drive.flange", "rail.flange")],
    )
    turning = Map(phi=Map(init=0.4), w=Map(init=3.0))
    mixed = both | Model(
        planar_world=planar.PlanarWorld | Map(constant_gravity=[0.0, 0.0]),
        ball=BALL,
        bridge=PlanarToMultiBody("plate", "ball"),
        fixed=planar.Fixed,
        hinge=planar.Revolute | turning,
        rod=planar.FixedTranslation,
        body=planar.Body | Map(m=1.0, I=0.1),
        elbow=planar.Revolute | BEGINS,
        end=planar.FixedTranslation | Map(r=[0.0, 0.7]),
        connect=[
            ("fixed.frame", "hinge.frame_a"),
            ("hinge.frame_b", "rod.frame_a"),
            ("rod.frame_b", "body.frame_a", "elbow.frame_a"),
            ("elbow.frame_b", "end.frame_a"),
            ("end.frame_b", "bridge.frame_a"),
        ],
    )
    space = both | Model(
        arm=Object3D(),
        mass=Object3D(
            parent="arm",
            translation=(1.0, 0.0, 0.0),
            feature=Solid(mass_properties=MassProperties(mass=1.0, Ixx=0.1, Iyy=0.1, Izz=0.1)),
        ),
        fore=Object3D(),
        ball=BALL,
        weld=Fix("fore", "ball", translation=(0.0, 0.7, 0.0)),
        hinge=Revolute("plate", "arm", "z", phi=0.4, w=3.0),
        elbow=Revolute("mass", "fore", "z", phi=0.3, w=0.5),
    )
    r, expected = run(mixed, 1.0), run(space, 1.0)
    for name in ("hinge.phi", "hinge.w", "elbow.phi", "elbow.w"):
        np.testing.assert_allclose(r[name], expected[name], atol=1e-7)
    np.testing.assert_allclose(r["ball.r_abs"], expected["ball.r_abs"], atol=1e-7)
    np.testing.assert_allclose(r["ball.R_abs"], expected["ball.R_abs"], atol=1e-7)


def test_gravity_in_an_inclined_plane_is_that_of_the_scene() -> None:
    """A body that slides down a plane with the slope 0.4, in a direction across the x axis of the plane."""
    model = Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=10.0, n="-z"))),
        slope=Object3D(parent="world", translation=(1.0, 2.0, 3.0), rotation=rot(x=0.4)),
        planar_world=PlanarWorldIn3D("slope"),
        body=planar.Body | planar.WithGravityInput | Map(r=Map(init=[0.0, 0.0]), v=Map(init=[1.0, 0.0])),
        connect=[("planar_world.g", "body.g")],
    )
    r = run(model, 1.0)
    np.testing.assert_allclose(r["body.r"], np.column_stack([r.time, -5.0 * np.sin(0.4) * r.time**2]), atol=1e-9)
    np.testing.assert_allclose(r["planar_world.r_0"][-1], [1.0, 2.0, 3.0])


def test_mistakes_are_named() -> None:
    with pytest.raises(ModelError, match=r"nowhere"):
        instantiate(Model3D(world=FALLING, ball=BALL, bridge=PlanarToMultiBody("nowhere", "ball")))
    with pytest.raises(ModelError, match="z_position of PlanarToMultiBody"):
        PlanarToMultiBody("world", "ball", float("nan"))
    with pytest.raises(ModelError, match="obj2 of PlanarToMultiBody"):
        PlanarToMultiBody("world", "joint")
    light = Model(body=planar.Body)
    with pytest.raises(ModelError, match=r"planar_world.constant_gravity"):
        instantiate(Model3D(world=FALLING, planar_world=PlanarWorldIn3D("world")) | light)


@pytest.mark.parametrize(
    "joint", [FreeMotion(obj1="world", obj2="plate"), Revolute(obj1="world", obj2="plate", w=Var(init=5.0))]
)
def test_plane_that_turns_or_falls_is_refused(joint: Any) -> None:
    model = Model3D(world=FALLING, plate=BALL, joint=joint, plane=PlanarWorldIn3D("plate"))
    with pytest.raises(SimulationError, match=r"plane: .* it must neither turn nor be accelerated"):
        instantiate(model).simulate(0.1)
